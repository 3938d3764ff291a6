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


@sdfg.program(fallback=False)
def generator(A):
    return loops(A)


@sdfg.program(fallback=False)
def recursion(A):
    return A * recursive(3)


@sdfg.program(fallback=False)
def no_text(A):
    print(A)


@sdfg.program
def of_unknown_type(A):
    x = recursive(3)
    return A * x


@sdfg.always_inline
def evaluated(n):
    return int(n) + 1


@sdfg.program
def inlined_of_data(A):
    return A + evaluated(A[0])


@sdfg.program
def object_in_a_branch(A):
    x = np.random.default_rng(1)
    if A[0] > 1:
        x = np.random.default_rng(2)
    return x


@sdfg.program
def callback_parameter(A, f: sdfg.callback(sdfg.float64, sdfg.float64)):
    A[0] = f(A[1])


def returns_none(A) -> float:
    global G


def returns_another_shape(A) -> sdfg.float64[2]:
    global G
    return A


def returns_complex(A) -> float:
    global G
    return 1j


def returns_one(A) -> tuple[float, int]:
    global G
    return 1.0


@sdfg.program
def result_none(A):
    return returns_none(A)


@sdfg.program
def result_of_another_shape(A):
    return returns_another_shape(A)


@sdfg.program
def result_of_another_type(A):
    return returns_complex(A)


@sdfg.program
def too_few_results(A):
    x, y = returns_one(A)
    return x + y


@sdfg.program
def exception_of_numpy(A):
    return np.linalg.tensorinv(A)


@sdfg.program
def shapes_differ(A, B):
    return A + B


@sdfg.program
def many(*A):
    return A[2]


@sdfg.program
def two_lines(A):
    B = A + first_unknown
    return B + second_unknown


class Manager:
    def __enter__(self):
        return 1.0

    def __exit__(self, *details):
        pass


MANAGER = Manager()


@sdfg.program
def manager_without_methods(A):
    with OBJECT:
        A += 1


@sdfg.program
def manager_that_is_an_array(A):
    with A:
        A += 1


@sdfg.program
def may_return(A):
    with MANAGER:
        if A[0] > 2:
            return A
    return A * 2


@sdfg.program
def manager_with_a_return_in_a_part(A):
    return may_return(A)


@sdfg.program
def step_of_zero(A):
    return A[::0]


@sdfg.program
def key_that_is_missing(A):
    return A * {"a": 1, "b": 2}["c"]


@sdfg.program
def index_of_a_constant_size(A: sdfg.float64[3]):
    return A[3]


@sdfg.program
def assertion_that_does_not_hold(A):
    assert G > 3, "G is large"
    return A


@sdfg.program
def takes_a_constant(A, n: sdfg.compiletime):
    return A * n


@sdfg.program
def gives_no_constant(A):
    return takes_a_constant(A, A[0])


@sdfg.program
def returns_a_dictionary(A):
    return {"sum": A}


def programs():
    A = np.ones(3)
    ns = {}
    exec("def nowhere(A):\n    return A\n", ns)
    simple = [assigns_a_global, reads_before_it_assigns, assigns_an_attribute, assigns_an_element, missing_name, missing_attribute,
              missing_element, property_that_raises, object_as_number, object_that_cannot_be_called, no_dimensions, large_integer, strings,
              generator, recursion, many, two_lines, no_text, of_unknown_type, object_in_a_branch, inlined_of_data, result_none,
              result_of_another_shape, result_of_another_type, too_few_results, exception_of_numpy, manager_without_methods,
              manager_that_is_an_array, manager_with_a_return_in_a_part, step_of_zero, key_that_is_missing, index_of_a_constant_size,
              assertion_that_does_not_hold, gives_no_constant, returns_a_dictionary, sdfg.program(ns["nowhere"])]
    found = {p.name: (p, (A,)) for p in simple}
    found["callback_parameter"] = callback_parameter, (A, 3)
    found["shapes_differ"] = shapes_differ, (A, np.ones(4))
    found["too_few"] = shapes_differ, (A,)
    found["too_many"] = shapes_differ, (A, A, A)
    found["strings_as_arrays"] = shapes_differ, (A, NAMES)
    return found
