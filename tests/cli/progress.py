"""progress.py SDFG-RUN SDFG-CC: a compilation that takes seconds shows its phase on a terminal, and nothing anywhere else; messages have
colours there, unless NO_COLOR is set; --cases shows how far it is; wide lines are folded. Cases leave no files where they are started. Exit code 77: the system
gives no terminals."""
import fcntl
import json
import os
import pathlib
import pty
import shutil
import struct
import subprocess
import sys
import tempfile
import termios

RUN, CC = sys.argv[1:]


def program(statements):
    """Statements that cannot be merged."""
    lines = ["import sdfg", "", "@sdfg.program", "def f(A: sdfg.float64[64], n: sdfg.int64):"]
    lines += [f"    A[(n * {i} + {i % 7}) % 64] = A[(n + {i * 5}) % 64] * {i}.5 + A[{i % 64}]" for i in range(statements)]
    return "\n".join(lines) + "\n"


def on_terminal(command, status=0, columns=0, **environment):
    """What the command writes to a terminal that is its standard error, or its standard output if that has columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
    output = {"stdout": theirs} if columns else {"stdout": subprocess.DEVNULL, "stderr": theirs}
    run = subprocess.Popen(command, **output, env={**os.environ, "TERM": "xterm", **environment})
    os.close(theirs)
    text = b""
    try:
        while more := os.read(ours, 4096):
            text += more
    except OSError: # the other end is closed
        pass
    assert run.wait() == status, text
    os.close(ours)
    return text.decode()


try:
    for end in pty.openpty():
        os.close(end)
except OSError as e: # a sandbox without /dev/pts
    print(e)
    sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder, "p.py")
    run = [RUN, f"{path}:f", "--n=3", "--no-cache"]
    for command in run, [CC, f"{path}:f", "-o", f"{folder}/f.so"]:
        statements, text = 250, ""
        while "\rcompiling: " not in text and statements < 20000: # as many as take more than a second on this machine
            path.write_text(program(statements))
            text = on_terminal(command)
            statements *= 2
        assert "\rcompiling: " in text, text
        assert "compiling" not in text.split("\r\033[K")[-1], text # it is wiped out
    assert "compiling" not in on_terminal(run, TERM="dumb")
    # A case whose program makes a folder where it runs.
    here = pathlib.Path(__file__).resolve().parent
    example = here.parent.parent / "examples" / "axpy.sdfg"
    shutil.copytree(here / "cases" / "axpy", f"{folder}/cases/writes")
    graph = json.loads(example.read_text())
    for part, code in ("global_code", 'extern "C" int mkdir(const char *, unsigned);'), ("init_code", 'mkdir("left", 448);'):
        graph["attributes"][part] = {"frame": {"string_data": code, "language": "CPP"}}
    pathlib.Path(folder, "cases", "writes", "prog.sdfg").write_text(json.dumps(graph))
    os.chdir(folder)
    os.mkdir("cases/writes/in")
    os.mkdir("cases/writes/out")
    given = ["--N=4", "--X=iota", "--Y=ones"]
    on_terminal([RUN, example, *given, "--alpha=0", "--output=X=@cases/writes/in/X.npy", "--output=Y=@cases/writes/in/Y.npy"])
    on_terminal([RUN, example, *given, "--alpha=2", "--output=Y=@cases/writes/out/Y.npy"])
    before = sorted(os.listdir())
    assert "\r\033[K1 of 1 cases, 0 failed" in on_terminal([RUN, "--cases", "cases"])
    on_terminal([RUN, "--case", "cases/writes"])
    assert sorted(os.listdir()) == before, os.listdir()
    on_terminal([RUN, "cases/writes/prog.sdfg", "--N=4", "--no-cache"])
    assert "left" in os.listdir() # it does write

    wrong = [RUN, example, "--N=1.5"]
    assert "\033[1;31merror[invalid]\033[0m: " in on_terminal(wrong, status=2)
    for plain in {"NO_COLOR": "1"}, {"TERM": "dumb"}:
        assert "error[invalid]: " in on_terminal(wrong, status=2, **plain)

def folded(command, columns):
    """Each line fits if it has blanks to break at, and the words are those of the same lines in a file."""
    text = on_terminal(command, columns=columns).replace("\r\n", "\n")
    plain = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert text.split() == plain.split(), text
    indent = [len(line) - len(line.lstrip()) for line in text.splitlines()]
    assert all(len(line) <= columns or " " not in line.strip() for line in text.splitlines()), text
    return text.count("\n") - plain.count("\n"), indent


assert folded([RUN, "--list=passes"], 1000)[0] == 0
more, indent = folded([RUN, "--list=passes"], 50)
assert more > 20 and {0, 2, 4, 6} == set(indent), (more, indent)
assert folded([RUN, example, "--describe"], 30)[0] > 0
with tempfile.TemporaryDirectory() as folder:
    subprocess.run([RUN, example, "--N=4", f"--cache={folder}"], stdout=subprocess.DEVNULL, check=True)
    assert folded([str(pathlib.Path(RUN).with_name("sdfg-cache")), "ls", f"--cache={folder}"], 80)[0] > 2
print("shown")
