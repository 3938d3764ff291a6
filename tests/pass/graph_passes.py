"""graph_passes.py SDFG-RUN SDFG-OPT PASSES CASES [PENDING]: recorded cases still pass when the passes have changed their programs, and at
least one program is changed. Exit code 77: there are no such cases here."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

RUN, OPT, PASSES, CASES = sys.argv[1:5]
PENDING = sys.argv[5:]


if not pathlib.Path(CASES).exists():
    print(f"skipped: {CASES} is not there")
    sys.exit(77)


def changed(case, folder):
    """The case in `folder` with the program that the passes make of it. Is it another one than the program as it was read?"""
    folder.mkdir()
    for part in case.iterdir():
        if part.name != "prog.sdfg":
            os.symlink(part.resolve(), folder / part.name)
    out = folder / "prog.sdfg"
    done = subprocess.run([OPT, case / "prog.sdfg", f"--passes={PASSES}", "-o", out], capture_output=True, text=True)
    assert done.returncode == 0, f"{case.name}: {done.stderr}"
    read = subprocess.run([RUN, case / "prog.sdfg", "--emit=sdfg"], capture_output=True, check=True).stdout
    return json.loads(read) != json.loads(out.read_text())


def is_program(case):
    """Some cases are of programs that cannot be read."""
    if not (case / "prog.sdfg").exists() or not (case / "case.json").exists():
        return False
    return subprocess.run([RUN, case / "prog.sdfg", "--emit=sdfg", "-o", os.devnull], capture_output=True).returncode == 0


with tempfile.TemporaryDirectory() as temporary:
    cases = [case for case in sorted(pathlib.Path(CASES).iterdir()) if case.is_dir() and is_program(case)]
    count = sum(changed(case, pathlib.Path(temporary, case.name)) for case in cases)
    print(f"{count} of {len(cases)} programs are changed")
    assert count, "no program is changed"
    done = subprocess.run([RUN, f"--cases={temporary}", *[f"--list={name}" for name in PENDING]])
    sys.exit(done.returncode)
