"""The Python module: what it accepts, returns and refuses. Run from anywhere; PYTHONPATH has the module."""
import array
import ctypes
import gc
import gzip
import json
import pathlib
import tempfile
import threading
import unittest

import numpy

import sdfg

CORNER = pathlib.Path(__file__).resolve().parent.parent / "run/corner/transcripts"
EXAMPLES = pathlib.Path(__file__).resolve().parent.parent.parent / "examples"


class Dace:
    """An SDFG object as DaCe has it."""

    def __init__(self, path):
        self.text = json.loads(path.read_text())
        self.arg_names = ["X", "alpha", "Y"]

    def to_json(self):
        return self.text


class Calls(unittest.TestCase):
    def setUp(self):
        self.x, self.y = numpy.arange(5.0), numpy.ones(5)

    def check(self, axpy):
        self.assertIsNone(axpy(X=self.x, Y=self.y, alpha=2))
        numpy.testing.assert_array_equal(self.y, 2 * numpy.arange(5.0) + 1)

    def test_paths(self):
        self.check(sdfg.compile(EXAMPLES / "axpy.sdfg"))

    def test_rows_of_different_lengths(self):
        jagged = sdfg.compile(CORNER / "memory_jagged/prog.sdfg")
        rows, total = [numpy.ones(i) for i in range(4)], numpy.zeros(1)
        pointers = (ctypes.c_void_p * 4)(*[row.ctypes.data for row in rows])
        jagged(R=pointers, B=total, M=4) # N, of which the shape of a row speaks, is in no code
        numpy.testing.assert_array_equal(total, 6)

    def test_tiers(self):
        for tier in "full", "quick", "auto":
            self.y = numpy.ones(5)
            self.check(sdfg.compile(EXAMPLES / "axpy.sdfg", tier=tier))

    def test_text(self):
        self.check(sdfg.compile((EXAMPLES / "axpy.sdfg").read_text()))

    def test_compressed_bytes(self):
        self.check(sdfg.compile(gzip.compress((EXAMPLES / "axpy.sdfg").read_bytes())))

    def test_dictionaries(self):
        self.check(sdfg.compile(json.loads((EXAMPLES / "axpy.sdfg").read_text())))

    def test_objects_of_dace_in_their_positional_order(self):
        axpy = sdfg.compile(Dace(EXAMPLES / "axpy.sdfg"))
        axpy(self.x, 2, self.y)
        numpy.testing.assert_array_equal(self.y, 2 * numpy.arange(5.0) + 1)

    def test_positional_order_of_files(self):
        axpy = sdfg.compile(EXAMPLES / "axpy.sdfg")
        values = {"X": self.x, "Y": self.y, "alpha": 2}
        axpy(*(values[name] for name in axpy.arg_names))
        self.assertEqual(self.y[4], 9)
        with self.assertRaises(TypeError):
            axpy(*range(20))
        with self.assertRaises(TypeError):
            axpy(self.x, **{axpy.arg_names[0]: self.x})

    def test_other_buffers(self):
        y = array.array("d", [1, 1, 1])
        sdfg.compile(EXAMPLES / "axpy.sdfg")(X=(ctypes.c_double * 3)(1, 2, 3), Y=y, alpha=2, N=3)
        self.assertEqual(list(y), [3, 5, 7])

    def test_strided_arrays(self):
        clip = sdfg.compile(EXAMPLES / "heat_3d.sdfg")
        self.assertIn("N", clip.solve(A=numpy.zeros((6, 6, 6))))

    def test_names_that_the_program_does_not_take(self):
        axpy = sdfg.compile(Dace(EXAMPLES / "axpy.sdfg"))
        axpy(X=self.x, Y=self.y, alpha=2, M=7, unused=self.x)
        self.assertEqual(self.y[1], 3)
        axpy = sdfg.compile(EXAMPLES / "axpy.sdfg")
        for ask in axpy, axpy.bind, axpy.solve:
            with self.assertRaisesRegex(TypeError, r"^axpy has no argument 'n' \(did you mean 'N'\?\)$"):
                ask(X=self.x, Y=self.y, alpha=2, n=5)
        with self.assertRaisesRegex(TypeError, "^axpy has no argument 'unused'$"):
            axpy(X=self.x, Y=self.y, alpha=2, unused=self.x)
        self.assertEqual(self.y[1], 3)

    def test_names_that_nothing_needs(self):
        graph = json.loads((EXAMPLES / "axpy.sdfg").read_text())
        graph["attributes"]["symbols"]["M"] = "int64"
        sdfg.compile(graph)(X=self.x, Y=self.y, alpha=2, M=7)
        self.assertEqual(self.y[1], 3)

    def test_positional_calls_that_repeat(self):
        axpy = sdfg.compile(EXAMPLES / "axpy.sdfg")
        values = [{"X": self.x, "Y": self.y, "alpha": 2}[name] for name in axpy.arg_names]
        for n in range(1, 4):
            axpy(*values)
            self.assertEqual(self.y[4], 1 + 8 * n)
        self.assertEqual(axpy._fast[0], (3,))
        axpy(*values[:1], **dict(zip(axpy.arg_names[1:], values[1:])))
        self.assertEqual(self.y[4], 33)

    def test_lists_are_inputs(self):
        axpy = sdfg.compile(EXAMPLES / "axpy.sdfg")
        axpy(X=[1, 2, 3], Y=self.y[:3], alpha=2)
        self.assertEqual(list(self.y), [3, 5, 7, 1, 1])
        with self.assertRaises(TypeError):
            axpy(X=self.x, Y=[1, 2, 3, 4, 5], alpha=2)

    def test_bound_calls(self):
        bound = sdfg.compile(EXAMPLES / "axpy.sdfg").bind(X=self.x, Y=self.y, alpha=1)
        gc.collect() # the bound call keeps what it needs
        for _ in range(3):
            bound()
        self.assertEqual(self.y[4], 13)

    def test_threads(self):
        axpy, results = sdfg.compile(EXAMPLES / "axpy.sdfg", num_threads=1), []

        def work(k):
            y = numpy.zeros(1000)
            for _ in range(50):
                axpy(X=numpy.full(1000, float(k)), Y=y, alpha=1)
            results.append((y == 50 * k).all())

        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(results, [True] * 4)


