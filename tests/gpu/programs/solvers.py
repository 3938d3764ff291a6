"""Factorizations, solutions and inverses, in the forms that a library of a GPU does."""
import numpy as np

import sdfg

N, M, B, T = (sdfg.symbol(name) for name in "NMBT")


def cholesky(A: sdfg.float64[N, N], C: sdfg.float64[N, N]):
    S = A @ A.T
    for i in range(N):
        S[i, i] = S[i, i] + N
    C[:] = np.linalg.cholesky(S)


def cholesky_single(A: sdfg.float32[N, N], C: sdfg.float32[N, N]):
    C[:] = np.linalg.cholesky(A @ A.T + N * np.eye(N, dtype=np.float32))


def cholesky_complex(A: sdfg.complex128[N, N], C: sdfg.complex128[N, N]):
    C[:] = np.linalg.cholesky(A @ np.conj(A).T + N * np.eye(N))


def solve(A: sdfg.float64[N, N], X: sdfg.float64[N, M], C: sdfg.float64[N, M]):
    C[:] = np.linalg.solve(A + N * np.eye(N), X)


def solve_single(A: sdfg.float32[N, N], X: sdfg.float32[N, M], C: sdfg.float32[N, M]):
    C[:] = np.linalg.solve(A, X)


def solve_complex(A: sdfg.complex128[N, N], X: sdfg.complex128[N, M], C: sdfg.complex128[N, M]):
    C[:] = np.linalg.solve(A, X)


def solve_turned(A: sdfg.float64[N, N], X: sdfg.float64[M, N], C: sdfg.float64[M, N]):
    C[:] = np.linalg.solve(A.T, X.T).T


def solve_vector(A: sdfg.float64[N, N], X: sdfg.float64[N], C: sdfg.float64[N]):
    C[:] = np.linalg.solve(A, X)


def inverse(A: sdfg.float64[N, N], C: sdfg.float64[N, N]):
    C[:] = np.linalg.inv(A)


def inverse_complex(A: sdfg.complex64[N, N], C: sdfg.complex64[N, N]):
    C[:] = np.linalg.inv(A)


def part(A: sdfg.float64[2 * N, 3 * N], C: sdfg.float64[N, 2 * N]):
    C[:, N:] = np.linalg.inv(A[N:, N : 2 * N])


def stack(A: sdfg.float64[B, N, N], C: sdfg.float64[B, N, N]):
    for b in sdfg.map[0:B]:
        C[b] = np.linalg.inv(A[b])


def two(A: sdfg.float64[B, N, N], C: sdfg.float64[B, N, N]):
    for b in sdfg.map[0:B]:
        C[b] = np.linalg.inv(A[b]) + np.linalg.inv(A[b].T)


def stack_solve(A: sdfg.complex128[B, N, N], X: sdfg.complex128[B, N, M], C: sdfg.complex128[B, N, M]):
    for b in sdfg.map[0:B]:
        C[b] = np.linalg.solve(A[b], X[b])


def stack_cholesky(A: sdfg.float64[B, N, N], C: sdfg.float64[B, N, N]):
    S = np.zeros((B, N, N))
    for b in sdfg.map[0:B]:
        S[b] = A[b] @ A[b].T + N * np.eye(N)
    for b in sdfg.map[0:B]:
        C[b] = np.linalg.cholesky(S[b])


def steps(A: sdfg.float64[N, N], X: sdfg.float64[N, M], C: sdfg.float64[N, M]):
    for t in range(T):
        C[:] = np.linalg.solve(A, X)
        X[:] = C + 0.5 * X


def singular(A: sdfg.float64[N, N], C: sdfg.float64[N, N]):
    C[:] = np.linalg.inv(A * 0.0)


def indefinite(A: sdfg.float64[N, N], C: sdfg.float64[N, N]):
    C[:] = np.linalg.cholesky(A - A)
