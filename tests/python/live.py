"""Programs around calls: threads, forks, notebooks, memory, errors, what can be asked. Run from anywhere; PYTHONPATH has the module."""
import functools
import gc
import importlib
import json
import linecache
import os
import pathlib
import resource
import sys
import sysconfig
import tempfile
import threading
import unittest
import weakref
import zipfile

import numpy

import sdfg

# Without a GIL, CPython 3.13 never frees functions, nor what their globals hold.
FORGETS = not sysconfig.get_config_var("Py_GIL_DISABLED") or sys.version_info >= (3, 14)
SCALE = 2
TABLE = numpy.arange(4.0)


def define(text, path, **scope):
    """What a notebook does: the text is in linecache."""
    linecache.cache[path] = (len(text), None, text.splitlines(True), path)
    scope = {"sdfg": sdfg, "numpy": numpy, **scope}
    exec(compile(text, path, "exec"), scope)
    return scope


@sdfg.program
def scaled(A):
    return A * SCALE + TABLE


@sdfg.program
def added(A, B, n):
    A += B * n


class Mistakes(unittest.TestCase):
    def test_messages(self):
        for call, kind, text in (
                (lambda: sdfg.compile(5), TypeError, "a program is a path, the text of an SDFG (also as bytes or a dictionary) or an object "
                                                     "with to_json, not int"),
                (lambda: sdfg.compile([1]), TypeError, "a program is a path, the text of an SDFG (also as bytes or a dictionary) or an "
                                                       "object with to_json, not list"),
                (lambda: sdfg.Engine(opt_lvl=1), TypeError, "'opt_lvl' is no option of an engine (did you mean 'opt_level'?)"),
                (lambda: sdfg.Engine(dump_after="unroll-jm"), ValueError, "dump_after: there is no pass 'unroll-jm' (did you mean 'unroll-jam'?)"),
                (lambda: sdfg.program(num_treads=1)(scaled.f), TypeError, "'num_treads' is no option of an engine (did you mean 'num_threads'?)"),
                (lambda: scaled(numpy.ones(4), B=1), TypeError, "scaled() got an unexpected keyword argument 'B'"),
                (lambda: added(numpy.ones(4), numpy.ones(4), 1, m=1), TypeError, "added() got an unexpected keyword argument 'm'"),
                (lambda: added(numpy.ones(4), numpy.ones(4), nn=1, n=1), TypeError,
                 "added() got an unexpected keyword argument 'nn' (did you mean 'n'?)")):
            with self.assertRaises(kind) as caught:
                call()
            self.assertEqual(str(caught.exception), text)


