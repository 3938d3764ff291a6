#!/usr/bin/env python3
"""NPBench programs compiled in memory against plain C, by gcc and by clang with -O3 -march=native -fopenmp (the C files beside this
one): sdfg-bench checks the results and measures, this script takes the better compiler and lists the ratios. Above 1 the JIT is faster.

  measure.py [--only=gemm,lu] [--threads=1,2] [--corpus=FOLDER] [--json=FILE]"""
import argparse
import json
import math
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[1]
sys.path.insert(0, str(TOP / "bench"))
from machine import describe  # noqa: E402

# Their data must have structure: the recorded arrays are taken. The others get sizes that take milliseconds.
RECORDED = {"spmv", "lu", "cholesky", "trisolv"}
SIZES = {
    "gemm": "NI=200 NJ=220 NK=240", "atax": "M=800 N=1000", "bicg": "M=800 N=1000", "mvt": "N=1000", "gemver": "N=700",
    "gesummv": "N=700", "syrk": "M=100 N=140", "syr2k": "M=100 N=120", "trmm": "M=65 N=80", "doitgen": "NR=30 NQ=30 NP=64",
    "jacobi_1d": "TSTEPS=200 N=3200", "jacobi_2d": "TSTEPS=20 N=200", "heat_3d": "TSTEPS=10 N=40", "seidel_2d": "TSTEPS=8 N=80",
    "fdtd_2d": "TMAX=20 NX=200 NY=220", "softmax": "N=4 H=4 SM=128", "floyd_warshall": "N=150",
}


def arguments(name, corpus):
    if name not in RECORDED:
        return [f"--{pair}" for pair in SIZES[name].split()]
    folder = corpus / name
    args = [a for a in json.loads((folder / "case.json").read_text())["args"] if a.get("in") is not None]
    return [f"--set={a['name']}=" + (f"@{folder / a['in']}" if isinstance(a["in"], str) else str(a["in"])) for a in args]


def clang_flags(threads):
    """One thread needs no runtime; otherwise it is named, since the link that -fopenmp looks for may lack."""
    if threads == "1":
        return "-O3 -march=native -fopenmp-simd"
    found = sorted([*pathlib.Path("/usr/lib").glob("*/libomp.so.5"), *pathlib.Path("/usr/lib").glob("llvm-*/lib/libomp.so.5")])
    return f"-O3 -march=native -Xclang -fopenmp {found[-1]}" if found else "-O3 -march=native -fopenmp"


def measure(name, threads, a):
    times = {}
    for compiler in "gcc", "clang":
        line = [a.bench, a.corpus / name / "prog.sdfg", *arguments(name, a.corpus), f"--threads={threads}", f"--cc={compiler}",
                f"--against=c:{HERE / name}.c", "--cold=1", f"--samples={a.samples}", "--seconds=3", "--no-roofs", "--json=-"]
        if compiler == "clang":
            line.append(f"--cflags={clang_flags(threads)}")
        done = subprocess.run(line, text=True, capture_output=True)
        if done.returncode:
            print(f"{name}, {compiler}: {done.stderr.strip().splitlines()[-1][:150] if done.stderr else done.returncode}")
            continue
        builds = json.loads(done.stdout)["builds"]
        times[compiler] = {"jit": builds[0]["bound"]["least"], "c": builds[1]["bound"]["least"],
                           "median_ratio": builds[1]["ratio"]["median"]}
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", type=pathlib.Path, default=TOP / "build/release/sdfg-bench")
    parser.add_argument("--corpus", type=pathlib.Path, default=TOP / "build/corpus/npbench")
    parser.add_argument("--only")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--samples", type=int, default=31)
    parser.add_argument("--json", type=pathlib.Path)
    a = parser.parse_args()
    names = a.only.split(",") if a.only else sorted([*SIZES, *RECORDED])
    record = {"machine": describe(), "ratios": {}, "unit": "time of C by that of the JIT, least of all samples; better compiler"}
    for threads in a.threads.split(","):
        ratios = {}
        for name in names:
            times = measure(name, threads, a)
            if not times:
                continue
            best = min(times, key=lambda c: times[c]["c"])
            ratios[name] = times[best]["c"] / min(t["jit"] for t in times.values())
            print(f"{name:16} {threads} threads  jit {1e6 * min(t['jit'] for t in times.values()):10.1f} us"
                  f"  {best:5} {1e6 * times[best]['c']:10.1f} us  {ratios[name]:7.3f}", flush=True)
        if ratios:
            mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
            print(f"{threads} threads: geometric mean {mean:.3f}, least {min(ratios.values()):.3f} ({min(ratios, key=ratios.get)})")
            record["ratios"][threads] = {k: round(v, 3) for k, v in ratios.items()}
    if a.json:
        a.json.parent.mkdir(exist_ok=True)
        a.json.write_text(json.dumps(record, indent=1) + "\n")


main()
