"""Calls that Python makes while a program runs: what a function is given, from addresses and numbers, and what it returns, into memory."""

import ctypes
import typing
import warnings

import numpy

from ._arguments import numpy_type
from ._library import Object
from ._types import Descriptor, Type, type_of

OBJECT = "pyobject"


class Unknown(Exception):
    """What is wrong with a call, in one sentence."""


# ---- arguments ----

class _Constant:
    count = 0 # of numbers that it takes

    def __init__(self, value):
        self.value = value

    def take(self, numbers, calls):
        return self.value


class _Number:
    """A size."""

    count = 1

    def take(self, numbers, calls):
        return next(numbers)


class _Kept:
    """What another callback has returned."""

    count = 2

    def take(self, numbers, calls):
        address, _ = next(numbers), next(numbers)
        return calls.kept_object(ctypes.c_uint64.from_address(address).value)


class _Memory:
    """An array in place, or a copy of a single value: NumPy's, or Python's where it was one. `name`: of the argument that it is all of; where
    that was given as another object than an array of NumPy, it is that object."""

    def __init__(self, dtype, rank, weak, name):
        self.dtype, self.rank, self.weak, self.name, self.count = numpy_type(dtype), rank, weak, name, 2 + 2 * rank

    def take(self, numbers, calls):
        address, offset = next(numbers), next(numbers)
        size = self.dtype.itemsize
        shape = tuple(next(numbers) for _ in range(self.rank))
        strides = tuple(next(numbers) * size for _ in range(self.rank))
        if self.name in calls.given:
            return calls.given[self.name]
        if 0 in shape:
            return numpy.zeros(shape, self.dtype)
        ends = [(n - 1) * s for n, s in zip(shape, strides)]
        low, high = sum(min(e, 0) for e in ends), sum(max(e, 0) for e in ends) + size
        memory = (ctypes.c_char * (high - low)).from_address(address + offset * size + low)
        array = numpy.ndarray(shape, self.dtype, memory, -low, strides)
        if self.rank:
            return array
        return array.item() if self.weak else array[()]


class _Sequence:
    def __init__(self, kind, items):
        self.kind, self.items, self.count = kind, items, sum(item.count for item in items)

    def take(self, numbers, calls):
        return self.kind([item.take(numbers, calls) for item in self.items])


def _mapping(items):
    return dict(zip(items[::2], items[1::2]))


# ---- results ----

class Result:
    """One result: an element type or OBJECT, and its shape: sizes or texts over the symbols of the program. `weak`: a Python number.
    `stretches`: it is assigned to elements, whose shape it need not have."""

    def __init__(self, dtype, shape=(), weak=False, stretches=False):
        self.dtype, self.shape, self.weak, self.stretches = dtype, tuple(shape), weak, stretches

    def fill(self, out, keep):
        if self.dtype is None:
            out.kind = 1 # NONE
            return
        name = self.dtype.encode()
        out.kind, out.type, out.rank, out.weak = 14 if self.shape else 13, name, len(self.shape), self.weak
        texts = (ctypes.c_char_p * max(len(self.shape), 1))(*(str(n).encode() for n in self.shape))
        keep += name, texts
        out.shape = texts

    def put(self, name, value, numbers, calls):
        address = next(numbers)
        shape = tuple(next(numbers) for _ in self.shape)
        if self.dtype == OBJECT:
            ctypes.c_uint64.from_address(address).value = calls.keep_object(value)
            return
        dtype = numpy_type(self.dtype)
        given = numpy.asarray(value)
        if given.dtype.kind not in "biufc":
            raise TypeError(f"'{name}' returned {_shown(value)}, but the program needs {self.dtype}{list(shape) if shape else ''}")
        if given.shape != shape and not (self.stretches and _stretches(given.shape, shape)):
            raise ValueError(f"'{name}' returned an array of shape {given.shape}, but the program needs {shape}" if shape else
                             f"'{name}' returned an array of shape {given.shape}, but the program needs a single value")
        if not numpy.can_cast(given.dtype, dtype, "same_kind") and not _fits(given, dtype):
            raise TypeError(f"'{name}' returned {given.dtype}, but the program needs {self.dtype}")
        count = int(numpy.prod(shape, dtype=numpy.int64))
        if count:
            memory = (ctypes.c_char * (count * dtype.itemsize)).from_address(address)
            numpy.copyto(numpy.ndarray(shape, dtype, memory), given, casting="unsafe")

    def zero(self, numbers):
        address = next(numbers)
        count = 1
        for _ in self.shape:
            count *= next(numbers)
        ctypes.memset(address, 0, count * (8 if self.dtype == OBJECT else numpy_type(self.dtype).itemsize))

    def __eq__(self, other):
        return isinstance(other, Result) and (self.dtype, self.shape) == (other.dtype, other.shape)


