"""Python programs on the command line: command.py FOLDER-OF-TOOLS. Types of parameters from the call, files that a program imports,
standard input, options of the reader, sdfg-cc."""
import os
import subprocess
import sys
import tempfile

from check import read_npy, write_npy

TOOLS = os.path.abspath(sys.argv[1])
# What CPython with NumPy 2 prints for printed.py.
PRINTED = """hello 42 1.0 0.1 True 9223372036854775813 3 2.5 True None (1, 'a', np.float64(2.0)) [4]
k=   42|42   |00042|2a|2.000|  2.00e+00|2.0|0.10000000149011612|True|   x|y   |100%|0.1!
0, 0.0, 0.10000000149011612
1, 2.0, 1.1000000014901161
7.0 4 (4,) 7e+16 7.000000000000001e-05 inf -2.3333333333333335

a\tb "q" 50%
  4 items   4 items! 0.010000001 9223372036854775813 nan -inf"""

FILES = {
    "printed.py": '''import numpy as np
import sdfg
N = sdfg.symbol("N")
@sdfg.program
def f(A: sdfg.float64[N], k: sdfg.int32, s: sdfg.float32, b: sdfg.bool, u: sdfg.uint64):
    print("hello", k, A[1], s, b, u, 3, 2.5, True, None, (1, "a", A[2]), [N])
    print(f"k={k:5d}|{k:<5}|{k:05d}|{k:x}|{A[2]:.3f}|{A[2]:10.2e}|{A[2]}|{s}|{b}|{'x':>4}|{'y':4}|100%|{s!s}", end="!\\n", sep="")
    for i in range(2):
        print(i, A[i] * 2, A[i] + s, sep=", ")
    A[0] = 7
    print(A[0], N, A.shape, 1e16 * A[0], 1e-5 * A[0], A[0] / 0.0, -A[0] / 3)
    if A[0] > 3:
        print()
        print("a\\tb \\"q\\" 50%")
    t = f"{N:3d} items"
    print(t, f"{t}!", np.float32(0.1) * s, u, (A[0] / 0.0) * 0, -A[0] / 0.0)
''',
    "helper.py": """
import sdfg
SCALE = 3.0
N = sdfg.symbol("N")
def scaled(x: sdfg.float64[N]):
    return x * SCALE
""",
    "sub/__init__.py": "from .more import twice\n",
    "sub/more.py": """
from ..helper import SCALE as S
def twice(x):
    return x * 2 + S
""",
    "loop_a.py": "import loop_b\ndef f(A):\n    A[0] = 1\n",
    "loop_b.py": "from loop_a import f\n",
    "main.py": """
import helper
import helper as h
from helper import *
from sub import twice
import sub.more as more

def f(A, B, k, x):
    for i in range(k):
        A[i] = helper.scaled(B)[i] + twice(x) + h.SCALE + more.twice(1.0)
    assert A[0] > 0
    return scaled(A) * SCALE
""",
    "signs.py": """
import dace
import sdfg
N, r, n = (dace.symbol(s) for s in ("N", "r", "n"))
@dace.program
def f(A: dace.float64[N]):
    if r == 0:
        A[0] = 1
    elif r == -2:
        A[0] = 2
    else:
        A[0] = 3
    if r >= 0:
        A[1] = 4
    A[2 + n:-n] = 5
    A[-1 - n] = 6
""",
    "dialect.py": """
import dace
N = dace.symbol("N")
@dace.program
def f(A: dace.float64[N, 4], B: dace.float64[N]):
    for i in range(2):
        B[:] = A[:, 0:1] + 1
    assert B[0] > 0
    if B[0] < 0:
        raise ValueError
    return B and B
""",
    "changing/main.py": """
import constant
import sdfg
N = sdfg.symbol("N")
def f(A: sdfg.float64[N]):
    A[:] = constant.VALUE
""",
    "changing/constant.py": "VALUE = 3\n",
    "index.py": """
import sdfg
N = sdfg.symbol("N")
def f(A: sdfg.float64[N], I: sdfg.int64[N], B: sdfg.float64[N]):
    for i in range(N):
        B[i] = A[I[i]]
""",
}
failed = 0


def check(what, good, text=""):
    global failed
    if not good:
        failed += 1
        print(f"{what}: {text}")


