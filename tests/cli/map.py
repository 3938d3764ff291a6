"""map.py SDFG-RUN EXAMPLES: --emit=map covers every byte of the functions that --emit=obj writes, once, with elements of the program."""
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

RUN, EXAMPLES = sys.argv[1], pathlib.Path(sys.argv[2])
PROGRAMS = [
    ("axpy.sdfg", ["--N=64"], r'axpy/state\[0\] "compute"/map\[4\] "elements"'),
    ("gemm.sdfg", [], r'gemm/state\[0\] "compute"/library\[3\] "product"'),
    ("softmax.sdfg", ["--M=100"], r'softmax/state\[\d+\] .*'),
    ("while_loop.sdfg", [], r'while_loop/.*'),
    ("smooth.py", ["--N=100"], r'smooth/loop\[2\] "for_8"/state\[0\] .* \(\S*smooth\.py:9:9\)'),
]


def emitted(program, options, form):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "out")
        subprocess.run([RUN, EXAMPLES / program, *options, f"--emit={form}", "-o", file], check=True)
        return file.read_bytes()


def sizes(elf):
    """Function -> bytes, from the symbols of an ELF file."""
    at, = struct.unpack_from("<Q", elf, 40)
    entry, count = struct.unpack_from("<HH", elf, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", elf, at + i * entry) for i in range(count)]
    table = next(s for s in sections if s[1] == 2)
    names = sections[table[6]][4]
    found = {}
    for offset in range(table[4], table[4] + table[5], 24):
        name, info, _, section, _, size = struct.unpack_from("<IBBHQQ", elf, offset)
        if info & 15 == 2 and section:
            found[elf[names + name:elf.index(b"\0", names + name)].decode()] = size
    return found


def check(program, options, wanted):
    ends, elements = {}, []
    for line in emitted(program, options, "map").decode().splitlines():
        function, begin, end, element = re.fullmatch(r"(\S+) 0x([0-9a-f]+)-0x([0-9a-f]+) (.+)", line).groups()
        assert int(begin, 16) == ends.get(function, 0) < int(end, 16), f"{program}: gap or overlap at {line}"
        ends[function] = int(end, 16)
        elements.append(element)
    assert ends == sizes(emitted(program, options, "obj")), f"{program}: {ends}"
    assert any(re.fullmatch(wanted, e) for e in elements), f"{program}: no {wanted} in {elements}"
    stem = program.split(".")[0]
    assert all(e == "-" or e.split("/")[0].split(" ")[0] == stem for e in elements), f"{program}: {elements}"


for program in PROGRAMS:
    check(*program)
