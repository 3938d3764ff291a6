"""Spectral decompositions, and reductions of a part of the elements."""
import numpy as np
import sdfg
N, M = (sdfg.symbol(s) for s in ("N", "M"))


@sdfg.program
def matrix_norms(A: sdfg.float64[4, 3]):
    n = np.linalg.norm
    return n(A, 1), n(A, -1), n(A, np.inf), n(A, -np.inf), n(A, 2), n(A, -2), n(A, "nuc"), n(A, "fro")


@sdfg.program
def into_arrays(A: sdfg.float64[4, 5], I: sdfg.int32[4, 5]):
    B, c, d, e = np.zeros(5), np.zeros(4), np.zeros(4, dtype=np.float32), np.zeros(4)
    np.sum(A, axis=0, out=B)
    np.mean(I, 1, out=c)
    A.max(axis=1, out=d)
    np.std(A, axis=1, out=e)
    return B, c, d, e, np.sum(I, 1, np.float64), np.var(A, 0, np.float64, correction=1)


@sdfg.program
def decomposed(S: sdfg.float64[6, 6], A: sdfg.float64[N, M], B: sdfg.float64[M, N]):
    w, v = np.linalg.eigh(S + 3 * np.diag(np.arange(6)), UPLO="U")
    lower, _ = np.linalg.eigh(S)
    good = np.abs(v.T @ v - np.eye(6)).max() < 1e-12
    u, s, vt = np.linalg.svd(A)
    p, t, qt = np.linalg.svd(B, full_matrices=True)
    E = np.zeros((M, N))
    for i in range(M):
        E[i, i] = t[i]
    whole = np.abs(p @ E @ qt - B).max() < 1e-10
    square = np.abs(u.T @ u - np.eye(N)).max() < 1e-12
    return w, lower, good, s, t, whole, square, np.linalg.svdvals(A)


@sdfg.program
def of_low_rank(x: sdfg.float64[5], y: sdfg.float64[4]):
    A = np.outer(x, y) + np.outer(x * x, y[::-1])
    u, s, vt = np.linalg.svd(A, full_matrices=False)
    z, residuals, rank, t = np.linalg.lstsq(A, x, rcond=None)
    return np.linalg.matrix_rank(A), rank, z, np.abs(u @ np.diag(s) @ vt - A).max() < 1e-12, np.abs(u.T @ u - np.eye(4)).max() < 1e-12, np.linalg.pinv(A)


@sdfg.program
def fitted(A: sdfg.float64[6, 2], Y: sdfg.float64[6, 3], B: sdfg.float64[3, 3]):
    x, residuals, rank, s = np.linalg.lstsq(A, Y, rcond=None)
    S = B + 7 * np.eye(3)
    return x, residuals, rank, s, np.linalg.cond(S), np.linalg.cond(S, 1), np.linalg.cond(S, -2)


@sdfg.program
def in_single_precision(A: sdfg.float32[4, 4]):
    S = A + A.T
    return np.linalg.eigvalsh(S), np.linalg.svd(A, compute_uv=False), np.linalg.pinv(S + 8 * np.eye(4, dtype=np.float32))


@sdfg.program
def sum_where(A: sdfg.float64[4, 5], m: sdfg.bool[4, 5]):
    return np.sum(A, where=m), np.sum(A, axis=1, where=m), np.sum(A, axis=0, where=A > 0, initial=2.0)


@sdfg.program
def mean_where(A: sdfg.float64[4, 5], I: sdfg.int32[4, 5]):
    return np.mean(A, where=A > 0), np.mean(I, where=I > 0), np.mean(A, axis=1, where=A > -1.4)


@sdfg.program
def max_where(A: sdfg.float64[4, 5], I: sdfg.int32[4, 5]):
    return np.max(A, where=A < 0.5, initial=-10), np.min(I, axis=0, where=I > 0, initial=100), A.max(axis=1, where=A < 0, initial=-3.0)


@sdfg.program
def any_where(A: sdfg.float64[4, 5], m: sdfg.bool[4, 5]):
    return np.any(A > 1, where=m), np.all(A > 0, axis=1, where=A > 0.1), np.prod(A, where=m), np.prod(A, axis=0, where=m, keepdims=True)


@sdfg.program
def where_row(A: sdfg.float64[4, 5], m: sdfg.bool[5]):
    return np.sum(A, axis=0, where=m), np.sum(A, where=m), np.mean(A, axis=1, where=m)


@sdfg.program
def std_where(A: sdfg.float64[4, 5]):
    return np.std(A, where=A > -1), np.var(A, axis=1, where=A > -1.2)


@sdfg.program
def eigen(A: sdfg.float64[4, 4]):
    S = A + A.T
    w, v = np.linalg.eigh(S)
    return w, np.abs(v @ np.diag(w) @ v.T - S) < 1e-9


@sdfg.program
def eigen_values(A: sdfg.float64[5, 5]):
    S = A @ A.T
    return np.linalg.eigvalsh(S), np.linalg.eigvalsh(S.astype(np.float32))


@sdfg.program
def singular(A: sdfg.float64[5, 3]):
    u, s, vt = np.linalg.svd(A, full_matrices=False)
    return s, np.abs(u @ np.diag(s) @ vt - A) < 1e-9


@sdfg.program
def singular_values(A: sdfg.float64[3, 5]):
    return np.linalg.svd(A, compute_uv=False), np.linalg.matrix_rank(A), np.linalg.cond(A)


@sdfg.program
def pseudo_inverse(A: sdfg.float64[5, 3]):
    return np.linalg.pinv(A), np.linalg.pinv(A.T)
