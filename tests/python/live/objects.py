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


def calls():
    yield calls_programs_of_objects, (np.arange(5.0),)
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
