"""What users of comparable compilers complain about, one test for each report."""
import importlib
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

import numpy

import sdfg


def define(text, name):
    """What a notebook does with a cell."""
    import linecache
    scope = {"sdfg": sdfg, "__name__": name}
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    exec(compile(text, name, "exec"), scope)
    return scope


class OnDisk(unittest.TestCase):
    """A program and its helper in files, run by processes that share a cache. Arrays are so large that each is a mapping of its own:
    code depends on how they are aligned, which differs from process to process for small ones."""

    PROGRAM = "import numpy, sdfg\nimport helper\nK = 1.0\n\n@sdfg.program\ndef f(A):\n    return helper.g(A) + K\n\n" \
              "print(f(numpy.ones(1 << 20))[0])\nsdfg._program.default_engine().wait()\n"
    HELPER = "def g(x):\n    return x * 2\n"

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.write(self.PROGRAM, self.HELPER)

    def write(self, program, helper):
        pathlib.Path(self.folder.name, "program.py").write_text(program)
        pathlib.Path(self.folder.name, "helper.py").write_text(helper)

    def run_it(self):
        environment = dict(os.environ, XDG_CACHE_HOME=self.folder.name + "/cache", PYTHONDONTWRITEBYTECODE="1")
        done = subprocess.run([sys.executable, "program.py"], cwd=self.folder.name, env=environment, capture_output=True, text=True, check=True)
        return float(done.stdout)

    def kernels(self):
        """Compiled code in the cache, without what is kept of interfaces."""
        return sorted(path.name for path in pathlib.Path(self.folder.name, "cache").rglob("*.kernel") if b"kernel " in path.read_bytes()[:200])

    def test_numba_9483_a_changed_callee_is_compiled_again(self):
        self.assertEqual(self.run_it(), 3)
        self.write(self.PROGRAM, self.HELPER.replace("* 2", "* 5"))
        self.assertEqual(self.run_it(), 6)

    def test_numba_9304_a_changed_global_is_seen(self):
        self.assertEqual(self.run_it(), 3)
        self.write(self.PROGRAM.replace("K = 1.0", "K = 7.0"), self.HELPER)
        self.assertEqual(self.run_it(), 9)

    def test_numba_9316_a_moved_function_is_not_compiled_again(self):
        self.assertEqual(self.run_it(), 3)
        known = self.kernels()
        self.assertTrue(known)
        self.write("# moved\n\n\n" + self.PROGRAM, "\n" + self.HELPER)
        self.assertEqual(self.run_it(), 3)
        self.assertEqual(self.kernels(), known)

    def test_joblib_680_comments_and_file_times_cost_nothing(self):
        self.assertEqual(self.run_it(), 3)
        known = self.kernels()
        self.write(self.PROGRAM.replace("    return helper", "    # a comment\n\n    return helper").replace("+ K\n", "+ K # another one\n"),
                   self.HELPER.replace("):\n", "): # twice\n"))
        os.utime(self.folder.name + "/program.py", (1, 1))
        self.assertEqual(self.run_it(), 3)
        self.assertEqual(self.kernels(), known)


class Reasons(unittest.TestCase):
    def test_jax_4274_why_it_compiled_again(self):
        scope = define("K = 1\n@sdfg.program\ndef f(A, B):\n    return A * K + B\n", "<jax_4274>")
        f, A = scope["f"], numpy.ones(2)
        f(A, A + 1)
        f(A, numpy.ones(2, numpy.float32))
        scope["K"] = 3
        f(A, numpy.ones(2, numpy.float32))
        self.assertEqual(f.explain(), "first call: A: float64[A_0], B: float64[A_0]\n"
                                      "argument 'B' changed: float64[A_0] -> float32[A_0]\nK changed: K = 1 -> K = 3\n")

    def test_numba_1269_and_4245_what_is_supported(self):
        for name in "np.mean", "numpy.linalg.inv", "math.sin", "len":
            self.assertTrue(sdfg.supported(name), name)
        self.assertFalse(sdfg.supported("np.lib.stride_tricks.as_strided"))
        self.assertIn("numpy.sum", sdfg.supported())
        f = define("import numpy as np\n@sdfg.program\ndef f(A):\n    return np.mean(A, axis=0), np.sum(A, axis=(0, 1))\n", "<axis>")["f"]
        A = numpy.arange(6.0).reshape(2, 3)
        self.assertEqual([r.tolist() for r in f(A)], [[1.5, 2.5, 3.5], 15.0])

    def test_numba_4344_and_pythran_1197_short_errors_with_a_caret(self):
        f = define("@sdfg.program\ndef f(A):\n    B = A + 1\n    return B.nothing\n", "<caret>")["f"]
        with self.assertRaises(SyntaxError) as caught:
            f(numpy.ones(2))
        e = caught.exception
        self.assertEqual((e.filename, e.lineno, e.text), ("<caret>", 4, "return B.nothing"))
        self.assertEqual(e.text[e.offset - 1:][:1], "B")
        self.assertLess(len(str(e).splitlines()), 3)
        self.assertIsNone(e.__cause__)


class Texts(unittest.TestCase):
    def test_taichi_6045_functions_of_a_notebook(self):
        self.assertEqual(define("@sdfg.program\ndef f(A):\n    return A + 1\n", "<ipython-input-1>")["f"](numpy.zeros(1))[0], 1)

    def test_taichi_7111_functions_without_text(self):
        scope = {}
        exec("def f(A):\n    return A + 1\n", scope)
        with self.assertRaisesRegex(sdfg.ProgramError, r"give it by sdfg\.program\(source=\.\.\.\)"):
            sdfg.program(scope["f"])(numpy.zeros(1))
        self.assertEqual(sdfg.program(scope["f"], source="def f(A):\n    return A + 1\n")(numpy.zeros(1))[0], 1)

    def test_taichi_6767_modules_in_archives_and_without_sources(self):
        text = "import sdfg\n@sdfg.program\ndef f(A):\n    return A + 4\n"
        with tempfile.TemporaryDirectory() as folder:
            archive = os.path.join(folder, "a.zip")
            with zipfile.ZipFile(archive, "w") as z:
                z.writestr("sdfg_6767_zipped.py", text)
            path = pathlib.Path(folder, "sdfg_6767_compiled.py")
            path.write_text(text)
            import py_compile
            py_compile.compile(str(path), str(path) + "c")
            path.unlink()
            sys.path[:0] = [archive, folder]
            try:
                self.assertEqual(importlib.import_module("sdfg_6767_zipped").f(numpy.zeros(1))[0], 4)
                with self.assertRaisesRegex(sdfg.ProgramError, "only its compiled form is there"):
                    importlib.import_module("sdfg_6767_compiled").f(numpy.zeros(1))
            finally:
                del sys.path[:2]


if __name__ == "__main__":
    unittest.main()
