#!/usr/bin/env python3
"""Runs the Python programs of messages.py on several processes: programs.py BIN-DIR [--ranks 1,2,4], as run.py."""
import pathlib
import sys

import numpy as np

import run as nodes
from products import share
from run import complain, equal

FILE = pathlib.Path(__file__).resolve().parent / "messages.py"


def results(run, name, arrays, outputs, *options):
    return run.results(f"{FILE}:{name}", arrays, outputs, *options)


def some(ranks, dtype, *shape):
    return nodes.numbers(ranks, dtype, *shape)


def numbers(run):
    got = results(run, "numbers", {"A": [np.zeros(6, np.int64)] * run.ranks}, ["A"])
    equal("A", got["A"], [np.array([r, run.ranks, run.ranks, r, 0, 10 * r]) for r in range(run.ranks)])


def ring(run):
    a = some(run.ranks, "float64", 5)
    got = results(run, "ring", {"A": a, "B": [np.zeros(5)] * run.ranks}, ["B"])
    equal("B", got["B"], [a[r - 1][::-1] for r in range(run.ranks)])


def neighbours(run):
    a = some(run.ranks, "float64", 4)
    got = results(run, "neighbours", {"A": a, "B": [np.zeros(6)] * run.ranks}, ["B"])
    before, after = [0.0] + [x[-1] for x in a], [x[0] for x in a[1:]] + [0.0]
    equal("B", got["B"], [np.concatenate(([before[r]], a[r], [after[r]])) for r in range(run.ranks)])


def anybody(run):
    got = results(run, "anybody", {"A": [np.array([r + 1]) for r in range(run.ranks)]}, ["A"])
    equal("A", got["A"][:1], [np.array([run.ranks * (run.ranks + 1) // 2])])


def collectives(run):
    ranks = run.ranks
    a = some(ranks, "float64", ranks, 3)
    zeros = [np.zeros((ranks, 3))] * ranks
    got = results(run, "collectives", {"A": a, "B": [np.zeros(3)] * ranks, "C": zeros, "s": [np.zeros(2)] * ranks}, ["B", "C", "s"])
    wanted = 2 * a[0]
    equal("B", got["B"], list(wanted))
    equal("C", got["C"], [wanted[::-1]] * ranks)
    equal("s", [s[:1] for s in got["s"]], [[wanted.sum()]] * ranks)
    equal("s", [got["s"][0]], [[wanted.sum(), wanted[:, 0].max()]])


def in_place(run):
    a, b = some(run.ranks, "int32", 4), some(run.ranks, "int32", 4, 2)
    got = results(run, "in_place", {"A": a, "B": b}, ["A", "B"])
    equal("A", got["A"], [a[0]] * run.ranks)
    wanted = [np.stack([x[:, 0], sum(b)[:, 1]], axis=1) for x in b]
    wanted[0][:, 0] = np.max(b, axis=0)[:, 0]
    equal("B", got["B"], wanted)


def parts(run):
    px = min(2, run.ranks)
    a, b = some(run.ranks, "int32", 4), some(run.ranks, "int32", 4)
    got = results(run, "parts", {"A": a, "B": b}, ["A", "B"], f"--Px={px}")
    equal("A", got["A"], [x + 100 if r < px else x for r, x in enumerate(a)])
    equal("B", got["B"], [b[0] if r < px else x for r, x in enumerate(b)])


def blocks(run):
    px, py = {1: (1, 1), 2: (1, 2), 4: (2, 2), 8: (4, 2)}[run.ranks]
    a = some(run.ranks, "float32", 3 * px, 2 * py)
    got = results(run, "blocks", {"A": a}, ["A", "__return"], f"--Px={px}", f"--Py={py}", "--N=3", "--n=2")
    tiles = (a[0] + 1).reshape(px, 3, py, 2).transpose(0, 2, 1, 3).reshape(-1, 3, 2)
    equal("__return", got["__return"], list(tiles))
    equal("A", got["A"], [a[0] + 1, *a[1:]])


def redistributed(run):
    ranks = run.ranks
    a = some(ranks, "float64", 3, 2 * ranks)
    got = results(run, "redistributed", {"A": a}, ["__return"], f"--Px={ranks}", "--n=2")
    equal("__return", got["__return"], [np.concatenate(a)[:, 2 * r:2 * r + 2] for r in range(ranks)])


def jacobi(run):
    ranks = run.ranks
    a = some(ranks, "float64", 4 * ranks)
    got = results(run, "jacobi", {"A": a}, ["A"], f"--Px={ranks}", "--N=4", "--steps=5")
    wanted = a[0].copy()
    for _ in range(5):
        wanted[1:-1] = (wanted[:-2] + wanted[1:-1] + wanted[2:]) / 3
    equal("A", got["A"][:1], [wanted])


def product(run):
    px, py = {1: (1, 1), 2: (1, 2), 4: (2, 2), 8: (4, 2)}[run.ranks]
    m, n, k, bx, by = 5, 7, 9, 2, 3
    a, b, c = some(run.ranks, "float64", m, k), some(run.ranks, "float64", k, n), [np.zeros((m, n))] * run.ranks
    sizes = {"Px": px, "Py": py, "Bx": bx, "By": by, "lM": share(m, bx, px), "lK": share(k, by, py), "lK2": share(k, by, px), "lN": share(n, bx, py)}
    got = results(run, "product", {"A": a, "B": b, "C": c}, ["C"], *(f"--{s}={v}" for s, v in sizes.items()))
    equal("C", got["C"][:1], [2 * (a[0] @ b[0])])


def atax(run):
    """Blocks as large as the parts; the vectors are whole on the first process."""
    px, py = {1: (1, 1), 2: (2, 1), 4: (2, 2), 8: (2, 4)}[run.ranks]
    a = some(run.ranks, "float64", 3, 2)
    whole = np.block([[a[i * py + j] for j in range(py)] for i in range(px)])
    x = some(run.ranks, "float64", 2 * py)
    got = results(run, "atax", {"A": a, "x": x, "y": [np.zeros(2 * py)] * run.ranks}, ["y"], f"--Px={px}", f"--Py={py}", f"--M={3 * px}")
    equal("y", got["y"][:1], [whole.T @ (whole @ x[0])])


def to_nobody(run):
    done = run.start(f"{FILE}:to_nobody", ["--N=4"])
    complain(done, 7, f"of {run.ranks}: the receiver is rank {run.ranks}", "send", by_one=False)


TESTS = [numbers, ring, neighbours, anybody, collectives, in_place, parts, blocks, redistributed, jacobi, product, atax, to_nobody]

if __name__ == "__main__":
    sys.exit(nodes.main(TESTS))
