"""corpus.py --cases=DIR [--aot] [--every=N] [--only=CASE] [--jobs=N] [--timeout=S] [--list=FILE]: runs recorded cases through the
Python module, each in a process of its own, and says which fail. With --aot the programs are compiled into shared libraries and called
as DaCe's own are. --list names cases that are expected to fail (lines of case, tab, reason); one that passes must leave the list,
unless its reason begins with "sometimes"."""
import argparse
import collections
import ctypes
import json
import os
import pathlib
import re
import select
import signal
import sys
import tempfile
import time

import numpy
from case import Case, Failure

import sdfg

C_TYPES = {"bool": ctypes.c_bool, "int8": ctypes.c_int8, "int16": ctypes.c_int16, "int32": ctypes.c_int32,
           "int64": ctypes.c_int64, "uint8": ctypes.c_uint8, "uint16": ctypes.c_uint16, "uint32": ctypes.c_uint32,
           "uint64": ctypes.c_uint64, "float32": ctypes.c_float, "float64": ctypes.c_double, "float16": ctypes.c_uint16,
           "bfloat16": ctypes.c_uint16, "float8_e4m3fn": ctypes.c_uint8, "float8_e5m2": ctypes.c_uint8}


ERRORS = re.findall(r"\bSDFG_RT_[A-Z_]+", re.search(r"enum sdfg_rt_error \{.*?\}", (pathlib.Path(__file__).parents[2] /
                                                 "runtime/abi.h").read_text(), re.DOTALL)[0])
OTHER_SYMBOL = ERRORS.index("SDFG_RT_OTHER_SYMBOL")
Recorded = collections.namedtuple("Recorded", "name folder program")


class Complex64(ctypes.Structure):
    _fields_ = [("re", ctypes.c_float), ("im", ctypes.c_float)]


class Complex128(ctypes.Structure):
    _fields_ = [("re", ctypes.c_double), ("im", ctypes.c_double)]


def c_value(kind, value):
    if kind in ("complex64", "complex128"):
        value = complex(value)
        return (Complex64 if kind == "complex64" else Complex128)(value.real, value.imag)
    if kind == "float16":
        value = int(numpy.float16(value).view(numpy.uint16))
    if C_TYPES[kind] not in (ctypes.c_float, ctypes.c_double):
        value = int(value)
    return C_TYPES[kind](value)


class Library:
    """A program compiled ahead of time, behind the same call as sdfg.Program."""

    def __init__(self, path):
        self.program, self.handles = sdfg.Program(path, sdfg.Engine(cache_dir="")), []
        with tempfile.TemporaryDirectory() as folder:
            self.program.export(folder + "/lib.so")
            self.library = ctypes.CDLL(folder + "/lib.so")
        self.taken = [a for a in self.program.arguments if a.kind != "symbol" or not a.optional]

    def _function(self, name, result):
        function = self.library[name + self.program.name]
        function.restype = result
        return function

    def _memory_of(self, info, value):
        """The address of what is passed by address."""
        if value is None:
            return 0
        if info.kind == "structure":
            memory = numpy.zeros(info.bytes, numpy.uint8)
            for member in info.members:
                self._put_member(memory, member, value[member.name])
        elif info.kind == "container array":
            memory = numpy.array([self._memory_of(info.members[0], element) for element in value], numpy.uintp)
        else:
            memory = value
        self.kept.append(memory)
        return memory.ctypes.data

    def _put_member(self, memory, member, value):
        if member.offset < 0:
            raise Failure(f"nothing says where {member.name} lies")
        if member.kind != "scalar":
            value = numpy.array(self._memory_of(member, value), numpy.uintp)
        place = memory[member.offset:member.offset + value.nbytes].view(value.dtype)
        place[0] = value
        self.members.append((place, value))

    def _pass(self, info, values):
        value = values.get(info.name)
        if info.kind in ("scalar", "symbol") and info.type in (*C_TYPES, "complex64", "complex128"):
            return c_value(info.type, value)
        if info.kind in ("structure", "container array"):
            return ctypes.c_void_p(self._memory_of(info, value))
        if isinstance(value, str):
            return ctypes.c_char_p(value.encode())
        return ctypes.c_void_p(value if value is None else value.ctypes.data)

    def __call__(self, **values):
        values = {**self.program.solve(**values), **values}
        self.kept, self.members = [], [] # memory of structures; where a member lies, and the case's array for it
        passed = {a.name: self._pass(a, values) for a in self.taken}
        symbols = [passed[a.name] for a in self.taken if a.kind == "symbol"]
        error = OTHER_SYMBOL
        for handle in self.handles:
            if error == OTHER_SYMBOL:
                error = self._call(handle, values, passed, symbols)
        if error == OTHER_SYMBOL: # of all handles: a handle is for the sizes that it was made with
            self.handles.append(ctypes.c_void_p(self._function("__dace_init_", ctypes.c_void_p)(*symbols)))
            if not self.handles[-1]:
                raise Failure("the program cannot be initialised")
            error = self._call(self.handles[-1], values, passed, symbols)
        if error:
            raise Failure(f"the program fails with {ERRORS[error]}")
        for place, value in self.members:
            value[...] = place[0]

    def _call(self, handle, values, passed, symbols):
        for storage, size in self.program.get_workspace_sizes(**values).items():
            self.memory = numpy.zeros(size + 64, numpy.uint8)
            address = self.memory.ctypes.data + -self.memory.ctypes.data % 64
            self.library["__dace_set_external_memory_" + storage](handle, ctypes.c_void_p(address), *symbols)
        return self._function("__sdfg_call_", ctypes.c_int)(handle, *passed.values())


