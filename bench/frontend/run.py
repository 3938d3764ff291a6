"""How long Python programs take to their graph: run.py SDFG-RUN NPBENCH-CHECKOUT [-v]. The wall time of `sdfg-run --emit=sdfg`, the shortest
of five runs each, less that of an empty program: reading, lowering and writing. Then a program of 1,000 and one of 10,000 statements, and an
axpy from source against its graph, cold and warm. The bars (docs/python-programs.md): median at most 2 ms and none above 10 ms over
NPBench's programs, 10,000 statements at most 200 ms and linear, cold at most 3 ms more than the graph, warm at most 0.3 ms. Run it on a
machine that does nothing else."""
import ast
import os
import statistics
import subprocess
import sys
import tempfile
import time

AXPY = """
import sdfg
N = sdfg.symbol("N")

def axpy(a: sdfg.float64, X: sdfg.float64[N], Y: sdfg.float64[N]):
    Y[:] = a * X + Y
"""


def milliseconds(*words, repeat=5, before=None):
    best = float("inf")
    for _ in range(repeat):
        if before:
            before()
        start = time.perf_counter()
        done = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        best = min(best, time.perf_counter() - start)
        if done.returncode:
            return None
    return best * 1e3


def statements(count):
    lines = ["import sdfg", 'N = sdfg.symbol("N")', "def f(A: sdfg.float64[N], B: sdfg.float64[N]):"]
    lines += [f"    A[{i % 7}:] = B[{i % 7}:] * {i} + A[{i % 7}:]" if i % 3 else f"    B[{i % 5}] = A[{i % 5}] + {i}" for i in range(count)]
    return "\n".join(lines) + "\n"


def programs(checkout):
    for where, _, files in sorted(os.walk(f"{checkout}/npbench/benchmarks")):
        for file in sorted(files):
            if file.endswith("_dace.py"):
                path = os.path.join(where, file)
                for n in ast.parse(open(path).read()).body:
                    if isinstance(n, ast.FunctionDef) and any("program" in ast.unparse(d) for d in n.decorator_list):
                        yield path, n.name


def main():
    runner, checkout, verbose = os.path.abspath(sys.argv[1]), sys.argv[2], "-v" in sys.argv
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["XDG_CACHE_HOME"] = folder
        for name, text in (("empty.py", "def f():\n    pass\n"), ("axpy.py", AXPY), ("small.py", statements(1000)), ("large.py", statements(10000))):
            with open(name, "w") as f:
                f.write(text)
        empty = milliseconds(runner, "empty.py:f", "--emit=sdfg")
        times = []
        for path, name in programs(os.path.abspath(checkout)):
            t = milliseconds(runner, f"{path}:{name}", "--emit=sdfg")
            if t is None:
                print(f"refused {os.path.basename(path)}:{name}")
                continue
            times.append((t - empty, f"{os.path.basename(path)}:{name}"))
            if verbose:
                print(f"{t - empty:8.2f} ms  {times[-1][1]}")
        print(f"empty program (the process): {empty:.2f} ms")
        print(f"NPBench, {len(times)} programs: median {statistics.median(t for t, _ in times):.2f} ms, largest {max(times)[0]:.2f} ms ({max(times)[1]})")
        small, large = (milliseconds(runner, f"{n}.py:f", "--emit=sdfg", repeat=3) - empty for n in ("small", "large"))
        print(f"1,000 statements: {small:.1f} ms; 10,000: {large:.1f} ms ({large / small:.1f} times)")
        subprocess.run([runner, "axpy.py:axpy", "--emit=sdfg", "-o", "axpy.sdfg"], check=True)
        for what, flags in (("cold", ["--no-cache"]), ("warm", [])):
            source, graph = (milliseconds(runner, p, "--N=64", "--a=2", *flags, repeat=9) for p in ("axpy.py:axpy", "axpy.sdfg"))
            print(f"axpy {what}: {source:.2f} ms from source, {graph:.2f} ms from its graph")


if __name__ == "__main__":
    main()
