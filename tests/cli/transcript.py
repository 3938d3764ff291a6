"""transcript.py SDFG-RUN FILE: runs the commands of a transcript and compares what they say. Lines that begin with '$ ' are shell
commands, what follows is their standard output and error together, and [N] a status that is not 0. The commands of one file run in one
empty folder; in README.md, where they stand in blocks, in that of the project. Other pages run as if the library was installed, in a folder with
examples/ and the files that blocks with a name hold. $EXAMPLES and $CASES are folders of the project, $HERE is that of the transcript, $BUILD that of the tools. Times are not compared. SDFG_BLESS=1 rewrites the file."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

tool, path = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
here = pathlib.Path(__file__).resolve().parent
environment = dict(os.environ, EXAMPLES=str(here.parent.parent / "examples"), CASES=str(here / "cases"),
                   HERE=str(path.parent), BUILD=str(tool.parent), LC_ALL="C", PATH=f"{tool.parent}:{os.environ['PATH']}")
readme, page = path.name == "README.md", path.suffix == ".md"
environment.pop("SDFG_DEBUG", None)
environment.pop("SDFG_PLUGINS", None)
environment["ASAN_OPTIONS"] = "handle_segv=0:allocator_may_return_null=1:" + environment.get("ASAN_OPTIONS", "") # crashes of programs are reported by the tool
expected = path.read_text()


def without_times(text):
    return re.sub(r"\b[\d.e+-]+ (s|ms|us)\b", "TIME", text)


def run(command, folder):
    done = subprocess.run(["sh", "-c", command.replace("./run ", "sdfg-run ") + "\n"], cwd=folder, env=environment, stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=100)
    text = done.stdout if page else without_times(done.stdout)
    text = text.replace(str(path.parent), "HERE").replace(str(tool.parent), "BUILD").replace(str(here.parent.parent), "PROJECT")
    if text and not text.endswith("\n"):
        text += "\n"
    return text + (f"[{done.returncode}]\n" if done.returncode else "")


def install(folder):
    """What makes the tools, pkg-config and python3 find the build, and the examples."""
    top, build = here.parent.parent, tool.parent
    shutil.copytree(top / "examples", pathlib.Path(folder, "examples"))
    for name, link in ("sdfg", f"-L{build} -lsdfg"), ("sdfg-rt", f"-L{build} -lsdfg-rt"):
        pathlib.Path(folder, f"{name}.pc").write_text(f"Name: {name}\nDescription: {name}\nVersion: 0\nCflags: -I{top}/engine/include\nLibs: {link}\n")
    environment.update(PKG_CONFIG_PATH=folder, LD_LIBRARY_PATH=str(build), SDFG_LIBRARY=str(build / "libsdfg.so"), PYTHONDONTWRITEBYTECODE="1",
                       PYTHONPATH=str(top / "python"), PATH=f"{pathlib.Path(sys.executable).parent}:{environment['PATH']}")


actual, block, file = "", False, None
with tempfile.TemporaryDirectory() as folder:
    if page and not readme:
        install(folder)
    for line in expected.splitlines():
        if page and line.startswith("```"):
            block, words = line == "```console", line.split()
            file = pathlib.Path(folder, words[1]) if len(words) > 1 and not readme else None
            if file:
                file.write_text("")
        elif file:
            file.write_text(file.read_text() + line + "\n")
        if line.startswith("$ "):
            actual += line + "\n" + run(line[2:], path.parent if readme else folder)
        elif line.startswith("# ") or not line or (page and (not block or line.startswith("```"))):
            actual += line + "\n"
if os.environ.get("SDFG_BLESS"):
    path.write_text(actual)
elif without_times(actual) != without_times(expected):
    import difflib
    sys.stdout.writelines(difflib.unified_diff(expected.splitlines(True), actual.splitlines(True), str(path), "actual"))
    sys.exit(1)
