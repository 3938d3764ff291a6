"""Python functions as programs: `@sdfg.program`."""

from __future__ import annotations

import ctypes
import functools
import os
import threading
import types
import weakref
from collections import OrderedDict
from typing import Any, Callable, List, Optional, overload

import numpy

from . import _host, _listing, _overlap, _site, _source
from ._arguments import Arguments, _as_numpy
from ._device import layout_of
from ._cancel import call
from ._data import Data
from ._errors import InvalidError, ProgramError, ProgramWarning, check
from ._library import Guard, library
from ._program import Bound, Engine, Program
from ._fast import MISS, Fast
from ._types import Callback, Descriptor, compiletime, descriptor_of, type_of

class _Interpreted:
    """How often sdfg.interpret() is entered: in all threads, and in this one."""

    class _Here(threading.local):
        depth = 0

    def __init__(self):
        self.depth, self.here, self.lock = 0, self._Here(), threading.Lock()

    def add(self, n):
        self.here.depth += n
        with self.lock:
            self.depth += n


_interpreted = _Interpreted()
_KINDS = {bool: ("value", "bool", True), int: ("value", "int64", True), float: ("value", "float64", True),
          complex: ("value", "complex128", True)}
_functions: weakref.WeakSet = weakref.WeakSet()


class interpret:
    """`with sdfg.interpret():` programs that this thread calls inside are run by Python, as if they were not decorated."""

    def __enter__(self) -> None:
        _interpreted.add(1)

    def __exit__(self, *_: Any) -> None:
        _interpreted.add(-1)


class Variant:
    """Code for one kind of call: the types of the arguments, and what the function captures, as its guards have it."""

    def __init__(self, program, asking, parameters, dace):
        self.program, self.asking, self.shared = program, asking, asking.memory is not None
        self.check, keys = _host.checker(asking)
        names, g = {}, Guard(struct_size=ctypes.sizeof(Guard))
        for i in range(library.sdfg_program_num_guards(program._handle)):
            library.sdfg_program_guard(program._handle, i, ctypes.byref(g))
            if g.argument:
                names[g.id] = g.argument.decode()
        self.captured = [names[key] for key in keys]
        self.data = [name for name, given in parameters.items() if given[0] not in ("constant", "callback")]
        self.sites = [(name, site) for name, _, site in asking.sites]
        self.results = [a.name for a in program.arguments if a.returned]
        self.results.sort(key=lambda name: int(name.rpartition("_")[2]) if name[-1].isdigit() else 0)
        self.number = [not dace and library.sdfg_program_result_is_number(program._handle, i) for i in range(len(self.results))]
        self.object = [library.sdfg_program_result_is_object(program._handle, i) for i in range(len(self.results))]
        self.tuple = library.sdfg_program_num_results(program._handle) >= 0 and bool(self.results)

    def fast(self, values):
        constants = len(values) != len(self.data)
        return None if constants or self.shared or self.sites else Fast.of(self.program, values, self.results, self.values, self.captured, self.check)

    def result(self, made, calls):
        found = [made[name] for name in self.results]
        if any(self.object):
            found = [[calls.kept_object(int(array[0]))] if is_object else array for array, is_object in zip(found, self.object)]
            found = [array[0] if number or is_object else array for array, number, is_object in zip(found, self.number, self.object)]
            return tuple(found) if self.tuple else found[0]
        return self.values(found)

    def values(self, made):
        found = [array[0] if number else array for array, number in zip(made, self.number)]
        return tuple(found) if self.tuple else found[0] if found else None


