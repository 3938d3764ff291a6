"""examples.py RUNTIME: the examples, compiled for AArch64 in every form, give in an emulator what they give here, for vectors of all
lengths; SVE is used where it is asked for. RUNTIME is the folder of libsdfg-rt for AArch64."""
import json
import pathlib
import re
import sys

import numpy
from case import Failure
from foreign import COMPILER, ROOT, TOP, Foreign, command, emulate

import sdfg

RUNTIME = pathlib.Path(sys.argv[1])
SYMBOLS = {"axpy": {"N": 1003}, "gemm": {"N": 37}, "gemm_maps": {"N": 37}, "heat_3d": {"N": 14, "T": 5},
           "histogram": {"H": 33, "W": 41}, "jacobi_2d": {"N": 37, "T": 7}, "nested": {"N": 21, "M": 35},
           "softmax": {"N": 9, "M": 131}, "while_loop": {"n": 27}}
SVE = "+sve"
SHARED = ("-L", RUNTIME, "-lsdfg-rt", "-lm")
STATIC = (RUNTIME / "libsdfg-rt.a", "-lm")
# How the program comes to its code, by name; each with the words for the linker.
LINKED = {"o": SHARED, "a": STATIC, "so": SHARED}
LONG, SHORT = (1, 2, 4), (1,)
failures = []


def check(good, what):
    if not good:
        failures.append(what)
        print(what, flush=True)


def inputs(program, symbols):
    random, values = numpy.random.default_rng(7), dict(symbols)
    for a in program.arguments:
        if a.kind == "array":
            shape = [eval(size, {}, symbols) for size in a.shape] # pylint: disable=eval-used
            values[a.name] = random.random(shape).astype(a.type)
        elif a.kind == "scalar":
            values[a.name] = 1.25
    return values


def check_results(what, call, values, expected):
    actual = {name: numpy.copy(v) if isinstance(v, numpy.ndarray) else v for name, v in values.items()}
    try:
        call(**actual)
    except Failure as failure:
        check(False, f"{what}: {failure}")
        return
    for name, value in expected.items():
        if isinstance(value, numpy.ndarray):
            tolerance = 1e-5 if value.dtype == numpy.float32 else 1e-13
            check(numpy.allclose(actual[name], value, rtol=tolerance, atol=0), f"{what}: {name} differs")


def run(name):
    """One example in all forms."""
    foreign = Foreign(TOP / f"examples/{name}.sdfg", RUNTIME)
    values = inputs(foreign.program, SYMBOLS[name])
    expected = {n: numpy.copy(v) if isinstance(v, numpy.ndarray) else v for n, v in values.items()}
    foreign.program(**expected)
    for features, lengths in (None, SHORT), (SVE, LONG):
        for length in lengths:
            foreign.open(features, length)
            check_results(f"{name}, opened, {features}, {length}", foreign, values, expected)
        foreign.place(features, lengths[-1])
        check_results(f"{name}, placed, {features}", foreign, values, expected)
    for i, (end, words) in enumerate(LINKED.items()):
        foreign.link(f"lib{foreign.program.name}.{end}", SVE, LONG[i], *words, "-Wl,-rpath," + foreign.folder)
        check_results(f"{name}, linked .{end}, {SVE}, {LONG[i]}", foreign, values, expected)
    return foreign


# ---- what is used ----

SVE_REGISTER = re.compile(r"\b[zp]\d+(\.[bhsdq]|/[mz])")


def disassembly(path):
    return command("aarch64-linux-gnu-objdump", "-d", "--no-show-raw-insn", path)


def uses_sve(foreign, features):
    return bool(SVE_REGISTER.search(disassembly(foreign.export("code.o", features))))


