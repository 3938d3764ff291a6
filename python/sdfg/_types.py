"""Element types, array types and symbols, as annotations of programs have them. Outside of programs they are plain values: a type converts
to NumPy's scalar, symbols compute with each other."""

from __future__ import annotations

import itertools
from typing import Any, Iterable, TypeVar

import numpy

from ._arguments import numpy_type
from ._library import DTYPES

T = TypeVar("T")


class Expression:
    """A symbolic integer: symbols and what is computed from them."""

    def __init__(self, text, symbols, strong=True):
        self._text, self._symbols, self._strong = text, symbols, strong

    @property
    def free_symbols(self):
        return set(self._symbols.values())

    def _with(self, other, format, swapped=False):
        if isinstance(other, Expression):
            text, symbols = other._inner, {**self._symbols, **other._symbols}
        elif isinstance(other, (int, numpy.integer)):
            text, symbols = f"({int(other)})" if other < 0 else str(int(other)), self._symbols
        else:
            return NotImplemented
        a, b = (text, self._inner) if swapped else (self._inner, text)
        return Expression(format.format(a, b), symbols, False)

    @property
    def _inner(self):
        return self._text if self._strong else f"({self._text})"

    def __add__(self, other): return self._with(other, "{} + {}")
    def __radd__(self, other): return self._with(other, "{} + {}", True)
    def __sub__(self, other): return self._with(other, "{} - {}")
    def __rsub__(self, other): return self._with(other, "{} - {}", True)
    def __mul__(self, other): return self._with(other, "{} * {}")
    def __rmul__(self, other): return self._with(other, "{} * {}", True)
    def __truediv__(self, other): return self._with(other, "{} / {}")
    def __rtruediv__(self, other): return self._with(other, "{} / {}", True)
    def __floordiv__(self, other): return self._with(other, "{} // {}")
    def __rfloordiv__(self, other): return self._with(other, "{} // {}", True)
    def __mod__(self, other): return self._with(other, "{} % {}")
    def __rmod__(self, other): return self._with(other, "{} % {}", True)
    def __pow__(self, other): return self._with(other, "{} ** {}")
    def __neg__(self): return Expression(f"-{self._inner}", self._symbols, False)
    def __pos__(self): return self
    def __str__(self): return self._text
    def __repr__(self): return self._text

    def __eq__(self, other):
        return self._text == other._text if isinstance(other, Expression) else NotImplemented

    def __hash__(self):
        return hash(self._text)

    def __index__(self):
        raise TypeError(f"'{self._text}' is symbolic: it has a value in programs only")

    __int__ = __bool__ = __index__


class symbol(Expression):
    """A size or another integer that stays open until a call: symbol("N"), symbol("N", sdfg.int64). Shapes of arguments give its value, or
    a keyword of the call. Without a name it is sym_0, sym_1 ..."""

    _unnamed = itertools.count()

    def __init__(self, name=None, dtype=None, **assumptions):
        name = f"sym_{next(self._unnamed)}" if name is None else name
        if not isinstance(name, str) or not name.isidentifier():
            raise ValueError(f"{name!r} is no name of a symbol")
        super().__init__(name, {name: self})
        self.name, self.dtype, self.assumptions = name, type_of(dtype) if dtype is not None else int32, assumptions


class Descriptor:
    """The type of an array: sdfg.float64[N, M]."""

    def __init__(self, dtype, shape, optional=False):
        self.dtype, self.shape, self.optional = dtype, tuple(shape), optional

    @property
    def ndim(self):
        return len(self.shape)

    def __matmul__(self, storage):
        return self

    def __repr__(self):
        return f"{self.dtype.name}[{', '.join(str(n) for n in self.shape)}]"

    def __eq__(self, other):
        return isinstance(other, Descriptor) and (self.dtype, self.shape) == (other.dtype, other.shape)

    def __hash__(self):
        return hash((self.dtype, self.shape))


class Callback:
    """The type of a parameter that is a Python function: sdfg.callback(result, *arguments). The result is None, a type, a descriptor
    (sdfg.float64[N]), or a tuple of them; it is checked when the function returns. Arguments are what the program passes; their types here
    are for readers."""

    def __init__(self, result=None, *arguments):
        from ._site import of_types
        self.results, self.arguments = of_types(result), arguments
        self._key = repr((result, arguments))

    def __eq__(self, other):
        return isinstance(other, Callback) and self._key == other._key

    def __hash__(self):
        return hash(self._key)

    def __repr__(self):
        return f"callback{self._key}"


class Type:
    """An element type. Calling it converts a value, an index makes the type of an array."""

    def __new__(cls, of):
        known = type_of(of) if not isinstance(of, str) else globals().get("BY_NAME", {}).get(of)
        if known is None and not isinstance(of, str):
            raise TypeError(f"{of!r} is no element type")
        return known or super().__new__(cls)

    def __init__(self, of):
        if isinstance(of, str):
            self.name, self.dtype = of, numpy_type(of) # NumPy takes what has a dtype

    @property
    def type(self):
        return self.dtype.type

    @property
    def bytes(self):
        return self.dtype.itemsize

    def as_numpy_dtype(self):
        return self.dtype

    def to_string(self):
        return self.name

    def __call__(self, value):
        return self.dtype.type(value)

    def __getitem__(self, shape):
        shape = shape if isinstance(shape, tuple) else (shape,)
        for n in shape:
            if not isinstance(n, (int, numpy.integer, Expression)):
                raise TypeError(f"the extents of an array are integers and symbols, not {type(n).__name__}")
        return Descriptor(self, shape)

    def __repr__(self):
        return f"sdfg.{self.name}"

    def __reduce__(self):
        return type_of, (self.name,)


