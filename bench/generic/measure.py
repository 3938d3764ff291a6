#!/usr/bin/env python3
"""What it costs not to know sizes: the NPBench programs of the corpus compiled for all sizes (--specialize=none) against
code for the sizes at hand (--specialize=all), preset M, in turns.

    bench/generic/measure.py [--part=K/N] [--only=NAMES] [--threads=N] [--rounds=N] [--cpu] [--out=STEM]

A process runs a program several times, and its fastest run counts; times are medians of the processes. Ratios are generic by
specialized: 1 is the aim. STEM.json and STEM.md keep what they have of programs that are not measured again, so that the table can be
made in parts. On a machine that others use, --cpu counts the time that the processor worked for one thread."""
import argparse
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "bench"))
from machine import describe  # noqa: E402
from programs import WANTED, command_for, timed  # noqa: E402

KINDS = {"specialized": "all", "generic": "none"}


def measure(a, folder):
    """{kind: seconds}, or None."""
    command = command_for(a.tool, folder, "M", a.threads, WANTED.get(folder.name, {}))
    if not command:
        return None
    found = {kind: [] for kind in KINDS}
    repeat = {}
    for turn in range(a.rounds):
        for kind in sorted(KINDS, reverse=turn % 2):
            one = [*command, f"--specialize={KINDS[kind]}", "--no-cache"]
            if kind not in repeat:
                first = timed(one, "--repeat=2")
                if not first:
                    return None
                repeat[kind] = max(2, min(2000, int(a.seconds / max(first["least"], 1e-7))))
            run = timed(one, f"--repeat={repeat[kind]}", "--warmup=1")
            if not run:
                return None
            found[kind].append(run["least"])
    return {kind: statistics.median(times) for kind, times in found.items()}


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def table(record):
    rows = {name: (r["generic"], r["specialized"], r["generic"] / r["specialized"]) for name, r in record["programs"].items()}
    ratios = [r[2] for r in rows.values()]
    m = record["machine"]
    text = [f"Code for all sizes against code for the sizes at hand: {len(rows)} NPBench programs, preset M, {record['threads']} thread.",
            f"{m['processor']}, `bench/generic/measure.py{' --cpu' if record.get('cpu') else ''}`.", "",
            f"Geometric mean {mean(ratios):.3f}, largest {max(ratios):.2f}, {sum(r > 1.25 for r in ratios)} above 1.25, "
            f"{sum(r < 0.95 for r in ratios)} below 0.95 (specialized code is slower).", "",
            "| program | generic, ms | specialized, ms | ratio |", "|---|---|---|---|"]
    for name, (generic, special, ratio) in sorted(rows.items(), key=lambda r: -r[1][2]):
        text.append(f"| {name} | {generic * 1e3:.3f} | {special * 1e3:.3f} | {ratio:.2f} |")
    return "\n".join(text) + "\n"


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--tool", type=pathlib.Path, default=TOP / "build/release/sdfg-run")
    p.add_argument("--corpus", type=pathlib.Path, default=TOP / "build/corpus/npbench")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--rounds", type=int, default=3, help="processes of each kind (3)")
    p.add_argument("--seconds", type=float, default=0.2, help="length of the runs of a process (0.2)")
    p.add_argument("--cpu", action="store_true", help="time that the processor worked, not that passed; one thread")
    p.add_argument("--only", help="names of programs, separated by commas")
    p.add_argument("--part", default="1/1", help="K/N: each N-th program, from the K-th on")
    p.add_argument("--out", type=pathlib.Path, help="without suffix; none: only what is printed")
    a = p.parse_args()
    first, step = map(int, a.part.split("/"))
    cases = [c for c in sorted(a.corpus.glob("*/case.json")) if not a.only or c.parent.name in a.only.split(",")]
    record = {"programs": {}}
    if a.out and a.out.with_suffix(".json").exists():
        record = json.loads(a.out.with_suffix(".json").read_text())
    record.update(machine=describe(), threads=a.threads, cpu=a.cpu)
    if a.cpu and a.threads != 1:
        p.error("--cpu is for one thread")
    with tempfile.TemporaryDirectory() as folder:
        if a.cpu:
            clock = pathlib.Path(folder) / "clock.so"
            subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", clock, pathlib.Path(__file__).with_name("cpu_clock.c")], check=True)
            os.environ["LD_PRELOAD"] = str(clock)
        measure_all(a, record, cases[first - 1::step])


def measure_all(a, record, cases):
    for case in cases:
        row = measure(a, case.parent)
        if not row:
            print(f"{case.parent.name:28} not measured", flush=True)
            continue
        record["programs"][case.parent.name] = row
        print(f"{case.parent.name:28} {row['generic'] * 1e3:12.4f} {row['specialized'] * 1e3:12.4f} "
              f"{row['generic'] / row['specialized']:8.3f}", flush=True)
        if a.out:
            a.out.with_suffix(".json").write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")
            a.out.with_suffix(".md").write_text(table(record))


os.environ["OMP_WAIT_POLICY"] = "passive"
main()
