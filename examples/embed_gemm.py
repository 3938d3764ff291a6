"""A program called from Python: arrays in place, the size solved from them, and the same program as a bound call."""
import pathlib

import numpy
import sdfg

n = 200
A, B, C = numpy.random.rand(n, n), numpy.random.rand(n, n), numpy.zeros((n, n))

gemm = sdfg.compile(pathlib.Path(__file__).parent / "gemm.sdfg")
for argument in gemm.arguments:
    print(argument)

gemm(A=A, B=B, C=C, alpha=2.0, beta=0.0)  # N is solved from the shapes
assert numpy.allclose(C, 2 * A @ B)

again = gemm.bind(A=A, B=B, C=C, alpha=1.0, beta=1.0)  # looked up and checked once
for _ in range(10):
    again()
assert numpy.allclose(C, 12 * A @ B)

try:
    gemm(A=A, B=B[:-1], C=C, alpha=1.0, beta=0.0)
except sdfg.InvalidError as error:
    print(error)
