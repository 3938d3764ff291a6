"""Level "memory": nothing is written unless its folder is loaded. DaCe's CompiledSDFG asks its library for functions by name; here they are objects that call the
engine, which compiles for the sizes of the call and keeps calls bound by what was passed to them."""

import collections
import copy
import ctypes
import os
import pathlib
import tempfile
import threading
import weakref

from .._errors import UnsupportedError, check
from .._library import DTYPES, library
from . import _build, _graph
from ._settings import settings

BOUND = 32 # calls that a program keeps ready
KEPT = 32 # programs that can still be written to their folders


class _Function:
    """Stands for a ctypes function: called, and told its result type."""

    def __init__(self, work):
        self.work, self.restype, self.argtypes = work, None, None

    def __call__(self, *args):
        return self.work(*args)


class _Argument:
    def __init__(self, info):
        self.name, self.key = info.name, info.name.encode()
        self.dtype = DTYPES.index(info.type) if info.kind in ("scalar", "symbol") and info.type in DTYPES else 0
        self.bytes = library.sdfg_dtype_size(self.dtype) if self.dtype else ctypes.sizeof(ctypes.c_void_p)

    def raw(self, value):
        """What is passed as bytes: memory by its address, single values as they lie in memory."""
        if value is None:
            return bytes(self.bytes)
        if isinstance(value, (ctypes._SimpleCData, ctypes._Pointer, ctypes._CFuncPtr, ctypes.Structure)) and (
                not self.dtype or ctypes.sizeof(value) == self.bytes):
            return bytes(value)
        if isinstance(value, ctypes.Array):
            return ctypes.addressof(value).to_bytes(self.bytes, "little")
        value = getattr(value, "value", value)
        if not self.dtype:
            return int(value).to_bytes(self.bytes, "little")
        import numpy
        return numpy.array(value, dtype=DTYPES[self.dtype]).tobytes()

    def stand_in(self):
        """For questions that do not look at it."""
        return bytes(self.bytes) if self.dtype else (1).to_bytes(self.bytes, "little")

    def give(self, arguments, raw):
        if self.dtype:
            check(library.sdfg_args_scalar(arguments, self.key, self.dtype, raw))
        else:
            address = int.from_bytes(raw, "little")
            check(library.sdfg_args_pointer(arguments, self.key, address) if address else library.sdfg_args_null(arguments, self.key))


class _Calls:
    """Bound calls by the bytes of their arguments; each belongs to one thread, as calls may overlap."""

    def __init__(self, program, arguments):
        self.program, self.arguments, self.workspaces = program, arguments, {}
        self.bound, self.lock = collections.OrderedDict(), threading.Lock()

    def _bind(self, raws):
        handle, bound = ctypes.c_void_p(), ctypes.c_void_p()
        check(library.sdfg_args_new(ctypes.byref(handle), self.program._handle))
        try:
            for argument, raw in zip(self.arguments, raws):
                argument.give(handle, raw)
            for storage, (address, size) in self.workspaces.items():
                check(library.sdfg_args_workspace(handle, storage.encode(), address, size))
            check(library.sdfg_bind(ctypes.byref(bound), self.program._handle, handle))
        finally:
            library.sdfg_args_free(handle)
        return bound

    def call(self, values):
        if len(values) != len(self.arguments):
            raise TypeError(f"'{self.program.name}' takes {len(self.arguments)} arguments, not {len(values)}")
        raws = [argument.raw(value) for argument, value in zip(self.arguments, values)]
        key = (threading.get_ident(), *raws)
        with self.lock:
            bound = self.bound.pop(key, None) # in nobody else's hands while it runs
        if bound is None:
            bound = self._bind(raws)
        try:
            check(library.sdfg_bound_call(bound))
        finally:
            with self.lock:
                self.bound[key] = bound
                old = self.bound.popitem(last=False)[1] if len(self.bound) > BOUND else None
        if old is not None:
            library.sdfg_bound_free(old)

    def clear(self):
        with self.lock:
            gone = list(self.bound.values())
            self.bound.clear()
        for bound in gone:
            library.sdfg_bound_free(bound)


