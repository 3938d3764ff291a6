#!/usr/bin/env python3
"""bars.py BUILD [--npbench=FOLDER] [--arch=sm_80,sm_90,sm_100] [--forms=prog,...] [--every=N] [--out=FILE]: what can be counted and measured of the GPU path without a
GPU, as a table beside the bars of the design: kernels, transfers, launches, spilled registers and processor time of NVRTC, driver calls of a call
on the stand-in, and the host's time for a launch with a driver that does nothing. Needs NVRTC (SDFG_NVRTC or where sdfg-run finds it: LD_LIBRARY_PATH,
/usr/local/cuda*/lib*) and the stand-ins and bench-launch in BUILD. Writes bench/results/gpu-bars.md. Minutes for all programs."""
import argparse
import collections
import ctypes
import glob
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/gpu"))
import counts  # noqa: E402

NONE = {f"SDFG_{library}": "none" for library in ("CUBLAS", "CUSOLVER", "CUFFT")}
NVRTC_OPTIONS = ("--std=c++17", "--ptxas-options=-v", "--fmad=true", "--minimal")  # those of gpu/build.c, in one thread
BOUNDS = r"(__launch_bounds__\()(\d+)(\) %s\()"
QUICK = "--Ofast-compile=min"  # with --tier=quick
USAGE = re.compile(r"Compiling entry function '(\w+)'.*?Function properties for \1\s*\n\D*(\d+) bytes stack frame, (\d+) bytes spill stores, "
                   r"(\d+) bytes spill loads\s*\n.*?Used (\d+) registers", re.S)
DRIVER = ("cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2", "cuPointerGetAttributes")  # of each call, for its context and arguments
WORK = ("cuLaunchKernel", "cuLaunchKernelEx", "cuGraphLaunch", "cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2", "cuMemcpyDtoDAsync_v2", "cuMemcpy2DAsync_v2",
        "cuMemsetD8Async")
WAITS = ("cuStreamSynchronize", )


def text_of(tool, program, *options):
    done = subprocess.run([tool, program, "--device=cuda", "--emit=cuda", *options], capture_output=True, text=True, env=os.environ | NONE)
    return done.stdout if done.returncode == 0 else None


# ---- NVRTC ----

class Nvrtc:
    def __init__(self):
        given = os.environ.get("SDFG_NVRTC")
        names = [given] if given else ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", *sorted(glob.glob("/usr/local/cuda*/lib*/libnvrtc.so*"), reverse=True)]
        for name in names:
            try:
                self.library = ctypes.CDLL(name)
                break
            except OSError:
                continue
        else:
            raise SystemExit("NVRTC cannot be opened; SDFG_NVRTC names its file")
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
        self.version = f"{major.value}.{minor.value}"

    def compile(self, text, arch, *more):
        """Result, seconds of the processor, log."""
        program, size = ctypes.c_void_p(), ctypes.c_size_t()
        options = [word.encode() for word in (f"--gpu-architecture={arch}", *NVRTC_OPTIONS, *more)]
        self.library.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"bars", 0, None, None)
        begin = time.process_time()
        result = self.library.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
        took = time.process_time() - begin
        self.library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        self.library.nvrtcGetProgramLog(program, log)
        self.library.nvrtcDestroyProgram(ctypes.byref(program))
        return result, took, log.value.decode()


