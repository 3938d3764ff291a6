"""Products of matrices, in the forms that a library has and in those that it has not."""
import sdfg

M, N, K, B, T = (sdfg.symbol(name) for name in "MNKBT")


def plain(A: sdfg.float64[M, K], X: sdfg.float64[K, N], C: sdfg.float64[M, N]):
    C[:] = A @ X


def single(A: sdfg.float32[M, K], X: sdfg.float32[K, N], C: sdfg.float32[M, N]):
    C[:] = A @ X


def complex_single(A: sdfg.complex64[M, K], X: sdfg.complex64[K, N], C: sdfg.complex64[M, N]):
    C[:] = A @ X


def complex_double(A: sdfg.complex128[M, K], X: sdfg.complex128[K, N], C: sdfg.complex128[M, N]):
    C[:] = A @ X


def integers(A: sdfg.int64[M, K], X: sdfg.int64[K, N], C: sdfg.int64[M, N]):
    C[:] = A @ X


def stack(A: sdfg.float64[B, M, K], X: sdfg.float64[B, K, N], C: sdfg.float64[B, M, N]):
    C[:] = A @ X


def shared(A: sdfg.float64[M, K], X: sdfg.float64[B, K, N], C: sdfg.float64[B, M, N]):
    C[:] = A @ X


def vector(A: sdfg.float64[M, K], X: sdfg.float64[K], C: sdfg.float64[M]):
    C[:] = A @ X


def strided(A: sdfg.float64[M, 2 * K], X: sdfg.float64[K, N], C: sdfg.float64[M, N]):
    C[:] = A[:, ::2] @ X


def part(A: sdfg.float64[2 * M, K], X: sdfg.float64[K, 2 * N], C: sdfg.float64[M, 3 * N]):
    C[:, N : 2 * N] = A[M:, :] @ X[:, :N]


def steps(A: sdfg.float64[M, M], X: sdfg.float64[M, N], C: sdfg.float64[M, N]):
    for t in range(T):
        C[:] = A @ X
        X[:] = C + 0.5 * X


def threads(A: sdfg.float64[B, M, M], X: sdfg.float64[M, M], C: sdfg.float64[B, M]):
    for b in sdfg.map[0:B]:
        P = A[b] @ X
        for i in range(M):
            C[b, i] = P[i, i]