def run(*words, tool="sdfg-run", text=None):
    done = subprocess.run([f"{TOOLS}/{tool}", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, input=text)
    return done.returncode, done.stdout


def array(values, dtype="float64"):
    return {"dtype": dtype, "shape": [len(values)], "values": values}


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    os.mkdir("sub")
    os.mkdir("changing")
    for name, text in FILES.items():
        with open(name, "w") as f:
            f.write(text)
    write_npy("a.npy", array([0.0, 1.0, 2.0, 3.0]))
    write_npy("b.npy", array([1.0, 2.0, 3.0, 4.0]))
    values = "--B=@b.npy", "--k=2", "--x=1.5", "--assert=drop"
    code, text = run("main.py:f", "--A=@a.npy", *values, "--output=A=@out.npy")
    check("types of files", code == 0 and read_npy("out.npy")["values"] == (17.0, 20.0, 2.0, 3.0), text)
    code, text = run("main.py:f", "--A=float64[N]", "--N=4", *values)
    check("a type in the call", code == 0, text)
    code, text = run("main.py:f", "--A=@a.npy", "--B=@b.npy", "--k=2", "--x=1.5")
    check("an assertion on data", code and "main.py:11:5" in text and "known at run time only" in text, text)
    code, text = run("main.py:f", *values)
    check("no type", code and "the type of parameter 'A' is not known" in text and text.count("not known") == 1, text)
    code, text = run("main.py:f", "--A=float64[N", *values)
    check("a type that is none", code and "float64[N" in text, text)
    code, text = run("loop_a.py:f", "--A=@a.npy")
    check("files that import each other", code == 0, text)
    code, text = run("-:g", "--A=float64[N]", "--N=4", text="def g(A):\n    A[:] = 2 * A\n")
    check("standard input", code == 0 and "warning" not in text, text)
    code, text = run("-", "--A=float64[N]", "--N=4", text="import sdfg\n@sdfg.program\ndef g(A):\n    A[0] = B\n")
    check("an error of standard input", code and "(<stdin>:4:12)" in text, text)
    write_npy("i.npy", array([-1, 0, 1, 2], "int64"))
    code, text = run("index.py:f", "--A=@a.npy", "--I=@i.npy", "--output=B=@out.npy")
    check("an index from the end", code == 0 and read_npy("out.npy")["values"] == (3.0, 0.0, 1.0, 2.0), text)
    write_npy("zeros.npy", array([0.0] * 8))
    for r, n, wanted in ((0, 0, [1, 4, 5, 5, 5, 5, 5, 6]), (-2, 1, [2, 0, 0, 5, 5, 5, 6, 0]), (7, 2, [3, 4, 0, 0, 5, 6, 0, 0])):
        for more in ([], ["--specialize=none"]):
            code, text = run("signs.py:f", "--A=@zeros.npy", f"--r={r}", f"--n={n}", "--output=A=@out.npy", *more)
            check(f"symbols that are not positive, {r} {n}", code == 0 and list(read_npy("out.npy")["values"]) == wanted, text or read_npy("out.npy"))
    code, text = run("signs.py:f", "--A=@zeros.npy", "--r=0", "--n=-1")
    check("a bound from the end that is none", code == 2 and "the index -n counts from the end" in text, text)
    both = [run("index.py:f", "--emit=sdfg", *more)[1] for more in ([], ["--index=trust"])]
    check("--index=trust", ">= 0" in both[0] and ">= 0" not in both[1], both[1][:200])
    code, text = run("main.py:f", "--A=float64[N]", "--B=float64[N]", "--k=int64", "--x=float64", "--assert=drop", "-o", "f.so", tool="sdfg-cc")
    check("sdfg-cc", code == 0 and os.path.getsize("f.so") > 1000, text)
    code, text = run("printed.py:f", "--A=@a.npy", "--k=42", "--s=0.1", "--b=1", "--u=9223372036854775813")
    text = "\n".join(line for line in text.split("\n") if line[:5] not in ("load ", "A  fl")).strip()
    check("print", code == 0 and text == PRINTED, text)
    code, text = run("dialect.py:f", "--N=3", "--no-cache")
    for line, said in ((7, "is dropped, which NumPy keeps"), (8, "the assertion is dropped"), (10, "'raise' is dropped"), (11, "write &")):
        check(f"a warning of line {line}", code == 0 and text.count(said) == 1 and f"(dialect.py:{line}:" in text, text)
    check("--warn=none", "warning" not in run("dialect.py:f", "--N=3", "--no-cache", "--warn=none")[1])

    def graph(*words):
        code, text = run("changing/main.py:f", "--N=3", "--output=A=-", "--explain-cache", f"--cache={folder}/cache", *words)
        return [line for line in text.split("\n") if line.startswith("graph:") or line in ("3.0 3.0 3.0", "4.0 4.0 4.0", "5.0 5.0 5.0")]

    made, kept = "graph: made from the Python program", "graph: from the cache, no Python was parsed"
    check("the first run parses", graph() == [made, "3.0 3.0 3.0"])
    check("the second does not", graph() == [kept, "3.0 3.0 3.0"])
    check("another option parses", made in graph("--index=trust"))
    with open("changing/constant.py", "w") as f:
        f.write("VALUE = 4\n")
    check("a changed import parses", graph() == [made, "4.0 4.0 4.0"])
    os.utime("changing/main.py")
    check("the content counts", graph() == [kept, "4.0 4.0 4.0"])
    os.mkdir("changing/constant")
    with open("changing/constant/__init__.py", "w") as f:
        f.write("VALUE = 5\n")
    check("a package hides a module", graph() == [made, "5.0 5.0 5.0"])
    os.remove("changing/constant/__init__.py")
    check("which is found again", graph() == [made, "4.0 4.0 4.0"])
    with open("changing/constant/other.py", "w") as f:
        f.write("VALUE = 6\n")
    check("a file that is not looked for", graph() == [kept, "4.0 4.0 4.0"])

    watching = subprocess.Popen([f"{TOOLS}/sdfg-run", "changing/main.py:f", "--N=3", "--output=A=-", "--watch", "--no-cache"], stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True)
    lines = []
    for line in watching.stdout:
        lines.append(line.strip())
        if line.startswith("sdfg-run: waiting for a change of 2 files"):
            if lines.count("8.0 8.0 8.0"):
                break
            with open("changing/constant.py", "w") as f: # first a mistake, then another value
                f.write("VALUE = 8\n" if "'(' was never closed" in " ".join(lines) else "VALUE = (\n")
    watching.terminate()
    watching.wait()
    check("--watch", "4.0 4.0 4.0" in lines and lines.count("sdfg-run: changing/constant.py has changed") == 2, lines)
    code, text = run("-", "--watch", text="def f(): pass\n")
    check("--watch of standard input", code == 2 and "--watch is for a program in a file" in text, text)
sys.exit(failed > 0)
