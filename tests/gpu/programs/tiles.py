"""Products of matrices for tiles in shared memory: types, transposed and strided operands, several products, what stands around a sum."""
import sdfg

M, N, K, B = (sdfg.symbol(name) for name in "MNKB")


def plain(A: sdfg.float64[M, K], X: sdfg.float64[K, N], C: sdfg.float64[M, N]):
    C[:] = A @ X


def half(A: sdfg.float16[M, K], X: sdfg.float16[K, N], C: sdfg.float16[M, N]):
    C[:] = A @ X


def single(A: sdfg.float32[M, K], X: sdfg.float32[K, N], C: sdfg.float32[M, N]):
    C[:] = A @ X


def complex_single(A: sdfg.complex64[M, K], X: sdfg.complex64[K, N], C: sdfg.complex64[M, N]):
    C[:] = A @ X


def complex_double(A: sdfg.complex128[M, K], X: sdfg.complex128[K, N], C: sdfg.complex128[M, N]):
    C[:] = A @ X


def bytes_(A: sdfg.uint8[M, K], X: sdfg.uint8[K, N], C: sdfg.uint8[M, N]):
    C[:] = A @ X


def integers(A: sdfg.int64[M, K], X: sdfg.int64[K, N], C: sdfg.int64[M, N]):
    C[:] = A @ X


def left(A: sdfg.float64[K, M], X: sdfg.float64[K, N], C: sdfg.float64[M, N]):
    C[:] = A.T @ X


def right(A: sdfg.float64[M, K], X: sdfg.float64[N, K], C: sdfg.float64[M, N]):
    C[:] = A @ X.T


def both(A: sdfg.float64[K, M], X: sdfg.float64[N, K], C: sdfg.float64[M, N]):
    C[:] = A.T @ X.T


def strided(A: sdfg.float64[M, 2 * K], X: sdfg.float64[K, N], C: sdfg.float64[M, N]):
    C[:] = A[:, ::2] @ X


def part(A: sdfg.float64[2 * M, K], X: sdfg.float64[K, 2 * N], C: sdfg.float64[M, 3 * N]):
    C[:, N : 2 * N] = A[M:, :] @ X[:, :N]


def stack(A: sdfg.float64[B, M, K], X: sdfg.float64[B, K, N], C: sdfg.float64[B, M, N]):
    C[:] = A @ X


def around(A: sdfg.float64[M, K], X: sdfg.float64[K, N], D: sdfg.float64[M, N], C: sdfg.float64[M, N]):
    C[:] = 2 * (A @ X) + D

