"""Graphs that are built in Python: results against NumPy, what files hold, and the messages of mistakes."""
import gzip
import json
import pathlib
import tempfile
import unittest

import numpy

import sdfg
from sdfg import SDFG, ConditionalBlock, ControlFlowRegion, InterstateEdge, LoopRegion, Memlet

N, M = sdfg.symbol("N"), sdfg.symbol("M")


def axpy(name="axpy"):
    graph = SDFG(name)
    graph.add_array("X", [N], sdfg.float64)
    graph.add_array("Y", [N], numpy.float64)
    graph.add_scalar("a", float)
    graph.arg_names = ["a", "X", "Y"]
    graph.add_state("compute").add_mapped_tasklet(
        "axpy", {"i": "0:N"}, {"x": Memlet("X[i]"), "y": Memlet("Y[i]"), "s": Memlet("a")}, "o = s * x + y", {"o": Memlet("Y[i]")},
        external_edges=True)
    return graph


class Lists(unittest.TestCase):
    def test_rows(self):
        passes = sdfg.list("passes")
        self.assertEqual([r.name for r in passes[:2]], ["target", "read"])
        lower = next(r for r in passes if r.name == "lower")
        self.assertEqual(lower.values, {"needs": ("valid", "types", "target"), "makes": ("tree",), "breaks": (), "code": ("BOTH",), "plug-in": ()})
        self.assertIsNone(lower.unusable)
        self.assertIn("CPU_Heap", next(r for r in sdfg.list("targets") if r.name == "cpu").values["storages"])
        self.assertIn("blas.Gemm", {r.name for r in sdfg.Engine().list("ops")})
        self.assertIn("GPU_Shared", {r.name: r.values["members"] for r in sdfg.list("enums")}["StorageType"])
        self.assertRaisesRegex(ValueError, "'pass' is none of targets, passes, ops, enums, plugins", sdfg.list, "pass")


