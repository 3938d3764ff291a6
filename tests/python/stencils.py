"""Random chains of stencils, whose temporaries are kept as rows of tiles or computed again: NumPy's results are those of the library, for
code of known and of unknown sizes, tiles of small caches, one thread and two, down to pictures of one element.
stencils.py [--count=N] [--seed=N]"""
import random

import numpy

import sdfg
from random_programs import program_of, run

# specialize, threads, passes
WAYS = [("none", 1, None), ("none", 2, None), ("all", 1, "caches=10"), ("all", 2, "caches=10"), ("none", 1, "-overlapped-tiling"),
        ("all", 1, "-overlapped-tiling")]


def term(r, source, margin, dimensions):
    """A part of `source`, which is `margin` wider on each side than what is computed."""
    offsets = [r.randint(0, 2 * margin) if d == 0 or r.random() < 0.6 else margin for d in range(dimensions)]
    parts = (f"{at}:{at - 2 * margin or ''}" for at in offsets)
    return f"{r.choice(['0.5', '0.25', '1.5'])} * {source}[{', '.join(parts)}]"


def chain(r):
    """The text of a program, its dimensions and how much smaller the result is."""
    dimensions, stages = r.choice([2, 2, 3]), r.randint(2, 4)
    margins, lines = {"A": 0}, []
    for stage in range(stages):
        last = list(margins)[-1]
        used = {last, *r.sample(sorted(margins), min(len(margins), r.randint(0, 1)))}
        margin = max(margins[name] for name in used) + r.randint(0, 2)
        terms = [term(r, name, margin - margins[name], dimensions) for name in sorted(used) for _ in range(r.randint(1, 3))]
        lines.append(f"    {'B[:]' if stage == stages - 1 else f'T{stage}'} = {' + '.join(terms)}")
        margins[f"T{stage}"] = margin
    names = "NMK"[:dimensions]
    symbols = [f"{name} = sdfg.symbol('{name}', sdfg.{r.choice(['int32', 'int64'])})" for name in names]
    result = ", ".join(f"{name} - {2 * margin}" for name in names)
    head = f"def f(A: sdfg.float64[{', '.join(names)}], B: sdfg.float64[{result}]):"
    return "\n".join(["import sdfg", *symbols, head, *lines, ""]), dimensions, 2 * margin


def sizes_of(r, dimensions, less):
    large = [r.randint(150, 250) for _ in range(2)] if dimensions == 2 else [r.randint(30, 40) for _ in range(3)]
    return [less + 1] * dimensions, [less + r.randint(1, 9) for _ in range(dimensions)], [less + size for size in large]


def check(number, seed):
    r = random.Random(f"{seed}.{number}")
    text, dimensions, less = chain(r)
    plain = program_of(text, f"<chain {number}>")
    inputs = [numpy.random.default_rng(number).random(sizes) for sizes in sizes_of(r, dimensions, less)]
    for specialize, threads, passes in WAYS:
        f = sdfg.program(plain, specialize=specialize, num_threads=threads, passes=passes)
        for A in inputs:
            expected = numpy.empty([size - less for size in A.shape])
            result = numpy.full_like(expected, numpy.nan)
            plain(A, expected)
            f(A, result)
            assert numpy.allclose(result, expected, rtol=1e-12, atol=0), (specialize, threads, passes, A.shape, text)


run(check, "chains", 25, __doc__)
