"""What a GPU makes of our programs: correctness of the recorded cases in all forms first, then the speed of kernels and transfers, then
NPBench on the GPU and on the CPU. Stops starting things when its time is over and says what was left out. Fails if a result was wrong or
nothing could be run. Only Python's own library is needed, and no network."""
import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "bench"))
import machine  # noqa: E402

FORMS = ("prog", "prog.gpu", "prog.gpu-lib", "prog.gpu-plain", "prog.autoopt")
CHECKING = 0.5 # of the time, at most
# Program of examples, arguments, and those of a small run.
STREAMS = (("axpy", {"N": 100_000_000}, {"N": 1000}), ("jacobi_2d", {"N": 12_000, "T": 5}, {"N": 300, "T": 2}),
           ("heat_3d", {"N": 500, "T": 5}, {"N": 40, "T": 2}), ("gemm", {"N": 8192}, {"N": 64}), ("softmax", {"M": 10_000, "N": 10_000}, {"M": 30, "N": 30}))


class Clock:
    def __init__(self, minutes):
        self.end = time.monotonic() + 60 * minutes
        self.all = 60 * minutes

    def left(self):
        return self.end - time.monotonic()


def run(command, timeout):
    """(exit code, standard output, standard error); the code is None when the time is over."""
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=max(timeout, 1))
    except subprocess.TimeoutExpired:
        return None, "", f"more than {timeout:.0f} s"
    return done.returncode, done.stdout, done.stderr


def card():
    """Name, driver and clocks, as far as something tells."""
    tool = shutil.which("nvidia-smi")
    fields = "name,driver_version,clocks.sm,clocks.max.sm,clocks.mem,memory.total,power.limit"
    code, out, _ = run([tool, f"--query-gpu={fields}", "--format=csv,noheader"], 20) if tool else (None, "", "")
    if code == 0 and out.strip():
        values = [value.strip() for value in out.splitlines()[0].split(",")]
        return dict(zip(("card", "driver", "clock", "most", "memory clock", "memory", "power"), values))
    return {"card": "stand-in" if "standin" in os.environ.get("SDFG_CUDA", "") else "unknown"}


# ---- correctness ----

def check(options, clock):
    """{form: (passed, [what failed], left out)}"""
    found = {}
    limit = clock.left() - (1 - CHECKING) * clock.all
    end = time.monotonic() + limit

    def one(job):
        folder, form = job
        if time.monotonic() > end:
            return form, None, ""
        code, out, err = run([options.tool, f"--case={folder}", f"--sdfg={form}.sdfg", "--device=cuda"], options.timeout)
        words = (err or out).strip().splitlines()
        return form, code == 0, f"{folder.name}: {words[0] if words else 'no message'}"

    jobs = [(folder, form) for form in FORMS for folder in options.folders if (folder / f"{form}.sdfg").exists()]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for form, passed, text in pool.map(one, jobs):
            good, faults, left = found.get(form, (0, [], 0))
            found[form] = (good + (passed is True), faults + ([text] if passed is False else []), left + (passed is None))
    return found


# ---- speed ----

def measured(options, command, repeat, clock):
    """Kernel and transfer events of a program, and what --time=json says of the same calls; None with the reason if it fails."""
    report = options.work / "report.json"
    timed = command + ["--device=cuda", f"--repeat={repeat}", "--warmup=1", "--time=json", f"--report={report}"]
    code, _, err = run(timed, min(options.timeout, clock.left()))
    begin = err.find('{"started"')
    if code != 0 or begin < 0:
        return None, (err.strip().splitlines() or ["no message"])[0]
    times = json.JSONDecoder().raw_decode(err[begin:])[0]
    events = json.loads(report.read_text())["traceEvents"]
    runs = repeat + 1
    sums = {"times": times, "kernels": 0.0, "launches": 0.0, "transfers": 0.0, "bytes": 0.0}
    for event in events:
        if event["tid"]:
            continue
        kernel = event["name"].startswith(("Kernel ", "Library "))
        sums["kernels" if kernel else "transfers"] += event["dur"] * 1e-6 / runs
        sums["launches"] += kernel / runs
        sums["bytes"] += event["args"].get("bytes", 0) / runs
    return sums, ""


def work(options, command):
    """Operations and bytes of one call, None where they depend on data."""
    code, out, _ = run(command + ["--emit=work"], options.timeout)
    counted = json.loads(out) if code == 0 else {}
    return counted.get("flops"), counted.get("bytes")


def streams(options, clock):
    rows = []
    for name, large, small in STREAMS:
        if clock.left() < 0.3 * CHECKING * clock.all:
            rows.append((name, "left out"))
            continue
        command = [options.tool, TOP / "examples" / f"{name}.sdfg"] + [f"--{k}={v}" for k, v in (small if options.small else large).items()]
        found, why = measured(options, command, 3 if options.small else 10, clock)
        if not found:
            rows.append((name, why))
            continue
        flops, size = work(options, command)
        kernel, transfer = found["kernels"], found["transfers"]
        rows.append((name, " ".join(map(str, command[2:])), f"{found['launches']:.3g}", f"{1e3 * kernel:.4g}",
                     f"{size / kernel / 1e9:.4g}" if size and kernel else "", f"{flops / kernel / 1e9:.4g}" if flops and kernel else "",
                     f"{found['bytes'] / transfer / 1e9:.3g}" if transfer else "", f"{1e3 * found['times']['least']:.4g}"))
    return rows


