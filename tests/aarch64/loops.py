"""loops.py [FOLDER]: the inner loops of small programs, compiled for AArch64 with SVE, have masks from whilelo and no scalar rest. FOLDER has
recorded programs with SVE maps, whose loops are not much longer than what a C compiler makes of recorded.c, either."""
import pathlib
import re
import shutil
import sys
import tempfile

import numpy
from foreign import command

import sdfg

LIMIT = 1.2 # of the C compiler's instructions for each element
# Without versions for a stride of one: no other program here has them.
C_COMPILER = ("clang", "--target=aarch64-linux-gnu", "-O3", "-march=armv9-a", "-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math",
              "-fno-math-errno", "-ffp-contract=fast", "-mllvm", "-enable-mem-access-versioning=false", "-c")
# Name: parameters of the Python program, loop and body.
D = "dace.float64[N]"
MAP = "for i in dace.map[0:N]:"
MASKED = {
    "dot": (f"x: {D}, y: {D}, s: dace.float64[1]", MAP, "s[0] += x[i] * y[i]"),
    "sum_in_order": (f"x: {D}, y: {D}", "s = 0.0\n    for i in range(N):", "s += x[i] * y[i]\n    y[0] = s"),
    "tests": (f"x: {D}, y: {D}", MAP, "y[i] = 0.5 if np.isnan(x[i]) or x[i] < 0 else np.sqrt(x[i])"),
    "products": ("x: dace.complex128[N], y: dace.complex128[N]", MAP, "y[i] = x[i] * y[i]"),
    "appended": (f"x: {D}, y: {D}", f"s = dace.define_stream(dace.float64, N)\n    {MAP}",
                 "with dace.tasklet:\n            a << x[i]\n            o >> s(-1)\n            if a > 0.5:\n                o = a\n    s >> y"),
    "halves": ("x: dace.float16[N], y: dace.float16[N]", MAP, "y[i] = x[i] * y[i]"),
}
failures = []


def check(good, what):
    if not good:
        failures.append(what)
        print(what, flush=True)


# ---- loops of machine code ----

MEMORY = re.compile(r"(ld1|st1|ldr|str|ldp|stp|ldur|stur)\w*\s+\{?([zvqdsxw])")
SCALAR = re.compile(r"\b(ldr|str|ldur|stur)\s+[sd]\d+|\bfmadd\s")


def innermost_loops(path, function=None):
    """The instructions of each loop without another one inside, of all functions or of one."""
    loops, lines = [], []
    which = f"--disassemble={function}" if function else "--disassemble"
    for line in command("aarch64-linux-gnu-objdump", which, "--no-show-raw-insn", path).splitlines():
        found = re.match(r"\s*([0-9a-f]+):\s+(\S.*)", line)
        if not found:
            continue
        address, text = int(found.group(1), 16), found.group(2).split("//")[0].strip()
        lines.append((address, text))
        target = re.match(r"(?:b\.\w+|cbn?z\s+\w+,|tbn?z\s+\w+, #\d+,|b)\s+([0-9a-f]+)\s", text + " ")
        if target and int(target.group(1), 16) <= address:
            body = [t for a, t in lines if a >= int(target.group(1), 16)]
            loops.append((int(target.group(1), 16), address, body))
    return [body for begin, end, body in loops if not any(begin <= b and e <= end and (b, e) != (begin, end) for b, e, _ in loops)]


def vector_loops(path):
    """Those with SVE instructions, without fillers."""
    return [[t for t in body if t != "nop"] for body in innermost_loops(path) if any(re.search(r"\bz\d+\.", t) for t in body)]


def check_masks(name, path):
    """Masks from whilelo in each vector loop; no loop over single floats."""
    vectors = vector_loops(path)
    check(vectors, f"{name}: no vector loop")
    for body in vectors:
        check(any("whilelo" in t for t in body), f"{name}: a vector loop without whilelo: {body}")
    for body in innermost_loops(path):
        check(not any(SCALAR.search(t) for t in body), f"{name}: a loop over single elements: {body}")
    return vectors


def for_each_element(body, size):
    """Instructions for each element of so many bytes that a loop loads or stores, where vectors have 128 bits."""
    elements = 0
    for found in filter(None, map(MEMORY.match, body)):
        kind, register = found.groups()
        elements += (16 // size if register in "zvq" else 1) * (2 if kind in ("ldp", "stp") else 1)
    return sum(t != "nop" for t in body) / elements if elements else float("inf")


# ---- our programs ----

def check_loop(folder, name, parameters, head, body):
    source, made = folder / f"{name}.py", folder / f"{name}.o"
    source.write_text(f"import dace\nimport numpy as np\nN = dace.symbol('N')\n@dace.program\ndef {name}({parameters}):\n    {head}\n        {body}\n")
    sdfg.Program(source, sdfg.Engine(cache_dir="")).export(made, target="aarch64", cpu="generic+sve")
    check_masks(name, made)


# ---- recorded programs ----

def check_recorded(program, made, of_c):
    name = program.parent.name
    loaded = sdfg.Program(program, sdfg.Engine(cache_dir=""))
    loaded.export(made, target="aarch64", cpu="generic+sve")
    vectors = check_masks(name, made)
    if not vectors or not of_c:
        return
    size = min(numpy.dtype(a.type).itemsize for a in loaded.arguments if a.shape)
    ours = min(for_each_element(body, size) for body in vectors)
    theirs = min(for_each_element(body, size) for body in innermost_loops(of_c, name))
    print(f"{name}: {ours:.2f} instructions for each element, clang {theirs:.2f}")
    check(ours <= LIMIT * theirs, f"{name}: {ours} instructions for each element, clang makes {theirs}: {vectors}")


def compiled_c(folder):
    """The object of recorded.c, or None."""
    if not shutil.which(C_COMPILER[0]):
        print("not compared: there is no clang")
        return None
    command(*C_COMPILER, pathlib.Path(__file__).with_name("recorded.c"), "-o", folder / "recorded.o")
    return folder / "recorded.o"


with tempfile.TemporaryDirectory() as temporary:
    place = pathlib.Path(temporary)
    for loop, what in MASKED.items():
        check_loop(place, loop, *what)
    for level in 0, 1, 2, 3: # variables in memory, too
        sdfg.Program(place / "dot.py", sdfg.Engine(cache_dir="", opt_level=level)).export(place / "level.o", target="aarch64", features="+sve")
        check(bool(vector_loops(place / "level.o")) == (level > 0), f"vectors at level {level}")
    recorded = sorted(pathlib.Path(sys.argv[1]).glob("*/prog.sve.sdfg")) if len(sys.argv) > 1 else []
    c_object = compiled_c(place) if recorded else None
    for program in recorded:
        check_recorded(program, place / "code.o", c_object)
print(f"{len(MASKED)} loops, {len(recorded)} recorded programs, {len(failures)} failures")
sys.exit(1 if failures else 0)