class Function:
    """A function that is compiled when it is called. `f` is the Python function; any thread may call it."""

    _missing = TypeError

    def __init__(self, f, *, source=None, engine=None, specialize="auto", variants=32, dace=False, fallback=True, constant_functions=False,
                 **options):
        if not isinstance(f, types.FunctionType):
            raise TypeError(f"a program is made from a Python function, not from {type(f).__name__}")
        if specialize not in ("auto", "all", "none"):
            raise ValueError(f"specialize={specialize!r} is none of 'auto', 'all', 'none'")
        self.f = self._sdfg_function = f
        self.engine = engine or (Engine(**options) if options else None)
        self._text, self._specialize, self._most, self._dace = source, specialize, variants, dace
        self._fallback, self._constant_functions, self._announced = fallback, constant_functions, set()
        self._lock, self._variants, self._constant_sizes, self._log = threading.RLock(), OrderedDict(), set(), []
        self._kinds, self._fast, self._newest = None, None, None
        functools.update_wrapper(self, f)
        _functions.add(self)

    @property
    def name(self) -> str:
        """Of the function."""
        return self.f.__name__

    def __repr__(self):
        return f"<program {self.f.__qualname__}>"

    def __get__(self, instance: Any, owner: Any = None) -> Function:
        return self if instance is None else Method(self, instance) # type: ignore[return-value] # calls are the same

    # ---- arguments ----

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
        if said is compiletime or value is None or isinstance(value, (str, types.FunctionType, types.MethodType, Function, Method)):
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

    # ---- variants ----

    def _parameters(self, values):
        """What the compiler hears of these values, the key of that, and whether sizes are symbols that may become constants."""
        sizes = {} if self._specialize != "all" else None
        parameters = {name: self._kind(name, value, sizes) for name, value in values.items()}
        key = self._key(parameters)
        if key in self._constant_sizes:
            parameters = {name: self._kind(name, value, None) for name, value in values.items()}
            key = self._key(parameters)
        return parameters, key, bool(sizes)

    def _find(self, values, symbols):
        """The variant for a call, compiled if need be, and the arrays that it captures."""
        parameters, key, may_specialize = self._parameters(values)
        with self._lock:
            for variant in self._variants.get(key, ()):
                captured = variant.check(values)
                if captured is not None:
                    self._variants.move_to_end(key)
                    return variant, captured
            return self._compile_for(values, parameters, key, may_specialize)

    def _find_shared(self, values, error, variant, captured):
        """The same for a call whose arrays overlap, as `error` says of `variant`: a variant in which each group of equal arrays is one
        argument. None: they have no element in common. What overlaps in another way stays the error."""
        shared = _overlap.groups(values, variant, captured, error)
        if shared is None:
            return None
        sizes = {} if self._specialize != "all" else None
        parameters = {name: self._kind(name, value, sizes) for name, value in values.items()}
        for names in shared:
            for name in names[1:]:
                if parameters[name][:3] != parameters[names[0]][:3]: # annotations with different symbols
                    raise error
                parameters[name] = parameters[names[0]]
        key = (*self._key(parameters), tuple(map(tuple, shared)))
        arrays = {name: values[name] for names in shared for name in names}
        with self._lock:
            for variant in self._variants.get(key, ()):
                captured = variant.check(values)
                if captured is not None:
                    self._variants.move_to_end(key)
                    return variant, captured
            self._log.append("shared memory: " + ", ".join(" is ".join(names) if names[1:] else f"{names[0]} is captured" for names in shared))
            variant = self._compile(parameters, arrays)
            return variant, self._keep(variant, values, key)

    def _compile_for(self, values, parameters, key, may_specialize):
        self._remark(values, parameters, key)
        try:
            variant = self._compile(parameters)
        except ProgramError:
            if not may_specialize or self._specialize == "none" or key in self._constant_sizes:
                raise
            fixed = {name: self._kind(name, value, None) for name, value in values.items()}
            variant = self._compile(fixed) # the error of these sizes is the clearer one
            self._constant_sizes.add(key)
            key = self._key(fixed)
        return variant, self._keep(variant, values, key)

    def _keep(self, variant, values, key):
        """Remembers a variant, and returns the arrays that it captures."""
        captured = variant.check(values)
        if captured is None:
            raise RuntimeError(f"what '{self.name}' captures changes while it is compiled: "
                               + "; ".join(f"{shown}: {new}" for shown, _, new in _host.differences(variant.asking, values)))
        self._variants.setdefault(key, []).insert(0, variant)
        self._variants.move_to_end(key)
        while sum(map(len, self._variants.values())) > self._most:
            oldest = next(iter(self._variants))
            self._variants[oldest].pop()
            if not self._variants[oldest]:
                del self._variants[oldest]
        return captured

    def _asking(self, parameters, shared=None, names=None):
        asking = _host.Asking(self.f, parameters, {}, self._dace, shared, self._fallback, names, self._constant_functions)
        try:
            asking.remember_source(self.f, _source.of(self.f, self._text))
        except _source.NoSource as why:
            raise ProgramError.at(str(why), self.f.__code__.co_filename, self.f.__code__.co_firstlineno) from None
        for kind in self._kinds.values():
            if isinstance(kind, Descriptor):
                for n in kind.shape:
                    asking.symbols.update(getattr(n, "_symbols", {}))
        return asking

    def _compile(self, parameters, shared=None):
        asking = self._asking(parameters, shared)
        try:
            program = Program.from_function(asking, self.engine)
            program._names = [name for name, given in parameters.items() if given[0] not in ("constant", "callback")]
        except Exception as error:
            self._announce(asking, ())
            raise ProgramError.of(error) from None
        variant = Variant(program, asking, parameters, self._dace)
        self._announce(asking, program.warnings)
        asking.objects, asking.paths, asking.arrays, asking.parameters = {}, {}, {}, {} # nothing captured is kept alive
        asking.function, asking.shared, asking.memory = None, {}, None
        return variant

    def _announce(self, asking, messages):
        """Warnings of a compilation, each one once."""
        for file, line, site, reason in asking.announced:
            _site.announce(file, line, site, reason, self._announced)
        for m in messages:
            if m.warning and m.code.startswith("PROGRAM_") and m.source.count(":") >= 2:
                file, line, _ = m.source.rsplit(":", 2)
                _site.warn(m.text, ProgramWarning, file, int(line), self._announced)

    def _remark(self, values, parameters, key):
        """Why it is compiled, for explain()."""
        if not self._variants:
            self._log.append("first call: " + _shown(parameters))
            return
        candidates = self._variants.get(key)
        if candidates:
            changes = [f"{shown} changed: {old} -> {new}" for shown, old, new in _host.differences(candidates[0].asking, values)]
        else:
            last = next(reversed(self._variants))
            changes = [f"argument '{name}' changed: {_shown_kind(old)} -> {_shown_kind(new)}"
                       for name, old, new in zip(parameters, last, key) if old != new] or ["sizes differ"]
        self._log.append("; ".join(changes))
        del self._log[:-100]

    # ---- calls ----

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if _interpreted.depth and _interpreted.here.depth:
            return self.f(*args, **kwargs)
        fast = self._fast
        if fast is not None and not kwargs:
            result = fast(args)
            if result is not MISS:
                return result
        values, symbols = self._named(args, kwargs)
        variant, results, calls = self._with_arguments(values, symbols, self._run)
        if not kwargs and not variant.shared and (fast is None or fast.program is not variant.program):
            self._fast = variant.fast(values) if len(args) == len(values) else None
        return variant.result(results, calls)

    def _with_arguments(self, values, symbols, use):
        """use(variant, arguments, results), where nothing is run if arrays overlap that the variant takes to be different memory; then
        it is used once more with a variant that fits."""
        variant, captured = self._find(values, symbols)
        try:
            return use(variant, *self._ready(variant, values, symbols, captured))
        except InvalidError as error:
            if error.code != "ARGUMENT_OVERLAP":
                raise
            found = self._find_shared(values, error, variant, captured)
            variant, captured = found or (variant, captured)
            return use(variant, *self._ready(variant, values, symbols, captured, disjoint=found is None))

    @staticmethod
    def _run(variant, arguments, results):
        with arguments:
            arguments.prepare()
            arguments.calls.check(call(variant.program, arguments))
        return variant, results, arguments.calls

    @staticmethod
    def _bind(variant, arguments, results):
        with arguments:
            arguments.prepare()
            return BoundFunction(variant, arguments, results)

    def _ready(self, variant, values, symbols, captured, disjoint=False):
        arguments = Arguments(variant.program)
        try:
            results = self._give(arguments, variant, values, symbols, captured)
            if disjoint:
                check(library.sdfg_args_disjoint(arguments._handle))
        except BaseException:
            arguments._let_go()
            raise
        return arguments, results

    def _give(self, arguments, variant, values, symbols, captured):
        given = {name: values[name] for name in variant.data}
        given.update(zip(variant.captured, captured))
        if variant.sites:
            arguments.calls.given.update((name, value) for name, value in given.items() if not isinstance(value, numpy.ndarray))
        for (name, site), function in zip(variant.sites, captured[len(variant.captured):]):
            given[name] = site.made(function, arguments.calls)
        for name in () if self._dace else symbols: # DaCe takes symbols that nothing needs
            if arguments.lookup(name) is None:
                import difflib
                known = difflib.get_close_matches(name, self._kinds, 1)
                raise TypeError(f"{self.name}() got an unexpected keyword argument '{name}'"
                                + (f" (did you mean '{known[0]}'?)" if known else ""))
        given.update(symbols)
        return variant.program._give_all(arguments, given, variant.results)

    def bind(self, *args: Any, **kwargs: Any) -> BoundFunction:
        """The same call, ready to be run many times. The arrays must stay where they are; captured numbers keep their values."""
        values, symbols = self._named(args, kwargs)
        return self._with_arguments(values, symbols, self._bind)

    # ---- looking inside ----

    def _annotated(self, args, kwargs):
        """The parameters where annotations say what those are that are not given, else None."""
        if self._kinds is None:
            self._prepare()
        values = {**dict(zip(self._positional, args)), **kwargs}
        rest = {name: k for name, k in self._kinds.items() if name not in values}
        if not rest or len(args) > len(self._positional) or not values.keys() <= self._kinds.keys() \
                or not all(isinstance(k, (Callback, Descriptor)) or type_of(k) for k in rest.values()) \
                or (values and rest.keys() <= self._defaults.keys()):
            return None
        sizes = {} if self._specialize != "all" else None
        return {name: self._kind(name, values[name], sizes) if name in values else ("callback", k) if isinstance(k, Callback)
                else ("value", k.name, False) if not isinstance(k, Descriptor) else ("array", k.dtype.name, k.shape, None)
                for name, k in self._kinds.items()}

    def _variant(self, args, kwargs):
        parameters = self._annotated(args, kwargs)
        self._newest = self._compile(parameters) if parameters is not None else self._find(*self._named(args, kwargs))[0]
        return self._newest

    def _types(self, args, kwargs):
        self._variant(args, kwargs) # or an error
        parameters, names = self._annotated(args, kwargs), _listing.Listing()
        asking = self._asking(self._parameters(self._named(args, kwargs)[0])[0] if parameters is None else parameters, names=names)
        Program.from_function(asking, self.engine)
        return str(names)

    def compile(self, *args: Any, **kwargs: Any) -> Program:
        """Compiles for these arguments (none, if all parameters have types) and returns the Program, whose arguments include what the
        function captures."""
        return self._variant(args, kwargs).program

    def to_sdfg(self, *args: Any, **kwargs: Any) -> str:
        """The text of the SDFG, which DaCe opens, too."""
        return self.inspect("sdfg", *args, **kwargs)

    def export(self, path: str, *args: Any, **kwargs: Any) -> None:
        """Compiles ahead of time into a file; see Program.export."""
        self._variant(args, kwargs).program.export(path)

    def inspect(self, what: str, *args: Any, **kwargs: Any) -> str:
        """"sdfg", "tree", "ll", "ll-opt", "asm", "remarks" or "guards" as text, for these arguments; "types": the source of the function,
        and of those compiled into it, with the type of each name beside it."""
        if what == "types":
            return self._types(args, kwargs)
        variant = self._variant(args, kwargs)
        if what == "guards":
            return "".join(f"{guard!r}\n" for guard in variant.asking.guards)
        return variant.program.emit(what)

    def explain(self) -> str:
        """Why the function was compiled, each time: a line for each of the last 100 variants."""
        return "".join(f"{line}\n" for line in self._log)


