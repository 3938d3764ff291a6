"""Programs compiled ahead of time for another machine, run by an emulator. A small C program makes the calls, by the prototypes that
the header declares (tests/aarch64/call.h, main.c); memory goes there and back in files."""
import ctypes
import os
import pathlib
import re
import subprocess
import tempfile

import numpy
from case import Failure
from library import ERRORS, c_value, is_value, known, taken

import sdfg

TOP = pathlib.Path(__file__).parents[2]
COMPILER = "aarch64-linux-gnu-gcc"
EMULATOR = "qemu-aarch64"
ROOT = "/usr/aarch64-linux-gnu"
GUARD = 64


def command(*words):
    result = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    if result.returncode:
        raise Failure(f"{os.path.basename(words[0])} ends with {result.returncode}: {result.stdout[-2000:]}")
    return result.stdout


def emulate(vector, runtime, *words):
    """Runs a program with vectors of this many times 128 bits; libsdfg-rt is in the folder `runtime`. Without the default length the emulator
    stays at 512 bits."""
    return command(EMULATOR, "-L", ROOT, "-cpu", f"max,sve-max-vq={vector},sve-default-vector-length=-1", "-E", f"LD_LIBRARY_PATH={runtime}", *words)


class Image:
    """The memory of a call as one file: positions of the arguments, pointers in memory that must be moved, and all memory."""

    def __init__(self):
        self.buffers, self.size, self.arguments, self.pointers = {}, GUARD, [], []

    def place(self, array):
        """Position of an array; memory that arrays share is there once, aligned as it is here."""
        owner = array
        while isinstance(owner.base, numpy.ndarray):
            owner = owner.base
        low, high = (numpy.lib.array_utils if hasattr(numpy.lib, "array_utils") else numpy).byte_bounds(owner)
        if low not in self.buffers:
            at = self.size + (low - self.size) % 64
            self.buffers[low] = (at, owner, high - low)
            self.size = at + high - low + GUARD
        return self.buffers[low][0] + array.__array_interface__["data"][0] - low

    def write(self, path):
        memory = numpy.full(self.size, 0xA5, numpy.uint8)
        for low, (at, _, size) in self.buffers.items():
            memory[at:at + size] = numpy.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(low))
        head = [len(self.arguments), len(self.pointers), *self.arguments, *(p for pair in self.pointers for p in pair)]
        with open(path, "wb") as file:
            file.write(numpy.array(head, numpy.int64).tobytes() + memory.tobytes())

    def read(self, path):
        """Everything back; what lies between arrays must be as it was."""
        memory = numpy.fromfile(path, numpy.uint8)[-self.size:]
        untouched = numpy.ones(self.size, bool)
        for low, (at, _, size) in self.buffers.items():
            ctypes.memmove(low, memory[at:at + size].ctypes.data, size)
            untouched[at:at + size] = False
        if (memory[untouched] != 0xA5).any():
            raise Failure("memory beside the arguments was written")


