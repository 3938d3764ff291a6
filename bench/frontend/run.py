"""How long Python programs take to their graph: run.py BUILD NPBENCH-CHECKOUT [-v]. From the text of the program to that of its SDFG, in one
process (bench-source, the shortest of several times): NPBench's programs, and programs of 1,000 to 10,000 statements, of which some bind new
names, in branches, too. Then what `sdfg-run --emit=sdfg --no-cache` takes for them, which also checks the graph and starts a process, and an
axpy from source against its graph, cold and warm. The bars: median at most 2 ms and none above 10 ms over NPBench's programs, 10,000
statements at most 200 ms and linear, cold at most 3 ms more than the graph, warm at most 0.3 ms. Run it on a machine that does nothing
else."""
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


def milliseconds(*words, repeat):
    best = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        done = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        best = min(best, time.perf_counter() - start)
        if done.returncode:
            return None
    return best * 1e3


def statements(count):
    """Statements on arrays."""
    lines = ["import sdfg", 'N = sdfg.symbol("N")', "def f(A: sdfg.float64[N], B: sdfg.float64[N]):"]
    lines += [f"    A[{i % 7}:] = B[{i % 7}:] * {i} + A[{i % 7}:]" if i % 3 else f"    B[{i % 5}] = A[{i % 5}] + {i}" for i in range(count)]
    return "\n".join(lines) + "\n"


def names(count):
    """Each binds a name."""
    lines = ["import sdfg", 'N = sdfg.symbol("N")', "def f(A: sdfg.float64[N]):", "    t0 = A + 1"]
    lines += [f"    t{i} = t{i - 1} * A + {i}" for i in range(1, count)]
    return "\n".join(lines) + f"\n    A[:] = t{count - 1}\n"


def branches(count):
    """Each binds a name, every fifth in two branches."""
    lines = ["import sdfg", 'N = sdfg.symbol("N")', "def f(A: sdfg.float64[N], k: sdfg.int64):", "    s0 = A[0]"]
    for i in range(1, count // 5 * 3):
        lines += ([f"    s{i} = s{i - 1} * A[{i % 7}] + {i}"] if i % 3 else
                  [f"    if s{i - 1} < {i}:", f"        s{i} = s{i - 1} + A[k + {i % 5}]", "    else:", f"        s{i} = 1.0"])
    return "\n".join(lines) + f"\n    A[0] = s{count // 5 * 3 - 1}\n"


def programs(checkout):
    for where, _, files in sorted(os.walk(f"{checkout}/npbench/benchmarks")):
        for file in sorted(files):
            if file.endswith("_dace.py"):
                path = os.path.join(where, file)
                for n in ast.parse(open(path).read()).body:
                    if isinstance(n, ast.FunctionDef) and any("program" in ast.unparse(d) for d in n.decorator_list):
                        yield path, n.name


def sources(build, programs, repeat):
    """Milliseconds by program."""
    done = subprocess.run([f"{build}/bench-source", str(repeat), *programs], stdout=subprocess.PIPE, text=True)
    return {row.split(None, 2)[2]: float(row.split()[0]) for row in done.stdout.splitlines()}


def main():
    build, checkout, verbose = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), "-v" in sys.argv
    runner = f"{build}/sdfg-run"
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["XDG_CACHE_HOME"] = folder
        found = sources(build, [f"{path}:{name}" for path, name in programs(checkout)], 20)
        for name, ms in found.items() if verbose else ():
            print(f"{ms:8.2f} ms  {os.path.basename(name)}")
        worst = max(found, key=found.get)
        print(f"NPBench, {len(found)} programs: median {statistics.median(found.values()):.2f} ms, largest {found[worst]:.2f} ms ({os.path.basename(worst)})")
        for make in statements, names, branches:
            counts = (1000, 2000, 5000, 10000)
            for count in counts:
                with open(f"{make.__name__}{count}.py", "w") as f:
                    f.write(make(count))
            files = [f"{make.__name__}{count}.py:f" for count in counts]
            times = sources(build, files, 5)
            whole = milliseconds(runner, files[-1], "--emit=sdfg", "--no-cache", repeat=3)
            print(f"{make.__name__}: " + ", ".join(f"{c} in {times[n]:.1f} ms" for c, n in zip(counts, files)) + f"; sdfg-run {whole:.0f} ms")
        with open("axpy.py", "w") as f:
            f.write(AXPY)
        subprocess.run([runner, "axpy.py:axpy", "--emit=sdfg", "-o", "axpy.sdfg"], check=True)
        for what, flags in (("cold", ["--no-cache"]), ("warm", [])):
            best = {"axpy.py:axpy": float("inf"), "axpy.sdfg": float("inf")}
            for _ in range(15):  # in turns
                for p in best:
                    best[p] = min(best[p], milliseconds(runner, p, "--N=64", "--a=2", *flags, repeat=1))
            source, graph = best.values()
            print(f"axpy {what}: {source:.2f} ms from source, {graph:.2f} ms from its graph")


if __name__ == "__main__":
    main()
