"""Objects that describe themselves as SDFGs, graphs and compiled programs, called in programs: the order of the protocol's calls, results against
CPython, what is cached, and the messages of what is wrong."""
import json
import sys
import tempfile
import pathlib
import time
import unittest
import warnings

import numpy

import sdfg
from sdfg import SDFG, Memlet

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples"))
import convertible_dense # noqa: E402
import convertible_stencil # noqa: E402


class Recorder:
    """Multiplies with an array of its own and adds a constant."""

    def __init__(self, n):
        self.w, self.log = numpy.arange(float(n)), []

    def __sdfg_signature__(self):
        self.log.append("signature")
        return ["x", "bias"], ["bias"]

    def closure_resolver(self, constants, given, parent):
        self.log.append(("resolver", constants, sorted(given), parent))

    def __sdfg__(self, x, bias=0):
        self.log.append(("sdfg", tuple(map(str, x.shape)), x.dtype, tuple(map(str, x.strides)), bias))
        graph, n = SDFG("weighted"), x.shape[0]
        for name in "x", "w", "__return":
            graph.add_array(name, [n], x.dtype)
        graph.add_state().add_mapped_tasklet("scale", {"i": f"0:{n}"}, {"a": Memlet("x[i]"), "b": Memlet("w[i]")}, f"o = a * b + {bias}",
                                             {"o": Memlet("__return[i]")}, external_edges=True)
        return graph

    def __sdfg_closure__(self, reevaluate=None):
        self.log.append(("closure", reevaluate))
        return {"w": self.w, "unknown": 1}

    def __call__(self, x, bias=0):
        return x * self.w + bias


class Returning:
    """What __sdfg__ returns is what it was made with; an exception is raised."""

    def __init__(self, graph, names=("A",), constants=()):
        self.graph, self.names, self.constants = graph, names, constants

    def __sdfg_signature__(self):
        return self.names, self.constants

    def __sdfg__(self, *args, **kwargs):
        if isinstance(self.graph, Exception):
            raise self.graph
        return self.graph

    def __call__(self, A):
        A += 1


def increment(name="increment"):
    graph = SDFG(name)
    graph.add_array("A", ["K"], sdfg.float64)
    graph.arg_names = ["A"]
    graph.add_state().add_mapped_tasklet("add", {"i": "0:K"}, {"a": Memlet("A[i]")}, "o = a + 1", {"o": Memlet("A[i]")}, external_edges=True)
    return graph


