#!/usr/bin/env python3
"""Products of matrices in block-cyclic distribution: products.py BIN-DIR [--ranks 1,2,4], as run.py."""
import os
import shutil
import subprocess
import sys
from unittest import mock

import numpy as np

import run as nodes
from graphs import Graph, array
from run import complain, equal

GRIDS = {1: [(1, 1)], 2: [(2, 1), (1, 2)], 3: [(3, 1)], 4: [(2, 2), (4, 1)], 8: [(2, 4)]}
SYMBOLS = dict.fromkeys(("M", "N", "K", "LM", "LN", "LKA", "LKB", "Px", "Py"), "int64")


def share(size, block, processes):
    """The largest part of a process."""
    return -(-size // (block * processes)) * block


def product(run, grid, dtype, m, n, k, a_blocks, b_blocks):
    """The first process deals A and B to all, which multiply, and collects C."""
    g = Graph("product", SYMBOLS, A=array(dtype, "M", "K"), B=array(dtype, "K", "N"), C=array(dtype, "M", "N"), ab=array("int32", 2), bb=array("int32", 2),
              cb=array("int32", 2), d=array("int32", 2, 9), a=array(dtype, "LM + 1", "LKA + 2", transient=True),
              b=array(dtype, "LKB", "LN", transient=True), c=array(dtype, "LM", "LN", transient=True))
    g.mpi("BlockCyclicScatter", {"_inbuffer": "A[0:M, 0:K]", "_block_sizes": "ab[0:2]"},
          {"_outbuffer": "a[1:LM + 1, 1:LKA + 1]", "_gdescriptor": "d[0, 0:9]", "_ldescriptor": "d[1, 0:9]"})
    g.mpi("BlockCyclicScatter", {"_inbuffer": "B[0:K, 0:N]", "_block_sizes": "bb[0:2]"}, {"_outbuffer": "b[0:LKB, 0:LN]"})
    g.mpi("Pgemm", {"_a": "a[1:LM + 1, 1:LKA + 1]", "_b": "b[0:LKB, 0:LN]", "_a_block_sizes": "ab[0:2]", "_b_block_sizes": "bb[0:2]"},
          {"_c": "c[0:LM, 0:LN]"}, m="M", n="N", k="K")
    g.mpi("BlockCyclicGather", {"_inbuffer": "c[0:LM, 0:LN]", "_block_sizes": "cb[0:2]"}, {"_outbuffer": "C[0:M, 0:N]"})
    (px, py), ranks = grid, run.ranks
    sizes = {"LM": share(m, a_blocks[0], px), "LKA": share(k, a_blocks[1], py), "LKB": share(k, b_blocks[0], px), "LN": share(n, b_blocks[1], py), "Px": px, "Py": py}
    a, b = nodes.numbers(ranks, dtype, m, k), nodes.numbers(ranks, dtype, k, n)
    c = [np.zeros((m, n), dtype)] * ranks
    blocks = {"ab": a_blocks, "bb": b_blocks, "cb": (a_blocks[0], b_blocks[1])}
    got = run.results(g.write(run.folder), {"A": a, "B": b, "C": c, "d": [np.zeros((2, 9), np.int32)] * ranks, **{name: [np.array(v, np.int32)] * ranks for name, v in blocks.items()}},
                      ["C", "d"], *(f"--{name}={v}" for name, v in sizes.items()))
    equal("C", got["C"], [a[0] @ b[0], *c[1:]])
    leading = sum(j // a_blocks[1] % py == 0 for j in range(k))
    equal("d", got["d"][:1], [np.array([[1, 0, k, m, k, m, 0, 0, k], [1, 0, k, m, *a_blocks[::-1], 0, 0, leading]])])


def gemm(run):
    for grid in GRIDS[run.ranks]:
        product(run, grid, "float64", 7, 9, 11, (2, 3), (4, 2))
        product(run, grid, "complex64", 8, 4, 1, (1, 1), (3, 8))
    product(run, GRIDS[run.ranks][0], "float32", 5, 3, 700, (5, 64), (1, 1))  # several panels
    product(run, GRIDS[run.ranks][0], "complex128", 3, 3, 5, (9, 9), (9, 9))  # one process has it all


def gemv(run):
    """A x, and y times A; the vectors are whole on the first process."""
    for px, py in GRIDS[run.ranks]:
        for dtype, m, n, blocks in ("float64", 7, 9, (2, 3)), ("complex128", 4, 6, (1, 1)), ("float32", 3, 2, (3, 2)):
            g = Graph("vectors", {"M": "int64", "N": "int64", "LM": "int64", "LN": "int64", "Px": "int32", "Py": "int32"}, A=array(dtype, "M", "N"), x=array(dtype, "N", 2), y=array(dtype, "M"), u=array(dtype, "M"), v=array(dtype, "N"),
                      ab=array("int32", 2), a=array(dtype, "LM", "LN", transient=True))
            g.mpi("BlockCyclicScatter", {"_inbuffer": "A[0:M, 0:N]", "_block_sizes": "ab[0:2]"}, {"_outbuffer": "a[0:LM, 0:LN]"})
            for how, source, target in ("N", "x[0:N, 1]", "y[0:M]"), ("T", "u[0:M]", "v[0:N]"):
                g.mpi("Pgemv", {"_a": "a[0:LM, 0:LN]", "_b": source, "_a_block_sizes": "ab[0:2]", "_b_block_sizes": "ab[0:2]"}, {"_c": target}, transa=how, m="M", n="N")
            ranks = run.ranks
            given = {"A": nodes.numbers(ranks, dtype, m, n), "x": nodes.numbers(ranks, dtype, n, 2), "u": nodes.numbers(ranks, dtype, m),
                     "y": nodes.numbers(ranks, dtype, m), "v": nodes.numbers(ranks, dtype, n), "ab": [np.array(blocks, np.int32)] * ranks}
            sizes = {"LM": share(m, blocks[0], px), "LN": share(n, blocks[1], py), "Px": px, "Py": py}
            got = run.results(g.write(run.folder), given, ["y", "v"], *(f"--{name}={value}" for name, value in sizes.items()))
            equal("y", got["y"], [given["A"][0] @ given["x"][0][:, 1], *given["y"][1:]])
            equal("v", got["v"], [given["u"][0] @ given["A"][0], *given["v"][1:]])


def column(run):
    """A vector is a column: the first processes of all rows of the grid have its blocks."""
    px, py = GRIDS[run.ranks][-1]
    g = Graph("column", {"N": "int64", "L": "int64", "Px": "int32", "Py": "int32"}, x=array("int64", "N"), p=array("int64", "L"), y=array("int64", "N"), b=array("int32", 1))
    g.mpi("BlockCyclicScatter", {"_inbuffer": "x[0:N]", "_block_sizes": "b[0]"}, {"_outbuffer": "p[0:L]"})
    g.mpi("BlockCyclicGather", {"_inbuffer": "p[0:L]", "_block_sizes": "b[0]"}, {"_outbuffer": "y[0:N]"})
    x, ranks = nodes.numbers(run.ranks, "int64", 7), run.ranks
    got = run.results(g.write(run.folder), {"x": x, "p": [np.zeros(share(7, 2, px), np.int64)] * ranks, "y": [np.zeros(7, np.int64)] * ranks, "b": [np.array([2], np.int32)] * ranks},
                      ["y", "p"], f"--Px={px}", f"--Py={py}")
    equal("y", got["y"][:1], x[:1])
    if py > 1:
        equal("p", got["p"][1:2], [np.zeros_like(got["p"][1])])


def scalapack(run):
    """Where Debian's library is installed, it is used unless SDFG_SCALAPACK says otherwise; the dynamic linker tells."""
    name = {"mpirun.mpich": "libscalapack-mpich.so.2.2", "mpirun.openmpi": "libscalapack-openmpi.so.2.2"}.get((run.launcher or [""])[0])
    if not run.launcher or run.ranks == 1:
        return
    installed = name in subprocess.run(["ldconfig", "-p"], capture_output=True, text=True).stdout
    for wanted, used in (None, installed), ("none", False), (name, True):
        if wanted == name and not installed:
            continue
        shutil.rmtree(run.folder / "ld", ignore_errors=True)
        (run.folder / "ld").mkdir()
        with mock.patch.dict(os.environ, {"LD_DEBUG": "files", "LD_DEBUG_OUTPUT": str(run.folder / "ld/ld"), **({"SDFG_SCALAPACK": wanted} if wanted else {})}):
            product(run, GRIDS[run.ranks][0], "float64", 7, 9, 11, (2, 3), (4, 2))
        loads = [log.read_text() for log in (run.folder / "ld").iterdir()]
        if any("calling init" in log and name in log for log in loads) != used:
            raise RuntimeError(f"SDFG_SCALAPACK={wanted}: {name} is {'not ' if used else ''}opened")
    with mock.patch.dict(os.environ, {"SDFG_SCALAPACK": "none"}):
        gemv(run)
    with mock.patch.dict(os.environ, {"SDFG_SCALAPACK": "/none/lib.so"}):
        try:
            product(run, GRIDS[run.ranks][0], "float64", 7, 9, 11, (2, 3), (4, 2))
        except RuntimeError as e:
            if "exit code 8" not in str(e) or "SDFG_SCALAPACK=/none/lib.so cannot be opened" not in str(e):
                raise
        else:
            raise RuntimeError("a library that is not there")


def remarks(run):
    g = Graph("products", SYMBOLS, a=array("float64", 4, 4), c=array("float64", 4, 4), ab=array("int32", 2))
    g.mpi("Pgemm", {"_a": "a[0:4, 0:4]", "_b": "a[0:4, 0:4]", "_a_block_sizes": "ab[0:2]", "_b_block_sizes": "ab[0:2]"}, {"_c": "c[0:4, 0:4]"}, m="4", n="4", k="4")
    np.save(run.folder / "ab.npy", np.array((4, 4), np.int32))
    complain(run.start(g.write(run.folder), ["--Px=1", "--Py=1", f"--ab=@{run.folder}/ab.npy", "--remarks"]), 0, "is p?gemm of ScaLAPACK on several processes")


def errors(run):
    """Blocks without elements, parts that are too small, and grids of too many processes."""
    def start(options, m=4, k=4):
        g = Graph("bad", SYMBOLS, a=array("float64", 2, 4), b=array("float64", 4, 4), c=array("float64", 4, 4), ab=array("int32", 2))
        g.mpi("Pgemm", {"_a": "a[0:2, 0:4]", "_b": "b[0:4, 0:4]", "_a_block_sizes": "ab[0:2]", "_b_block_sizes": "ab[0:2]"}, {"_c": "c[0:4, 0:4]"}, m=str(m), n="4", k=str(k))
        np.save(run.folder / "ab.npy", np.array(options.pop("ab"), np.int32))
        return run.start(g.write(run.folder), [f"--ab=@{run.folder}/ab.npy", *(f"--{n}={v}" for n, v in options.items())])
    px = {"Px": run.ranks, "Py": 1}
    complain(start({"ab": (0, 1), **px}), 7, "blocks of 0 x 1 elements", '"pgemm"', by_one=False)
    complain(start({"ab": (4, 4), **px}), 7, "the first matrix has 2 x 4 elements, and 4 x 4 of the matrix are on this process", by_one=False)
    complain(start({"ab": (1, 1), "Px": 64, "Py": 1}), 7, f"wants more than {run.ranks} processes", by_one=False)
    g = Graph("integers", SYMBOLS, a=array("int64", 4, 4), ab=array("int32", 2))
    g.mpi("Pgemm", {"_a": "a[0:4, 0:4]", "_b": "a[0:4, 0:4]", "_a_block_sizes": "ab[0:2]", "_b_block_sizes": "ab[0:2]"}, {"_c": "a[0:4, 0:4]"}, m="4", n="4", k="4")
    complain(run.start(g.write(run.folder), ["--Px=1", "--Py=1"]), 7, "integers", by_one=False)
    g = Graph("short", SYMBOLS, a=array("float64", "M", "N"), x=array("float64", "K"), y=array("float64", "M"), ab=array("int32", 2))
    g.mpi("Pgemv", {"_a": "a[0:M, 0:N]", "_b": "x[0:K]", "_a_block_sizes": "ab[0:2]", "_b_block_sizes": "ab[0:2]"}, {"_c": "y[0:M]"}, m="M", n="N")
    complain(run.start(g.write(run.folder), ["--Px=1", "--Py=1", "--M=3", "--N=5", "--K=4"]), 2, "index -1 + N = 4 of dimension 0 is behind the last element of 'x' (size K = 4)", by_one=False)


TESTS = [gemm, gemv, column, scalapack, remarks, errors]

if __name__ == "__main__":
    sys.exit(nodes.main(TESTS))
