"""progress.py SDFG-RUN SDFG-CC: a compilation that takes seconds shows its phase on a terminal, and nothing anywhere else."""
import os
import pathlib
import pty
import subprocess
import sys
import tempfile

RUN, CC = sys.argv[1:]
STATEMENTS = 600


def program():
    """Statements that cannot be merged."""
    lines = ["import sdfg", "", "@sdfg.program", "def f(A: sdfg.float64[64], n: sdfg.int64):"]
    lines += [f"    A[(n * {i} + {i % 7}) % 64] = A[(n + {i * 5}) % 64] * {i}.5 + A[{i % 64}]" for i in range(STATEMENTS)]
    return "\n".join(lines) + "\n"


def on_terminal(command, **environment):
    """What the command writes to a terminal that is its standard error."""
    ours, theirs = pty.openpty()
    run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs, env={**os.environ, "TERM": "xterm", **environment})
    os.close(theirs)
    text = b""
    try:
        while more := os.read(ours, 4096):
            text += more
    except OSError: # the other end is closed
        pass
    assert run.wait() == 0, text
    os.close(ours)
    return text.decode()


with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder, "p.py")
    path.write_text(program())
    run = [RUN, f"{path}:f", "--n=3", "--no-cache"]
    for command in run, [CC, f"{path}:f", "-o", f"{folder}/f.so"]:
        text = on_terminal(command)
        assert "\rcompiling: " in text, text
        assert "compiling" not in text.split("\r\033[K")[-1], text # it is wiped out
    assert "compiling" not in on_terminal(run, TERM="dumb")
print("shown")