BY_NAME = {name: Type(name) for name in DTYPES if name}
globals().update(BY_NAME) # float64, int32 ...
int32 = BY_NAME["int32"]
PLAIN = {int: "int64", float: "float64", complex: "complex128", type(True): "bool"} # `bool` is one of the types here


def type_of(value):
    """The element type that an object stands for: one of ours, of DaCe, NumPy or Python, or a name. None if it is none."""
    if isinstance(value, Type):
        return value
    if isinstance(value, str):
        return BY_NAME.get(value)
    if isinstance(value, type) and value in PLAIN:
        return BY_NAME[PLAIN[value]]
    if isinstance(value, numpy.dtype) or (isinstance(value, type) and issubclass(value, numpy.generic)):
        try:
            found = numpy.dtype(value)
            return BY_NAME.get(found.name) if found.isnative else None
        except TypeError:
            return None
    name = getattr(value, "to_string", None) # a typeclass of DaCe
    return BY_NAME.get(name()) if callable(name) and hasattr(value, "ctype") else None


def descriptor_of(annotation):
    """A Type or Descriptor for an annotation that gives the type of a parameter; None if it says nothing."""
    annotation = getattr(annotation, "_sdfg_descriptor", annotation)
    if isinstance(annotation, Descriptor):
        return annotation
    found = type_of(annotation) if not isinstance(annotation, str) else None
    if found is not None:
        return found
    arguments = getattr(annotation, "__args__", None) # Optional[T], T | None
    if arguments and type(None) in arguments and len(arguments) == 2:
        return descriptor_of(next(a for a in arguments if a is not type(None)))
    if isinstance(annotation, type) or not hasattr(annotation, "shape"):
        return None
    element = type_of(getattr(annotation, "dtype", None)) # a descriptor of DaCe
    if element is None:
        return None
    shape = tuple(annotation.shape)
    scalar = type(annotation).__name__ == "Scalar"
    return element if scalar else Descriptor(element, [_size_of(n) for n in shape])


def _size_of(n):
    try:
        return int(n)
    except TypeError:
        return Expression(str(n), {str(s): symbol(str(s), type_of(getattr(s, "dtype", None)) or BY_NAME["int64"])
                                   for s in getattr(n, "free_symbols", ())}, str(n).isidentifier())


class compiletime:
    """Annotation of parameters whose value is a constant of the compiled program."""

    _sdfg_builtin = "dace.compiletime"


class _Map:
    """`for i, j in sdfg.map[0:N, 0:M]`: iterations that do not depend on each other. Outside of programs, one after the other."""

    _sdfg_builtin = "sdfg.map"

    def __getitem__(self, ranges: Any) -> Any:
        ranges = ranges if isinstance(ranges, tuple) else (ranges,)
        for r in ranges:
            if not isinstance(r, slice) or r.stop is None:
                raise TypeError("a map has a range begin:end[:step] for each of its variables")
        return _Iterations(ranges)


class _Iterations:
    def __init__(self, ranges):
        self.ranges = [range(r.start or 0, r.stop, r.step or 1) for r in ranges]

    def __iter__(self):
        import itertools
        return iter(self.ranges[0]) if len(self.ranges) == 1 else itertools.product(*self.ranges)

    def __matmul__(self, schedule):
        return self


map = _Map()


class _Named:
    """`with sdfg.named("label"):` or `with sdfg.named:` a part of a program that is a region of its own in the graph. In Python it does nothing."""

    _sdfg_builtin = "sdfg.named"

    def __call__(self, label: str) -> _Named:
        return self

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: Any) -> None:
        pass


named = _Named()


class Known:
    """What means something in programs only."""

    def __init__(self, name: str) -> None:
        self._name, self._sdfg_builtin = name, name

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError(f"{self._name} outside of a program")

    def __enter__(self) -> Any:
        self()

    def __exit__(self, *_: Any) -> None:
        pass

    def __getitem__(self, _: Any) -> Any:
        self()


def _known(function: T) -> T:
    """A function of this package that programs know by its name."""
    function._sdfg_builtin = f"sdfg.{function.__name__}" # type: ignore[attr-defined]
    return function


@_known
def inline(value: T) -> T:
    """In a program: `value` is computed by Python when the program is compiled."""
    return value


@_known
def unroll(iterable: Iterable[T]) -> Iterable[T]:
    """In a program: the loop over it is unrolled."""
    return iterable


@_known
def nounroll(iterable: Iterable[T]) -> Iterable[T]:
    """In a program: the loop over it stays a loop."""
    return iterable


@_known
def in_program() -> bool:
    """Whether this is compiled: True in programs, False in Python."""
    return False


def always_inline(function: T) -> T:
    """Decorator: calls in programs are made by Python when the program is compiled; arguments must be constants."""
    function._sdfg_always_inline = True # type: ignore[attr-defined]
    return function