class Streams(unittest.TestCase):
    def test_calls(self):
        above = sdfg.compile(EXAMPLES.parent / "tests" / "cli" / "above.sdfg")
        self.assertEqual({a.name: a.kind for a in above.arguments}["S"], "stream")
        s = sdfg.Stream("float64")
        s.push([7, 8])
        above(X=numpy.arange(6.0), L=numpy.array([2.0]), S=s)
        self.assertEqual(s.size(), 5)
        numpy.testing.assert_array_equal(s.pop(3), [7, 8, 3])
        bound = above.bind(X=numpy.arange(6.0), L=numpy.array([4.0]), S=s)
        bound()
        numpy.testing.assert_array_equal(numpy.sort(s.pop()), [4, 5, 5])
        self.assertEqual(s.pop().size, 0)

    def test_mistakes(self):
        above = sdfg.compile(EXAMPLES.parent / "tests" / "cli" / "above.sdfg")
        x, least = numpy.arange(6.0), numpy.zeros(1)
        with self.assertRaisesRegex(sdfg.InvalidError, "float64, 8 bytes each, but a stream for 4"):
            above(X=x, L=least, S=sdfg.Stream("float32"))
        with self.assertRaisesRegex(sdfg.InvalidError, "a stream of 2"):
            above(X=x, L=least, S=sdfg.Stream("float64", queues=2))
        with self.assertRaisesRegex(TypeError, "'S' is a stream: an sdfg.Stream is expected, not ndarray"):
            above(X=x, L=least, S=x)
        with self.assertRaises(sdfg.Error):
            sdfg.Stream("float64").push(1, queue=1)


class Refusals(unittest.TestCase):
    def setUp(self):
        self.axpy = sdfg.compile(EXAMPLES / "axpy.sdfg")
        self.x = numpy.zeros(4)

    def refused(self, kind, **arguments):
        with self.assertRaises(kind) as caught:
            self.axpy(**{"X": self.x, "Y": self.x.copy(), "alpha": 1.0, **arguments})
        return caught.exception

    def test_shapes(self):
        e = self.refused(sdfg.InvalidError, Y=numpy.zeros(5))
        self.assertEqual(e.code, "SYMBOL_CONFLICT")
        self.assertEqual(len(e.messages), 1)
        self.assertIn("X.shape[0] = N", str(e))

    def test_types(self):
        self.refused(sdfg.InvalidError, X=numpy.zeros(4, "float32"))
        self.refused(TypeError, X=numpy.array(["a", "b", "c", "d"]))
        self.refused(TypeError, X=object())
        self.refused(TypeError, alpha=object())
        self.refused(OverflowError, N=1 << 70)

    def test_missing_arguments(self):
        with self.assertRaises(sdfg.InvalidError):
            self.axpy(X=self.x, Y=self.x)

    def test_arrays_that_must_not_be_written(self):
        y = numpy.zeros(4)
        y.flags.writeable = False
        self.refused(ValueError, Y=y)

    def test_odd_strides(self):
        records = numpy.zeros(4, [("a", "f8"), ("b", "i4")])
        self.refused(ValueError, X=records["a"])

    def test_files(self):
        with self.assertRaises(sdfg.MissingError) as caught:
            sdfg.compile("no-such-file.sdfg")
        self.assertIsInstance(caught.exception, OSError)
        with self.assertRaises(sdfg.InvalidError):
            sdfg.compile("{}")

    def test_options(self):
        with self.assertRaises(ValueError):
            sdfg.compile(EXAMPLES / "axpy.sdfg", fp="quick")
        with self.assertRaises(ValueError):
            sdfg.compile(EXAMPLES / "axpy.sdfg", tier="slow")
        with self.assertRaises(sdfg.InvalidError):
            sdfg.compile(EXAMPLES / "axpy.sdfg", opt_level=7)
        with self.assertRaisesRegex(sdfg.InvalidError, "'device' is auto, cpu, cuda"):
            sdfg.Engine(device="opencl")
        with self.assertRaisesRegex(sdfg.InvalidError, "no word 'tre' .did you mean 'tree'"):
            sdfg.Engine(debug="tre")
        with self.assertRaisesRegex(ValueError, "no symbol 'n' .did you mean 'N'"):
            sdfg.compile(EXAMPLES / "axpy.sdfg", specialize=["n"])
        with self.assertRaisesRegex(ValueError, "no pass 'lowr' .did you mean 'lower'"):
            sdfg.compile(EXAMPLES / "axpy.sdfg", dump_after="lowr")(X=numpy.ones(4), Y=numpy.ones(4), alpha=2.0)
        y = numpy.ones(4)
        sdfg.compile(EXAMPLES / "axpy.sdfg", specialize="N")(X=numpy.ones(4), Y=y, alpha=2.0)
        numpy.testing.assert_array_equal(y, 3)
        with self.assertRaises(TypeError):
            sdfg.compile(EXAMPLES / "axpy.sdfg", engine=sdfg.Engine(), fp="strict")
        with self.assertRaisesRegex(TypeError, "a program is a path.*, not int"):
            sdfg.compile(5)

    def test_waiting_for_the_cache(self):
        with tempfile.TemporaryDirectory() as folder:
            axpy = sdfg.compile(EXAMPLES / "axpy.sdfg", cache_dir=folder)
            axpy(X=numpy.ones(4), Y=numpy.ones(4), alpha=2.0)
            axpy.engine.wait()
            self.assertGreaterEqual(len(list(pathlib.Path(folder).glob("*.kernel"))), 2) # the interface and the code


