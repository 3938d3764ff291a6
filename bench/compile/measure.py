#!/usr/bin/env python3
"""Time from process start to the first result, phase by phase, for every NPBench program of the corpus (or, where there
is no corpus, for the examples). See bench/README.md."""
import argparse
import json
import os
import pathlib
import statistics
import sys
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "bench"))
from machine import describe  # noqa: E402

EXAMPLES = {
    "axpy": ["--N=1000"], "gemm": ["--N=32"], "gemm_maps": ["--N=32"], "jacobi_2d": ["--N=32", "--T=4"],
    "histogram": ["--H=32", "--W=48"], "nested": ["--N=32", "--M=24"], "while_loop": ["--n=27"],
}
# What the columns of the report are made of: phases of sdfg-run, which names passes as engine/compile/pipeline.c does.
NOT_OURS = {"open", "target", "llvm", "link", "llvm.optimize", "llvm.emit"}
GRAPH = {"read", "validate", "infer-types"}
COLUMNS = ["total", "start", "load", "graph", "lower", "emit", "open", "target", "optimize", "codegen", "link", "run",
           "other", "share", "rss", "arena", "code"]
UNITS = {"share": "%", "rss": "MB", "arena": "kB", "code": "kB"}


def arguments_of(folder, preset):
    """The options that give a recorded case to sdfg-run; with a preset, its sizes and no arrays."""
    options = []
    sizes = json.loads((folder / "sizes.json").read_text())["presets"][preset] if preset else {}
    for arg in json.loads((folder / "case.json").read_text())["args"]:
        value = sizes.get(arg["name"], arg.get("in"))
        if value is None or preset and isinstance(value, str):
            continue
        if isinstance(value, str):
            value = "@" + str(folder / value)
        elif isinstance(value, list):
            value = ",".join(str(part) for part in value)
        options.append(f"--set={arg['name']}={value}")
    return options


def programs(corpus, sdfg, preset, only):
    found = {}
    for folder in sorted(corpus.glob("*/")) if corpus.is_dir() else []:
        if (folder / sdfg).exists() and (folder / "case.json").exists():
            found[folder.name] = [str(folder / sdfg)] + arguments_of(folder, preset)
    if not found:
        found = {name: [str(TOP / f"examples/{name}.sdfg")] + more for name, more in EXAMPLES.items()}
    found["axpy (example)"] = [str(TOP / "examples/axpy.sdfg"), "--N=1000"]
    return {name: line for name, line in found.items() if not only or name in only}