class Method:
    """A program of an object: its functions are those of Function, with the object as the first argument."""

    def __init__(self, function, instance):
        self.__func__, self.__self__, self._sdfg_method = function, instance, True
        self.__name__, self.__qualname__, self.__doc__ = function.__name__, function.__qualname__, function.__doc__

    def __call__(self, *args, **kwargs):
        return self.__func__(self.__self__, *args, **kwargs)

    @property
    def f(self):
        return types.MethodType(self.__func__.f, self.__self__)

    def bind(self, *args, **kwargs):
        return self.__func__.bind(self.__self__, *args, **kwargs)

    def compile(self, *args, **kwargs):
        return self.__func__.compile(self.__self__, *args, **kwargs)

    def to_sdfg(self, *args, **kwargs):
        return self.__func__.to_sdfg(self.__self__, *args, **kwargs)

    def export(self, path, *args, **kwargs):
        self.__func__.export(path, self.__self__, *args, **kwargs)

    def inspect(self, what, *args, **kwargs):
        return self.__func__.inspect(what, self.__self__, *args, **kwargs)

    def explain(self):
        return self.__func__.explain()

    def __eq__(self, other):
        return isinstance(other, Method) and self.__func__ is other.__func__ and self.__self__ is other.__self__

    def __hash__(self):
        return hash((id(self.__func__), id(self.__self__)))

    def __repr__(self):
        return f"<program {self.__qualname__} of {self.__self__!r}>"


