#!/usr/bin/env python3
"""cubin.py FOLDER SDFG-RUN [--arch=sm_NN,sm_NN] [--every=N] [--without-stack=NAME,NAME]: NVRTC makes machine code of the kernels of every Nth of the programs
FOLDER/*/*.sdfg, for each of the architectures (sm_90). Prints what does not compile, and the kernels that use a stack, with its bytes: arrays of a thread, slow paths of functions, or spilled registers.
--without-stack: the programs FOLDER/NAME/prog.sdfg, whose kernels must not use one."""
import itertools
import pathlib
import struct
import subprocess
import sys
import tempfile

FRAME_SIZE = 0x11  # attribute of .nv.info: number of a symbol, bytes
SIZED = 4  # format of an attribute with a size behind it
NO_KERNELS = "no part of the program becomes code for a GPU"


def sections(elf):
    """Names and contents of the sections of a 64-bit ELF file, with what they link to."""
    offset, size, count, names = struct.unpack_from("<Q", elf, 40)[0], *struct.unpack_from("<HHH", elf, 58)
    headers = [struct.unpack_from("<IIQQQQIIQQ", elf, offset + i * size) for i in range(count)]
    texts = headers[names][4]
    for h in headers:
        end = elf.index(b"\0", texts + h[0])
        yield elf[texts + h[0] : end].decode(), elf[h[4] : h[4] + h[5]], headers[h[6]] if h[6] < count else None


def stacks(elf):
    """Kernels with the bytes of their stacks."""
    symbols, frames = [], {}
    for name, data, linked in sections(elf):
        if name == ".symtab":
            strings = elf[linked[4] : linked[4] + linked[5]]
            starts = [struct.unpack_from("<I", data, i)[0] for i in range(0, len(data), 24)]
            symbols = [strings[s : strings.index(b"\0", s)].decode() for s in starts]
    for name, data, _ in sections(elf):
        at = 0
        while name == ".nv.info" and at + 4 <= len(data):
            form, attribute, size = struct.unpack_from("<BBH", data, at)
            if form == SIZED and attribute == FRAME_SIZE:
                symbol, bytes_ = struct.unpack_from("<II", data, at + 4)
                frames[symbols[symbol]] = bytes_
            at += 4 + (size if form == SIZED else 0)
    return frames


def main(folder, tool, *options):
    archs, every, names = ["sm_90"], 1, []
    for word in options:
        if word.startswith("--every="):
            every = int(word[len("--every=") :])
        elif word.startswith("--without-stack="):
            names = word[len("--without-stack=") :].split(",")
        else:
            archs = word[len("--arch=") :].split(",")
    programs = [pathlib.Path(folder) / name / "prog.sdfg" for name in names] or sorted(pathlib.Path(folder).glob("*/*.sdfg"))
    compiled = kernels = without = 0
    faults = []
    with tempfile.TemporaryDirectory() as temporary:
        for program, arch in itertools.product(programs[::every], archs):
            code = pathlib.Path(temporary) / "code.cubin"
            done = subprocess.run([tool, program, "--emit=cubin", f"--arch={arch}", "-o", code], capture_output=True, text=True)
            if done.returncode == 8:
                print(done.stderr)
                return 77
            if done.returncode and NO_KERNELS in done.stderr:
                without += 1
                continue
            if done.returncode:
                faults.append(f"{program} for {arch}: {done.stderr}")
                continue
            frames = stacks(code.read_bytes())
            compiled, kernels = compiled + 1, kernels + len(frames)
            for kernel, size in frames.items():
                if size:
                    (faults.append if names else print)(f"{program} for {arch}: {kernel} has a stack of {size} bytes")
    print("\n".join(faults))
    print(f"{compiled} codes with {kernels} kernels, {without} without kernels, {len(faults)} {'faults' if names else 'refused'}")
    return bool(faults)


sys.exit(main(*sys.argv[1:]))
