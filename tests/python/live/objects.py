"""Methods, callable objects, properties, static and class methods."""
import numpy as np

import sdfg


class Base:
    count = 2

    def __init__(self, k, n=4):
        self.k, self.table, self.child = k, np.arange(float(n)), None

    def __call__(self, x):
        return x + self.k

    def scale(self, x, by=1):
        return self(x) * self.k * by

    @property
    def tenfold(self):
        return self.k * 10

    @staticmethod
    def less(x):
        return x - 1

    @classmethod
    def counted(cls, x):
        return x * cls.count

    @sdfg.program
    def step(self, A):
        self.table += A * self.k
        self.table[0] = 5
        return self.scale(A, by=2) + self.table


class Derived(Base):
    count = 3

    def scale(self, x, by=1):
        return super_scale(self, x) + by


def super_scale(self, x):
    return Base.scale(self, x)


FIRST, LIST = Base(3), [Base(1), Base(2)]


@sdfg.program
def uses(A):
    B = FIRST(A) + FIRST.tenfold + FIRST.less(A) + FIRST.scale(A) + FIRST.counted(A)
    for o in LIST:
        B += o(A) * o.table[1]
    return B


@sdfg.program
def takes(o, A):
    return o.scale(A) + o.table


class Method:
    """A method of an object as the tests call it: with `f`."""

    def __init__(self, o, name):
        self.o, self.name = o, name

    def __call__(self, *args):
        return getattr(self.o, self.name)(*args)

    def f(self, *args):
        return getattr(type(self.o), self.name).f(self.o, *args)


class Programs:
    """Programs in a class that call each other."""

    def __init__(self, factor):
        self.factor = factor

    @sdfg.program
    def scaled(self, A):
        return A * self.factor

    @sdfg.program
    def __call__(self, A):
        return self.scaled(A) + self.scaled(A[::-1])


DOUBLE = Programs(2.0)


@sdfg.program
def calls_programs_of_objects(A):
    return DOUBLE(A) + DOUBLE.scaled(A)


K = 2
STANDARD = np.ones(3)


def with_standards(x, y=STANDARD, n=K * 3, *, z=K + 1, shared=np.zeros(3)):
    shared += 1
    return x * n + y * z + shared


K = 5


@sdfg.program
def standards(A):
    k = A[0] + 1

    def local(x, by=k * 2, to=A[1:2], *, more, less=k - 1):
        return x * by + to + more - less
    k = A[1] + 100
    B = local(A, more=3)
    return with_standards(A) + with_standards(A, n=1) + with_standards(A, A) + B + k


def calls():
    yield calls_programs_of_objects, (np.arange(5.0),)
    shared = with_standards.__kwdefaults__["shared"]
    for _ in range(3):
        yield standards, (np.arange(3.0),), (shared,)
        STANDARD[1] += 1
    A = np.arange(4.0)
    yield uses, (A,)
    FIRST.k = 7
    yield uses, (A,)
    LIST.append(Base(9))
    yield uses, (A,)
    LIST[0] = Derived(4)
    yield uses, (A,)
    Base.count = 11
    yield uses, (A,)
    for o in Base(1), Base(2), Derived(2), Derived(2):
        yield Method(o, "step"), (A,), (o.table,)
        o.k += 1
        yield Method(o, "step"), (A,), (o.table,)
        yield takes, (o, A)
