"""Calls that Python makes: functions without text, of NumPy, refused ones, recursion; results of all kinds; arguments of all kinds."""
import numpy as np

import sdfg

N = sdfg.symbol("N")
LOG = np.zeros(8)


def noted(A, at=0, *, factor=1.0):
    global UNUSED
    LOG[at] = A.sum() * factor


def scaled(A, s) -> float:
    try:
        return float(A[0]) * s
    finally:
        pass


def filled(A):
    global UNUSED
    A[...] = np.arange(A.size).reshape(A.shape)


def five():
    global UNUSED
    return 5.0


class Like:
    """An array of another package."""

    def __init__(self, array):
        self.array = array

    @property
    def __array_interface__(self):
        return self.array.__array_interface__

    def twice(self):
        return float(self.array.sum()) * 2


def asks(like) -> float:
    global UNUSED
    return like.twice()


LIKE = Like(np.arange(3.0))


@sdfg.program
def stretched(A):
    A[1:] = five()
    A[0] = five()
    return A


@sdfg.program
def in_maps(A):
    s = 0.0
    for i, j in sdfg.map[0:2, 1:A.shape[0]]:
        noted(A[:i + 1], j % 8, factor=2.0)
        A[j] += scaled(A, i)
        s += A[j]
    for k in sdfg.map[0:A.shape[0]]: # this one has no order
        A[k] = A[k] + s
    for k in sdfg.map[A.shape[0] - 1:0:1]:
        noted(A)
    return s


@sdfg.program
def other_arrays(A):
    x = asks(LIKE)
    return A + x


def split(A) -> tuple[float, sdfg.float64[N], int]:
    global UNUSED
    return A[0], A[::-1] * 2, len(A)


def faculty(n) -> int:
    return 1 if n < 2 else n * faculty(n - 1)


def record(A):
    global UNUSED
    return {"sum": A.sum(), "copy": A.copy()}


def of_record(r, key) -> float:
    global UNUSED
    return r[key]


def described(shape, names, flags, pair, size) -> int:
    global UNUSED
    return size + shape[0] * 10 + len(names["a"]) * 100 + sum(flags) * 1000 + int(pair[0].sum()) * 10000


class Counter:
    def __init__(self):
        self.total = 0.0

    def add(self, x) -> float:
        global UNUSED
        self.total += x
        return self.total

    def __call__(self, A):
        global UNUSED
        A += 1


COUNTER, KEEPER = Counter(), Counter()


@sdfg.program
def statements(A):
    noted(A)
    noted(A[1:], 1)
    noted(A[::-2], at=2, factor=2.0)
    return A + 1


@sdfg.program
def values(A, n):
    t = scaled(A, s=n)
    return t * A, faculty(n)


@sdfg.program
def in_place(A):
    filled(A[1:, ::2])
    filled(A.T[0])
    return A * 2


@sdfg.program
def several(A: sdfg.float64[N]):
    x, B, n = split(A)
    return B + x, n


@sdfg.program
def numpys(A):
    B = np.sort(A)
    C = np.cumsum(A, axis=0)
    return B, C, np.linalg.det(np.outer(B, B) + np.eye(A.shape[0])), np.fft.fft(A)


@sdfg.program
def by_target(A, B):
    B[1:3] = halves(A)
    t: sdfg.float64 = halves(A[:2])
    return t


def halves(A):
    global UNUSED
    return A[0] / 2 if len(A) == 2 else A[:2] / 2


@sdfg.program
def objects(A):
    r = record(A)
    return of_record(r, "sum")


@sdfg.program
def returned(A):
    return record(A), np.sum(A)


@sdfg.program
def loops(A):
    total = 0.0
    for i in range(A.shape[0]):
        noted(A[:i + 1], i)
        if A[i] > 2:
            total += scaled(A[i:], 2)
    return total


@sdfg.program
def arguments(A):
    return described(A.shape, {"a": "xyz"}, [True, False, True], (A, 1.5), A.size)


@sdfg.program
def nested(A):
    return scaled(np.sort(A), scaled(A, 1.0))


@sdfg.program
def methods(A):
    KEEPER(A)
    return A * 1.0


@sdfg.program
def explicit(A: sdfg.float64[N], f: sdfg.callback(sdfg.float64[N], sdfg.float64[N]), g: sdfg.callback((sdfg.float64, sdfg.int64), sdfg.float64)):
    A[:] = f(A)
    x, n = g(A[0])
    return x + n


@sdfg.program
def complex_numbers(A):
    z = np.vdot(A, A)
    return np.angle(z), np.conj(A) * z


def calls():
    rng = np.random.default_rng(5)
    for n in 4, 4, 7:
        yield statements, (rng.random(n),), (LOG,)
        yield values, (rng.random(n), n % 5)
        yield loops, (rng.random(min(n, 8)) * 4,), (LOG,)
        yield nested, (rng.random(n),)
        yield numpys, (rng.random(n),)
        yield methods, (rng.random(n),)
        yield objects, (rng.random(n),)
        yield arguments, (rng.random(n).astype(np.float32),)
        yield explicit_of(n), (rng.random(n),)
        yield several, (rng.random(n),)
        yield stretched, (rng.random(n),)
        yield in_maps, (rng.random(n),), (LOG,)
        yield other_arrays, (rng.random(n),)
    yield in_place, (rng.random((4, 5)),)
    yield in_place, (rng.random((4, 6))[:, ::2],)
    yield in_place, (np.asfortranarray(rng.random((3, 3))),)
    yield by_target, (rng.random(4), rng.random(5))
    yield complex_numbers, (rng.random(4) + 1j,)


class explicit_of:
    """The program with functions for its parameters."""
    name = "explicit"

    def __init__(self, n):
        self.functions = (lambda x: x[::-1] + n), (lambda x: (x * 2, n))

    def __call__(self, A):
        return explicit(A, *self.functions)

    def f(self, A):
        return explicit.f(A, *self.functions)
