"""dropin.py LEVEL: DaCe with sdfg.dropin installed, in the current folder, where no compiler can be found."""
import copy
import ctypes
import json
import math
import pathlib
import subprocess
import sys
import threading
import unittest
import warnings

import numpy

import sdfg.dropin
from sdfg._dace_json import of_graph

LEVEL = sys.argv.pop(1)
sdfg.dropin.install(LEVEL) # before DaCe is imported

import dace # noqa: E402
from dace.codegen import compiler # noqa: E402
from dace.config import Config # noqa: E402
from dace.sdfg.utils import distributed_compile # noqa: E402

N = dace.symbol("N")
BUILD = LEVEL == "build"


@dace.program
def axpy(A: dace.float64[N], B: dace.float64[N], a: dace.float64):
    B[:] = a * A + B


@dace.program
def product(A: dace.float64[N, N], B: dace.float64[N, N]):
    return A @ B, A + B


@dace.program
def rounded(x):
    return math.ceil(x), math.floor(x)


@dace.program
def rounded_inside(x: dace.float64, A: dace.float64[5]):
    up, down = rounded(x)
    for i in range(5):
        if i > 2:
            A[i] = up + down


@dace.program
def integers(A: dace.int32[N], flag: dace.bool, x: dace.float32, k: dace.int8, out: dace.complex128[N]):
    if flag:
        out[:] = A * x + k


@dace.program
def selected(A: dace.float64[N], B: dace.float64[N]):
    B[:] = numpy.select([A < 1, A < 3], [A, 10 * A], -1.0)


