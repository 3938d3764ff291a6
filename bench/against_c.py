"""Programs compiled in memory against plain C, by gcc and by clang with -O3 -march=native -fopenmp: sdfg-bench checks the results and measures,
this takes the better compiler and lists the ratios. Above 1 the JIT is faster."""
import argparse
import json
import math
import pathlib
import subprocess

from machine import describe

TOP = pathlib.Path(__file__).resolve().parents[1]
UNIT = "time of C by that of the JIT, least of all samples; better compiler"


def parser(text):
    p = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--bench", type=pathlib.Path, default=TOP / "build/release/sdfg-bench")
    p.add_argument("--only", help="names of programs, separated by commas")
    p.add_argument("--threads", default="1,2", help="numbers of threads, separated by commas (1,2)")
    p.add_argument("--samples", type=int, default=31, help="of each build (31)")
    p.add_argument("--seconds", type=float, default=3, help="at most for the samples of one comparison (3)")
    p.add_argument("--json", type=pathlib.Path, help="where the ratios go")
    return p


def clang_flags(threads):
    """One thread needs no runtime; otherwise it is named, since the link that -fopenmp looks for may lack."""
    if threads == "1":
        return "-O3 -march=native -fopenmp-simd"
    found = sorted([*pathlib.Path("/usr/lib").glob("*/libomp.so.5"), *pathlib.Path("/usr/lib").glob("llvm-*/lib/libomp.so.5")])
    return f"-O3 -march=native -Xclang -fopenmp {found[-1]}" if found else "-O3 -march=native -fopenmp"


def measure(name, program, arguments, source, threads, a):
    """{compiler: times} of one program; a compiler whose build fails or differs is left out, with a message."""
    times = {}
    for compiler in "gcc", "clang":
        line = [a.bench, program, *arguments, f"--threads={threads}", f"--cc={compiler}", f"--against=c:{source}", "--cold=1",
                f"--samples={a.samples}", f"--seconds={a.seconds}", "--no-roofs", "--json=-"]
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


def run(programs, a):
    """programs: {name: (program, arguments, C file)}. Measures all that a.only names, prints and keeps what it found."""
    record = {"machine": describe(), "ratios": {}, "unit": UNIT}
    if a.json and a.json.exists() and a.only:  # the others are kept
        record["ratios"] = json.loads(a.json.read_text())["ratios"]
    for threads in a.threads.split(","):
        ratios = record["ratios"].setdefault(threads, {})
        for name in a.only.split(",") if a.only else sorted(programs):
            times = measure(name, *programs[name], threads, a)
            if not times:
                continue
            best = min(times, key=lambda c: times[c]["c"])
            jit = min(t["jit"] for t in times.values())
            ratios[name] = round(times[best]["c"] / jit, 3)
            print(f"{name:16} {threads} threads  jit {1e6 * jit:10.1f} us  {best:5} {1e6 * times[best]['c']:10.1f} us"
                  f"  {ratios[name]:7.3f}", flush=True)
        if ratios:
            mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
            print(f"{threads} threads: geometric mean {mean:.3f}, least {min(ratios.values()):.3f} ({min(ratios, key=ratios.get)})")
    if a.json:
        a.json.parent.mkdir(exist_ok=True)
        a.json.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")
