"""`python -m sdfg.dace PROGRAM`: a script that imports dace, run by the library."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy
import numpy as np

import sdfg

SCRIPT = """
import sys
import dace as dc
import numpy as np
from dace import float64

N = dc.symbol("N", dtype=dc.int64)

@dc.program
def axpy(a: dc.float64, X: float64[N], Y: float64[N]):
    for i in dc.map[0:N]:
        Y[i] += a * X[i]

@dc.program(auto_optimize=True)
def total(A: dc.float64[N]):
    return np.sum(A)

class Model:
    def __init__(self):
        self.w = np.full(4, 2.0)

    @dc.method
    def step(self, A):
        self.w += A
        return self.w * 2

X, Y = np.arange(4.0), np.ones(4)
axpy(2, X, Y)
graph = axpy.to_sdfg()
graph.simplify()
graph.compile()(a=1.0, X=X, Y=Y, N=4)
result = total(Y)
m = Model()
print(sys.argv[1], Y.tolist(), result.shape, result[0], m.step(X).tolist(), m.w.tolist(), axpy.f.__name__)
"""


class Shim(unittest.TestCase):
    def run_script(self, text, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "prog.py")
            path.write_text(text)
            return subprocess.run([sys.executable, "-B", "-m", "sdfg.dace", str(path), *arguments], capture_output=True, text=True,
                                  check=False)

    def test_script(self):
        done = self.run_script(SCRIPT, "word")
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.stdout, "word [1.0, 4.0, 7.0, 10.0] (1,) 22.0 [4.0, 6.0, 8.0, 10.0] [2.0, 3.0, 4.0, 5.0] axpy\n")

    def test_names_that_are_not_there(self):
        done = self.run_script("import dace\ndace.transformation.interstate\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn("'dace.transformation.interstate' is not among the names of DaCe", done.stderr)

    def test_graphs_of_programs(self):
        dace = sdfg.as_dace()
        N = dace.symbol("N")

        @dace.program
        def f(A: dace.float64[N]):
            B = np.zeros_like(A)
            B[:] = A + 1
            return B
        graph = f.to_sdfg()
        self.assertEqual(graph(A=numpy.ones(3)).tolist(), [2] * 3)
        self.assertEqual(graph.arrays["A"].shape, (N,))
        outer = dace.SDFG("outer")
        outer.add_array("A", [N], dace.float64)
        outer.add_array("R", [N], dace.float64)
        state = outer.add_state()
        node = state.add_nested_sdfg(graph, {"A"}, {"__return"})
        state.add_edge(state.add_read("A"), None, node, "A", dace.Memlet("A"))
        state.add_edge(node, "__return", state.add_write("R"), None, dace.Memlet("R"))
        R = numpy.zeros(3)
        outer(A=numpy.ones(3), R=R)
        self.assertEqual(R.tolist(), [2] * 3)
        with self.assertRaisesRegex(AttributeError, "'apply_transformations' is not among what sdfg.dace has of an SDFG"):
            graph.apply_transformations

    def test_decorated_functions_are_called_by_python(self):
        dace, log = sdfg.as_dace(), []

        def traced(function):
            return function

        @traced
        def scaled(A):
            log.append(len(A)) if False else None
            A *= 2

        @dace.program
        def f(A: dace.float64[4]):
            scaled(A)
        A = numpy.ones(4)
        with self.assertWarnsRegex(sdfg.CallbackWarning, "'scaled': not supported: a function without source text: it has a decorator"):
            f(A)
        self.assertEqual(A.tolist(), [2] * 4)

    def test_loops_that_are_unrolled(self):
        dace = sdfg.as_dace()

        @dace.program
        def f(A: dace.float64[2]):
            for i in (1, 2):
                A += i
            for i in dace.unroll(range(2)):
                A += i
        A = numpy.zeros(2)
        with self.assertWarnsRegex(sdfg.ProgramWarning, "the loop is implicitly unrolled") as caught:
            f(A)
        self.assertEqual((A.tolist(), len(caught.warnings)), ([4, 4], 1))

    def test_programs_as_objects(self):
        dace = sdfg.as_dace()

        class Scaled:
            def __init__(self):
                self.w = numpy.full(4, 3.0)

            @dace.method
            def __call__(self, A: dace.float64[4]):
                return A * self.w

        class Convertible:
            def __sdfg__(self, *args):
                @dace.program
                def inner(A):
                    A[:] = 7
                return inner.__sdfg__(*args)

            def __sdfg_signature__(self):
                return ["A"], []
        scaled, convertible = Scaled(), Convertible()

        @dace.program
        def f(A: dace.float64[4]):
            convertible(A)
            return scaled(A)
        self.assertEqual(f(numpy.ones(4)).tolist(), [21] * 4)
        self.assertEqual(scaled.__call__.__sdfg_signature__(), (["A"], []))
        scaled(numpy.ones(4))
        self.assertIs(scaled.__call__.__sdfg_closure__()["__g_self_w"], scaled.w)

    def test_config(self):
        dace = sdfg.as_dace()
        with dace.config.set_temporary("compiler", "build_type", value="Debug"):
            self.assertEqual(dace.Config.get("compiler", "build_type"), "Debug")
        self.assertIsNone(dace.Config.get("compiler", "build_type"))

    def test_constant_functions(self):
        dace = sdfg.as_dace()

        def size(n):
            return len(str(n))

        @dace.program(constant_functions=True)
        def f(A: dace.float64[4]):
            return A + size(100)
        self.assertEqual(f(numpy.ones(4)).tolist(), [4] * 4)

    def test_as_a_module(self):
        dace = sdfg.as_dace()
        self.assertNotIn("dace", [name for name, module in sys.modules.items() if module is dace])

        @dace.program
        def f(A: dace.float64[4]):
            return A + 1
        numpy.testing.assert_array_equal(f(numpy.ones(4)), 2)


if __name__ == "__main__":
    unittest.main()
