"""Callbacks of programs: what is announced, exceptions, order, threads, methods, what is compiled again."""
import gc
import threading
import unittest
import warnings
import weakref

import numpy

import sdfg

counted = 0
GLOBAL = 3


def count(*values):
    global counted
    counted += len(values)


def failing(A):
    raise KeyError("from the callback")


def swapped(f) -> float:
    global counted
    return f


class Object:
    def __init__(self, factor):
        self.factor = factor

    def scale(self, A) -> float:
        global counted
        return float(A[0]) * self.factor

    @sdfg.method
    def program(self, A):
        return self.scale(A) + 1


def quiet(call, *arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sdfg.CallbackWarning)
        return call(*arguments)


class Calls(unittest.TestCase):
    def test_what_is_announced(self):
        def untyped(A):
            global counted
            return {}

        @sdfg.program
        def program(A):
            count(A)
            count(A, A)
            x = untyped(A)
            print(x, end="")
            return numpy.i0(A)

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            program(numpy.ones(3))
            program(numpy.ones((2, 2)))
        texts = [str(w.message) for w in caught if w.category is sdfg.CallbackWarning]
        line = program.f.__code__.co_firstlineno
        file, count_line = __file__, count.__code__.co_firstlineno
        self.assertEqual(texts, [
            f"Automatically creating callback to Python for 'count': not supported: 'global' and 'nonlocal' ({file}:{count_line + 1})",
            f"Automatically creating callback to Python for 'untyped': not supported: 'global' and 'nonlocal' "
            f"({file}:{untyped.__code__.co_firstlineno + 1})",
            "Cannot infer return type of callback 'untyped': an annotation of the function or of the name that gets it says the type",
            "Automatically creating callback to Python for 'print': it has no text in Python",
            f"Automatically creating callback to Python for 'numpy.i0': not supported: 'numpy.i0' ({file}:{line + 6})"])
        self.assertEqual([w.lineno for w in caught], [line + 2, line + 4, line + 4, line + 5, line + 6])
        self.assertEqual({w.filename for w in caught}, {file})

    def test_what_a_callback_changes_is_no_guard(self):
        @sdfg.program
        def program(A):
            count(A)
            A += GLOBAL

        before = counted
        for _ in range(5):
            quiet(program, numpy.ones(3))
        self.assertEqual((counted - before, len(program.explain().splitlines())), (5, 1))
        self.assertNotIn("counted", program.inspect("guards", numpy.ones(3)))
        self.assertIn("GLOBAL", program.inspect("guards", numpy.ones(3)))

    def test_exceptions_are_passed_on_and_end_the_callbacks(self):
        log = []

        def note(i):
            global counted
            log.append(i)

        @sdfg.program
        def program(A):
            note(1)
            failing(A)
            note(2)
            A += 1

        A = numpy.ones(3)
        with self.assertRaises(KeyError) as caught:
            quiet(program, A)
        self.assertEqual((caught.exception.args, log), (("from the callback",), [1]))
        with self.assertRaises(KeyError): # the next call is one like the first
            quiet(program, A)
        self.assertEqual(log, [1, 1])

    def test_results_after_an_exception_are_zeros(self):
        def index(A) -> int:
            raise KeyError("no index")

        def two(A) -> tuple[int, sdfg.int64[3]]:
            raise KeyError("no index")

        @sdfg.program
        def program(A):
            A[index(A)] = 7
            i, B = two(A)
            A[i + 1] = 8
            A[B[1] + 2] = 9

        A = numpy.ones(3)
        with self.assertRaises(KeyError):
            quiet(program, A)
        self.assertEqual(A.tolist(), [7.0, 8.0, 9.0])

    def test_order(self):
        log = []

        def note(i, x):
            global counted
            log.append((i, float(x)))

        @sdfg.program
        def program(A):
            for i in range(A.shape[0]):
                note(i, A[i])
                A[i] += 1
                note(-1, A[i])
            note(-2, numpy.sum(A))

        ours = quiet(program, numpy.arange(4.0)), list(log)
        log.clear()
        theirs = program.f(numpy.arange(4.0)), log
        self.assertEqual(ours, theirs)

    def test_threads(self):
        here = threading.local()

        def mark(A) -> float:
            global counted
            return here.value + float(A[0])

        @sdfg.program
        def program(A):
            return mark(A) * 2

        wrong = []

        def work(k):
            here.value = k
            for i in range(100):
                if program(numpy.full(3, float(i))) != 2 * (k + i):
                    wrong.append((k, i))

        quiet(program, numpy.ones(3)) if hasattr(here, "value") else None
        threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sdfg.CallbackWarning)
            for t in threads:
                t.start()
            for t in threads:
                t.join()
        self.assertEqual(wrong, [])

    def test_methods_and_objects(self):
        a, b = Object(2.0), Object(10.0)
        A = numpy.full(3, 4.0)
        self.assertEqual([quiet(o.program, A) for o in (a, b, a)], [9.0, 41.0, 9.0])
        a.factor = 3.0
        self.assertEqual(quiet(a.program, A), 13.0)
        gone = weakref.ref(b)
        del b
        gc.collect()
        self.assertIsNone(gone())

    def test_a_captured_function_that_changes(self):
        def one(A) -> float:
            global counted
            return 1.0

        def two(A) -> float:
            global counted
            return 2.0

        called = one

        @sdfg.program
        def program(A):
            return called(A) + A[0]

        self.assertEqual(quiet(program, numpy.zeros(2)), 1.0)
        called = two
        self.assertEqual(quiet(program, numpy.zeros(2)), 2.0)

    def test_parameters_that_are_functions(self):
        @sdfg.program
        def program(A, f: sdfg.callback(sdfg.float64, sdfg.float64)):
            return f(A[0]) + f(A[1])

        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertEqual(program(numpy.array([1.0, 2.0]), lambda x: x + 1), 5.0)
            self.assertEqual(program(numpy.array([1.0, 2.0]), lambda x: x * 10), 30.0)
        self.assertEqual(len(program.explain().splitlines()), 1)

    def test_arrays_that_may_not_be_written(self):
        A = numpy.array([2.0, 1.0])
        A.flags.writeable = False

        @sdfg.program
        def bessel(A):
            return numpy.i0(A)

        @sdfg.program
        def given(A):
            count(A)

        self.assertEqual(quiet(bessel, A).tolist(), numpy.i0(A).tolist())
        with self.assertRaises(ValueError) as caught:
            quiet(given, A)
        self.assertEqual(str(caught.exception), "argument 'A' is written by the program, but the array is read-only")

    def test_bound_calls(self):
        @sdfg.program
        def program(A, f: sdfg.callback(sdfg.float64, sdfg.float64)):
            A[0] = f(A[0])

        A = numpy.array([1.0])
        bound = program.bind(A, lambda x: x * 2)
        for _ in range(3):
            bound()
        self.assertEqual(A[0], 8.0)

    def test_numpys_without_a_type_known_ahead(self):
        @sdfg.program
        def program(A):
            B = numpy.unique(A)
            print(B, end="")
            return B

        A = numpy.array([3.0, 1.0, 3.0])
        self.assertEqual(quiet(program, A).tolist(), [1.0, 3.0])

    def test_sizes_known_at_run_time(self):
        """What NumPy's function returns is made by the program itself, unless that would have to return it."""
        @sdfg.program(fallback=False)
        def inside(A):
            values = numpy.unique(A)
            return len(values), numpy.sum(values)

        @sdfg.program(fallback=False)
        def returned(A):
            return numpy.unique(A)

        @sdfg.program
        def masked(A):
            return A[A > 1]

        A = numpy.array([3.0, 1.0, 3.0])
        self.assertEqual(inside(A), (2, 4.0))
        for program in returned, masked:
            with self.assertRaisesRegex(sdfg.ProgramError, "an array whose size is known at run time only"):
                program(A)


if __name__ == "__main__":
    unittest.main()
