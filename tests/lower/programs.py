"""Programs for the checks beside this file."""
import sdfg

N = sdfg.symbol("N")
M = sdfg.symbol("M")


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


@sdfg.program
def powers(A: sdfg.float64[N, M], x: sdfg.float64):
    for i in range(N):
        for j in range(M):
            A[i, j] = x**0.3