def compile_with_retry(nvrtc, text, arch):
    """Result, seconds of the processor, usage of kernels, compilations more; kernels that spill have more registers in a second text, as in gpu/build.c."""
    result, took, log = nvrtc.compile(text, arch)
    kernels = USAGE.findall(log)
    relaxed = text
    for kernel, _, stores, loads, registers in kernels:
        if int(stores) or int(loads):
            wanted = (int(registers) + (int(stores) + int(loads)) // 8 + 8) // 8 * 8
            relaxed = re.sub(BOUNDS % kernel, lambda m: f"{m[1]}{m[2]}, {65536 // (int(m[2]) * wanted)}{m[3]}", relaxed)
    if relaxed == text:
        return result, took, kernels, 0
    _, more, log = nvrtc.compile(relaxed, arch)
    second = USAGE.findall(log)
    return result, took + more, min(kernels, second, key=spilled), 1


def spilled(kernels):
    return sum(int(stores) + int(loads) for _, _, stores, loads, _ in kernels)


def compile_all(options, programs):
    nvrtc = Nvrtc()
    nvrtc.compile("__global__ void first() {}", options.arch.split(",")[0])  # what it loads once
    found = {"version": nvrtc.version, "refused": [], "spills": [], "stacks": 0, "kernels": 0, "codes": 0, "slow": [], "again": 0, "seconds": 0, "quick": 0, "bar": 0}
    for program in programs:
        text = text_of(options.build / "sdfg-run", program)
        if not text:
            continue
        name = f"{program.parent.name} {program.stem}"
        for arch in options.arch.split(","):
            result, took, kernels, again = compile_with_retry(nvrtc, text, arch)
            found["again"] += again
            if result:
                found["refused"].append(f"{name} {arch}")
            found["codes"] += 1
            found["kernels"] += len(kernels)
            found["seconds"] += took
            found["quick"] += nvrtc.compile(text, arch, QUICK)[1]
            bar = 0.030 + 0.015 * len(kernels)
            found["bar"] += bar
            if took > bar:
                found["slow"].append((took / bar, f"{name} {arch}: {1000 * took:.0f} ms for {len(kernels)} kernels"))
            found["stacks"] += sum(int(stack) > 0 for _, stack, _, _, _ in kernels)
            found["spills"] += [f"{name} {arch} {kernel}: {stores} + {loads} bytes" for kernel, _, stores, loads, _ in kernels if int(stores) or int(loads)]
    return found


# ---- sizes ----

CONSTANT = 32  # sizes up to this one shape the code and are in its text, by the design


def two_sizes(program):
    """The preset L, and the same with the larger sizes of "paper"."""
    presets = json.loads((program.parent / "sizes.json").read_text())["presets"]
    first, other = presets["L"], presets["paper"]
    second = {name: value if min(value, other[name]) <= CONSTANT else other[name] for name, value in first.items()}
    return [[f"--{name}={value}" for name, value in sizes.items()] for sizes in (first, second)]


def case_of(program, folder):
    """The arguments of the recorded case, for calls that follow each other."""
    case = json.loads((program.parent / "case.json").read_text())
    values = {a["name"]: (f"@{program.parent / a['in']}" if a["kind"] == "array" else a["in"]) for a in case["args"] if a.get("in") is not None and not isinstance(a["in"], dict)}
    if program.parent.name == "cholesky2":  # the factor replaces the matrix: one that is its own factor can be factored again
        values["A"] = f"@{identity(pathlib.Path(folder) / 'identity.npy', case['sizes']['N'])}"
    return [f"--{name}={value}" for name, value in values.items()]


def identity(file, size):
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({size}, {size}), }}".ljust(117) + "\n"
    rows = [struct.pack(f"<{size}d", *(float(row == column) for column in range(size))) for row in range(size)]
    file.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + b"".join(rows))
    return file


def same_texts(options, programs):
    """Programs with kernels that have two sizes, those whose text is another one for the second, and those with one."""
    all_, others, alone = 0, [], []
    for program in programs:
        first, second = two_sizes(program)
        texts = [text_of(options.build / "sdfg-run", program, *sizes) for sizes in (first, second)]
        if texts[0] and first == second:
            alone.append(program.parent.name)
        elif texts[0]:
            all_ += 1
            if texts[0] != texts[1]:
                others.append(program.parent.name)
    return all_, others, alone


# ---- calls of the driver ----

