"""Random programs by CPython with NumPy and by sdfg-run: fuzz.py SDFG-RUN COUNT [SEED [OPTION...]], where options are those of sdfg-run
(`--device=cuda` with a stand-in for a GPU: tests/gpu/fuzz.sh). FUZZ_SIZES=N=70,M=45 in
the environment: with these sizes instead of 6 and 4; FUZZ_MAPS=1: all statements are maps, not every tenth. Needs NumPy 2, whose types count. A program that differs is printed. Numbers
may differ by rounding of float32 and float16; a name that branches assign may have the joint type of both, and so has what is computed
from it. Programs that NumPy refuses are left out, and those whose results hang on the last bit of a sine (a comparison of a float32 with a
float64 one); those that only sdfg-run refuses count as errors, since all of it is in the accepted language."""
import os
import random
import re
import sys
import tempfile
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import check
import stand_in
from fuzz_maps import Map

HEAD = """import numpy as np
import sdfg

N, M = (sdfg.symbol(s) for s in ("N", "M"))


def mixed(a, b):
    c = a * 2
    if b > 1:
        return c + b
    return c - b


"""
PARAMETERS = {"A": ("float64", "N, M"), "B": ("float64", "N, M"), "I": ("int64", "N, M"), "F": ("float32", "N"), "J": ("int32", "M"),
              "U": ("uint8", "N"), "k": ("int64", ""), "x": ("float64", "")}
SIZES = stand_in.SIZES
SIZES.update((pair[0], int(pair[2:])) for pair in os.environ.get("FUZZ_SIZES", "").split(",") if pair) # N=70,M=45
MAPS = float(os.environ.get("FUZZ_MAPS", "0.1")) # share of statements
LOOSE = 1e-4 # relative difference of numbers that counts as rounding


