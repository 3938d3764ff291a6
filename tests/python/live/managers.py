"""`with`: managers that are compiled in, called by Python, made by calls, left by jumps; named regions."""
import contextlib

import numpy as np

import sdfg

LOG = []


class Clock:
    """Compiled in."""

    def __init__(self):
        self.ticks = np.zeros(3)

    def __enter__(self):
        self.ticks[0] += 1
        return 10.0

    def __exit__(self, kind, error, trace):
        self.ticks[1] += self.ticks[0]


class Logged:
    """Called by Python."""

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        global UNUSED
        LOG.append(f"enter {self.name}")
        return self

    def __exit__(self, *details):
        global UNUSED
        LOG.append(f"exit {self.name} {[d and getattr(d, '__name__', str(d)) for d in details[:2]]}")

    def note(self, x) -> float:
        global UNUSED
        LOG.append(f"{self.name} {x}")
        return x + 1


@contextlib.contextmanager
def logged(name, *, number=0):
    LOG.append(f"begin {name} {number}")
    try:
        yield number + 1
    finally:
        LOG.append(f"end {name}")


CLOCK, FIRST, SECOND = Clock(), Logged("first"), Logged("second")


@sdfg.program
def compiled(A):
    with CLOCK as c:
        A += c
    with CLOCK:
        A *= 2
    return A + CLOCK.ticks


@sdfg.program
def called(A):
    with FIRST as f, SECOND:
        x: sdfg.float64 = f.note(A[0])
        A += 1
        SECOND.note(A[0])
    return A * 2 + x


@sdfg.program
def made_by_calls(A, n):
    for i in range(n):
        with logged("block", number=i) as k:
            note(k)
            A += i
    return A


def note(k):
    global UNUSED
    LOG.append(f"got {k}")


@sdfg.program
def left_by_jumps(A, n):
    for i in range(n):
        with FIRST:
            with SECOND:
                if A[0] > 3:
                    break
                A += 1
                if A[0] == 2:
                    continue
            A += 0.5
    with SECOND:
        if A[1] > 100:
            return A * 2
        for k in range(2):
            with FIRST:
                if A[2] > 50:
                    return A * 3
            A += k
    return A + 1


def callee(A, x):
    with CLOCK:
        if x > 2:
            return A[0] + 1
        else:
            return A[1] * 2


def nested(A, x):
    if x > 0:
        with CLOCK as c:
            return A[0] + c
    return A[1] - 1


@sdfg.program
def left_by_callees(A, x):
    return callee(A, x) + nested(A, x) + CLOCK.ticks


@sdfg.program
def unrolled(A):
    for x in (1, 2, 3, 4):
        with CLOCK:
            if x == 2:
                continue
            with CLOCK:
                if x == 4:
                    break
                A += x
    else:
        A *= 100
    return A + CLOCK.ticks


@sdfg.program
def regions(A, n):
    with sdfg.named("first part"):
        k = n + 1
        B = A * 2
    with sdfg.named:
        for i in range(3):
            with sdfg.named("inside"), sdfg.named("more"):
                if i == 2:
                    break
                B += i
        if n > 2:
            return B + 1
    B[:k] *= k
    return B


@sdfg.program
def methods_of_objects(A):
    r = np.random.default_rng(int(7))
    x: sdfg.float64 = r.random()
    n: sdfg.int64 = r.integers(1, high=10)
    return A * x + n


@sdfg.program
def fails(A):
    with FIRST:
        with logged("failing"):
            FIRST.note(1.0)
            stop(A[0])
            SECOND.note(2.0)
        with SECOND:
            SECOND.note(3.0)
    return A


def stop(x):
    if x > 2:
        raise KeyError("stopped")


class Watched:
    """A program whose calls give the result, or the text of the exception, and what was logged."""

    def __init__(self, program):
        self.program, self.name = program, program.name

    def watch(self, function, *args):
        LOG.clear()
        try:
            result = function(*args)
        except KeyError as error:
            result = repr(error)
        return result, "\n".join(LOG)

    def __call__(self, *args):
        return self.watch(self.program, *args)

    def f(self, *args):
        return self.watch(self.program.f, *args)


def calls():
    A = np.ones(3)
    for n in 1, 2, 3, 5:
        yield compiled, (A,), (CLOCK.ticks,)
        yield Watched(called), (A,)
        yield Watched(made_by_calls), (A, n)
        yield Watched(left_by_jumps), (A, n)
        yield Watched(left_by_jumps), (A * 0, n)
        yield Watched(left_by_jumps), (A * 60, n)
        yield Watched(left_by_jumps), (A * 200, n)
        yield left_by_callees, (A, float(n)), (CLOCK.ticks,)
        yield left_by_callees, (A, -1.0), (CLOCK.ticks,)
        yield unrolled, (A,), (CLOCK.ticks,)
        yield regions, (np.arange(9.0), n)
        yield methods_of_objects, (A,)
        yield Watched(fails), (A * n,)
