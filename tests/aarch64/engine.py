"""The Python module with an engine for AArch64, run by tests/aarch64/engine.sh in an emulator: a file, and a program of this text."""
import sys

import numpy as np

import sdfg

N = sdfg.symbol("N")


@sdfg.program
def smooth(a: sdfg.float64[N], b: sdfg.float64[N]):
    b[1:-1] = (a[:-2] + a[1:-1] + a[2:]) / 3


x, y = np.arange(1000.0), np.ones(1000)
sdfg.compile(f"{sys.argv[1]}/examples/axpy.sdfg")(alpha=2.0, X=x, Y=y)
assert np.array_equal(y, 2 * np.arange(1000.0) + 1), y
smooth(x, y)
assert np.allclose(y[1:-1], x[1:-1]), y
print("python: equal")
