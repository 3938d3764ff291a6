"""The tools while allocations fail: they end with a status that says so or do their work; no signal, no hang.

    tools.py BUILD STRIDE [FIRST [TOOL...]]

Of each command, every n-th allocation fails once, and all from the n-th on: n = FIRST, FIRST + STRIDE, ..., eight at least.
"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

build = pathlib.Path(sys.argv[1]).resolve()
stride = int(sys.argv[2])
first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
wanted = sys.argv[4:]
top = pathlib.Path(__file__).resolve().parents[2]
axpy = str(top / "examples" / "axpy.sdfg")
GOOD, FILE, MISSING = 0, 3, 8
HANGS_AFTER = 60
OPENING = 2000  # allocations of a tool until then

COMMANDS = [
    ["sdfg-run", "--version"],
    ["sdfg-run", axpy, "--describe=json"],
    ["sdfg-run", axpy, "--N=16", "--alpha=2", "--threads=1", "--cache=DIR/empty", "--time"],
    ["sdfg-run", axpy, "--N=16", "--alpha=2", "--threads=1", "--cache=DIR/full", "--output=Y=DIR/y.npy"],
    ["sdfg-run", axpy, "--N=16", "--emit=tree"],
    ["sdfg-cc", axpy, "-o", "DIR/axpy.so", "--header", "--fortran"],
    ["sdfg-run", str(top / "examples" / "smooth.py"), "--N=8", "--M=8", "--steps=1", "--emit=sdfg", "-o", "DIR/smooth.sdfg"],
    ["sdfg-run", "--list=passes"],
    ["sdfg-opt", axpy, "-o", "DIR/opt.sdfg"],
    ["sdfg-opt", axpy, "--emit=tree", "-o", "DIR/opt.tree"],
    ["sdfg-bench", axpy, "--N=16", "--alpha=2", "--threads=1", "--against=generic", "--seconds=0.1", "--samples=5", "--cold=1", "--no-roofs"],
    ["sdfg-cache", "ls", "--cache=DIR/full"],
    ["sdfg-cache", "export", "DIR/packed", "--cache=DIR/full"],
    ["sdfg-cache", "import", "DIR/packed", "--cache=DIR/full"],
]


def run(command, **environment):
    return subprocess.run([str(build / command[0])] + command[1:], capture_output=True, timeout=HANGS_AFTER,
                          stdin=subprocess.DEVNULL,
                          env=dict(os.environ, LD_PRELOAD=str(build / "libfail.so"), OMP_WAIT_POLICY="passive", **environment))


def attempt(command, n, on, good):
    """What is wrong with it, or nothing."""
    environment = {"FAIL_AT": str(n)}
    if on:
        environment["FAIL_ON"] = "1"
    try:
        done = run(command, **environment)
    except subprocess.TimeoutExpired:
        return "hangs"
    if done.returncode == -signal.SIGABRT and n < OPENING and (b"LLVM ERROR: out of memory" in done.stderr or b"terminate called" in done.stderr):
        return None  # while LLVM's library is opened there is no way back (docs/architecture.md)
    if done.returncode not in (good, FILE, MISSING):
        return f"ends with {done.returncode}: {done.stderr.decode(errors='replace').strip()[-200:]}"
    if done.returncode != good and not done.stderr and not on:
        return f"ends with {done.returncode} and says nothing"
    return None


bad = 0
with tempfile.TemporaryDirectory() as folder:
    for command in COMMANDS:
        command = [word.replace("DIR", folder) for word in command]
        if wanted and command[0] not in wanted:
            continue
        run(command)
        count_file = os.path.join(folder, "count")
        good = run(command, FAIL_COUNT=count_file).returncode
        count = int(open(count_file).read())
        if good:
            print(f"{' '.join(command)}: ends with {good} by itself")
            bad += 1
            continue
        tried = 0
        for on in (False, True):
            for n in range(min(first, count), count + 1, max(1, min(stride, count // 8))):
                problem = attempt(command, n, on, good)
                tried += 1
                if problem:
                    bad += 1
                    print(f"{' '.join(command)}: allocation {n}{' and all after it' if on else ''}: {problem}")
        print(f"{command[0]} {' '.join(command[1:])}: {tried} of {2 * count} tried", flush=True)
sys.exit(1 if bad else 0)
