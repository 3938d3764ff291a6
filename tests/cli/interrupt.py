"""interrupt.py SDFG-RUN: ^C while a program runs that would take days. The tool ends by the signal, as the shell expects; a file that it
should have written is as it was, and nothing lies beside it. With --watch each run ends by its limit, or all of it by ^C."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent.parent / "examples"
SOON = 20 # seconds, on a busy machine


def ended_by(number, options=(), ignored=False):
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder, "A.npy")
        output.write_text("as it was")
        command = [sys.argv[1], EXAMPLES / "jacobi_2d.sdfg", "--N=100", "--T=1000000000000", "--no-cache", f"--output=A=@{output}",
                   *options]
        handler = signal.signal(number, signal.SIG_IGN) if ignored else None
        run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if ignored:
            signal.signal(number, handler)
        stat = pathlib.Path(f"/proc/{run.pid}/stat")
        while int(stat.read_text().rsplit(")", 1)[1].split()[11]) < 30: # it computes
            time.sleep(0.05)
        begin = time.monotonic()
        os.kill(run.pid, number)
        if ignored:
            time.sleep(0.5)
            assert run.poll() is None
            run.kill()
        text = run.communicate(timeout=SOON)
        assert run.returncode == -(signal.SIGKILL if ignored else number), (run.returncode, text)
        assert text == ("", ""), text
        assert os.listdir(folder) == ["A.npy"] and output.read_text() == "as it was"
        return time.monotonic() - begin


def watch(folder, *options):
    """A program that never ends, which is watched."""
    program = pathlib.Path(folder, "p.sdfg")
    shutil.copy(EXAMPLES / "while_loop.sdfg", program)
    run = subprocess.Popen([sys.argv[1], program, "--n=0", "--no-cache", "--watch", *options], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return program, run


def reads(run, *expected):
    for text in expected:
        line = run.stderr.readline()
        assert text in line, (text, line)


def watched():
    with tempfile.TemporaryDirectory() as folder:
        program, run = watch(folder, "--timeout=0.2")
        reads(run, "time-out", "waiting for a change of 1 file\n")
        program.unlink()
        reads(run, "p.sdfg has changed", "cannot open", "waiting for a change of 1 file\n")
        shutil.copy(EXAMPLES / "while_loop.sdfg", program)
        reads(run, "p.sdfg has changed", "time-out", "waiting")
        run.terminate()
        assert run.wait(SOON) == -signal.SIGTERM
        program, run = watch(folder)
        children = pathlib.Path(f"/proc/{run.pid}/task/{run.pid}/children")
        while not children.read_text().split():
            time.sleep(0.02)
        child = int(children.read_text())
        while int(pathlib.Path(f"/proc/{child}/stat").read_text().rsplit(")", 1)[1].split()[11]) < 30: # it computes
            time.sleep(0.02)
        os.kill(child, signal.SIGINT)
        assert run.wait(SOON) == 0 and not run.stderr.read()


watched()
for number in signal.SIGINT, signal.SIGTERM:
    for options in [], ["--threads=1"], ["--repeat=3"]:
        ended_by(number, options)
ended_by(signal.SIGINT, ignored=True)