class Tuning(unittest.TestCase):
    def test_trials_work_on_copies(self):
        axpy = sdfg.compile(EXAMPLES / "axpy.sdfg", cache_dir=None, opt_level="max", num_threads=2)
        x, y = numpy.arange(100.0), numpy.ones(100)
        found = axpy.tune(30, X=x, Y=y, alpha=2.0)
        self.assertEqual((x[99], y[99]), (99, 1))
        self.assertTrue(found.complete and found.text)
        self.assertEqual(found.passes is None, found.ratio == 1)
        self.assertTrue(all(t.change and t.low <= t.ratio <= t.high for t in found.trials))
        axpy(X=x, Y=y, alpha=2.0)
        self.assertEqual(y[99], 199)

    def test_what_is_chosen_is_an_option(self):
        y = numpy.ones(100)
        sdfg.compile(EXAMPLES / "axpy.sdfg", passes="-licm,chunk=8", cache_dir=None)(X=numpy.arange(100.0), Y=y, alpha=2.0)
        self.assertEqual(y[99], 199)
        with self.assertRaisesRegex(ValueError, "max"):
            sdfg.Engine(opt_level="most")

    def test_what_cannot_be_called_twice_is_refused(self):
        axpy = sdfg.compile(EXAMPLES / "axpy.sdfg", cache_dir=None, check=True)
        with self.assertRaisesRegex(sdfg.UnsupportedError, "checked or measured"):
            axpy.tune(1, X=numpy.arange(4.0), Y=numpy.ones(4), alpha=2.0)


class Forms(unittest.TestCase):
    def test_what_a_program_says(self):
        gemm = sdfg.compile(EXAMPLES / "gemm.sdfg")
        self.assertEqual(gemm.name, "gemm")
        self.assertEqual([a.name for a in gemm.arguments], ["A", "B", "C", "N", "alpha", "beta"])
        self.assertEqual(gemm.arguments[0].shape, ("N", "N"))
        self.assertIn("A.shape[0] = N", gemm.constraints)
        self.assertEqual(gemm.solve(A=numpy.zeros((3, 3))), {"N": 3})

    def test_representations(self):
        axpy = sdfg.compile(EXAMPLES / "axpy.sdfg")
        self.assertIn("0 to 4", axpy.emit("tree", N=4))
        self.assertEqual(axpy.emit("obj")[:4], b"\x7fELF")
        self.assertEqual(sdfg.compile(axpy.emit("sdfg")).name, "axpy")
        with self.assertRaises(ValueError):
            axpy.emit("fortran")

    def test_export(self):
        x, y = numpy.arange(3.0), numpy.ones(3)
        axpy = sdfg.compile(EXAMPLES / "axpy.sdfg")
        with tempfile.TemporaryDirectory() as folder:
            axpy.export(folder + "/axpy.so", N=3)
            library = ctypes.CDLL(folder + "/axpy.so")
        init = library["__dace_init_axpy"]
        init.restype = ctypes.c_void_p
        self.assertIsNone(init(ctypes.c_int64(4)))
        handle = ctypes.c_void_p(init(ctypes.c_int64(3)))
        pointers = [ctypes.c_void_p(a.ctypes.data) for a in (x, y)]
        library["__program_axpy"](handle, *pointers, ctypes.c_int64(3), ctypes.c_double(2))
        self.assertEqual(list(y), [1, 3, 5])
        self.assertEqual(library["__dace_exit_axpy"](handle), 0)
        with self.assertRaises(ValueError):
            axpy.export("axpy.exe")


if __name__ == "__main__":
    unittest.main()
