"""What functions of NumPy return: found by calling them with arrays of ones, where nothing but types and shapes decides about that."""

import ctypes
import itertools

import numpy

from . import _site

# Their results depend on values, or they do more than computing.
_OTHERS = {"unique", "nonzero", "flatnonzero", "argwhere", "extract", "compress", "delete", "setdiff1d", "union1d", "intersect1d", "setxor1d",
           "repeat", "trim_zeros", "bincount", "histogram", "load", "save", "savez", "loadtxt", "savetxt", "genfromtxt", "fromfile", "tofile",
           "put", "copyto", "place", "putmask", "seterr", "matrix_rank", "lstsq"}


def is_pure(function):
    """Whether it is a function of NumPy that computes from its arguments, and nothing else."""
    module = getattr(function, "__module__", None) or ""
    name = getattr(function, "__name__", "")
    return module.split(".")[0] == "numpy" and "random" not in module and "testing" not in module and name not in _OTHERS \
        and not name.startswith(("set_", "show", "print"))


class _Ones:
    """Gives for each argument that is known at run time an array of ones, where symbols have the sizes of this round."""

    def __init__(self, sizes):
        self.sizes = sizes

    def value(self, part, o):
        if isinstance(part, _site._Constant):
            return part.value
        if isinstance(part, _site._Sequence):
            items = ctypes.cast(o.items, ctypes.POINTER(_site.Object))
            return part.kind([self.value(p, items[i]) for i, p in enumerate(part.items)])
        if isinstance(part, _site._Memory):
            shape = [self.size(o.shape[i].decode()) for i in range(o.rank)]
            array = numpy.ones(shape, part.dtype)
            if len(shape) > 1 and shape[-1] == shape[-2]: # not singular
                array[...] = numpy.eye(shape[-1]) if part.dtype.kind == "f" else array
            return array if shape else array.item() if part.weak else array[()]
        raise LookupError # a size, which may decide about shapes

    def size(self, text):
        try:
            return int(text)
        except ValueError:
            return self.sizes(text)


def _run(function, site, s, sizes):
    ones = _Ones(sizes)
    first = s.count - s.num_names
    values = [ones.value(part, s.arguments[i]) for i, part in enumerate(site.parts)]
    keywords = {name: ones.value(part, s.arguments[first + i]) for i, (name, part) in enumerate(site.names.items())}
    with numpy.errstate(all="ignore"):
        return function(*values, **keywords)


def results(function, site, s):
    """(results, whether they are a tuple), or None. Two rounds with different sizes tell constants of a shape from symbols."""
    if not is_pure(function):
        return None
    rounds = []
    for base in 5, 8:
        names = {}
        counter = itertools.count(base, 6)

        def sizes(text, names=names, counter=counter):
            return names.setdefault(text, next(counter))

        try:
            given = _run(function, site, s, sizes)
        except Exception: # what it makes of the real arguments is seen at run time
            return None
        several = isinstance(given, (tuple, list))
        rounds.append((names, several, [numpy.asarray(v) for v in (given if several else (given,))]))
    (names, several, first), (others, _, second) = rounds
    if len(first) != len(second):
        return None
    found = []
    for a, b in zip(first, second):
        kind = _site.type_of(a.dtype)
        if kind is None or a.ndim != b.ndim:
            return None
        shape = [_extent(n, m, names, others) for n, m in zip(a.shape, b.shape)]
        if None in shape:
            return None
        found.append(_site.Result(kind.name, shape))
    return found, several


def _extent(n, m, names, others):
    if n == m:
        return n
    for text, size in names.items():
        if size == n and others[text] == m:
            return text
    return None
