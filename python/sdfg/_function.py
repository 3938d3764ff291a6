"""Python functions as programs: `@sdfg.program`."""

from __future__ import annotations

import functools
import os
import threading
import types
import weakref
from collections import OrderedDict
from typing import Any, Callable, List, Optional, Set, overload

import numpy

from . import _engine, _guards, _host, _listing, _overlap, _site, _source
from ._arguments import Arguments
from ._cancel import call
from ._engine import Engine
from ._errors import InvalidError, ProgramError, ProgramWarning, check
from ._fast import MISS
from ._interpret import interpreted
from ._library import library
from ._method import Method
from ._program import Bound, Program
from ._signature import Signature, shown, shown_kind
from ._types import Callback, Descriptor, type_of
from ._variant import Variant

_all_made: Set[weakref.ref] = set()
_making = threading.Lock()


class _Made:
    """The compiled variants of a function, and why each was compiled. Created by the first compilation, which keeps decorating short."""

    def __init__(self):
        self.lock, self.variants, self.constant_sizes, self.log, self.announced = threading.RLock(), OrderedDict(), set(), [], set()
        _all_made.add(weakref.ref(self, _all_made.discard))


class _Options:
    """How functions are compiled; see program()."""

    __slots__ = ("engine", "source", "specialize", "variants", "dace", "fallback", "constant_functions")

    def __init__(self, *, source=None, engine=None, specialize="auto", variants=32, dace=False, fallback=True, constant_functions=False, **options):
        if specialize not in ("auto", "all", "none"):
            raise ValueError(f"specialize={specialize!r} is none of 'auto', 'all', 'none'")
        self.engine = engine or (Engine(**options) if options else None)
        self.source, self.specialize, self.variants, self.dace = source, specialize, variants, dace
        self.fallback, self.constant_functions = fallback, constant_functions


_NO_OPTIONS = _Options() # shared, which keeps decorating short


