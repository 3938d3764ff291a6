"""Parameters of Python functions: what the compiler hears of the values of a call."""

import types

import numpy

from ._arguments import _as_numpy
from ._data import Data
from ._device import layout_of
from ._method import Method
from ._types import Callback, Descriptor, compiletime, descriptor_of, type_of

_KINDS = {bool: ("value", "bool", True), int: ("value", "int64", True), float: ("value", "float64", True),
          complex: ("value", "complex128", True)}


class Signature:
    """What a function takes. `f` is the Python function."""

    __slots__ = ("_kinds", "_rest", "_keywords", "_positional", "_defaults")

    _missing = TypeError

    def _prepare(self):
        """Parameters: name -> what its annotation says: a type, a descriptor, compiletime, or None."""
        code, kinds = self.f.__code__, {}
        count = code.co_argcount + code.co_kwonlyargcount
        names = code.co_varnames[:count]
        more = iter(code.co_varnames[count:])
        self._rest = next(more) if code.co_flags & 4 else None      # *args: a constant tuple
        self._keywords = next(more) if code.co_flags & 8 else None  # **kwargs: a constant dictionary
        for name in names:
            annotation = self.f.__annotations__.get(name)
            if isinstance(annotation, str):
                try:
                    annotation = eval(annotation, self.f.__globals__)
                except Exception: # a name for type checkers only: it says nothing
                    annotation = None
            if isinstance(annotation, Callback):
                kinds[name] = annotation
                continue
            constant = annotation is compiletime or getattr(annotation, "__name__", None) == "compiletime"
            kinds[name] = compiletime if constant else descriptor_of(annotation)
        kinds.update({name: compiletime for name in (self._rest, self._keywords) if name})
        self._positional = names[:code.co_argcount]
        defaults = self.f.__defaults__ or ()
        self._defaults = dict(zip(self._positional[len(self._positional) - len(defaults):], defaults), **(self.f.__kwdefaults__ or {}))
        self._kinds = kinds

    def _named(self, args, kwargs):
        """The values of all parameters in order, and those of symbols."""
        if self._kinds is None:
            self._prepare()
        if len(args) > len(self._positional) and not self._rest:
            raise TypeError(f"{self.name}() takes {len(self._positional)} positional arguments but {len(args)} were given")
        values, symbols = dict(zip(self._positional, args)), {}
        if self._rest:
            values[self._rest] = args[len(self._positional):]
        if self._keywords:
            values[self._keywords] = symbols
        for name, value in kwargs.items():
            if name in values and name not in (self._rest, self._keywords):
                raise TypeError(f"{self.name}() got multiple values for argument '{name}'")
            if name in self._kinds and name not in (self._rest, self._keywords):
                values[name] = value
            else:
                symbols[name] = value
        missing = [name for name in self._kinds if name not in values and name not in self._defaults]
        if missing:
            raise self._missing(f"{self.name}() is missing arguments: {', '.join(missing)}")
        return {name: values[name] if name in values else self._defaults[name] for name in self._kinds}, {} if self._keywords else symbols

    def _kind(self, name, value, sizes):
        """What the compiler hears of a parameter. `sizes`: extent -> its symbol, None: extents are constants."""
        said = self._kinds[name]
        if isinstance(said, Callback):
            if not callable(value):
                raise TypeError(f"argument '{name}' is a function, not {type(value).__name__}")
            return "callback", said
        if said is compiletime or value is None or isinstance(value, (str, types.FunctionType, types.MethodType, Signature, Method)):
            return "constant", value
        if isinstance(value, Descriptor): # for compile and what looks inside
            return "array", value.dtype.name, value.shape, None
        if isinstance(value, Data):
            return ("value", value.dtype.name, False) if value.kind == "Scalar" else ("array", value.dtype.name, value.shape, None)
        array = _as_numpy(value) if not isinstance(value, (int, float, complex)) else None
        if isinstance(array, numpy.ndarray) and (array.ndim or isinstance(said, Descriptor)):
            steps = None if array.flags.c_contiguous else [s // array.itemsize for s in array.strides]
            return self._array_kind(name, array.dtype, array.shape, steps, sizes)
        layout = layout_of(value) if array is None and not isinstance(value, (int, float, complex)) else None
        if layout:
            return self._array_kind(name, *layout, sizes)
        if isinstance(said, Descriptor):
            if isinstance(value, list) or not isinstance(value, (int, float, complex)):
                return "array", said.dtype.name, said.shape, None
            raise TypeError(f"argument '{name}' is an array, not {type(value).__name__}")
        if said is not None:
            return "value", said.name, False
        found = _KINDS.get(type(value))
        if found:
            return found
        if isinstance(value, (numpy.generic, numpy.ndarray)):
            found = type_of(value.dtype)
            if found is None:
                raise TypeError(f"argument '{name}': numbers of type {value.dtype} have no counterpart in programs")
            return "value", found.name, False
        if isinstance(value, list):
            array = numpy.array(value)
            if type_of(array.dtype) and array.ndim:
                return self._kind(name, array, sizes)
        return "constant", value

    def _array_kind(self, name, dtype, shape, steps, sizes):
        """The same for an array; `steps` count elements, None is C order."""
        said = self._kinds[name]
        strides = None if steps is None else tuple(s if sizes is None else f"{name}_stride{i}" for i, s in enumerate(steps))
        if isinstance(said, Descriptor):
            return "array", said.dtype.name, said.shape, strides if strides and len(strides) == len(said.shape) else None
        found = type_of(dtype)
        if found is None or said is not None:
            raise TypeError(f"argument '{name}': " + ("a single value is expected, not an array" if found else
                                                      f"elements of type {dtype} have no counterpart in programs"))
        return "array", found.name, shape if sizes is None else tuple(
            n if n < 2 else sizes.setdefault(n, f"{name}_{i}") for i, n in enumerate(shape)), strides

    def _key(self, parameters):
        return tuple((k[0], _identity(k[1])) if k[0] == "constant" else k for k in parameters.values())


def _identity(value):
    """What stands for a constant in keys; equal ones may differ, which the guards see."""
    if value is None or isinstance(value, (str, int, float, complex)):
        return value
    return type(value)


def shown_kind(kind):
    if kind[0] in ("constant", "callback"):
        return repr(kind[1])
    if kind[0] == "array":
        return f"{kind[1]}[{', '.join(map(str, kind[2]))}]" + ("" if kind[3] is None else " with strides")
    return kind[1] if kind[2] is False else f"a Python number of type {kind[1]}"


def shown(parameters):
    return ", ".join(f"{name}: {shown_kind(kind)}" for name, kind in parameters.items())
