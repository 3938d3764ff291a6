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


def changed(case, program, folder):
    """The case in `folder` with what the passes make of its program. Is it another one than `program`, the text of it as it was read?"""
    folder.mkdir()
    for part in case.iterdir():
        if part.name != "prog.sdfg":
            os.symlink(part.resolve(), folder / part.name)
    out = folder / "prog.sdfg"
    done = subprocess.run([OPT, case / "prog.sdfg", f"--passes={PASSES}", "-o", out], capture_output=True, text=True)
    assert done.returncode == 0, f"{case.name}: {done.stderr}"
    return json.loads(program) != json.loads(out.read_text())


def program_of(case):
    """The text of the program as it is read; some cases are of programs that cannot be read: None."""
    if not (case / "prog.sdfg").exists() or not (case / "case.json").exists():
        return None
    done = subprocess.run([RUN, case / "prog.sdfg", "--emit=sdfg"], capture_output=True)
    return done.stdout if done.returncode == 0 else None


with tempfile.TemporaryDirectory() as temporary:
    cases = [(case, program_of(case)) for case in sorted(pathlib.Path(CASES).iterdir()) if case.is_dir()]
    cases = [(case, program) for case, program in cases if program is not None]
    count = sum(changed(case, program, pathlib.Path(temporary, case.name)) for case, program in cases)
    print(f"{count} of {len(cases)} programs are changed")
    assert count, "no program is changed"
    done = subprocess.run([RUN, f"--cases={temporary}", *[f"--list={name}" for name in PENDING]])
    sys.exit(done.returncode)
