"""Python functions as callbacks: what they are given, what they may give back, and what happens to what they raise. Run from
anywhere; PYTHONPATH has the module."""
import ctypes
import gc
import threading
import unittest
import weakref

import numpy

import sdfg


def array(dtype, *shape, strides=None):
    given = {"strides": strides} if strides else {}
    return {"type": "Array", "attributes": {"dtype": dtype, "shape": list(shape), **given}}


def single(dtype):
    return {"type": "Scalar", "attributes": {"dtype": dtype, "shape": ["1"]}}


def callback(arguments, results=()):
    return {"type": "callback", "arguments": list(arguments), "returntypes": list(results)}


OBJECT = {"type": "opaque", "ctype": "pyobject"}


def memlet(data, shape):
    ranges = [{"start": "0", "end": f"{n} - 1", "step": "1", "tile": "1"} for n in shape]
    return {"type": "Memlet", "attributes": {"data": data, "subset": {"type": "Range", "ranges": ranges}}}


def program(symbols, containers, code, reads=(), writes=(), connectors={}, **options):
    """One tasklet with connectors __in_x and __out_x for the containers that it reads and writes."""
    nodes = [{"type": "Tasklet", "label": "t", "id": 0,
              "attributes": {"label": "t", "code": {"string_data": code, "language": "Python"}, "side_effects": True,
                             "in_connectors": {f"__in_{n}": None for n in reads},
                             "out_connectors": {f"__out_{n}": connectors.get(f"__out_{n}") for n in writes}}}]
    edges = []
    for name, out in [(n, False) for n in reads] + [(n, True) for n in writes]:
        nodes.append({"type": "AccessNode", "label": name, "id": len(nodes), "attributes": {"data": name}})
        ends = {"src": "0", "dst": str(len(nodes) - 1), "src_connector": f"__out_{name}", "dst_connector": None} if out else \
            {"src": str(len(nodes) - 1), "dst": "0", "src_connector": None, "dst_connector": f"__in_{name}"}
        data = memlet(name, containers[name]["attributes"]["shape"])
        edges.append({"type": "MultiConnectorEdge", "attributes": {"data": data}, **ends})
    state = {"type": "SDFGState", "label": "s", "id": 0, "attributes": {}, "nodes": nodes, "edges": edges}
    return sdfg.compile({"type": "SDFG", "start_block": 0, "nodes": [state], "edges": [],
                         "attributes": {"name": "calls_back", "symbols": symbols, "_arrays": containers}},
                        cache_dir=None, **options)


def scaled(**options):
    """B = f(A, x) with A: [N, M] and B: [N]."""
    f = callback([array("float64", "N", "M"), single("float64")], [array("float64", "N")])
    return program({"N": "int64", "M": "int64", "f": f},
                   {"A": array("float64", "N", "M"), "B": array("float64", "N"), "x": single("float64")},
                   "f(__in_A, __in_x, __out_B)", ["A", "x"], ["B"], **options)


def through(dtype, result=None, **options):
    """y = g(x)"""
    g = callback([dtype], [result or dtype])
    return program({"g": g}, {"x": array(dtype, "1"), "y": array(result or dtype, "1")}, "__out_y = g(__in_x)", ["x"], ["y"], **options)