class Program:
    """Statements of a function; `names` are those that are bound, with the rank and kind of their value."""

    def __init__(self, chance):
        self.chance, self.lines, self.indent = chance, [], 1
        self.names = {"A": (2, "f"), "B": (2, "f"), "I": (2, "i"), "F": (1, "fN"), "J": (1, "iM"), "U": (1, "iN"), "k": (0, "i"), "x": (0, "f")}
        self.loops, self.count = [], 0

    def line(self, text):
        self.lines.append("    " * self.indent + text)

    def scalar(self, depth=2):
        c = self.chance
        options = ["k", "x", "1", "2", "0.5", "-3", "N", "M", "(N - M)", f"A[{self.index('N')}, {self.index('M')}]",
                   f"I[{self.index('N')}, {self.index('M')}]", f"F[{self.index('N')}]", f"J[{self.index('M')}]"]
        options += self.loops + [n for n, (rank, _) in self.names.items() if rank == 0]
        if depth and c.random() < 0.5:
            return f"({self.scalar(depth - 1)} {c.choice('+-*')} {self.scalar(depth - 1)})"
        if self.loops and depth and c.random() < 0.25:
            return self.window()
        if depth and c.random() < 0.15:
            return c.choice(["np.sum(A)", "np.max(B)", "np.min(I)", "np.mean(F)", "A.sum()", "np.abs(x)", "np.sum(J)", "max(k, 2)"])
        return c.choice(options)

    def index(self, extent):
        c = self.chance
        return c.choice(["0", "1", "-1", "-2", "2", f"{extent} - 1"] + self.loops * 2)

    def moved(self):
        """An expression of loop variables that may be negative, or beyond the extent."""
        c = self.chance
        i = c.choice(self.loops)
        return c.choice([f"{i} - 1", f"{i} - 2", f"{i} + 1", f"-{i}", f"2 * {i}", f"{i} - k", f"M - {i}", f"N - 2 - {i}", f"{i} // 2", f"{i} - {c.choice(self.loops)}",
                         f"max({i} - 1, 0)", f"min({i} + 2, N)", f"J[{i}]"])

    def window(self):
        """A sum over parts of rows, whose bounds loops move."""
        c = self.chance
        low, high = (c.choice(["", self.moved(), c.choice(self.loops)]) for _ in range(2))
        if c.random() < 0.5:
            high = f"{low or 0} + {c.choice([1, 2, 3])}"
        step = c.choice(["", "", "", ":2", ":-1"])
        return c.choice([f"np.sum(A[{self.moved() if c.random() < 0.3 else ':'}, {low}:{high}{step}])", f"np.sum(F[{low}:{high}{step}])",
                         f"np.sum(I[{low}:{high}, ::2])", f"B[{self.index('N')}, {self.moved()}]", f"F[{self.moved()}]"])

    def window_statement(self):
        c = self.chance
        i = c.choice(self.loops)
        return c.choice([f"A[{i}, {self.moved()}:] += {self.scalar(1)}", f"B[{self.moved()}:{i} + 2] *= 0.5", f"F[{self.moved()}] += 1", f"A[:, {i}:{i} + 2] = B[:, {i}:{i} + 2] * 2",
                         f"F[{self.moved()}:{self.moved()}] = {c.choice(['0.5', 'x'])}"])

    def slice2(self):
        c = self.chance
        rows = c.choice([":", "1:", ":-1", "1:-1", "::2", "2:4", "::-1"])
        cols = c.choice([":", ":", "1:", ":-1", "1:3", "::-1"])
        return f"[{rows}, {cols}]"

    def array(self, depth=2):
        """Of two dimensions, or what broadcasts to them."""
        c = self.chance
        twos = [n for n, (rank, _) in self.names.items() if rank == 2]
        if depth == 0 or c.random() < 0.25:
            return c.choice(twos + ["F[:, None]", "J", "U[:, np.newaxis]", self.scalar(1), "F[:, np.newaxis]"])
        kind = c.random()
        if kind < 0.5:
            return f"({self.array(depth - 1)} {c.choice('++--**')} {self.array(depth - 1)})"
        if kind < 0.6:
            return f"np.{c.choice(['abs', 'square', 'negative', 'sin', 'sqrt'])}({'np.abs(' if c.random() < 0 else ''}{self.array(depth - 1)})".replace("sqrt(", "sqrt(0 * A + 2 + 0 * ")
        if kind < 0.7:
            return f"np.{c.choice(['maximum', 'minimum'])}({self.array(depth - 1)}, {self.array(depth - 1)})"
        if kind < 0.8:
            return f"np.where({self.array(depth - 1)} {c.choice(['<', '>=', '!='])} {self.array(depth - 1)}, {self.array(depth - 1)}, {self.array(depth - 1)})"
        if kind < 0.9:
            return f"({self.array(depth - 1)} {c.choice(['/ 4', '// 3', '% 3', '* 0.5', '** 2'])})"
        return c.choice(["A.T.T", "np.sum(A, axis=0)", "np.max(I, axis=1)[:, None]", "np.mean(B, axis=1, keepdims=True)", "A[::-1]",
                         "I[:, ::-1]", "np.add.outer(F, J)", "B[:, np.abs(J) % 3]", "(A @ (B.T @ A))",
                         "I.astype(np.float32)", "np.zeros((N, M))", "np.ones_like(I)"])

    def statement(self, depth):
        c = self.chance
        kind = c.random()
        if not depth and c.random() < MAPS:
            Map(self).emit()
        elif kind < 0.25:
            self.count += 1
            name = f"t{self.count}"
            self.line(f"{name} = {self.array()} + np.zeros((N, M), dtype=np.int8)")
            if not depth:
                self.names[name] = (2, "?")
        elif kind < 0.4:
            self.count += 1
            name = f"s{self.count}"
            self.line(f"{name} = {self.scalar()}")
            if not depth:
                self.names[name] = (0, "?")
        elif kind < 0.55:
            self.line(f"{c.choice('AB')}[:] = {self.array()}")
        elif kind < 0.65:
            name, s = c.choice("AB"), self.slice2()
            self.line(f"{name}{s} {c.choice(['=', '+=', '-='])} {c.choice('AB')}{s} * {self.scalar(1)}")
        elif self.loops and kind < 0.7:
            self.line(self.window_statement())
        elif kind < 0.7:
            self.line(f"{c.choice('AB')}[{self.index('N')}, {self.index('M')}] {c.choice(['=', '+=', '*='])} {self.scalar()}")
        elif kind < 0.75:
            self.line(f"A[A > {self.scalar(0)}] = {self.scalar(0)}")
        elif kind < 0.9 and depth < 2:
            self.block(f"for i{len(self.loops)} in range({c.choice(['M', '3', '1, M', 'M - 1, -1, -1', '0, M, 2'])}):", depth, f"i{len(self.loops)}")
        elif depth < 2:
            test = f"{self.scalar()} {c.choice(['<', '>', '=='])} {self.scalar()}"
            if self.loops and c.random() < 0.5:
                test = f"{c.choice(self.loops)} {c.choice(['<', '>', '>=', '<=', '!='])} {c.choice(['0', '1', 'N - 1', 'M - 2', c.choice(self.loops)])}"
            self.block(f"if {test}:", depth, None)
            if c.random() < 0.5:
                self.block("else:", depth, None)
        else:
            self.line(f"A *= 0.5")

    def block(self, head, depth, loop):
        self.line(head)
        self.indent += 1
        kept = dict(self.names)
        if loop:
            self.loops.append(loop)
        for _ in range(self.chance.randint(1, 2)):
            self.statement(depth + 1)
        if self.chance.random() < 0.5 and any(n[0] == "s" for n in self.names):
            name = self.chance.choice([n for n in self.names if n[0] == "s"])
            self.line(f"{name} = {name} + {self.scalar(0)}")
        if loop:
            self.loops.pop()
        self.names = kept
        self.indent -= 1

    def text(self):
        parameters = ", ".join(f"{n}: sdfg.{t}" + (f"[{s}]" if s else "") for n, (t, s) in PARAMETERS.items())
        for _ in range(self.chance.randint(2, 6)):
            self.statement(0)
        results = [n for n in self.names if n[0] in "ts"][-3:] or ["x"]
        self.line("return " + ", ".join(f"{n} + 0" for n in results) + ("," if len(results) == 1 else ""))
        return HEAD + f"@sdfg.program\ndef f({parameters}):\n" + "\n".join(self.lines) + "\n"