class Dropin(unittest.TestCase):
    def setUp(self):
        sdfg.dropin.install(LEVEL)
        self.before = sdfg.dropin.statistics()["built"]

    def built(self):
        return sdfg.dropin.statistics()["built"] - self.before

    def test_programs(self):
        A, B = numpy.arange(20.0), numpy.ones(20)
        axpy(A, B, 2.0)
        numpy.testing.assert_array_equal(B, 2 * A + 1)
        M = numpy.random.default_rng(1).random((7, 7))
        P, S = product(M, M)
        numpy.testing.assert_allclose(P, M @ M)
        numpy.testing.assert_array_equal(S, M + M)
        self.assertEqual(self.built(), 2)

    def test_container_arrays_in_container_arrays(self):
        graph, element = dace.SDFG("jagged"), dace.data.ContainerArray(dace.float64[N], [3])
        graph.add_datadesc("A", dace.data.ContainerArray(element, [2]))
        graph.add_datadesc_view("rows", element)
        graph.add_view("row", [N], dace.float64)
        graph.add_array("B", [2], dace.float64)
        for k in range(2):
            state = graph.add_state_after(graph.sink_nodes()[0]) if k else graph.add_state()
            rows, row = state.add_access("rows"), state.add_access("row")
            rows.add_in_connector("views")
            row.add_in_connector("views")
            state.add_edge(state.add_read("A"), None, rows, "views", dace.Memlet(f"A[{k}]"))
            state.add_edge(rows, None, row, "views", dace.Memlet(f"rows[{k + 1}]"))
            state.add_edge(row, None, state.add_write("B"), None, dace.Memlet(data="row", subset="3", other_subset=str(k)))
        row = ctypes.c_double * 5
        table = [[row(*(100 * i + 10 * j + k for k in range(5))) for j in range(3)] for i in range(2)]
        pointer = ctypes.POINTER(ctypes.c_double)
        outer = (ctypes.POINTER(pointer) * 2)(*[(pointer * 3)(*rows) for rows in table])
        B = numpy.zeros(2)
        graph(A=outer, B=B, N=5)
        self.assertEqual(B.tolist(), [13.0, 123.0])

    def test_graphs_that_are_built_without_dace(self):
        graph = sdfg.SDFG("scaled")
        graph.add_array("A", ["N", 3], sdfg.float64)
        loop = sdfg.LoopRegion("loop", "k < N // 2", "k", "k = 0", "k = k + 1")
        graph.add_node(loop)
        loop.add_state().add_mapped_tasklet("scale", {"j": "0:3"}, {"a": sdfg.Memlet("A[2 * k, j]")}, "b = 2 * a",
                                            {"b": sdfg.Memlet("A[2 * k, j]")}, external_edges=True)
        graph.save("scaled.sdfg")
        theirs = dace.SDFG.from_file("scaled.sdfg")
        theirs.validate()
        A = numpy.ones((5, 3))
        theirs(A=A, N=5)
        self.assertEqual(A[:, 0].tolist(), [2.0, 1.0, 2.0, 1.0, 1.0])

    def test_values(self):
        """Of each kind; other sizes and values in the calls that follow."""
        compiled = integers.to_sdfg().compile()
        for size, flag, x, k in (4, True, 0.5, -1), (9, True, -3, 100), (9, False, 1, 1):
            A, out = numpy.arange(size, dtype=numpy.int32), numpy.full(size, 7j, numpy.complex128)
            compiled(A=A, flag=flag, x=x, k=k, out=out, N=size)
            numpy.testing.assert_array_equal(out, A * x + k if flag else 7j)

    def test_numbers_that_are_rounded(self):
        for x in 0.7, -0.7, 3.0:
            up, down = rounded(x)
            self.assertEqual((up[0], down[0]), (math.ceil(x), math.floor(x)))
            up, down = sdfg.compile(rounded.to_sdfg(x))(x=x)
            self.assertEqual((up[0], down[0]), (math.ceil(x), math.floor(x)))

        A = numpy.zeros(5)
        rounded_inside(2.5, A)
        self.assertEqual(A.tolist(), [0, 0, 0, 5, 5])

    def test_advanced_interface(self):
        compiled = axpy.to_sdfg().compile()
        A, B = numpy.arange(5.0), numpy.zeros(5)
        arguments, initial = compiled.construct_arguments(A=A, B=B, a=3.0, N=5)
        for _ in range(3):
            compiled.fast_call(arguments, initial)
        numpy.testing.assert_array_equal(B, 9 * A)
        with self.assertRaisesRegex(KeyError, "Missing program argument"):
            compiled(A=A, B=B)
        compiled.finalize()

    def test_safe_call(self):
        compiled = axpy.to_sdfg().compile()
        A, B = numpy.arange(5.0), numpy.zeros(5)
        compiled.safe_call(A=A, B=B, a=2.0, N=5)
        numpy.testing.assert_array_equal(B, 2 * A)

    def test_callback(self):
        heard = []

        def listen(x):
            heard.append(x)

        @dace.program
        def calling(A: dace.float64[3]):
            for i in range(3):
                listen(A[i])

        with warnings.catch_warnings():
            warnings.simplefilter("ignore") # DaCe announces callbacks
            calling(numpy.array([1.0, 2.0, 3.0]))
        self.assertEqual(heard, [1, 2, 3])

    def test_workspace(self):
        graph = dace.SDFG("workspace")
        graph.add_array("A", [N], dace.float64)
        graph.add_transient("T", [N], dace.float64, lifetime=dace.AllocationLifetime.External)
        state = graph.add_state()
        A, T, B = state.add_read("A"), state.add_access("T"), state.add_write("A")
        state.add_nedge(A, T, dace.Memlet("A[0:N]"))
        state.add_mapped_tasklet("double", {"i": "0:N"}, {"t": dace.Memlet("T[i]")}, "a = t * 2", {"a": dace.Memlet("A[i]")},
                                 input_nodes={"T": T}, output_nodes={"A": B}, external_edges=True)
        compiled = graph.compile()
        values = numpy.ones(10)
        compiled.initialize(A=values, N=10)
        (storage, size), = compiled.get_workspace_sizes().items()
        self.assertGreaterEqual(size, 80)
        compiled.set_workspace(storage, numpy.zeros(size, numpy.uint8))
        compiled(A=values, N=10)
        numpy.testing.assert_array_equal(values, 2)

    def test_graph_is_not_changed(self):
        graph = product.to_sdfg(simplify=True)
        before = graph.to_json()
        compiled = graph.compile()
        self.assertEqual(graph.to_json()["nodes"], before["nodes"])
        self.assertEqual(list(compiled.sdfg.arglist()), list(graph.arglist()))
        compiled.sdfg.add_scalar("more", dace.int64) # its own graph may change: no answer of the compilation stays with it
        self.assertIn("more", compiled.sdfg.arglist())

    def test_records(self):
        """What is asked once for a record is what DaCe writes, while another thread changes a graph of its own."""
        nested = dace.SDFG("records")
        nested.add_array("A", [N], dace.float64)
        state = nested.add_state()
        for k in range(3):
            state.add_mapped_tasklet(f"m{k}", {"i": "0:N:2"}, {}, f"a = {k}", {"a": dace.Memlet("A[i]")}, external_edges=True)
        graphs = [nested, axpy.to_sdfg(), product.to_sdfg(simplify=True)]
        wrong, done = [], threading.Event()

        def grow():
            own = dace.SDFG("own").add_state()
            while not done.is_set():
                node = own.add_tasklet("t", {}, {}, "pass")
                wrong.extend([node] if own.node_id(node) != len(own.nodes()) - 1 else [])
                if len(own.nodes()) > 20:
                    own = dace.SDFG("own").add_state()

        thread = threading.Thread(target=grow)
        thread.start()
        try:
            for graph in graphs * 5:
                self.assertEqual(json.dumps(of_graph(graph), default=str), json.dumps(graph.to_json(), default=str))
        finally:
            done.set()
            thread.join()
        self.assertEqual(wrong, [])

    def test_records_of_threads(self):
        """DaCe's functions are its own again when several threads have written records at once."""
        def functions():
            return dace.sdfg.nodes.Map.__str__, dace.sdfg.graph.OrderedDiGraph.node_id, dace.symbolic.serialize_symbolic, dace.InterstateEdge.to_json
        before, graphs = functions(), [copy.deepcopy(axpy.to_sdfg()) for _ in range(4)]
        start = threading.Barrier(len(graphs))

        def write(graph):
            start.wait()
            for _ in range(20):
                of_graph(graph)

        threads = [threading.Thread(target=write, args=(graph,)) for graph in graphs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(functions(), before)

    def test_free_symbols(self):
        """Free symbols are what the initialisation takes of the arguments."""
        graph = copy.deepcopy(integers.to_sdfg())
        graph.name = "symbols"
        compiled = graph.compile()
        self.assertEqual([name for name in compiled.sdfg.arglist() if name in compiled._free_symbols],
                         [name for name in graph.arglist() if name in graph.free_symbols])

    def test_unknown_library_nodes(self):
        """Nodes that the engine does not have are expanded by DaCe, not refused."""
        graph, B = copy.deepcopy(selected.to_sdfg()), numpy.zeros(4)
        sdfg.dropin.install(LEVEL, fallback=False)
        graph.compile()(A=numpy.arange(4.0), B=B, N=4)
        numpy.testing.assert_array_equal(B, [0, 10, 20, -1])

    def test_refused(self):
        """DaCe is asked, said once; strictly, it is an error."""
        graph = copy.deepcopy(axpy.to_sdfg())
        graph.name = "measured"
        graph.instrument = dace.InstrumentationType.Timer
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            for _ in range(2):
                with self.assertRaises(Exception): # there is no CMake here
                    graph.compile()
        said = [w for w in said if w.category is sdfg.dropin.FallbackWarning]
        self.assertEqual(len(said), 1)
        self.assertIn("DaCe builds 'measured': it is instrumented", str(said[0].message))
        sdfg.dropin.install(LEVEL, fallback=False)
        with self.assertRaisesRegex(Exception, "it is instrumented"):
            graph.compile()
        graph.instrument = dace.InstrumentationType.No_Instrumentation
        next(iter(graph.states())).symbol_instrument = dace.DataInstrumentationType.Save
        with self.assertRaisesRegex(Exception, "it is instrumented"):
            graph.compile()
        self.assertEqual(self.built(), 0)

    def test_invalid_graph(self):
        graph = dace.SDFG("invalid")
        graph.add_array("A", [10], dace.float64)
        state = graph.add_state()
        tasklet = state.add_tasklet("t", {}, {"a"}, "a = 1")
        state.add_edge(tasklet, "a", state.add_write("A"), None, dace.Memlet("A[20]"))
        with self.assertRaises(dace.sdfg.InvalidSDFGError):
            graph.compile()

    def test_configuration(self):
        with dace.config.set_temporary("compiler", "cpp_standard", value="17"), warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            axpy.to_sdfg().compile()
        self.assertEqual([str(w.message) for w in said if w.category is sdfg.dropin.FallbackWarning],
                         ["DaCe's setting compiler.cpp_standard='17' has no effect on programs that libsdfg builds"])

    def test_settings(self):
        with self.assertRaisesRegex(ValueError, "'disk' is none of build, memory"):
            sdfg.dropin.install("disk")
        with self.assertRaises(TypeError):
            sdfg.dropin.install(LEVEL, no_such_option=1)
        self.assertEqual(sdfg.dropin.installed(), LEVEL)
        sdfg.dropin.uninstall()
        self.assertIsNone(sdfg.dropin.installed())
        with self.assertRaises(Exception): # DaCe itself finds no CMake
            axpy.to_sdfg().compile()
        self.assertEqual(self.built(), 0)

    def test_program(self):
        pathlib.Path("prog.py").write_text(
            "import sys, numpy, dace\n@dace.program\ndef twice(A: dace.float64[4]):\n    A *= 2\n"
            "A = numpy.ones(4)\ntwice(A)\nprint(A.sum(), sys.argv[1:], __name__)\n")
        ran = subprocess.run([sys.executable, "-W", "ignore", "-m", "sdfg.dropin", f"--level={LEVEL}", "--strict", "--report", "prog.py",
                              "-x", "1"], capture_output=True, text=True)
        self.assertEqual(ran.stdout, "8.0 ['-x', '1'] __main__\n", ran.stderr)
        self.assertIn("libsdfg built 1, DaCe 0", ran.stderr)

    @unittest.skipUnless(BUILD, "nothing is written")
    def test_folder(self):
        graph = copy.deepcopy(axpy.to_sdfg())
        for name, mode in ("folder", "development"), ("small", "production"):
            graph.name = name
            with dace.config.set_temporary("compiler", "build_folder_mode", value=mode):
                graph.compile(output_file=f"{name}.so")
            folder = pathlib.Path(graph.build_folder)
            place = folder / "build" if mode == "development" else folder
            self.assertTrue((place / f"lib{name}.so").exists() and (place / f"libdacestub_{name}.so").exists())
            self.assertEqual((folder / "include").exists(), mode == "development")
            self.assertFalse((folder / "build" / "CMakeCache.txt").exists())
            self.assertEqual(pathlib.Path(f"{name}.so").read_bytes(), (place / f"lib{name}.so").read_bytes())
            text = ("import dace, numpy; from dace.codegen import compiler\n"
                    f"c = compiler.load_precompiled_sdfg({str(folder)!r})\nB = numpy.ones(3); c(A=numpy.ones(3), B=B, a=4.0, N=3); print(B.sum())")
            ran = subprocess.run([sys.executable, "-W", "ignore", "-c", text], capture_output=True, text=True) # DaCe alone
            self.assertEqual(ran.stdout, "15.0\n", ran.stderr)

    @unittest.skipUnless(BUILD, "nothing is written")
    def test_caches(self):
        graph = copy.deepcopy(axpy.to_sdfg())
        graph.name = "cached"
        graph.compile(return_program_handle=False)
        with dace.config.set_temporary("compiler", "use_cache", value=True):
            graph.compile()
        self.assertEqual(self.built(), 1)
        self.assertEqual(compiler.get_folder_mode(graph.build_folder), Config.get("compiler", "build_folder_mode"))
        graph.regenerate_code = False # there is no code that could have been edited
        B = numpy.ones(3)
        graph.compile()(A=numpy.ones(3), B=B, a=1.0, N=3)
        numpy.testing.assert_array_equal(B, 2)
        self.assertEqual(self.built(), 1)

    @unittest.skipIf(BUILD, "writes into DaCe's folder")
    def test_nothing_is_written(self):
        graph = copy.deepcopy(axpy.to_sdfg())
        graph.name = "unwritten"
        graph.compile()
        self.assertFalse(pathlib.Path(graph.build_folder).exists())

    def test_folders_that_are_loaded(self):
        """Level "memory" writes a program whose folder is loaded, also where other processes load it."""
        graph = copy.deepcopy(axpy.to_sdfg())
        graph.name = "loaded"
        graph.compile()
        self.run_axpy(compiler.load_precompiled_sdfg(graph.build_folder))
        graph.name = "shared"
        self.run_axpy(distributed_compile(graph, Alone()))
        self.assertTrue(compiler.get_binary_name(pathlib.Path(graph.build_folder), sdfg_name="shared").exists())

    def run_axpy(self, compiled):
        B = numpy.ones(3)
        compiled(A=numpy.arange(3.0), B=B, a=2.0, N=3)
        self.assertEqual(B.tolist(), [1, 3, 5])


class Alone:
    """The communicator of one process."""
    def Get_rank(self):
        return 0

    def bcast(self, value, root=0):
        return value

    def allgather(self, value):
        return [value]


if __name__ == "__main__":
    unittest.main()
