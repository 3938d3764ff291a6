"""Sets: vectors in order, each value once."""
import dace
import numpy as np


def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None):
    if axis is not None and np.ndim(ar) > 1:
        return _unique_rows(ar, return_index, return_inverse, return_counts, axis)
    x = np.ravel(ar)
    n = len(x)
    order = argsort(x)
    first = np.empty((n,), np.int64) # places in `order` where a value begins
    inverse = np.empty((n,), np.int64)
    count = 0
    for i in range(n):
        new = i == 0
        if i > 0:
            before = x[order[i - 1]]
            now = x[order[i]]
            new = before != now and not (before != before and now != now)
        if new:
            first[count] = i
            count += 1
        inverse[order[i]] = count - 1
    values = np.empty(count, dtype=x.dtype)
    for k in range(count):
        values[k] = x[order[first[k]]]
    result = (values,)
    if return_index:
        result = result + (_picked(order, first, count),)
    if return_inverse:
        result = result + (np.reshape(inverse, np.shape(ar)),)
    if return_counts:
        result = result + (_gaps(first, count, n),)
    return values if len(result) == 1 else result


def _unique_rows(ar, return_index, return_inverse, return_counts, axis):
    moved = np.moveaxis(np.asarray(ar), _axis(ar, axis), 0)
    n = moved.shape[0]
    rows = np.copy(np.reshape(moved, (n, -1)))
    width = rows.shape[1]
    order = np.arange(n)
    column = np.empty((n,), rows.dtype)
    spare = np.empty((n,), np.int64)
    place = np.empty((n,), np.int64)
    for c in range(width):
        for i in range(n):
            column[i] = rows[order[i], width - 1 - c]
        _argsort_row(column, place, spare)
        for i in range(n):
            spare[i] = order[place[i]]
        order[:] = spare
    first = np.empty((n,), np.int64)
    inverse = np.empty((n,), np.int64)
    count = 0
    for i in range(n):
        new = i == 0
        if i > 0:
            for c in range(width):
                if rows[order[i - 1], c] != rows[order[i], c]:
                    new = True
        if new:
            first[count] = i
            count += 1
        inverse[order[i]] = count - 1
    values = np.empty((count,) + moved.shape[1:], dtype=rows.dtype)
    for k in range(count):
        values[k] = moved[order[first[k]]]
    result = (np.moveaxis(values, 0, _axis(ar, axis)),)
    if return_index:
        result = result + (_picked(order, first, count),)
    if return_inverse:
        result = result + (inverse,)
    if return_counts:
        result = result + (_gaps(first, count, n),)
    return result[0] if len(result) == 1 else result


def _picked(x, at, count):
    out = np.empty(count, dtype=x.dtype)
    for k in range(count):
        out[k] = x[at[k]]
    return out


def _gaps(first, count, n):
    out = np.empty(count, dtype=np.int64)
    for k in range(count):
        end = n
        if k + 1 < count:
            end = first[k + 1]
        out[k] = end - first[k]
    return out


def unique_values(x):
    return unique(x)


def unique_counts(x):
    return unique(x, return_counts=True)


def unique_inverse(x):
    return unique(x, return_inverse=True)


def isin(element, test_elements, invert=False):
    element = np.asarray(element)
    ordered = sort(np.ravel(np.asarray(test_elements)))
    points = np.ravel(np.atleast_1d(element))
    n = len(ordered)
    found = np.empty((len(points),), np.bool_)
    for i in range(len(points)):
        low = 0
        high = n
        while low < high:
            middle = (low + high) // 2
            if ordered[middle] < points[i]:
                low = middle + 1
            else:
                high = middle
        there = False
        if low < n:
            there = ordered[low] == points[i]
        found[i] = there != invert
    if np.ndim(element) == 0:
        return found[0]
    return np.reshape(found, np.shape(element))


def union1d(ar1, ar2):
    return unique(np.concatenate((np.ravel(ar1), np.ravel(ar2))))


def intersect1d(ar1, ar2):
    x = unique(ar1)
    return _masked(x, isin(x, ar2))


def setdiff1d(ar1, ar2):
    x = unique(ar1)
    return _masked(x, isin(x, ar2, invert=True))


def setxor1d(ar1, ar2):
    x, y = unique(ar1), unique(ar2)
    return sort(np.concatenate((_masked(x, isin(x, y, invert=True)), _masked(y, isin(y, x, invert=True)))))


def unique_all(x):
    return unique(x, return_index=True, return_inverse=True, return_counts=True)
