"""Eigenvalues of symmetric matrices and singular values, by Jacobi's rotations, and what follows from them."""
import numpy as np


def _real_matrix(a):
    """A copy of a matrix, of floating-point numbers."""
    a = np.asarray(a)
    if a.ndim != 2:
        raise NotImplementedError("a spectral decomposition of anything but a matrix")
    if a.dtype == np.complex128 or a.dtype == np.complex64:
        raise NotImplementedError("a spectral decomposition of complex numbers")
    return a.astype(np.divide(a[0:1, 0:1], 1.0).dtype)


def _epsilon(a):
    return 1.1920928955078125e-07 if a.dtype == np.float32 else 2.220446049250313e-16


def _symmetric(a, UPLO):
    """The matrix that one triangle stands for."""
    if UPLO == "L":
        return np.tril(a) + np.transpose(np.tril(a, -1))
    if UPLO == "U":
        return np.triu(a) + np.transpose(np.triu(a, 1))
    raise ValueError("'UPLO' is 'L' or 'U'")


def _diagonalise(s, v):
    """Turns s into a diagonal matrix by rotations, which v collects in its columns."""
    n = s.shape[0]
    tiny = _epsilon(s)
    for sweep in range(60):
        turns = 0
        for p in range(n - 1):
            for q in range(p + 1, n):
                if abs(s[p, q]) > tiny * tiny * (abs(s[p, p]) + abs(s[q, q])):
                    turns += 1
                    half = (s[q, q] - s[p, p]) / (2.0 * s[p, q])
                    t = 1.0 / (abs(half) + np.sqrt(half * half + 1.0))
                    if half < 0:
                        t = -t
                    c = 1.0 / np.sqrt(t * t + 1.0)
                    _turn_columns(s, p, q, c, t * c)
                    _turn_rows(s, p, q, c, t * c)
                    s[p, q] = 0
                    s[q, p] = 0
                    _turn_columns(v, p, q, c, t * c)
        if turns == 0:
            break


def _turn_columns(a, p, q, c, s):
    for i in range(a.shape[0]):
        x = a[i, p]
        y = a[i, q]
        a[i, p] = c * x - s * y
        a[i, q] = s * x + c * y


def _turn_rows(a, p, q, c, s):
    for i in range(a.shape[1]):
        x = a[p, i]
        y = a[q, i]
        a[p, i] = c * x - s * y
        a[q, i] = s * x + c * y


def eigh(a, UPLO="L"):
    s = _symmetric(_real_matrix(a), UPLO)
    v = np.eye(s.shape[0], dtype=s.dtype)
    _diagonalise(s, v)
    values = np.copy(np.diagonal(s))
    order = argsort(values)
    return values[order], v[:, order]


def eigvalsh(a, UPLO="L"):
    values, vectors = eigh(a, UPLO)
    return values


def _orthogonalise(w, v):
    """Makes the columns of w orthogonal by rotations, which v collects in its columns."""
    m, n = w.shape
    tiny = _epsilon(w)
    for sweep in range(60):
        turns = 0
        for p in range(n - 1):
            for q in range(p + 1, n):
                x = np.dot(w[:, p], w[:, p])
                y = np.dot(w[:, q], w[:, q])
                dot = np.dot(w[:, p], w[:, q])
                if abs(dot) > 2.0 * tiny * np.sqrt(x * y):
                    turns += 1
                    half = (y - x) / (2.0 * dot)
                    t = 1.0 / (abs(half) + np.sqrt(half * half + 1.0))
                    if half < 0:
                        t = -t
                    c = 1.0 / np.sqrt(t * t + 1.0)
                    _turn_columns(w, p, q, c, t * c)
                    _turn_columns(v, p, q, c, t * c)
        if turns == 0:
            break


def _complete(u, s, limit):
    """Columns of u that no singular value above the limit belongs to become unit vectors orthogonal to those before."""
    m = u.shape[0]
    k = len(s)
    for j in range(u.shape[1]):
        missing = True
        if j < k:
            missing = s[j] <= limit
        if missing:
            size = np.zeros((m,), u.dtype)
            for i in range(j):
                size += np.square(u[:, i])
            u[:, j] = 0
            u[np.argmin(size), j] = 1
            for again in range(2):
                for i in range(j):
                    u[:, j] -= np.dot(u[:, i], u[:, j]) * u[:, i]
            u[:, j] /= np.sqrt(np.dot(u[:, j], u[:, j]))


def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    if hermitian:
        raise NotImplementedError("np.linalg.svd with 'hermitian': use np.linalg.eigh")
    w = _real_matrix(a)
    m, n = w.shape
    k = min(m, n)
    v = np.eye(n, dtype=w.dtype)
    _orthogonalise(w, v)
    sizes = np.sqrt(np.sum(np.square(w), axis=0))
    order = argsort(-sizes)
    s = sizes[order[:k]]
    if not compute_uv:
        return s
    u = np.zeros((m, m if full_matrices else k), dtype=w.dtype)
    for j in range(k):
        if s[j] > 0:
            u[:, j] = w[:, order[j]] / s[j]
    _complete(u, s, s[0] * max(m, n) * _epsilon(w))
    if full_matrices:
        return u, s, np.transpose(v[:, order])
    return u, s, np.transpose(v[:, order[:k]])


def svdvals(x):
    return svd(x, compute_uv=False)


def matrix_rank(A, tol=None):
    if np.ndim(A) < 2:
        return int(np.any(np.not_equal(A, 0)))
    s = svdvals(A)
    limit = tol if tol is not None else s[0] * max(A.shape[0], A.shape[1]) * _epsilon(s)
    return np.sum(s > limit)


def cond(x, p=None):
    if p is None or p == 2:
        s = svdvals(x)
        return s[0] / s[len(s) - 1]
    if p == -2:
        s = svdvals(x)
        return s[len(s) - 1] / s[0]
    return norm(x, p) * norm(np.linalg.inv(x), p)


def pinv(a, rcond=None, hermitian=False):
    u, s, vh = svd(a, full_matrices=False, hermitian=hermitian)
    limit = s[0] * (1e-15 if rcond is None else rcond)
    inverse = np.where(s > limit, 1.0 / np.where(s > limit, s, 1.0), 0.0).astype(s.dtype)
    return np.transpose(vh) @ (inverse[:, None] * np.transpose(u))


def lstsq(a, b, rcond=None):
    if np.ndim(b) > 2:
        raise ValueError("the right side of a system of equations is a vector or a matrix")
    m, n = a.shape
    u, s, vh = svd(a, full_matrices=False)
    limit = s[0] * (max(m, n) * _epsilon(s) if rcond is None else rcond)
    inverse = np.where(s > limit, 1.0 / np.where(s > limit, s, 1.0), 0.0).astype(s.dtype)
    right = b if np.ndim(b) == 2 else np.reshape(b, (m, 1))
    x = np.transpose(vh) @ (inverse[:, None] * (np.transpose(u) @ right))
    overdetermined = min(max(m - n, 0), 1) # extents of the residuals, which are none without that
    residuals = np.zeros((overdetermined * right.shape[1],), s.dtype)
    residuals[:] = np.sum(np.square(a @ x - right), axis=0)[:overdetermined * right.shape[1]]
    rank = np.sum(s > limit).astype(np.int32)
    if np.ndim(b) == 2:
        return x, residuals, rank, s
    return np.reshape(x, (n,)), residuals, rank, s
