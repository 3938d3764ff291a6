"""Elements by their positions, and positions."""
import numpy as np


def take(a, indices, axis=None, out=None):
    a, along = _along(np.asarray(a), axis)
    at = np.asarray(indices)
    if np.ndim(at) == 0:
        return _into(out, np.copy(a[_at(along, indices)]))
    points = np.ravel(at)
    result = np.empty(a.shape[:along] + (len(points),) + a.shape[along + 1:], a.dtype)
    for i in range(len(points)):
        result[_at(along, i)] = a[_at(along, points[i])]
    return _into(out, np.reshape(result, a.shape[:along] + at.shape + a.shape[along + 1:]))


def take_along_axis(arr, indices, axis=-1):
    arr, along = _along(np.asarray(arr), axis)
    a, at = np.moveaxis(arr, along, -1), np.moveaxis(indices, along, -1)
    n = at.shape[-1]
    rows, points = np.reshape(a, (-1, a.shape[-1])), np.reshape(at, (-1, n))
    result = np.empty((points.shape[0], n), arr.dtype)
    for r in range(points.shape[0]):
        for i in range(n):
            result[r, i] = rows[r, points[r, i]]
    return np.moveaxis(np.reshape(result, at.shape), -1, along)


def compress(condition, a, axis=None, out=None):
    a, along = _along(np.asarray(a), axis)
    return _into(out, take(a, flatnonzero(condition), along))


def extract(condition, arr):
    return _masked(np.ravel(arr), np.ravel(condition))


def choose(a, choices, out=None):
    result = choices[0]
    for k in tuple(range(1, len(choices))):
        result = np.where(np.equal(a, k), choices[k], result)
    return _into(out, result)


def put(a, ind, v):
    flat = np.ravel(a)
    at, values = np.ravel(np.atleast_1d(np.asarray(ind))), np.ravel(np.atleast_1d(np.asarray(v)))
    for i in range(len(at)):
        flat[at[i]] = values[i % len(values)]


def putmask(a, mask, values):
    flat, m = np.ravel(a), np.ravel(mask)
    v = np.ravel(np.atleast_1d(np.asarray(values)))
    for i in range(len(m)):
        if m[i]:
            flat[i] = v[i % len(v)]


def place(arr, mask, vals):
    flat, m = np.ravel(arr), np.ravel(mask)
    v = np.ravel(np.atleast_1d(np.asarray(vals)))
    k = 0
    for i in range(len(m)):
        if m[i]:
            flat[i] = v[k % len(v)]
            k += 1


def copyto(dst, src, where=None):
    if where is None:
        dst[...] = src
    else:
        dst[...] = np.where(where, src, dst)


def fill_diagonal(a, val):
    if np.ndim(a) != 2:
        raise NotImplementedError("np.fill_diagonal of more than a matrix")
    values = np.ravel(np.atleast_1d(np.asarray(val)))
    for i in range(min(a.shape[0], a.shape[1])):
        a[i, i] = values[i % len(values)]


def diagflat(v, k=0):
    return np.diag(np.ravel(np.asarray(v)), k)


def diag_indices(n, ndim=2):
    return (np.arange(n),) * ndim


def tril_indices(n, k=0, m=None):
    return np.nonzero(np.tri(n, n if m is None else m, k, np.bool_))


def triu_indices(n, k=0, m=None):
    return np.nonzero(np.logical_not(np.tri(n, n if m is None else m, k - 1, np.bool_)))


def tril_indices_from(arr, k=0):
    return tril_indices(arr.shape[0], k, arr.shape[1])


def triu_indices_from(arr, k=0):
    return triu_indices(arr.shape[0], k, arr.shape[1])


def argwhere(a):
    at = np.nonzero(a)
    return np.stack(at, axis=1)


def indices(dimensions, dtype=np.int64):
    rank = len(dimensions)
    result = np.empty((rank,) + tuple(dimensions), dtype)
    for k in tuple(range(rank)):
        result[k] = np.reshape(np.arange(dimensions[k]), (1,) * k + (dimensions[k],) + (1,) * (rank - k - 1))
    return result


def fromfunction(function, shape, dtype=np.float64):
    at = indices(shape, dtype)
    return function(*[at[k] for k in range(len(shape))])


def unravel_index(indices, shape):
    rest = np.asarray(indices)
    result = ()
    for k in tuple(range(len(shape))):
        d = shape[len(shape) - 1 - k]
        result = (rest % d,) + result
        rest = rest // d
    return result


