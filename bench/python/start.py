"""What starting costs: import, decorating, the first call of axpy in a fresh process with an empty and with a filled cache; milliseconds, median of
several processes. Numba (lazy and cached), JAX and DaCe beside it where they can be imported. start.py [--rounds=N]; run with PYTHONPATH=python."""
import argparse
import importlib.util
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

BODY = """
def axpy(a, X, Y):
    Y += a * X
"""
CALL = "import numpy\nX, Y = numpy.ones(1000), numpy.ones(1000)\n"
CLOCK = "import time\nstart = time.perf_counter()\n"
PROGRAMS = {
    "numpy": ("import numpy", "", "axpy(2.0, X, Y)"),
    "sdfg": ("import numpy, sdfg", "axpy = sdfg.program(axpy)", "axpy(2.0, X, Y)"),
    "numba": ("import numba", "axpy = numba.njit(axpy)", "axpy(2.0, X, Y)"),
    "numba, cached": ("import numba", "axpy = numba.njit(axpy, cache=True)", "axpy(2.0, X, Y)"),
    "jax": ("import jax", "axpy = jax.jit(lambda a, X, Y: Y + a * X)", "axpy(2.0, X, Y).block_until_ready()"),
    "dace": ("import dace", "N = dace.symbol('N')\naxpy.__annotations__ = {'a': dace.float64, 'X': dace.float64[N], 'Y': dace.float64[N]}\n"
             "axpy = dace.program(axpy)", "axpy(2.0, X, Y)"),
}


def script(folder, name):
    """A file that prints the times of the import, of decorating, of the first call, and of one of the next, in milliseconds."""
    imports, decorate, call = PROGRAMS[name]
    path = os.path.join(folder, name.replace(", ", "_") + "_program.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{CLOCK}{imports}\nimported = time.perf_counter()\n{BODY}\n{decorate}\ndecorated = time.perf_counter()\n{CALL}"
                   f"before = time.perf_counter()\n{call}\nfirst = time.perf_counter()\n"
                   f"for _ in range(2000):\n    {call}\nlast = time.perf_counter()\n"
                   "print(*(1e3 * t for t in (imported - start, decorated - imported, first - before, (last - first) / 2000)))\n"
                   "time.sleep(0.3) # what is stored in the background\n")
    return path


def processes(folder):
    """The environment of the processes: they run in the folder, so that relative entries of PYTHONPATH are made absolute, and they may
    store bytecode, without which each import would compile the modules again."""
    environment = dict(os.environ, XDG_CACHE_HOME=os.path.join(folder, "cache"))
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    if environment.get("PYTHONPATH"):
        environment["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, environment["PYTHONPATH"].split(os.pathsep)))
    return environment


def times(path, folder, rounds):
    environment = processes(folder)
    rows = []
    for _ in range(rounds):
        done = subprocess.run([sys.executable, path], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, check=True)
        rows.append([float(word) for word in done.stdout.split()[-4:]])
    return [statistics.median(column) for column in zip(*rows)]


def cold(name, rounds):
    """Each process with a folder of its own."""
    rows = []
    for _ in range(rounds):
        folder = tempfile.mkdtemp()
        try:
            rows.append(times(script(folder, name), folder, 1))
        finally:
            shutil.rmtree(folder)
    return [statistics.median(column) for column in zip(*rows)]


def warm(name, rounds):
    folder = tempfile.mkdtemp()
    try:
        path = script(folder, name)
        times(path, folder, 1)
        return times(path, folder, rounds)
    finally:
        shutil.rmtree(folder)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    print(f"{'':16}{'import ms':>11}{'decorate us':>13}{'first ms':>10}{'warm ms':>10}{'call us':>10}")
    for name in PROGRAMS:
        if not importlib.util.find_spec(name.partition(",")[0]):
            continue
        first, again = cold(name, rounds), warm(name, rounds)
        print(f"{name:16}{again[0]:11.1f}{again[1] * 1e3:13.1f}{first[2]:10.2f}{again[2]:10.2f}{again[3] * 1e3:10.2f}", flush=True)


if __name__ == "__main__":
    main()