class Values(unittest.TestCase):
    def test_arrays_in_place_and_results(self):
        a, b = numpy.arange(6.0).reshape(2, 3), numpy.zeros(2)
        seen = []

        def f(given, x):
            seen.append((given.shape, given.ctypes.data == a.ctypes.data, x))
            given[0, 0] += 10
            return given.sum(axis=1) * x

        scaled()(A=a, B=b, x=2, f=f)
        self.assertEqual(seen, [((2, 3), True, 2.0)])
        numpy.testing.assert_array_equal(b, [26, 24])
        self.assertEqual(a[0, 0], 10)

    def test_several_results_through_pointers(self):
        f = callback([single("float64")], [array("float64", "N"), single("float64"), "int32", single("int64")])
        pointers = {n: {"type": "pointer", "dtype": t} for n, t in (("__out_s", "float64"), ("__out_k", "int32"), ("__out_m", "int64"))}
        p = program({"N": "int64", "f": f},
                    {"x": single("float64"), "B": array("float64", "N"), "s": array("float64", "1"), "k": array("int32", "1"),
                     "m": array("int64", "2")},
                    "f(__in_x, __out_B, __out_s, __out_k, __out_m)", ["x"], ["B", "s", "k", "m"], connectors=pointers)
        b, s, k, m = numpy.zeros(3), numpy.zeros(1), numpy.zeros(1, "int32"), numpy.zeros(2, "int64")
        p(x=2, B=b, s=s, k=k, m=m, f=lambda x: (numpy.full(3, x), x / 4, numpy.int32(-7), 2**40))
        numpy.testing.assert_array_equal(b, 2)
        self.assertEqual((s[0], k[0], m[0], m[1]), (0.5, -7, 2**40, 0))
        for wrong, error in (lambda x: (b, 1, 2), TypeError), (lambda x: (b, 1, 2**31, 0), OverflowError), \
                (lambda x: (b, None, 1, 0), TypeError):
            with self.assertRaises(error):
                p(x=2, B=b, s=s, k=k, m=m, f=wrong)

    def test_lambdas_and_other_sizes(self):
        p = scaled()
        for n, m in (1, 1), (4, 2), (3, 5):
            b = numpy.zeros(n)
            p(A=numpy.ones((n, m)), B=b, x=3, f=lambda a, x: a.shape[1] * x)
            numpy.testing.assert_array_equal(b, numpy.full(n, 3.0 * m))

    def test_strides_and_expressions(self):
        f = callback([array("float32", "int_floor(N, 2) + 1", "Max(N, 3)", strides=["1", "int_floor(N, 2) + 1"])])
        shape = ["int_floor(N, 2) + 1", "Max(N, 3)"]
        a = numpy.asfortranarray(numpy.arange(12, dtype="float32").reshape(3, 4))
        seen = []
        p = program({"N": "int64", "f": f}, {"A": array("float32", *shape, strides=["1", "int_floor(N, 2) + 1"])},
                    "f(__in_A)", ["A"])
        p(A=a, N=4, f=lambda given: seen.append(given.copy()))
        numpy.testing.assert_array_equal(seen[0], a)

    def test_single_values(self):
        for dtype, value, result in [("int64", -5, -4), ("uint32", 4000000000, 4000000001), ("float64", 1.5, 2.5),
                                     ("float32", 0.5, 1.5), ("int8", 100, 101)]:
            y = numpy.zeros(1, dtype)
            through(dtype)(x=numpy.array([value], dtype), y=y, g=lambda x: x + 1)
            self.assertEqual(y[0], result)
        y = numpy.zeros(1, bool)
        through("float64", "bool")(x=numpy.ones(1), y=y, g=lambda x: x > 0)
        self.assertTrue(y[0])

    def test_results_of_numpy(self):
        y = numpy.zeros(1, "int64")
        through("int64")(x=numpy.ones(1, "int64"), y=y, g=lambda x: numpy.int16(7))
        self.assertEqual(y[0], 7)

    def test_no_arguments_and_no_result(self):
        calls = []
        p = program({"f": callback([])}, {}, "f()")
        p(f=lambda: calls.append(1))
        p(f=lambda: calls.append(2))
        self.assertEqual(calls, [1, 2])

    def test_objects(self):
        p = program({"make": callback([], [OBJECT]), "take": callback([OBJECT], ["int64"])},
                    {"o": {"type": "Scalar", "attributes": {"dtype": OBJECT, "shape": ["1"], "transient": True}},
                     "y": array("int64", "1")}, "__out_o = make()\n__out_y = take(__out_o)", [], ["o", "y"])
        y = numpy.zeros(1, "int64")
        p(make=lambda: {"answer": 42}, take=lambda o: o["answer"], y=y)
        self.assertEqual(y[0], 42)

    def test_objects_of_the_caller(self):
        class Thing:
            value = 7

        p = program({"take": callback([OBJECT], ["int64"])},
                    {"o": {"type": "Scalar", "attributes": {"dtype": OBJECT, "shape": ["1"]}}, "y": array("int64", "1")},
                    "__out_y = take(__in_o)", ["o"], ["y"])
        y = numpy.zeros(1, "int64")
        p(o=Thing(), take=lambda o: o.value, y=y)
        self.assertEqual(y[0], 7)

    def test_functions_of_ctypes(self):
        y = numpy.zeros(1)
        through("float64")(x=numpy.ones(1), y=y, g=ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(lambda x: x + 4))
        self.assertEqual(y[0], 5)


