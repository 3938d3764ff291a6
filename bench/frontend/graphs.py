#!/usr/bin/env python3
"""NPBench's programs from source against the graphs that DaCe made of them, run time and compile time:

    bench/frontend/graphs.py --npbench=CHECKOUT [--build=build/release] [--corpus=build/corpus/npbench] [--seconds=S] [--realtime] [--table=FILE]
                             [PROGRAM...]

Both run in one process in turns, with the same inputs (bench/npbench/worker.py; preset M, S where M takes too long). Ratios are the graph's
time by the source's, of the medians of all calls: above 1 the source is faster. Compile times are those of loading and compiling in
`sdfg-run --no-cache` for the recorded case, the median of five processes each, in turns. --realtime: with real-time priority, on busy machines; --table:
as Markdown, too. The bars: geometric mean of run times at least 1, none below 0.95; compile time not above. Needs NumPy and SciPy."""
import argparse
import json
import math
import os
import pathlib
import platform
import statistics
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]


def run_times(a, program, preset):
    """Seconds of a call {"ours": of DaCe's graph, "source"}, or why there are none."""
    command = [sys.executable, "-W", "ignore", str(TOP / "bench/npbench/worker.py"), "source", f"--library={a.build / 'libsdfg.so'}",
               f"--case={a.corpus / program}", f"--npbench={a.npbench}", f"--preset={preset}", "--threads=1", f"--seconds={a.seconds}"] + (["--realtime"] if a.realtime else [])
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=a.timeout, env={**os.environ, "OMP_NUM_THREADS": "1"})
    except subprocess.TimeoutExpired:
        return None, f"more than {a.timeout:g} s"
    if done.returncode:
        return None, (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
    found = json.loads(done.stdout.strip().splitlines()[-1])
    if found["error"]["source"] is None or found["error"]["source"] > 1e-3:
        return None, f"results differ by {found['error']['source']}"
    return {name: statistics.median(times) for name, times in found["times"].items()}, None


def arguments_of(folder):
    """The options that give the recorded case to sdfg-run."""
    options = []
    for arg in json.loads((folder / "case.json").read_text())["args"]:
        value = arg.get("in")
        if value is not None:
            options.append(f"--set={arg['name']}=" + (f"@{folder / value}" if isinstance(value, str) else str(value)))
    return options


def compiled(a, program, files):
    """Of each file the milliseconds for loading and compiling, and bytes of code."""
    options, times, sizes = arguments_of(a.corpus / program), {f: [] for f in files}, {f: 0 for f in files}
    scheduler = {"preexec_fn": lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))} if a.realtime else {}
    for _ in range(a.repeat):
        for f in files:
            done = subprocess.run([a.build / "sdfg-run", f, *options, "--no-cache", "--time=json", "--threads=1", "--warn=none"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **scheduler)
            line = next((line for line in reversed(done.stderr.splitlines()) if line.startswith("{")), None)
            if not line:
                sys.exit(f"{f}: {done.stderr}")
            found = json.loads(line)
            times[f].append(1e3 * (found["load"] + found["compile"]))
            sizes[f] = found["code_bytes"]
    return [(statistics.median(times[f]), sizes[f]) for f in files]


def source_of(a, program):
    info = json.loads((a.npbench / f"bench_info/{program}.json").read_text())["benchmark"]
    return f"{a.npbench / 'npbench/benchmarks' / info['relative_path'] / info['module_name']}_dace.py:{info['func_name']}"


def mean(ratios):
    return math.exp(sum(math.log(r) for r in ratios) / len(ratios))


def summary(ratios):
    """A line for run time, compile time and code size each."""
    for what, found in ratios.items():
        below = sorted((r, n) for n, r in found.items() if r < 0.95)
        yield (f"{what}: geometric mean {mean(found.values()):.3f} over {len(found)}; below 0.95: "
               + (", ".join(f"{n} {r:.2f}" for r, n in below) or "none"))


def processor():
    with open("/proc/cpuinfo", encoding="ascii") as file:
        return next((line.split(":")[1].strip() for line in file if line.startswith("model name")), platform.machine())


def write_table(a, rows, ratios):
    with open(a.table, "w", encoding="utf-8") as file:
        file.write("# NPBench's programs from source against the graphs that DaCe made of them\n\n"
                   f"Written by `bench/frontend/graphs.py --npbench=CHECKOUT --seconds={a.seconds:g}{' --realtime' if a.realtime else ''} --table=FILE` on a machine with "
                   f"{os.cpu_count()} processors ({processor()}), one thread. Times are medians, first of DaCe's graph, then from source, in one process\nin turns; ratios "
                   "are the graph's by the source's: above 1 the source is faster.\nPrograms with as many bytes of code are the same ones in most cases: their ratios "
                   "show the spread of the machine.\n\n")
        file.writelines(f"- {line}\n" for line in summary(ratios))
        file.write("\n| program | size | run, ms | ratio | load and compile, ms | ratio | code, bytes | ratio |\n|---|---|---|---|---|---|---|---|\n")
        for program, preset, *pairs in rows:
            cells = [f"{x:.{digits}f} / {y:.{digits}f} | {x / y:.2f}" for (x, y), digits in zip(pairs, (3, 1, 0))]
            file.write(f"| {program} | {preset} | {' | '.join(cells)} |\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*")
    parser.add_argument("--npbench", type=pathlib.Path, required=True)
    parser.add_argument("--build", type=pathlib.Path, default=TOP / "build/release")
    parser.add_argument("--corpus", type=pathlib.Path, default=TOP / "build/corpus/npbench")
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--realtime", action="store_true")
    parser.add_argument("--table", type=pathlib.Path)
    a = parser.parse_args()
    a.npbench, a.build, a.corpus = a.npbench.resolve(), a.build.resolve(), a.corpus.resolve()
    names = a.programs or sorted(p.name for p in a.corpus.iterdir() if (p / "case.json").exists())
    ratios, table, failed = {"run time": {}, "compile time": {}, "code size": {}}, [], 0
    for program in names:
        preset = "M"
        times, why = run_times(a, program, preset)
        if not times:
            preset = "S"
            times, why = run_times(a, program, preset)
        if not times:
            print(f"{program:28} {why}", flush=True)
            failed += 1
            continue
        graph, source = compiled(a, program, (str(a.corpus / program / "prog.sdfg"), source_of(a, program)))
        rows = (times["ours"] * 1e3, times["source"] * 1e3), (graph[0], source[0]), (graph[1], source[1])
        table.append((program, preset, *rows))
        for what, row in zip(ratios, rows):
            ratios[what][program] = row[0] / row[1]
        print(f"{program:28} run {rows[0][0]:9.3f} / {rows[0][1]:9.3f} ms {rows[0][0] / rows[0][1]:6.2f}   compile {graph[0]:7.1f} / "
              f"{source[0]:7.1f} ms {graph[0] / source[0]:6.2f}   code {graph[1]:7} / {source[1]:7} bytes {graph[1] / source[1]:6.2f}", flush=True)
    for line in summary(ratios):
        print(line)
    if a.table:
        write_table(a, table, ratios)
    sys.exit(failed > 0)


main()