class BoundFunction(Bound):
    """A call that is looked up and checked."""

    def __init__(self, variant, arguments, results):
        super().__init__(variant.program, arguments, results)
        self._variant = variant

    def __call__(self):
        return self._variant.result(super().__call__(), self._calls)


def _identity(value):
    """What stands for a constant in keys; equal ones may differ, which the guards see."""
    if value is None or isinstance(value, (str, int, float, complex)):
        return value
    return type(value)


def _shown_kind(kind):
    if kind[0] in ("constant", "callback"):
        return repr(kind[1])
    if kind[0] == "array":
        return f"{kind[1]}[{', '.join(map(str, kind[2]))}]" + ("" if kind[3] is None else " with strides")
    return kind[1] if kind[2] is False else f"a Python number of type {kind[1]}"


def _shown(parameters):
    return ", ".join(f"{name}: {_shown_kind(kind)}" for name, kind in parameters.items())


@overload
def program(f: Callable[..., Any], *, source: Optional[str] = None, engine: Optional[Engine] = None, specialize: str = "auto", variants: int = 32,
            fallback: bool = True, **options: Any) -> Function: ...


@overload
def program(*, source: Optional[str] = None, engine: Optional[Engine] = None, specialize: str = "auto", variants: int = 32, fallback: bool = True,
            **options: Any) -> Callable[[Callable[..., Any]], Function]: ...


