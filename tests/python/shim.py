"""`python -m sdfg.dace PROGRAM`: a script that imports dace, run by the library."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy

import sdfg

SCRIPT = """
import sys
import dace as dc
import numpy as np
from dace import float64

N = dc.symbol("N", dtype=dc.int64)

@dc.program
def axpy(a: dc.float64, X: float64[N], Y: float64[N]):
    for i in dc.map[0:N]:
        Y[i] += a * X[i]

@dc.program(auto_optimize=True)
def total(A: dc.float64[N]):
    return np.sum(A)

class Model:
    def __init__(self):
        self.w = np.full(4, 2.0)

    @dc.method
    def step(self, A):
        self.w += A
        return self.w * 2

X, Y = np.arange(4.0), np.ones(4)
axpy(2, X, Y)
graph = axpy.to_sdfg()
graph.simplify()
graph.compile()(a=1.0, X=X, Y=Y, N=4)
result = total(Y)
m = Model()
print(sys.argv[1], Y.tolist(), result.shape, result[0], m.step(X).tolist(), m.w.tolist(), axpy.f.__name__)
"""


class Shim(unittest.TestCase):
    def run_script(self, text, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "prog.py")
            path.write_text(text)
            return subprocess.run([sys.executable, "-B", "-m", "sdfg.dace", str(path), *arguments], capture_output=True, text=True,
                                  check=False)

    def test_script(self):
        done = self.run_script(SCRIPT, "word")
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.stdout, "word [1.0, 4.0, 7.0, 10.0] (1,) 22.0 [4.0, 6.0, 8.0, 10.0] [2.0, 3.0, 4.0, 5.0] axpy\n")

    def test_names_that_are_not_there(self):
        done = self.run_script("import dace\ndace.transformation\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn("'dace.transformation' is not among the names of DaCe", done.stderr)

    def test_as_a_module(self):
        dace = sdfg.as_dace()
        self.assertNotIn("dace", [name for name, module in sys.modules.items() if module is dace])

        @dace.program
        def f(A: dace.float64[4]):
            return A + 1
        numpy.testing.assert_array_equal(f(numpy.ones(4)), 2)


if __name__ == "__main__":
    unittest.main()