class Calls(unittest.TestCase):
    def test_first_calls_of_threads_compile_once(self):
        @sdfg.program
        def total(A):
            return numpy.sum(A * 3)
        results, barrier = [], threading.Barrier(8)

        def work():
            barrier.wait()
            results.append(total(numpy.arange(9.0)))

        threads = [threading.Thread(target=work) for _ in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(results, [108.0] * 8)
        self.assertEqual(len(total.explain().splitlines()), 1)

    def test_first_calls_of_many_functions(self):
        """Answers of the host stay while other threads allocate."""
        wrong = []
        for k in range(30):
            total = sdfg.program(self.scaled(k))
            barrier = threading.Barrier(8)

            def work():
                barrier.wait()
                for _ in range(3):
                    if total(numpy.arange(9.0)) != 36.0 * k:
                        wrong.append(k)

            threads = [threading.Thread(target=work) for _ in range(8)]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
            if len(total.explain().splitlines()) != 1:
                wrong.append(total.explain())
        self.assertEqual(wrong, [])

    @staticmethod
    def scaled(k):
        def total(A):
            return numpy.sum(A * k)
        return total

    def test_results_have_the_shapes_of_their_thread(self):
        @sdfg.program
        def double(A):
            return A * 2
        wrong = []

        def work(n):
            for _ in range(300):
                if double(numpy.ones(n)).shape != (n,):
                    wrong.append(n)

        interval = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        try:
            threads = [threading.Thread(target=work, args=(n,)) for n in (3, 4, 5, 6)]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
        finally:
            sys.setswitchinterval(interval)
        self.assertEqual(wrong, [])

    def test_calls_of_threads_overlap(self):
        wrong = []

        def work(k):
            for i in range(300):
                n = 3 + (i + k) % 3
                A, B = numpy.full(n, float(k)), numpy.full(n, float(i))
                added(A, B, k)
                if not (A == k + i * k).all():
                    wrong.append((k, i))

        threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])

    def test_children_of_a_fork(self):
        expected = scaled(numpy.ones(4))
        child = os.fork()
        if not child:
            good = (scaled(numpy.ones(4)) == expected).all() and sdfg.program(scaled.f)(numpy.ones(4))[1] == 3
            os._exit(0 if good else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_repeated_calls_see_what_changes(self):
        global SCALE, TABLE
        A = numpy.ones(4)
        for scale, table in ((2, TABLE), (3, TABLE), (2.5, numpy.ones(4)), (2, numpy.arange(8.0)[::2]), (2, numpy.ones(4, numpy.float32)), (2, TABLE)):
            SCALE, TABLE = scale, table
            for _ in range(3):
                numpy.testing.assert_array_equal(scaled(A), A * scale + table)
        SCALE = 2

    def test_repeated_calls_check_their_arguments(self):
        A, B = numpy.ones(4), numpy.ones(4)
        for _ in range(2):
            added(A, B, 2)
        with self.assertRaises((ValueError, sdfg.ProgramError)):
            added(A, numpy.ones(3), 2)
        A.flags.writeable = False
        with self.assertRaises(ValueError):
            added(A, B, 2)
        added(numpy.ones((2, 2)), B[:2], 2)
        C = numpy.ones(8)
        added(C[::2], B, 2.5)
        self.assertEqual(C.sum(), 4 * 3.5 + 4)
        with self.assertRaises(TypeError):
            added(numpy.ones(4, ">f8"), B, 2)
        with self.assertRaises(OverflowError):
            added(numpy.ones(4), B, 1 << 70)

    def test_repeated_calls_take_the_short_way(self):
        @sdfg.program
        def f(A, n):
            return A * n + TABLE
        A = numpy.ones(4)
        for _ in range(4):
            f(A, 2)
        self.assertEqual(len(f._fast.__self__.pool), 1)
        plain = f.compile(A, 2)
        for _ in range(3):
            plain(A=A, n=2, __g_TABLE=TABLE)
        self.assertEqual(len(plain._fast[1].__self__.pool), 1)

    def test_interpret(self):
        @sdfg.program
        def plain(A):
            return type(A).__name__
        with sdfg.interpret():
            self.assertEqual(plain(numpy.ones(2)), "ndarray")

    def test_bound_calls(self):
        A, B = numpy.ones(3), numpy.ones(3)
        call = added.bind(A, B, 2)
        call()
        call()
        self.assertEqual(A[0], 5)

    def test_keywords_and_symbols(self):
        @sdfg.program
        def f(A: sdfg.float64[sdfg.symbol("N")], scale=2):
            A *= scale
        A = numpy.ones(3)
        f(A=A)
        f(A, scale=3, N=3)
        self.assertEqual(A[0], 6)
        with self.assertRaisesRegex(TypeError, "unexpected keyword argument 'scal'"):
            f(A, scal=3)


    def test_attributes_that_functools_wraps_copies(self):
        plain = sdfg.program(lambda A: A + 1)
        plain.note = "of the user"
        compiled = sdfg.program(lambda A: A + 1)
        compiled(numpy.ones(3))
        for other in plain, compiled, sdfg.program(Holder().program):
            @functools.wraps(other)
            def ten(A):
                return A * 10

            def twice(A):
                return ten(A) * 2
            self.assertEqual(list(sdfg.program(ten)(numpy.ones(2))), [10, 10])
            self.assertEqual(list(sdfg.program(twice)(numpy.ones(2))), [20, 20])
            self.assertEqual(getattr(sdfg.program(ten), "note", None), getattr(other, "note", None))


class Holder:
    def program(self, A):
        return A


class Texts(unittest.TestCase):
    def test_redefinition_in_a_notebook(self):
        for k in 1, 2:
            f = define(f"@sdfg.program\ndef f(A):\n    return A + {k}\n", "<cell>")["f"]
            self.assertEqual(f(numpy.zeros(1))[0], k)

    def test_reload_takes_the_new_text(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "sdfg_reloaded.py")
            sys.path.insert(0, folder)
            try:
                path.write_text("import sdfg\n@sdfg.program\ndef f(A):\n    return A + 1\n")
                module = importlib.import_module("sdfg_reloaded")
                self.assertEqual(module.f(numpy.zeros(1))[0], 1)
                path.write_text("import sdfg\n\n\n@sdfg.program\ndef f(A):\n    return A + 25\n")
                importlib.invalidate_caches()
                self.assertEqual(importlib.reload(module).f(numpy.zeros(1))[0], 25)
            finally:
                sys.path.remove(folder)

    def test_files_that_were_edited_before_the_first_call(self):
        old = "import sdfg\n\n@sdfg.program\ndef f(A):\n    return A + 1\n"
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "sdfg_edited.py")
            sys.path.insert(0, folder)
            try:
                path.write_text(old)
                f = importlib.import_module("sdfg_edited").f
                path.write_text("# moved\n" + old)
                self.assertEqual(sdfg.program(f.f)(numpy.zeros(1))[0], 1)
                for new in old.replace("A + 1", "A - 1"), old.replace("+ 1", "+ 1.0"), "import sdfg\n":
                    path.write_text(new)
                    with self.assertRaisesRegex(sdfg.ProgramError, "has changed since 'f' was defined: line 3 is not its text any more; "
                                                                   "import it again"):
                        sdfg.program(f.f)(numpy.zeros(1))
            finally:
                sys.path.remove(folder)

    def test_modules_in_archives(self):
        with tempfile.TemporaryDirectory() as folder:
            archive = os.path.join(folder, "a.zip")
            with zipfile.ZipFile(archive, "w") as z:
                z.writestr("sdfg_zipped.py", "import sdfg\n@sdfg.program\ndef f(A):\n    return A + 4\n")
            sys.path.insert(0, archive)
            try:
                self.assertEqual(importlib.import_module("sdfg_zipped").f(numpy.zeros(1))[0], 4)
            finally:
                sys.path.remove(archive)

    def test_no_text(self):
        scope = {}
        exec("def f(A):\n    return A\n", scope)
        with self.assertRaisesRegex(sdfg.ProgramError, "exec\\(\\) of a text that is not in linecache: give it by sdfg.program\\(source"):
            sdfg.program(scope["f"])(numpy.ones(1))
        self.assertEqual(sdfg.program(scope["f"], source="def f(A):\n    return A + 1\n")(numpy.ones(1))[0], 2)


