"""Programs of bench/mpi: with their messages, and (`_alone`) what one process computes without any."""
import dace
import numpy as np
import sdfg
from mpi4py import MPI

N, M, K, lM, lN, lK, lK2, Px, Py = (dace.symbol(s) for s in ("N", "M", "K", "lM", "lN", "lK", "lK2", "Px", "Py"))
comm = MPI.COMM_WORLD


@sdfg.program
def ping(A: sdfg.float64[N], times: sdfg.int64):
    """There and back."""
    for _ in range(times):
        if comm.rank == 0:
            comm.Send(A, 1)
            comm.Recv(A, 1)
        if comm.rank == 1:
            comm.Recv(A, 0)
            comm.Send(A, 0)


@sdfg.program
def stencil(A: sdfg.float64[M + 2, N], B: sdfg.float64[M + 2, N], steps: sdfg.int64):
    """jacobi_2d; each process has some rows."""
    above = comm.rank - 1 if comm.rank > 0 else MPI.PROC_NULL
    below = comm.rank + 1 if comm.rank + 1 < comm.size else MPI.PROC_NULL
    requests = np.empty((4,), dtype=MPI.Request)
    for _ in range(steps):
        requests[0] = comm.Irecv(A[0], above)
        requests[1] = comm.Irecv(A[-1], below)
        requests[2] = comm.Isend(A[1], above)
        requests[3] = comm.Isend(A[-2], below)
        MPI.Request.Waitall(requests)
        B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
        A[1:-1, 1:-1] = B[1:-1, 1:-1]


@sdfg.program
def exchange(A: sdfg.float64[M + 2, N], B: sdfg.float64[M + 2, N], steps: sdfg.int64):
    """The same with messages that block."""
    above = comm.rank - 1 if comm.rank > 0 else MPI.PROC_NULL
    below = comm.rank + 1 if comm.rank + 1 < comm.size else MPI.PROC_NULL
    for _ in range(steps):
        comm.Send(A[1], above)
        comm.Recv(A[-1], below)
        comm.Send(A[-2], below)
        comm.Recv(A[0], above)
        B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
        A[1:-1, 1:-1] = B[1:-1, 1:-1]


@sdfg.program
def stencil_alone(A: sdfg.float64[M + 2, N], B: sdfg.float64[M + 2, N], steps: sdfg.int64):
    for _ in range(steps):
        B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
        A[1:-1, 1:-1] = B[1:-1, 1:-1]


@sdfg.program
def gemm(A: sdfg.float64[lM, lK], B: sdfg.float64[lK2, lN], C: sdfg.float64[lM, lN]):
    C[:] = dace.distr.MatMult(A, B, (lM * Px, lN * Py, lK * Py))


@sdfg.program
def gemm_alone(A: sdfg.float64[M, K], B: sdfg.float64[K, N], C: sdfg.float64[M, N]):
    C[:] = A @ B
