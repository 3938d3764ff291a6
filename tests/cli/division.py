"""Quotients of symbols that may be negative, since no array has them as a size."""
import numpy as np
import sdfg

N, K = (sdfg.symbol(s) for s in ("N", "K"))


@sdfg.program
def indices(A: sdfg.float64[N], B: sdfg.float64[3]):
    B[0] = A[K // 2 + 5]
    B[1] = A[K % 4 + 5]
    for i in range(K // 2 + 5, N):
        B[2] += A[i]


@sdfg.program
def divisor(A: sdfg.float64[N], B: sdfg.float64[1]):
    B[0] = A[7 // K]
