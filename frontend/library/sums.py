"""Sums, products and what else goes along an axis."""
import numpy as np


def accumulate(f, array, axis=0, dtype=None, out=None):
    a = np.asarray(array)
    axis = _axis(a, axis)
    if dtype is None:
        dtype = f(a[_at(axis, slice(0, 1))], a[_at(axis, slice(0, 1))]).dtype
        if f is np.add or f is np.multiply:
            dtype = _wide(a, None)
    result = a.astype(dtype)
    for i in range(1, a.shape[axis]):
        result[_at(axis, i)] = f(result[_at(axis, i - 1)], result[_at(axis, i)])
    return _into(out, result)


def reduce(f, array, axis=0, dtype=None, out=None, keepdims=False, initial=None):
    a = np.asarray(array)
    if axis is None:
        a = np.ravel(a)
        axis = 0
    if isinstance(axis, tuple):
        raise NotImplementedError("this reduction along several axes")
    axis = _axis(a, axis)
    first = a[_at(axis, 0)]
    if initial is not None:
        first = f(initial, first)
    result = np.atleast_1d(f(first, first) if dtype is None else np.asarray(first).astype(dtype))
    result[...] = first
    for i in range(1, a.shape[axis]):
        result[...] = f(result, a[_at(axis, i)])
    if keepdims:
        result = result[_at(axis, None)] if a.ndim > 1 else result
        return _into(out, result)
    if a.ndim == 1:
        return _into(out, result[0])
    return _into(out, result)


def cumsum(a, axis=None, dtype=None, out=None):
    a, axis = _along(np.asarray(a), axis)
    return accumulate(np.add, a, axis, dtype, out)


def cumprod(a, axis=None, dtype=None, out=None):
    a, axis = _along(np.asarray(a), axis)
    return accumulate(np.multiply, a, axis, dtype, out)


def diff(a, n=1, axis=-1):
    a = np.asarray(a)
    axis = _axis(a, axis)
    for _ in tuple(range(n)):
        a = np.subtract(a[_at(axis, slice(1, None))], a[_at(axis, slice(None, -1))])
    return a


def trace(a, offset=0):
    return np.sum(np.diagonal(a, offset))


def count_nonzero(a, axis=None, keepdims=False):
    return np.sum(np.not_equal(a, 0), axis=axis, keepdims=keepdims)


def ptp(a, axis=None):
    return np.max(a, axis=axis) - np.min(a, axis=axis)


def average(a, axis=None, weights=None):
    if weights is None:
        return np.mean(a, axis=axis)
    return np.sum(np.multiply(a, weights), axis=axis) / np.sum(weights, axis=None if weights.ndim == 1 else axis)


def nansum(a, axis=None):
    return np.sum(np.where(np.isnan(a), 0, a), axis=axis)


def nanprod(a, axis=None):
    return np.prod(np.where(np.isnan(a), 1, a), axis=axis)


def nanmean(a, axis=None):
    return nansum(a, axis) / np.sum(np.logical_not(np.isnan(a)), axis=axis)


def nanmax(a, axis=None):
    return np.fmax.reduce(a, axis=axis)


def nanmin(a, axis=None):
    return np.fmin.reduce(a, axis=axis)


def vdot(a, b):
    return np.sum(np.conj(np.ravel(a)) * np.ravel(b))


def inner(a, b):
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return np.multiply(a, b)
    if np.ndim(a) == 1 and np.ndim(b) == 1:
        return np.dot(a, b)
    return np.tensordot(a, b, axes=((-1,), (-1,)))


def kron(a, b):
    a, b = np.atleast_2d(np.asarray(a)), np.atleast_2d(np.asarray(b))
    product = a[:, None, :, None] * b[None, :, None, :]
    return np.reshape(product, (a.shape[0] * b.shape[0], a.shape[1] * b.shape[1]))


def cross(a, b):
    if np.ndim(a) != 1 or np.ndim(b) != 1:
        raise NotImplementedError("np.cross of more than one dimension")
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def convolve(a, v, mode="full"):
    a, v = np.asarray(a), np.asarray(v)
    if mode != "full":
        raise NotImplementedError("np.convolve with a mode other than 'full'")
    result = np.zeros((a.shape[0] + v.shape[0] - 1,), np.multiply(a[0:1], v[0:1]).dtype)
    for i in range(v.shape[0]):
        result[i:i + a.shape[0]] += a * v[i]
    return result


def trapezoid(y, x=None, dx=1.0, axis=-1):
    y = np.asarray(y)
    axis = _axis(y, axis)
    pairs = y[_at(axis, slice(1, None))] + y[_at(axis, slice(None, -1))]
    if x is None:
        return np.sum(pairs * dx / 2.0, axis=axis)
    if np.ndim(x) != 1 or axis != y.ndim - 1:
        raise NotImplementedError("np.trapezoid with x along another axis than the last")
    return np.sum(pairs * diff(x) / 2.0, axis=axis)


def interp(x, xp, fp):
    result = np.zeros_like(np.atleast_1d(x), dtype=np.float64)
    points = np.ravel(np.atleast_1d(x))
    flat = np.ravel(result)
    n = len(xp)
    for i in range(len(points)):
        low = 0
        high = n - 1
        while high - low > 1:
            middle = (low + high) // 2
            if xp[middle] <= points[i]:
                low = middle
            else:
                high = middle
        slope = (fp[high] - fp[low]) / (xp[high] - xp[low])
        value = fp[low] + slope * (points[i] - xp[low])
        value = fp[0] if points[i] < xp[0] else value
        flat[i] = fp[n - 1] if points[i] >= xp[n - 1] else value
    if np.ndim(x) == 0:
        return result[0]
    return result
