"""Programs compiled ahead of time, behind the same call as sdfg.Program."""
import ctypes
import pathlib
import re
import tempfile

import numpy
from case import Failure

import sdfg

C_TYPES = {"bool": ctypes.c_bool, "int8": ctypes.c_int8, "int16": ctypes.c_int16, "int32": ctypes.c_int32,
           "int64": ctypes.c_int64, "uint8": ctypes.c_uint8, "uint16": ctypes.c_uint16, "uint32": ctypes.c_uint32,
           "uint64": ctypes.c_uint64, "float32": ctypes.c_float, "float64": ctypes.c_double, "float16": ctypes.c_uint16,
           "bfloat16": ctypes.c_uint16, "float8_e4m3fn": ctypes.c_uint8, "float8_e5m2": ctypes.c_uint8}


ERRORS = re.findall(r"\bSDFG_RT_[A-Z_]+", re.search(r"enum sdfg_rt_error \{.*?\}", (pathlib.Path(__file__).parents[2] /
                                                 "runtime/abi.h").read_text(), re.DOTALL)[0])
OTHER_SYMBOL = ERRORS.index("SDFG_RT_OTHER_SYMBOL")


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


def is_value(info):
    """Passed by value, not by address."""
    return info.kind in ("scalar", "symbol") and info.type in (*C_TYPES, "complex64", "complex128")


def known(program, values):
    """Without names that the program does not take, which cases may have, but calls of programs from files may not."""
    names = {a.name for a in program.arguments}
    return {name: value for name, value in values.items() if name in names}


def taken(program):
    """The arguments of the functions that DaCe's libraries have."""
    return [a for a in program.arguments if a.kind != "symbol" or not a.optional]


class Library:
    """A program compiled ahead of time, behind the same call as sdfg.Program."""

    def __init__(self, path):
        self.program, self.handles = sdfg.Program(path, sdfg.Engine(cache_dir="")), []
        self.taken = taken(self.program)
        with tempfile.TemporaryDirectory() as folder:
            self.program.export(folder + "/lib.so")
            self.library = ctypes.CDLL(folder + "/lib.so")

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
        if is_value(info):
            return c_value(info.type, value)
        if info.kind in ("structure", "container array"):
            return ctypes.c_void_p(self._memory_of(info, value))
        if isinstance(value, str):
            return ctypes.c_char_p(value.encode())
        return ctypes.c_void_p(value if value is None else value.ctypes.data)

    def __call__(self, **values):
        values = known(self.program, values)
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
