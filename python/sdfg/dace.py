"""The names of DaCe that programs use, for programs that say `import dace`: `python -m sdfg.dace prog.py ARGUMENT...` runs a script with
them, `sdfg.as_dace()` gives them as a module. Nothing is installed under the name `dace`, and what is not here is refused."""

import functools
import os
import runpy
import sys
import types
import warnings

import numpy

from . import _composed, _data, _graph, _memlet, _plain, _state, _types
from ._callback import size_of
from ._dace_config import Config, set_temporary, temporary_config
from ._dace_program import DaceProgram, program
from ._errors import InvalidError, ProgramError, ProgramWarning
from ._function import supported
from ._library import DTYPES

_TYPES = {**{name: _types.BY_NAME[name] for name in DTYPES if name}, "bool_": _types.BY_NAME["bool"],
          **{name: getattr(_composed, name) for name in ("vector", "struct", "pointer", "opaque")}, "pyobject": _composed.opaque("pyobject"),
          "string": _composed.Raw({"type": "string"}), "typeclass": _types.Type, "callback": _types.Callback}
_NAMES = {**_TYPES, **_plain.FUNCTIONS, **{name: getattr(_types, name) for name in (
    "symbol", "map", "named", "compiletime", "inline", "unroll", "nounroll", "in_program", "always_inline")}, "DaceSyntaxError": ProgramError}


class SDFGConvertible:
    """A base of objects that are graphs in programs; what has the methods needs none."""


# ---- containers ----

class Scalar(_data.Data):
    """The descriptor of a single value, also as an annotation."""

    def __init__(self, dtype, **more):
        super().__init__("Scalar", dtype, **_known(more))
        self._sdfg_descriptor = self.dtype


class Array(_data.Data):
    def __init__(self, dtype, shape, **more):
        super().__init__("Array", dtype, shape, **_known(more))
        self._sdfg_descriptor = _types.Descriptor(self.dtype, self.shape)


def _known(more):
    return {k: v for k, v in more.items() if k in ("transient", "storage", "strides", "lifetime", "offset", "total_size", "may_alias",
                                                   "alignment", "optional", "buffer_size")}


def _container(kind):
    def make(dtype, shape=(1,), **more):
        return _data.Data(kind, dtype, shape, **_known(more))
    make.__name__ = kind
    return make


def Structure(members, name="struct", **more):
    members = members if isinstance(members, dict) else dict(members)
    return _data.Data("Structure", None, members=members, name=name, **_known(more))


def ContainerArray(stype, shape, **more):
    return _data.Data("ContainerArray", None, shape, stype=stype, **_known(more))


# ---- modules ----

class _Dace(types.ModuleType):
    def __call__(self, f=None, **options): # @dace
        return program(f, **options)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if self.__name__ == "dace" and (name in ("mapscope", "consumescope") or supported(f"dace.{name}")):
            setattr(self, name, _types.Known(f"dace.{name}"))
            return vars(self)[name]
        raise AttributeError(f"'{self.__name__}.{name}' is not among the names of DaCe that sdfg.dace has: {', '.join(sorted(_NAMES))}, "
                             f"program, method, function, {', '.join((*_BUILDING, *_ENUMERATIONS))}, Config")


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


class SDFG(_graph.SDFG):
    """The graph under construction; that of a file can be called, compiled and saved, too. As in DaCe, memory counts: an array of another shape
    is seen as a container says that has strides of its own, and arguments that it does not take are ignored."""

    def __call__(self, *args, **kwargs):
        given = {**dict(zip(self.arg_names, args)), **kwargs}
        for name, value in given.items():
            data = self.arrays.get(name)
            if data is not None and data.own_strides is not None and isinstance(value, numpy.ndarray):
                given[name] = _laid_over(data, value, given)
        return super().__call__(**given)

    def validate(self, *_, **__):
        super().validate(races=Config.get_bool("experimental", "check_race_conditions"))

    def _loaded(self):
        before, found = self._program, super()._loaded()
        found._of_dace = True
        for name, data in self.arrays.items() if found is not before else ():
            if data.transient and data.storage == "Register" and any(_memlet.names_of(_memlet.text_of(n)) for n in data.shape):
                warnings.warn(f"Variable-length array '{name}' of shape {list(map(str, data.shape))} lies on the heap, not in registers",
                              ProgramWarning, stacklevel=3)
        return found