NOTHING = Result(None)


class CallbackWarning(UserWarning):
    """A call in a program is made by Python, and why."""


def announce(file, line, site, why, said):
    """Warns of a call that Python makes. `said`: what was told before, and is not told again."""
    texts = [f"Automatically creating callback to Python for '{site.path}'" +
             (" due to recursion" if why and "recursion" in why else f": {why or 'it has no text in Python'}")]
    if any(result.dtype == OBJECT for result in site.results):
        texts.append(f"Cannot infer return type of callback '{site.path}': an annotation of the function or of the name that gets it says the type")
    for text in texts:
        warn(text, CallbackWarning, file, line, said)


def warn(text, category, file, line, said):
    if text not in said:
        said.add(text)
        warnings.warn_explicit(text, category, file, line)


def _stretches(shape, to):
    try:
        return numpy.broadcast_shapes(shape, to) == to
    except ValueError:
        return False


def _shown(value):
    return "None" if value is None else f"an object of class '{type(value).__name__}'"


def _fits(given, dtype):
    """Whether integers, which Python makes wide, are in the range of a narrower or unsigned type."""
    if given.dtype.kind not in "biu" or dtype.kind not in "iu":
        return False
    limits = numpy.iinfo(dtype)
    return given.size == 0 or bool(limits.min <= int(given.min()) and int(given.max()) <= limits.max)


def _of_annotation(annotation):
    """Results that an annotation names; None if it says nothing."""
    if annotation is None or annotation is type(None):
        return [NOTHING]
    if isinstance(annotation, Descriptor):
        return [Result(annotation.dtype.name, annotation.shape)]
    if typing.get_origin(annotation) is tuple and Ellipsis not in typing.get_args(annotation):
        parts = [_of_annotation(a) for a in typing.get_args(annotation)]
        return None if any(p is None or len(p) != 1 or p[0] == NOTHING for p in parts) else [p[0] for p in parts]
    if annotation in (bool, int, float, complex):
        return [Result(type_of(annotation).name, (), True)]
    found = type_of(annotation) if isinstance(annotation, (Type, numpy.dtype, type)) else None
    return [Result(found.name)] if found else None


def of_types(types):
    """Results of sdfg.callback(ret, ...): None, a type, a descriptor, or a tuple of them."""
    if isinstance(types, (tuple, list)):
        found = [_of_annotation(t) for t in types]
        parts = [p[0] if p else None for p in found]
        if None in parts or NOTHING in parts:
            raise TypeError("the results of a callback are types or arrays of them, such as sdfg.float64[N]")
        return parts, True
    found = _of_annotation(types)
    if found is None:
        raise TypeError(f"{types!r} is no type of a callback's result")
    return found, len(found) > 1


def _declared(function):
    """What the annotation of a function's result says."""
    function = getattr(function, "__func__", function)
    if not hasattr(function, "__annotations__") or "return" not in function.__annotations__:
        return None
    annotation = function.__annotations__["return"]
    if isinstance(annotation, str):
        try:
            annotation = eval(annotation, getattr(function, "__globals__", {}))
        except Exception: # a name for type checkers only
            return None
    return _of_annotation(annotation)


# ---- the call ----

