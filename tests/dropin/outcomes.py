"""A plug-in of pytest: appends a line "outcome nodeid" for each test to the file SDFG_OUTCOMES. As a program: outcomes.py missed FILE prints the
tests of a file that do not pass; outcomes.py share FILE [REFERENCE] says which share passes of what the run REFERENCE, by DaCe alone, of the tests that do
not pass in FILE, passes, too, and lists the others."""
import collections
import os
import pathlib
import sys

PASSED = ("passed", "skipped")


def pytest_runtest_logreport(report):
    if "PYTEST_XDIST_WORKER" not in os.environ and (report.when == "call" or report.outcome != "passed"):
        with open(os.environ["SDFG_OUTCOMES"], "a") as file:
            file.write(f"{report.outcome} {report.nodeid}\n")


def pytest_collectreport(report):
    if report.failed and "PYTEST_XDIST_WORKER" not in os.environ:
        with open(os.environ["SDFG_OUTCOMES"], "a") as file:
            file.write(f"failed {report.nodeid}\n")


def read(path):
    """Test -> outcome; of several that of the worst step."""
    found = {}
    for line in pathlib.Path(path).read_text().splitlines():
        outcome, _, test = line.partition(" ")
        if found.get(test) in (None, *PASSED):
            found[test] = outcome
    return found


def missed(found):
    return sorted(test for test, outcome in found.items() if outcome not in PASSED)


def main():
    what, ours, *rest = sys.argv[1:]
    found = read(ours)
    if what == "missed":
        for test in missed(found):
            print(test)
        return 0
    reference = read(rest[0]) if rest else {}
    count = collections.Counter(found.values())
    lost = [test for test in missed(found) if not rest or reference.get(test) == "passed"]
    print(f"{count['passed']} of {count['passed'] + len(missed(found))} pass, {count['skipped']} are skipped", end="")
    total = count["passed"] + len(lost)
    print(f"; of those that DaCe passes, {count['passed']} of {total} ({100 * count['passed'] / max(total, 1):.2f} %)" if rest else "")
    for test in missed(found):
        print(f"{'ours' if test in lost else 'both'}: {test}")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
