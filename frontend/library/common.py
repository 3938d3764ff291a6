"""What the other functions share."""
import numpy as np


def _axis(a, axis):
    if isinstance(axis, (tuple, list)) and len(axis) == 1:
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
