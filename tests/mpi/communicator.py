"""One process of the test of communicators (run.py): communicator.py PROGRAM LIBRARY

Splits the world into even and odd ranks, by the MPI library itself, and sums over each half."""
import ctypes
import os
import sys

import numpy as np

import sdfg


class Communicator:
    """As mpi4py has them."""

    def __init__(self, handle):
        self.handle = handle

    def py2f(self):
        return self.handle


def split(library):
    """The half of this process, its rank in the world, and how many there are."""
    mpi = ctypes.CDLL(library, mode=ctypes.RTLD_GLOBAL)
    open_mpi = hasattr(mpi, "ompi_mpi_comm_world")
    standard = library.endswith("libmpi_abi.so.1") # of MPI 5
    handle = ctypes.c_void_p if open_mpi or standard else ctypes.c_int
    world = ctypes.c_void_p(0x101) if standard else ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(mpi, "ompi_mpi_comm_world"))) if open_mpi else ctypes.c_int(0x44000000)
    half, rank, size = handle(), ctypes.c_int(), ctypes.c_int()
    assert mpi.MPI_Init(None, None) == 0
    assert mpi.MPI_Comm_rank(world, ctypes.byref(rank)) == 0 and mpi.MPI_Comm_size(world, ctypes.byref(size)) == 0
    assert mpi.MPI_Comm_split(world, rank.value % 2, rank.value, ctypes.byref(half)) == 0
    of_fortran = mpi.MPI_Comm_c2f(half) if open_mpi else mpi.MPI_Comm_toint(half) if standard else half.value
    return mpi, Communicator(of_fortran), rank.value, size.value


def main(program, library):
    mpi, half, rank, size = split(library)
    sums = sdfg.compile(program)
    others = [r for r in range(size) if r % 2 == rank % 2]
    for n in range(3): # the third call has a path of its own
        x = np.full(4, rank + n, np.int64)
        sums.communicator = half
        sums(x=x)
        assert (x == sum(others) + n * len(others)).all(), x
    x = np.full(4, rank, np.int64)
    bound = sums.bind(x=x)
    sums.communicator = None # of later ones
    bound()
    assert (x == sum(others)).all(), x
    x = np.full(4, rank, np.int64)
    sums(x=x)
    assert (x == sum(range(size))).all(), x
    for wrong in ("world", 1.5, 2**31, True):
        try:
            sums.communicator = wrong
        except TypeError:
            continue
        raise AssertionError(f"{wrong!r} is taken for a communicator")
    mpi.MPI_Finalize()


if __name__ == "__main__":
    main(*sys.argv[1:])
