"""Checked mode from Python: faults are exceptions with a code, an element and what was accessed; the program can be called again."""
import pathlib
import unittest

import numpy

import sdfg

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "examples"


def load(path, check=True):
    return sdfg.Program(path, engine=sdfg.Engine(check=check, cache_dir=None))


class Faults(unittest.TestCase):
    def fault(self, code, call):
        with self.assertRaises(sdfg.FaultError) as caught:
            call()
        self.assertEqual(caught.exception.code, code)
        self.assertIsInstance(caught.exception, ValueError)
        return caught.exception

    def test_bounds(self):
        passed = load(HERE.parent / "cli" / "check" / "passed.sdfg")
        A = numpy.ones(8)
        e = self.fault("CHECK_BOUNDS", lambda: passed(A=A, k=4))
        self.assertTrue(e.path.startswith("passed/"), e.path)
        self.assertIn("[4:12] of extents [8]", str(e))
        passed(A=A, k=0) # the fault is forgotten
        self.assertEqual(A.tolist(), [0.0] + [1.0] * 7)

    def test_pointers_that_move(self):
        reference = load(HERE.parent / "cli" / "check" / "reference.sdfg")
        A = numpy.zeros(8)
        reference(A=A, last=6)
        self.assertEqual(A[7], 1.0)
        e = self.fault("CHECK_BOUNDS", lambda: reference(A=A, last=7))
        self.assertIn("byte 71 of 64", str(e))

    def test_overflow(self):
        wrap = load(HERE.parent / "cli" / "check" / "wrap_later.sdfg")
        e = self.fault("CHECK_OVERFLOW", lambda: wrap(A=numpy.zeros(8), at=numpy.array([4])))
        self.assertIn("64 bits", str(e))

    def test_kinds_by_name(self):
        x, y = numpy.ones(4), numpy.ones(4)
        self.fault("CHECK_NAN", lambda: load(EXAMPLES / "axpy.sdfg", "nan")(X=x, Y=y, alpha=float("inf")))
        load(EXAMPLES / "axpy.sdfg", "bounds")(X=x, Y=y, alpha=float("inf"))

    def test_shared_memory(self):
        axpy = load(EXAMPLES / "axpy.sdfg")
        x = numpy.ones(8)
        self.fault("CHECK_ALIAS", lambda: axpy(X=x[:6], Y=x[2:], alpha=1.0))

    def test_without_checks_nothing_is_raised(self):
        x, y = numpy.ones(4), numpy.ones(4)
        load(EXAMPLES / "axpy.sdfg", False)(X=x, Y=y, alpha=float("inf"))


if __name__ == "__main__":
    unittest.main()