def programs(options, clock):
    """Rows of NPBench, and the ratios of the times on the CPU and on the GPU."""
    rows, ratios = [], []
    for folder in options.folders:
        case, sizes = json.loads((folder / "case.json").read_text()), folder / "sizes.json"
        preset = json.loads(sizes.read_text())["presets"].get(options.preset, {}) if sizes.exists() else {}
        symbols = sorted(a["name"] for a in case["args"] if a["kind"] == "symbol")
        if clock.left() < 5 or not set(symbols) <= set(preset):
            rows.append((folder.name, "left out"))
            continue
        scalars = [f"--{a['name']}={a['in']}" for a in case["args"] if a["kind"] == "scalar" and not isinstance(a["in"], dict)]
        command = [options.tool, folder / "prog.sdfg"] + [f"--{name}={preset[name]}" for name in symbols] + scalars
        found, why = measured(options, command, 3, clock)
        if not found:
            rows.append((folder.name, why))
            continue
        code, _, err = run(command + ["--device=cpu", "--repeat=3", "--warmup=1", "--time=json"], min(options.timeout, clock.left()))
        begin = err.find('{"started"')
        cpu = json.JSONDecoder().raw_decode(err[begin:])[0]["least"] if code == 0 and begin >= 0 else None
        gpu = found["times"]["least"]
        if cpu:
            ratios.append(cpu / gpu)
        rows.append((folder.name, f"{1e3 * cpu:.4g}" if cpu else "", f"{1e3 * gpu:.4g}", f"{cpu / gpu:.3g}" if cpu else "", f"{found['launches']:.3g}",
                     f"{1e3 * found['kernels']:.4g}", f"{1e3 * found['transfers']:.4g}", f"{1e-6 * found['bytes']:.4g}"))
    return rows, ratios


# ---- the page ----

def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(map(str, row + ("",) * (len(head) - len(row)))) + " |" for row in rows] + [""]


def page(options, about, checked, streamed, rows, ratios):
    lines = [f"# {about['card']}", "", ", ".join(f"{key}: {value}" for key, value in about.items()), "",
             ", ".join(f"{key}: {value}" for key, value in machine.describe().items()), "", "## Results", ""]
    lines += table(("form", "right", "wrong", "left out"), [(form, good, len(faults), left) for form, (good, faults, left) in checked.items()])
    for form, (_, faults, _) in checked.items():
        lines += [f"* {form}: {fault}" for fault in faults]
    lines += ["", "## Kernels", "", "Of one call; bytes and operations as `--emit=work` counts them, time between events of the driver.", ""]
    lines += table(("program", "sizes", "launches", "kernels, ms", "GB/s", "Gflop/s", "bus, GB/s", "call, ms"), streamed)
    lines += ["## NPBench", "", f"Preset {options.preset}, arguments on the host; the least of three calls, with events of the driver between its parts.", ""]
    lines += table(("program", "CPU, ms", "GPU, ms", "ratio", "launches", "kernels, ms", "transfers, ms", "MB"), rows)
    if ratios:
        lines += [f"Geometric mean of {len(ratios)} ratios: {math.exp(sum(map(math.log, ratios)) / len(ratios)):.3g}", ""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=TOP / "build/release", help="folder with sdfg-run")
    parser.add_argument("--corpus", type=pathlib.Path, default=TOP / "build/corpus/npbench", help="recorded cases")
    parser.add_argument("--programs", default="", help="names, with ',' between them (all)")
    parser.add_argument("--preset", default="L", help="of NPBench: S, M, L or paper")
    parser.add_argument("--minutes", type=float, default=9)
    parser.add_argument("--timeout", type=float, default=60, help="seconds of one process")
    parser.add_argument("--jobs", type=int, default=min(8, os.cpu_count() or 1), help="processes while results are checked")
    parser.add_argument("--small", action="store_true", help="small runs of the examples: to try this script")
    parser.add_argument("--only", default="check,streams,programs", help="parts, with ',' between them")
    parser.add_argument("--output", type=pathlib.Path, help="the page (bench/results/gpu-CARD.md)")
    options = parser.parse_args()
    options.tool, clock, about = options.build / "sdfg-run", Clock(options.minutes), card()
    wanted = set(filter(None, options.programs.split(",")))
    options.folders = [p.parent for p in sorted(options.corpus.glob("*/case.json")) if not wanted or p.parent.name in wanted]
    name = re.sub(r"[^a-z0-9]+", "-", about["card"].lower()).strip("-")
    output = options.output or TOP / "bench/results" / f"gpu-{name}.md"
    options.work = options.build / "bench-gpu"
    options.work.mkdir(exist_ok=True)
    code, _, err = run([options.tool, TOP / "examples/axpy.sdfg", "--N=1000", "--device=cuda"], options.timeout)
    if code != 0 or not options.folders:
        print(err if code else f"no programs in {options.corpus}", end="" if code else "\n")
        return 1
    parts = options.only.split(",")
    checked = check(options, clock) if "check" in parts else {}
    streamed = streams(options, clock) if "streams" in parts else []
    rows, ratios = programs(options, clock) if "programs" in parts else ([], [])
    output.write_text(page(options, about, checked, streamed, rows, ratios))
    faults = sum(len(f) for _, f, _ in checked.values())
    print(f"{sum(good for good, _, _ in checked.values())} right, {faults} wrong; {len(ratios)} programs measured; {output}")
    return bool(faults)


sys.exit(main())
