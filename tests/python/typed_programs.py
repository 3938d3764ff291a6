"""What mypy knows of programs, as in typed.py: nothing here runs. Names that stand in annotations are anything to type checkers."""
from typing import Any, List

import numpy as np
from typing_extensions import assert_type

import sdfg

N, M = sdfg.symbol("N"), sdfg.symbol("M", sdfg.int64, positive=True)
Monitor: Any = sdfg.callback(None, sdfg.int64, sdfg.float64)


@sdfg.program
def smooth(A: sdfg.float64[N, M + 1], steps: sdfg.int64, monitor: Monitor, mode: sdfg.compiletime = None) -> Any:
    B = np.zeros((N, M), np.float32)
    with sdfg.named("steps"), sdfg.named:
        for t in range(steps):
            monitor(t, 1.0)
    for i, j in sdfg.map[0:N, 0:M]:
        A[i, j] += B[i, j]
        with sdfg.tasklet:
            a << A[i, j]  # type: ignore[name-defined] # a memlet
            A[i, j] = a * 2  # type: ignore[name-defined]
    for k in sdfg.unroll(range(2)):
        assert_type(k, int)
    return A if N > 2 and sdfg.in_program() else sdfg.inline(mode)


@sdfg.program(opt_level=3, specialize="all")
def doubled(A):
    return A * 2


class Model:
    @sdfg.method
    def step(self, A: sdfg.float32[N]) -> None:
        A += 1


@sdfg.always_inline
def table(n: int) -> List[int]:
    return list(range(n))


def calls(A: Any) -> None:
    assert_type(smooth, sdfg.Function)
    assert_type(doubled, sdfg.Function)
    assert_type(sdfg.program(table, fallback=False), sdfg.Function)
    assert_type(table(3), List[int])
    assert_type(smooth.explain(), str)
    assert_type(smooth.inspect("types", A, 3), str)
    assert_type(doubled.compile(A), sdfg.Program)
    assert_type(sdfg.supported("np.sum"), bool)
    assert_type(sdfg.supported(), List[str])
    doubled.bind(A)()
    Model().step(A)
    with sdfg.interpret():
        doubled(A)
    doubled.nothing  # type: ignore[attr-defined]
    sdfg.program(doubled.f, variants="many")  # type: ignore[call-overload]
    sdfg.nothing  # type: ignore[attr-defined]


def builds() -> None:
    graph = sdfg.SDFG("axpy")
    graph.add_array("X", [N], sdfg.float64)
    graph.add_state().add_mapped_tasklet("scale", {"i": "0:N"}, {"x": sdfg.Memlet("X[i]")}, "o = x * 2", {"o": sdfg.Memlet("X[i]")},
                                         external_edges=True)
