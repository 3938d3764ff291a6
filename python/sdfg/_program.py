"""Loaded SDFGs and calls of them."""

from __future__ import annotations

import ctypes
import os
import weakref
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from ._arguments import Arguments, _as_numpy
from ._cancel import call, call_bound
from ._dace_json import of_graph
from ._described import ArgumentInfo, Trial, Tuned
from ._engine import Engine, Path, _meant, default_engine, free, text_of
from ._errors import Message, check, messages_of
from ._fast import MISS, Fast
from ._library import KINDS, TRIAL_FUNCTION, Argument, Export, Symbol, Tuning, library, quick
from ._library import Tuned as Result
from ._pending import Queue
from ._wait import interruptible

# A path, text, a dictionary, or an object with to_json or to_sdfg.
Source = Union[Path, bytes, bytearray, memoryview, Mapping[str, Any], Any]

_EMIT = {"sdfg": 0, "tree": 1, "ll": 2, "ll-opt": 3, "asm": 4, "obj": 5, "work": 6, "remarks": 7, "cuda": 9, "ptx": 10, "cubin": 11, "map": 12}
_EXPORT = {".o": 0, ".a": 1, ".so": 2, ".h": 3, ".f90": 4, ".s": 5}


def _plain(value):
    """What objects of DaCe and NumPy put into their JSON."""
    if hasattr(value, "to_json"):
        return value.to_json()
    if hasattr(value, "item"):
        return value.item()
    return str(value)


def _json_of(source):
    """The bytes of an SDFG, the names of its positional arguments if the object knows them, and whether it is an object as DaCe has."""
    if hasattr(source, "to_sdfg") and not hasattr(source, "to_json"):
        source = source.to_sdfg()
    if hasattr(source, "to_json"):
        import json # here, because programs from functions or files do not need it and the import takes 2 ms
        package = type(source).__module__.partition(".")[0]
        record = of_graph(source) if package == "dace" else source.to_json()
        return json.dumps(record, default=_plain).encode(), getattr(source, "arg_names", None), package != "sdfg"
    if isinstance(source, dict):
        import json
        return json.dumps(source, default=_plain).encode(), None, False
    if not isinstance(source, (str, bytes, bytearray, memoryview)):
        raise TypeError(f"a program is a path, the text of an SDFG (also as bytes or a dictionary) or an object with to_json, not "
                        f"{type(source).__name__}")
    return bytes(source.encode() if isinstance(source, str) else source), None, False


class Bound:
    """A call whose arguments are looked up and checked: calling it runs the code. The arrays must stay where they are."""

    result: Any
    """What calls return: None, an array, or a tuple of arrays, the same ones each time."""

    def __init__(self, program: Program, arguments: Arguments, result: Any) -> None:
        self.result, self._calls = result, arguments.calls
        self._handle = ctypes.c_void_p()
        check(library.sdfg_bind(ctypes.byref(self._handle), program._handle, arguments._handle))
        self._release = weakref.finalize(self, free, library.sdfg_bound_free, self._handle, program, arguments.kept)

    def __call__(self) -> Any:
        self._calls.check(call_bound(self))
        return self.result

    def _cancel(self):
        quick.sdfg_bound_cancel(self._handle)

    def on(self, stream: Any = None, context: Optional[int] = None) -> Queue:
        """As Program.on."""
        return Queue(self, stream, context)