def load(path, aot):
    if aot:
        return Library(path)
    program = sdfg.Program(path, sdfg.Engine(cache_dir=""))

    def call(**values):
        for storage, size in program.get_workspace_sizes(**values).items():
            program.set_workspace(storage, numpy.zeros(size + 1, numpy.uint8))
        return program(**values)

    return call


def run(recorded, aot):
    """What is wrong with a case, or None."""
    case = Case(recorded.folder)
    try:
        call = load(recorded.program, aot)
        for earlier in case.earlier():
            call(**earlier.arguments())
        call(**case.arguments())
        case.compare()
        if case.leaves_out() and not case.json.get("stateful"):
            less = case.arguments(inferred=False, returns=aot)
            results = call(**less)
            if not aot:
                case.take_results(results)
            case.compare()
    except (Failure, sdfg.Error, TypeError, ValueError) as error:
        return str(error)
    return None


class Job:
    """A case in a process of its own, which may crash or hang. It answers through a pipe."""

    def __init__(self, recorded, aot, seconds):
        self.recorded, self.deadline = recorded, time.monotonic() + seconds
        self.reading, writing = os.pipe()
        self.child = os.fork()
        if not self.child:
            os.dup2(os.open(os.devnull, os.O_RDWR), 1)
            try:
                why = run(recorded, aot)
            except BaseException as error: # also what nobody thought of
                why = f"{type(error).__name__}: {error}"
            os.write(writing, b"good" if why is None else why.encode()[:4000])
            os._exit(0)
        os.close(writing)

    def finish(self, readable):
        """What is wrong, or None."""
        text = os.read(self.reading, 4096).decode() if readable else "time-out"
        if not readable:
            os.kill(self.child, signal.SIGKILL)
        os.close(self.reading)
        status = os.waitpid(self.child, 0)[1]
        return None if text == "good" else text.replace("\n", " ") or f"crash: ended with status {status}"


def run_all(cases, options):
    """(case, what is wrong or None) of each, as they end."""
    waiting, running = list(cases), []
    while waiting or running:
        while waiting and len(running) < options.jobs:
            running.append(Job(waiting.pop(0), options.aot, options.timeout))
        left = max(0, min(job.deadline for job in running) - time.monotonic())
        readable = select.select([job.reading for job in running], [], [], left)[0]
        for job in list(running):
            if job.reading in readable or time.monotonic() >= job.deadline:
                running.remove(job)
                yield job.recorded, job.finish(job.reading in readable)


def find(folder):
    """All cases below a folder. A case.json may list several programs, with the cases that they share with others."""
    for path in sorted(folder.glob("**/case.json")):
        name = path.parent.relative_to(folder).as_posix()
        programs = json.loads(path.read_text()).get("programs")
        if programs is None:
            yield Recorded(name, path.parent, path.parent / "prog.sdfg")
        for key, of in (programs or {}).items():
            if of.get("sdfg") and of.get("case"):
                yield Recorded(f"{name}/{key}", (path.parent / of["case"]).parent, path.parent / of["sdfg"])


def expected_failures(path):
    """Case -> reason."""
    lines = pathlib.Path(path).read_text().splitlines() if path else []
    return dict(line.split("\t", 1) for line in lines if "\t" in line and not line.startswith("#"))


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--cases", type=pathlib.Path, required=True)
parser.add_argument("--aot", action="store_true")
parser.add_argument("--every", type=int, default=1)
parser.add_argument("--only", action="append")
parser.add_argument("--list")
parser.add_argument("--jobs", type=int, default=1)
parser.add_argument("--timeout", type=float, default=60)
options = parser.parse_args()
cases = [c for c in find(options.cases) if not options.only or c.name in options.only][::options.every]
reasons, failed, skipped = expected_failures(options.list), 0, 0
for case, why in run_all(cases, options):
    reason = reasons.get(case.name)
    if why and reason:
        skipped += 1
    elif why or (reason and not reason.startswith("sometimes")):
        failed += 1
        print(f"{case.name}: {why or 'passed, but is listed as failing: ' + reason}", flush=True)
print(f"{len(cases) - failed - skipped} passed, {failed} failed, {skipped} skipped")
sys.exit(1 if failed or not cases else 0)
