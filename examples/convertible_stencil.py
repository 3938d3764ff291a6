"""A small language for stencils, whose objects programs call: u[-1, 0] + u[1, 0] - 4 * u[0, 0] is an expression over the fields at offsets.

    laplace = Stencil("out", lambda u: u[-1, 0] + u[1, 0] + u[0, -1] + u[0, 1] - 4 * u[0, 0])
    laplace(out, u)        # in Python, and in @sdfg.program

The interior is computed; how wide the border is follows from the offsets."""
import inspect

import numpy as np

import sdfg
from sdfg import SDFG, Memlet


class Expression:
    """What a stencil computes, as the text of a tasklet, and the accesses in it."""

    def __init__(self, text, accesses):
        self.text, self.accesses = text, accesses

    def _with(self, other, operator, swapped=False):
        if isinstance(other, Expression):
            text, accesses = other.text, {**self.accesses, **other.accesses}
        else:
            text, accesses = repr(float(other)), self.accesses
        a, b = (text, self.text) if swapped else (self.text, text)
        return Expression(f"({a} {operator} {b})", accesses)

    def __add__(self, other): return self._with(other, "+")
    def __radd__(self, other): return self._with(other, "+", True)
    def __sub__(self, other): return self._with(other, "-")
    def __rsub__(self, other): return self._with(other, "-", True)
    def __mul__(self, other): return self._with(other, "*")
    def __rmul__(self, other): return self._with(other, "*", True)
    def __truediv__(self, other): return self._with(other, "/")
    def __neg__(self): return Expression(f"(-{self.text})", self.accesses)


class Field:
    """A field of a stencil: indexing gives its value at an offset."""

    def __init__(self, name):
        self.name = name

    def __getitem__(self, offset):
        offset = offset if isinstance(offset, tuple) else (offset,)
        connector = self.name + "_" + "_".join(str(o).replace("-", "m") for o in offset)
        return Expression(connector, {connector: (self.name, offset)})


class Stencil:
    def __init__(self, output, function):
        self.output, self.fields = output, list(inspect.signature(function).parameters)
        self.expression = function(*map(Field, self.fields))
        offsets = [offset for _, offset in self.expression.accesses.values()]
        self.rank = len(offsets[0])
        self.low = [max(0, *(-o[d] for o in offsets)) for d in range(self.rank)]
        self.high = [max(0, *(o[d] for o in offsets)) for d in range(self.rank)]

    # ---- in Python ----

    def __call__(self, out, *fields):
        def window(array, offset):
            return array[tuple(slice(low + o, n - high + o) for low, high, o, n in zip(self.low, self.high, offset, array.shape))]

        given = dict(zip(self.fields, fields))
        scope = {name: window(given[field], offset) for name, (field, offset) in self.expression.accesses.items()}
        window(out, (0,) * self.rank)[...] = eval(self.expression.text, {}, scope)

    # ---- as a graph ----

    def __sdfg_signature__(self):
        return [self.output, *self.fields], []

    def __sdfg__(self, *arrays):
        graph = SDFG("stencil")
        for name, array in zip([self.output, *self.fields], arrays):
            if len(array.shape) != self.rank:
                raise ValueError(f"'{name}' has {len(array.shape)} dimensions, the stencil {self.rank}")
            graph.add_array(name, array.shape, array.dtype)
        indices = [f"i{d}" for d in range(self.rank)]
        ranges = {i: f"{low}:{n} - {high}" for i, low, high, n in zip(indices, self.low, self.high, arrays[0].shape)}

        def memlet(name, offset):
            return Memlet(f"{name}[{', '.join(f'{i} + {o}' for i, o in zip(indices, offset))}]")

        inputs = {c: memlet(*access) for c, access in self.expression.accesses.items()}
        graph.add_state().add_mapped_tasklet("stencil", ranges, inputs, f"result = {self.expression.text}",
                                             {"result": memlet(self.output, (0,) * self.rank)}, external_edges=True)
        return graph


laplace = Stencil("out", lambda u: u[-1, 0] + u[1, 0] + u[0, -1] + u[0, 1] - 4 * u[0, 0])
advect = Stencil("out", lambda u, c: u[0, 0] - c[0, 0] * (u[0, 0] - u[0, -1]))


@sdfg.program
def diffuse(u, c, steps):
    lap = np.zeros_like(u)
    new = np.zeros_like(u)
    for t in range(steps):
        laplace(lap, u)
        u += 0.1 * lap
        advect(new, u, c)
        u[1:-1, 1:-1] = new[1:-1, 1:-1]


def check():
    rng = np.random.default_rng(1)
    for shape in (12, 12), (9, 17):
        u, c = rng.random(shape), rng.random(shape) * 0.5
        expected = u.copy()
        diffuse.f(expected, c, 5)
        diffuse(u, c, 5)
        np.testing.assert_allclose(u, expected)


if __name__ == "__main__":
    check()
    print("diffuse: as in NumPy")
