"""Objects that programs call and that describe themselves as SDFGs: the protocol of DaCe's SDFGConvertible.

A call asks, in this order: `__sdfg_signature__()` for all names and those of constants; `closure_resolver(constants, given, None)`, if there is one;
`__sdfg__(*args, **kwargs)` for the graph, with descriptors instead of arrays; `__sdfg_closure__()`, if there is one, for what the graph takes besides,
and `__sdfg_closure__(reevaluate)` at each call."""

import pathlib
import re
import sys
import threading
import weakref

import numpy

from . import _site
from ._callback import size_of
from ._data import Data
from ._errors import Error
from ._program import Program
from ._types import Expression, symbol

_FUNCTIONS = {"int_floor", "int_ceil", "Min", "Max", "Abs", "min", "max"}


class Wrong(Exception):
    """Why an object is not converted, in one sentence."""


def convertible(value):
    """The object with __sdfg__, or the graph or program itself; None if it is neither."""
    if isinstance(value, type):
        return None
    call = getattr(type(value), "__call__", None)
    if _is_object(value) or (_is_object(call) and not hasattr(value, "_sdfg_function")):
        return value
    is_graph = hasattr(value, "to_json") and hasattr(value, "arg_names") and hasattr(value, "arrays")
    return value if isinstance(value, Program) or is_graph else None


def _is_object(value):
    """Whether it has the protocol; programs have it, too, and are compiled in as functions."""
    return hasattr(value, "__sdfg__") and not hasattr(value, "_sdfg_function") and not hasattr(value, "_sdfg_method")


# ---- descriptors ----

def _size(text):
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    names = set(re.findall(r"[A-Za-z_]\w*", text)) - _FUNCTIONS
    return symbol(text) if text.isidentifier() else Expression(text, {name: symbol(name) for name in names}, False)


def _descriptor(o):
    """Of an argument: .dtype, .shape, .strides; DaCe's own if it is there."""
    dtype, shape = o.type.decode(), [_size(o.shape[i].decode()) for i in range(o.rank)]
    dace = sys.modules.get("dace")
    if dace is not None and getattr(dace, "__version__", "") and hasattr(getattr(dace, "data", None), "Array"):
        kind = dace.dtypes.typeclass(numpy.dtype(dtype).type)
        sizes = [n if isinstance(n, int) else dace.symbolic.pystr_to_symbolic(str(n)) for n in shape]
        return dace.data.Array(kind, sizes) if shape else dace.data.Scalar(kind)
    if not shape:
        return Data("Scalar", dtype)
    strides, step = [], 1
    for n in reversed(shape):
        strides.insert(0, step)
        step = n * step
    return Data("Array", dtype, shape, strides=strides)


class _Call:
    """The arguments of one call as the protocol has them."""

    def __init__(self, site, s):
        first = s.count - s.num_names
        self.positional = [self._value(part, s.arguments[i]) for i, part in enumerate(site.parts)]
        self.named = {name: self._value(part, s.arguments[first + i]) for i, (name, part) in enumerate(site.names.items())}
        self.objects = {i: s.arguments[i] for i in range(s.count)}

    def _value(self, part, o):
        if isinstance(part, _site._Constant):
            return part.value
        if isinstance(part, _site._Number):
            return _size(o.text.decode())
        if isinstance(part, _site._Memory):
            return _descriptor(o)
        raise Wrong("an argument is neither an array, nor a number, nor a constant")

    def by_name(self, names):
        if len(self.positional) > len(names):
            raise Wrong(f"Argument number mismatch: expected at most {len(names)}, got {len(self.positional)}")
        found = dict(zip(names, self.positional))
        for name, value in self.named.items():
            if name in found:
                raise Wrong(f"argument '{name}' is given twice")
            found[name] = value
        return found

    def key(self):
        def part(v):
            if hasattr(v, "shape") and hasattr(v, "dtype"):
                return str(v.dtype), tuple(map(str, v.shape))
            return (type(v), v) if isinstance(v, (int, float, complex, str, bool, type(None))) else (type(v), repr(v), id(v))
        return tuple(map(part, self.positional)), tuple((name, part(v)) for name, v in self.named.items())


def _is_data(value):
    return hasattr(value, "shape") and hasattr(value, "dtype") and not isinstance(value, numpy.generic)


# ---- conversion ----