class Foreign:
    """A program compiled for another machine, with libsdfg-rt for it in the folder `runtime`. Every call is made by a new process,
    which repeats those before it, with the memory they had."""

    def __init__(self, path, runtime):
        self.program = sdfg.Program(path, sdfg.Engine(cache_dir=""))
        self.taken, self.runtime = taken(self.program), runtime
        self.temporary = tempfile.TemporaryDirectory()
        self.folder, self.code, self.files, self.compiled = self.temporary.name + "/", [], [], None
        self.export("program.h")
        self._write()

    def export(self, name, features=None):
        """What sdfg-cc writes, into the folder; gives its path."""
        self.program.export(self.folder + name, target="aarch64", features=features or None)
        return self.folder + name

    def open(self, features=None, vector=1):
        """From now on the program opens the library for a processor with these features, with vectors as `emulate` takes them."""
        self._use(["lib.so"], features, vector, "OPENED")

    def place(self, features=None, vector=1):
        """From now on the loader of the engine places the object."""
        self._use(["lib.o"], features, vector, "PLACED", *(f"{self.runtime}/libsdfg{part}.a" for part in ("_place", "_base", "-rt")),
                  "-Wl,--no-as-needed", "-lm")

    def link(self, file, features=None, vector=1, *words):
        """From now on the program is linked with a file of this name and these words."""
        self._use([], features, vector, "LINKED", self.export(file, features), *words)

    def _use(self, code, features, vector, way, *words):
        if (way, words) != self.compiled:
            command(COMPILER, "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-D" + way, "-I", TOP, "-I", self.folder,
                    self.folder + "program.c", f"{self.runtime}/main_{way}.o", *words, "-o", self.folder + "program")
        self.compiled, self.vector, self.files = (way, words), vector, []
        self.code = [self.export(name, features) for name in code]

    # ---- the C program ----

    def _parameters(self, header, function):
        """Types of a function's parameters, from its prototype."""
        text = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
        names = re.search(rf"\b{function}\(([^()]*)\);", text).group(1).split(",")
        return [re.sub(r"\w+\s*$", "", name).strip() for name in names if name.strip() != "void"]

    def _write(self):
        header, name = pathlib.Path(self.folder + "program.h").read_text(), self.program.name
        types = self._parameters(header, "__sdfg_call_" + name)[1:]
        passed = [f", VALUE({t}, {i})" if is_value(a) else f", POINTER({i})" for i, (a, t) in enumerate(zip(self.taken, types))]
        symbols, passed = "".join(p for a, p in zip(self.taken, passed) if a.kind == "symbol"), "".join(passed)
        externals = "".join(
            f"    FUNCTION(__dace_set_external_memory_{storage})(handle, external(FUNCTION("
            f"__dace_get_external_memory_size_{storage})(handle{symbols})){symbols});\n"
            for storage in re.findall(r"__dace_get_external_memory_size_(\w+)", header))
        pathlib.Path(self.folder + "program.c").write_text(
            f'#include "program.h"\n#include "tests/aarch64/call.h"\n\n'
            f"void *program_init(const struct call *c)\n{{\n    (void)c;\n"
            f"    return FUNCTION(__dace_init_{name})({symbols[2:]});\n}}\n\n"
            f"int program_call(void *handle, const struct call *c)\n{{\n    (void)c;\n{externals}"
            f"    return FUNCTION(__sdfg_call_{name})(handle{passed});\n}}\n\n"
            f"int program_exit(void *handle)\n{{\n    return FUNCTION(__dace_exit_{name})(handle);\n}}\n")

    # ---- calls ----

    def _memory_of(self, info, value):
        """What is passed by address: its position, and where pointers lie in it."""
        if value is None:
            return 0
        if info.kind == "structure":
            memory = numpy.zeros(info.bytes, numpy.uint8)
            at = self.image.place(memory)
            for member in info.members:
                self._put_member(memory, at, member, value[member.name])
        elif info.kind == "container array":
            memory = numpy.zeros(len(value), numpy.uintp)
            at = self.image.place(memory)
            self.image.pointers += [(at + 8 * i, self._memory_of(info.members[0], v)) for i, v in enumerate(value)]
        else:
            at = self.image.place(value)
        return at

    def _put_member(self, memory, at, member, value):
        if member.offset < 0:
            raise Failure(f"nothing says where {member.name} lies")
        if member.kind != "scalar":
            self.image.pointers.append((at + member.offset, self._memory_of(member, value)))
            return
        place = memory[member.offset:member.offset + value.nbytes].view(value.dtype)
        place[0] = value
        self.members.append((place, value))

    def _argument(self, info, values):
        value = values.get(info.name)
        if is_value(info):
            return self.image.place(numpy.frombuffer(bytes(c_value(info.type, value)), numpy.uint8).copy())
        if isinstance(value, str):
            return self.image.place(numpy.frombuffer(value.encode() + b"\0", numpy.uint8).copy())
        return self._memory_of(info, value)

    def __call__(self, **values):
        values = known(self.program, values)
        values = {**self.program.solve(**values), **values}
        self.image, self.members = Image(), []
        self.image.arguments = [self._argument(a, values) for a in self.taken]
        path = f"{self.folder}{len(self.files)}"
        self.image.write(path + ".in")
        self.files.append(path)
        answer = emulate(self.vector, self.runtime, self.folder + "program", *self.code, *self.files)
        last = answer.splitlines()[-1] # behind what the program prints
        if last != "0":
            raise Failure("the program fails with " + (ERRORS[int(last)] if last.isdigit() else answer))
        self.image.read(path + ".out")
        for place, value in self.members:
            value[...] = place[0]
