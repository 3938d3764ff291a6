"""pytest -p pytest_in_step: the processes end each test together, so that no message of a test meets one of the next. One that fails says so at once and waits a
while for the others; if these wait for its messages, all end."""
import time

import pytest
from mpi4py import MPI

COMM = MPI.COMM_WORLD.Dup()
PATIENCE = 5 # seconds
failed = set()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if report.failed:
        failed.add(item.nodeid)
        text = str(call.excinfo.value).strip().splitlines()
        print(f"\nFAILED {item.nodeid} - {call.excinfo.typename}: {text[0] if text else ''}", file=item.config.get_terminal_writer()._file, flush=True)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item):
    here, since = COMM.Ibarrier(), time.monotonic()
    while not here.Test():
        if item.nodeid in failed and time.monotonic() - since > PATIENCE:
            COMM.Abort(1)
        time.sleep(0.001)