class Library:
    """What DaCe's CompiledSDFG takes for a library."""

    def __init__(self, graph, program, more):
        name = graph.name
        taken = [a for a in program.arguments if a.kind != "symbol" or not a.optional or a.name in more]
        self._program, self._more, self._name = program, more, name
        self._symbols = [a.name for a in taken if a.kind == "symbol"]
        self._calls = _Calls(program, [_Argument(a) for a in taken])
        self._functions = {f"__dace_init_{name}": self._init, f"__program_{name}": self._run, f"__dace_exit_{name}": self._exit}
        for storage in program.get_workspace_names():
            self._functions[f"__dace_get_external_memory_size_{storage}"] = lambda _, *symbols, s=storage: self._size(s, symbols)
            self._functions[f"__dace_set_external_memory_{storage}"] = lambda _, memory, *symbols, s=storage: self._set(s, memory, symbols)
        self._folder = None

    # ---- what DaCe's ReloadableDLL has ----

    def load(self):
        pass

    def unload(self):
        pass

    def is_loaded(self):
        return False

    def get_symbol(self, name, restype=ctypes.c_int):
        if name not in self._functions:
            raise KeyError(f"Function {name} not found in the program")
        return _Function(self._functions[name])

    def __deepcopy__(self, memo):
        raise RuntimeError("a program in memory cannot be copied")

    @property
    def _library_filename(self):
        """For what needs a file, such as a call in another process."""
        if self._folder is None:
            folder = tempfile.TemporaryDirectory(prefix="sdfg-dropin-")
            job = _build.Job()
            job.library, job.stub = self._program.export_bytes(".so", optional=self._more), _build._stub().read_bytes()
            job.write(folder.name, self._name, "production")
            self._folder = folder.name
            weakref.finalize(self, folder.cleanup)
        return str(pathlib.Path(self._folder) / f"lib{self._name}.so")

    @property
    def _stub_filename(self):
        file = pathlib.Path(self._library_filename)
        return str(file.with_name("libdacestub_" + file.name[3:]))

    # ---- the functions ----

    def _init(self, *_):
        return 1 # a handle: the engine has the program's memory

    def _run(self, _, *values):
        self._calls.call(values)

    def _exit(self, _):
        self._calls.clear()
        return 0

    def _size(self, storage, values):
        handle, size = ctypes.c_void_p(), ctypes.c_size_t()
        check(library.sdfg_args_new(ctypes.byref(handle), self._program._handle))
        try:
            given = dict(zip(self._symbols, values))
            for argument in self._calls.arguments: # sizes depend on symbols only, but the engine wants all
                argument.give(handle, argument.raw(given[argument.name]) if argument.name in given else argument.stand_in())
            check(library.sdfg_args_workspace_size(ctypes.byref(size), handle, storage.encode()))
        finally:
            library.sdfg_args_free(handle)
        return size.value

    def _set(self, storage, memory, values):
        self._calls.clear()
        self._calls.workspaces[storage] = (getattr(memory, "value", memory), self._size(storage, values))


class _Folders:
    """Graphs by the build folder that DaCe would have written."""

    def __init__(self):
        self.graphs, self.lock = collections.OrderedDict(), threading.Lock()

    def keep(self, graph):
        folder = os.path.abspath(graph.build_folder)
        with self.lock:
            self.graphs.pop(folder, None)
            self.graphs[folder] = graph
            if len(self.graphs) > KEPT:
                self.graphs.popitem(last=False)

    def take(self, folder):
        with self.lock:
            return self.graphs.pop(os.path.abspath(folder), None)


folders = _Folders()


def compile(graph, validate):
    """A CompiledSDFG for a graph, which is not changed."""
    from dace.codegen.compiled_sdfg import CompiledSDFG
    own = copy.deepcopy(graph)
    own.build_folder = graph.build_folder # as DaCe does: it may depend on the name and the content
    for _ in _graph.all_graphs(own):
        pass
    own.fill_scope_connectors()
    if validate:
        own.validate()
    if _graph.instrumented(own):
        raise _graph.Refusal("it is instrumented, and reports are written by DaCe's own code")
    with _graph.Remembered(own) as remembered:
        program, more = _graph.load(own, _build.engine(), remembered)
        if any(a.kind == "stream" for a in program.arguments):
            raise UnsupportedError("streams among the arguments are C++ objects of DaCe's", "EXPORT_STREAM")
        compiled = CompiledSDFG(own, Library(own, program, more), own.arg_names)
    settings.count()
    folders.keep(own)
    return compiled
