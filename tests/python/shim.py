"""`python -m sdfg.dace PROGRAM`: a script that imports dace, run by the library."""
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings

import numpy
import numpy as np

import sdfg
from sdfg._wait import interruptible

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
        self.assertEqual(dace.Config.get("compiler", "build_type"), dace.Config.get_default("compiler", "build_type"))

    def test_options_belong_to_threads(self):
        dace = sdfg.as_dace()

        def asked():
            found = []
            thread = threading.Thread(target=lambda: found.append(dace.Config.get("compiler", "build_type")))
            thread.start()
            thread.join()
            return found[0]

        default = dace.Config.get_default("compiler", "build_type")
        with dace.config.set_temporary("compiler", "build_type", value="Debug"):
            self.assertEqual(asked(), default)
            self.assertEqual(dace.Config.get("compiler", "build_type"), "Debug")
            # A program is compiled as the thread that calls it wants it, whichever thread does the work.
            self.assertEqual(interruptible(lambda: dace.Config.get("compiler", "build_type")), "Debug")

    def test_options_that_are_heeded(self):
        dace = sdfg.as_dace()

        def unknown(A):
            global UNUSED
            return A

        @dace.program
        def f(A: dace.float64[3]):
            unknown(A)
            return unknown(A)

        @dace.program
        def g(A: dace.float64[3]):
            A += 1
        with warnings.catch_warnings(), dace.config.set_temporary("frontend", "typed_callbacks_only", value=True):
            warnings.simplefilter("ignore")
            with self.assertRaisesRegex(dace.DaceSyntaxError, "the type of what the callback 'unknown' returns is not known"):
                f(numpy.ones(3))
        with dace.config.set_temporary("compiler", "allow_view_arguments", value=False), self.assertRaisesRegex(TypeError, "a view of another"):
            g(numpy.ones(6)[::2])
        g(numpy.ones(6)[::2])

    def test_loops_by_their_length(self):
        dace = sdfg.as_dace()

        def counted(threshold):
            def inner(A):
                for m in range(2):
                    A[m] += 1

            with dace.config.set_temporary("frontend.unroll_threshold", value=threshold):
                @dace.program
                def f(A: dace.float64[10], n: dace.int64):
                    for i in dace.nounroll(range(2)):
                        A[i] = i
                    for j in range(9, 5, -1):
                        A[j] = j
                    for k in range(6):
                        if A[k] > 100:
                            break
                    for l in range(n):
                        A[l] += l
                    inner(A)
                graph = f.to_sdfg()
            A = numpy.zeros(10)
            graph(A=A, n=3)
            self.assertEqual(A.tolist(), [1, 3, 2, 0, 0, 0, 6, 7, 8, 9])
            return "".join(sorted(graph.symbols.keys() & set("ijklm")))
        self.assertEqual([counted(n) for n in (-1, 0, 2, 4)], ["ijklm", "ikl", "ijkl", "ikl"])

    def test_arrays_that_are_memory_of_the_program(self):
        dace = sdfg.as_dace()

        class Own(np.ndarray):
            def __descriptor__(self):
                return dace.data.Array(dace.float64, self.shape, transient=True)
        own = Own(4)
        own[:] = 7

        @dace.program
        def f(A: dace.float64[4]):
            own[:] = A
            return own + own[::-1]
        graph = f.to_sdfg()
        self.assertEqual({name: data.transient for name, data in graph.arrays.items() if name in ("A", "own", "__return")},
                         {"A": False, "own": True, "__return": False})
        for program in f, graph:
            self.assertEqual(program(numpy.arange(4.0)).tolist(), [3.0] * 4)
        self.assertEqual(own.tolist(), [7.0] * 4)

    def test_graphs_with_what_a_program_captures(self):
        dace, weights, heard = sdfg.as_dace(), numpy.ones(3), []

        def hear(x):
            heard.append(float(x))

        @dace.program
        def f(A: dace.float64[3]):
            hear(A[0])
            return A * weights
        with self.assertWarns(sdfg.CallbackWarning):
            graph = f.to_sdfg()
        weights[:] = 4
        self.assertEqual(graph(numpy.arange(3.0) + 1).tolist(), [4, 8, 12])
        self.assertEqual(heard, [1.0])

    def test_saved_graphs_do_not_change(self):
        dace = sdfg.as_dace()

        @dace.program
        def f(A: dace.float64[4, 4]):
            i = 0
            while i < 4:
                A[i] = A[i - 1] @ A if i > 2 else i
                i += 1
        with tempfile.TemporaryDirectory() as folder:
            f.to_sdfg().save(f"{folder}/new/first.sdfg")
            dace.SDFG.from_file(f"{folder}/new/first.sdfg").save(f"{folder}/second.sdfg")
            first, second = (pathlib.Path(folder, name).read_text(encoding="utf-8") for name in ("new/first.sdfg", "second.sdfg"))
        self.assertEqual(first, second)

    def test_warnings_of_graphs(self):
        dace = sdfg.as_dace()
        N = dace.symbol("N")
        graph = dace.SDFG("vla")
        graph.add_array("A", [N], dace.float32)
        graph.add_transient("T", [N], dace.float32, storage=dace.StorageType.Register)
        state = graph.add_state()
        A, T = state.add_read("A"), state.add_access("T")
        state.add_nedge(A, T, dace.Memlet("A[0:N]"))
        state.add_nedge(T, state.add_write("A"), dace.Memlet("T[0:N]"))
        with self.assertWarnsRegex(sdfg.ProgramWarning, r"Variable-length array 'T' of shape \['N'\] lies on the heap, not in registers"):
            graph(A=numpy.zeros(3, numpy.float32))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            graph(A=numpy.zeros(3, numpy.float32)) # once
        again = graph.add_state_after(state)
        for _ in range(2):
            again.add_mapped_tasklet("t", {"i": "0:N"}, {}, "a = 1", {"a": dace.Memlet("A[i]")}, external_edges=True)
        with dace.config.set_temporary("experimental", "check_race_conditions", value=True), \
                self.assertWarnsRegex(UserWarning, "'t' writes and 't' writes elements of 'A', and nothing orders them"):
            graph.validate()

    def test_results_by_name_and_missing_arguments(self):
        dace = sdfg.as_dace()

        @dace.program
        def f(A: dace.float64[3]):
            return A * 2
        into = numpy.zeros(3)
        self.assertIs(f(numpy.ones(3), __return=into), into)
        self.assertEqual(into.tolist(), [2] * 3)
        for kind in TypeError, KeyError:
            with self.assertRaisesRegex(kind, r"^f\(\) is missing arguments: A$"):
                f()

    def test_symbols_by_keyword(self):
        dace = sdfg.as_dace()
        first, last, scale = dace.symbol("first"), dace.symbol("last"), dace.symbol("scale", dace.float64)

        @dace.program
        def part():
            return np.ones([last - first])

        @dace.program
        def scaled(A: dace.float64[4]):
            A[:] = A * scale

        @dace.program
        def f(A: dace.float64[4], ends: dace.int32[2], x: dace.float64):
            scaled(A, scale=x + 1)
            begin, end = ends[0], ends[1]
            A[begin:end] = part(first=begin, last=end)
        A = numpy.full(4, 2.0)
        f(A, numpy.array([1, 3], numpy.int32), 0.5)
        self.assertEqual(A.tolist(), [3, 1, 1, 3])

    def test_where_and_how_long_memory_lives(self):
        dace = sdfg.as_dace()

        @dace.program
        def count(A: dace.int32[1]):
            kept = dace.define_local_scalar(dace.int32, lifetime=dace.AllocationLifetime.Persistent)
            if A[0] == 0:
                kept[:] = 0
            kept += 1
            A[0] = kept

        @dace.program
        def hints(A: dace.float64[3]):
            b: dace.float64[3] @ dace.StorageType.CPU_ThreadLocal = np.ones(3)
            c = np.ones(3) @ dace.StorageType.CPU_Heap
            return A + b + c
        compiled, A = count.compile(), numpy.zeros(1, numpy.int32)
        for n in 1, 2, 3:
            compiled(A=A)
            self.assertEqual(A[0], n)
        graph = hints.to_sdfg()
        self.assertEqual((graph.arrays["b"].storage, graph.arrays["c"].storage), ("CPU_ThreadLocal", "CPU_Heap"))
        self.assertEqual(graph(numpy.ones(3)).tolist(), [3] * 3)

    def test_words_of_dace_alone(self):
        dace = sdfg.as_dace()
        N = dace.symbol("N")

        @dace.program
        def five() -> dace.int32:
            return 5

        @dace.program
        def f(A: dace.float64[2, 3], B: dace.float64[3, 4]):
            C = np.tensordot(A, B, axes=([1], [0]), out_axes=[1, 0])
            for i in parrange(2): # noqa: F821
                A[i, 0] = five()
            return C, five()

        @dace.program
        def writes(A: dace.float64[N]):
            with dace.tasklet:
                a << A[0]
                N = a

        @dace.program
        def constant(A, k: dace.compiletime):
            A[:] = k

        @dace.program
        def passes(A: dace.float64[3], k: dace.int64):
            constant(A, k)
        A, B = numpy.arange(6.0).reshape(2, 3), numpy.arange(12.0).reshape(3, 4)
        product, number = f(A.copy(), B)
        self.assertEqual(product.tolist(), (A @ B).T.tolist())
        self.assertEqual((number.dtype, number[0]), (numpy.int32, 5))
        with self.assertRaisesRegex(dace.DaceSyntaxError, "the symbol 'N' cannot be assigned in a tasklet"):
            writes.to_sdfg()
        with self.assertRaisesRegex(dace.DaceSyntaxError, r"argument 'k' is a constant \(compiletime\)"):
            passes.to_sdfg()

    def test_errors_inside_of_objects(self):
        dace = sdfg.as_dace()

        class Broken(dace.SDFGConvertible):
            def __sdfg__(self, *_, **__):
                raise NotADirectoryError("nothing here")

            def __sdfg_signature__(self):
                return [], []

        @dace.program
        def f(A, b: dace.compiletime):
            b(A)
        with self.assertRaisesRegex(NotADirectoryError, "^nothing here$"):
            f(numpy.ones(3), Broken())

    def test_memory_counts(self):
        dace = sdfg.as_dace()
        graph = dace.SDFG("strided")
        graph.add_array("A", [2, 3], dace.float64, strides=[12, 2])
        graph.add_array("B", [2, 3], dace.float64)
        self.assertEqual((graph.arrays["A"].strides, graph.arrays["B"].strides), ((12, 2), (3, 1)))
        state = graph.add_state()
        state.add_nedge(state.add_read("A"), state.add_write("B"), dace.Memlet.from_array("A", graph.arrays["A"]))
        A, B = numpy.arange(24.0).reshape(2, 2, 6), numpy.zeros((2, 3))
        graph(A=A, B=B)
        self.assertEqual(B.tolist(), [[0, 2, 4], [12, 14, 16]])
        with self.assertRaises(dace.InvalidSDFGError):
            graph(A=numpy.zeros(5), B=B)

    def test_unknown_arguments_are_ignored(self):
        dace = sdfg.as_dace()
        graph = dace.SDFG("few")
        graph.add_array("A", [dace.symbol("n")], dace.float64)
        graph.add_state().add_mapped_tasklet("ones", {"i": "0:n"}, {}, "o = 1", {"o": dace.Memlet("A[i]")}, external_edges=True)
        A = numpy.zeros(4)
        graph(A=A, n=4, K=7)
        self.assertEqual(A.tolist(), [1, 1, 1, 1])
        with self.assertRaisesRegex(TypeError, "no argument 'K'"):
            sdfg.compile(json.dumps(graph.to_json()))(A=A, n=4, K=7)

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
