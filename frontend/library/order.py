"""Positions, order and searching."""
import dace
import numpy as np


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


def partition(a, kth, axis=-1, kind=None, order=None):
    """In order altogether, which is one of the orders that are allowed."""
    return sort(a, axis)


def argpartition(a, kth, axis=-1, kind=None, order=None):
    return argsort(a, axis)


def partition_in_place(a, kth, axis=-1, kind=None, order=None):
    a[...] = sort(a, axis)


def sort_in_place(a, axis=-1, kind=None, stable=None):
    a[...] = sort(a, axis)


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


def sorted(iterable, key=None, reverse=False):
    if key is not None:
        raise NotImplementedError("sorted with a key")
    result = sort(np.asarray(iterable))
    return np.copy(result[::-1]) if reverse else result
