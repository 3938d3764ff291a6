"""pytest -p sdfg.dropin.pytest_plugin: tests run with DaCe building by libsdfg, as SDFG_DROPIN says (else "build"); the summary says what
was built by whom."""

import os

from . import from_environment, install, statistics


def pytest_configure(config):
    if os.environ.get("SDFG_DROPIN"):
        from_environment()
    else:
        install()


def pytest_terminal_summary(terminalreporter):
    done = statistics()
    terminalreporter.write_line(f"libsdfg built {done['built']} programs, DaCe {sum(done['fallback'].values())}")
    for reason, count in sorted(done["fallback"].items(), key=lambda pair: -pair[1]):
        terminalreporter.write_line(f"  {count} times: {reason}")
