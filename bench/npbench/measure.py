#!/usr/bin/env python3
"""Run times of the NPBench programs of the corpus against DaCe's builds (build.py), NumPy and Numba:

    bench/npbench/setup.sh /some/env
    /some/env/bin/python bench/npbench/build.py --out /some/builds
    /some/env/bin/python bench/npbench/measure.py --npbench /some/npbench --dace /some/builds

--npbench is a checkout of NPBench: inputs, and the versions for NumPy and Numba, are its own. Each other version runs in
a process together with ours, in turns; ratios are of the medians in that process (above 1: ours is faster)."""
import argparse
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "bench"))
from machine import describe  # noqa: E402

SHORT = 0.020  # seconds: programs that take less at preset M are measured at L
NUMBA = ["numba_n", "numba_np", "numba_npr"]


def group(a, program, preset, threads, versions, realtime):
    """{version: median seconds} with ours, and the largest difference of each; or the reason why there is none."""
    command = [sys.executable, "-W", "ignore", str(TOP / "bench/npbench/worker.py"), *versions,
               f"--library={a.library}", f"--case={a.corpus / program}", f"--npbench={a.npbench}", f"--dace={a.dace}",
               f"--built={a.built}", f"--preset={preset}", f"--threads={threads if threads == 1 else 0}", f"--seconds={a.seconds}",
               f"--sdfg={a.sdfg}", f"--fp={a.fp}"]
    count = str(threads)
    environment = {**os.environ, "OMP_NUM_THREADS": count, "OPENBLAS_NUM_THREADS": count, "NUMBA_NUM_THREADS": count,
                   "OMP_WAIT_POLICY": "passive"}
    if threads == 1:
        environment["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
    command += (["--realtime"] if realtime else []) + (["--perturb"] if a.perturb else [])
    # XLA's threads obey no setting: products run on all processors that the process may use.
    bind = (lambda: os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})) if threads == 1 else None
    try:
        done = subprocess.run(command, env=environment, capture_output=True,
                              text=True, timeout=a.timeout, preexec_fn=bind)
    except subprocess.TimeoutExpired:
        return None, f"more than {a.timeout:g} s"
    if done.returncode:
        return None, (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
    found = json.loads(done.stdout.strip().splitlines()[-1])
    return {name: {"median": statistics.median(times), "least": min(times), "runs": len(times),
                   "error": found["error"].get(name)} for name, times in found["times"].items()}, None


def versions_of(a, program, kinds):
    """[kind, versions] of all that exist."""
    for kind in kinds:
        if kind in ("autoopt", "plain"):
            if (a.dace / program / kind / "call.json").exists():
                yield kind, [kind]
        elif kind in ("numpy", "docc"):
            yield kind, [kind]
        else:
            info = json.loads((a.npbench / f"bench_info/{program}.json").read_text())["benchmark"]
            stem = a.npbench / "npbench/benchmarks" / info["relative_path"] / info["module_name"]
            for one in NUMBA if kind == "numba" else [kind]:
                if pathlib.Path(f"{stem}_{one}.py").exists():
                    yield one, [one]


def measure(a, program, threads, kinds):
    row = {"preset": "M", "versions": {}, "failed": {}}
    first, why = group(a, program, "M", threads, [], a.realtime)
    if not first:
        return {**row, "failed": {"ours": why}}
    for kind, versions in versions_of(a, program, kinds):
        times, why = group(a, program, row["preset"], threads, versions, a.realtime)
        if times and kind == kinds[0] and row["preset"] == "M" and times[kind]["median"] < SHORT and not a.only_m:
            longer, _ = group(a, program, "L", threads, versions, a.realtime)
            if longer:
                row["preset"], times = "L", longer
        if not times:
            row["failed"][kind] = why
            continue
        row["ours"] = min(times["ours"]["median"], row.get("ours", math.inf))
        row["versions"][kind] = {**times[kind], "ours": times["ours"]["median"], "ours_least": times["ours"]["least"],
                                 "ratio": times[kind]["median"] / times["ours"]["median"],
                                 "ratio_least": times[kind]["least"] / times["ours"]["least"]}
    return row


def best_numba(row):
    found = [v for name, v in row["versions"].items() if name.startswith("numba")]
    return min(found, key=lambda v: v["median"]) if found else None


def cell(version):
    if not version:
        return f"{'-':>10}{'-':>8}"
    wrong = "!" if version["error"] is not None and version["error"] > 1e-4 else ""
    return f"{1e3 * version['median']:10.3f}{version['ratio']:7.2f}{wrong or ' '}"


def print_table(rows, threads, kinds):
    shown = [k for k in kinds if k != "numba"] + (["numba"] if "numba" in kinds else [])
    print(f"\n{threads} thread{'s' if threads > 1 else ''}: ms (median) and ratio to ours; !: results differ")
    print(f"{'':26}{'':>3}{'ours':>10}" + "".join(f"{kind:>10}{'x':>7} " for kind in shown))
    for program, row in sorted(rows.items()):
        ours = f"{1e3 * row['ours']:10.3f}" if "ours" in row else f"{'-':>10}"
        line = "".join(cell(best_numba(row) if kind == "numba" else row["versions"].get(kind)) for kind in shown)
        print(f"{program:26}{row['preset']:>3}{ours}{line}" + "".join(f"  [{k}: {w}]" for k, w in row["failed"].items()))
    for kind in shown:
        ratios = {p: (best_numba(r) if kind == "numba" else r["versions"].get(kind)) for p, r in rows.items()}
        ratios = {p: v["ratio"] for p, v in ratios.items() if v}
        if ratios:
            mean = math.exp(statistics.fmean(math.log(r) for r in ratios.values()))
            slower = sorted((p for p in ratios if ratios[p] < 0.95), key=ratios.get)
            print(f"{kind}: {len(ratios)} programs, geometric mean {mean:.2f}, {sum(r > 1.5 for r in ratios.values())} above "
                  f"1.5, {len(slower)} below 0.95: " + ", ".join(f"{p} {ratios[p]:.2f}" for p in slower))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--npbench", type=pathlib.Path, required=True)
    parser.add_argument("--dace", type=pathlib.Path, help="folder of build.py")
    parser.add_argument("--built", type=pathlib.Path, default=pathlib.Path("built"), help="folder for Pythran's modules")
    parser.add_argument("--library", type=pathlib.Path, default=TOP / "build/release/libsdfg.so")
    parser.add_argument("--corpus", type=pathlib.Path, default=TOP / "build/corpus/npbench")
    parser.add_argument("--sdfg", default="prog.sdfg", help="the file that ours runs")
    parser.add_argument("--threads", default="2,1")
    parser.add_argument("--versions", default="autoopt,plain,numpy", help="of autoopt, plain, numpy, numba, jax, pythran, docc; the first "
                        "decides the preset")
    parser.add_argument("--fp", default="default", help="arithmetic of ours: default, strict or fast, as peers have that use reciprocals (XLA)")
    parser.add_argument("--only", help="names of programs, separated by commas")
    parser.add_argument("--only-m", action="store_true", help="preset M for all")
    parser.add_argument("--seconds", type=float, default=2, help="per pair of versions")
    parser.add_argument("--timeout", type=float, default=60, help="seconds per pair of versions")
    parser.add_argument("--perturb", action="store_true", help="change NPBench's inputs a little at random")
    parser.add_argument("--realtime", action="store_true", help="measure with real-time priority, on busy machines")
    parser.add_argument("--json", type=pathlib.Path, help="where to write the results")
    a = parser.parse_args()
    a.npbench, a.library, a.built = a.npbench.resolve(), a.library.resolve(), a.built.resolve()
    a.dace = a.dace and a.dace.resolve()
    if not a.dace and {"autoopt", "plain"} & set(a.versions.split(",")):
        parser.error("autoopt and plain need --dace")
    record = {"machine": describe(), "realtime": a.realtime, "threads": {}}
    kinds = a.versions.split(",")
    for threads in map(int, a.threads.split(",")):
        rows = record["threads"][threads] = {}
        for case in sorted(a.corpus.glob("*/case.json")):
            program = case.parent.name
            if not a.only or program in a.only.split(","):
                rows[program] = measure(a, program, threads, kinds)
                print(threads, program, {k: round(v["ratio"], 2) for k, v in rows[program]["versions"].items()},
                      rows[program]["failed"], file=sys.stderr, flush=True)
        print_table(rows, threads, kinds)
    if a.json:
        a.json.write_text(json.dumps(record, indent=1) + "\n")


main()
