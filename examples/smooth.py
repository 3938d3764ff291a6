import numpy as np
import sdfg

N, M = (sdfg.symbol(s) for s in ("N", "M"))

@sdfg.program
def smooth(A: sdfg.float64[N, M], B: sdfg.float64[N, M], steps: sdfg.int64):
    for t in range(steps):
        B[1:-1, 1:-1] = (A[1:-1, :-2] + A[1:-1, 2:] + A[:-2, 1:-1] + A[2:, 1:-1]) / 4
        A[:] = B
    return np.sum(A)
