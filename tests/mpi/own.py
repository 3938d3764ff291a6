#!/usr/bin/env python3
"""Whole programs on several processes give what one process gives, and NumPy: own.py BIN-DIR [--ranks 1,2,4,8], as run.py.

The programs of kernels.py and of examples/mpi: stencils with halos, products of matrices and vectors, conjugate gradients, a redistribution. One process runs
each of them without MPI, on the whole arrays."""
import pathlib
import sys

import numpy as np

import run as nodes
from run import SHAPES, complain

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "examples/mpi"
N, STEPS = 16, 5
of_one = {} # results of one process by program


# ---- how arrays are split, and put together again ----

class Rows:
    def split(self, whole, run):
        return np.split(whole, run.ranks)

    def join(self, parts, run):
        return np.concatenate(parts)


class Halos(Rows):
    """Rows, with one of each neighbour around."""

    def split(self, whole, run):
        return [np.pad(part, ((1, 1),) + ((0, 0),) * (whole.ndim - 1)) for part in np.split(whole, run.ranks)]

    def join(self, parts, run):
        return np.concatenate([part[1:-1] for part in parts])


class Everywhere:
    def split(self, whole, run):
        return [whole] * run.ranks

    def join(self, parts, run):
        for part in parts[1:]:
            np.testing.assert_array_equal(part, parts[0])
        return parts[0]


class Blocks:
    """On a grid of processes."""

    def split(self, whole, run):
        px, py = SHAPES[run.ranks]
        return [np.ascontiguousarray(block) for rows in np.split(whole, px) for block in np.split(rows, py, 1)]

    def join(self, parts, run):
        px, py = SHAPES[run.ranks]
        return np.block([[parts[i * py + j] for j in range(py)] for i in range(px)])


rows, halos, everywhere, blocks = Rows(), Halos(), Everywhere(), Blocks()


def compare(run, program, arrays, wanted, options=(), **symbols):
    """arrays: name to (whole, how it is split). wanted: name to what NumPy gives. symbols: numbers, or functions of the run."""
    alone = nodes.Run(run.binary, run.folder, [], 1, run.cache)

    def results(of):
        known = [f"--{name}={value(of) if callable(value) else value}" for name, value in symbols.items()]
        got = of.results(program, {name: how.split(whole, of) for name, (whole, how) in arrays.items()}, list(wanted), *known, *options)
        return {name: arrays[name][1].join(parts, of) for name, parts in got.items()}
    if program not in of_one:
        of_one[program] = results(alone)
    got = results(run)
    for name, value in wanted.items():
        for what, other in ("one process", of_one[program][name]), ("NumPy", value):
            if not np.allclose(got[name], other, rtol=1e-12, atol=1e-12):
                raise RuntimeError(f"{program}, {name}: {got[name].ravel()[:6]}, not {other.ravel()[:6]} of {what}")


def kernel(name):
    return f"{HERE}/kernels.py:{name}"


def grid(run):
    return {"Px": lambda of: SHAPES[of.ranks][0], "Py": lambda of: SHAPES[of.ranks][1]}


# ---- stencils: the borders are zero ----

def sweep(a, step):
    w = np.pad(a, ((1, 1),) + ((0, 0),) * (a.ndim - 1))
    for _ in range(STEPS):
        step(w)
    return w[1:-1]


def jacobi_1d(run):
    random = np.random.default_rng(3)
    a = random.random(8 * 3)

    def step(w):
        w[1:-1] = 0.33333 * (w[:-2] + w[1:-1] + w[2:])
    compare(run, kernel("jacobi_1d"), {"A": (a, halos), "B": (np.zeros_like(a), halos)}, {"A": sweep(a, step)}, steps=STEPS)


def jacobi_2d(run):
    random = np.random.default_rng(3)
    a = random.random((N, N))

    def step(w):
        w[1:-1, 1:-1] = 0.2 * (w[1:-1, 1:-1] + w[1:-1, :-2] + w[1:-1, 2:] + w[2:, 1:-1] + w[:-2, 1:-1])
    program, arrays, wanted = f"{EXAMPLES}/jacobi_2d.py:jacobi_2d", {"A": (a, halos), "B": (np.zeros_like(a), halos)}, {"A": sweep(a, step)}
    for options in [], ["--passes=-overlap"], ["--fp=strict"], ["--check"]:
        compare(run, program, arrays, wanted, options, N=N, T=STEPS, P=lambda of: of.ranks)
    compare(run, kernel("jacobi_2d"), arrays, wanted, steps=STEPS)
    done = run.start(program, [f"--N={N}", f"--P={run.ranks}", f"--T={STEPS}", "--remarks"])
    complain(done, 0, "its interior is computed while messages are under way", by_one=False)


