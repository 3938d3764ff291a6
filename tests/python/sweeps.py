"""Random sweeps in place, whose rows go on together, each some steps behind the one before, also where a row is an operation on slices and then a
loop: what CPython computes is what the library does, for code of known and of unknown sizes, one thread and two, from rows that are too short
for that on.
sweeps.py [--count=N] [--seed=N]"""
import random

import numpy

import sdfg
from random_programs import program_of, run

WAYS = [("none", 1), ("all", 1), ("none", 2)]
SIZES = [(5, 5), (6, 40), (40, 6), (13, 14), (29, 31)]


def slices(r, begin, behind):
    """An operation on the row that the loop goes through, or on as many elements beside them, from elements of rows around."""
    aside = r.choice([-1, 0, 0, 1])
    begin, behind = begin + aside, behind - aside

    def part(name, row, shift):
        return f"{name}[i + {row}, {begin + shift}:A.shape[1] - {behind - shift}]"

    terms = [part(r.choice("AAB"), r.randint(-1, 1), r.randint(-1, 1)) for _ in range(r.randint(1, 4))]
    return f"{part(r.choice('AAAB'), 0, 0)} = ({' + '.join(terms)}) // 2"


def sweep(r):
    """The text of a program: elements from their neighbours, at most two away."""
    integers, reach = r.random() < 0.3, r.randint(1, 2)

    def element():
        i, j = r.randint(-1, 1), r.randint(-reach, reach)
        return f"A[i + {i}, j + {j}]" if r.random() < 0.85 else f"B[i + {i}, j + {j}]"

    terms = [f"A[i, j - {r.randint(1, reach)}]", *(element() for _ in range(r.randint(1, 4)))]
    r.shuffle(terms)
    if integers:
        value = terms[0]
        for one in terms[1:]:
            value = f"max({value}, {one} - {r.randint(0, 3)})"
    else:
        value = f"({' + '.join(terms)}) * {r.choice(['0.25', '0.5', '0.125'])}"
    lines = [f"A[i, j] = {value}"]
    if r.random() < 0.25:
        lines.append(f"B[i, j + {r.randint(-1, 1)}] = A[i, j]")
    begin, behind = r.randint(2, 3), r.randint(2, 3)
    before = [slices(r, begin, behind).replace("//", "//" if integers else "/") for _ in range(r.choice([0, 0, 1, 1, 2]))]
    dtype = "int32" if integers else "float64"
    size = r.choice(["int32", "int64"])
    text = ["import sdfg", f"N = sdfg.symbol('N', sdfg.{size})", f"M = sdfg.symbol('M', sdfg.{size})",
            f"def f(A: sdfg.{dtype}[N, M], B: sdfg.{dtype}[N, M], T: sdfg.int64):", "    for t in range(T):",
            f"        for i in range({r.randint(1, 2)}, A.shape[0] - {r.randint(1, 2)}):",
            *(f"            {line}" for line in before), f"            for j in range({begin}, A.shape[1] - {behind}):",
            *(f"                {line}" for line in lines), ""]
    return "\n".join(text), dtype


def check(number, seed):
    r = random.Random(f"{seed}.{number}")
    text, dtype = sweep(r)
    plain = program_of(text, f"<sweep {number}>")
    values = numpy.random.default_rng(number)
    inputs = [[(values.random(size) * 40).astype(dtype) for _ in range(2)] for size in SIZES]
    results = [[array.copy() for array in arrays] for arrays in inputs]
    for arrays in results:
        plain(*arrays, 3)
    for specialize, threads in WAYS:
        f = sdfg.program(plain, specialize=specialize, num_threads=threads)
        for arrays, expected in zip(inputs, results):
            A, B = (array.copy() for array in arrays)
            f(A, B, 3)
            good = all(numpy.allclose(x, y, rtol=1e-12, atol=0) for x, y in zip((A, B), expected))
            assert good, (specialize, threads, A.shape, text)


run(check, "sweeps", 30, __doc__)