def calls_of_one_call(options, program, folder, graphs):
    """The driver's functions that the fifth call of the recorded case calls, and how often; or the error."""
    env = os.environ | NONE | {"SDFG_CUDA": f"{options.build}/libstandin-cuda.so", "SDFG_NVRTC": f"{options.build}/libstandin-nvrtc.so", "OMP_NUM_THREADS": "1", "SDFG_STANDIN_GRAPHS": graphs}
    file = pathlib.Path(folder) / "counts"
    made = []
    for repeat in (4, 5):
        file.unlink(missing_ok=True)
        command = [options.build / "sdfg-run", program, *case_of(program, folder), "--device=cuda", f"--repeat={repeat}", f"--cache={options.build}/device-cache"]
        done = subprocess.run(command, capture_output=True, text=True, env=env | {"SDFG_STANDIN_COUNTS": str(file)})
        if done.returncode or not file.exists():
            return done.stderr.strip()[:80] or "no counts"
        made.append(collections.Counter(json.loads(file.read_text().splitlines()[-1])))
    made[1].subtract(made[0])
    return {name: count for name, count in made[1].items() if name.startswith("cu") and count}


def driver_calls(options, programs):
    """Programs whose calls make launches, transfers and one wait, those that wait for values that decide about their loops, those that graphs spare
    calls, and others with what they make. Without graphs each launch is a call; with them updates of nodes come in, and all together may not be more."""
    good, deciding, fewer, others = [], [], [], []
    with tempfile.TemporaryDirectory() as folder:
        for program in programs:
            name = program.parent.name
            plain, graphs = (calls_of_one_call(options, program, folder, graphs) for graphs in "01")
            if isinstance(plain, str) or isinstance(graphs, str):
                others.append(f"{name} (does not run: {plain if isinstance(plain, str) else graphs})")
                continue
            if not plain:
                continue
            waits = sum(plain.get(wait, 0) for wait in WAITS)
            known = name in counts.MAY_TRANSFER_IN_LOOPS and waits <= plain.get("cuMemcpyDtoHAsync_v2", 0)
            if set(plain) - {*DRIVER, *WORK, *WAITS} or sum(graphs.values()) > sum(plain.values()) or not (waits == 1 or known):
                others.append(f"{name} ({', '.join(f'{count} {call}' for call, count in sorted(graphs.items()))}; {sum(plain.values())} without graphs)")
                continue
            good.append(name)
            deciding += [f"{name} {waits}"] if waits > 1 else []
            fewer += [f"{name} {sum(graphs.values())} of {sum(plain.values())}"] if sum(graphs.values()) < sum(plain.values()) else []
    return good, deciding, fewer, others


def launch_times(options):
    times = []
    for graphs in ("0", "1"):
        env = os.environ | NONE | {"SDFG_CUDA": f"{options.build}/libnull-cuda.so", "SDFG_NVRTC": f"{options.build}/libstandin-nvrtc.so", "SDFG_NULL_GRAPHS": graphs}
        done = subprocess.run([options.build / "bench-launch", TOP / "examples"], capture_output=True, text=True, env=env)
        found = re.search(r"([\d.]+) ns for each further launch", done.stdout)
        times.append(float(found[1]) if found else None)
    return times


# ---- the table ----

def row(bar, measured, met, command):
    return f"| {bar} | {measured} | {'yes' if met else 'no' if met is False else met} | {command} |"


