#!/usr/bin/env python3
"""Time of whole processes: sdfg-run without a cache, and with one that has the kernel, beside /bin/true. See docs/cache.md."""
import argparse
import os
import pathlib
import statistics
import sys
import tempfile
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = {"axpy": ["--N=1000"], "gemm": ["--N=32"], "jacobi_2d": ["--N=32", "--T=4"], "histogram": ["--H=32", "--W=48"]}


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
    print(f"{'ms, median (least)':20}{'true':>16}{'cold':>18}{'warm':>16}{'warm - true':>14}")
    with tempfile.TemporaryDirectory() as folder:
        for name, more in PROGRAMS.items():
            line = [a.run, str(TOP / f"examples/{name}.sdfg"), *more]
            ways = {"true": ["/bin/true"], "cold": line + ["--no-cache"], "warm": line + [f"--cache={folder}"]}
            once(ways["warm"])
            samples = {way: [] for way in ways}
            for _ in range(a.repeat):  # all take turns, so that noise meets all alike
                for way, command in ways.items():
                    samples[way].append(once(command))
            median = {way: statistics.median(values) for way, values in samples.items()}
            cells = [f"{median[way]:.2f} ({min(samples[way]):.2f})" for way in ways]
            print(f"{name:20}{cells[0]:>16}{cells[1]:>18}{cells[2]:>16}{median['warm'] - median['true']:14.2f}")


main()
