#!/usr/bin/env python3
"""Time of SDFG.compile() for the NPBench programs of the corpus: DaCe by itself, and with sdfg.dropin at both levels, in one process and in
turns. Runs with a Python that has DaCe (tests/dace.sh makes one):

    build/release/dace/bin/python bench/dropin/measure.py [--only=gemm,adi] [--processor] [--json=FILE]

DaCe's build cache is warm: a program is built beforehand. Ours keeps nothing between programs. On a machine that does other things, --processor
takes the time of the processors, that of DaCe's compiler and linker included."""
import argparse
import json
import math
import os
import pathlib
import resource
import statistics
import sys
import tempfile
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "bench"), str(TOP / "python")]
os.environ.setdefault("SDFG_LIBRARY", str(TOP / "build/release/libsdfg.so"))
from machine import describe  # noqa: E402

import dace  # noqa: E402
import sdfg.dropin  # noqa: E402

LEVELS = ["build", "memory"]


def processor_time():
    return time.process_time() + sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


def compile_time(clock, file, name, folder):
    """Seconds of compile() alone."""
    graph = dace.SDFG.from_file(str(file))
    graph.name = name
    graph.build_folder = str(folder / name)
    began = clock()
    graph.compile()
    return clock() - began


def measure(clock, case, folder):
    name = case.name
    times = {"dace": compile_time(clock, case / "prog.sdfg", f"{name}_dace", folder)}
    for level in LEVELS:
        sdfg.dropin.install(level, fallback=False, cache_dir=None)
        try:
            times[level] = compile_time(clock, case / "prog.sdfg", f"{name}_{level}", folder)
        finally:
            sdfg.dropin.uninstall()
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=pathlib.Path, default=TOP / "build/corpus/npbench")
    parser.add_argument("--only", help="names of programs, separated by commas")
    parser.add_argument("--json", type=pathlib.Path, help="where to write the results")
    parser.add_argument("--processor", action="store_true", help="the time of the processors")
    a = parser.parse_args()
    clock = processor_time if a.processor else time.perf_counter
    rows, failed = {}, {}
    cases = [case.parent for case in sorted(a.corpus.resolve().glob("*/case.json")) if not a.only or case.parent.name in a.only.split(",")]
    a.json = a.json and a.json.resolve()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder) # DaCe leaves invalid graphs in the current folder
        measure(clock, cases[0], pathlib.Path(folder, "warm"))
        for case in cases:
            try:
                rows[case.name] = measure(clock, case, pathlib.Path(folder))
            except Exception as e: # DaCe does not build all of them
                failed[case.name] = str(e).strip().splitlines()[0]
                continue
            r = rows[case.name]
            print(f"{case.name:26} DaCe {r['dace']:7.3f} s " + "  ".join(
                f"{level} {1e3 * r[level]:6.1f} ms ({r['dace'] / r[level]:5.1f})" for level in LEVELS), flush=True)
    for name, why in failed.items():
        print(f"{name:26} {why}")
    for level in LEVELS:
        ratios = {name: r["dace"] / r[level] for name, r in rows.items()}
        mean = math.exp(statistics.fmean(map(math.log, ratios.values())))
        print(f"{level}: DaCe {dace.__version__} {statistics.median(r['dace'] for r in rows.values()):.2f} s, ours "
              f"{1e3 * statistics.median(r[level] for r in rows.values()):.0f} ms (medians), {len(ratios)} programs, geometric mean of ratios {mean:.1f}, "
              f"least {min(ratios.values()):.1f} ({min(ratios, key=ratios.get)})")
    if a.json:
        a.json.write_text(json.dumps({"machine": describe(), "dace": dace.__version__, "processor": a.processor, "seconds": rows, "failed": failed}, indent=1) + "\n")


main()
