#!/usr/bin/env python3
"""Process grids that processes know for longer or shorter than others: grids.py BIN-DIR [--ranks 2,4,8], as run.py.

Making a grid is collective, so all processes have to agree whether they know one already."""
import _ctypes
import ctypes
import os
import pathlib
import subprocess
import sys

import numpy as np

import run as nodes
from communicator import Communicator, World
from graphs import Graph, array, grid, subarray
from run import complain

EACH = 4 # elements of a process


def scatter(name, processes):
    g = Graph(name, {}, pg=grid(processes), sub=subarray("int64", [EACH * processes], [EACH], "pg"), x=array("int64", EACH * processes), b=array("int64", EACH))
    g.mpi("BlockScatter", {"_inp_buffer": f"x[0:{EACH * processes}]", "_subarray": "sub[]", "_scatter_grid": "pg[]"}, {"_out_buffer": f"b[0:{EACH}]"})
    return g


def buffers(rank, processes, first):
    """x of the first process, what this one gets, and what it should get."""
    x = np.arange(first, first + EACH * processes) if rank == 0 else np.zeros(EACH * processes, np.int64)
    return x, np.zeros(EACH, np.int64), np.arange(first + EACH * rank, first + EACH * (rank + 1))


def start(run, *arguments):
    here = pathlib.Path(__file__).resolve()
    env = dict(os.environ, OMP_NUM_THREADS="1", SDFG_CACHE_DIR=str(run.cache), SDFG_LIBRARY=str(run.binary.parent / "libsdfg.so"),
               PYTHONPATH=os.pathsep.join([str(here.parents[2] / "python"), os.environ.get("PYTHONPATH", "")]))
    complain(subprocess.run([*run.launcher, "-n", str(run.ranks), sys.executable, "-B", str(here), *arguments], capture_output=True, text=True, timeout=120, env=env), 0)


def mpi_of(run):
    return "libmpi.so.40" if "openmpi" in run.launcher[0] else "libmpich.so.12"


# ---- libraries that sdfg-cc has written, which some processes close ----

def closed(run):
    if not run.launcher:
        return
    for name in "first", "second":
        subprocess.run([str(run.binary.parent / "sdfg-cc"), str(scatter(name, run.ranks).write(run.folder)), "-o", str(run.folder / f"{name}.so")], check=True)
    start(run, "close", mpi_of(run), str(run.folder))


def close(library, folder):
    world = World(library)
    for name in "first", "second", "first":
        program = ctypes.CDLL(f"{folder}/{name}.so")
        init, call, leave = (getattr(program, f) for f in (f"__dace_init_{name}", f"__program_{name}", f"__dace_exit_{name}"))
        init.restype = ctypes.c_void_p
        handle = ctypes.c_void_p(init())
        for first in 7, 70:
            x, b, wanted = buffers(world.rank, world.size, first)
            call(handle, b.ctypes.data_as(ctypes.c_void_p), x.ctypes.data_as(ctypes.c_void_p))
            assert (b == wanted).all(), b
        assert leave(handle) == 0
        if world.rank % 2 == 0:
            _ctypes.dlclose(program._handle)
    world.finalize()


# ---- communicators of the caller, which it frees: the next one may have the same handle ----

def freed(run, library=None):
    if run.launcher and run.ranks % 2 == 0:
        start(run, "free", library or mpi_of(run), *(str(scatter(f"of_{n}", n).write(run.folder)) for n in (run.ranks // 2, run.ranks)))


def free(library, of_half, of_all):
    import sdfg
    world = World(library)
    halves, whole, kept = sdfg.compile(of_half), sdfg.compile(of_all), []
    size = world.size // 2
    for turn in range(6):
        if turn % 3 == 2: # all, in the order from behind
            program, rank, processes = whole, world.size - 1 - world.rank, world.size
            comm = world.split(0, rank)
        else: # neighbours, or the even and the odd ones
            color, rank = divmod(world.rank, size) if turn % 3 else (world.rank % 2, world.rank // 2)
            program, processes, comm = halves, size, world.split(color, rank)
        program.communicator = Communicator(world.to_fortran(comm))
        for first in 10 * turn, 1000:
            x, b, wanted = buffers(rank, processes, first)
            program(x=x, b=b)
            assert (b == wanted).all(), f"turn {turn}: {b}, not {wanted}"
        if turn == 1 and world.rank < size:
            kept.append(comm) # the other half frees its own, and then has another history
        else:
            world.free(comm)
    for comm in kept:
        world.free(comm)
    world.finalize()


# ---- what ScaLAPACK makes for a grid is freed with it ----

def product():
    """Rows of A and C are on different processes, B is on the first one."""
    parts = {name: array("float64", 2, 2) for name in "abc"}
    g = Graph("product", {"Px": "int64", "Py": "int64"}, blocks=array("int32", 2), **parts)
    g.mpi("Pgemm", {"_a": "a[0:2, 0:2]", "_b": "b[0:2, 0:2]", "_a_block_sizes": "blocks[0:2]", "_b_block_sizes": "blocks[0:2]"}, {"_c": "c[0:2, 0:2]"}, m="2*Px", n="2", k="2")
    return g


def products(run):
    if run.launcher and run.ranks > 1:
        start(run, "multiply", mpi_of(run), str(product().write(run.folder)))


def multiply(library, program):
    """MPICH has 2048 communicators at a time, and ScaLAPACK takes four of them for a grid: these would be more."""
    import sdfg
    world = World(library)
    multiplied = sdfg.compile(program)
    parts = 1 if world.size == 2 else 2
    for turn in range(600 if world.size == 2 else 5):
        rank, color = divmod(world.rank, parts)
        comm = world.split(color, rank)
        multiplied.communicator = Communicator(world.to_fortran(comm))
        a, b, c = np.full((2, 2), rank + turn, float), np.array([[1, 2], [3, 4.0]]), np.zeros((2, 2))
        multiplied(a=a, b=b, c=c, blocks=np.array([2, 2], np.int32), Px=-(-(world.size - color) // parts), Py=1)
        assert (c == a @ b).all(), f"turn {turn}: {c}"
        world.free(comm)
    world.finalize()


if __name__ == "__main__":
    WORKERS = {"close": close, "free": free, "multiply": multiply}
    if sys.argv[1] in WORKERS:
        WORKERS[sys.argv[1]](*sys.argv[2:])
    else:
        sys.exit(nodes.main([closed, products, freed]))