def ravel_multi_index(multi_index, dims):
    result = multi_index[0]
    for k in tuple(range(1, len(dims))):
        result = result * dims[k] + multi_index[k]
    return result


def lexsort(keys, axis=-1):
    order = argsort(keys[0])
    for k in tuple(range(1, len(keys))):
        order = take(order, argsort(take(keys[k], order)))
    return order


def delete(arr, obj, axis=None):
    arr, along = _along(np.asarray(arr), axis)
    if np.ndim(obj) != 0:
        raise NotImplementedError("np.delete of more than one position")
    n = arr.shape[along]
    at = obj % n
    result = np.empty(arr.shape[:along] + (n - 1,) + arr.shape[along + 1:], arr.dtype)
    for i in range(n - 1):
        result[_at(along, i)] = arr[_at(along, i if i < at else i + 1)]
    return result


def insert(arr, obj, values, axis=None):
    arr, along = _along(np.asarray(arr), axis)
    if np.ndim(obj) != 0:
        raise NotImplementedError("np.insert at more than one position")
    n = arr.shape[along]
    at = obj + n if obj < 0 else obj
    result = np.empty(arr.shape[:along] + (n + 1,) + arr.shape[along + 1:], arr.dtype)
    for i in range(n):
        result[_at(along, i if i < at else i + 1)] = arr[_at(along, i)]
    result[_at(along, at)] = values
    return result


def resize(a, new_shape):
    flat = np.ravel(np.asarray(a))
    shape = new_shape if isinstance(new_shape, (tuple, list)) else (new_shape,)
    result = np.empty(shape, flat.dtype)
    out = np.ravel(result)
    for i in range(len(out)):
        out[i] = flat[i % len(flat)]
    return result


def apply_along_axis(func1d, axis, arr):
    axis = _axis(arr, axis)
    moved = np.moveaxis(arr, axis, -1)
    rows = np.reshape(moved, (-1, arr.shape[axis]))
    first = func1d(rows[0])
    if np.ndim(first) == 0:
        one = np.empty((rows.shape[0],), np.asarray(first).dtype)
        for r in range(rows.shape[0]):
            one[r] = func1d(rows[r])
        return np.reshape(one, moved.shape[:-1])
    if np.ndim(first) != 1:
        raise NotImplementedError("np.apply_along_axis with a function that gives more than a vector")
    many = np.empty((rows.shape[0], first.shape[0]), first.dtype)
    for r in range(rows.shape[0]):
        many[r] = func1d(rows[r])
    return np.moveaxis(np.reshape(many, moved.shape[:-1] + (first.shape[0],)), -1, axis)


def put_along_axis(arr, indices, values, axis=-1):
    if axis is None or arr.ndim == 1:
        flat, at = np.reshape(arr, (-1,)), np.ravel(indices)
        given = np.broadcast_to(np.ravel(np.asarray(values)), at.shape)
        for i in range(at.shape[0]):
            flat[at[i]] = given[i]
    else:
        view, at = np.moveaxis(arr, axis, -1), np.moveaxis(indices, axis, -1)
        n = at.shape[-1]
        given = np.reshape(np.moveaxis(np.broadcast_to(np.asarray(values), indices.shape), axis, -1), (-1, n))
        rows, points = np.copy(np.reshape(view, (-1, view.shape[-1]))), np.reshape(at, (-1, n))
        for r in range(points.shape[0]):
            for i in range(n):
                rows[r, points[r, i]] = given[r, i]
        view[...] = np.reshape(rows, view.shape)


def diag_indices_from(arr):
    return diag_indices(arr.shape[0], arr.ndim)


def ix_(*args):
    parts = ()
    for k in tuple(range(len(args))):
        parts = parts + (np.reshape(args[k], (1,) * k + (-1,) + (1,) * (len(args) - k - 1)),)
    return parts


def ufunc_at(f, a, indices, b=None):
    if b is None:
        raise TypeError("the second operand is missing")
    given = indices if isinstance(indices, tuple) else (indices,)
    if any([isinstance(p, slice) for p in given]):
        raise NotImplementedError("a slice among the indices of ufunc.at")
    parts = tuple([np.ravel(np.asarray(p)) for p in given])
    tail = a.shape[len(given):]
    values = np.reshape(np.broadcast_to(np.asarray(b), np.asarray(given[0]).shape + tail), (-1,) + tail)
    for i in range(len(parts[0])):
        at = tuple([p[i] for p in parts])
        a[at] = f(a[at], values[i])
