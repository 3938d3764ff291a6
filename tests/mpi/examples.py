#!/usr/bin/env python3
"""The programs of examples/mpi against NumPy, with and without overlap: examples.py BIN-DIR [--ranks 1,2,4], as run.py."""
import pathlib
import sys

import numpy as np

import run as nodes
from run import SHAPES, complain, equal

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples/mpi"
N, T = 16, 5


def rows(whole, p):
    """Of each process, with a row of each neighbour around."""
    return [np.pad(part, ((1, 1), (0, 0))) for part in np.split(whole, p)]


def jacobi_2d(run):
    p = run.ranks
    a = np.random.default_rng(3).random((N, N))
    wanted = np.pad(a, ((1, 1), (0, 0)))
    for _ in range(T):
        w = wanted
        new = 0.2 * (w[1:-1, 1:-1] + w[1:-1, :-2] + w[1:-1, 2:] + w[2:, 1:-1] + w[:-2, 1:-1])
        w[1:-1, 1:-1] = new
    for options in [], ["--passes=-overlap"], ["--fp=strict"], ["--check"]:
        got = run.results(f"{FOLDER}/jacobi_2d.py:jacobi_2d", {"A": rows(a, p), "B": rows(np.zeros((N, N)), p)}, ["A"], f"--N={N}", f"--P={p}", f"--T={T}", *options)
        whole = np.concatenate([part[1:-1] for part in got["A"]])
        if not np.allclose(whole, wanted[1:-1], rtol=1e-14, atol=0):
            raise RuntimeError(f"{options}: {whole[:2, :4]}, not {wanted[1:3, :4]}")
    done = run.start(f"{FOLDER}/jacobi_2d.py:jacobi_2d", [f"--N={N}", f"--P={p}", f"--T={T}", "--remarks"])
    complain(done, 0, "its interior is computed while messages are under way", by_one=False)


def gemm(run):
    px, py = SHAPES[run.ranks]
    a, b = (np.random.default_rng(s).integers(0, 9, (N, N)).astype(float) for s in (1, 2))

    def blocks(m):
        return [np.ascontiguousarray(x) for row in np.split(m, px) for x in np.split(row, py, 1)]
    got = run.results(f"{FOLDER}/gemm.py:gemm", {"A": blocks(a), "B": blocks(b), "C": blocks(np.zeros((N, N)))}, ["C"], f"--N={N}", f"--Px={px}", f"--Py={py}")
    equal("C", got["C"], blocks(a @ b))


def redistribute(run):
    p = run.ranks
    a = np.random.default_rng(4).integers(0, 9, (N, N)).astype(float)
    got = run.results(f"{FOLDER}/redistribute.py:redistribute", {"A": np.split(a, p)}, ["A"], f"--N={N}", f"--P={p}", f"--T={T}")
    for _ in range(T):
        a = (a + 1) * 2
    equal("A", got["A"], np.split(a, p))


TESTS = [jacobi_2d, gemm, redistribute]

if __name__ == "__main__":
    sys.exit(nodes.main(TESTS))
