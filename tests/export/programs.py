"""programs.py FOLDER: writes programs with library nodes whose sizes are symbols of their own, for arguments.py. Run it with a Python that
has DaCe (arguments.sh)."""
import sys

import dace
from dace.libraries.blas.nodes.matmul import MatMul
from dace.libraries.fft.nodes import FFT, IFFT
from dace.libraries.sparse.nodes.csrmm import CSRMM
from dace.libraries.sparse.nodes.csrmv import CSRMV

M, N, K, NNZ, B = (dace.symbol(s) for s in ("M", "N", "K", "NNZ", "B"))


def program(folder, name, node, shapes, inputs, output, types={}, library="pure"):
    """One node between whole containers; `inputs` and `output` map connectors to them. `library` expands it if it can."""
    graph = dace.SDFG(name)
    state = graph.add_state()
    for container, shape in shapes.items():
        graph.add_array(container, shape, types.get(container, dace.float64))
    node.implementation = library if library in node.implementations else None
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
    def product(name, node, beta, library="pure"):
        tall = isinstance(node, CSRMM)
        out = [M, N] if tall else [M]
        dense = ([N, K] if node.transB else [K, N]) if tall else [K]
        node.beta = beta
        addend = {0: {}, 1: {"_cin": "c"}, 0.5: {"_cin": "d"}}[beta]
        program(folder, name, node, shapes | {"b": dense, "c": out} | ({"d": out} if beta == 0.5 else {}), lists | addend, {"_c": "c"}, types, library)

    for beta in 0, 1, 0.5:
        tail = str(beta).replace(".", "")
        product(f"csrmm_{tail}", CSRMM("n"), beta)
        product(f"csrmv_{tail}", CSRMV("n"), beta)
    product("csrmm_transposed", CSRMM("n", transB=True), 1)
    product("csrmm_mkl", CSRMM("n"), 1, "MKL")
    product("csrmv_mkl", CSRMV("n"), 0, "MKL")
    product("csrmm_cusparse", CSRMM("n", transB=True), 1, "cuSPARSE")
    product("csrmv_cusparse", CSRMV("n"), 0.5, "cuSPARSE")
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
