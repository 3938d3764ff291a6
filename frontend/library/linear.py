"""Linear algebra."""
import numpy as np


def norm(x, ord=None, axis=None, keepdims=False):
    if ord is None or ord == 2 and (axis is not None or np.ndim(x) == 1) or ord == "fro":
        return np.sqrt(np.sum(np.square(np.abs(x)), axis=axis, keepdims=keepdims))
    if np.ndim(x) == 2 and axis is None and not keepdims:
        return _matrix_norm(x, ord)
    if np.ndim(x) > 1 and not isinstance(axis, int):
        raise NotImplementedError("this norm of a matrix")
    if ord == np.inf:
        return np.max(np.abs(x), axis=axis, keepdims=keepdims)
    if ord == -np.inf:
        return np.min(np.abs(x), axis=axis, keepdims=keepdims)
    if ord == 0:
        return np.sum(np.not_equal(x, 0).astype(np.float64), axis=axis, keepdims=keepdims)
    if ord == 1:
        return np.sum(np.abs(x), axis=axis, keepdims=keepdims)
    return np.power(np.sum(np.power(np.abs(x), ord), axis=axis, keepdims=keepdims), 1.0 / ord)


def _matrix_norm(x, ord):
    if ord == 1:
        return np.max(np.sum(np.abs(x), axis=0))
    if ord == -1:
        return np.min(np.sum(np.abs(x), axis=0))
    if ord == np.inf:
        return np.max(np.sum(np.abs(x), axis=1))
    if ord == -np.inf:
        return np.min(np.sum(np.abs(x), axis=1))
    if ord == 2:
        return np.max(svdvals(x))
    if ord == -2:
        return np.min(svdvals(x))
    if ord == "nuc":
        return np.sum(svdvals(x))
    raise ValueError("a norm of a matrix is 'fro', 'nuc', 1, -1, 2, -2, inf or -inf")


def det(a):
    if np.ndim(a) != 2:
        raise NotImplementedError("np.linalg.det of more than a matrix")
    lu = a.astype(np.divide(a[0:1, 0:1], 1.0).dtype)
    n = lu.shape[0]
    result = np.ones((1,), lu.dtype)
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(lu[i, k]) > abs(lu[pivot, k]):
                pivot = i
        if pivot != k:
            for j in range(n):
                kept = lu[k, j]
                lu[k, j] = lu[pivot, j]
                lu[pivot, j] = kept
            result[0] = -result[0]
        result[0] = result[0] * lu[k, k]
        if lu[k, k] != 0:
            for i in range(k + 1, n):
                factor = lu[i, k] / lu[k, k]
                for j in range(k + 1, n):
                    lu[i, j] = lu[i, j] - factor * lu[k, j]
    return result[0]


def matrix_power(a, n):
    if n < 0:
        return matrix_power_of(np.linalg.inv(a), -n)
    return matrix_power_of(a, n)


def matrix_power_of(a, n):
    if n == 0:
        return np.eye(a.shape[0], dtype=a.dtype)
    result = a
    for _ in tuple(range(n - 1)):
        result = result @ a
    return result


def slogdet(a):
    d = det(a)
    return np.sign(d), np.log(np.abs(d))


def multi_dot(arrays):
    result = arrays[0]
    for k in tuple(range(1, len(arrays))):
        result = result @ arrays[k]
    return result


def qr(a, mode="reduced"):
    """Householder's reflections, as LAPACK's geqrf makes them."""
    if mode != "reduced" and mode != "r":
        raise NotImplementedError("np.linalg.qr with a mode other than 'reduced' and 'r'")
    m, n = a.shape
    k = min(m, n)
    r = a.astype(np.divide(a[0:1, 0:1], 1.0).dtype)
    v = np.zeros((k, m), r.dtype) # the vectors of the reflections
    scale = np.zeros((k,), r.dtype)
    for j in range(k):
        size = np.sqrt(np.sum(np.square(r[j:, j])))
        rest = np.sum(np.square(r[j + 1:, j]))
        if rest > 0:
            head = r[j, j]
            pivot = -size if head >= 0 else size
            scale[j] = (pivot - head) / pivot
            v[j, j] = 1
            v[j, j + 1:] = r[j + 1:, j] / (head - pivot)
            for c in range(j, n):
                dot = np.sum(v[j, j:] * r[j:, c])
                r[j:, c] -= scale[j] * dot * v[j, j:]
    upper = np.triu(r[:k, :])
    if mode == "r":
        return upper
    q = np.eye(m, k, dtype=r.dtype)
    for t in range(k):
        j = k - 1 - t
        for c in range(k):
            dot = np.sum(v[j, j:] * q[j:, c])
            q[j:, c] -= scale[j] * dot * v[j, j:]
    return q, upper


def vector_norm(x, ord=2, axis=None, keepdims=False):
    return norm(np.ravel(x) if axis is None else x, ord, axis, keepdims)


def matrix_norm(x, ord="fro"):
    if np.ndim(x) != 2:
        raise NotImplementedError("np.linalg.matrix_norm of anything but a matrix")
    return norm(x, ord)