def program(f=None, **options):
    """Decorator: the function is compiled for the types of its arguments when it is called. Also around existing functions:
    `fast = sdfg.program(f)`. Options are those of Engine, and
    source: the text of the function, where Python has none;
    specialize: "auto": sizes stay symbols where that is possible, "all": they are constants, "none": they must be symbols;
    variants: how many compiled forms are kept."""
    if f is None:
        return functools.partial(program, **options)
    if isinstance(f, types.MethodType):
        return Method(program(f.__func__, **options), f.__self__)
    return f if isinstance(f, Function) else Function(f, **options)


method = program


@overload
def supported(name: str) -> bool: ...


@overload
def supported(name: None = None) -> List[str]: ...


def supported(name=None):
    """Whether programs may call a function, such as "np.mean"; without a name: all of them."""
    names = [library.sdfg_function_name(i).decode() for i in range(library.sdfg_num_functions())]
    if name is None:
        return names
    module, _, last = name.rpartition(".")
    module = {"np": "numpy", "": "builtins"}.get(module, module).replace("np.", "numpy.")
    return f"{module}.{last}" in names


def _before_fork():
    if _program_module._default is not None:
        library.sdfg_engine_wait(_program_module._default._handle)


def _after_fork():
    for function in list(_functions):
        function._lock = threading.RLock()


from . import _program as _program_module # noqa: E402

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_child=_after_fork)
