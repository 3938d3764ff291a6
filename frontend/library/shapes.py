"""Parts and wholes: joining, splitting, moving and repeating elements; arrays of a pattern."""
import numpy as np


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
    if not isinstance(indices_or_sections, (tuple, list)):
        if ary.shape[_axis(ary, axis)] % indices_or_sections != 0:
            raise ValueError("the array cannot be split into parts of the same size")
    return array_split(ary, indices_or_sections, axis)


def array_split(ary, indices_or_sections, axis=0):
    axis = _axis(ary, axis)
    n = ary.shape[axis]
    if isinstance(indices_or_sections, (tuple, list)):
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
    reps = reps if isinstance(reps, (tuple, list)) else (reps,)
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
    a = np.asarray(a)
    widths = pad_width
    if not isinstance(widths, (tuple, list)):
        widths = ((widths, widths),) * a.ndim
    elif not isinstance(widths[0], tuple):
        widths = (widths,) * a.ndim
    elif len(widths) == 1:
        widths = widths * a.ndim
    if mode == "constant":
        result = np.full(tuple([a.shape[k] + widths[k][0] + widths[k][1] for k in range(a.ndim)]), constant_values, a.dtype)
        result[tuple([slice(widths[k][0], widths[k][0] + a.shape[k]) for k in range(a.ndim)])] = a
        return result
    if mode != "edge" and mode != "wrap" and mode != "symmetric" and mode != "reflect":
        raise NotImplementedError("np.pad with a mode other than 'constant', 'edge', 'wrap', 'symmetric' and 'reflect'")
    for k in tuple(range(a.ndim)):
        a = _padded(a, k, widths[k][0], widths[k][1], mode)
    return a


def _padded(a, axis, before, behind, mode):
    n = a.shape[axis]
    result = np.empty(a.shape[:axis] + (n + before + behind,) + a.shape[axis + 1:], a.dtype)
    for i in range(n + before + behind):
        result[_at(axis, i)] = a[_at(axis, _mirrored(i - before, n, mode))]
    return result


def _mirrored(i, n, mode):
    """The position in an array of n elements for one that may be outside."""
    if mode == "edge":
        return min(max(i, 0), n - 1)
    if mode == "wrap":
        return i % n
    if mode == "symmetric":
        return min(i % (2 * n), 2 * n - 1 - i % (2 * n))
    return min(i % max(2 * n - 2, 1), 2 * n - 2 - i % max(2 * n - 2, 1))


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


def _stepped(start, stop, step, dtype=None):
    """np.arange whose step is known at run time only."""
    start, stop, step = (np.asarray(v) for v in (start, stop, step))
    if np.ndim(start) + np.ndim(stop) + np.ndim(step) > 0:
        raise TypeError("np.arange of an array")
    steps = np.ceil((stop - start) / step)
    count = max(int(steps), 0) if step != 0 else 0
    delta = (start + step) - start
    first = start + delta * 0
    result = np.empty(count, first.dtype if dtype is None else dtype)
    for i in range(count):
        result[i] = first + i * delta
    return result


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


def geomspace(start, stop, num=50, endpoint=True):
    low, high = np.log10(start * 1.0), np.log10(stop * 1.0)
    result = np.power(10.0, np.linspace(low, high, num, endpoint))
    result[0] = start
    if endpoint:
        result[num - 1] = stop
    return result


def matrix_transpose(x):
    return np.swapaxes(x, -1, -2)


def block(arrays):
    rows = arrays
    if isinstance(arrays[0], (tuple, list)):
        rows = [np.concatenate([np.atleast_2d(np.asarray(part)) for part in row], axis=-1) for row in arrays]
        return np.concatenate(rows, axis=-2)
    return np.concatenate([np.atleast_1d(np.asarray(part)) for part in rows], axis=-1)


def unstack(x, axis=0):
    axis = _axis(x, axis)
    return tuple([np.copy(x[_at(axis, i)]) for i in range(x.shape[axis])])


def broadcast_arrays(*args):
    joint = np.zeros_like(args[0], dtype=np.bool_)
    for a in args[1:]:
        joint = joint | np.zeros_like(a, dtype=np.bool_)
    return tuple([np.broadcast_to(a, joint.shape) for a in args])
