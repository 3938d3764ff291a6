"""T times, rows of an N x N matrix become columns and back, and something is added in between, as the steps of a transform along both
dimensions do."""
import dace
import numpy as np

N, P = dace.symbol("N"), dace.symbol("P")


@dace.program
def redistribute(A: dace.float64[N // P, N], T: dace.int64):
    rows = dace.comm.Cart_create([P, 1])
    columns = dace.comm.Cart_create([1, P])
    B = np.empty((N, N // P), np.float64)
    a = dace.comm.Subarray((N, N), A, process_grid=rows)
    b = dace.comm.Subarray((N, N), B, process_grid=columns)
    for _ in range(T):
        dace.comm.Redistribute(A, a, B, b)
        B += 1
        dace.comm.Redistribute(B, b, A, a)
        A *= 2