def inputs():
    from make import pattern, record
    given = {}
    for seed, (name, (t, shape)) in enumerate(PARAMETERS.items()):
        extents = [SIZES[s.strip()] for s in shape.split(",")] if shape else []
        values = pattern(np.dtype(t), int(np.prod(extents)) if extents else 1, seed)
        given[name] = values.reshape(extents) if extents else values.dtype.type(3 if t == "int64" else 1.25)
    return given, {n: record(v) for n, v in given.items()}


def outputs_of(text):
    """The arguments and results after a run in CPython, or None where NumPy refuses or computes nothing that can be compared."""
    from make import record
    space = {}
    given, _ = inputs()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            exec(compile(text, "p.py", "exec"), space)
            result = space["f"](**given)
        outputs = {n: record(v) for n, v in given.items() if isinstance(v, np.ndarray)}
        for i, v in enumerate(result):
            outputs[f"__return_{i}"] = record(v)
    except Exception:
        return None
    if any(isinstance(v, str) or abs(v) > 1e12 for o in outputs.values() for v in o["values"]):
        return None
    return outputs


def hangs_on_rounding(text, outputs):
    """Whether other results come of it where sines have another last bit."""
    exact = np.sin
    try:
        for bound in (-np.inf, np.inf):
            np.sin = lambda v: np.nextafter(exact(v), exact(v).dtype.type(bound))
            other = outputs_of(text)
            if other is None or any(check.differs(outputs[n], other[n], LOOSE) for n in outputs):
                return True
    finally:
        np.sin = exact
    return False


def oracle(text):
    """The case as check.py wants it, or None where there is none."""
    outputs = outputs_of(text)
    if outputs is None or ("np.sin" in text and hangs_on_rounding(text, outputs)):
        return None
    return {"inputs": inputs()[1], "outputs": outputs}


def main():
    if int(np.__version__.split(".")[0]) < 2:
        print("skipped: NumPy before 2 has other types")
        sys.exit(77)
    runner, count, seed = os.path.abspath(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1
    options = sys.argv[4:]
    stand_in.install()
    cases = []
    while len(cases) < count:
        seed += 1
        text = Program(random.Random(seed)).text()
        case = oracle(text)
        if case:
            cases.append((seed, text, case))
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        def run(job):
            seed, text, case = job
            path = f"{folder}/p{seed}.py"
            with open(path, "w") as f:
                f.write(text)
            joined = re.search(r"^     +s\d+ = ", text, re.M)  # a number, in a branch or loop
            return check.check(runner, path, "f", case, loose=LOOSE, any_type=bool(joined), options=options)
        with ThreadPoolExecutor(2) as pool:
            for (seed, text, _), wrong in zip(cases, pool.map(run, cases)):
                if wrong and "does not fit into uint8" in wrong and "error[invalid]" in wrong:
                    wrong = None  # in a branch that NumPy did not reach, or it would have raised OverflowError
                if wrong:
                    failed += 1
                    body = text[len(HEAD):]
                    print(f"--- seed {seed}: {wrong}\n{body}")
    print(f"{count - failed} passed, {failed} failed")
    sys.exit(failed > 0)


sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
main()
