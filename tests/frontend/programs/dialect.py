"""What programs of DaCe get: unit slices are dropped, results of one element are arrays."""
import dace
import numpy as np

N = dace.symbol("N", dtype=dace.int64)
M = dace.symbol("M")


@dace.program
def total(A: dace.float64[N]):
    return np.sum(A)


@dace.program
def inner(X: dace.float64[M], Y: dace.float64[M]):
    for i in dace.map[0:X.shape[0]]:
        Y[i] = X[X.shape[0] - 1 - i]


@dace.program
def flipped(A: dace.float64[N], B: dace.float64[N]):
    inner(A, B)
    inner(A[:3], B[N - 3:])


@dace.program
def schedule(A: dace.float64[N]):
    for i in dace.map[0:N] @ dace.ScheduleType.Sequential:
        A[i] = i


@dace.program
def locals(A: dace.float64[N]):
    x = dace.define_local_scalar(dace.float32)
    x = np.float32(A[0])
    y = dace.define_local([N], dace.float64)
    y[:] = A + x
    return y


@dace.program
def columns(A: dace.float64[N, M]):
    return np.flip(A, 0).flatten(order="F"), A.flatten(order="C")
