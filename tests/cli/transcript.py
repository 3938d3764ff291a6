"""transcript.py SDFG-RUN FILE: runs the commands of a transcript and compares what they say. Lines that begin with '$ ' are shell
commands, what follows is their standard output and error together, and [N] a status that is not 0. The commands of one file run in one
empty folder; $EXAMPLES and $CASES are folders of the project, $HERE is that of the transcript. Times are not compared. SDFG_BLESS=1 rewrites the file."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

tool, path = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
here = pathlib.Path(__file__).resolve().parent
environment = dict(os.environ, EXAMPLES=str(here.parent.parent / "examples"), CASES=str(here / "cases"),
                   HERE=str(path.parent), LC_ALL="C", PATH=f"{tool.parent}:{os.environ['PATH']}")
environment.pop("SDFG_DEBUG", None)
environment.setdefault("ASAN_OPTIONS", "handle_segv=0") # crashes of programs are reported by the tool
expected = path.read_text()


def run(command, folder):
    done = subprocess.run(["sh", "-c", command + "\n"], cwd=folder, env=environment, stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=100)
    text = re.sub(r"\b[\d.e+-]+ (s|ms|us)\b", "TIME", done.stdout)
    text = text.replace(str(path.parent), "HERE").replace(str(here.parent.parent), "PROJECT")
    if text and not text.endswith("\n"):
        text += "\n"
    return text + (f"[{done.returncode}]\n" if done.returncode else "")


actual = ""
with tempfile.TemporaryDirectory() as folder:
    for line in expected.splitlines():
        if line.startswith("$ "):
            actual += line + "\n" + run(line[2:], folder)
        elif line.startswith("# ") or not line:
            actual += line + "\n"
if os.environ.get("SDFG_BLESS"):
    path.write_text(actual)
elif actual != expected:
    import difflib
    sys.stdout.writelines(difflib.unified_diff(expected.splitlines(True), actual.splitlines(True), str(path), "actual"))
    sys.exit(1)
