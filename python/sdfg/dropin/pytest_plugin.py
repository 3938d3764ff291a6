"""pytest -p sdfg.dropin.pytest_plugin: tests run with DaCe building by libsdfg, as SDFG_DROPIN says (else "build"); the summary says what
was built by whom, in the processes of pytest-xdist, too."""

import collections
import os

import pytest

from . import from_environment, install, statistics


def pytest_configure(config):
    if os.environ.get("SDFG_DROPIN"):
        from_environment()
    else:
        install()


def pytest_sessionfinish(session):
    output = getattr(session.config, "workeroutput", None) # of a process of pytest-xdist, for the one that has the summary
    if output is not None:
        output["sdfg.dropin"] = statistics()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node, error):
    done = getattr(node, "workeroutput", {}).get("sdfg.dropin")
    if done:
        elsewhere["built"] += done["built"]
        elsewhere["fallback"].update(done["fallback"])


elsewhere = {"built": 0, "fallback": collections.Counter()}


def pytest_terminal_summary(terminalreporter):
    done = statistics()
    fallback = elsewhere["fallback"] + collections.Counter(done["fallback"])
    terminalreporter.write_line(f"libsdfg built {elsewhere['built'] + done['built']} programs, DaCe {sum(fallback.values())}")
    for reason, count in fallback.most_common():
        terminalreporter.write_line(f"  {count} times: {reason}")
