"""A plug-in of pytest: appends a line "outcome nodeid" for each test to the file SDFG_OUTCOMES, and with SDFG_ONLY runs the tests that this file lists,
alone. As a program: outcomes.py missed FILE prints the tests of a file that do not pass, and outcomes.py modules FILE where they are (pytest runs nothing
if it is given a test that it does not find); outcomes.py share FILE REFERENCE says which share passes of what the run REFERENCE, by DaCe alone, of the
tests that do not pass in FILE, passes, too, and lists the others. A test without an outcome there counts as one that DaCe passes."""
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


def pytest_collection_modifyitems(items):
    if os.environ.get("SDFG_ONLY"):
        wanted = set(pathlib.Path(os.environ["SDFG_ONLY"]).read_text().splitlines())
        items[:] = [item for item in items if item.nodeid in wanted]


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
    if what == "modules":
        print("\n".join(sorted({test.split("::")[0] for test in missed(found)})))
        return 0
    reference = read(rest[0])
    count = collections.Counter(found.values())
    fails = {None: "not run", "passed": "ours"}
    names = {test: fails.get(reference.get(test), "both") for test in missed(found)}
    lost = [test for test, who in names.items() if who != "both"]
    print(f"{count['passed']} of {count['passed'] + len(names)} pass, {count['skipped']} are skipped", end="")
    total = count["passed"] + len(lost)
    print(f"; of those that DaCe passes, {count['passed']} of {total} ({100 * count['passed'] / max(total, 1):.2f} %)")
    for test, who in names.items():
        print(f"{who}: {test}")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
