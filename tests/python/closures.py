"""Random programs whose captured names change between calls: no result may be stale. closures.py [--count=N] [--seed=N]; each program is a
module that is executed by CPython and by the library side by side; its text is in linecache."""
import argparse
import linecache
import random
import sys

import numpy

import sdfg

SCALARS = ["1", "2", "-3", "0", "2.5", "-0.5", "True", "False", "numpy.float32(1.5)", "numpy.int16(3)", "7"]
ARRAYS = ["numpy.arange(4.0)", "numpy.ones(4)", "numpy.full(4, 2.5)", "numpy.arange(8.0)[::2]", "numpy.arange(4, dtype=numpy.float32)",
          "numpy.arange(4)"]
HELPERS = ["lambda x: x * 2", "lambda x: x + S0", "lambda x: x - 1", "lambda x: x * S1 + 1"]
PLACES = ["{}", "O.{}", "O.inner.{}", "D['{}']", "D['sub']['{}']", "cell_{}"]


class Program:
    """The text of a module, and the statements that change what its program captures."""

    def __init__(self, seed):
        r = self.random = random.Random(seed)
        self.scalars = [f"S{i}" for i in range(2)] + [r.choice(PLACES).format(f"s{i}") for i in range(r.randint(1, 3))]
        self.arrays = [r.choice(PLACES).format(f"a{i}") for i in range(r.randint(1, 3))]
        self.lines = ["import numpy", "import sdfg", "class Object: pass", "O = Object()", "O.inner = Object()", "D = {'sub': {}}",
                      "L = [1, 2.5]", f"H = {r.choice(HELPERS)}"]
        cells = [name for name in self.scalars + self.arrays if name.startswith("cell_")]
        self.cells = cells
        self.lines += [self.assign(name) for name in self.scalars + self.arrays if name not in cells]
        self.lines += ["def make():", "    pass", *(f"    {self.assign(name)}" for name in cells)]
        self.lines += [f"    def change_{name}(value):\n        nonlocal {name}\n        {name} = value\n    CHANGES['{name}'] = change_{name}"
                       for name in cells]
        self.lines += ["    @sdfg.program", "    def f(A, n):", *(f"        {line}" for line in self.body()), "    return f", "CHANGES = {}",
                       "f = make()", ""]
        self.text = "\n".join(self.lines)

    def value(self, name):
        return self.random.choice(ARRAYS if name in self.arrays else SCALARS)

    def assign(self, name):
        return f"{name} = {self.value(name)}"

    def operand(self):
        r = self.random
        return r.choice([r.choice(self.scalars), r.choice(self.arrays), "A", "n", "L[0]", "len(L)", "sum(L)"])

    def expression(self):
        r = self.random
        text = self.operand()
        for _ in range(r.randint(1, 3)):
            text = f"({text} {r.choice('+-*')} {self.operand()})"
        return text

    def body(self):
        r = self.random
        lines = [f"B = A * 1.0 + {self.expression()}"]
        for _ in range(r.randint(0, 3)):
            lines += r.choice([[f"B = B + H({self.expression()})"], [f"if {r.choice(self.scalars)}:", f"    B = B + {self.expression()}"],
                               ["for x in L:", f"    B = B + x * {self.operand()}"], [f"{r.choice(self.arrays)}[0] = n"],
                               [f"B[:] = B + {self.operand()}"]])
        return lines + ["return B"]

    def change(self):
        r = self.random
        kind = r.randrange(6)
        if kind == 0:
            return f"H = {r.choice(HELPERS)}"
        if kind == 1:
            return r.choice(["L.append(3)", "L[0] = 5", "L = [4, 1.5, 2]", "L.reverse()"])
        name = r.choice(self.scalars + self.arrays)
        if kind == 2 and name not in self.scalars and name not in self.cells:
            return f"{name}[1] = 9"
        return f"CHANGES['{name}']({self.value(name)})" if name in self.cells else self.assign(name)


def execute(text, path, scope):
    """As a notebook does it."""
    linecache.cache[path] = (len(text), None, text.splitlines(True), path)
    exec(compile(text, path, "exec"), scope)


def state(program, name):
    scope = {}
    execute(program.text, f"<closures {name}>", scope)
    return scope


def attempt(function, *arguments):
    try:
        return function(*arguments)
    except (TypeError, ValueError, NotImplementedError, SyntaxError, ArithmeticError) as error:
        return error


def run(seed):
    """None, or what is wrong; and how many results were compared."""
    program = Program(seed)
    ours, theirs, compared = state(program, f"{seed} a"), state(program, f"{seed} b"), 0
    done = []
    for step in range(6):
        a, n = numpy.arange(4.0) + step % 2, [2, 2.5][step % 3 == 2]
        expected, result = attempt(theirs["f"].f, a.copy(), n), attempt(ours["f"], a.copy(), n)
        if isinstance(result, Exception) and not isinstance(expected, Exception):
            return f"{program.text}\nafter {done}: {type(result).__name__}: {result}", compared
        if not isinstance(expected, Exception):
            compared += 1
            if not numpy.allclose(result, expected, rtol=1e-5):
                return f"{program.text}\nafter {done}: {result}, but Python gives {expected}", compared
        statement = program.change()
        done.append(statement)
        for scope in ours, theirs:
            execute(statement, f"<closures {seed} {step} {id(scope)}>", scope)
    return None, compared


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    compared, failures = 0, 0
    numpy.seterr(all="ignore")
    for seed in range(options.seed, options.seed + options.count):
        wrong, count = run(seed)
        compared += count
        if wrong:
            failures += 1
            print(f"---- seed {seed}\n{wrong}\n")
    print(f"{options.count} programs, {compared} results compared, {failures} failures")
    return 1 if failures or compared < 3 * options.count else 0


if __name__ == "__main__":
    sys.exit(main())
