"""Calls whose arrays share memory: what CPython computes, or an error where that cannot be compiled."""
import unittest

import numpy

import sdfg

CAPTURED = numpy.arange(6.0)
SECOND = CAPTURED[:]


@sdfg.program
def shift(A, B):
    for i in range(A.shape[0] - 1):
        B[i + 1] = A[i]


@sdfg.program
def backwards(A, B, s):
    B[:] = A[::-1] * s
    return numpy.sum(A)


@sdfg.program
def three(A, B, C):
    A += B
    B += C
    C += A


@sdfg.program
def into_captured(A):
    for i in range(A.shape[0] - 1):
        CAPTURED[i + 1] = A[i]


@sdfg.program
def between_captured():
    for i in range(CAPTURED.shape[0] - 1):
        SECOND[i + 1] = CAPTURED[i]


@sdfg.program
def reads(A, B):
    return A @ B


N, M = sdfg.symbol("N"), sdfg.symbol("M")


@sdfg.program
def of_two_sizes(A: sdfg.float64[N], B: sdfg.float64[M]):
    for i in range(N - 1):
        B[i + 1] = A[i]


class Overlap(unittest.TestCase):
    def check(self, program, make):
        ours, theirs = make(), make()
        result, expected = program(*ours), program.f(*theirs)
        for a, b in zip((*ours, result), (*theirs, expected)):
            self.assertTrue(numpy.array_equal(a, b) if b is not None else a is None, f"{program.name}: {a}, in Python {b}")

    def refused(self, program, arguments, names):
        before = [a.copy() for a in arguments]
        with self.assertRaises(sdfg.InvalidError) as caught:
            program(*arguments)
        self.assertEqual(caught.exception.code, "ARGUMENT_OVERLAP")
        self.assertEqual(str(caught.exception), f"error[invalid]: arguments {names} share memory and one of them is written: "
                                                "pass a copy of one")
        for a, b in zip(arguments, before):
            self.assertTrue(numpy.array_equal(a, b))

    def test_the_same_array_twice(self):
        for second in (lambda X: X, lambda X: X[:], lambda X: X.view()):
            def make(second=second):
                X = numpy.arange(7.0)
                return X, second(X)
            for _ in range(3):
                self.check(shift, make)
                self.check(backwards, lambda: (*make(), 2))
        self.check(shift, lambda: (numpy.arange(7.0), numpy.zeros(7)))

    def test_groups(self):
        def make(which):
            a = numpy.arange(5.0), numpy.arange(5.0) + 10, numpy.arange(5.0) + 20
            return tuple(a[i] for i in which)
        for which in ((0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 0, 0), (0, 1, 2)):
            for _ in range(2):
                self.check(three, lambda which=which: make(which))
        self.assertIn("shared memory: A is B is C", three.explain())

    def test_captured_arrays(self):
        for make in lambda: CAPTURED, lambda: CAPTURED[:], lambda: numpy.full(6, 3.0), lambda: CAPTURED:
            CAPTURED[:] = numpy.arange(6.0)
            into_captured(make())
            ours = CAPTURED.copy()
            CAPTURED[:] = numpy.arange(6.0)
            into_captured.f(make())
            self.assertTrue(numpy.array_equal(ours, CAPTURED))
        CAPTURED[:] = numpy.arange(6.0)
        between_captured()
        self.assertEqual(CAPTURED.tolist(), [0.0] * 6)

    def test_elements_between_each_other(self):
        def columns():
            X = numpy.arange(20.0).reshape(4, 5)
            return X[:, 1], X[:, 3]

        def even():
            X = numpy.arange(10.0)
            return X[::2], X[1::2]
        for make in columns, even:
            for _ in range(2):
                self.check(shift, make)

    def test_other_overlaps_are_refused(self):
        X = numpy.arange(8.0)
        self.refused(shift, (X[1:], X[:-1]), "'A' and 'B'")
        self.refused(shift, (X[:-1], X[1:]), "'A' and 'B'")
        self.refused(shift, (X, X[::-1]), "'A' and 'B'")
        self.refused(of_two_sizes, (X, X), "'A' and 'B'")
        self.refused(into_captured, (CAPTURED[::-1],), "'A' and '__g_CAPTURED'")
        with self.assertRaises(sdfg.InvalidError):
            shift.bind(X[1:], X[:-1])

    def test_what_is_only_read_may_overlap(self):
        X = numpy.arange(8.0)
        self.assertEqual(reads(X, X), X @ X)
        self.assertEqual(reads(X[1:], X[:-1]), X[1:] @ X[:-1])
        self.assertEqual(len(reads.explain().splitlines()), 1)

    def test_bound_calls(self):
        X = numpy.arange(6.0)
        bound = shift.bind(X, X)
        bound()
        self.assertEqual(X.tolist(), [0.0] * 6)


if __name__ == "__main__":
    unittest.main()
