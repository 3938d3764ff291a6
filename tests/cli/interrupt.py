"""interrupt.py SDFG-RUN: ^C while a program runs that would take days. The tool ends by the signal, as the shell expects; a file that it
should have written is as it was, and nothing lies beside it."""
import os
import pathlib
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


for number in signal.SIGINT, signal.SIGTERM:
    for options in [], ["--threads=1"], ["--repeat=3"]:
        ended_by(number, options)
ended_by(signal.SIGINT, ignored=True)