def run_once(command, realtime):
    """Milliseconds per column, or the reason why there are none."""
    read, write = os.pipe()
    actions = [(os.POSIX_SPAWN_DUP2, write, 2), (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
               (os.POSIX_SPAWN_CLOSE, read)]
    more = {"scheduler": (os.SCHED_FIFO, os.sched_param(10))} if realtime else {}
    begin = time.clock_gettime(time.CLOCK_MONOTONIC)
    child = os.posix_spawn(command[0], command, os.environ, file_actions=actions, **more)
    os.close(write)
    with os.fdopen(read, errors="replace") as pipe:
        text = pipe.read()
    _, status, usage = os.wait4(child, 0)
    line = next((line for line in reversed(text.splitlines()) if line.startswith("{")), None)
    if status or not line:
        return None, (text.strip().splitlines() or [f"status {status}"])[0]
    times = json.loads(line)
    phases = times["phases"]
    ms = {
        "total": times["first_result"] - begin,
        "start": times["started"] - begin,
        "load": times["load"],
        "graph": sum(s for name, s in phases.items() if name in GRAPH),
        "lower": sum(s for name, s in phases.items() if name not in GRAPH | NOT_OURS | {"emit"}),
        "emit": phases["emit"],
        "open": phases["open"],
        "target": phases["target"],
        "optimize": phases["llvm.optimize"],
        "codegen": phases["llvm.emit"],
        "link": phases["link"],
        "run": times["first_run"],
    }
    known = sum(ms[c] for c in COLUMNS[1:12]) + phases["llvm"] - ms["optimize"] - ms["codegen"]
    ms["other"] = ms["total"] - known
    ms = {column: 1e3 * seconds for column, seconds in ms.items()}
    ms["share"] = 100 * (ms["load"] + ms["graph"] + ms["lower"] + ms["emit"]) / (ms["optimize"] + ms["codegen"])
    ms["rss"] = usage.ru_maxrss / 1024
    ms["arena"] = times["compiler_bytes"] / 1024
    ms["code"] = times["code_bytes"] / 1024
    ms["least"] = 1e3 * times["least"]
    ms["cpu"] = 1e3 * (usage.ru_utime + usage.ru_stime)
    for name, seconds in phases.items():
        ms["phase " + name] = 1e3 * seconds
    for name, seconds in times.get("budgets", {}).items():
        ms["budget " + name] = 1e3 * seconds
    return ms, None


def measure(builds, lines, repeat, realtime, options):
    """{build: {program: {column: median}}}; all builds and programs take turns, so that noise meets all alike."""
    samples = {b: {p: [] for p in lines} for b in builds}
    failed = {}
    for _ in range(repeat):
        for program, line in lines.items():
            for b in builds:
                result, why = run_once([b] + line + options + ["--no-cache", "--time=json"], realtime)
                if result:
                    samples[b][program].append(result)
                else:
                    failed[program] = why
    medians = {b: {p: {c: statistics.median(s[c] for s in runs) for c in runs[0]} for p, runs in per.items() if runs}
               for b, per in samples.items()}
    return medians, failed


def print_rows(rows):
    def row(name, values):
        print(f"{name:26}" + "".join(f"{v:>9}" for v in values))
    row("", [f"{c}" + (f",{UNITS[c]}" if c in UNITS else "") for c in COLUMNS])
    for program, values in sorted(rows.items(), key=lambda item: item[1]["total"]):
        row(program, [f"{values[c]:.2f}" if values[c] < 100 else f"{values[c]:.0f}" for c in COLUMNS])
    for name, pick in ("median", statistics.median), ("worst", max):
        row(name, [f"{pick(v[c] for v in rows.values()):.2f}" for c in COLUMNS])


def print_passes(rows):
    """Our own passes, as percent of everything before LLVM."""
    names = [n for n in next(iter(rows.values())) if n.startswith("phase ")]
    print("\npass, ms: median and largest")
    for name in names:
        values = [v.get(name, 0) for v in rows.values()]
        worst = max(rows, key=lambda p: rows[p].get(name, 0))
        print(f"  {name[6:]:16}{statistics.median(values):9.3f}{max(values):9.2f}  {worst}")


def print_slow(rows):
    """Passes beyond their budgets (engine/compile/compile_run.c)."""
    used = sorted(((v["phase " + c[7:]] / v[c], c[7:], p) for p, v in rows.items() for c in v if c.startswith("budget ")), reverse=True)
    slow = [f"{name} in {p} ({100 * part:.0f} %)" for part, name, p in used if part > 1]
    print("\nslow passes: " + (", ".join(slow) or "none") + f"; most of its budget is used by {used[0][1]} in {used[0][2]}, {100 * used[0][0]:.0f} %")


def print_summary(rows):
    ms = [v["total"] for v in rows.values()]
    ours = [sum(v[c] for c in ("load", "graph", "lower", "emit")) for v in rows.values()]
    llvm = [v["optimize"] + v["codegen"] for v in rows.values()]
    worst = max(rows, key=lambda p: rows[p]["total"])
    print(f"\n{len(rows)} programs, process start to first result: median {statistics.median(ms):.1f} ms, "
          f"worst {max(ms):.1f} ms ({worst})")
    print(f"before LLVM (load to module) {sum(ours):.1f} ms, LLVM optimizing and emitting {sum(llvm):.1f} ms: "
          f"{100 * sum(ours) / sum(llvm):.1f} %; median share {statistics.median(v['share'] for v in rows.values()):.1f} %")


def compare(medians):
    """The first build against the others: ratios of the total time and of LLVM's."""
    first, *others = medians
    for other in others:
        print(f"\n{other} / {first}")
        common = [p for p in medians[first] if p in medians[other]]
        for c in "total", "cpu", "optimize", "codegen", "emit", "code", "least":
            ratios = {p: medians[other][p][c] / medians[first][p][c] for p in common if medians[first][p][c]}
            least, most = min(ratios, key=ratios.get), max(ratios, key=ratios.get)
            all_ = sum(medians[other][p][c] for p in common) / sum(medians[first][p][c] for p in common)
            print(f"  {c:9} median {statistics.median(ratios.values()):.3f}  sum {all_:.3f}  "
                  f"least {ratios[least]:.3f} ({least})  most {ratios[most]:.3f} ({most})")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("builds", nargs="*", help="sdfg-run programs; several are compared (build/release/sdfg-run)")
    parser.add_argument("--corpus", type=pathlib.Path, default=TOP / "build/corpus/npbench")
    parser.add_argument("--sdfg", default="prog.sdfg", help="program file in each folder")
    parser.add_argument("--preset", help="sizes of NPBench (S, M, L, paper) instead of the recorded case")
    parser.add_argument("--only", help="names of programs, separated by commas")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--realtime", action="store_true", help="measure with real-time priority, on busy machines")
    parser.add_argument("--option", action="append", default=[], help="for sdfg-run, as in --option=--opt=3")
    parser.add_argument("--json", type=pathlib.Path, help="where to write the medians")
    a = parser.parse_args()
    builds = a.builds or [str(TOP / "build/release/sdfg-run")]
    lines = programs(a.corpus, a.sdfg, a.preset, a.only.split(",") if a.only else None)
    medians, failed = measure(builds, lines, a.repeat, a.realtime, a.option)
    for program, why in failed.items():
        print(f"{program}: {why}")
    if not medians[builds[0]]:
        sys.exit("nothing was measured")
    print_rows(medians[builds[0]])
    print_passes(medians[builds[0]])
    print_slow(medians[builds[0]])
    print_summary(medians[builds[0]])
    compare(medians)
    if a.json:
        record = {"machine": describe(), "repeat": a.repeat, "realtime": a.realtime, "options": a.option,
                  "sdfg": a.sdfg, "preset": a.preset, "failed": failed,
                  "programs": {p: {c: round(v, 3) for c, v in sorted(values.items()) if not c.startswith("budget ")}
                               for p, values in medians[builds[0]].items()}}
        a.json.write_text(json.dumps(record, indent=1) + "\n")


main()
