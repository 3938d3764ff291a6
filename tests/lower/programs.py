"""Programs for the checks beside this file."""
import sdfg

N = sdfg.symbol("N")


@sdfg.program
def six(A: sdfg.float32[N, 6], B: sdfg.float32[N, 6]):
    for i in range(N):
        for j in range(6):
            B[i, j] = A[i, j] * A[i, j] + 1


@sdfg.program
def column(A: sdfg.float64[N, N], x: sdfg.float64[N]):
    A[:, 1] = x


@sdfg.program
def scaled_column(A: sdfg.float64[N, N], x: sdfg.float64[N]):
    A[:, 1] = x * x + 1.0
