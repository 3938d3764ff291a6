"""All of bench/python as one page: report.py FILE [--rounds=N] [--realtime]. Runs start.py, calls.py and memory.py with the Python that runs this,
whose packages (Numba, JAX, DaCe) are measured beside sdfg. --realtime: with real-time priority, on busy machines. Run with PYTHONPATH=python."""
import argparse
import importlib.metadata
import os
import pathlib
import platform
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
BARS = ("Bars: `import sdfg` at most 30 ms above `import numpy`; decorating 20 us; the first call of axpy in a fresh process 40 ms with an empty cache and 3 ms with a filled "
        "one; a call 3 us above the bound call; memory flat (at most 1 KiB for each call, redefinition or object).")
ROWS = {"start.py": "Starts: medians over several processes. `first ms`: the first call with an empty cache, `warm ms`: with a filled one; `call us`: a later call",
        "calls.py": "Calls, above the bound call: the best of several rounds", "memory.py": "What stays in memory"}


def measured(script, options, realtime):
    scheduler = {"preexec_fn": lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))} if realtime else {}
    done = subprocess.run([sys.executable, str(HERE / script), *options], stdout=subprocess.PIPE, text=True, **scheduler)
    print(done.stdout, flush=True)
    return done.stdout, done.returncode


def versions():
    found = [f"CPython {platform.python_version()}"]
    for name in "numpy", "numba", "jax", "dace":
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            pass
    return ", ".join(found)


def processor():
    with open("/proc/cpuinfo", encoding="ascii") as file:
        return next((line.split(":")[1].strip() for line in file if line.startswith("model name")), platform.machine())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--realtime", action="store_true")
    a = parser.parse_args()
    found = {script: measured(script, [f"--rounds={a.rounds}"] if script == "start.py" else [], a.realtime) for script in ROWS}
    with open(a.file, "w", encoding="utf-8") as file:
        file.write(f"# Python programs: starts, calls and memory\n\nWritten by `bench/python/report.py FILE --rounds={a.rounds}{' --realtime' if a.realtime else ''}` on a machine "
                   f"with {os.cpu_count()} processors ({processor()}); {versions()}.\n\n{BARS}\n")
        for script, title in ROWS.items():
            file.write(f"\n## {title} (`{script}`)\n\n```\n{found[script][0].rstrip()}\n```\n")
    sys.exit(max(code for _, code in found.values()))


if __name__ == "__main__":
    main()
