"""The tools while allocations fail: they end with a status that says so or do their work; no signal, no hang.

    tools.py BUILD STRIDE [FIRST [TOOL...]]

Of each command, every n-th allocation fails once, and all from the n-th on: n = FIRST, FIRST + STRIDE, ..., eight at least. Then each of those
that the tool itself asks for, not its libraries.
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

# More, of which only the tool's own allocations fail.
CASE = str(top / "tests/run/library/inv_plain")
OWN_COMMANDS = [
    ["sdfg-run", "--case", CASE],
    ["sdfg-run", "--cases", CASE, "--jobs=1"],
    ["sdfg-run", axpy, "--N=16", "--alpha=1,0", "--Y=@DIR/y.npy", "--expect=X=@DIR/y.npy", "--atol=9", "--specialize=N", "--plugin=BUILD/libplugin-clip.so", "--cache=DIR/full"],
    ["sdfg-run", axpy, "--N=16", "--distribute=Y=block:0", "--grid=1", "--Y=@DIR/y.npy", "--output=Y=@DIR/parts.npy", "--cache=DIR/full"],
    ["sdfg-run", axpy, "--N=16", "--instrument=timer", "--report=DIR/report.json", "--cache=DIR/full"],
    ["sdfg-run", axpy, "--N=16", "--emit=html", "--report=DIR/report.json", "-o", "DIR/page.html"],
    ["sdfg-run", axpy, "--N=16", "--remarks", "-o", "DIR/remarks"],
    ["sdfg-run", str(top / "tests/cli/structure.sdfg"), "--A.first=7", "--cache=DIR/full"],
    ["sdfg-run", str(top / "tests/cli/above.sdfg"), "--N=6", "--X=iota", "--L=2", "--output=S=@DIR/s.npy", "--cache=DIR/full"],
    ["sdfg-run", str(top / "tests/cli/above.sdfg"), "--N=6", "--X=iota", "--L=2", "--S=@DIR/s.npy", "--cache=DIR/full"],
    ["sdfg-bench", axpy, "--N=16", "--threads=1", "--seconds=0", "--samples=5", "--cold=1", "--against=generic", "--json=DIR/bench.json", "--csv=DIR/bench.csv"],
]


def run(command, **environment):
    return subprocess.run([str(build / command[0])] + command[1:], capture_output=True, timeout=HANGS_AFTER,
                          stdin=subprocess.DEVNULL,
                          env=dict(os.environ, LD_PRELOAD=f"{build / 'libfail.so'} {os.environ.get('LD_PRELOAD', '')}", OMP_WAIT_POLICY="passive", **environment))


def attempt(command, n, on, good, **environment):
    """What is wrong with it, or nothing."""
    environment["FAIL_AT"] = str(n)
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
    if done.returncode != good and not done.stderr + done.stdout and not on:
        return f"ends with {done.returncode} and says nothing"
    return None


def count_of(command, folder, **environment):
    """Its status without failures, and how many allocations it has."""
    file = os.path.join(folder, "count")
    return run(command, FAIL_COUNT=file, **environment).returncode, int(open(file).read())


def try_command(command, folder, all_of_them):
    """How many failures it did not stand."""
    run(command)
    good, count = count_of(command, folder)
    if good:
        print(f"{' '.join(command)}: ends with {good} by itself")
        return 1
    every = range(min(first, count), count + 1, max(1, min(stride, count // 8)))
    tries = [(n, on, {}) for on in (False, True) for n in every] if all_of_them else []
    _, own = count_of(command, folder, FAIL_OWN="1")
    tries += [(n, False, {"FAIL_OWN": "1"}) for n in range(1, own + 1)]
    bad = 0
    for n, on, environment in tries:
        problem = attempt(command, n, on, good, **environment)
        if problem:
            bad += 1
            print(f"{' '.join(command)}: allocation {n}{' of its own' if environment else ''}{' and all after it' if on else ''}: {problem}")
    print(f"{command[0]} {' '.join(command[1:])}: {len(tries)} of {2 * (count + own)} tried", flush=True)
    return bad


with tempfile.TemporaryDirectory() as work:
    bad = 0
    for commands in COMMANDS, OWN_COMMANDS:
        for command in commands:
            words = [word.replace("DIR", work).replace("BUILD", str(build)) for word in command]
            if not wanted or words[0] in wanted:
                bad += try_command(words, work, commands is COMMANDS)
    sys.exit(1 if bad else 0)
