#!/usr/bin/env python3
"""What checked mode costs: run times of the NPBench programs of the corpus with --check against those without, in turns.

    bench/check/measure.py [--threads=N] [--rounds=N] [--only=NAMES] [--out=FILE]

Sizes are NPBench's preset S, with inputs that sdfg-run makes; where those are no inputs for the program (a fault, a time-out), the recorded
case. Each round runs both in turn; the fastest run of each counts."""
import argparse
import json
import math
import pathlib
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "bench"))
from programs import commands, timed  # noqa: E402


def run(command, check, repeat):
    """Seconds of the fastest run, or None."""
    found = timed(command, f"--repeat={repeat}", "--warmup=2", "--no-cache", *([check] if check else []))
    return found and found["least"]


def measure(tool, folder, a):
    for size, command in commands(tool, folder, a.threads):
        first = run(command, None, 3)
        if first is None or run(command, "--check", 1) is None:
            continue
        repeat = max(3, min(2000, int(0.3 / max(first, 1e-7))))
        plain, checked = [], []
        for _ in range(a.rounds):
            plain.append(run(command, None, repeat))
            checked.append(run(command, "--check", repeat))
        if all(plain) and all(checked):
            return size, min(plain), min(checked)
    return None


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--corpus", type=pathlib.Path, default=TOP / "build/corpus/npbench")
    p.add_argument("--tool", type=pathlib.Path, default=TOP / "build/release/sdfg-run")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--only")
    p.add_argument("--out", type=pathlib.Path)
    a = p.parse_args()
    rows = {}
    for case in sorted(a.corpus.glob("*/case.json")):
        program = case.parent.name
        if a.only and program not in a.only.split(","):
            continue
        result = measure(a.tool, case.parent, a)
        if not result:
            print(f"{program:28} not measured", flush=True)
            continue
        size, plain, checked = result
        rows[program] = {"sizes": size, "plain": plain, "checked": checked, "ratio": checked / plain}
        print(f"{program:28} {size:5} {plain * 1e3:12.4f} ms {checked * 1e3:12.4f} ms {checked / plain:7.2f}", flush=True)
    mean = math.exp(sum(math.log(r["ratio"]) for r in rows.values()) / len(rows)) if rows else math.nan
    print(f"{len(rows)} programs, geometric mean {mean:.2f}")
    if a.out:
        a.out.write_text(json.dumps({"threads": a.threads, "mean": mean, "programs": rows}, indent=1) + "\n")
    sys.exit(0 if rows and mean <= 1.5 else 1)


main()
