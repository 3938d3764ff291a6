"""Python programs that send messages, with the functions of dace.comm and the methods of mpi4py; programs.py runs them."""
import dace
import numpy as np
import sdfg
from mpi4py import MPI

N, n, Px, Py = (dace.symbol(s) for s in ("N", "n", "Px", "Py"))
comm = MPI.COMM_WORLD
MPI_Request = dace.opaque("MPI_Request")


@sdfg.program
def numbers(A: sdfg.int64[6]):
    A[0] = comm.Get_rank()
    A[1] = comm.size
    grid = comm.Create_cart([comm.Get_size(), 1])
    A[2] = grid.Get_size()
    A[3], A[4] = grid.Get_coords(comm.rank)
    A[5] = grid.Sub([False, True]).Get_rank() + 10 * grid.Sub([True, False]).rank


@sdfg.program
def ring(A: sdfg.float64[N], B: sdfg.float64[N]):
    """Each process passes a part that is turned around to the next one."""
    right, left = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
    requests = np.empty((2,), dtype=MPI.Request)
    requests[0] = comm.Isend(A[::-1], right, tag=3)
    requests[1] = comm.Irecv([B, MPI.DOUBLE], source=left, tag=3)
    MPI.Request.Waitall(requests)


@sdfg.program
def neighbours(A: sdfg.float64[N], B: sdfg.float64[N + 2]):
    """The ends have one neighbour only."""
    left = comm.rank - 1 if comm.rank > 0 else MPI.PROC_NULL
    right = comm.rank + 1 if comm.rank + 1 < comm.size else MPI.PROC_NULL
    B[1:-1] = A
    first = comm.Irecv(B[0], left)
    last = comm.Irecv(B[-1:], right, MPI.ANY_TAG)
    comm.Send(A[0], left)
    comm.Send(A[-1], right)
    first.Wait()
    MPI.Request.Waitall([last])


@sdfg.program
def anybody(A: sdfg.int64[1]):
    if comm.rank == 0:
        for _ in range(comm.size - 1):
            got = np.zeros(1, np.int64)
            comm.Recv(got, MPI.ANY_SOURCE)
            A += got
    else:
        comm.Send(A, dest=0)


@sdfg.program
def collectives(A: sdfg.float64[N, n], B: sdfg.float64[n], C: sdfg.float64[N, n], s: sdfg.float64[2]):
    """Rows of A, which process 0 has, in B; sums; all rows turned around in C."""
    comm.Scatter(A, B, root=0)
    B *= 2
    comm.Allgather(B, C[::-1])
    total = np.empty(1)
    comm.Allreduce(np.sum(B, keepdims=True), total)
    s[0] = total[0]
    comm.Reduce(B[0:1], s[1:2], op=MPI.MAX, root=0)


@dace.program
def in_place(A: dace.int32[N], B: dace.int32[N, 2]):
    dace.comm.Bcast(A, root=0)
    dace.comm.Allreduce(B[:, 1], "MPI_SUM")
    dace.comm.Reduce(B[:, 0], "MPI_MAX", root=0)


@dace.program
def parts(A: dace.int32[N], B: dace.int32[N]):
    """Of a grid of two processes at most; others keep what they have."""
    grid = dace.comm.Cart_create([Px, 1])
    rows = dace.comm.Cart_sub(grid, [False, True])
    if grid != MPI.COMM_NULL:
        A += 100
    dace.comm.Bcast(B, grid=grid)
    dace.comm.Bcast(A, grid=rows)


@dace.program
def blocks(A: dace.float32[N * Px, n * Py]):
    grid = dace.comm.Cart_create([Px, Py])
    B = np.empty((N, n), np.float32)
    dace.comm.BlockScatter(A, B, grid)
    B += 1
    dace.comm.BlockGather(B, A, grid)
    return B


@dace.program
def redistributed(A: dace.float64[N, Px * n]):
    """Rows to columns."""
    rows = dace.comm.Cart_create([Px, 1])
    columns = dace.comm.Cart_create([1, Px])
    B = np.empty((N * Px, n), np.float64)
    a = dace.comm.Subarray((N * Px, n * Px), A, process_grid=rows)
    b = dace.comm.Subarray((N * Px, n * Px), B, process_grid=columns)
    dace.comm.Redistribute(A, a, B, b)
    return B


@dace.program
def jacobi(steps: dace.int64, A: dace.float64[N * Px]):
    """A stencil in blocks, whose neighbours' elements come in each step; ends that do not change are nobody's."""
    request = np.empty((4,), dtype=MPI_Request)
    old = np.zeros(N + 2)
    new = np.zeros(N + 2)
    part = np.empty(N)
    rank = comm.Get_rank()
    left = rank - 1 if rank > 0 else MPI.PROC_NULL
    right = rank + 1 if rank < Px - 1 else MPI.PROC_NULL
    dace.comm.Scatter(A, part)
    old[1:-1] = part
    for t in range(steps):
        dace.comm.Isend(old[1], left, 0, request[0])
        dace.comm.Isend(old[-2], right, 1, request[1])
        dace.comm.Irecv(old[0], left, 1, request[2])
        dace.comm.Irecv(old[-1], right, 0, request[3])
        dace.comm.Waitall(request)
        new[1:-1] = (old[:-2] + old[1:-1] + old[2:]) / 3
        if rank == 0:
            new[1] = old[1]
        if rank == Px - 1:
            new[-2] = old[-2]
        old[:] = new
    part[:] = old[1:-1]
    dace.comm.Gather(part, A)


@sdfg.program
def to_nobody(A: sdfg.float64[N]):
    comm.Send(A, comm.size)


lM, lN, lK, lK2, M, K, Bx, By = (dace.symbol(s) for s in ("lM", "lN", "lK", "lK2", "M", "K", "Bx", "By"))


@sdfg.program
def product(A: sdfg.float64[M, K], B: sdfg.float64[K, N], C: sdfg.float64[M, N]):
    a, b, c = np.empty((lM, lK)), np.empty((lK2, lN)), np.empty((lM, lN))
    dace.comm.BCScatter(A, a, (Bx, By))
    dace.comm.BCScatter(B, b, (By, Bx))
    c[:] = 2 * dace.distr.MatMult(a, b, (M, N, K), (Bx, By), (By, Bx))
    dace.comm.BCGather(c, C, (Bx, Bx))


@dace.program
def atax(A: dace.float64[lM, lN], x: dace.float64[N], y: dace.float64[N]):
    tmp = distr.MatMult(A, x, (Px * lM, Py * lN), c_block_sizes=(M, 1))
    y[:] = distr.MatMult(tmp, A, (M, N), c_block_sizes=(N, 1))


@sdfg.program
def parts_of_product(A: sdfg.float64[lM, lK], B: sdfg.float64[lK2, lN], C: sdfg.float64[lM, lN], x: sdfg.int32[n]):
    C[:] = dace.distr.MatMult(A, B, (lM * Px, lN * Py, lK * Py))
    x += 1
