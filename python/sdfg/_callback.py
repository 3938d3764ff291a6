"""Python callables where programs take function pointers.

A callback's type in the SDFG lists what it is called with: single values, Python objects, arrays (pointers, whose shapes are
expressions over the symbols of the program) and, behind them, memory for results, unless a single value is all that is given back."""

import ast
import ctypes
import itertools
import operator

import numpy

from ._errors import check
from ._library import library

_SCALARS = {"bool": ctypes.c_bool, "int8": ctypes.c_int8, "int16": ctypes.c_int16, "int32": ctypes.c_int32,
            "int64": ctypes.c_int64, "uint8": ctypes.c_uint8, "uint16": ctypes.c_uint16, "uint32": ctypes.c_uint32,
            "uint64": ctypes.c_uint64, "float32": ctypes.c_float, "float64": ctypes.c_double}


# ---- sizes ----

def _quotient(a, b):
    from fractions import Fraction # here, because few programs divide sizes and the import takes 3 ms
    return Fraction(a, b)


_OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: _quotient, ast.Mod: operator.mod,
              ast.FloorDiv: operator.floordiv, ast.USub: operator.neg, ast.UAdd: operator.pos}
_FUNCTIONS = {"int_floor": operator.floordiv, "int_ceil": lambda a, b: -(-a // b), "Min": min, "Max": max, "min": min, "max": max,
              "Abs": abs, "abs": abs}


def _power(base, exponent):
    if not 0 <= exponent <= 64:
        raise ValueError("a power that is none of a size")
    return base**exponent


def _value_of(node, symbols):
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.Name):
        return symbols(node.id)
    if isinstance(node, ast.UnaryOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_value_of(node.operand, symbols))
    if isinstance(node, ast.BinOp):
        function = _power if isinstance(node.op, ast.Pow) else _OPERATORS.get(type(node.op))
        if function:
            return function(_value_of(node.left, symbols), _value_of(node.right, symbols))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS and not node.keywords:
        return _FUNCTIONS[node.func.id](*(_value_of(a, symbols) for a in node.args))
    raise ValueError("not an expression over symbols")


def size_of(text, symbols):
    """The integer that an expression is; `symbols` gives the value of a name."""
    try:
        value = _value_of(ast.parse(str(text).replace("$", ""), mode="eval").body, symbols)
        if value != int(value):
            raise ValueError("no integer")
        return int(value)
    except (ArithmeticError, KeyError, SyntaxError, TypeError, ValueError) as error:
        raise ValueError(f"the size '{text}' of a callback's array cannot be computed: {error}") from None


# ---- what is passed ----

class _Entry:
    """One argument or result of a callback, from its type or descriptor in the SDFG."""

    def __init__(self, spec, name):
        self.shape = self.strides = None
        attributes = spec.get("attributes") if isinstance(spec, dict) else None
        if attributes is not None:
            if spec.get("type") != "Scalar":
                self.shape, self.strides = attributes["shape"], attributes.get("strides")
            spec = attributes.get("dtype") or "int32"
        kind = spec.get("type") if isinstance(spec, dict) else None
        self.dtype = "pointer" if kind == "pointer" else "string" if kind == "string" else \
            spec.get("ctype") if kind == "opaque" else spec
        known = isinstance(self.dtype, str) and (self.dtype in _SCALARS or self.dtype in ("pointer", "string", "pyobject"))
        if self.shape is not None:
            known = isinstance(self.dtype, str) and self.dtype not in ("pointer", "string", "pyobject")
        if not known:
            raise TypeError(f"callback '{name}' takes or gives {spec!r}, which Python functions cannot; pass a ctypes function")

    @property
    def is_array(self):
        return self.shape is not None

    @property
    def ctype(self):
        return _SCALARS[self.dtype] if self.dtype in _SCALARS and not self.is_array else ctypes.c_void_p

    def resolve(self, symbols, numpy_type):
        """Sizes under these values of symbols."""
        if not self.is_array:
            return
        self.numpy = numpy_type(self.dtype)
        self.sizes = [size_of(n, symbols) for n in self.shape]
        self.steps = [size_of(n, symbols) * self.numpy.itemsize for n in self.strides] if self.strides else None
        if self.steps is None:
            self.steps = numpy.zeros(self.sizes, self.numpy).strides

    def view(self, address):
        """The array at an address, in place; None for no address."""
        if not address:
            return None
        if 0 in self.sizes:
            return numpy.zeros(self.sizes, self.numpy)
        ends = [(n - 1) * s for n, s in zip(self.sizes, self.steps)]
        low, high = sum(min(e, 0) for e in ends), sum(max(e, 0) for e in ends) + self.numpy.itemsize
        memory = (ctypes.c_char * (high - low)).from_address(address + low)
        return numpy.ndarray(self.sizes, self.numpy, memory, -low, self.steps)

    def take(self, value):
        if self.is_array:
            return self.view(value)
        if self.dtype == "pyobject":
            return ctypes.cast(value, ctypes.py_object).value if value else None
        if self.dtype == "string":
            return ctypes.string_at(value).decode() if value else None
        return value