class Function(Signature):
    """A function that is compiled when it is called. `f` is the Python function, `options` are those of `sdfg.program`; any thread may call it."""

    # Slots, because functools.wraps copies __dict__ from a program to the function around it.
    __slots__ = ("f", "_options", "_fast", "_newest", "_first_made", "__dict__", "__weakref__")

    def __init__(self, f, **options):
        if not isinstance(f, types.FunctionType):
            raise TypeError(f"a program is made from a Python function, not from {type(f).__name__}")
        self.f = f
        self._options = _Options(**options) if options else _NO_OPTIONS
        self._kinds = self._fast = self._newest = self._first_made = None
        # As functools.update_wrapper, which takes four times as long:
        self.__module__ = f.__module__
        self.__name__ = f.__name__
        self.__qualname__ = f.__qualname__
        self.__doc__ = f.__doc__
        self.__annotations__ = f.__annotations__
        if f.__dict__:
            self.__dict__.update(f.__dict__)
        self.__wrapped__ = f

    @property
    def engine(self) -> Optional[Engine]:
        """The one that compiles; None: the default engine."""
        return self._options.engine

    @property
    def _sdfg_function(self):
        return self.f

    @property
    def _made(self):
        if self._first_made is None:
            with _making:
                self._first_made = self._first_made or _Made()
        return self._first_made

    @property
    def name(self) -> str:
        """Of the function."""
        return self.f.__name__

    def __repr__(self):
        return f"<program {self.f.__qualname__}>"

    def __get__(self, instance: Any, owner: Any = None) -> Function:
        return self if instance is None else Method(self, instance) # type: ignore[return-value] # calls are the same

    # ---- variants ----

    def _parameters(self, values):
        """What the compiler hears of these values, the key of that, and whether sizes are symbols that may become constants."""
        sizes = {} if self._options.specialize != "all" else None
        parameters = {name: self._kind(name, value, sizes) for name, value in values.items()}
        key = self._key(parameters)
        if key in self._made.constant_sizes:
            parameters = {name: self._kind(name, value, None) for name, value in values.items()}
            key = self._key(parameters)
        return parameters, key, bool(sizes)

    def _find(self, values, symbols):
        """The variant for a call, compiled if need be, and the arrays that it captures."""
        parameters, key, may_specialize = self._parameters(values)
        with self._made.lock:
            for variant in self._made.variants.get(key, ()):
                captured = variant.check(values)
                if captured is not None:
                    self._made.variants.move_to_end(key)
                    return variant, captured
            return self._compile_for(values, parameters, key, may_specialize)

    def _find_shared(self, values, error, variant, captured):
        """The same for a call whose arrays overlap, as `error` says of `variant`: a variant in which each group of equal arrays is one
        argument. None: they have no element in common. What overlaps in another way stays the error."""
        shared = _overlap.groups(values, variant, captured, error)
        if shared is None:
            return None
        sizes = {} if self._options.specialize != "all" else None
        parameters = {name: self._kind(name, value, sizes) for name, value in values.items()}
        for names in shared:
            for name in names[1:]:
                if parameters[name][:3] != parameters[names[0]][:3]: # annotations with different symbols
                    raise error
                parameters[name] = parameters[names[0]]
        key = (*self._key(parameters), tuple(map(tuple, shared)))
        arrays = {name: values[name] for names in shared for name in names}
        with self._made.lock:
            for variant in self._made.variants.get(key, ()):
                captured = variant.check(values)
                if captured is not None:
                    self._made.variants.move_to_end(key)
                    return variant, captured
            self._made.log.append("shared memory: " + ", ".join(" is ".join(names) if names[1:] else f"{names[0]} is captured" for names in shared))
            variant = self._compile(parameters, arrays)
            return variant, self._keep(variant, values, key)

    def _compile_for(self, values, parameters, key, may_specialize):
        self._remark(values, parameters, key)
        try:
            variant = self._compile(parameters)
        except ProgramError:
            if not may_specialize or self._options.specialize == "none" or key in self._made.constant_sizes:
                raise
            fixed = {name: self._kind(name, value, None) for name, value in values.items()}
            variant = self._compile(fixed) # the error of these sizes is the clearer one
            self._made.constant_sizes.add(key)
            key = self._key(fixed)
        return variant, self._keep(variant, values, key)

    def _keep(self, variant, values, key):
        """Remembers a variant, and returns the arrays that it captures."""
        captured = variant.check(values)
        if captured is None:
            raise RuntimeError(f"what '{self.name}' captures changes while it is compiled: "
                               + "; ".join(f"{shown}: {new}" for shown, _, new in _guards.differences(variant.asking, values)))
        self._made.variants.setdefault(key, []).insert(0, variant)
        self._made.variants.move_to_end(key)
        while sum(map(len, self._made.variants.values())) > self._options.variants:
            oldest = next(iter(self._made.variants))
            self._made.variants[oldest].pop()
            if not self._made.variants[oldest]:
                del self._made.variants[oldest]
        return captured

    def _asking(self, parameters, shared=None, names=None):
        asking = _host.Asking(self.f, parameters, {}, self._options.dace, shared, self._options.fallback, names, self._options.constant_functions)
        try:
            asking.remember_source(self.f, _source.of(self.f, self._options.source))
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
        variant = Variant(program, asking, parameters, self._options.dace)
        self._announce(asking, program.warnings)
        asking.objects, asking.paths, asking.arrays, asking.parameters = {}, {}, {}, {} # nothing captured is kept alive
        asking.function, asking.shared, asking.memory = None, {}, None
        return variant

    def _announce(self, asking, messages):
        """Warnings of a compilation, each one once."""
        for file, line, site, reason in asking.announced:
            _site.announce(file, line, site, reason, self._made.announced)
        for m in messages:
            if m.warning and m.code.startswith("PROGRAM_") and m.source.count(":") >= 2:
                file, line, _ = m.source.rsplit(":", 2)
                _site.warn(m.text, ProgramWarning, file, int(line), self._made.announced)

    def _remark(self, values, parameters, key):
        """Why it is compiled, for explain()."""
        if not self._made.variants:
            self._made.log.append("first call: " + shown(parameters))
            return
        candidates = self._made.variants.get(key)
        if candidates:
            changes = [f"{shown} changed: {old} -> {new}" for shown, old, new in _guards.differences(candidates[0].asking, values)]
        else:
            last = next(reversed(self._made.variants))
            changes = [f"argument '{name}' changed: {shown_kind(old)} -> {shown_kind(new)}"
                       for name, old, new in zip(parameters, last, key) if old != new] or ["sizes differ"]
        self._made.log.append("; ".join(changes))
        del self._made.log[:-100]

    # ---- calls ----

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if interpreted.depth and interpreted.here.depth:
            return self.f(*args, **kwargs)
        fast = self._fast
        if fast is not None and not kwargs:
            result = fast(args)
            if result is not MISS:
                return result
        values, symbols = self._named(args, kwargs)
        variant, results, calls = self._with_arguments(values, symbols, self._run)
        if not kwargs and not variant.shared and (fast is None or fast.__self__.program is not variant.program):
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
        for name in () if self._options.dace else symbols: # DaCe takes symbols that nothing needs
            if arguments.lookup(name) is None:
                import difflib
                known = difflib.get_close_matches(name, self._kinds, 1)
                raise TypeError(f"{self.name}() got an unexpected keyword argument '{name}'"
                                + (f" (did you mean '{known[0]}'?)" if known else ""))
        given.update(symbols)
        return variant.program._give_all(arguments, given, variant.results, [a or b for a, b in zip(variant.number, variant.object)])

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
        sizes = {} if self._options.specialize != "all" else None
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
        return "".join(f"{line}\n" for line in self._made.log)


class BoundFunction(Bound):
    """A call that is looked up and checked."""

    def __init__(self, variant, arguments, results):
        super().__init__(variant.program, arguments, results)
        self._variant = variant

    def __call__(self):
        return self._variant.result(super().__call__(), self._calls)


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
    if _engine._default is not None:
        library.sdfg_engine_wait(_engine._default._handle)


def _after_fork():
    global _making
    _making = threading.Lock()
    for made in [reference() for reference in list(_all_made)]:
        if made is not None:
            made.lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_child=_after_fork)