class Site:
    """One call in the text of a program. `function` at compile time says what it returns; each run gets the one of that time."""

    def __init__(self, asking, site, explicit, graph=None):
        s = site.contents
        self.path, self.explicit, self.manager = s.path.decode(), explicit, s.manager
        self._asking, self._symbols, self._count = asking, [], 0
        parts = [self._part(s.arguments[i]) for i in range(s.count)]
        first = s.count - s.num_names
        self.parts, self.names = parts[:first], {s.names[i].decode(): parts[first + i] for i in range(s.num_names)}
        self.converted = None
        if graph is not None:
            self.converted, (self.results, self.tuple) = _convert.convert(graph, self, s)
            self.reads_only = self.converted.reads_only
        else:
            self.results, self.tuple = self._find_results(s)
        self._asking = None

    def _part(self, o):
        from ._host import ARRAY, DICTIONARY, LIST, SYMBOL, TUPLE, VALUE
        if o.kind in (TUPLE, LIST) or (o.kind == DICTIONARY and o.items):
            items = ctypes.cast(o.items, ctypes.POINTER(Object))
            return _Sequence({TUPLE: tuple, LIST: list}.get(o.kind, _mapping), [self._part(items[i]) for i in range(o.count)])
        if o.kind == SYMBOL:
            return _Number()
        if o.kind in (VALUE, ARRAY):
            return _Kept() if o.type == b"pyobject" else _Memory(o.type.decode(), o.rank, o.weak, o.text and o.text.decode())
        return _Constant(self._asking.constant(o))

    def _wanted(self, o):
        from ._host import ARRAY, NONE, TUPLE, VALUE
        if o.kind == NONE:
            return [NOTHING], False
        if o.kind == TUPLE:
            items = ctypes.cast(o.items, ctypes.POINTER(Object))
            parts = [self._wanted(items[i])[0] for i in range(o.count)]
            return [p[0] if p else Result(OBJECT) for p in parts], True
        if o.kind in (VALUE, ARRAY):
            return [Result(o.type.decode(), [o.shape[i].decode() for i in range(o.rank)], stretches=bool(o.integer))], False
        return None, False

    def _find_results(self, s):
        function = self._asking.callee(s)
        self.reads_only = self.explicit is None and (function is print or _probe.is_pure(function))
        if self.explicit is not None:
            return self.explicit
        wanted, several = self._wanted(s.wanted[0])
        if wanted == [NOTHING]:
            return wanted, False
        declared = _declared(function)
        if declared:
            return declared, len(declared) > 1
        known = _probe.results(function, self, s)
        if known:
            return known
        if wanted:
            return wanted, several
        return [Result(OBJECT)], False

    def answer(self, out, keep):
        """The types of the results for the compiler."""
        out.integer = self.reads_only
        if not self.tuple:
            self.results[0].fill(out, keep)
            return
        items = (Object * len(self.results))()
        for item, result in zip(items, self.results):
            result.fill(item, keep)
        keep.append(items)
        out.kind, out.count, out.items = 16, len(items), ctypes.cast(items, ctypes.c_void_p)

    def made(self, function, calls):
        """What the compiled code calls."""
        name, single = self.path, not self.tuple
        function = self.converted or function

        def run(*numbers):
            rest = iter(numbers)
            arguments = [part.take(rest, calls) for part in self.parts]
            keywords = {key: part.take(rest, calls) for key, part in self.names.items()}
            if self.manager < 0 and calls.failure is not None:
                arguments[-3:] = type(calls.failure), calls.failure, calls.failure.__traceback__
            result = function(*arguments, **keywords)
            if self.results == [NOTHING]:
                return
            values = (result,) if single else result
            if not single and (not isinstance(values, (tuple, list)) or len(values) != len(self.results)):
                raise TypeError(f"'{name}' must return {len(self.results)} values, not {_shown(values)}")
            for value, into in zip(values, self.results):
                into.put(name, value, rest, calls)

        def zeros(*numbers):
            rest = iter(numbers[sum(part.count for part in (*self.parts, *self.names.values())):])
            for into in self.results if self.results != [NOTHING] else ():
                into.zero(rest)

        run.zeros, run.manager = zeros, self.manager
        return run


from . import _convert, _probe # noqa: E402
