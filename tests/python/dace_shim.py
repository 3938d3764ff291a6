"""dace_shim.py CHECKOUT [PYTEST ARGUMENT...]: DaCe's own tests, from a checkout, with `import dace` meaning sdfg.dace. By command only. Prints
how many pass and the reasons of the others, the most frequent first; docs/python.md has the last counts. The Python that runs this has pytest."""
import collections
import os
import re
import sys

import pytest

from sdfg import dace

FOLDERS = ["tests/numpy", "tests/python_frontend"]


class Counter:
    def __init__(self):
        self.outcomes, self.reasons, self.apart = collections.Counter(), collections.Counter(), collections.defaultdict(collections.Counter)

    def _note(self, report, outcome):
        self.outcomes[outcome] += 1
        self.apart[os.path.basename(report.nodeid.split("::")[0])][outcome] += 1
        if outcome == "failed":
            crash = getattr(report.longrepr, "reprcrash", None)
            text = crash.message if crash else str(report.longrepr).strip().splitlines()[-1]
            lines = text.splitlines()
            first = re.sub(r"0x[0-9a-f]+|'[^']*/[^']*'", "...", lines[-1] if lines[0].startswith("  File") else lines[0])
            self.reasons[first[:150]] += 1

    def pytest_collectreport(self, report):
        if report.failed:
            self._note(report, "failed")

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed":
            self._note(report, report.outcome)


def main():
    checkout, *arguments = sys.argv[1:]
    os.chdir(checkout)
    sys.path.insert(0, os.getcwd())
    dace.install()
    counter = Counter()
    pytest.main(["-q", "--no-header", "-p", "no:cacheprovider", "--continue-on-collection-errors", "--tb=no", "--timeout=120",
                 "-m", "not gpu and not mpi and not tensorflow and not mkl and not papi", *(arguments or FOLDERS)], [counter])
    print(dict(counter.outcomes))
    for name, outcomes in counter.apart.items():
        print(f"{name}: {dict(outcomes)}")
    for reason, count in counter.reasons.most_common(60):
        print(f"{count:4} {reason}")


if __name__ == "__main__":
    main()
