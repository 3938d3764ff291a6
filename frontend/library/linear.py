"""Linear algebra."""
import numpy as np


def norm(x, ord=None, axis=None, keepdims=False):
    if ord is None or ord == 2 and (axis is not None or np.ndim(x) == 1) or ord == "fro":
        return np.sqrt(np.sum(np.square(np.abs(x)), axis=axis, keepdims=keepdims))
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
