"""Programs on several processes that own.py compares with one process. n: rows of each process, of N in all."""
import dace
import numpy as np
import sdfg
from mpi4py import MPI

N, n, M, K, Px, Py = (dace.symbol(s) for s in ("N", "n", "M", "K", "Px", "Py"))
comm = MPI.COMM_WORLD


def halo(A):
    """Each process has some rows, and one of each neighbour around them."""
    above = comm.rank - 1 if comm.rank > 0 else MPI.PROC_NULL
    below = comm.rank + 1 if comm.rank + 1 < comm.size else MPI.PROC_NULL
    requests = np.empty((4,), dtype=MPI.Request)
    requests[0] = comm.Irecv(A[0:1], above)
    requests[1] = comm.Irecv(A[-1:], below)
    requests[2] = comm.Isend(A[1:2], above)
    requests[3] = comm.Isend(A[-2:-1], below)
    MPI.Request.Waitall(requests)


@sdfg.program
def jacobi_1d(A: sdfg.float64[n + 2], B: sdfg.float64[n + 2], steps: sdfg.int64):
    for _ in range(steps):
        halo(A)
        B[1:-1] = 0.33333 * (A[:-2] + A[1:-1] + A[2:])
        A[1:-1] = B[1:-1]


@sdfg.program
def jacobi_2d(A: sdfg.float64[n + 2, N], B: sdfg.float64[n + 2, N], steps: sdfg.int64):
    for _ in range(steps):
        halo(A)
        B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
        A[1:-1, 1:-1] = B[1:-1, 1:-1]


@sdfg.program
def heat_3d(A: sdfg.float64[n + 2, N, N], B: sdfg.float64[n + 2, N, N], steps: sdfg.int64):
    for _ in range(steps):
        halo(A)
        B[1:-1, 1:-1, 1:-1] = (0.125 * (A[2:, 1:-1, 1:-1] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[:-2, 1:-1, 1:-1]) + 0.125 * (A[1:-1, 2:, 1:-1] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[1:-1, :-2, 1:-1])
                               + 0.125 * (A[1:-1, 1:-1, 2:] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[1:-1, 1:-1, :-2]) + A[1:-1, 1:-1, 1:-1])
        A[1:-1, 1:-1, 1:-1] = B[1:-1, 1:-1, 1:-1]


@sdfg.program
def atax(A: sdfg.float64[n, N], x: sdfg.float64[N], y: sdfg.float64[N]):
    """Rows of the matrix; the vectors are whole everywhere."""
    part = (A @ x) @ A
    comm.Allreduce(part, y)


@sdfg.program
def bicg(A: sdfg.float64[n, N], p: sdfg.float64[N], r: sdfg.float64[n], q: sdfg.float64[n], s: sdfg.float64[N]):
    """The sum goes on while the other product is computed."""
    part = r @ A
    comm.Allreduce(part, s)
    q[:] = A @ p


@sdfg.program
def mvt(A: sdfg.float64[n, N], x1: sdfg.float64[n], x2: sdfg.float64[N], y1: sdfg.float64[N], y2: sdfg.float64[n]):
    part = y2 @ A
    whole = np.empty(N)
    comm.Allreduce(part, whole)
    x1[:] = x1 + A @ y1
    x2[:] = x2 + whole


@sdfg.program
def gesummv(A: sdfg.float64[n, N], B: sdfg.float64[n, N], x: sdfg.float64[n], y: sdfg.float64[n], alpha: sdfg.float64, beta: sdfg.float64):
    """The vectors are in parts, too."""
    whole = np.empty(N)
    comm.Allgather(x, whole)
    y[:] = alpha * (A @ whole) + beta * (B @ whole)


@sdfg.program
def k2mm(A: sdfg.float64[N // Px, K // Py], B: sdfg.float64[K // Px, M // Py], C: sdfg.float64[M // Px, K // Py], D: sdfg.float64[N // Px, K // Py], alpha: sdfg.float64,
         beta: sdfg.float64):
    """Blocks on a grid of processes."""
    product = dace.distr.MatMult(A, B, (N, M, K))
    D[:] = alpha * dace.distr.MatMult(product, C, (N, K, M)) + beta * D


@sdfg.program
def cg(A: sdfg.float64[n, N], b: sdfg.float64[n], x: sdfg.float64[n], steps: sdfg.int64):
    """Conjugate gradients; each process has n rows of the matrix and of the vectors."""
    r = np.empty(n)
    p = np.empty(n)
    whole = np.empty(N)
    old, new, curve = np.empty(1), np.empty(1), np.empty(1)
    r[:] = b
    p[:] = b
    x[:] = 0.0
    comm.Allreduce(np.sum(r * r, keepdims=True), old)
    for _ in range(steps):
        comm.Allgather(p, whole)
        q = A @ whole
        comm.Allreduce(np.sum(p * q, keepdims=True), curve)
        alpha = old[0] / curve[0]
        x[:] = x + alpha * p
        r[:] = r - alpha * q
        comm.Allreduce(np.sum(r * r, keepdims=True), new)
        p[:] = r + (new[0] / old[0]) * p
        old[0] = new[0]


@sdfg.program
def regions(A: sdfg.float64[n, N, 6], B: sdfg.float64[n, N, 6]):
    """Regions with gaps go around."""
    left, right = (comm.rank + comm.size - 1) % comm.size, (comm.rank + 1) % comm.size
    requests = np.empty((4,), dtype=MPI.Request)
    B[:] = 2.0 * A
    requests[0] = comm.Irecv(B[1:-1, 0, 1:3], left, 1)
    requests[1] = comm.Irecv(B[:, 1:3, 0], left, 2)
    requests[2] = comm.Isend(B[1:-1, N - 1, 3:5], right, 1)
    requests[3] = comm.Isend(B[:, 2:4, 5], right, 2)
    MPI.Request.Waitall(requests)
    A[:] = B + 1.0
