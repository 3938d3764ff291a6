"""T steps of a five-point stencil on N x N elements; each of P processes has N / P rows, with a row of each neighbour around them."""
import dace
import sdfg
from mpi4py import MPI

N, P = dace.symbol("N"), dace.symbol("P")
comm = MPI.COMM_WORLD


@sdfg.program
def jacobi_2d(A: sdfg.float64[N // P + 2, N], B: sdfg.float64[N // P + 2, N], T: sdfg.int64):
    above = comm.rank - 1 if comm.rank > 0 else MPI.PROC_NULL
    below = comm.rank + 1 if comm.rank + 1 < comm.size else MPI.PROC_NULL
    for _ in range(T):
        comm.Send(A[1], above)
        comm.Recv(A[-1], below)
        comm.Send(A[-2], below)
        comm.Recv(A[0], above)
        B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
        A[1:-1, 1:-1] = B[1:-1, 1:-1]
