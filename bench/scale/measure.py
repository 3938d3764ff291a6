#!/usr/bin/env python3
"""How the cost of compiling grows with the graph, and that of running with the problem and the threads.

  measure.py [--shapes=chain,wide] [--counts=10,100,1000,10000] [--limit=30]   compile time, phase by phase
  measure.py --run [PROGRAM.sdfg --SIZE ...]                                   run time

The exponent of a phase is the slope between the two largest counts on logarithmic axes: 1 is linear. A run that takes longer than the
limit ends its row."""
import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "bench"))
from machine import describe  # noqa: E402

SHAPES = ["chain", "stencils", "wide", "states", "branches", "nested", "deep", "body"]
LLVM = {"llvm", "llvm.optimize", "llvm.emit", "open", "target", "link"}
DEEPEST = 100 # nested SDFGs inside each other; more is refused by the JSON reader or by whoever wrote the file
RUNS = {"axpy": ("N", [10**k for k in range(3, 8)]), "jacobi_2d": ("N", [50, 100, 200, 400, 800, 1600]),
        "gemm_maps": ("N", [32, 64, 128, 256, 512])}


def phases_of(build, graph, options, limit, realtime):
    """Seconds per phase: those of the fastest of three runs; None if it takes too long."""
    best = None
    for _ in range(3):
        try:
            done = subprocess.run([*realtime, build / "sdfg-run", graph, "--N=100", "--no-cache", "--time=json", *options], text=True,
                                  capture_output=True, timeout=limit)
        except subprocess.TimeoutExpired:
            return None
        if done.returncode:
            sys.exit(done.stderr[:2000])
        times = json.loads([line for line in done.stderr.splitlines() if line.startswith("{")][-1])
        phases = dict(times["phases"], load=times["load"])
        phases["before LLVM"] = sum(t for name, t in phases.items() if name not in LLVM)
        if not best or phases["before LLVM"] + phases["llvm"] < best["before LLVM"] + best["llvm"]:
            best = phases
        if best["before LLVM"] + best["llvm"] > 2:
            break
    return best


def exponent(rows, phase):
    (n0, first), (n1, last) = rows[-2:]
    if last.get(phase, 0) < 0.002 or first.get(phase, 0) <= 0:
        return None
    return math.log(last[phase] / first[phase]) / math.log(n1 / n0)


def measure_shape(build, shape, counts, options, limit, realtime, folder):
    rows = []
    for count in counts:
        if shape == "deep" and count > DEEPEST:
            continue
        graph = pathlib.Path(folder) / f"{shape}-{count}.sdfg"
        with open(graph, "w") as out:
            subprocess.run([build / "bench-graphs", shape, str(count)], stdout=out, check=True)
        phases = phases_of(build, graph, options, limit, realtime)
        if not phases:
            print(f"{shape:9} {count:6}  longer than {limit} s", flush=True)
            break
        rows.append((count, phases))
        print(f"{shape:9} {count:6}  before LLVM {1e3 * phases['before LLVM']:9.1f} ms, LLVM {1e3 * phases['llvm']:9.1f} ms", flush=True)
    if len(rows) < 2:
        return rows
    steep = {p: e for p in rows[-1][1] if (e := exponent(rows, p)) and e > 1.15}
    for phase, e in sorted(steep.items(), key=lambda item: -item[1]):
        print(f"{'':18}{phase}: {1e3 * rows[-1][1][phase]:.1f} ms, grows with the power {e:.2f}")
    return rows


def measure_runs(build, threads):
    for program, (symbol, sizes) in RUNS.items():
        for size in sizes:
            line = f"{program:12} {symbol}={size:<9}"
            for t in threads:
                more = ["--T=4"] if program == "jacobi_2d" else []
                done = subprocess.run([build / "sdfg-run", TOP / f"examples/{program}.sdfg", f"--{symbol}={size}", *more,
                                       f"--threads={t}", "--repeat=21", "--warmup=3", "--time=json"],
                                      text=True, capture_output=True, check=True)
                least = json.loads(done.stderr.splitlines()[-1])["least"]
                line += f"{1e6 * least:12.1f} us on {t}"
            print(line, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=TOP / "build/release")
    parser.add_argument("--shapes", default=",".join(SHAPES))
    parser.add_argument("--counts", default="10,100,1000,10000")
    parser.add_argument("--limit", type=float, default=30)
    parser.add_argument("--option", action="append", default=[], help="for sdfg-run, as in --option=--opt=0")
    parser.add_argument("--realtime", action="store_true", help="measure with real-time priority, on busy machines")
    parser.add_argument("--run", action="store_true", help="run time against size and threads instead")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--json", type=pathlib.Path)
    a = parser.parse_args()
    realtime = ["chrt", "-f", "10"] if a.realtime else []
    if a.run:
        measure_runs(a.build, a.threads.split(","))
        return
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        for shape in a.shapes.split(","):
            results[shape] = measure_shape(a.build, shape, [int(n) for n in a.counts.split(",")], a.option, a.limit, realtime, folder)
    if a.json:
        a.json.write_text(json.dumps({"machine": describe(), "shapes": results}, indent=1) + "\n")


main()
