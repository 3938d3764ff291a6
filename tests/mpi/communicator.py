"""One process of the test of communicators (run.py): communicator.py PROGRAM LIBRARY

Splits the world into even and odd ranks, by the MPI library itself, and sums over each half."""
import ctypes
import sys

import numpy as np


class Communicator:
    """As mpi4py has them."""

    def __init__(self, handle):
        self.handle = handle

    def py2f(self):
        return self.handle


class World:
    """All processes, by the MPI library itself."""

    def __init__(self, library):
        self.mpi = mpi = ctypes.CDLL(library, mode=ctypes.RTLD_GLOBAL)
        self.open = hasattr(mpi, "ompi_mpi_comm_world")
        self.standard = library.endswith("libmpi_abi.so.1") # of MPI 5
        self.handle = ctypes.c_void_p if self.open or self.standard else ctypes.c_int
        self.comm = self.handle(0x101) if self.standard else self.handle(ctypes.addressof(ctypes.c_char.in_dll(mpi, "ompi_mpi_comm_world"))) if self.open else self.handle(0x44000000)
        rank, size = ctypes.c_int(), ctypes.c_int()
        assert mpi.MPI_Init(None, None) == 0
        assert mpi.MPI_Comm_rank(self.comm, ctypes.byref(rank)) == 0 and mpi.MPI_Comm_size(self.comm, ctypes.byref(size)) == 0
        self.rank, self.size = rank.value, size.value

    def split(self, color, key):
        comm = self.handle()
        assert self.mpi.MPI_Comm_split(self.comm, color, key, ctypes.byref(comm)) == 0
        return comm

    def to_fortran(self, comm):
        return self.mpi.MPI_Comm_c2f(comm) if self.open else self.mpi.MPI_Comm_toint(comm) if self.standard else comm.value

    def free(self, comm):
        assert self.mpi.MPI_Comm_free(ctypes.byref(comm)) == 0

    def finalize(self):
        assert self.mpi.MPI_Finalize() == 0


def main(program, library):
    import sdfg
    world = World(library)
    rank, size = world.rank, world.size
    half = Communicator(world.to_fortran(world.split(rank % 2, rank)))
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
    world.finalize()


if __name__ == "__main__":
    main(*sys.argv[1:])
