"""Functions of NumPy in terms of others: rows of functions.def with `fn_library` call those here by name. What is known at
compile time (axes, shapes, types, branches on them) is decided there; loops over elements become loops of the graph.
`raise` gives an error at the call."""
import numpy as np


def _axis(a, axis):
    if isinstance(axis, tuple) and len(axis) == 1:
        axis = axis[0]
    if not isinstance(axis, int) or axis < -a.ndim or axis >= a.ndim:
        raise ValueError("there is no such axis")
    return axis % a.ndim


def _at(axis, index):
    """The subscript that has `index` at an axis and all of the axes before it."""
    return (slice(None),) * axis + (index,)


def _along(a, axis):
    """The array and the axis that a function goes along: all elements in a row for None."""
    if axis is None:
        return np.ravel(a), 0
    return a, _axis(a, axis)


def _wide(a, dtype):
    """The type of sums: that of the processor for narrow integers."""
    if dtype is not None:
        return dtype
    return np.add.reduce(np.ravel(a)[0:1]).dtype


def _into(out, value):
    if out is None:
        return value
    out[...] = value
    return out


# ---- methods of ufuncs ----

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


# ---- sums ----

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


# ---- positions and order ----

def argmax(a, axis=None, out=None, keepdims=False):
    return _position(np.greater, a, axis, out, keepdims)


def argmin(a, axis=None, out=None, keepdims=False):
    return _position(np.less, a, axis, out, keepdims)


def _position(better, a, axis, out, keepdims):
    a = np.asarray(a)
    if axis is None and keepdims:
        raise NotImplementedError("'keepdims' without an axis")
    a, axis = _along(a, axis)
    best = np.copy(a[_at(axis, slice(0, 1))])
    at = np.zeros_like(best, dtype=np.int64)
    for i in range(1, a.shape[axis]):
        candidate = a[_at(axis, slice(i, i + 1))]
        wins = np.logical_and(np.equal(best, best), np.logical_or(better(candidate, best), np.not_equal(candidate, candidate)))
        at[...] = np.where(wins, i, at)
        best[...] = np.where(wins, candidate, best)
    if keepdims:
        return _into(out, at)
    return _into(out, at[_at(axis, 0)])


def _argsort_row(row, order, spare):
    """Stable merge sort, NaNs last."""
    n = len(row)
    for i in range(n):
        order[i] = i
    width = 1
    while width < n:
        low = 0
        while low < n:
            middle = min(low + width, n)
            high = min(low + 2 * width, n)
            left = low
            right = middle
            for k in range(low, high):
                take = left < middle
                if left < middle and right < high:
                    x = row[order[left]]
                    y = row[order[right]]
                    take = not (y < x or (x != x and y == y))
                if take:
                    spare[k] = order[left]
                    left += 1
                else:
                    spare[k] = order[right]
                    right += 1
            low = high
        order[:] = spare
        width = 2 * width


def argsort(a, axis=-1, kind=None, stable=None):
    a, axis = _along(np.asarray(a), axis)
    moved = np.moveaxis(a, axis, -1)
    n = a.shape[axis]
    rows = np.reshape(moved, (-1, n))
    order = np.empty((rows.shape[0], n), np.int64)
    spare = np.empty((n,), np.int64)
    for r in range(rows.shape[0]):
        _argsort_row(rows[r], order[r], spare)
    return np.moveaxis(np.reshape(order, moved.shape), -1, axis)


def sort(a, axis=-1, kind=None, stable=None):
    a, axis = _along(np.asarray(a), axis)
    moved = np.moveaxis(a, axis, -1)
    n = a.shape[axis]
    rows = np.reshape(moved, (-1, n))
    result = np.empty((rows.shape[0], n), a.dtype)
    order = np.empty((n,), np.int64)
    spare = np.empty((n,), np.int64)
    for r in range(rows.shape[0]):
        _argsort_row(rows[r], order, spare)
        for i in range(n):
            result[r, i] = rows[r, order[i]]
    return np.moveaxis(np.reshape(result, moved.shape), -1, axis)


def sort_in_place(a, axis=-1, kind=None, stable=None):
    a[...] = sort(a, axis)


