"""programs.py FOLDER: writes programs with library nodes whose sizes are symbols of their own, for arguments.py. Run it with a Python that
has DaCe (arguments.sh)."""
import sys

import dace
from dace.libraries.blas.nodes.matmul import MatMul
from dace.libraries.fft.nodes import FFT, IFFT
from dace.libraries.sparse.nodes.csrmm import CSRMM
from dace.libraries.sparse.nodes.csrmv import CSRMV

M, N, K, NNZ, B = (dace.symbol(s) for s in ("M", "N", "K", "NNZ", "B"))


def program(folder, name, node, shapes, inputs, output, types={}):
    """One node between whole containers; `inputs` and `output` map connectors to them."""
    graph = dace.SDFG(name)
    state = graph.add_state()
    for container, shape in shapes.items():
        graph.add_array(container, shape, types.get(container, dace.float64))
    node.implementation = "pure" if "pure" in node.implementations else None
    for connector, container in inputs.items():
        node.add_in_connector(connector, force=True)
        state.add_edge(state.add_read(container), None, node, connector, graph.make_array_memlet(container))
    for connector, container in output.items():
        node.add_out_connector(connector, force=True)
        state.add_edge(node, connector, state.add_write(container), None, graph.make_array_memlet(container))
    graph.save(f"{folder}/{name}.sdfg")


def sparse(folder):
    shapes = {"rows": [M + 1], "cols": [NNZ], "vals": [NNZ]}
    lists = {"_a_rows": "rows", "_a_cols": "cols", "_a_vals": "vals", "_b": "b"}
    types = {"rows": dace.int32, "cols": dace.int32}
    for beta, addend in (0, {}), (1, {"_cin": "c"}), (0.5, {"_cin": "d"}):
        tail = str(beta).replace(".", "")
        other = lambda shape: {"d": shape} if beta == 0.5 else {}
        for transposed in False, True:
            program(folder, f"csrmm{'_transposed' if transposed else ''}_{tail}", CSRMM("n", transB=transposed, beta=beta),
                    shapes | {"b": [N, K] if transposed else [K, N], "c": [M, N]} | other([M, N]), lists | addend, {"_c": "c"}, types)
        program(folder, f"csrmv_{tail}", CSRMV("n", beta=beta), shapes | {"b": [K], "c": [M]} | other([M]), lists | addend,
                {"_c": "c"}, types)
    program(folder, "csrmm_mixed", CSRMM("n"), shapes | {"b": [K, N], "c": [M, N]}, lists, {"_c": "c"},
            types | {"vals": dace.float32, "b": dace.float32})


def main():
    folder = sys.argv[1]
    sparse(folder)
    for node in FFT, IFFT:
        program(folder, node.__name__.lower(), node("n"), {"x": [N], "y": [N]}, {"_inp": "x"}, {"_out": "y"},
                {"x": dace.complex128, "y": dace.complex128})
    matrices = {"_a": "a", "_b": "b"}
    program(folder, "matmul", MatMul("n"), {"a": [M, K], "b": [K, N], "c": [M, N]}, matrices, {"_c": "c"})
    program(folder, "matmul_batched", MatMul("n"), {"a": [B, M, K], "b": [B, K, N], "c": [B, M, N]}, matrices, {"_c": "c"})
    program(folder, "matmul_batch_second", MatMul("n"), {"a": [M, K], "b": [B, K, N], "c": [B, M, N]}, matrices, {"_c": "c"})


if __name__ == "__main__":
    main()