_FIRST = 0x5df6 << 40 # numbers of objects: what is no such number is hardly one by chance


class Calls:
    """The callbacks of one call, or of one bound call: what they raise is kept until the code has returned, as nothing may be
    thrown through it. From the first exception on no callback of the call is run any more; results are zeros."""

    def __init__(self):
        self.callbacks, self.objects, self.failure, self.managers = [], [], None, []
        self.given = {} # arguments that are arrays of other packages, by name
        self._numbers, self._by_number = itertools.count(_FIRST), {}

    def left(self, manager):
        """Where a block of `with` ends: whether it had begun."""
        begun = self.managers[-1:] == [-manager]
        if begun:
            self.managers.pop()
        return begun

    def keep_object(self, value):
        """A number that stands for an object until the call ends."""
        number = next(self._numbers)
        self._by_number[number] = value
        return number

    def kept_object(self, number):
        try:
            return self._by_number[number]
        except KeyError:
            raise NameError("a name has no value: the callback that gives it one has not run") from None

    def make(self, name, spec, function):
        """The ctypes function that calls `function`; it must be kept as long as it may be called."""
        callback = _Callback(self, name, spec, function)
        self.callbacks.append(callback)
        return callback.prototype(callback.call)

    def resolve(self, symbols, numpy_type):
        """Sizes of arrays, once all arguments are given."""
        for callback in self.callbacks:
            for entry in callback.arguments + callback.results:
                entry.resolve(symbols, numpy_type)
        self.callbacks = [] # they name this object: without a cycle all goes with the call

    def check(self, error):
        """After the code has returned: raises what a callback raised, or else the library's error."""
        failure, self.failure = self.failure, None
        if failure is None:
            check(error)
            return
        if error:
            library.sdfg_error_free(error)
        raise failure


class _Callback:
    def __init__(self, calls, name, spec, function):
        returns = spec.get("returntypes")
        if returns is None:
            returns = [spec["returntype"]] if spec.get("returntype") else []
        self.calls, self.name, self.function = calls, name, function
        self.manager = getattr(function, "manager", 0) # of calls in Python functions
        self.arguments = [_Entry(a, name) for a in spec.get("arguments") or ()]
        self.results = [_Entry(r, name) for r in returns]
        self.by_value = len(self.results) == 1 and not self.results[0].is_array
        passed = [e.ctype for e in self.arguments] + ([] if self.by_value else [ctypes.c_void_p] * len(self.results))
        result = self.results[0].ctype if self.by_value else None
        self.prototype = ctypes.CFUNCTYPE(result, *passed)

    def call(self, *values):
        left = self.manager < 0 and self.calls.left(self.manager)
        if self.calls.failure is not None and not left:
            return self._zeros(values)
        try:
            n = len(self.arguments)
            result = self.function(*(e.take(v) for e, v in zip(self.arguments, values)))
            if self.manager > 0:
                self.calls.managers.append(self.manager)
            return self._give_back(result, values[n:])
        except BaseException as error: # also KeyboardInterrupt: it belongs to who made the call
            if error is not self.calls.failure:
                error.__context__ = error.__context__ or self.calls.failure
            self.calls.failure = error
            return self._zeros(values)

    def _zeros(self, values):
        """What the code finds after an exception: it goes on, and may use the results as indices."""
        zeros = getattr(self.function, "zeros", None) # of calls in Python functions, whose results are among the arguments
        if zeros is not None:
            zeros(*values)
        elif not self.by_value:
            for entry, address in zip(self.results, values[len(self.arguments):]):
                if entry.is_array and address:
                    entry.view(address)[...] = 0
                elif address:
                    entry.ctype.from_address(address).value = 0
        return 0

    def _give_back(self, result, addresses):
        if self.by_value:
            return self._single(self.results[0], result)
        if not self.results:
            return 0
        given = (result,) if len(self.results) == 1 else result
        if given is None or len(given) != len(self.results):
            raise TypeError(f"callback '{self.name}' must return {len(self.results)} values")
        for entry, address, value in zip(self.results, addresses, given):
            if not entry.is_array:
                if address:
                    entry.ctype.from_address(address).value = self._single(entry, value)
                continue
            if value is None:
                raise TypeError(f"callback '{self.name}' must return an array, not None")
            view = entry.view(address)
            if view is not None:
                view[...] = value
        return 0

    def _single(self, entry, result):
        if entry.dtype == "pyobject":
            self.calls.objects.append(result) # the program holds its address
            return id(result)
        if entry.dtype == "string":
            text = ctypes.create_string_buffer(result.encode())
            self.calls.objects.append(text)
            return ctypes.addressof(text)
        if result is None:
            raise TypeError(f"callback '{self.name}' must return a value, not None")
        if entry.dtype.startswith("float"):
            return float(result)
        if entry.dtype == "bool":
            return bool(result)
        number = operator.index(result.item() if isinstance(result, (numpy.generic, numpy.ndarray)) else result)
        if entry.ctype(number).value != number and entry.dtype != "pointer":
            raise OverflowError(f"callback '{self.name}' must return {entry.dtype}, which {number} is not")
        return number