class Convertible(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("error", sdfg.CallbackWarning) # nothing is announced

    def tearDown(self):
        warnings.simplefilter("default", sdfg.CallbackWarning)

    def test_the_order_of_calls(self):
        weights = Recorder(4)

        @sdfg.program
        def program(A):
            return weights(A, 3) + 1

        A = numpy.full(4, 2.0)
        self.assertTrue(numpy.array_equal(program(A), A * weights.w + 4))
        sizes = ("A_0",)
        self.assertEqual(weights.log, ["signature", ("resolver", {"bias": 3}, ["bias", "x"], None),
                                       ("sdfg", sizes, sdfg.float64, ("1",), 3), ("closure", None), ("closure", {"w": "w"})])
        weights.log.clear()
        weights.w = numpy.full(4, 5.0)
        self.assertEqual(program(A).tolist(), [14.0] * 4)
        self.assertEqual(weights.log, [("closure", {"w": "w"})])

    def test_closures_are_asked_once_wherever_memory_lies(self):
        weights, bias = Recorder(4), time.time_ns() % 1000003 # a graph that the disk cache does not have

        @sdfg.program
        def program(A):
            return weights(A, bias) + 1

        memory = numpy.ones(32)
        first = -memory.ctypes.data // memory.itemsize % 8
        program(memory[first:][:4])
        for skipped in 0, 1, 2, 4: # the alignment of memory decides which code a call takes
            weights.log.clear()
            weights.w = memory[first + skipped:][:4]
            self.assertEqual(program(memory[first:][:4]).tolist(), [bias + 2.0] * 4)
            self.assertEqual(weights.log, [("closure", {"w": "w"})])

    def test_cached_by_descriptors_and_constants(self):
        weights = Recorder(4)

        @sdfg.program
        def program(A, n: sdfg.compiletime):
            return weights(A, n) + weights(A, bias=n)

        def made():
            return len([entry for entry in weights.log if entry[0] == "sdfg"])

        program(numpy.ones(4), 1)
        self.assertEqual(made(), 2) # by position and by keyword
        program(numpy.ones(4), 1)
        self.assertEqual(made(), 2)
        program(numpy.ones(4), 2)
        self.assertEqual(made(), 4)

    def test_graphs_texts_paths_and_programs(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "increment.sdfg"
            increment().save(path)
            text = json.dumps(increment().to_json())
            for callee in (increment(), sdfg.compile(increment()), Returning(increment()), Returning(text), Returning(str(path)),
                           Returning(path), Returning(json.loads(text)), Returning(sdfg.compile(path))):
                @sdfg.program
                def program(A, callee=callee):
                    callee(A)
                    callee(A[1:])
                    callee(A[::-2])
                    A *= 2

                A = numpy.arange(5.0)
                program(A)
                expected = numpy.arange(5.0) + 1
                expected[1:] += 1
                expected[::-2] += 1
                self.assertEqual(A.tolist(), (expected * 2).tolist())

    def test_nested(self):
        class Twice:
            def __init__(self, inner):
                self.inner = inner

            def __sdfg_signature__(self):
                return ["A"], []

            def __sdfg__(self, A):
                @sdfg.program
                def both(A: sdfg.float64[4]):
                    self.inner(A)
                    self.inner(A)
                graph = SDFG("twice")
                graph.add_array("A", [4], sdfg.float64)
                inner = self.inner.__sdfg__(A)
                state = graph.add_state()
                for s in state, graph.add_state_after(state):
                    node = s.add_nested_sdfg(increment(inner.name), {"A"}, {"A"}, {"K": 4})
                    s.add_edge(s.add_read("A"), None, node, "A", Memlet("A[0:4]"))
                    s.add_edge(node, "A", s.add_write("A"), None, Memlet("A[0:4]"))
                return graph

        twice = Twice(Returning(increment()))

        @sdfg.program
        def program(A):
            twice(A)

        A = numpy.zeros(4)
        program(A)
        self.assertEqual(A.tolist(), [2.0] * 4)

    def test_part_of_the_program(self):
        """The graph is a nested SDFG of the program: nothing calls the interpreter, and iterations of a map may call it."""
        callee, weights = increment(), Recorder(4)

        @sdfg.program
        def rows(A):
            for i in sdfg.map[0:A.shape[0]]:
                callee(A[i])
                A[i] += weights(A[i], 2)

        @sdfg.program
        def columns(A):
            for i in sdfg.map[0:A.shape[1]]:
                callee(A[:, i])

        @sdfg.program
        def parts(A):
            for k in range(3):
                callee(A[k:])
                callee(A[::2])
            return A

        A = numpy.arange(12.0).reshape(3, 4)
        expected = (A + 1) + (A + 1) * weights.w + 2
        for program in rows, columns, parts:
            record = json.loads(program.inspect("sdfg", A if program is not parts else A[0]))
            self.assertNotIn("callback", str(record["attributes"]["symbols"]))
        rows(A)
        self.assertEqual(A.tolist(), expected.tolist())
        columns(A)
        self.assertEqual(A.tolist(), (expected + 1).tolist())
        self.assertEqual(parts(numpy.zeros(5)).tolist(), [4.0, 2.0, 6.0, 3.0, 6.0])

    def test_single_values(self):
        class Scaled:
            def __sdfg_signature__(self):
                return ["x", "s"], []

            def __sdfg__(self, x, s):
                graph, n = SDFG("scaled"), x.shape[0]
                graph.add_array("x", [n], x.dtype)
                graph.add_scalar("s", sdfg.float64)
                graph.add_array("__return", [n], x.dtype)
                graph.add_state().add_mapped_tasklet("scale", {"i": f"0:{n}"}, {"a": Memlet("x[i]"), "b": Memlet("s[0]")}, "o = a * b",
                                                     {"o": Memlet("__return[i]")}, external_edges=True)
                return graph

        scaled = Scaled()

        @sdfg.program
        def program(A, t: sdfg.float64):
            return scaled(A, 2) + scaled(A, 0.5) + scaled(A, t) + scaled(A, A[1]) + scaled(A, A[1] + 1)

        A = numpy.arange(1.0, 5.0)
        self.assertEqual(program(A, 4.0).tolist(), (A * (2 + 0.5 + 4 + 2 + 3)).tolist())

    def test_captured_arrays_change(self):
        weights = Recorder(4)

        @sdfg.program
        def program(A):
            return weights(A, 0)

        A = numpy.full(4, 2.0)
        for factor in 1.0, 3.0:
            weights.w = numpy.full(4, factor)
            self.assertEqual(program(A).tolist(), [2 * factor] * 4)
        weights.w = numpy.arange(8.0)[::2] # lies otherwise
        self.assertEqual(program(A).tolist(), [0.0, 4.0, 8.0, 12.0])
        weights.w = numpy.zeros(5)
        with self.assertRaisesRegex(sdfg.InvalidError, "'w' has 5 elements in dimension 0, but the graph takes"):
            program(A)
        weights.w = A # also an argument
        self.assertEqual(program(A).tolist(), [4.0] * 4)

    def test_what_is_not_a_part(self):
        """Numbers that are captured may differ from call to call: the graph is called, in a map in the order of its iterations."""
        class Offset:
            bias = 1.0

            def __sdfg_signature__(self):
                return ["A"], []

            def __sdfg__(self, A):
                graph = SDFG("offset")
                graph.add_array("A", ["K"], sdfg.float64)
                graph.add_scalar("bias", sdfg.float64)
                graph.add_state().add_mapped_tasklet("add", {"i": "0:K"}, {"a": Memlet("A[i]"), "b": Memlet("bias[0]")}, "o = a + b",
                                                     {"o": Memlet("A[i]")}, external_edges=True)
                return graph

            def __sdfg_closure__(self, reevaluate=None):
                return {"bias": self.bias}

        offset = Offset()

        @sdfg.program
        def program(A):
            offset(A)

        @sdfg.program
        def mapped(A):
            for i, j in sdfg.map[0:A.shape[0], 0:2]:
                offset(A[i])

        A = numpy.zeros(3)
        for bias in 1.0, 2.0:
            offset.bias = bias
            program(A)
        self.assertEqual(A.tolist(), [3.0] * 3)
        A = numpy.zeros((3, 3))
        mapped(A)
        self.assertEqual(A.tolist(), [[4.0] * 3] * 3)

    def test_another_object_by_the_same_name(self):
        callee = Recorder(3)

        @sdfg.program
        def program(A):
            return callee(A, 0)

        self.assertEqual(program(numpy.ones(3)).tolist(), [0.0, 1.0, 2.0])
        callee = Returning(increment())
        with self.assertRaises(sdfg.ProgramError):
            program(numpy.ones(3))

    def test_examples(self):
        convertible_dense.check()
        convertible_stencil.check()

    def test_messages(self):
        invalid = SDFG("invalid")
        invalid.add_array("A", [3], sdfg.float64)
        invalid.add_state().add_tasklet("alone", {"x"}, {}, "x")
        more = increment()
        more.add_array("B", ["K"], sdfg.float64)
        more.nodes()[0].add_nedge(more.nodes()[0].add_read("B"), more.nodes()[0].add_write("A"), Memlet("B[0:K]"))
        for callee, text in (
                (Returning(RuntimeError("no graph today")), "RuntimeError: no graph today (" + __file__ + ":LINE)"),
                (Returning(5), "TypeError: a program is a path, the text of an SDFG"),
                (Returning(more), "its graph takes B, which the call does not give"),
                (Returning(invalid), "its graph is refused: "),
                (Returning(increment(), ["A"], ["A"]), 'Argument "A" was defined as dace.compiletime but was not given a constant'),
                (Returning(increment(), []), "Argument number mismatch: expected at most 0, got 1")):
            @sdfg.program
            def program(A, callee=callee):
                callee(A)
            with self.assertRaises(sdfg.ProgramError) as caught:
                program(numpy.ones(3))
            error = caught.exception
            self.assertIn("not supported: callee: an object of class 'Returning' cannot be called here: " + text.partition(":LINE")[0],
                          error.msg)
            self.assertEqual((error.filename, error.lineno), (__file__, program.f.__code__.co_firstlineno + 2))


if __name__ == "__main__":
    unittest.main()
