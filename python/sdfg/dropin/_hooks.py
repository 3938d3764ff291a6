"""Where DaCe's compilation is left: `SDFG.compile` does all it does (cache, names that are taken, folders, handles) around two functions,
one that generates code and one that runs CMake; within `SDFG.compile` both are ours."""

import functools
import sys
import threading

from .._errors import Error
from . import _build, _memory
from ._graph import Refusal, expand, sends_messages
from ._settings import settings

_now = threading.local()
_saved: dict = {}


def _refused(graph, error):
    """A program that DaCe builds, or the error."""
    reason = getattr(error, "messages", None)
    reason = reason[0].text if reason else str(error).split("\n")[0]
    if not settings.fallback:
        raise error
    settings.count(reason)
    settings.announce(reason, f"DaCe builds '{graph.name}': {reason}")


def _is_for_others(frame):
    """Whether DaCe compiles on one process what all processes of a communicator load from its folder."""
    return frame.f_code.co_name == "distributed_compile" and frame.f_globals.get("__name__") == "dace.sdfg.utils"


def _compile(original):
    @functools.wraps(original)
    def compile(self, output_file=None, validate=True, return_program_handle=True, *args, **kwargs):
        before, level = getattr(_now, "job", None), settings.level
        _now.job = None
        try:
            if level == "memory" and output_file is None and return_program_handle and not _is_for_others(sys._getframe(1)):
                try:
                    return _memory.compile(self, validate)
                except (Error, Refusal) as error:
                    _refused(self, error)
            elif level:
                _now.job = _build.Job()
            return original(self, output_file, validate, return_program_handle, *args, **kwargs)
        finally:
            _now.job = before
    return compile


def _expand_library_nodes(original):
    """DaCe expands nodes that send messages to C++ that calls MPI or ScaLAPACK; we take the nodes, which DaCe's own optimizer (`auto_optimize`) leaves as
    they are, too. Users that ask get what DaCe gives."""
    @functools.wraps(original)
    def expand_library_nodes(self, recursive=True):
        by_optimizer = sys._getframe(1).f_globals.get("__name__", "").startswith("dace.transformation.")
        if not by_optimizer or not settings.level or not any(sends_messages(node) for node, _ in self.all_nodes_recursive()):
            return original(self, recursive)
        return expand(self, lambda node: not sends_messages(node), recursive)
    return expand_library_nodes


def _generate_code(original):
    @functools.wraps(original)
    def generate_code(sdfg, validate=True, *args, **kwargs):
        job = getattr(_now, "job", None)
        if job is None or job.done:
            return original(sdfg, validate, *args, **kwargs)
        job.done = True
        if validate:
            sdfg.validate()
        try:
            return job.generate(sdfg)
        except (Error, Refusal) as error:
            _refused(sdfg, error)
            return original(sdfg, False, *args, **kwargs)
    return generate_code


def _configure_and_compile(original):
    @functools.wraps(original)
    def configure_and_compile(program_folder, program_name=None, *args, **kwargs):
        job = getattr(_now, "job", None)
        if job is not None and job.library is not None:
            return job.write(program_folder, program_name, kwargs.get("folder_mode"))
        ours = None if job is None or job.done else _build.built(program_folder, program_name, kwargs.get("folder_mode"))
        return ours or original(program_folder, program_name, *args, **kwargs)
    return configure_and_compile


def _dump(original):
    @functools.wraps(original)
    def dump(value, file, *args, **kwargs):
        if getattr(_now, "job", None) is None:
            return original(value, file, *args, **kwargs)
        from dace import serialize
        return file.write(serialize.dumps(value, *args, **kwargs)) # the same text: json.dump would not use its encoder in C, which is ten times faster
    return dump


def _load_precompiled_sdfg(original):
    @functools.wraps(original)
    def load_precompiled_sdfg(folder, *args, **kwargs):
        graph = _memory.folders.take(folder)
        if graph is not None: # it is in memory only
            graph.compile(return_program_handle=False)
        return original(folder, *args, **kwargs)
    return load_precompiled_sdfg


def patch():
    if _saved:
        return
    import dace
    from dace import serialize
    from dace.codegen import codegen, compiler
    places = [(dace.SDFG, "compile", _compile), (dace.SDFG, "expand_library_nodes", _expand_library_nodes), (codegen, "generate_code", _generate_code),
              (serialize, "dump", _dump), (compiler, "configure_and_compile", _configure_and_compile), (compiler, "load_precompiled_sdfg", _load_precompiled_sdfg)]
    for owner, name, wrap in places:
        _saved[owner, name] = getattr(owner, name)
        setattr(owner, name, wrap(getattr(owner, name)))


def unpatch():
    for (owner, name), original in _saved.items():
        setattr(owner, name, original)
    _saved.clear()
