"""Reductions, products, solvers."""
import numpy as np
import sdfg

N, M, K = (sdfg.symbol(s) for s in ("N", "M", "K"))


@sdfg.program
def sums(A: sdfg.float64[N, M], B: sdfg.int32[N], C: sdfg.bool[N]):
    return np.sum(A), np.sum(A, axis=0), A.sum(axis=-1), np.sum(B), np.sum(C), np.mean(B)


@sdfg.program
def means(A: sdfg.float64[N, M, K]):
    return np.mean(A, axis=(0, 2)), A.mean(), np.prod(A, axis=1)


@sdfg.program
def keep(A: sdfg.float64[N, M]):
    return A - np.mean(A, axis=1, keepdims=True), np.max(A, axis=0, keepdims=True)


@sdfg.program
def extremes(A: sdfg.float64[N, M], B: sdfg.int64[N]):
    return np.max(A), np.min(A, axis=1), np.amax(B), B.min()


@sdfg.program
def logic(A: sdfg.float64[N, M]):
    return np.any(A > 1), np.all(A > -100, axis=1), (A > 0).any(axis=0)


@sdfg.program
def reduce(A: sdfg.float64[N, M]):
    return np.add.reduce(A), np.maximum.reduce(A, axis=-1, keepdims=True), np.multiply.reduce(A, axis=1, initial=2)


@sdfg.program
def of_expression(A: sdfg.float64[N], B: sdfg.float64[N]):
    return np.sum(A * B + 1), np.sqrt(np.sum(A ** 2))


@sdfg.program
def gemm(alpha: sdfg.float64, beta: sdfg.float64, C: sdfg.float64[N, M], A: sdfg.float64[N, K], B: sdfg.float64[K, M]):
    C[:] = alpha * A @ B + beta * C


@sdfg.program
def vectors(A: sdfg.float64[N, M], x: sdfg.float64[M], y: sdfg.float64[N]):
    return A @ x, y @ A, x @ x, np.dot(y, A), np.matmul(A, x)


@sdfg.program
def parts(A: sdfg.float64[N, N], x: sdfg.float64[N]):
    for i in range(1, N):
        x[i] = A[i, :i] @ x[:i]


@sdfg.program
def batches(A: sdfg.float64[K, N, M], B: sdfg.float64[M, N]):
    return A @ B


@sdfg.program
def turned(A: sdfg.float64[N, M]):
    return A.T @ A, A @ A.T


@sdfg.program
def solve(A: sdfg.float64[N, N], b: sdfg.float64[N, M]):
    return np.linalg.solve(A + 10 * np.eye(N), b)


@sdfg.program
def cholesky(A: sdfg.float64[N, N]):
    return np.linalg.cholesky(A @ A.T + 5 * np.eye(N))


@sdfg.program
def softmax(A: sdfg.float32[N, M]):
    e = np.exp(A - np.max(A, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


@sdfg.program
def integer_product(A: sdfg.int64[N, M], B: sdfg.int64[M, N]):
    return A @ B


@sdfg.program
def variance(A: sdfg.float64[N, M], B: sdfg.int32[N]):
    return np.var(A), np.std(A, axis=0), A.std(axis=1, keepdims=True, ddof=1), np.var(B)


@sdfg.program
def sums_into_regions(A: sdfg.float64[N, M], B: sdfg.float64[M, M], S: sdfg.float32[N, M], V: sdfg.float64[M]):
    T = np.zeros((N, M))
    for i in range(N):
        T[i, :] = np.sum(A[:, np.newaxis, :] * B[i % M, :, np.newaxis], axis=(0, 1))
    A[0, :] = np.sum(A, axis=0)
    A[1:3, 0] = np.max(A[1:3], axis=1)
    B[0] = np.mean(B, axis=1)
    B[1, ::1] = np.prod(B[:2], axis=0, initial=2)
    S[2, :] = np.sum(T, axis=0)
    S[1, :] = np.sum(S, axis=0, dtype=np.float32)
    V[:] = np.sum(B, axis=1) + V
    V[1:] = np.min(T[:, 1:], axis=0)
    W = T
    T[3, :] = np.sum(W[2:4], axis=0)
    for i in range(M):
        B[:, i] = np.sum(B[:, :i + 1], axis=1)
    for i, j in sdfg.map[0:N, 0:2]:
        S[i, j:j + 1] = np.max(S[i:i + 1, 1:] + j, axis=1)
    T[np.sum(np.array([1, 1])), :] = np.max(A, axis=0)
    return T
