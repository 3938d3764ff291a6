#!/usr/bin/env python3
"""Two builds of this project against each other, in turns: run time, compile time and warm start of the NPBench programs of the corpus,
and what calls cost (bench-call beside each sdfg-run).

    bench/builds/measure.py --old=OTHER/build/release/sdfg-run [--threads=N] [--rounds=N] [--only=NAMES] [--out=FILE]
                             [--npbench=CHECKOUT]

Sizes as in bench/check. With a checkout of NPBench (and NumPy and SciPy) its own code makes the inputs of preset S: times of programs whose data decide
what is done, as in spmv, mean nothing without it. The fastest of each build counts for run time and for compile time (bind and compile, without a cache), the
median of the rounds for a warm start (load and bind, kernel in the cache) and for calls on one thread. Ratios above 1: the new
build is faster.
Status 1 if the geometric mean of run times is below 0.99 or that of compile times below 0.95."""
import argparse
import json
import math
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "bench"))
from machine import describe  # noqa: E402
from programs import commands, npbench_command, timed  # noqa: E402


def choices(tool, folder, a, store):
    """(sizes, command) to be tried one after the other."""
    made = npbench_command(tool, folder, a.npbench, "S", a.threads, store) if a.npbench else None
    if made:
        yield "NPBench", made
    yield from commands(tool, folder, a.threads)


def measure(tools, folder, a, cache):
    """{"run" | "compile" | "warm": [old, new] seconds}, or None."""
    for size, command in choices(tools[1], folder, a, pathlib.Path(cache)):
        first = timed(command, "--repeat=3", "--no-cache")
        if first is None:
            continue
        repeat = max(3, min(5000, int(a.seconds / max(first["least"], 1e-7))))
        found = {"run": ([], []), "compile": ([], []), "warm": ([], [])}
        for turn in range(a.rounds):
            for which in ((0, 1), (1, 0))[turn % 2]:
                one = [str(tools[which]), *command[1:]]
                cold = timed(one, f"--repeat={repeat}", "--warmup=2", "--no-cache")
                more = [timed(one, "--no-cache") for _ in range(2)]
                cached = one + [f"--cache={cache}/{which}"]
                warm = (timed(cached, "--tier=full") if turn == 0 else True) and [timed(cached) for _ in range(3)]
                if cold is None or not warm or None in more + warm:
                    return None
                found["run"][which].append(cold["least"])
                found["compile"][which].extend(c["bind"] for c in [cold, *more])
                found["warm"][which].extend(w["load"] + w["bind"] for w in warm)
        best = {"run": min, "compile": min, "warm": statistics.median}
        return size, {what: [best[what](times[0]), best[what](times[1])] for what, times in found.items()}
    return None


def measure_calls(tools, rounds, count=200000):
    """{kind of call: [old, new] nanoseconds}, medians of the rounds; empty if a build has no bench-call."""
    programs = [t.parent / "bench-call" for t in tools]
    if not all(p.exists() for p in programs):
        return {}
    found = {}
    for turn in range(rounds):
        for which in ((0, 1), (1, 0))[turn % 2]:
            text = subprocess.run([programs[which], str(count), "1"], stdout=subprocess.PIPE, text=True, check=True).stdout
            for line in text.splitlines()[1:]:
                kind, nanoseconds = line.rsplit(maxsplit=1)
                found.setdefault(kind.strip(), ([], []))[which].append(float(nanoseconds))
    return {kind: [statistics.median(times[0]), statistics.median(times[1])] for kind, times in found.items()}


def mean(rows, what):
    values = [r[what][0] / r[what][1] for r in rows.values()]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--old", type=pathlib.Path, required=True)
    p.add_argument("--new", type=pathlib.Path, default=TOP / "build/release/sdfg-run")
    p.add_argument("--corpus", type=pathlib.Path, default=TOP / "build/corpus/npbench")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--seconds", type=float, default=0.2, help="length of one sample of a program's run time (0.2)")
    p.add_argument("--npbench", type=pathlib.Path, help="a checkout of NPBench, for its inputs")
    p.add_argument("--only")
    p.add_argument("--out", type=pathlib.Path)
    a = p.parse_args()
    cache = tempfile.mkdtemp()
    rows = {}
    print(f"{'':28} {'sizes':7} {'run: new ms':>12} {'old/new':>8} {'compile':>8} {'warm':>8}")
    for case in sorted(a.corpus.glob("*/case.json")):
        program = case.parent.name
        if a.only and program not in a.only.split(","):
            continue
        result = measure((a.old, a.new), case.parent, a, cache)
        if not result:
            print(f"{program:28} not measured", flush=True)
            continue
        size, row = result
        rows[program] = {"sizes": size, **row}
        print(f"{program:28} {size:7} {row['run'][1] * 1e3:12.4f}", *(f"{row[w][0] / row[w][1]:8.3f}" for w in row), flush=True)
    shutil.rmtree(cache)
    calls = measure_calls((a.old, a.new), max(a.rounds, 7))
    for kind, (old, new) in calls.items():
        print(f"{kind:28} {new:8.1f} ns {old / new:8.3f}")
    means = {what: mean(rows, what) for what in ("run", "compile", "warm")}
    print(f"{len(rows)} programs, geometric means: run {means['run']:.3f}, compile {means['compile']:.3f}, warm {means['warm']:.3f}")
    if a.out:
        a.out.write_text(json.dumps({"machine": describe(), "threads": a.threads, "means": means, "calls": calls, "programs": rows}, indent=1) + "\n")
    sys.exit(0 if rows and means["run"] >= 0.99 and means["compile"] >= 0.95 else 1)


os.environ["OMP_WAIT_POLICY"] = "passive"
main()