def _laid_over(data, array, sizes):
    """The elements of a packed array as a container has them, or the array itself where they fit or are too few."""
    try:
        shape, strides = ([size_of(_memlet.text_of(n), sizes.__getitem__) for n in values] for values in (data.shape, data.strides))
        count = sum((n - 1) * s for n, s in zip(shape, strides)) + 1 if data.total_size is None else \
            size_of(_memlet.text_of(data.total_size), sizes.__getitem__)
    except ValueError: # sizes that follow from shapes only
        return array
    if array.shape == tuple(shape) or not array.flags.c_contiguous or count > array.size or min(strides) < 0:
        return array
    return numpy.lib.stride_tricks.as_strided(array, shape, [s * array.itemsize for s in strides])


def auto_optimize(graph, *_, **__):
    """Nothing to do: the compiler does what there is."""
    return graph


def _libraries():
    """Module behind "dace.libraries." -> {class: what makes its nodes}."""
    from ._engine import default_engine
    found: dict = {}
    for row in default_engine().list("ops"):
        library_name, _, last = row.name.rpartition(".")
        found.setdefault(library_name, {})[last] = functools.partial(_state.library_node, row.name)
    found.setdefault("standard", {})["Reduce"] = _state.reduce_node
    return found


_BUILDING = {"SDFG": SDFG, "Memlet": _memlet.Memlet, "InterstateEdge": _graph.InterstateEdge, "SDFGState": _state.SDFGState,
             "LoopRegion": _graph.LoopRegion, "ConditionalBlock": _graph.ConditionalBlock, "ControlFlowRegion": _graph.ControlFlowRegion,
             "InvalidSDFGError": InvalidError}
_ENUMERATIONS = ("StorageType", "ScheduleType", "AllocationLifetime", "Language", "DeviceType", "InstrumentationType", "ReductionType",
                 "DebugInfo")
_CONTAINERS = {"Data": _data.Data, "Array": Array, "Scalar": Scalar, "Structure": Structure, "ContainerArray": ContainerArray,
               **{name: _container(kind) for name, kind in (("Stream", "Stream"), ("ArrayView", "ArrayView"), ("ArrayReference", "ArrayReference"))}}
_RANGES = {"Range": _memlet.Range, "Indices": _memlet.Range.from_indices}
# The modules of DaCe that hold them.
_MODULES = {"dtypes": _TYPES, "memlet": {"Memlet": _memlet.Memlet}, "subsets": _RANGES, "data": _CONTAINERS, "symbolic": {"symbol": _types.symbol},
            "config": {"Config": Config, "set_temporary": set_temporary, "temporary_config": temporary_config},
            "sdfg": _BUILDING, "sdfg.state": _BUILDING, "sdfg.sdfg": _BUILDING, "sdfg.nodes": {}, "sdfg.validation": {"InvalidSDFGError": InvalidError},
            "frontend": {}, "frontend.python": {}, "frontend.python.common": {"DaceSyntaxError": ProgramError, "SDFGConvertible": SDFGConvertible},
            "frontend.python.parser": {"DaceProgram": DaceProgram}, "transformation": {}, "transformation.auto": {},
            "transformation.auto.auto_optimize": {"auto_optimize": auto_optimize}, "libraries": {}}


def _modules():
    """Name behind "dace." -> module; "" is the module itself."""
    tables = dict(_MODULES)
    for name, classes in _libraries().items():
        tables[f"libraries.{name}"] = tables[f"libraries.{name}.nodes"] = classes
    made = {"": _Dace("dace", __doc__), **{name: _Dace(f"dace.{name}") for name in tables}}
    enumerations = {name: _Names(name) for name in _ENUMERATIONS}
    vars(made[""]).update(_NAMES, **_BUILDING, **enumerations, program=program, method=program, function=program, __version__="",
                          Config=Config, SDFGConvertible=SDFGConvertible)
    vars(made["dtypes"]).update(_NAMES, **enumerations)
    for name, module in made.items():
        vars(module).update(tables.get(name, {}))
        outer, _, last = name.rpartition(".")
        if name:
            setattr(made[outer], last, module)
        module.__path__ = []
    made[""].nodes = made["sdfg.nodes"]
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
