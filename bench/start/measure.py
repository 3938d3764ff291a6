#!/usr/bin/env python3
"""Time of whole processes: sdfg-run without a cache (with optimized code, and as it is without options, where it takes the quick
tier), and with one that has the kernel, beside /bin/true and beside clang -O3 that makes a
shared library of the same program in C (bench/run/plain). Three NPBench programs are measured if the corpus is unpacked. See docs/cache.md."""
import argparse
import os
import pathlib
import shutil
import statistics
import sys
import tempfile
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
NPBENCH = TOP / "build/corpus/npbench"
# program, its arguments, and the same in C
PROGRAMS = [("examples/axpy", ["--N=1000"], "axpy"), ("examples/gemm", ["--N=32"], "gemm"),
            ("examples/jacobi_2d", ["--N=32", "--T=4"], "jacobi_2d"), ("examples/histogram", ["--H=32", "--W=48"], "histogram"),
            ("npbench/jacobi_2d", ["--N=31", "--TSTEPS=3"], "jacobi_2d"), ("npbench/vadv", ["--I=9", "--J=7", "--K=11"], None),
            ("npbench/nbody", ["--N=11", "--Nt=12"], None)]


def once(command):
    """Milliseconds from before the process is made until it is gone."""
    quiet = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2)]
    begin = time.perf_counter()
    child = os.posix_spawn(command[0], command, os.environ, file_actions=quiet)
    status = os.waitpid(child, 0)[1]
    taken = 1e3 * (time.perf_counter() - begin)
    return taken if status == 0 else sys.exit(f"{' '.join(command)}: status {status}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", nargs="?", default=str(TOP / "build/release/sdfg-run"))
    parser.add_argument("--repeat", type=int, default=51)
    a = parser.parse_args()
    clang = shutil.which("clang") or next((f"/usr/bin/clang-{v}" for v in range(30, 13, -1) if shutil.which(f"clang-{v}")), None)
    print(f"{'ms, median (least)':20}{'true':>16}{'clang -O3':>18}{'cold, full':>18}{'cold':>18}{'warm':>16}{'warm - true':>14}")
    with tempfile.TemporaryDirectory() as folder:
        for program, more, plain in PROGRAMS:
            kind, name = program.split("/")
            path = NPBENCH / name / "prog.sdfg" if kind == "npbench" else TOP / f"{program}.sdfg"
            if not path.exists():
                continue
            line = [a.run, str(path), *more]
            ways = {"true": ["/bin/true"], "full": line + ["--no-cache", "--tier=full"], "cold": line + ["--no-cache"], "warm": line + [f"--cache={folder}"]}
            source = TOP / f"bench/run/plain/{plain}.c"
            if clang and plain and source.exists():
                ways["clang"] = [clang, "-O3", "-march=native", "-fPIC", "-shared", str(source), "-o", folder + "/plain.so"]
            once(ways["warm"])
            samples = {way: [] for way in ways}
            for _ in range(a.repeat):  # all take turns, so that noise meets all alike
                for way, command in ways.items():
                    samples[way].append(once(command))
            median = {way: statistics.median(values) for way, values in samples.items()}
            cells = [f"{median[way]:.2f} ({min(samples[way]):.2f})" if way in ways else "" for way in ("true", "clang", "full", "cold", "warm")]
            print(f"{program:20}{cells[0]:>16}{cells[1]:>18}{cells[2]:>18}{cells[3]:>18}{cells[4]:>16}{median['warm'] - median['true']:14.2f}")


main()
