"""Programs that are refused."""
import numpy as np

import sdfg

G, LIST, A0, BIG = 3, [1, 2], np.array(3.0), 1 << 70
NAMES = np.array(["a", "b"])


class Broken:
    @property
    def value(self):
        raise ValueError("no value today")


OBJECT = Broken()


@sdfg.program
def assigns_a_global(A):
    G += 1
    return A + G


@sdfg.program
def reads_before_it_assigns(A):
    B = A + G
    G = 4
    return B + G


@sdfg.program
def assigns_an_attribute(A):
    OBJECT.x = 3
    return A


@sdfg.program
def assigns_an_element(A):
    LIST[0] = 3
    return A


@sdfg.program
def missing_name(A):
    B = A + 1
    return B + undefined


@sdfg.program
def missing_attribute(A):
    return A + OBJECT.nothing


@sdfg.program
def missing_element(A):
    return A + LIST[7]


@sdfg.program
def property_that_raises(A):
    return A + OBJECT.value


@sdfg.program
def object_as_number(A):
    return A + OBJECT


@sdfg.program
def object_that_cannot_be_called(A):
    return OBJECT(A)


@sdfg.program
def no_dimensions(A):
    return A + A0


@sdfg.program
def large_integer(A):
    return A + BIG


@sdfg.program
def strings(A):
    return A[NAMES]


def loops(A):
    for x in A:
        yield x


def recursive(n):
    return 1 if n == 0 else n * recursive(n - 1)


@sdfg.program
def generator(A):
    return loops(A)


@sdfg.program
def recursion(A):
    return A * recursive(3)


@sdfg.program
def shapes_differ(A, B):
    return A + B


@sdfg.program
def many(*A):
    return A[0]


@sdfg.program
def two_lines(A):
    B = A + first_unknown
    return B + second_unknown


def programs():
    A = np.ones(3)
    ns = {}
    exec("def nowhere(A):\n    return A\n", ns)
    simple = [assigns_a_global, reads_before_it_assigns, assigns_an_attribute, assigns_an_element, missing_name, missing_attribute,
              missing_element, property_that_raises, object_as_number, object_that_cannot_be_called, no_dimensions, large_integer, strings,
              generator, recursion, many, two_lines, sdfg.program(ns["nowhere"])]
    found = {p.name: (p, (A,)) for p in simple}
    found["shapes_differ"] = shapes_differ, (A, np.ones(4))
    found["too_few"] = shapes_differ, (A,)
    found["too_many"] = shapes_differ, (A, A, A)
    found["strings_as_arrays"] = shapes_differ, (A, NAMES)
    return found
