"""Programs in DaCe's dialect and the graphs that they give, for `import dace`."""

import functools
import json

import numpy

from . import _graph
from ._dace_config import Config
from ._function import Function
from ._method import Method
from ._types import compiletime


class Graph:
    """The SDFG of a program. It can be called, compiled and saved as it is; what else an SDFG has makes it one that can be changed, which
    is compiled anew when it has been."""

    def __init__(self, program, function, variant, constants):
        self._program, self._function, self._variant, self._constants = program, function, variant, constants
        self.name, self.arg_names = program.name, program.arg_names

    @functools.cached_property
    def _changed(self):
        made = _graph.SDFG.from_json(json.loads(self._program.emit("sdfg")))
        made.arg_names = list(self.arg_names)
        return made

    def __getattr__(self, name):
        if name.startswith("__") or name not in dir(_graph.SDFG) + ["arrays", "symbols", "constants_prop", "label"]:
            raise AttributeError(f"'{name}' is not among what sdfg.dace has of an SDFG")
        return getattr(self._changed, name)

    def compile(self, *_, **__):
        return self

    def simplify(self, *_, **__):
        """Nothing to do: the compiler does what there is."""

    def validate(self):
        """Done when it was made, and when it was changed."""
        if "_changed" in vars(self):
            self._changed.validate()

    def to_json(self, *_):
        return self._changed.to_json() if "_changed" in vars(self) else json.loads(self._program.emit("sdfg"))

    def save(self, path, *_, **__):
        """Writes the file, as it is written again when it has been read."""
        _graph.write(self.to_json() if "_changed" in vars(self) else _graph.SDFG.from_json(self.to_json()).to_json(), path)

    def __call__(self, *args, **kwargs):
        if "_changed" in vars(self):
            return self._changed(*args, **kwargs)
        if self._variant.captured or self._variant.sites:
            given = {**dict(zip(self.arg_names, args)), **kwargs}
            captured = self._variant.check(self._constants)
            names = [*self._variant.captured, *(name for name, _ in self._variant.sites)]
            if captured is not None and not given.keys() & set(names) and given.keys() >= set(self._variant.data):
                return self._function.run(self._variant, given, captured)
        return self._program(*args, **kwargs)

    def __deepcopy__(self, memo):
        return _graph.SDFG.from_json(self.to_json())


class MissingArgument(TypeError, KeyError):
    """DaCe raises a KeyError."""

    __str__ = TypeError.__str__


class DaceProgram(Function):
    """A program in DaCe's dialect: single results are arrays of one element."""

    __slots__ = ()
    _missing = MissingArgument

    def __init__(self, f, *, auto_optimize=False, device=None, recreate_sdfg=True, regenerate_code=True, recompile=True,
                 distributed_compilation=False, constant_functions=False, use_explicit_cf=True, **options):
        if "GPU" in str(device):
            raise NotImplementedError("device: programs run on the CPU")
        super().__init__(f, dace=True, constant_functions=constant_functions, **options)

    def __call__(self, *args, **kwargs):
        if Config.get("compiler", "allow_view_arguments") is False: # it was set
            for value in (*args, *kwargs.values()):
                if isinstance(value, numpy.ndarray) and value.base is not None:
                    raise TypeError("an argument is a view of another array, and compiler.allow_view_arguments is off")
        return super().__call__(*args, **kwargs)

    def _asking(self, *args, **kwargs):
        asking = super()._asking(*args, **kwargs)
        asking.typed_callbacks = Config.get_bool("frontend", "typed_callbacks_only")
        most = int(Config.get("frontend", "unroll_threshold"))
        asking.unroll = max(most, 0) or (0 if most else 4096) # DaCe: 0 unrolls all, a negative number none
        return asking

    def __get__(self, instance, owner=None):
        return self if instance is None else DaceMethod(self, instance)

    def to_sdfg(self, *args, simplify=None, save=False, validate=True, **kwargs):
        variant = self._variant(args, kwargs)
        given = dict(zip(self._positional, args), **kwargs)
        return Graph(variant.program, self, variant, {name: given.get(name, self._defaults.get(name)) for name in self._kinds})

    def run(self, variant, given, captured):
        """A call of a variant with what it captures; `given` has its arguments by name, and symbols."""
        values = {name: given[name] for name in variant.data}
        symbols = {name: value for name, value in given.items() if name not in values}
        variant, results, calls = self._run(variant, *self._ready(variant, values, symbols, captured))
        return variant.result(results, calls)

    def compile(self, *args, simplify=None, save=False, validate=True, **kwargs):
        return self.to_sdfg(*args, **kwargs)

    # ---- as an object that is an SDFG ----

    def __sdfg__(self, *args, **kwargs):
        return self.to_sdfg(*args, **kwargs)

    def __sdfg_signature__(self):
        if self._kinds is None:
            self._prepare()
        return list(self._kinds), [name for name, kind in self._kinds.items() if kind is compiletime]

    def __sdfg_closure__(self, reevaluate=None):
        """The arrays and callbacks that the newest form captures, by the names of its arguments."""
        return self._closure({})

    def _closure(self, values):
        if not self._made.variants and self._newest is None:
            return {}
        variant = next(reversed(self._made.variants.values()))[0] if self._made.variants else self._newest
        return dict(zip([*variant.captured, *(name for name, _ in variant.sites)], variant.check(values) or ()))


class DaceMethod(Method):
    """A program of an object."""

    def __sdfg__(self, *args, **kwargs):
        return self.__func__.__sdfg__(self.__self__, *args, **kwargs)

    def __sdfg_signature__(self):
        names, constants = self.__func__.__sdfg_signature__()
        return names[1:], [name for name in constants if name != names[0]]

    def __sdfg_closure__(self, reevaluate=None):
        return self.__func__._closure({self.__func__.__sdfg_signature__()[0][0]: self.__self__})


def program(f=None, **options):
    if f is None:
        return functools.partial(program, **options)
    return f if isinstance(f, DaceProgram) else DaceProgram(f, **options)