def short(items, most=12):
    return ", ".join(items[:most]) + (f" and {len(items) - most} more" if len(items) > most else "") if items else "none"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--npbench", type=pathlib.Path, default=TOP / "build/corpus/npbench")
    parser.add_argument("--arch", default="sm_80,sm_90,sm_100")
    parser.add_argument("--forms", default="prog")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--out", type=pathlib.Path, default=TOP / "bench/results/gpu-bars.md")
    options = parser.parse_args()
    options.build = options.build.resolve()
    programs = sorted(options.npbench.glob("*/prog.sdfg"))[:: options.every]
    if not programs:
        print(f"no programs in {options.npbench}")
        return 77
    forms = [path for form in options.forms.split(",") for path in sorted(options.npbench.glob(f"*/{form}.sdfg"))][:: options.every]
    nests = kernels = 0
    launches, looped, per = {}, [], {}
    for program in programs:
        tree = subprocess.run([options.build / "sdfg-run", program, "--emit=tree", "--device=cuda"], capture_output=True, text=True, env=os.environ | NONE).stdout
        name = program.parent.name
        kinds, _, _, inside = counts.kernels_and_transfers(tree)
        nests, kernels, per[name] = nests + kinds.get("nest", 0), kernels + sum(kinds.values()), sum(kinds.values())
        launches[name] = sum(counts.kernels_and_transfers(counts.small_versions(tree))[0].values())
        looped += [f"{name} {inside}"] if inside else []
    code, (texts, others, alone) = compile_all(options, forms), same_texts(options, programs)
    (good, deciding, fewer, more), (plain, graph) = driver_calls(options, programs), launch_times(options)
    one = ("trisolv", "lu", "cholesky", "durbin", "nussinov", "seidel_2d")
    known = {name for name in counts.MAY_TRANSFER_IN_LOOPS} | {"stockham_fft"}
    whole = options.every == 1
    rows = [
        row("static kernels of the 53 `prog.sdfg`, at most 200", f"{nests} nests ({kernels} with statements for one thread and loops around nests)", nests <= 200 if whole else "part",
            "`tests/gpu/counts.py`"),
        row("resnet at most 22, lenet 9, conv2d_bias 2 kernels", ", ".join(str(per.get(name, "-")) for name in ("resnet", "lenet", "conv2d_bias")),
            per.get("resnet", 0) <= 22 and per.get("lenet", 0) <= 9 and per.get("conv2d_bias", 0) <= 2, "the same"),
        row("one launch for a call: " + ", ".join(one), ", ".join(f"{name} {launches[name]}" for name in one if name in launches), all(launches.get(name, 1) == 1 for name in one), "the same"),
        row("transfers in loops only in channel_flow, mandelbrot2, stockham_fft", short(looped), all(word.split()[0] in known for word in looped), "the same"),
        row(f"kernels compile for {options.arch.replace(',', ', ')}", f"{code['codes']} codes, {code['kernels']} kernels, refused: {short(code['refused'])}", not code["refused"], f"NVRTC {code['version']}"),
        row("no spilled registers", f"{short(code['spills'])}; {code['again']} codes are compiled twice for that; {code['stacks']} kernels have a stack", not code["spills"], "`--ptxas-options=-v`"),
        row("processor time of NVRTC: 30 ms and 15 ms for each kernel",
            f"{code['seconds']:.1f} s for all ({code['quick']:.1f} s with --tier=quick), where the bar is {code['bar']:.1f} s; {len(code['slow'])} codes of {code['codes']} take longer: {short([words for _, words in sorted(code['slow'], reverse=True)], 4)}",
            not code["slow"], "`nvrtcCompileProgram` in one thread"),
        row("a second size compiles nothing", f"{texts - len(others)} of {texts} programs have the same text for the sizes L and for those of paper above {CONSTANT} (smaller ones are in the text); others: {short(others)}; no second size: {short(alone)}", not others, "`--emit=cuda`"),
        row("driver calls of a call: launches, transfers, one wait", f"{len(good)} programs; more than one wait, for values that decide about loops: {short(deciding)}; fewer calls by graphs: {short(fewer)}; others: {short(more, 20)}", not more,
            "`SDFG_STANDIN_COUNTS`, the fifth call less the fourth one"),
        row("at most 150 ns of ours for a launch", f"{plain} ns, as node of a graph {graph} ns" if plain else "bench-launch is not there", bool(plain) and max(plain, graph) <= 150,
            "`bench-launch examples`"),
    ]
    text = "\n".join(["# Bars of the GPU path without a device\n", f"`tests/gpu/bars.py build/release --arch={options.arch} --forms={options.forms}" + (f" --every={options.every}" if not whole else "") + "`, on a machine shared with other work: times are upper bounds. Libraries (cuBLAS, cuSOLVER,",
                      "cuFFT) are not used. What a nest has beside its kernel (a version with tiles or for small calls) is not counted as a nest again: so are DaCe's 257 kernels, which",
                      "are its maps.\n", "| bar | measured | met | by |", "|---|---|---|---|", *rows, ""])
    options.out.write_text(text)
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
