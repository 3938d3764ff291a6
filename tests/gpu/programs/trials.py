"""Loops in a loop that become one kernel, with statements for one thread between nests: barriers of their bodies are tried several times."""
import numpy as np
import sdfg

N, M = sdfg.symbol("N"), sdfg.symbol("M")


def nested(A: sdfg.float64[N, M], B: sdfg.float64[N, M], J: sdfg.int32[M], U: sdfg.uint8[N], k: sdfg.int64, x: sdfg.float64):
    s = 0.5 - k * (N - M)
    t = np.negative(U[:, np.newaxis] % 3) + np.zeros((N, M), dtype=np.int8)
    for i in range(0, M, 2):
        for j in range(M - 1, -1, -1):
            B[2:4, 1:] = B[2:4, 1:] * (-3 + x)
            s = s + J[2]
        B[:, :] = A[:, :] * s
    return s + 0, t + 0
