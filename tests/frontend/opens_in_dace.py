"""Graphs of Python programs open and validate in DaCe: opens_in_dace.py SDFG-RUN [--run=COUNT] [--every=N] [FILE.py...]; opens_in_dace.sh finds a
Python with DaCe. Without files: the programs of programs/*.py. --every=N: each Nth program alone. Every so many of them that COUNT are run is also compiled by DaCe and
compared with its recorded results; those of which opens_in_dace.txt has the reason are counted, not wrong. Where DaCe's code needs a library of
linear algebra that is not installed, the next program is run instead. A file may be one of DaCe's tests
or of NPBench; programs that are refused there are counted, not wrong."""
import ast
import collections
import json
import os
import re
import subprocess
import sys
import tempfile
import warnings

warnings.simplefilter("ignore")
import dace
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))


def programs(path):
    for n in ast.parse(open(path).read()).body:
        names = [ast.unparse(d) for d in n.decorator_list] if isinstance(n, ast.FunctionDef) else []
        if any("program" in d or re.match(r"(dace|dc)(\.function)?\b(?!\.)|compare_numpy_output", d) for d in names):
            yield n.name


def check(runner, path, name, folder):
    done = subprocess.run([runner, f"{path}:{name}", "--emit=sdfg", "-o", f"{folder}/p.sdfg"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode < 0:
        return "wrong", f"signal {-done.returncode}"
    if done.returncode:
        return "refused", done.stdout.split("\n")[0]
    try:
        sdfg = dace.SDFG.from_file(f"{folder}/p.sdfg")
        sdfg.validate()
        again = dace.SDFG.from_json(sdfg.to_json())
        if again.arglist().keys() != sdfg.arglist().keys():
            return "wrong", "other arguments after it was saved again"
    except Exception as e: # whatever DaCe raises
        return "wrong", f"{type(e).__name__}: {str(e).strip()[:200]}"
    return "ok", ""


def listed():
    """What is known of programs that DaCe's code does not compute: "streams.py:queues" -> "does not run"."""
    with open(os.path.join(HERE, "opens_in_dace.txt")) as f:
        rows = [line.split(None, 1) for line in f if not line.startswith("#")]
    return {name: rest.split(":")[0] for name, rest in rows}


def array(record):
    dtype = np.dtype(record["dtype"])
    values = np.array([float(v) if isinstance(v, str) else v for v in record["values"]])
    values = values[0::2] + 1j * values[1::2] if dtype.kind == "c" else values
    return values.astype(dtype).reshape(record["shape"]).copy()


def run(path, name, folder):
    """What DaCe's code computes, against the recorded results."""
    case = json.load(open(path[:-3] + ".json"))[name]
    sdfg = dace.SDFG.from_file(f"{folder}/p.sdfg")
    sdfg.build_folder = f"{folder}/build"
    given = {n: array(v) if v["shape"] else array(v)[()] for n, v in case["inputs"].items()}
    for n, d in sdfg.arglist().items():
        if n.startswith("__return") and n in case["outputs"]:
            given[n] = np.zeros(case["outputs"][n]["shape"] or [1], d.dtype.as_numpy_dtype())
    for n in sdfg.free_symbols:
        given.setdefault(n, {"N": 6, "M": 4, "K": 3}.get(n, 1))
    try:
        sdfg(**given)
    except Exception as e: # whatever DaCe raises
        if re.search(r"Find(BLAS|LAPACK|MKL|OpenBLAS)\.cmake|cblas\.h|lapacke\.h", str(e)):
            return "without library", ""
        return "does not run", f"{type(e).__name__}: {str(e).strip()[-300:]}"
    for n, want in case["outputs"].items():
        want = array(want)
        near = 1e-4 if want.dtype in (np.float32, np.complex64, np.float16) else 1e-9
        if n in given and not np.allclose(given[n].reshape(want.shape), want, rtol=near, atol=near, equal_nan=True):
            return "differs", f"{n} is {given[n].ravel()[:4]}, expected {want.ravel()[:4]}"
    return "equal", ""


def main():
    runner, files = os.path.abspath(sys.argv[1]), sys.argv[2:]
    runs = int(files.pop(0)[6:]) if files and files[0].startswith("--run=") else 0
    step = int(files.pop(0)[8:]) if files and files[0].startswith("--every=") else 1
    own = os.path.join(HERE, "programs")
    files = files or sorted(os.path.join(own, f) for f in os.listdir(own) if f.endswith(".py"))
    counts, known = collections.Counter(), listed()
    ran, every = 0, max(1, sum(1 for path in files for _ in programs(path)) // runs) if runs else 0
    with tempfile.TemporaryDirectory() as folder:
        for path in files:
            for name in list(programs(path))[::step]:
                kind, text = check(runner, os.path.abspath(path), name, folder)
                counts[kind] += 1
                if kind == "ok" and every and counts["ok"] >= every * (ran + 1):
                    kind, text = run(path, name, folder)
                    ran += kind != "without library"
                    if kind == known.get(f"{os.path.basename(path)}:{name}"):
                        kind, text = f"known: {kind}", ""
                    counts[kind] += 1
                if text:
                    print(f"{kind} {os.path.basename(path)}:{name}: {text}", flush=True)
    print(f"dace {dace.__version__}: {', '.join(f'{n} {k}' for k, n in counts.most_common())}")
    sys.exit(counts["wrong"] + counts["differs"] + counts["does not run"] > 0 or not counts["ok"])


if __name__ == "__main__":
    main()
