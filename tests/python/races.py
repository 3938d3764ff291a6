"""Graphs built in Python whose states have parts that nothing orders: what validate(races=True) warns of, and of what it does not."""
import unittest
import warnings

import numpy

import sdfg
from sdfg import SDFG, Memlet

N = sdfg.symbol("N")


def found(graph):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        graph.validate(races=True)
    return [str(w.message) for w in caught if w.category is sdfg.ProgramWarning]


def two(first, second, shape=(N, N), **wcr):
    """Two maps from A to B, each given as (ranges, subset of B)."""
    graph = SDFG("two")
    graph.add_array("A", [N], sdfg.float64)
    graph.add_array("B", list(shape), sdfg.float64)
    state = graph.add_state("s")
    A, B = state.add_access("A"), state.add_access("B")
    for name, (ranges, subset) in ("first", first), ("second", second):
        state.add_mapped_tasklet(name, ranges, {"a": Memlet("A[0]")}, "b = a", {"b": Memlet(data="B", subset=subset, **wcr)}, external_edges=True,
                                 input_nodes={"A": A}, output_nodes={"B": B})
    return graph


class Races(unittest.TestCase):
    def test_subsets(self):
        i, half = {"i": "0:N"}, {"i": "0:N // 2"}
        for first, second, shape, overlap in (
                ((i, "i"), (i, "i"), (N,), True),
                ((half, "i"), (half, "i + N // 2"), (N,), False),
                ((half, "i"), (half, "i + N // 2 - 1"), (N,), True),
                (({"i": "3:10"}, "i"), ({"i": "10:20"}, "i"), (20,), False),
                (({"i": "3:11"}, "i"), ({"i": "10:20"}, "i"), (20,), True),
                (({"i": "0:N"}, "N - 1 - i"), ({"i": "0:M"}, "N + i"), ("N + M",), False),  # downwards
                (({"i": "0:N"}, "2 * i"), ({"i": "0:N"}, "3 * N + i"), ("4 * N",), False),
                ((i, "i, 0"), (i, "i, 1"), (N, 2), False),
                ((i, "0, i"), (i, "0:2, 0"), (N, N), True),
                (({"i": "0:1"}, "0:N:2"), ({"i": "0:1"}, "1:N:2"), (N,), False),
                (({"i": "0:1"}, "0:N:2"), ({"i": "0:1"}, "2:N:2"), (N,), True),
                ((i, "i * i"), (i, "N + 5"), ("N * N",), True),                            # not known
                ((i, "K"), (i, "K + 1"), (N,), False)):
            graph = two(first, second, shape)
            graph.add_symbol("K", sdfg.int64)
            self.assertEqual(len(found(graph)), overlap, (first, second))

    def test_words(self):
        self.assertEqual(found(two(({"i": "0:N"}, "i"), ({"i": "0:N"}, "i"), (N,))),
                         ["state 's': 'first' writes and 'second' writes elements of 'B', and nothing orders them"])

    def test_what_combines_is_no_race(self):
        one = ({"i": "0:N"}, "0")
        self.assertEqual(found(two(one, one, (1,), wcr="lambda a, b: a + b")), [])
        self.assertEqual(len(found(two(one, one, (1,)))), 1)

    def test_order(self):
        """A path of edges orders, in whatever direction; other access nodes of the container do not."""
        for ordered in True, False:
            graph = SDFG("order")
            for name in "AB":
                graph.add_array(name, [N], sdfg.float64)
            state = graph.add_state("s")
            first, last = state.add_read("A"), state.add_write("A")
            middle = state.add_access("B")
            state.add_mapped_tasklet("reads", {"i": "0:N"}, {"a": Memlet("A[i]")}, "b = a", {"b": Memlet("B[i]")}, external_edges=True,
                                     input_nodes={"A": first}, output_nodes={"B": middle})
            if ordered:
                state.add_nedge(middle, last, Memlet("B[0:N]"))
            else:
                _, entry, _ = state.add_mapped_tasklet("writes", {"i": "0:N"}, {}, "a = 1", {"a": Memlet("A[i]")}, external_edges=True,
                                                       output_nodes={"A": last})
            self.assertEqual(found(graph), [] if ordered else
                             ["state 's': 'reads' reads and 'writes' writes elements of 'A', and nothing orders them"])

    def test_copies_and_maps_in_maps(self):
        graph = SDFG("copies")
        for name in "ABC":
            graph.add_array(name, [N, N], sdfg.float64)
        state = graph.add_state("s")
        B = state.add_access("B")
        state.add_nedge(state.add_read("A"), B, Memlet(data="A", subset="0, 0:N", other_subset="N - 1, 0:N"))
        outer, inner = state.add_map("outer", {"i": "0:N - 1"}), state.add_map("inner", {"j": "0:N"})
        tasklet = state.add_tasklet("t", {}, {"b"}, "b = 1")
        state.add_nedge(outer[0], inner[0])
        state.add_nedge(inner[0], tasklet)
        state.add_memlet_path(tasklet, inner[1], outer[1], B, src_conn="b", memlet=Memlet("B[i, j]"))
        self.assertEqual(found(graph), [])
        state.add_nedge(state.add_read("C"), B, Memlet(data="B", subset="0:N, 2", other_subset="0:N, 0"))
        self.assertEqual(sorted(found(graph)), ["state 's': 'A' writes and 'C' writes elements of 'B', and nothing orders them",
                                                "state 's': 'outer' writes and 'C' writes elements of 'B', and nothing orders them"])

    def test_nested(self):
        inner, outer = two(({"i": "0:N"}, "i"), ({"i": "0:N"}, "i"), (N,)), SDFG("outer")
        for name in "PQ":
            outer.add_array(name, [N], sdfg.float64)
        state = outer.add_state()
        node = state.add_nested_sdfg(inner, {"A"}, {"B"})
        state.add_edge(state.add_read("P"), None, node, "A", Memlet("P"))
        state.add_edge(node, "B", state.add_write("Q"), None, Memlet("Q"))
        self.assertEqual(len(found(outer)), 1)
        outer.validate() # no warnings unless they are asked for

    def test_results_are_those_of_any_order(self):
        """What is not warned of does not depend on the order."""
        graph = two(({"i": "0:N // 2"}, "i"), ({"i": "0:N // 2"}, "i + N // 2"), (N,))
        A, B = numpy.full(6, 3.0), numpy.zeros(6)
        graph(A=A, B=B)
        self.assertEqual(B.tolist(), [3.0] * 6)


if __name__ == "__main__":
    unittest.main()