class Converted:
    """The graph of an object for one kind of arguments. Calling it runs the graph."""

    def __init__(self, value, call):
        self._object = _reference(value)
        asked = value if hasattr(value, "__sdfg__") else getattr(value, "__call__") if not isinstance(value, Program) else value
        if not hasattr(asked, "__sdfg__"):
            program = value if isinstance(value, Program) else Program(value)
            names, constants, closure = list(getattr(value, "arg_names", program.arg_names)), (), None
        else:
            names, constants = (list(n) for n in asked.__sdfg_signature__()) if hasattr(asked, "__sdfg_signature__") else ([], [])
            given = {**dict(zip(names, call.positional)), **call.named}
            for name in constants:
                if name in given and _is_data(given[name]):
                    raise Wrong(f'Argument "{name}" was defined as dace.compiletime but was not given a constant')
            if hasattr(asked, "closure_resolver"):
                asked.closure_resolver({n: v for n, v in given.items() if not _is_data(v)}, set(given), None)
            graph = asked.__sdfg__(*call.positional, **call.named)
            program = graph if isinstance(graph, Program) else Program(graph)
            closure = asked if hasattr(asked, "__sdfg_closure__") else None
        self.program, self.names = program, names
        self._dropped, self.has_closure = set(constants), closure is not None
        self._known = {a.name: a for a in program.arguments}
        self._first = None # what the closure had when the graph was made
        if closure is not None:
            self._first = closure.__sdfg_closure__() or {}
            self._reevaluate = {name: name for name in self._first if name in self._known}
        missing = [a.name for a in program.arguments if a.kind == "array" and not a.returned and a.name not in call.by_name(names)
                   and not (closure is not None and a.name in self._reevaluate) and not a.optional]
        if missing:
            raise Wrong(f"its graph takes {', '.join(missing)}, which the call does not give")
        self.reads_only = not any(a.written and not a.returned for a in program.arguments)

    def results(self, call):
        """(results, whether they are a tuple), with the sizes of the caller."""
        sizes = {}
        for name, value in call.by_name(self.names).items():
            if _is_data(value) and name in self._known:
                for inner, outer in zip(self._known[name].shape, value.shape):
                    sizes.setdefault(inner, str(outer))
            elif name in self._known and not _is_data(value) and isinstance(value, (int, Expression)):
                sizes.setdefault(name, str(value))
        found = []
        returned = [a for a in self.program.arguments if a.returned]
        for a in sorted(returned, key=lambda a: (len(a.name), a.name)):
            found.append(_site.Result(a.type, [_in_terms(n, sizes) for n in a.shape]))
        return (found, len(found) > 1) if found else ([_site.NOTHING], False)

    # ---- as a part of the program around ----

    def text(self, engine):
        """The JSON of the graph for a program of the engine; None if there is none."""
        source = self.program._source
        if self.program.engine is not engine or source is None:
            return None
        return pathlib.Path(source).read_bytes() if isinstance(source, str) else bytes(source)

    def passed(self, positional, named):
        """For each argument what it is in the graph, or None."""
        names = list(self.names[:len(positional)]) + list(named)
        return [name if name in self._known and name not in self._dropped else None for name in names]

    def captured(self):
        """What the closure has now, by the names of the graph."""
        first, self._first = self._first, None
        if first is None:
            value = self._object()
            asked = value if hasattr(value, "__sdfg_closure__") else value.__call__
            first = asked.__sdfg_closure__(dict(self._reevaluate)) or {}
        return {name: v for name, v in first.items() if name in self._known}

    # ---- called ----

    def __call__(self, *args, **kwargs):
        given = dict(zip(self.names, args), **kwargs)
        values = {name: v for name, v in given.items() if name in self._known and name not in self._dropped}
        if self.has_closure:
            self._first = None
            values.update((name, v) for name, v in self.captured().items() if name not in values)
        copies = [(name, v, self._laid_out(self._known[name], v)) for name, v in values.items() if isinstance(v, numpy.ndarray)]
        result = self.program(**{**values, **{name: copy for name, _, copy in copies}})
        for name, original, copy in copies:
            if copy is not original and self._known[name].written:
                original[...] = copy
        return result

    @staticmethod
    def _laid_out(info, array):
        """The array itself, or a copy that lies as the graph has it, where strides are given and others."""
        sizes = {text: n for text, n in zip(info.shape, array.shape) if text.isidentifier()}
        try:
            strides = tuple(size_of(text, sizes.__getitem__) * array.itemsize for text in info.strides)
        except ValueError: # the strides are symbols, too
            return array
        if len(strides) != array.ndim or all(s == t or n == 1 for s, t, n in zip(strides, array.strides, array.shape)) or not array.size:
            return array
        last = sum((n - 1) * s for n, s in zip(array.shape, strides))
        copy = numpy.ndarray(array.shape, array.dtype, numpy.zeros(last // array.itemsize + 1, array.dtype), strides=strides)
        copy[...] = array
        return copy


class Captured:
    """What the closure of an object has, for the guards of a program: asked once a call, by each thread for itself."""

    def __init__(self, converted):
        self._converted, self._now = converted, threading.local()
        self.values = converted.captured()

    def ask(self):
        self._now.values = self._converted.captured()

    def __getitem__(self, name):
        return self._now.values[name]

    def __repr__(self):
        return "asked at each call"


def _in_terms(text, sizes):
    if text in sizes:
        return sizes[text]

    def outer(match):
        name = match.group()
        if name in _FUNCTIONS:
            return name
        if name not in sizes:
            raise Wrong(f"the size '{text}' of a result does not follow from the arguments")
        return f"({sizes[name]})"
    return re.sub(r"[A-Za-z_]\w*", outer, text)


def _reference(value):
    try:
        return weakref.ref(value)
    except TypeError:
        return lambda: value


_cache: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()


def convert(value, site, s):
    """The Converted of an object for the arguments of a call, and its results. Wrong says why there is none."""
    call = _Call(site, s)
    try:
        known = _cache.setdefault(value, {})
    except TypeError: # it cannot be a key
        known = {}
    key = call.key()
    if key not in known:
        try:
            known[key] = Converted(value, call)
        except Wrong:
            raise
        except Error as error:
            raise Wrong(f"its graph is refused: {error.args[0].splitlines()[0]}") from error
        except Exception as error:
            raise Wrong(f"{type(error).__name__}: {error} ({_where(error)})") from error
    converted = known[key]
    return converted, converted.results(call)


def _where(error):
    trace = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
