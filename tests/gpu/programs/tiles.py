"""Products of matrices for tiles in shared memory: types, transposed and strided operands, several products, what stands around a sum, bounds of triangles."""
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



def lower(A: sdfg.float64[M, K], C: sdfg.float64[M, M]):
    for i in range(M):
        C[i, : i + 1] *= 0.5
        for k in range(K):
            C[i, : i + 1] += 2 * A[i, k] * A[: i + 1, k]


def two_terms(A: sdfg.float64[M, K], X: sdfg.float64[M, K], C: sdfg.float64[M, M]):
    for i in range(M):
        C[i, : i + 1] *= 0.5
        for k in range(K):
            C[i, : i + 1] += A[: i + 1, k] * X[i, k] + X[: i + 1, k] * A[i, k]


def upper(A: sdfg.float64[M, K], C: sdfg.float64[M, M]):
    for i in range(M):
        for k in range(K):
            C[i, i + 1 :] += A[i, k] * A[i + 1 :, k]


def falling(A: sdfg.float64[M, K], X: sdfg.float64[K, M], C: sdfg.float64[M, M]):
    for i in range(M):
        for j in range(M - i):
            s = C[i, j]
            for k in range(K):
                s = s + A[i, k] * X[k, j]
            C[i, j] = s


def rows_bounded(A: sdfg.float32[M, K], C: sdfg.float32[M, M]):
    for j in range(M):
        for k in range(K):
            C[: j + 1, j] += A[j, k] * A[: j + 1, k]


def first_row_without_columns(A: sdfg.float64[M, K], C: sdfg.float64[M, M]):
    for i in range(M):
        for k in range(K):
            C[i, :i] += A[i - 1, k] * A[:i, k]


def weights(A: sdfg.float64[M, K], D: sdfg.float64[K], X: sdfg.float64[K, N], C: sdfg.float64[M, N]):
    for i, j in sdfg.map[0:M, 0:N]:
        s = 0.0
        for k in range(K):
            s += A[i, k] * D[k] * X[k, j]
        C[i, j] = s


def band(A: sdfg.float64[2 * M, K], C: sdfg.float64[M, 2 * M]):
    for i in range(M):
        for j in range(i, i + M):
            s = C[i, j]
            for k in range(K):
                s = s + A[i, k] * A[j, k]
            C[i, j] = s


def rows_of_lengths(A: sdfg.float64[M, M], X: sdfg.float64[M, N], C: sdfg.float64[M, N]):
    for i in range(M):
        for j in range(N):
            s = 0.0
            for k in range(i):
                s = s + A[i, k] * X[k, j]
            C[i, j] = s


def columns_of_lengths(A: sdfg.float64[M, N], X: sdfg.float64[N, N], C: sdfg.float64[M, N]):
    for i in range(M):
        for j in range(N):
            s = C[i, j]
            for k in range(j + 1, N):
                s = s + A[i, k] * X[k, j]
            C[i, j] = s


def from_the_row_on(A: sdfg.float64[M, M], X: sdfg.float64[M, N], C: sdfg.float64[M, N]):
    for i in range(M):
        for j in range(N):
            s = 0.0
            for k in range(M - i):
                s = s + A[i + k, i] * X[i + k, j]
            C[i, j] = s


def in_place(A: sdfg.float64[M, M], C: sdfg.float64[M, N]):
    for i in range(M):
        for j in range(N):
            C[i, j] += A[i + 1 :, i] @ C[i + 1 :, j]


def symmetric(A: sdfg.float64[M, M], X: sdfg.float64[M, N], C: sdfg.float64[M, N]):
    t = sdfg.ndarray([N], sdfg.float64)
    for i in range(M):
        for j in range(N):
            C[:i, j] += 2 * X[i, j] * A[i, :i]
            t[j] = X[:i, j] @ A[i, :i]
        C[i, :] += X[i, :] * A[i, i] + t
