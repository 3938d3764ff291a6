"""The names of DaCe that programs use, for programs that say `import dace`: `python -m sdfg.dace prog.py ARGUMENT...` runs a script with
them, `sdfg.as_dace()` gives them as a module. Nothing is installed under the name `dace`, and what is not here is refused."""

import contextlib
import functools
import os
import runpy
import sys
import types

from . import _graph, _memlet, _state, _types
from ._errors import ProgramError
from ._function import Function, supported
from ._library import DTYPES
from ._program import compile

_NAMES = {name: getattr(_types, name) for name in ("symbol", "map", "named", "compiletime", "inline", "unroll", "nounroll", "in_program",
                                                   "always_inline")}
_NAMES.update({name: _types.BY_NAME[name] for name in DTYPES if name}, bool_=_types.BY_NAME["bool"], DaceSyntaxError=ProgramError)


class Graph:
    """The SDFG of a program, as far as callers of DaCe use one: it can be called, compiled and saved."""

    def __init__(self, program):
        self._program = program
        self.name, self.arg_names = program.name, program.arg_names

    def compile(self, *_, **__):
        return self

    def simplify(self, *_, **__):
        """Nothing to do: the compiler does what there is."""

    def validate(self):
        """Done when it was made."""

    def to_json(self):
        import json
        return json.loads(self._program.emit("sdfg"))

    def save(self, path, *_, **__):
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._program.emit("sdfg"))

    def __call__(self, *args, **kwargs):
        return self._program(*args, **kwargs)


class DaceProgram(Function):
    """A program in DaCe's dialect: single results are arrays of one element."""

    def __init__(self, f, *, auto_optimize=False, device=None, recreate_sdfg=True, regenerate_code=True, recompile=True,
                 constant_functions=False, use_explicit_cf=True, **options):
        if constant_functions:
            raise NotImplementedError("constant_functions: mark the functions with always_inline")
        if "GPU" in str(device):
            raise NotImplementedError("device: programs run on the CPU")
        super().__init__(f, dace=True, **options)

    def to_sdfg(self, *args, simplify=None, save=False, validate=True, **kwargs):
        return Graph(super().compile(*args, **kwargs))

    def compile(self, *args, **kwargs):
        return self.to_sdfg(*args, **kwargs)


def program(f=None, **options):
    if f is None:
        return functools.partial(program, **options)
    return DaceProgram(f, **options)


class Scalar:
    """The descriptor of a single value, also as an annotation."""

    def __init__(self, dtype, **_):
        self.dtype, self.shape = _types.Type(dtype), (1,)
        self._sdfg_descriptor = self.dtype


class Array(_types.Descriptor):
    def __init__(self, dtype, shape, **_):
        super().__init__(_types.Type(dtype), shape)


class SDFGConvertible:
    """A base of objects that are graphs in programs; what has the methods needs none."""


class _Dace(types.ModuleType):
    def __call__(self, f=None, **options): # @dace
        return program(f, **options)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if self.__name__ == "dace" and (name in ("tasklet", "mapscope") or supported(f"dace.{name}")):
            setattr(self, name, _types.Known(f"dace.{name}"))
            return vars(self)[name]
        raise AttributeError(f"'{self.__name__}.{name}' is not among the names of DaCe that sdfg.dace has: {', '.join(sorted(_NAMES))}, "
                             f"program, method, function, callback, {', '.join((*_BUILDING, *_ENUMERATIONS))}, Config")


class _Names:
    """An enumeration of DaCe: its members are their names, which are checked where they are used."""

    def __init__(self, name):
        self._name = name

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return name

    def __getitem__(self, name):
        return name


class _Config:
    """Options of DaCe: all have their defaults, and what is set has no effect."""

    @staticmethod
    def set_temporary(*_, **__):
        return contextlib.nullcontext()

    @staticmethod
    def set(*_, **__):
        pass

    @staticmethod
    def get(*_):
        return None

    @staticmethod
    def get_bool(*_):
        return False


class SDFG(_graph.SDFG):
    """The graph under construction; `from_file` gives one that can be called, compiled and saved."""

    @staticmethod
    def from_file(path):
        return Graph(compile(path))


_BUILDING = {"SDFG": SDFG, "Memlet": _memlet.Memlet, "InterstateEdge": _graph.InterstateEdge, "SDFGState": _state.SDFGState,
             "LoopRegion": _graph.LoopRegion, "ConditionalBlock": _graph.ConditionalBlock, "ControlFlowRegion": _graph.ControlFlowRegion}
_ENUMERATIONS = ("StorageType", "ScheduleType", "AllocationLifetime", "Language", "DeviceType", "InstrumentationType", "ReductionType")
# The modules of DaCe that hold them.
_MODULES = {"dtypes": (), "memlet": ("Memlet",), "data": (), "config": (), "sdfg": tuple(_BUILDING), "sdfg.state": tuple(_BUILDING),
            "sdfg.sdfg": ("SDFG", "InterstateEdge"), "sdfg.nodes": (), "frontend": (), "frontend.python": (), "frontend.python.common": ()}


def _modules():
    """Name behind "dace." -> module; "" is the module itself."""
    made = {"": _Dace("dace", __doc__), **{name: _Dace(f"dace.{name}") for name in _MODULES}}
    for name, module in made.items():
        outer, _, last = name.rpartition(".")
        if name:
            setattr(made[outer], last, module)
            vars(module).update({n: _BUILDING[n] for n in _MODULES[name]})
        module.__path__ = []
    enumerations = {name: _Names(name) for name in _ENUMERATIONS}
    vars(made[""]).update(_NAMES, **_BUILDING, **enumerations, program=program, method=program, function=program, __version__="",
                          callback=_types.Callback, Config=_Config, SDFGConvertible=SDFGConvertible)
    vars(made["dtypes"]).update(_NAMES, **enumerations, callback=_types.Callback)
    vars(made["dtypes"]).update(typeclass=_types.Type)
    vars(made[""]).update(typeclass=_types.Type)
    vars(made["data"]).update(Array=Array, Scalar=Scalar)
    vars(made["config"]).update(Config=_Config, set_temporary=_Config.set_temporary, temporary_config=contextlib.nullcontext)
    vars(made["frontend.python.common"]).update(DaceSyntaxError=ProgramError, SDFGConvertible=SDFGConvertible)
    return made


def as_dace():
    """A module that stands for `dace` in programs."""
    return _modules()[""]


def install():
    """`import dace` means this module from now on, in this process."""
    made = _modules()
    for name, module in made.items():
        sys.modules[f"dace.{name}" if name else "dace"] = module
    return made[""]


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: python -m sdfg.dace PROGRAM.py [ARGUMENT...]")
    install()
    del sys.argv[0]
    sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
