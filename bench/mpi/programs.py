"""Programs of bench/mpi: with their messages, and (`_alone`) what one process computes without any."""
import dace
import sdfg
from mpi4py import MPI

N, n, M, K, lM, lN, lK, lK2, Px, Py = (dace.symbol(s) for s in ("N", "n", "M", "K", "lM", "lN", "lK", "lK2", "Px", "Py"))
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
def stencil_alone(A: sdfg.float64[n + 2, N], B: sdfg.float64[n + 2, N], steps: sdfg.int64):
    """A process of jacobi_2d in tests/mpi/kernels.py."""
    for _ in range(steps):
        B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
        A[1:-1, 1:-1] = B[1:-1, 1:-1]


@sdfg.program
def gemm(A: sdfg.float64[lM, lK], B: sdfg.float64[lK2, lN], C: sdfg.float64[lM, lN]):
    C[:] = dace.distr.MatMult(A, B, (lM * Px, lN * Py, lK * Py))


@sdfg.program
def gemm_alone(A: sdfg.float64[M, K], B: sdfg.float64[K, N], C: sdfg.float64[M, N]):
    C[:] = A @ B