def heat_3d(run):
    random = np.random.default_rng(3)
    a = random.random((8 * 2, 5, 5))

    def step(w):
        inner = w[1:-1, 1:-1, 1:-1]
        inner[:] = (0.125 * (w[2:, 1:-1, 1:-1] - 2.0 * inner + w[:-2, 1:-1, 1:-1]) + 0.125 * (w[1:-1, 2:, 1:-1] - 2.0 * inner + w[1:-1, :-2, 1:-1])
                    + 0.125 * (w[1:-1, 1:-1, 2:] - 2.0 * inner + w[1:-1, 1:-1, :-2]) + inner)
    compare(run, kernel("heat_3d"), {"A": (a, halos), "B": (np.zeros_like(a), halos)}, {"A": sweep(a, step)}, steps=STEPS)


# ---- products ----

def gemm(run):
    random = np.random.default_rng(3)
    a, b = random.random((2, N, N))
    compare(run, f"{EXAMPLES}/gemm.py:gemm", {"A": (a, blocks), "B": (b, blocks), "C": (np.zeros_like(a), blocks)}, {"C": a @ b}, N=N, **grid(run))


def k2mm(run):
    random = np.random.default_rng(3)
    n, m, k = 16, 24, 32
    a, b, c, d = (random.random(shape) for shape in ((n, k), (k, m), (m, k), (n, k)))
    compare(run, kernel("k2mm"), {"A": (a, blocks), "B": (b, blocks), "C": (c, blocks), "D": (d, blocks)}, {"D": 1.5 * a @ b @ c + 1.2 * d}, N=n, M=m, K=k, alpha=1.5, beta=1.2, **grid(run))


def atax(run):
    random = np.random.default_rng(3)
    a, x = random.random((N, 7)), random.random(7)
    compare(run, kernel("atax"), {"A": (a, rows), "x": (x, everywhere), "y": (np.zeros(7), everywhere)}, {"y": a.T @ (a @ x)})


def overlaps(run, program, *options):
    """The sum goes on, unless reductions are to keep their order."""
    done = run.start(program, [*options, "--remarks"])
    complain(done, 0, "goes on while the program does other things", by_one=False)
    done = run.start(program, [*options, "--remarks", "--fp=strict"])
    if done.returncode or "goes on while" in done.stdout + done.stderr:
        raise RuntimeError(f"{program}, strict: {done.stdout}{done.stderr}")


def bicg(run):
    random = np.random.default_rng(3)
    a, p, r = random.random((N, 7)), random.random(7), random.random(N)
    arrays = {"A": (a, rows), "p": (p, everywhere), "r": (r, rows), "q": (np.zeros(N), rows), "s": (np.zeros(7), everywhere)}
    for options in [], ["--passes=-overlap"], ["--fp=strict"], ["--check"]:
        compare(run, kernel("bicg"), arrays, {"q": a @ p, "s": r @ a}, options)
    overlaps(run, kernel("bicg"), "--n=4", "--N=7")


def mvt(run):
    random = np.random.default_rng(3)
    a, x1, x2, y1, y2 = random.random((N, 7)), random.random(N), random.random(7), random.random(7), random.random(N)
    compare(run, kernel("mvt"), {"A": (a, rows), "x1": (x1, rows), "x2": (x2, everywhere), "y1": (y1, everywhere), "y2": (y2, rows)}, {"x1": x1 + a @ y1, "x2": x2 + y2 @ a})
    overlaps(run, kernel("mvt"), "--n=4", "--N=7")


def gesummv(run):
    random = np.random.default_rng(3)
    a, b, x = random.random((N, N)), random.random((N, N)), random.random(N)
    compare(run, kernel("gesummv"), {"A": (a, rows), "B": (b, rows), "x": (x, rows), "y": (np.zeros(N), rows)}, {"y": 1.5 * a @ x + 1.2 * b @ x}, alpha=1.5, beta=1.2)


def cg(run):
    random = np.random.default_rng(3)
    m = random.random((N, N))
    m, b = m @ m.T + N * np.eye(N), np.arange(N, dtype=float)
    compare(run, kernel("cg"), {"A": (m, rows), "b": (b, rows), "x": (np.zeros(N), rows)}, {"x": np.linalg.solve(m, b)}, steps=N)


def redistribution(run):
    random = np.random.default_rng(3)
    a = random.integers(0, 9, (N, N)).astype(float)
    wanted = a
    for _ in range(STEPS):
        wanted = (wanted + 1) * 2
    compare(run, f"{EXAMPLES}/redistribute.py:redistribute", {"A": (a, rows)}, {"A": wanted}, N=N, T=STEPS, P=lambda of: of.ranks)


TESTS = [jacobi_1d, jacobi_2d, heat_3d, gemm, k2mm, atax, bicg, mvt, gesummv, cg, redistribution]

if __name__ == "__main__":
    sys.exit(nodes.main(TESTS))
