"""An object that carries weights: called in programs, it is a graph that takes them live."""
import numpy as np

import sdfg
from sdfg import SDFG, Memlet


class Dense:
    """y = max(x @ W + b, 0)"""

    def __init__(self, inputs, outputs, seed=0):
        self.W = np.random.default_rng(seed).standard_normal((inputs, outputs))
        self.b = np.zeros(outputs)

    def __call__(self, x): # in Python
        return np.maximum(x @ self.W + self.b, 0)

    def __sdfg_signature__(self):
        return ["x"], [] # all names, and those of constants

    def __sdfg__(self, x): # x has .shape, .dtype and .strides
        rows, (k, n) = x.shape[0], self.W.shape
        graph = SDFG("dense")
        graph.add_array("x", [rows, k], x.dtype)
        graph.add_array("W", [k, n], x.dtype)
        graph.add_array("b", [n], x.dtype)
        graph.add_array("__return", [rows, n], x.dtype)
        start = graph.add_state("bias")
        start.add_mapped_tasklet("bias", {"i": f"0:{rows}", "j": f"0:{n}"}, {"a": Memlet("b[j]")}, "o = a", {"o": Memlet("__return[i, j]")},
                                 external_edges=True)
        product = graph.add_state_after(start, "product")
        product.add_mapped_tasklet("product", {"i": f"0:{rows}", "j": f"0:{n}", "l": f"0:{k}"}, {"a": Memlet("x[i, l]"), "w": Memlet("W[l, j]")},
                                   "o = a * w", {"o": Memlet("__return[i, j]", wcr="lambda p, q: p + q")}, external_edges=True)
        graph.add_state_after(product, "relu").add_mapped_tasklet(
            "relu", {"i": f"0:{rows}", "j": f"0:{n}"}, {"a": Memlet("__return[i, j]")}, "o = max(a, 0.0)", {"o": Memlet("__return[i, j]")},
            external_edges=True)
        return graph

    def __sdfg_closure__(self, reevaluate=None): # asked again at each call
        return {"W": self.W, "b": self.b}


first, second = Dense(8, 16), Dense(16, 3, seed=1)


@sdfg.program
def network(x):
    return second(first(x)) * 2


def check():
    x = np.random.default_rng(2).standard_normal((5, 8))
    np.testing.assert_allclose(network(x), network.f(x))
    first.b = first.b + 0.5 # the next call takes the new weights
    np.testing.assert_allclose(network(x), network.f(x))


if __name__ == "__main__":
    check()
    print("network: as in NumPy, before and after a change of the weights")