class Graphs(unittest.TestCase):
    def test_mapped_tasklet(self):
        graph = axpy()
        for n in 5, 100:
            X, Y = numpy.arange(float(n)), numpy.ones(n)
            graph(X=X, Y=Y, a=2.0)
            self.assertTrue(numpy.array_equal(Y, 2 * numpy.arange(n) + 1))
            graph(3.0, X, Y)
            self.assertTrue(numpy.array_equal(Y, 5 * numpy.arange(n) + 1))

    def test_maps_in_maps_and_conflicts(self):
        graph = SDFG("gemm")
        for name, shape in ("A", (N, M)), ("B", (M, N)), ("C", (N, N)):
            graph.add_array(name, shape, sdfg.float64)
        state = graph.add_state()
        outer = state.add_map("outer", dict(i="0:N", j="0:N"))
        inner = state.add_map("inner", dict(k="0:M"))
        tasklet = state.add_tasklet("multiply", {"a", "b"}, {"c"}, "c = a * b")
        A, B, C = state.add_read("A"), state.add_read("B"), state.add_write("C")
        state.add_memlet_path(A, outer[0], inner[0], tasklet, dst_conn="a", memlet=Memlet("A[i, k]"))
        state.add_memlet_path(B, outer[0], inner[0], tasklet, dst_conn="b", memlet=Memlet("B[k, j]"))
        state.add_memlet_path(tasklet, inner[1], outer[1], C, src_conn="c", memlet=Memlet("C[i, j]", wcr="lambda x, y: x + y"))
        A, B, C = numpy.random.default_rng(1).random((3, 4, 4))
        expected = C + A @ B
        graph(A=A, B=B, C=C)
        numpy.testing.assert_allclose(C, expected)

    def test_transients_copies_and_order(self):
        graph = SDFG("copies")
        graph.add_array("A", [10], sdfg.int32)
        graph.add_array("B", [10], sdfg.int32)
        name, _ = graph.add_temp_transient([4], sdfg.int32)
        state = graph.add_state()
        A, T, B = state.add_read("A"), state.add_access(name), state.add_write("B")
        state.add_nedge(A, T, Memlet("A[2:6]"))
        state.add_edge(T, None, B, None, Memlet(f"{name}[0:4] -> [6:10]"))
        after = graph.add_state_after(state)
        after.add_nedge(after.add_read("B"), after.add_write("A"), Memlet(data="B", subset="6:10", other_subset="0:4"))
        A, B = numpy.arange(10, dtype=numpy.int32), numpy.zeros(10, numpy.int32)
        graph(A=A, B=B)
        self.assertEqual((A.tolist(), B.tolist()), ([2, 3, 4, 5, 4, 5, 6, 7, 8, 9], [0] * 6 + [2, 3, 4, 5]))

    def test_nested(self):
        inner = axpy("inner")
        graph = SDFG("outer")
        graph.add_array("P", [N, M], sdfg.float64)
        graph.add_array("Q", [N, M], sdfg.float64)
        graph.add_scalar("s", sdfg.float64)
        state = graph.add_state()
        entry, exit = state.add_map("rows", dict(r="0:N"))
        node = state.add_nested_sdfg(inner, {"X", "Y", "a"}, {"Y"}, {"N": M})
        P, Q, s, out = state.add_read("P"), state.add_read("Q"), state.add_read("s"), state.add_write("Q")
        state.add_memlet_path(P, entry, node, dst_conn="X", memlet=Memlet("P[r, 0:M]"))
        state.add_memlet_path(Q, entry, node, dst_conn="Y", memlet=Memlet("Q[r, 0:M]"))
        state.add_memlet_path(s, entry, node, dst_conn="a", memlet=Memlet("s"))
        state.add_memlet_path(node, exit, out, src_conn="Y", memlet=Memlet("Q[r, 0:M]"))
        P, Q = numpy.random.default_rng(2).random((2, 5, 3))
        expected = 4 * P + Q
        graph(P=P, Q=Q, s=4.0)
        numpy.testing.assert_allclose(Q, expected)

    def test_state_machines(self):
        graph = SDFG("collatz")
        graph.add_array("A", [1], sdfg.int64)
        graph.add_array("steps", [1], sdfg.int64)
        graph.add_symbol("n", sdfg.int64)
        start, guard, odd, even, end = (graph.add_state(name) for name in ("start", "guard", "odd", "even", "end"))
        graph.add_edge(start, guard, InterstateEdge(assignments={"k": "A[0]", "n": 0}))
        graph.add_edge(guard, odd, InterstateEdge("k != 1 and k % 2 == 1"))
        graph.add_edge(guard, even, InterstateEdge("k != 1 and k % 2 == 0"))
        graph.add_edge(guard, end, InterstateEdge("k == 1"))
        graph.add_edge(odd, guard, InterstateEdge(assignments={"k": "3 * k + 1", "n": "n + 1"}))
        graph.add_edge(even, guard, InterstateEdge(assignments={"k": "k // 2", "n": "n + 1"}))
        tasklet = end.add_tasklet("count", {}, {"o"}, "o = n")
        end.add_edge(tasklet, "o", end.add_write("steps"), None, Memlet("steps[0]"))
        steps = numpy.zeros(1, numpy.int64)
        graph(A=numpy.array([27]), steps=steps)
        self.assertEqual(steps[0], 111)

    def test_loops(self):
        def body(region):
            state = region.add_state("body")
            tasklet = state.add_tasklet("add", {"a"}, {"b"}, "b = a + i")
            state.add_edge(state.add_read("A"), None, tasklet, "a", Memlet("A[i]"))
            state.add_edge(tasklet, "b", state.add_write("A"), None, Memlet("A[i + 1]"))
            return state

        def of_regions(graph):
            loop = LoopRegion("loop", "i < N - 1", "i", "i = 0", "i = i + 1")
            graph.add_node(loop, is_start_block=True)
            body(loop)

        def of_states(graph):
            graph.add_loop(None, body(graph), None, "i", "0", "i < N - 1", "i + 1")

        for make in of_regions, of_states:
            graph = SDFG("prefix")
            graph.add_array("A", [N], sdfg.int64)
            make(graph)
            A = numpy.zeros(6, numpy.int64)
            graph(A=A)
            self.assertEqual(A.tolist(), [0, 0, 1, 3, 6, 10])

    def test_branches(self):
        graph = SDFG("sign")
        graph.add_scalar("x", sdfg.float64)
        graph.add_array("out", [1], sdfg.int32)
        choice = ConditionalBlock("choice")
        graph.add_node(choice)
        for condition, value in ("x > 0", 1), ("x < 0", -1), (None, 0):
            branch = choice.add_branch(condition, ControlFlowRegion(f"branch{value}", graph))
            state = branch.add_state()
            tasklet = state.add_tasklet("set", [], ["o"], f"o = {value}")
            state.add_edge(tasklet, "o", state.add_write("out"), None, Memlet("out[0]"))
        for x in 2.5, -1.0, 0.0:
            out = numpy.zeros(1, numpy.int32)
            graph(x=x, out=out)
            self.assertEqual(out[0], numpy.sign(x))

    def test_reductions_constants_and_results(self):
        graph = SDFG("reduction")
        graph.add_array("A", [N, 3], sdfg.float64)
        graph.add_array("__return", [3], sdfg.float64)
        graph.add_transient("sums", [3], sdfg.float64)
        graph.add_constant("weights", numpy.array([1.0, 10.0, 100.0]))
        state = graph.add_state()
        reduce = state.add_reduce("lambda a, b: a + b", [0], 0)
        sums = state.add_access("sums")
        state.add_nedge(state.add_read("A"), reduce, Memlet("A[0:N, 0:3]"))
        state.add_nedge(reduce, sums, Memlet("sums[0:3]"))
        _, entry, exit = state.add_mapped_tasklet("scale", "i = 0:3", {"s": Memlet("sums[i]")}, "o = s * weights[i]",
                                                  {"o": Memlet("__return[i]")}, external_edges=True, input_nodes={"sums": sums})
        A = numpy.random.default_rng(3).random((4, 3))
        numpy.testing.assert_allclose(graph(A=A), A.sum(0) * [1, 10, 100])

    def test_views_streams_and_other_languages(self):
        graph = SDFG("views")
        graph.add_array("A", [12], sdfg.float32)
        graph.add_view("V", [3, 4], sdfg.float32)
        graph.add_array("B", [3, 4], sdfg.float32, strides=[1, 3])
        state = graph.add_state()
        A, V = state.add_read("A"), state.add_access("V")
        V.add_in_connector("views")
        state.add_edge(A, None, V, "views", Memlet("A[0:12]"))
        _, entry, _ = state.add_mapped_tasklet("t", dict(i="0:3", j="0:4"), {"v": Memlet("V[i, j]")}, "o = v + 0.5f;",
                                               {"o": Memlet("B[i, j]")}, external_edges=True, input_nodes={"V": V}, language="CPP")
        A, B = numpy.arange(12, dtype=numpy.float32), numpy.zeros((3, 4), numpy.float32, "F")
        graph(A=A, B=B)
        self.assertTrue(numpy.array_equal(B, A.reshape(3, 4) + 0.5))

    def test_compiled_again_when_it_has_changed(self):
        graph = axpy()
        X, Y = numpy.ones(3), numpy.zeros(3)
        graph(X=X, Y=Y, a=1.0)
        first = graph.compile()
        self.assertIs(graph.compile(), first)
        state = graph.add_state_after(graph.nodes()[0])
        state.add_nedge(state.add_read("X"), state.add_write("Y"), Memlet("X[0:N]"))
        self.assertIsNot(graph.compile(), first)
        graph(X=X, Y=Y, a=5.0)
        self.assertEqual(Y.tolist(), [1.0] * 3)

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "axpy.sdfg"
            path = path.parent / "made" / "for" / path.name
            axpy().save(path)
            self.assertEqual(json.loads(path.read_text())["attributes"]["arg_names"], ["a", "X", "Y"])
            program = sdfg.compile(path)
            Y = numpy.ones(4)
            program(X=numpy.ones(4), Y=Y, a=2.0)
            self.assertEqual(Y.tolist(), [3.0] * 4)
            self.assertEqual(SDFG.from_file(path).name, "axpy")
        Y = numpy.ones(2)
        sdfg.compile(axpy())(2.0, numpy.ones(2), Y)
        self.assertEqual(Y.tolist(), [3.0, 3.0])

    def test_files_and_back(self):
        """What a file says comes back the same, also of programs with loops, branches, nested graphs and library nodes."""
        @sdfg.program
        def f(A: sdfg.float64[N, 4], B: sdfg.float64[N]):
            for i in sdfg.map[0:N]:
                B[i] = numpy.sum(A[i]) + 1
            for k in range(3):
                if B[0] > 1:
                    B[k // 2] += 1
            return A.T @ B
        graph = SDFG.from_json(json.loads(f.to_sdfg()))
        again = SDFG.from_json(json.loads(json.dumps(graph.to_json())))
        self.assertEqual(again.to_json(), graph.to_json())
        self.assertIn("debuginfo", json.dumps(again.to_json()))
        self.assertEqual(again.to_json()["source_files"], [__file__])
        A, B, C = numpy.random.default_rng(3).random((3, 5, 4))[0], numpy.zeros(5), numpy.zeros(5)
        numpy.testing.assert_allclose(again(A=A, B=B), f(A, C))
        numpy.testing.assert_allclose(B, C)
        self.assertEqual((graph.arrays["A"].shape, graph.arrays["B"].shape), ((N, 4), (N,)))
        self.assertTrue(all(state.sdfg is graph for state in graph.states()))
        for record in (axpy().to_json(), f.to_sdfg()):
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder, "g.sdfgz")
                data = record if isinstance(record, str) else json.dumps(record)
                path.write_bytes(gzip.compress(data.encode()))
                self.assertEqual(SDFG.from_file(path).name, json.loads(data)["attributes"]["name"])

    def test_a_loaded_graph_is_changed(self):
        graph = SDFG.from_json(axpy().to_json())
        state = graph.states()[0]
        [tasklet] = [node for node in state.nodes() if node.type == "Tasklet"]
        tasklet.code = "o = s * x - y"
        self.assertEqual([e.data.data for e in state.in_edges(tasklet)], ["X", "Y", "a"])
        graph.arg_names = ["a", "X", "Y"]
        Y = numpy.ones(3)
        graph(2.0, numpy.arange(3.0), Y)
        self.assertEqual(Y.tolist(), [-1, 1, 3])

    def test_edge_pairs_and_consume(self):
        graph = SDFG("pairs")
        graph.add_array("A", [31], sdfg.float64)
        graph.add_array("B", [1], sdfg.float64)
        state = graph.add_state()
        tasklet, A, B = state.add_tasklet("t", {"a"}, {"b"}, "b = 2 * a"), state.add_read("A"), state.add_write("B")
        entry, exit = state.add_map("m", dict(i="0:31"))
        state.add_edge_pair(entry, tasklet, A, Memlet("A[i]"), internal_connector="a")
        state.add_edge_pair(exit, tasklet, B, Memlet("B[0]", wcr="lambda a, b: a + b"), internal_connector="b", scope_connector="o")
        A, B = numpy.arange(31.0), numpy.zeros(1)
        graph(A=A, B=B)
        self.assertEqual(B[0], 2 * A.sum())

        graph = SDFG("fibonacci")
        graph.add_array("n", [1], sdfg.int32)
        graph.add_array("result", [1], sdfg.int32)
        graph.add_stream("S", sdfg.int32, transient=True)
        state = graph.add_state()
        first = state.add_tasklet("first", {"i"}, {"o"}, "o = i")
        S, S2 = state.add_access("S"), state.add_access("S")
        state.add_edge(state.add_read("n"), None, first, "i", Memlet("n[0]"))
        state.add_edge(first, "o", S, None, Memlet("S[0]"))
        entry, exit = state.add_consume("consume", ("p", "4"))
        body = state.add_tasklet("body", {"s"}, {"sout", "val"}, "if s == 1:\n    val = 1\nelif s > 1:\n    sout = s - 1\n    sout = s - 2")
        state.add_memlet_path(S, entry, body, dst_conn="s", memlet=Memlet("S[0]", dynamic=True))
        state.add_memlet_path(body, exit, S2, src_conn="sout", memlet=Memlet("S[0]", dynamic=True))
        state.add_memlet_path(body, exit, state.add_write("result"), src_conn="val",
                              memlet=Memlet("result[0]", wcr="lambda a, b: a + b", dynamic=True))
        result = numpy.zeros(1, numpy.int32)
        graph(n=numpy.array([10], numpy.int32), result=result)
        self.assertEqual(result[0], 55)

    def test_composed_types(self):
        pair = sdfg.struct("pair", index=sdfg.int32, value=sdfg.float64)
        graph = SDFG("pairs")
        graph.add_array("A", [4], pair)
        graph.add_state().add_mapped_tasklet("t", {"i": "0:4"}, {"a": Memlet("A[i]")}, "b = pair(index=a.index + 1, value=a.value * 2)",
                                             {"b": Memlet("A[i]")}, external_edges=True)
        A = numpy.zeros(4, pair.dtype)
        A["value"] = numpy.arange(4)
        graph(A=A)
        self.assertEqual((A["index"].tolist(), A["value"].tolist()), ([1] * 4, [0, 2, 4, 6]))
        self.assertEqual(pair(value=3)["value"], 3)
        graph = SDFG("vectors")
        graph.add_array("A", [2], sdfg.vector(sdfg.float32, 4))
        graph.add_state().add_mapped_tasklet("t", {"i": "0:2"}, {"a": Memlet("A[i]")}, "b = a * 2", {"b": Memlet("A[i]")}, external_edges=True)
        A = numpy.arange(8, dtype=numpy.float32)
        graph(A=A)
        self.assertEqual(A.tolist(), list(range(0, 16, 2)))
        self.assertEqual(SDFG.from_json(graph.to_json()).to_json(), graph.to_json())

    def test_library_nodes(self):
        graph = SDFG("product")
        for name in "A", "B", "C":
            graph.add_array(name, [N, N], sdfg.float64)
        state = graph.add_state()
        node = state.add_node(sdfg.library_node("blas.MatMul"))
        state.add_edge(state.add_read("A"), None, node, "_a", Memlet("A"))
        state.add_edge(state.add_read("B"), None, node, "_b", Memlet("B"))
        state.add_edge(node, "_c", state.add_write("C"), None, Memlet("C"))
        A, B, C = numpy.random.default_rng(1).random((3, 4, 4))
        graph(A=A, B=B, C=C)
        numpy.testing.assert_allclose(C, A @ B)

    def test_free_symbols(self):
        edge = sdfg.InterstateEdge("i < j", {"i": "i + k"})
        self.assertEqual(edge.free_symbols, {"i", "j", "k"})
        graph = sdfg.SDFG("free")
        graph.add_array("A", ["N"], sdfg.float64)
        first, second = graph.add_state(), graph.add_state()
        graph.add_edge(first, second, sdfg.InterstateEdge(assignments={"i": "j + 1"}))
        graph.add_edge(second, second, sdfg.InterstateEdge("i < 9", {"i": "i + 1", "j": "i"}))
        second.add_mapped_tasklet("t", {"p": "0:M"}, {"a": sdfg.Memlet("A[p + i + k]")}, "b = a", {"b": sdfg.Memlet("A[p]")}, external_edges=True)
        self.assertEqual(second.free_symbols, {"N", "M", "i", "k"})
        self.assertEqual(graph.free_symbols, {"N", "M", "j", "k"})
        graph.add_symbol("c", sdfg.int64)
        second.add_tasklet("code", [], [], "print(c)", side_effects=True)
        self.assertEqual(second.free_symbols, {"N", "M", "i", "k", "c"})
        graph.add_constant("k", 3)
        self.assertEqual((second.free_symbols, graph.free_symbols), ({"N", "M", "i", "c"}, {"N", "M", "j", "c"}))
        nested = SDFG("outer").add_state().add_nested_sdfg(graph, {}, {}, {"N": "X", "M": 3, "c": "Y + 1", "j": 0, "unread": "Z"})
        self.assertEqual(nested.mapped(), ["X", "3", "(Y + 1)", "0"])

    def test_pointers_in_structures(self):
        csr = sdfg.struct("csr", nnz=sdfg.int32, data=(sdfg.pointer(sdfg.float32), "nnz"))
        self.assertEqual(csr.json["data"], [["nnz", "int32"], ["data", {"type": "pointer", "dtype": "float32"}]])
        graph = SDFG("addone")
        graph.add_array("A", [3], csr)
        graph.add_array("B", [3], csr)
        state = graph.add_state()
        entry, exit = state.add_map("m", {"i": "0:3"})
        tasklet = state.add_tasklet("t", {"a": None}, {"b": sdfg.pointer(csr)}, "for (int j = 0; j < a.nnz; ++j) b->data[j] = a.data[j] + 1.0f;",
                                    language="CPP")
        state.add_memlet_path(state.add_read("A"), entry, tasklet, dst_conn="a", memlet=Memlet("A[i]"))
        state.add_memlet_path(tasklet, exit, state.add_write("B"), src_conn="b", memlet=Memlet("B[i]"))
        A, B = numpy.zeros(3, csr.dtype), numpy.zeros(3, csr.dtype)
        rows = [(numpy.arange(n + 1, dtype=numpy.float32), numpy.zeros(n + 1, numpy.float32)) for n in range(3)]
        for i, (x, y) in enumerate(rows):
            A[i], B[i] = (len(x), x.ctypes.data), (len(y), y.ctypes.data)
        graph(A=A, B=B)
        self.assertEqual([y.tolist() for _, y in rows], [[1], [1, 2], [1, 2, 3]])

    def test_connectors_of_scopes(self):
        graph = sdfg.SDFG("connectors")
        graph.add_array("A", [4], sdfg.float64)
        graph.add_array("B", [4], sdfg.float64)
        state = graph.add_state()
        entry, exit = state.add_map("m", {"i": "0:4"})
        tasklet = state.add_tasklet("t", ["a"], ["b"], "b = a + 1")
        state.add_edge(state.add_read("A"), None, entry, None, sdfg.Memlet("A[0:4]"))
        state.add_edge(entry, None, tasklet, "a", sdfg.Memlet("A[i]"))
        state.add_edge(tasklet, "b", exit, None, sdfg.Memlet("B[i]"))
        state.add_edge(exit, None, state.add_write("B"), None, sdfg.Memlet("B[0:4]"))
        graph.fill_scope_connectors()
        A, B = numpy.arange(4.0), numpy.zeros(4)
        graph(A=A, B=B)
        self.assertEqual(B.tolist(), [1, 2, 3, 4])

    def test_nested_graphs_of_files(self):
        inner = sdfg.SDFG("inner")
        inner.add_scalar("x", sdfg.float64)
        inner.add_array("y", [1], sdfg.float64)
        state = inner.add_state()
        tasklet = state.add_tasklet("t", ["a"], ["b"], "b = a * 2")
        state.add_edge(state.add_read("x"), None, tasklet, "a", sdfg.Memlet("x[0]"))
        state.add_edge(tasklet, "b", state.add_write("y"), None, sdfg.Memlet("y[0]"))
        outer = sdfg.SDFG("outer")
        outer.add_array("A", [4], sdfg.float64)
        state = outer.add_state()
        entry, exit = state.add_map("m", {"i": "0:4"})
        with tempfile.TemporaryDirectory() as folder:
            inner.save(f"{folder}/inner.sdfg")
            nested = state.add_nested_sdfg(None, {"x"}, {"y"}, external_path=f"{folder}/inner.sdfg")
        state.add_memlet_path(state.add_read("A"), entry, nested, dst_conn="x", memlet=sdfg.Memlet("A[i]"))
        state.add_memlet_path(nested, exit, state.add_write("A"), src_conn="y", memlet=sdfg.Memlet("A[i]"))
        A = numpy.arange(4.0)
        outer(A=A)
        self.assertEqual(A.tolist(), [0, 2, 4, 6])

    def test_mistakes(self):
        graph = axpy()
        state = graph.nodes()[0]
        tasklet = state.add_tasklet("t", {"x"}, {}, "")
        for call, kind, text in (
                (lambda: SDFG("no name"), ValueError, "'no name' is no name of an SDFG"),
                (lambda: graph.add_array("X", [3], int), FileExistsError, "SDFG 'axpy' has a 'X' already"),
                (lambda: graph.add_array("Z", [1.5], int), TypeError, "a size or index is an integer, a symbol or a text, not float"),
                (lambda: graph.add_array("Z", [3], "float63"), TypeError, "'float63' is no element type"),
                (lambda: graph.add_array("Z", ["N +"], int), ValueError, "'N +' is no expression: invalid syntax"),
                (lambda: state.add_read("Q"), KeyError, "\"SDFG 'axpy' has no container 'Q'\""),
                (lambda: Memlet("A[i"), ValueError, "'A[i' is no memlet: write Memlet('A[i, 0:N]')"),
                (lambda: Memlet("A[:]"), ValueError, "':' in ':' is no index and no range such as 0:N"),
                (lambda: state.add_edge(state.add_read("X"), None, tasklet, "y", Memlet("X[0]")), ValueError,
                 "<Tasklet t> has no connector 'y'; it has x"),
                (lambda: state.add_edge(state.add_read("X"), None, tasklet, "x", "X[0]"), TypeError, "an edge has a Memlet, not str"),
                (lambda: graph.add_edge(state, SDFG("other").add_state()), ValueError, "<state state> is not a block of 'axpy'"),
                (lambda: LoopRegion("loop").add_state(), ValueError,
                 "the region 'loop' belongs to no SDFG yet: add it to one first"),
                (lambda: graph.add_edge(state, state, InterstateEdge(assignments={"X": 1})), ValueError,
                 "'X' is a container: transitions assign symbols only")):
            with self.assertRaises(kind) as caught:
                call()
            self.assertEqual(str(caught.exception), text)

    def test_invalid_graphs(self):
        graph = axpy()
        state = graph.nodes()[0]
        tasklet = state.add_tasklet("alone", {"x"}, {}, "x")
        with self.assertRaises(sdfg.InvalidError) as caught:
            graph.validate()
        self.assertIn("alone", str(caught.exception))
        state.add_edge(state.add_read("X"), None, tasklet, "x", Memlet("X[0, 1]"))
        with self.assertRaises(sdfg.InvalidError):
            graph.validate()
        graph = axpy()
        graph.add_array("8", [1], sdfg.float64)
        with self.assertRaisesRegex(sdfg.InvalidError, "'8'"):
            graph.validate()


if __name__ == "__main__":
    unittest.main()