def median(a, axis=None):
    a, axis = _along(np.asarray(a), axis)
    ordered = sort(a, axis)
    n = a.shape[axis]
    low, high = ordered[_at(axis, (n - 1) // 2)], ordered[_at(axis, n // 2)]
    last = ordered[_at(axis, n - 1)]
    return np.where(np.not_equal(last, last), np.nan, (low + high) / 2.0)


def searchsorted(a, v, side="left"):
    if side != "left" and side != "right":
        raise ValueError("'side' is 'left' or 'right'")
    points = np.ravel(np.atleast_1d(v))
    result = np.zeros((len(points),), np.int64)
    for i in range(len(points)):
        low = 0
        high = len(a)
        while low < high:
            middle = (low + high) // 2
            before = a[middle] < points[i] if side == "left" else a[middle] <= points[i]
            if before:
                low = middle + 1
            else:
                high = middle
        result[i] = low
    if np.ndim(v) == 0:
        return result[0]
    return np.reshape(result, np.shape(v))


# ---- parts and wholes ----

def atleast_1d(a):
    if np.ndim(a) > 0:
        return a
    result = np.empty((1,), np.asarray(a).dtype)
    result[0] = a
    return result


def atleast_2d(a):
    if np.ndim(a) > 1:
        return a
    return np.atleast_1d(a)[None, :]


def atleast_3d(a):
    if np.ndim(a) > 2:
        return a
    return np.atleast_2d(a)[:, :, None]


def stack(arrays, axis=0, out=None, dtype=None):
    arrays = [np.asarray(a) for a in arrays]
    if axis < 0:
        axis += arrays[0].ndim + 1
    return np.concatenate([a[_at(axis, None)] for a in arrays], axis=axis, out=out, dtype=dtype)


def vstack(tup, dtype=None):
    return np.concatenate([np.atleast_2d(np.asarray(a)) for a in tup], axis=0, dtype=dtype)


def hstack(tup, dtype=None):
    arrays = [np.atleast_1d(np.asarray(a)) for a in tup]
    return np.concatenate(arrays, axis=0 if arrays[0].ndim == 1 else 1, dtype=dtype)


def dstack(tup, dtype=None):
    return np.concatenate([np.atleast_3d(np.asarray(a)) for a in tup], axis=2, dtype=dtype)


def column_stack(tup, dtype=None):
    arrays = [np.asarray(a) for a in tup]
    return np.concatenate([a[:, None] if a.ndim == 1 else a for a in arrays], axis=1, dtype=dtype)


def append(arr, values, axis=None):
    if axis is None:
        return np.concatenate((np.ravel(arr), np.ravel(np.atleast_1d(np.asarray(values)))))
    return np.concatenate((arr, values), axis=axis)


def _cut(a, bounds, axis):
    return tuple([a[_at(axis, slice(bounds[i], bounds[i + 1]))] for i in range(len(bounds) - 1)])


def split(ary, indices_or_sections, axis=0):
    if not isinstance(indices_or_sections, tuple):
        if ary.shape[_axis(ary, axis)] % indices_or_sections != 0:
            raise ValueError("the array cannot be split into parts of the same size")
    return array_split(ary, indices_or_sections, axis)


def array_split(ary, indices_or_sections, axis=0):
    axis = _axis(ary, axis)
    n = ary.shape[axis]
    if isinstance(indices_or_sections, tuple):
        return _cut(ary, (0,) + tuple(indices_or_sections) + (n,), axis)
    parts = indices_or_sections
    size, more = n // parts, n % parts
    return _cut(ary, tuple([i * size + min(i, more) for i in range(parts + 1)]), axis)


def vsplit(ary, indices_or_sections):
    return split(ary, indices_or_sections, 0)


def hsplit(ary, indices_or_sections):
    return split(ary, indices_or_sections, 0 if ary.ndim == 1 else 1)


def dsplit(ary, indices_or_sections):
    return split(ary, indices_or_sections, 2)


def moveaxis(a, source, destination):
    source, destination = _axis(a, source), _axis(a, destination)
    order = [i for i in range(a.ndim) if i != source]
    return np.transpose(a, tuple(order[:destination]) + (source,) + tuple(order[destination:]))


def rollaxis(a, axis, start=0):
    axis = _axis(a, axis)
    return moveaxis(a, axis, start - 1 if axis < start else start)


def rot90(m, k=1, axes=(0, 1)):
    m = np.asarray(m)
    x, y = _axis(m, axes[0]), _axis(m, axes[1])
    k = k % 4
    if k == 0:
        return np.copy(m)
    if k == 2:
        return np.copy(np.flip(m, (x, y)))
    if k == 1:
        return np.copy(np.swapaxes(np.flip(m, y), x, y))
    return np.copy(np.flip(np.swapaxes(m, x, y), y))


def fliplr(m):
    return np.flip(m, 1)


def flipud(m):
    return np.flip(m, 0)


def roll(a, shift, axis=None):
    a = np.asarray(a)
    if axis is None:
        return np.reshape(_roll(np.ravel(a), shift, 0), a.shape)
    return _roll(a, shift, _axis(a, axis))


def _roll(a, shift, axis):
    n = a.shape[axis]
    k = shift % n
    result = np.empty_like(a)
    result[_at(axis, slice(k, n))] = a[_at(axis, slice(0, n - k))]
    result[_at(axis, slice(0, k))] = a[_at(axis, slice(n - k, n))]
    return result


def repeat(a, repeats, axis=None):
    a, axis = _along(np.asarray(a), axis)
    shape = a.shape[:axis] + (a.shape[axis], repeats) + a.shape[axis + 1:]
    result = np.empty(shape, a.dtype)
    result[...] = a[_at(axis + 1, None)] if a.ndim > axis + 1 else a[..., None]
    return np.reshape(result, a.shape[:axis] + (a.shape[axis] * repeats,) + a.shape[axis + 1:])


def tile(a, reps):
    a = np.asarray(a)
    reps = reps if isinstance(reps, tuple) else (reps,)
    for _ in tuple(range(len(reps) - a.ndim)):
        a = a[None]
    reps = (1,) * (a.ndim - len(reps)) + tuple(reps)
    shape, index, whole = (), (), ()
    for k in tuple(range(a.ndim)):
        shape += (reps[k], a.shape[k])
        index += (None, slice(None))
        whole += (reps[k] * a.shape[k],)
    result = np.empty(shape, a.dtype)
    result[...] = a[index]
    return np.reshape(result, whole)


def broadcast_to(a, shape):
    a = np.asarray(a)
    result = np.empty(shape, a.dtype)
    result[...] = a
    return result


def pad(a, pad_width, mode="constant", constant_values=0):
    if mode != "constant":
        raise NotImplementedError("np.pad with a mode other than 'constant'")
    a = np.asarray(a)
    widths = pad_width
    if not isinstance(widths, tuple):
        widths = ((widths, widths),) * a.ndim
    elif not isinstance(widths[0], tuple):
        widths = (widths,) * a.ndim
    elif len(widths) == 1:
        widths = widths * a.ndim
    result = np.full(tuple([a.shape[k] + widths[k][0] + widths[k][1] for k in range(a.ndim)]), constant_values, a.dtype)
    result[tuple([slice(widths[k][0], widths[k][0] + a.shape[k]) for k in range(a.ndim)])] = a
    return result


def meshgrid(x, y, indexing="xy"):
    if indexing == "ij":
        return broadcast_to(x[:, None], (len(x), len(y))), broadcast_to(y[None, :], (len(x), len(y)))
    return broadcast_to(x[None, :], (len(y), len(x))), broadcast_to(y[:, None], (len(y), len(x)))


def tri(N, M=None, k=0, dtype=np.float64):
    return np.greater_equal(np.arange(N)[:, None], np.arange(N if M is None else M)[None, :] - k).astype(dtype)


def tril(m, k=0):
    return np.where(tri(m.shape[-2], m.shape[-1], k, np.bool_), m, np.zeros_like(m))


def triu(m, k=0):
    return np.where(tri(m.shape[-2], m.shape[-1], k - 1, np.bool_), np.zeros_like(m), m)


def diag(v, k=0):
    if np.ndim(v) == 2:
        return np.copy(np.diagonal(v, k))
    n = v.shape[0] + abs(k)
    result = np.zeros((n, n), v.dtype)
    for i in range(v.shape[0]):
        result[i + max(-k, 0), i + max(k, 0)] = v[i]
    return result


def vander(x, N=None, increasing=False):
    n = len(x) if N is None else N
    powers = np.arange(n) if increasing else n - 1 - np.arange(n)
    return np.power(x[:, None], powers[None, :])


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):
    start, stop = np.asarray(start), np.asarray(stop)
    span = np.multiply(np.subtract(stop, start), 1.0)
    step = span / (num - 1 if endpoint else num)
    count = np.arange(num) * 1.0
    if np.ndim(span) == 0:
        values = start + count * step
    else:
        values = start + np.reshape(count, (num,) + (1,) * np.ndim(span)) * np.expand_dims(step, 0)
    if endpoint:
        values[num - 1] = stop
    if np.ndim(span) > 0:
        values = moveaxis(values, 0, axis)
    if dtype is not None:
        values = values.astype(dtype)
    if retstep:
        return values, step
    return values


def logspace(start, stop, num=50, endpoint=True, base=10.0):
    return np.power(base, np.linspace(start, stop, num, endpoint))


# ---- comparisons ----

def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    near = np.logical_or(np.equal(a, b), np.logical_and(np.isfinite(b), np.abs(np.subtract(a, b)) <= atol + rtol * np.abs(b)))
    if equal_nan:
        return np.logical_or(near, np.logical_and(np.not_equal(a, a), np.not_equal(b, b)))
    return near


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    return np.all(isclose(a, b, rtol, atol, equal_nan))


def array_equal(a, b):
    if np.ndim(a) != np.ndim(b):
        return False
    return np.all(np.equal(a, b))


def select(condlist, choicelist, default=0):
    result = default
    for i in tuple(range(len(condlist))):
        k = len(condlist) - 1 - i
        result = np.where(condlist[k], choicelist[k], result)
    return result


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    x = np.asarray(x)
    if posinf is None:
        posinf = 1.7976931348623157e+308 if x.dtype == np.float64 else 3.4028234663852886e+38
    if neginf is None:
        neginf = -1.7976931348623157e+308 if x.dtype == np.float64 else -3.4028234663852886e+38
    return np.where(np.isnan(x), nan, np.where(np.equal(x, np.inf), posinf, np.where(np.equal(x, -np.inf), neginf, x)))


# ---- linear algebra ----

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


# ---- Fourier transforms ----

def _resized(a, n, axis):
    """With n elements along the axis: the first ones, or zeros behind."""
    if n is None:
        return a
    result = np.zeros(a.shape[:axis] + (n,) + a.shape[axis + 1:], a.dtype)
    kept = min(n, a.shape[axis])
    result[_at(axis, slice(0, kept))] = a[_at(axis, slice(0, kept))]
    return result


def _transform(a, n, axis, norm, inverse):
    a = np.asarray(a)
    axis = _axis(a, axis)
    moved = np.moveaxis(_resized(a, n, axis), axis, -1)
    count = moved.shape[-1]
    flat = np.reshape(moved, (-1, count)).astype(np.multiply(moved[..., 0:1], np.complex64(1)).dtype)
    result = np.empty_like(flat)
    if a.ndim == 1:
        result[0] = np.fft._transform(flat[0], inverse)
    else:
        for r in range(flat.shape[0]):
            result[r] = np.fft._transform(flat[r], inverse)
    result = np.moveaxis(np.reshape(result, moved.shape), -1, axis)
    if norm is None or norm == "backward":
        return result / count if inverse else result
    if norm == "forward":
        return result if inverse else result / count
    if norm != "ortho":
        raise ValueError("'norm' is 'backward', 'ortho' or 'forward'")
    return result / np.sqrt(np.float64(count)).astype(result.real.dtype)


def fft(a, n=None, axis=-1, norm=None, out=None):
    return _into(out, _transform(a, n, axis, norm, False))


def ifft(a, n=None, axis=-1, norm=None, out=None):
    return _into(out, _transform(a, n, axis, norm, True))


def rfft(a, n=None, axis=-1, norm=None, out=None):
    result = _transform(a, n, axis, norm, False)
    axis = _axis(result, axis)
    return _into(out, result[_at(axis, slice(0, result.shape[axis] // 2 + 1))])


def fft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    if s is not None:
        raise NotImplementedError("'s' of np.fft.fft2")
    return _into(out, _transform(_transform(a, None, axes[1], norm, False), None, axes[0], norm, False))


def ifft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    if s is not None:
        raise NotImplementedError("'s' of np.fft.ifft2")
    return _into(out, _transform(_transform(a, None, axes[1], norm, True), None, axes[0], norm, True))


# ---- numbers ----

def around(a, decimals=0, out=None):
    if decimals == 0:
        return _into(out, np.rint(a) if np.add(a, 0.0).dtype == np.add(a, 0).dtype else a)
    factor = 10.0 ** abs(decimals)
    if decimals > 0:
        return _into(out, np.rint(a * factor) / factor)
    return _into(out, (np.rint(a / factor) * factor).astype(np.add(a, 0).dtype))


def _masked(a, mask):
    """a[mask]: the elements, or rows, where the mask is true."""
    m = np.ravel(mask)
    count = 0
    for i in range(m.size):
        if m[i]:
            count += 1
    k = 0
    if a.ndim == mask.ndim:
        x = np.ravel(a)
        out = np.empty(count, dtype=a.dtype)
        for i in range(m.size):
            if m[i]:
                out[k] = x[i]
                k += 1
        return out
    rows = np.empty((count,) + a.shape[1:], dtype=a.dtype)
    for i in range(m.size):
        if m[i]:
            rows[k] = a[i]
            k += 1
    return rows


def flatnonzero(a):
    x = np.ravel(a)
    count = 0
    for i in range(x.size):
        if x[i] != 0:
            count += 1
    out = np.empty(count, dtype=np.int64)
    k = 0
    for i in range(x.size):
        if x[i] != 0:
            out[k] = i
            k += 1
    return out


def nonzero(a):
    if a.ndim == 0:
        raise ValueError("np.nonzero of a number")
    at = flatnonzero(a)
    result = ()
    inner = a.size
    for d in dace.unroll(range(a.ndim)):
        inner = inner // a.shape[d]
        result = result + (at // inner % a.shape[d],)
    return result
