"""What stays in memory: bytes of the process for each of 10,000 calls, 1,000 redefinitions and 1,000 objects that are dropped, behind a first round
of the same that fills what is kept. Exit status 1 where more than 1 KiB for each stays. Run with PYTHONPATH=python."""
import gc
import linecache
import os
import sys

import numpy

import sdfg

LIMIT = 1024


def resident():
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@sdfg.program
def call(A, s):
    A += s


def calls(count):
    A = numpy.ones(100)
    for _ in range(count):
        call(A, 1.0)


def redefinitions(count):
    """As in a notebook: the same name with another text."""
    A = numpy.ones(100)
    for i in range(count):
        text = f"@sdfg.program\ndef f(A):\n    A += {i % 7}\n"
        linecache.cache["<cell>"] = (len(text), None, text.splitlines(True), "<cell>")
        names = {"sdfg": sdfg}
        exec(compile(text, "<cell>", "exec"), names)
        names["f"](A)


class Holder:
    def __init__(self):
        self.weights = numpy.ones(100)

    @sdfg.program
    def __call__(self, A):
        A += self.weights


def objects(count):
    A = numpy.ones(100)
    for _ in range(count):
        Holder()(A)


def main():
    worst = 0
    for body, count in (calls, 10000), (redefinitions, 1000), (objects, 1000):
        body(count)
        before = resident()
        body(count)
        each = (resident() - before) / count
        worst = max(worst, each)
        print(f"{count} {body.__name__}: {each:.0f} bytes each", flush=True)
    return int(worst > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
