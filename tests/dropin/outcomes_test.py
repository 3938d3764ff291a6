#!/usr/bin/env python3
"""What outcomes.py says of two runs: tests that DaCe alone does not reach are not taken for ones that fail there, too."""
import os
import pathlib
import subprocess
import sys
import tempfile
import types

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import outcomes  # noqa: E402

OURS = """passed t/a_test.py::test_good
passed t/a_test.py::test_twice
failed t/a_test.py::test_twice
failed t/a_test.py::test_ours
skipped t/a_test.py::test_skipped
failed t/b_test.py::test_both
failed t/b_test.py::test_not_collected[1-a]
failed t/c_test.py
"""
DACE = """passed t/a_test.py::test_twice
passed t/a_test.py::test_ours
failed t/b_test.py::test_both
failed t/c_test.py
"""
SHARE = """1 of 6 pass, 1 are skipped; of those that DaCe passes, 1 of 4 (25.00 %)
ours: t/a_test.py::test_ours
ours: t/a_test.py::test_twice
both: t/b_test.py::test_both
not run: t/b_test.py::test_not_collected[1-a]
both: t/c_test.py
"""


def say(*arguments):
    done = subprocess.run([sys.executable, "-B", HERE / "outcomes.py", *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout


def expect(found, wanted):
    if found != wanted:
        raise SystemExit(f"{found} instead of {wanted}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        ours, dace, only = (pathlib.Path(folder) / name for name in ("ours", "dace", "only"))
        ours.write_text(OURS)
        dace.write_text(DACE)
        expect(say("share", ours, dace), (1, SHARE))
        expect(say("modules", ours), (0, "t/a_test.py\nt/b_test.py\nt/c_test.py\n"))
        status, missed = say("missed", ours)
        expect((status, missed.splitlines()), (0, [line.split(": ", 1)[1] for line in SHARE.splitlines()[1:]]))
        only.write_text(missed)
        os.environ["SDFG_ONLY"] = str(only)
        items = [types.SimpleNamespace(nodeid=line.split(" ", 1)[1]) for line in OURS.splitlines()]
        outcomes.pytest_collection_modifyitems(items)
        expect({item.nodeid for item in items}, set(missed.splitlines()))
        ours.write_text("passed t/a_test.py::test_good\n")
        expect(say("share", ours, dace), (0, "1 of 1 pass, 0 are skipped; of those that DaCe passes, 1 of 1 (100.00 %)\n"))


if __name__ == "__main__":
    sys.exit(main())
