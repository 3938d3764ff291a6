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
    if isinstance(axis, (tuple, list)):
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


def _may_be_nan(a):
    return a.dtype == np.float64 or a.dtype == np.float32 or a.dtype == np.float16


def nanmax(a, axis=None):
    a = np.asarray(a)
    if not _may_be_nan(a):
        return np.max(a, axis=axis)
    largest = np.max(np.where(np.isnan(a), -np.inf, a), axis=axis)
    return np.where(np.all(np.isnan(a), axis=axis), np.nan, largest)


def nanmin(a, axis=None):
    a = np.asarray(a)
    if not _may_be_nan(a):
        return np.min(a, axis=axis)
    smallest = np.min(np.where(np.isnan(a), np.inf, a), axis=axis)
    return np.where(np.all(np.isnan(a), axis=axis), np.nan, smallest)


def nancumsum(a, axis=None, dtype=None, out=None):
    return cumsum(np.where(np.isnan(a), 0, a), axis, dtype, out)


def nancumprod(a, axis=None, dtype=None, out=None):
    return cumprod(np.where(np.isnan(a), 1, a), axis, dtype, out)


def cumulative_sum(x, axis=None, dtype=None, out=None, include_initial=False):
    return _cumulative(cumsum, 0, x, axis, dtype, out, include_initial)


def cumulative_prod(x, axis=None, dtype=None, out=None, include_initial=False):
    return _cumulative(cumprod, 1, x, axis, dtype, out, include_initial)


def _cumulative(f, neutral, x, axis, dtype, out, include_initial):
    if axis is None and np.ndim(x) != 1:
        raise ValueError("'axis' is needed for arrays of more than one dimension")
    axis = 0 if axis is None else _axis(x, axis)
    result = f(x, axis, dtype)
    if include_initial:
        first = np.full_like(result[_at(axis, slice(0, 1))], neutral)
        result = np.concatenate((first, result), axis=axis)
    return _into(out, result)


def ediff1d(ary, to_end=None, to_begin=None):
    result = diff(np.ravel(ary))
    if to_begin is not None:
        result = np.concatenate((np.ravel(np.atleast_1d(np.asarray(to_begin))), result))
    if to_end is not None:
        result = np.concatenate((result, np.ravel(np.atleast_1d(np.asarray(to_end)))))
    return result


def gradient(f, *varargs, axis=None, edge_order=1):
    f = np.asarray(f)
    if edge_order != 1 and edge_order != 2:
        raise ValueError("'edge_order' is 1 or 2")
    axes = tuple(range(f.ndim))
    if axis is not None:
        axes = tuple([_axis(f, a) for a in axis]) if isinstance(axis, (tuple, list)) else (_axis(f, axis),)
    spacing = varargs
    if len(varargs) == 0:
        spacing = (1.0,) * len(axes)
    elif len(varargs) == 1:
        spacing = varargs * len(axes)
    elif len(varargs) != len(axes):
        raise ValueError("one spacing for each axis is needed")
    parts = tuple([_gradient(f, axes[k], spacing[k], edge_order) for k in range(len(axes))])
    if len(axes) == 1:
        return parts[0]
    return parts


def _gradient(f, axis, h, edge_order):
    n = f.shape[axis]
    result = np.empty(f.shape, np.divide(f[_at(axis, slice(0, 1))], 1.0).dtype)
    before, here, behind = f[_at(axis, slice(0, n - 2))], f[_at(axis, slice(1, n - 1))], f[_at(axis, slice(2, n))]
    if np.ndim(h) == 0:
        result[_at(axis, slice(1, n - 1))] = (behind - before) / (2.0 * h)
        if edge_order == 1:
            result[_at(axis, 0)] = (f[_at(axis, 1)] - f[_at(axis, 0)]) / h
            result[_at(axis, n - 1)] = (f[_at(axis, n - 1)] - f[_at(axis, n - 2)]) / h
        else:
            result[_at(axis, 0)] = (-1.5 * f[_at(axis, 0)] + 2.0 * f[_at(axis, 1)] - 0.5 * f[_at(axis, 2)]) / h
            result[_at(axis, n - 1)] = (0.5 * f[_at(axis, n - 3)] - 2.0 * f[_at(axis, n - 2)] + 1.5 * f[_at(axis, n - 1)]) / h
        return result
    if edge_order == 2:
        raise NotImplementedError("np.gradient with coordinates and edge_order=2")
    d = diff(h) * 1.0
    shape = (1,) * axis + (n - 2,) + (1,) * (f.ndim - axis - 1)
    low, high = np.reshape(d[0:n - 2], shape), np.reshape(d[1:n - 1], shape)
    result[_at(axis, slice(1, n - 1))] = (before * (-high / (low * (low + high))) + here * ((high - low) / (low * high))
                                          + behind * (low / (high * (low + high))))
    result[_at(axis, 0)] = (f[_at(axis, 1)] - f[_at(axis, 0)]) / d[0]
    result[_at(axis, n - 1)] = (f[_at(axis, n - 1)] - f[_at(axis, n - 2)]) / d[n - 2]
    return result


def vecdot(x1, x2, axis=-1):
    return np.sum(np.conj(x1) * x2, axis=axis)


def matvec(x1, x2):
    return np.sum(x1 * x2[..., None, :], axis=-1)


def vecmat(x1, x2):
    return np.sum(np.conj(x1)[..., :, None] * x2, axis=-2)


def vdot(a, b):
    return np.sum(np.conj(np.ravel(a)) * np.ravel(b))


def inner(a, b):
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return np.multiply(a, b)
    if np.ndim(a) == 1 and np.ndim(b) == 1:
        return np.dot(a, b)
    return np.tensordot(a, b, axes=((-1,), (-1,)))


def kron(a, b):
    if np.ndim(a) == 1 and np.ndim(b) == 1:
        return np.ravel(np.multiply.outer(a, b))
    a, b = np.atleast_2d(np.asarray(a)), np.atleast_2d(np.asarray(b))
    product = a[:, None, :, None] * b[None, :, None, :]
    return np.reshape(product, (a.shape[0] * b.shape[0], a.shape[1] * b.shape[1]))


def cross(a, b):
    if np.ndim(a) != 1 or np.ndim(b) != 1:
        raise NotImplementedError("np.cross of more than one dimension")
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def trapezoid(y, x=None, dx=1.0, axis=-1):
    y = np.asarray(y)
    axis = _axis(y, axis)
    pairs = y[_at(axis, slice(1, None))] + y[_at(axis, slice(None, -1))]
    if x is None:
        return np.sum(pairs * dx / 2.0, axis=axis)
    if np.ndim(x) != 1 or axis != y.ndim - 1:
        raise NotImplementedError("np.trapezoid with x along another axis than the last")
    return np.sum(pairs * diff(x) / 2.0, axis=axis)