class Exceptions(unittest.TestCase):
    def test_raised_after_the_call(self):
        y = numpy.full(1, 3.0)

        def fail(x):
            raise KeyError("from the callback")

        with self.assertRaisesRegex(KeyError, "from the callback"):
            through("float64")(x=numpy.ones(1), y=y, g=fail)
        self.assertEqual(y[0], 0) # the code went on

    def test_no_other_callback_after_it(self):
        calls = []
        p = program({"f": callback(["int64"])}, {}, "f(1)\nf(2)\nf(3)")

        def f(i):
            calls.append(i)
            if i == 2:
                raise RuntimeError("stop")

        with self.assertRaisesRegex(RuntimeError, "stop"):
            p(f=f)
        self.assertEqual(calls, [1, 2])
        calls.clear()
        p(f=calls.append) # the next call is a new one
        self.assertEqual(calls, [1, 2, 3])

    def test_bound_calls_raise_each_time(self):
        y, state = numpy.zeros(1), []

        def g(x):
            if state:
                raise ValueError("later")
            return x * 2

        bound = through("float64").bind(x=numpy.full(1, 4.0), y=y, g=g)
        gc.collect()
        bound()
        self.assertEqual(y[0], 8)
        state.append(1)
        for _ in range(2):
            with self.assertRaisesRegex(ValueError, "later"):
                bound()
        state.clear()
        bound()
        self.assertEqual(y[0], 8)

    def test_wrong_results(self):
        y = numpy.zeros(1, "int8")
        with self.assertRaisesRegex(OverflowError, "'g' must return int8, which 300 is not"):
            through("int8")(x=y, y=y.copy(), g=lambda x: 300)
        with self.assertRaises(TypeError):
            through("int8")(x=y, y=y.copy(), g=lambda x: 1.5)
        with self.assertRaisesRegex(TypeError, "must return a value, not None"):
            through("int8")(x=y, y=y.copy(), g=lambda x: None)
        with self.assertRaisesRegex(TypeError, "'f' must return"):
            scaled()(A=numpy.ones((2, 2)), B=numpy.zeros(2), x=1, f=lambda a, x: None)
        with self.assertRaises(ValueError): # of another shape
            scaled()(A=numpy.ones((2, 2)), B=numpy.zeros(2), x=1, f=lambda a, x: numpy.zeros(5))

    def test_what_python_cannot_be(self):
        with self.assertRaisesRegex(TypeError, "complex128"):
            through("complex128")(x=numpy.ones(1, complex), y=numpy.ones(1, complex), g=lambda x: x)
        p = program({"f": callback([array("float64", "K")])}, {"A": array("float64", "3")}, "f(__in_A)", ["A"])
        with self.assertRaisesRegex(ValueError, "size 'K' of a callback's array cannot be computed"):
            p(A=numpy.ones(3), f=lambda a: None)
        p = program({"f": callback([array("float64", "__import__('os').getpid()")])}, {"A": array("float64", "3")}, "f(__in_A)", ["A"])
        with self.assertRaisesRegex(ValueError, "not an expression over symbols"):
            p(A=numpy.ones(3), f=lambda a: None)
        with self.assertRaises(TypeError):
            scaled()(A=lambda: 0, B=numpy.zeros(2), x=1, f=lambda a, x: 0)


class Lifetime(unittest.TestCase):
    def test_nothing_stays_behind_a_call(self):
        class Function:
            def __call__(self, x):
                return x

        function = Function()
        gone = weakref.ref(function)
        gc.disable()
        try:
            through("float64")(x=numpy.ones(1), y=numpy.zeros(1), g=function)
            del function
            self.assertIsNone(gone())
        finally:
            gc.enable()

    def test_threads(self):
        p, wrong = scaled(num_threads=1), []

        def work(k):
            b = numpy.zeros(3)
            for _ in range(100):
                p(A=numpy.ones((3, 4)), B=b, x=k, f=lambda a, x: a.sum(axis=1) * x)
                wrong.extend(b[b != 4 * k])

        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])

    def test_calls_inside_callbacks(self):
        inner, y = through("float64"), numpy.zeros(1)

        def g(x):
            z = numpy.zeros(1)
            inner(x=numpy.full(1, x), y=z, g=lambda v: v * 3)
            return z[0]

        through("float64")(x=numpy.full(1, 2.0), y=y, g=g)
        self.assertEqual(y[0], 6)


if __name__ == "__main__":
    unittest.main()
