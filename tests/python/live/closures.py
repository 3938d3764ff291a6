"""Names from outside: globals, cells, attributes, elements, modules, functions."""
import math

import numpy as np

import sdfg

K, SCALE, FLAG, MODE, NOTHING = 3, 0.5, True, "double", None
HALF, SMALL = np.float32(0.5), np.int8(3)
GA, GB = np.arange(5.0), np.ones((3, 4), np.float32)
SAME = GA
DEEP = {"sizes": {"x": [1, 2, 3]}, "arrays": [GA, np.full(5, 2.0)], 4: "four", "pair": (2, GA)}
LISTS = [1.5, 2.5, 3.5]
SHAPE = (5, 2)
INNER, ENDS = slice(1, -1), [slice(None), slice(None, None, -1), slice(np.int64(2), 4, None)]


class Config:
    limit = 4

    def __init__(self):
        self.rate, self.table, self.inner = 0.25, np.arange(5.0), None

    @property
    def twice(self):
        return self.rate * 2

    def __getattr__(self, name):
        if name.startswith("computed_"):
            return len(name)
        raise AttributeError(name)


CFG = Config()
CFG.inner = Config()


@sdfg.program
def scalars(A):
    return A * K + SCALE


@sdfg.program
def kinds(A):
    return A * HALF, A + SMALL, A * K


@sdfg.program
def branches(A):
    if FLAG and MODE == "double":
        return A * 2
    else:
        return A * 3


@sdfg.program
def absent(A):
    if NOTHING is None:
        return A + 1
    else:
        return A + NOTHING


@sdfg.program
def arrays(A):
    GA[1] = 7
    B = A + GA + SAME
    GA[:] = GA + 1
    return B + DEEP["arrays"][0] * DEEP["arrays"][1]


@sdfg.program
def two_dimensions(B):
    return GB @ B + GB[0, 0], GB.T


@sdfg.program
def elements(A):
    s = DEEP["sizes"]["x"][2] + DEEP["pair"][0] + LISTS[-1]
    for x in LISTS:
        A += x
    for i, x in enumerate(DEEP["sizes"]["x"]):
        A[i] += x
    a, b = DEEP["pair"]
    return A * s + a * b


@sdfg.program
def attributes(A):
    return A * CFG.rate + CFG.inner.table * CFG.twice + CFG.limit + CFG.computed_abc


@sdfg.program
def shapes():
    A = np.zeros(SHAPE)
    A[:, 0] = GA
    return A, len(SHAPE), len(DEEP)


@sdfg.program
def modules(A):
    return np.sqrt(A) * math.pi + math.sqrt(16) + np.e


def plain(x, y=2):
    return x * y + K


def calls_plain(x):
    return plain(x) + plain(x, y=3)


@sdfg.program
def decorated(x):
    return x - SCALE


square = lambda x: x * x # noqa: E731


@sdfg.program
def functions(A):
    B = calls_plain(A)
    return decorated(B) + square(A)


def make(k, array):
    @sdfg.program
    def inner(A):
        array[0] += k
        return A + array * k
    return inner


@sdfg.program
def shadows(A):
    K = A[0]
    SCALE = 2
    return A * K + SCALE


def change():
    """Calls between which captured names change."""
    global K, FLAG, MODE, NOTHING, GA, HALF, LISTS, SHAPE, CFG, square
    A = np.arange(5.0) + 1
    K = 10
    yield scalars, (A,)
    K = 2.5
    yield scalars, (A.astype(np.float32),)
    K = True
    yield scalars, (A,)
    K = 1
    yield scalars, (A.astype(int),)
    FLAG = False
    yield branches, (A,)
    FLAG, MODE = True, "triple"
    yield branches, (A,)
    NOTHING = 4.0
    yield absent, (A,)
    GA = np.full(5, -1.0)
    yield arrays, (A,), (GA, SAME)
    GA = GA.astype(np.float32)
    yield arrays, (A,), (GA, SAME)
    GA = np.arange(10.0)[::2]
    yield arrays, (A,), (GA,)
    yield shapes, ()
    LISTS.append(4.5)
    yield elements, (A,)
    yield dictionaries, (A,), (GA,)
    LISTS[0] = 9
    yield elements, (A,)
    DEEP["sizes"]["x"] = [5, 6]
    DEEP["sizes"]["x"].append(1)
    yield elements, (A,)
    CFG.rate = 4
    yield attributes, (A,)
    CFG.inner.table = np.ones(5)
    yield attributes, (A,)
    CFG = Config()
    CFG.inner = Config()
    yield attributes, (A,)
    square = lambda x: x * x * x # noqa: E731
    yield functions, (A,)


@sdfg.program
def dictionaries(A):
    for key in DEEP:
        if key == "sizes":
            A += len(DEEP["sizes"]["x"])
    for name, values in DEEP["sizes"].items():
        A += len(name) * values[1]
    for array in DEEP["arrays"][0:2]:
        A += array
    for i, key in enumerate(DEEP["sizes"].keys()):
        A[i] = DEEP.get("nothing", 7) + DEEP["sizes"].get(key)[2]
    return sum(DEEP["sizes"]["x"][1:]), "abc" < "abd", "b" >= "c"


@sdfg.program
def slices(A, s):
    B = A[INNER] + A[ENDS[1]][INNER]
    A[s] *= 2
    return B, A[ENDS[0]] + A[slice(None)], A[ENDS[2]].sum(), A[INNER.start]


HELD, ROWS = {"a": np.arange(5.0), "b": np.zeros((2, 5))}, [np.ones(5), np.ones(5, np.float32)]


@sdfg.program
def held(A):
    HELD["a"] += A
    HELD["b"] *= 2
    HELD["b"] += HELD["a"]
    ROWS[1] -= 1
    return ROWS[0] + ROWS[1]


def calls():
    A = np.arange(5.0)
    yield held, (A,), (HELD["a"], HELD["b"], *ROWS)
    yield held, (A * 2,), (HELD["a"], HELD["b"], *ROWS)
    yield scalars, (A,)
    yield scalars, (A.astype(int),)
    for s in slice(0, 2), slice(0, 3), slice(-2, None), slice(0, 3):
        yield slices, (A, s)
    for dtype in np.float32, np.int8, np.float64, np.int64:
        yield kinds, (A.astype(dtype),)
    yield branches, (A,)
    yield absent, (A,)
    yield arrays, (A,), (GA,)
    yield two_dimensions, (np.ones((4, 2), np.float32),)
    yield elements, (A,)
    yield attributes, (A,)
    yield shapes, ()
    yield modules, (A,)
    yield functions, (A,)
    for k in 2, 3:
        array = np.ones(5) * k
        yield make(k, array), (A,), (array,)
    yield shadows, (A,)
    yield from change()
