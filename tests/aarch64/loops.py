"""loops.py [FOLDER]: the inner loops of small programs, compiled for AArch64 with SVE, have masks from whilelo and no scalar rest, and are not much
longer than what a C compiler makes of the same loops. FOLDER has recorded programs with SVE maps, of which the first is asked, too."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from foreign import command

import sdfg

LIMIT = 1.2 # of the instructions of the C compiler, for each vector
C_COMPILER = ("clang", "--target=aarch64-linux-gnu", "-O3", "-march=armv9-a", "-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math",
              "-fno-math-errno", "-ffp-contract=fast", "-c", "-x", "c", "-")
# Name: parameters of the Python program, loop and body; the body in C; another limit.
D, I, F = "dace.float64[N]", "dace.int64[N]", "dace.float32[N]"
MAP = "for i in dace.map[0:N]:"
LOOPS = {
    "axpy": (f"a: dace.float64, x: {D}, y: {D}", MAP, "y[i] = a * x[i] + y[i]", "y[i] = a * x[i] + y[i];", None),
    "single": (f"a: dace.float32, x: {F}, y: {F}", MAP, "y[i] = a * x[i] + y[i]", "y[i] = a * x[i] + y[i];", None),
    "stencil": (f"x: {D}, y: {D}", "for i in dace.map[1:N - 1]:", "y[i] = 0.25 * (x[i - 1] + 2.0 * x[i] + x[i + 1])",
                "y[i] = 0.25 * (x[i - 1] + 2.0 * x[i] + x[i + 1]);", None),
    "choice": (f"x: {D}, y: {D}, z: {D}", MAP, "z[i] = x[i] * y[i] if x[i] > 0.0 else y[i] - x[i]",
               "z[i] = x[i] > 0.0 ? x[i] * y[i] : y[i] - x[i];", None),
    "root": (f"x: {D}, y: {D}", MAP, "y[i] = np.sqrt(x[i]) + 1.0", "y[i] = __builtin_sqrt(x[i]) + 1.0;", None),
    "gather": (f"k: {I}, x: {D}, y: {D}", MAP, "y[i] = x[k[i]] * 2.0", "y[i] = x[k[i]] * 2.0;", None),
    "dot": (f"x: {D}, y: {D}, s: dace.float64[1]", MAP, "s[0] += x[i] * y[i]", "t += x[i] * y[i];", None),
}
MASKED = { # compared with no C compiler, which make no such vectors
    "sum_in_order": (f"x: {D}, y: {D}", "s = 0.0\n    for i in range(N):", "s += x[i] * y[i]\n    y[0] = s"),
    "tests": (f"x: {D}, y: {D}", MAP, "y[i] = 0.5 if np.isnan(x[i]) or x[i] < 0 else np.sqrt(x[i])"),
    "products": ("x: dace.complex128[N], y: dace.complex128[N]", MAP, "y[i] = x[i] * y[i]"),
    "appended": (f"x: {D}, y: {D}", f"s = dace.define_stream(dace.float64, N)\n    {MAP}",
                 "with dace.tasklet:\n            a << x[i]\n            o >> s(-1)\n            if a > 0.5:\n                o = a\n    s >> y"),
    "halves": ("x: dace.float16[N], y: dace.float16[N]", MAP, "y[i] = x[i] * y[i]"),
}
C_TYPES = {"dace.float64": "double", "dace.float32": "float", "dace.int64": "long"}
failures = []


def check(good, what):
    if not good:
        failures.append(what)
        print(what, flush=True)


# ---- loops of machine code ----

MEMORY = re.compile(r"(ld1|st1|ldr|str|ldp|stp|ldu|stu|ldff1)\w*")
SCALAR = re.compile(r"\b(ldr|str|ldur|stur)\s+[sd]\d+|\bfmadd\s")


def innermost_loops(path):
    """The instructions of each loop without another one inside, of all functions."""
    loops, lines = [], []
    for line in command("aarch64-linux-gnu-objdump", "-d", "--no-show-raw-insn", path).splitlines():
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


# ---- our programs ----

def for_each_vector(body, accesses):
    """Instructions of a loop for each vector, of which it has as many as it accesses memory more often than `accesses`."""
    return len(body) * accesses / sum(bool(MEMORY.match(t)) for t in body)


def c_loop(parameters, head, body):
    types = [(n, t.split("[")[0], "[" in t) for n, t in (p.split(": ") for p in parameters.split(", "))]
    listed = ", ".join(f"{C_TYPES[t]} {'*restrict ' if array else ''}{n}" for n, t, array in types)
    begin, end = re.search(r"\[(.*):(.*)\]", head).groups()
    return f"{'double' if 't +=' in body else 'void'} loop({listed}, long N)\n{{\n    double t = 0;\n    for (long i = {begin}; i < {end}; i++)\n" \
           f"        {body}\n    {'return t;' if 't +=' in body else ''}\n}}\n"


def check_loop(folder, name, parameters, head, body, c_body, more):
    text = f"import dace\nimport numpy as np\nN = dace.symbol('N')\n@dace.program\ndef {name}({parameters}):\n    {head}\n        {body}\n"
    source, ours, theirs = folder / f"{name}.py", folder / f"{name}.o", folder / f"{name}.c.o"
    source.write_text(text)
    sdfg.Program(source, sdfg.Engine(cache_dir="")).export(ours, target="aarch64", cpu="generic+sve")
    vectors = check_masks(name, ours)
    if not vectors or not c_body or not shutil.which(C_COMPILER[0]):
        return
    compiled = subprocess.run([*C_COMPILER, "-o", theirs], input=c_loop(parameters, head, c_body), text=True, capture_output=True, check=False)
    if compiled.returncode:
        print(f"{name}: not compared: {compiled.stderr[:200]}")
        return
    accesses = sum(bool(MEMORY.match(t)) for t in vectors[0])
    count, made = len(vectors[0]), [for_each_vector(b, accesses) for b in vector_loops(theirs)]
    if not made:
        print(f"{name}: {count} instructions for each vector, clang makes no vectors of SVE")
        return
    expected = min(made)
    limit = more or LIMIT
    print(f"{name}: {count} instructions for each vector, clang {expected:.1f}")
    check(count <= limit * expected, f"{name}: {count} instructions for each vector, clang makes {expected}: {vectors[0]}")


with tempfile.TemporaryDirectory() as temporary:
    for loop, what in LOOPS.items():
        check_loop(pathlib.Path(temporary), loop, *what)
    for loop, what in MASKED.items():
        check_loop(pathlib.Path(temporary), loop, *what, None, None)
    for level in 0, 1, 2, 3: # variables in memory, too
        sdfg.Program(pathlib.Path(temporary) / "dot.py", sdfg.Engine(cache_dir="", opt_level=level)).export(temporary + "/level.o", target="aarch64", features="+sve")
        check(bool(vector_loops(temporary + "/level.o")) == (level > 0), f"vectors at level {level}")
    recorded = sorted(pathlib.Path(sys.argv[1]).glob("*/prog.sve.sdfg")) if len(sys.argv) > 1 else []
    for program in recorded:
        sdfg.Program(program, sdfg.Engine(cache_dir="")).export(temporary + "/code.o", target="aarch64", cpu="generic+sve")
        check_masks(program.parent.name, temporary + "/code.o")
print(f"{len(LOOPS)} loops, {len(recorded)} recorded programs, {len(failures)} failures")
sys.exit(1 if failures else 0)
