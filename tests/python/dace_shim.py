"""dace_shim.py CHECKOUT [--reference] [FOLDER, FILE or FILE::FUNCTION...]: DaCe's own tests, from a checkout, with `import dace` meaning sdfg.dace.
By command only; the Python that runs this has pytest and pytest-timeout. Counted are test functions, by what they need (dace_tests.py): the
language, or building graphs, too; others are not run. A function passes when all its items do. dace_shim.txt says why each other one does not pass;
what it lists and passes, and what it does not list and fails, is printed. --reference runs the same functions by the DaCe that is installed."""
import collections
import importlib.abc
import importlib.machinery
import os
import pathlib
import re
import sys
import types

import pytest

import dace_tests

FOLDERS = ["tests/numpy", "tests/python_frontend", "tests"]
APART = ["callback_autodetect_test.py", "sdfg_convertible_test.py", "method_test.py", "fields_and_global_arrays_test.py"]
WITHOUT = "not gpu and not mpi and not tensorflow and not mkl and not papi"


# ---- modules that sdfg.dace lacks: importing them at the top of a file does not lose all of its tests, using them raises ----

def absent(path):
    class Absent(type):
        def __getattr__(cls, name):
            if name.startswith("__"):
                raise AttributeError(name)
            return absent(f"{path}.{name}")

        def __call__(cls, *_, **__):
            raise NotImplementedError(f"{path} is not in sdfg.dace")
    return Absent(path.rpartition(".")[2], (), {})


class Lacking(types.ModuleType):
    __path__ = ()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return absent(f"{self.__name__}.{name}")


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if name.startswith("dace.") else None

    def create_module(self, spec):
        return Lacking(spec.name)

    def exec_module(self, module):
        pass


def install():
    from sdfg import dace
    dace.install()
    found = dace._Dace.__getattr__

    def attribute(module, name):
        try:
            return found(module, name)
        except AttributeError:
            if name.startswith("_"):
                raise
            return absent(f"{module.__name__}.{name}")
    dace._Dace.__getattr__ = attribute
    sys.meta_path.append(Finder())


# ---- the run ----

class Run:
    """What became of the functions that are wanted: (file, function) -> {outcome: number of items}, and the messages of failures."""

    def __init__(self, wanted, checkout):
        self.wanted, self.checkout = wanted, checkout
        self.outcomes, self.messages = collections.defaultdict(collections.Counter), {}

    def pytest_collection_modifyitems(self, items):
        items[:] = [item for item in items if self._key(item.nodeid) in self.wanted]

    @staticmethod
    def _key(nodeid):
        file, _, function = nodeid.partition("::")
        return file, function.partition("[")[0]

    def _note(self, key, outcome, report):
        self.outcomes[key][outcome] += 1
        if outcome == "failed":
            self.messages[key] = str(report.longrepr)

    def pytest_collectreport(self, report):
        if report.failed: # a file: all of its functions
            for key in self.wanted:
                if key[0] == report.nodeid:
                    self._note(key, "failed", report)

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed":
            self._note(self._key(report.nodeid), report.outcome, report)

    def result(self, key):
        outcomes = self.outcomes.get(key, {})
        return "failed" if outcomes.get("failed") else "passed" if outcomes.get("passed") else "skipped"


def reason(message):
    """The line of a failure that says most."""
    lines = [line[2:].strip() for line in message.splitlines() if line.startswith("E  ")]
    lines = [line for line in lines if line and not re.match(r"File |\^|At index|Use -v", line)]
    return re.sub(r"0x[0-9a-f]+", "0x...", (lines or [message.strip().splitlines()[-1]])[-1 if "Error: " in (lines or [""])[-1] else 0])[:200]


def listed():
    """(file, function) -> reason."""
    lines = pathlib.Path(__file__).with_suffix(".txt").read_text().splitlines()
    rows = [line.split(" ", 1) for line in lines if "::" in line.split(" ", 1)[0]]
    return {tuple(f"tests/{name}".split("::", 1)): why.strip() for name, why in rows}


def share(keys, run, reasons):
    results = collections.Counter(run.result(key) for key in keys)
    ran = results["passed"] + results["failed"]
    text = f"{results['passed']} of {ran} pass" + (f" ({100 * results['passed'] / ran:.1f} %)" if ran else "")
    missed = [key for key in keys if run.result(key) == "failed" and not reasons.get(key, "").startswith("dace:")]
    if ran and len(missed) < results["failed"]: # those that DaCe does not pass, either
        text += f", {results['passed']} of {results['passed'] + len(missed)} of those that DaCe passes " \
                f"({100 * results['passed'] / (results['passed'] + len(missed)):.1f} %)"
    return text + (f", {results['skipped']} skipped" if results["skipped"] else "")


def main():
    arguments = [a for a in sys.argv[1:] if a != "--reference"]
    reference, checkout, given = len(arguments) < len(sys.argv) - 1, os.path.abspath(arguments[0]), arguments[1:]
    kinds = {key: kind for key, (kind, _) in dace_tests.Functions(checkout).kinds(sorted({g.partition("::")[0] for g in given or FOLDERS})).items()}
    single = {tuple(g.split("::", 1)) for g in given if "::" in g}
    wanted = {key for key, kind in kinds.items() if kind != "other" and (key in single or f"{key[0]}" in given or not single)}
    os.chdir(checkout)
    sys.path.insert(0, checkout)
    if not reference:
        install()
    run = Run(wanted, checkout)
    pytest.main(["-q", "--no-header", "--no-summary", "-p", "no:cacheprovider", "--continue-on-collection-errors", "--tb=short", "--timeout=120", "-m", WITHOUT,
                 *sorted({file for file, _ in wanted})], [run])
    report(run, kinds, wanted, listed())


def report(run, kinds, wanted, reasons):
    frontend = ("tests/numpy/", "tests/python_frontend/")
    print()
    for kind, say in ("language", "the language alone"), ("builds", "building graphs, too"):
        for place, inside in ("tests/numpy and tests/python_frontend", True), ("other folders", False):
            keys = [key for key in wanted if kinds[key] == kind and key[0].startswith(frontend) == inside]
            if keys:
                print(f"{say}, {place}: {share(keys, run, reasons)}")
    for name in APART:
        keys = [key for key in wanted if key[0].endswith(f"/{name}")]
        if keys:
            print(f"{name}: {share(keys, run, reasons)}")
    print(collections.Counter(reasons[key].partition(":")[0] for key in wanted if key in reasons and run.result(key) == "failed"))
    for key in sorted(wanted):
        name = "::".join(key).removeprefix("tests/")
        if run.result(key) == "failed" and key not in reasons:
            print(f"not listed: {name} {reason(run.messages[key])}")
        elif run.result(key) == "passed" and key in reasons:
            print(f"listed, but passes: {name}")


if __name__ == "__main__":
    main()
