"""The names of DaCe that programs use, for programs that say `import dace`: `python -m sdfg.dace prog.py ARGUMENT...` runs a script with
them, `sdfg.as_dace()` gives them as a module. Nothing is installed under the name `dace`, and what is not here is refused."""

import contextlib
import functools
import os
import runpy
import sys
import types

from . import _types
from ._errors import ProgramError
from ._function import Function
from ._library import DTYPES
from ._program import compile

_NAMES = {name: getattr(_types, name) for name in ("symbol", "map", "compiletime", "inline", "unroll", "nounroll", "in_program",
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


@contextlib.contextmanager
def _set_temporary(*_, **__):
    yield


class _Dace(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise AttributeError(f"'{self.__name__}.{name}' is not among the names of DaCe that sdfg.dace has: {', '.join(sorted(_NAMES))}, "
                             "program, method, function, SDFG.from_file, dtypes, config")


def as_dace():
    """A module that stands for `dace` in programs."""
    module, dtypes = _Dace("dace", __doc__), _Dace("dace.dtypes")
    vars(module).update(_NAMES, program=program, method=program, function=program, dtypes=dtypes, __version__="",
                        SDFG=types.SimpleNamespace(from_file=lambda path: Graph(compile(path))),
                        config=types.SimpleNamespace(set_temporary=_set_temporary))
    vars(dtypes).update(_NAMES)
    return module


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: python -m sdfg.dace PROGRAM.py [ARGUMENT...]")
    module = as_dace()
    sys.modules["dace"], sys.modules["dace.dtypes"] = module, module.dtypes
    del sys.argv[0]
    sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