class Program:
    """A loaded SDFG. Calling it compiles what is needed and runs it. Any thread may call it; calls may overlap."""

    engine: Engine
    name: str
    _workspaces: Dict[str, Any]
    _of_dace = False # names that it does not take are ignored

    def __init__(self, source: Source, engine: Optional[Engine] = None, folder: Optional[Path] = None) -> None:
        self.engine = engine or default_engine()
        self._handle, self._workspaces, self._names, self._parsed = ctypes.c_void_p(), {}, None, None
        out = ctypes.byref(self._handle)
        if isinstance(source, os.PathLike) or (isinstance(source, str) and not source.lstrip().startswith("{")):
            self._source = os.fspath(source)
            check(library.sdfg_program_load_file(out, self.engine._handle, os.fsencode(source)))
        else:
            self._source, self._names, self._of_dace = _json_of(source)
            check(library.sdfg_program_load(out, self.engine._handle, self._source, len(self._source), text_of(folder)))
        self._loaded()

    def _loaded(self):
        self._communicator = None
        self._release = weakref.finalize(self, free, library.sdfg_program_free, self._handle, self.engine)
        self.name = library.sdfg_program_name(self._handle).decode()
        self._fast = None
        self._arguments = self._all_arguments()
        self._results = sorted((a.name for a in self._arguments if a.returned), key=lambda name: (len(name), name))

    @classmethod
    def from_function(cls, asking, engine=None):
        """Of a Python function, about whose surroundings `asking` is asked."""
        p = cls.__new__(cls)
        p.engine = asking.engine = engine or default_engine()
        p._handle, p._workspaces, p._names, p._parsed, p._source = ctypes.c_void_p(), {}, [], None, None
        asking.run(lambda host, key: check(library.sdfg_program_load_function(ctypes.byref(p._handle), p.engine._handle, key, host)))
        p._loaded()
        return p

    # ---- what it says ----

    @property
    def arguments(self) -> List[ArgumentInfo]:
        """Everything a call takes: containers by name, then scalars and symbols by name."""
        return list(self._arguments)

    def _all_arguments(self):
        found, a = [], Argument(struct_size=ctypes.sizeof(Argument))
        for i in range(library.sdfg_program_num_arguments(self._handle)):
            library.sdfg_program_argument(self._handle, i, ctypes.byref(a))
            found.append(ArgumentInfo(a, self._members(a.name, a)))
        return found

    def _members(self, path, of):
        for i in range(of.num_members):
            a = Argument(struct_size=ctypes.sizeof(Argument))
            library.sdfg_program_member(self._handle, path, i, ctypes.byref(a))
            inner = path + b"[0]" if KINDS[of.kind] == "container array" else path + b"." + a.name
            yield ArgumentInfo(a, self._members(inner, a))

    @property
    def constraints(self) -> List[str]:
        """What the shapes and strides of arguments must satisfy."""
        count = library.sdfg_program_num_constraints(self._handle)
        return [library.sdfg_program_constraint(self._handle, i).decode() for i in range(count)]

    @property
    def warnings(self) -> Tuple[Message, ...]:
        """What loading found that is no error."""
        error = library.sdfg_program_warnings(self._handle)
        return messages_of(error) if error else ()

    @property
    def arg_names(self) -> List[str]:
        """The order of positional arguments, as the SDFG has it."""
        if self._names is None:
            self._names = self._attributes().get("arg_names") or []
        return self._names

    def _attributes(self):
        """What the SDFG says of itself, where the library has no question for it."""
        if self._parsed is None:
            import json
            data = self.emit("sdfg").encode() if self._source is None else self._source
            if isinstance(data, str):
                with open(data, "rb") as file:
                    data = file.read()
            if data[:2] == b"\x1f\x8b":
                import gzip # takes long, and is rare
                data = gzip.decompress(data)
            found = json.loads(data).get("attributes", {})
            self._parsed = {name: found.get(name) for name in ("arg_names", "symbols", "_arrays")}
        return self._parsed

    @property
    def callbacks(self) -> bool:
        """Whether it takes functions or objects."""
        return any(a.type.startswith("callback(") or a.type == "pyobject" for a in self.arguments)

    def callback_type(self, name: str) -> str:
        """The type of a function that the program takes, as in the file."""
        found = (self._attributes()["symbols"] or {}).get(name)
        if found is None:
            found = (self._attributes()["_arrays"] or {})[name]["attributes"]["dtype"]
        return found

    def __repr__(self):
        return f"<SDFG {self.name}({', '.join(a.name for a in self.arguments)})>"

    # ---- calls ----

    def _named(self, args, kwargs):
        if not args:
            return kwargs
        names = self.arg_names
        if len(args) > len(names):
            raise TypeError(f"{self.name} takes {len(names)} positional arguments, not {len(args)}")
        named = dict(zip(names, args))
        twice = named.keys() & kwargs.keys()
        if twice:
            raise TypeError(f"{self.name} got two values for {', '.join(sorted(twice))}")
        return {**named, **kwargs}

    def _give_all(self, arguments, values, results, numbers):
        """Gives the values and returns what is made for the results, by name. `numbers`: for each result, whether it is a single number."""
        for name, value in values.items():
            arguments.give(name, value)
        made = {}
        if results:
            check(library.sdfg_args_solve(arguments._handle))
        for name, number in zip(results, numbers):
            made[name] = values[name] if name in values else arguments.allocate(name, number)
            if name not in values:
                arguments.give(name, made[name])
        arguments.finish()
        return made

    def _give_some(self, arguments, values):
        for name, value in values.items():
            if not arguments.give(name, value) and not self._of_dace and not self._is_known(name):
                raise TypeError(f"{self.name} has no argument '{name}'{_meant(name, [a.name for a in self.arguments])}")

    def _is_known(self, name):
        """Is it an argument that nothing needs?"""
        if name in self.arg_names:
            return True
        found = self._attributes()
        return name in (found["symbols"] or ()) or name in (found["_arrays"] or ())

    def _give(self, arguments, values):
        """Gives all values and makes what is returned."""
        self._give_some(arguments, values)
        results = {}
        if any(name not in values for name in self._results):
            check(library.sdfg_args_solve(arguments._handle))
        for name in self._results:
            results[name] = values[name] if name in values else arguments.allocate(name)
            if name not in values:
                arguments.give(name, results[name])
        for storage, memory in self._workspaces.items():
            arguments.kept.append(memory)
            check(library.sdfg_args_workspace(arguments._handle, storage.encode(), memory.ctypes.data, memory.nbytes))
        if self._communicator is not None:
            check(library.sdfg_args_communicator(arguments._handle, self._communicator))
        arguments.finish()
        return self._returned(list(results.values()))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        fast, form = self._fast, (len(args), *kwargs)
        if fast is not None and fast[0] == form:
            result = fast[1](args + tuple(kwargs.values()))
            if result is not MISS:
                return result
        values = self._named(args, kwargs)
        with Arguments(self) as arguments:
            result = self._give(arguments, values)
            arguments.prepare()
            arguments.calls.check(call(self, arguments))
        if fast is None or fast[0] != form:
            found = Fast.of(self, values, list(self._results), self._returned) if not any(name in values for name in self._results) else None
            self._fast = found and (form, found.call)
        return result

    def _returned(self, results):
        if not results:
            return None
        return results[0] if self._results == ["__return"] else tuple(results)

    def on(self, stream: Any = None, context: Optional[int] = None) -> Queue:
        """For programs on a GPU: calling what this returns begins a call whose work goes on behind it, and returns a Pending. The work is
        done in a stream of CUDA (a number, or an object of CuPy, PyTorch or Numba), behind what is in it; None: one of the library."""
        return Queue(self, stream, context)

    def bind(self, *args: Any, **kwargs: Any) -> Bound:
        """The same call, ready to be run many times."""
        with Arguments(self) as arguments:
            result = self._give(arguments, self._named(args, kwargs))
            arguments.prepare()
            return Bound(self, arguments, result)

    def tune(self, seconds: float = 10.0, /, *args: Any, **kwargs: Any) -> Tuned:
        """Measures for `seconds`, by copies of the arguments, which passes such a call is faster without, and keeps that for engines with
        `opt_level="max"`: in memory, and in the disk cache."""
        trials = []

        def add(_, t):
            t = t[0]
            trials.append(Trial(t.change.decode(), t.ratio, t.low, t.high, t.adopted, t.differs))
        how, found = Tuning(ctypes.sizeof(Tuning), seconds, TRIAL_FUNCTION(add)), Result(ctypes.sizeof(Result))
        with Arguments(self) as arguments:
            self._give(arguments, self._named(args, kwargs))
            arguments.prepare()
            check(library.sdfg_tune(ctypes.byref(found), self._handle, arguments._handle, ctypes.byref(how)))
        self._fast = None
        return Tuned(found.passes and found.passes.decode(), found.text.decode(), found.ratio, found.low, found.high, found.complete, trials)

    def solve(self, *args: Any, **kwargs: Any) -> Dict[str, int]:
        """The values of symbols under the arguments that are given."""
        with Arguments(self) as arguments:
            self._give_some(arguments, self._named(args, kwargs))
            check(library.sdfg_args_solve(arguments._handle))
            values = {a.name: arguments.value(a.name) for a in self.arguments if a.kind == "symbol"}
        return {name: value for name, value in values.items() if value is not None}

    # ---- messages between processes ----

    @property
    def communicator(self) -> Optional[int]:
        """The processes with which calls and later `bind`s exchange messages: a communicator of mpi4py, or Fortran's handle of one.
        None: all of them. It has to live as long as the calls."""
        return self._communicator

    @communicator.setter
    def communicator(self, value: Any) -> None:
        if hasattr(value, "py2f"):
            value = value.py2f()
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or not -2**31 <= value < 2**31):
            raise TypeError("a communicator of mpi4py, Fortran's handle of one, or None is expected")
        self._communicator, self._fast = value, None

    # ---- memory of lifetime External ----

    def get_workspace_names(self) -> List[str]:
        """The storages that calls may need memory of."""
        count = library.sdfg_program_num_workspaces(self._handle)
        return [library.sdfg_program_workspace(self._handle, i).decode() for i in range(count)]

    def get_workspace_sizes(self, *args: Any, **kwargs: Any) -> Dict[str, int]:
        """Bytes of memory that a call with these arguments needs, by storage."""
        names, sizes = self.get_workspace_names(), {}
        with Arguments(self) as arguments:
            self._give(arguments, self._named(args, kwargs))
            for name in names:
                size = ctypes.c_size_t()
                check(library.sdfg_args_workspace_size(ctypes.byref(size), arguments._handle, name.encode()))
                sizes[name] = size.value
        return sizes

    def set_workspace(self, storage: Any, memory: Any) -> None:
        """Memory for calls from now on. Storages are names, such as "CPU_Heap", or DaCe's values."""
        array = _as_numpy(memory)
        if array is None or not array.flags.c_contiguous or not array.flags.writeable:
            raise TypeError("a workspace is a writable, contiguous array")
        self._workspaces[getattr(storage, "name", storage)] = array
        self._fast = None

    # ---- other forms ----

    def _phase(self):
        phase = library.sdfg_engine_phase(self.engine._handle)
        return phase and f"compiling {self.name}: {phase.decode()}"

    def _take(self, call):
        return interruptible(lambda: self._take_now(call), phase=self._phase)

    def _take_now(self, call):
        text, size = ctypes.c_void_p(), ctypes.c_size_t()
        check(call(ctypes.byref(text), ctypes.byref(size)))
        data = ctypes.string_at(text, size.value)
        library.sdfg_text_free(text)
        return data

    def emit(self, what: str, **symbols: int) -> Any:
        """"sdfg", "tree", "ll", "ll-opt", "asm", "map" (from machine code to elements), "work" (JSON), "remarks", "cuda", "ptx" as text or
        "obj", "cubin" as bytes, for these values of symbols."""
        if what not in _EMIT:
            raise ValueError(f"'{what}' is none of {', '.join(_EMIT)}")
        table = _symbols(symbols)
        data = self._take(lambda text, size: library.sdfg_program_emit(text, size, self._handle, _EMIT[what], table,
                                                                       len(table)))
        return data if what in ("obj", "cubin") else data.decode()

    def export(self, path: Path, *, target: Optional[str] = None, cpu: Optional[str] = None, features: Optional[str] = None,
               **symbols: int) -> None:
        """Compiles ahead of time: .o, .a, .so or assembly as .s, and prototypes as .h or .f90, by the end of the name."""
        data = self._export(os.path.splitext(os.fspath(path))[1], target, cpu, features, (), symbols)
        with open(path, "wb") as file:
            file.write(data)

    def export_bytes(self, form: str, *, target: Optional[str] = None, cpu: Optional[str] = None, features: Optional[str] = None,
                     optional: Sequence[str] = (), **symbols: int) -> bytes:
        """What `export` writes. `form` is the end of a name, ".so"; `optional` are symbols that the code does not need and that the
        functions take nevertheless."""
        return self._export(form, target, cpu, features, optional, symbols)

    def _export(self, form, target, cpu, features, optional, symbols):
        if form not in _EXPORT:
            raise ValueError(f"'{form}' is none of {', '.join(_EXPORT)}")
        table = _symbols(symbols)
        names = (ctypes.c_char_p * len(optional))(*(name.encode() for name in optional))
        x = Export(struct_size=ctypes.sizeof(Export), form=_EXPORT[form], target=text_of(target), cpu=text_of(cpu),
                   features=text_of(features), symbols=table, num_symbols=len(table), optional=names, num_optional=len(names))
        return self._take(lambda text, size: library.sdfg_program_export(text, size, self._handle, ctypes.byref(x)))


def _symbols(values):
    return (Symbol * len(values))(*(Symbol(name.encode(), int(value)) for name, value in values.items()))


def compile(source: Source, *, engine: Optional[Engine] = None, folder: Optional[Path] = None, **options: Any) -> Program:
    """A program from a path, JSON (text, bytes or a dictionary), an SDFG of DaCe or anything else that has to_json.
    `options` are those of Engine; without any, all programs share one engine. `folder` is where nested SDFGs in files of
    their own are looked up, if the source is no path."""
    if engine is not None and options:
        raise TypeError("options belong to the engine: give one or the other")
    program = Program(source, engine or (Engine(**options) if options else None), folder)
    _check_specialize(program, options.get("specialize"))
    return program


def _check_specialize(program, wanted):
    """The engine, which may load other programs, cannot tell which symbols there are."""
    if wanted in (None, "auto", "none", "all"):
        return
    symbols = [a.name for a in program.arguments if a.kind == "symbol"]
    for name in wanted.split(",") if isinstance(wanted, str) else wanted:
        if name not in symbols:
            raise ValueError(f"specialize: '{program.name}' has no symbol '{name}'{_meant(name, symbols)}")