class Inside(unittest.TestCase):
    def test_explain(self):
        f = define("K = 1\n@sdfg.program\ndef f(A):\n    return A + K\n", "<explain>")
        f["f"](numpy.ones(2))
        f["K"] = 5
        f["f"](numpy.ones(2))
        f["f"](numpy.ones(2, numpy.float32))
        self.assertEqual(f["f"].explain(), "first call: A: float64[A_0]\nK changed: K = 1 -> K = 5\n"
                                           "argument 'A' changed: float64[A_0] -> float32[A_0]\n")

    def test_inspect(self):
        A = numpy.ones(4)
        self.assertEqual(scaled.inspect("guards", A), f"SCALE = {SCALE!r}\nTABLE: {TABLE.dtype}[4]\n")
        for what in "tree", "ll", "asm":
            self.assertTrue(scaled.inspect(what, A))
        self.assertEqual(json.loads(scaled.to_sdfg(A))["attributes"]["arg_names"], ["A"])
        with tempfile.TemporaryDirectory() as folder:
            scaled.export(folder + "/f.so", A)
            self.assertTrue(os.path.getsize(folder + "/f.so"))

    def test_types(self):
        text = """@sdfg.program
def f(A, n, mode="añy"):
    s, k = 0, len(mode)
    B = A[::2] + TABLE[0] * SCALE
    for i in range(n):
        s += A[i]
        t = (i, s, "name", [0.1, True])
        C, D = helper(A), helper(s, 3)
    for j in sdfg.map[0:n]:
        A[j] = j
    w = sum([z * 2 for z in range(2)]); w = w + numpy.float32(2.0) + len("a comment makes this a line that is rather long")
    return B * s + k
"""
        scope = define("def helper(x, k=2):\n    y = x * k\n    return y\n", "<helper>")
        f = define(text, "<types>", SCALE=3.5, TABLE=numpy.ones(4), helper=scope["helper"])["f"]
        self.assertEqual(f.inspect("types", numpy.ones(5), 3), """\
# <types>:1
@sdfg.program
def f(A, n, mode="añy"):                 # A: float64[A_0], n: int, mode: 'añy'
    s, k = 0, len(mode)                  # s: 0, k: 3
    B = A[::2] + TABLE[0] * SCALE        # TABLE: float64[4], SCALE: 3.5, B: float64[int_ceil(A_0, 2)]
    for i in range(n):                   # i: int i
        s += A[i]                        # s: float64
        t = (i, s, "name", [0.1, True])  # t: (int i, float64, 'name', [0.1, True])
        C, D = helper(A), helper(s, 3)   # C: float64[A_0], D: float64
    for j in sdfg.map[0:n]:              # j: int j
        A[j] = j
    w = sum([z * 2 for z in range(2)]); w = w + numpy.float32(2.0) + len("a comment makes this a line that is rather long")
                                         # z: 0 | 1, w: 2 | float32
    return B * s + k

# <helper>:1
def helper(x, k=2):  # x: float64[A_0] | float64, k: 2 | 3
    y = x * k        # y: float64[A_0] | float64
    return y
""")
        hinted = define("@sdfg.program\ndef f(A: sdfg.float64[sdfg.symbol('N')]):\n    return A\n", "<hinted>")["f"]
        self.assertEqual(hinted.inspect("types"), "# <hinted>:1\n@sdfg.program\n"
                                                  "def f(A: sdfg.float64[sdfg.symbol('N')]):  # A: float64[N]\n    return A\n")

    def test_methods(self):
        class Model:
            def __init__(self, k):
                self.k = k

            @sdfg.method
            def step(self, A: sdfg.float64[sdfg.symbol("N")]):
                return A * self.k
        model, A = Model(3), numpy.ones(4)
        self.assertEqual(model.step.bind(A)()[0], 3)
        self.assertEqual(model.step.f(A)[0], 3)
        self.assertEqual(model.step.inspect("guards", A), "self.k = 3\n")
        self.assertIn("A: float64[N]", model.step.inspect("types"))
        self.assertEqual([a.name for a in model.step.compile().arguments], ["A", "__return", "N"])
        self.assertEqual(json.loads(model.step.to_sdfg())["attributes"]["arg_names"], ["A"])
        self.assertEqual((model.step, model.step.__name__), (model.step, "step"))
        self.assertNotEqual(model.step, Model(3).step)
        self.assertIn("first call", model.step.explain())
        other = sdfg.program(Model(4).step.f)
        self.assertEqual(other(A)[0], 4)

    def test_supported(self):
        self.assertTrue(sdfg.supported("np.mean"))
        self.assertTrue(sdfg.supported("len"))
        self.assertFalse(sdfg.supported("np.fft.hfft"))

    def test_errors_are_syntax_errors(self):
        f = define("@sdfg.program\ndef f(A):\n    return A + nothing\n", "<wrong>")["f"]
        with self.assertRaises(SyntaxError) as caught:
            f(numpy.ones(1))
        e = caught.exception
        self.assertEqual((e.filename, e.lineno, e.offset, e.text), ("<wrong>", 3, 12, "return A + nothing"))
        self.assertIsInstance(e, sdfg.ProgramError)

    def test_plain_python(self):
        self.assertEqual(list(sdfg.map[0:2, 1:3]), [(0, 1), (0, 2), (1, 1), (1, 2)])
        N = sdfg.symbol("N")
        self.assertEqual(repr(sdfg.float64[N, 2 * (N + 1)]), "float64[N, 2 * (N + 1)]")
        self.assertEqual(sdfg.float32(2).dtype, numpy.float32)
        self.assertFalse(sdfg.in_program())


class Memory(unittest.TestCase):
    def test_objects_are_not_kept(self):
        class Holder:
            def __init__(self):
                self.array = numpy.ones(4)

            @sdfg.program
            def step(self, A):
                self.array += A
        o = Holder()
        o.step(numpy.ones(4))
        o.step(numpy.ones(4))
        gone = weakref.ref(o)
        del o
        gc.collect()
        self.assertIsNone(gone())

    def test_calls_redefinitions_and_objects_leave_memory_flat(self):
        A, B = numpy.ones(1000), numpy.ones(1000)

        def work(count):
            for _ in range(50 * count):
                added(A, B, 2)
            for i in range(count if FORGETS else 0):
                define(f"@sdfg.program\ndef f(A):\n    return A + {i % 4}\n", "<flat>")["f"](A)
            gc.collect()
        work(40)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        work(200)
        self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, 20000)


if __name__ == "__main__":
    unittest.main()