def check_vectors(programs):
    """Every example with a loop over elements, and nothing of SVE where it is not asked for. A loop that calls expf stays one of
    scalars: objects only need the C library."""
    for name, foreign in programs.items():
        check(not uses_sve(foreign, None), f"{name}: SVE without being asked for")
        check(uses_sve(foreign, SVE) == (name != "while_loop"), f"{name}: SVE or not, the other way round")
    choice = (TOP / "examples/axpy.sdfg").read_text().replace("result = a * x + y", "result = a * x if x > y else 0.0")
    path = pathlib.Path(programs["axpy"].folder) / "choice.o"
    sdfg.Program(choice, sdfg.Engine(cache_dir="")).export(path, target="aarch64", features=SVE)
    check(SVE_REGISTER.search(disassembly(path)), "vectors of an unknown processor are taken for short ones")
    relocations = command("aarch64-linux-gnu-readelf", "-rW", programs["softmax"].export("code.o", SVE))
    check(re.search(r"CALL26.* expf\b", relocations), "softmax does not call expf")
    check("_ZGV" not in relocations, "softmax calls vector functions that the C library may not have")


# ---- the border ----

def check_narrow_integers():
    """AAPCS64 leaves the upper bits of narrow arguments and results open: who takes one looks at the bits that count."""
    text = (TOP / "examples/axpy.sdfg").read_text()
    graph = json.loads(text.replace('"N": "int64"', '"N": "int8"').replace("result = a * x + y", "result = a * x + (narrow() == -3);")
                       .replace('"Python"', '"CPP"'))
    graph["attributes"]["global_code"] = {"frame": {"string_data": 'extern "C" signed char narrow();', "language": "CPP"}}
    program, foreign = sdfg.Program(graph, sdfg.Engine(cache_dir="")), Foreign(TOP / "examples/axpy.sdfg", RUNTIME)
    program.export(foreign.folder + "narrow.o", target="aarch64", N=5)
    source = foreign.folder + "narrow.c"
    pathlib.Path(source).write_text("""
#include <stdint.h>
void *__dace_init_axpy(int64_t N); /* in truth int8_t */
int __sdfg_call_axpy(void *handle, double *X, double *Y, int64_t N, double alpha);
int __dace_exit_axpy(void *handle);
__asm__(".globl narrow\\nnarrow: mov w0, #0x7ffd\\n ret"); /* -3 in the bits that count */
int main(void)
{
    double X[5] = { 1, 2, 3, 4, 5 }, Y[5] = { 0 };
    int64_t wide = 0x7f05;
    void *handle = __dace_init_axpy(wide);
    if (!handle)
        return 1;
    return __sdfg_call_axpy(handle, X, Y, wide, 2) || Y[4] != 11 ? 2 : __dace_exit_axpy(handle);
}
""")
    command(COMPILER, source, foreign.folder + "narrow.o", *SHARED, "-o", foreign.folder + "narrow")
    emulate(1, RUNTIME, foreign.folder + "narrow")


def check_libraries():
    """What the runtime finds in the system of the emulator: an OpenMP runtime, which the cross compiler brings along; a BLAS may be
    missing, then loops of the runtime do its work."""
    with_library = Foreign(TOP / "examples/gemm.sdfg", RUNTIME)
    source = with_library.folder + "libraries.c"
    pathlib.Path(source).write_text("""
#include "runtime/linalg/blas.h"
#include <stdio.h>
int main(void)
{
    const char *openmp = sdfg_rt_openmp_name(), *blas = sdfg_rt_blas_name();
    printf("%s %s\\n", openmp ? openmp : "-", blas ? blas : "-");
    return 0;
}
""")
    command(COMPILER, "-Wall", "-Wextra", "-Werror", "-I", TOP, source, *STATIC, "-o", with_library.folder + "libraries")
    openmp, blas = emulate(1, RUNTIME, with_library.folder + "libraries").split()
    check(openmp.startswith("libgomp"), f"OpenMP is {openmp}")
    print(f"{ROOT}: OpenMP {openmp}, BLAS {blas if blas != '-' else 'none: loops of the runtime'}")


programs = {name: run(name) for name in SYMBOLS}
check_vectors(programs)
for test in check_narrow_integers, check_libraries:
    try:
        test()
    except Failure as failure:
        check(False, f"{test.__name__}: {failure}")
print(f"{len(programs)} programs, {len(failures)} failures")
sys.exit(1 if failures else 0)
