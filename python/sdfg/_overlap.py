"""Arrays of one call that share memory, where some of it is written."""

import numpy

from . import _guards
from ._arguments import _as_numpy


def _share(a, b):
    try:
        return numpy.shares_memory(a, b, max_work=10**6)
    except numpy.exceptions.TooHardError if hasattr(numpy, "exceptions") else numpy.TooHardError:
        return True


def groups(values, variant, captured, error):
    """Lists of parameters whose arrays are the same elements in the same order, and are also something else's; a parameter alone is the
    same as a captured array. Empty if captured arrays are the same, None if no memory that is written is shared; `error` is raised for arrays that overlap in other ways."""
    written = {a.name for a in variant.program.arguments if a.written}
    arrays = [(name, _as_numpy(values[name])) for name in variant.data] + list(zip(variant.captured, map(_as_numpy, captured[:len(variant.captured)])))
    arrays = [(name, array) for name, array in arrays if array is not None and array.size]
    shared, found = set(), False
    for i, (name, array) in enumerate(arrays):
        for other, second in arrays[:i]:
            if name == other or not (name in written or other in written) or not _share(array, second):
                continue
            if _guards.memory_of(array) != _guards.memory_of(second):
                raise error
            shared |= {name, other}
            found = True
    if not found:
        return None
    by_memory = {}
    for name in variant.data:
        if name in shared:
            by_memory.setdefault(_guards.memory_of(values[name]), []).append(name)
    return list(by_memory.values())
