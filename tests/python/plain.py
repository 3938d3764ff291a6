"""What programs call of the package, in Python: the same values as in the compiled program, and tasklets that run."""
import unittest

import numpy

import sdfg


class Plain(unittest.TestCase):
    def same(self, program, *arguments):
        """Arguments after the compiled program, which are the same as after Python."""
        ours, theirs = [[a.copy() for a in arguments] for _ in range(2)]
        result, expected = program(*ours), program.f(*theirs)
        self.assertEqual(result is None, expected is None)
        for a, b in zip((*ours, 0 if result is None else result), (*theirs, 0 if expected is None else expected)):
            numpy.testing.assert_allclose(a, b)
        return ours

    def test_tasklets(self):
        @sdfg.program
        def f(A, B, C):
            for i in sdfg.map[0:A.shape[0]]:
                with sdfg.tasklet:
                    a << A[i]
                    c << C[1, :]
                    b >> B[i]
                    s >> C(1, lambda x, y: x + y)[0, 0]
                    b = a * 2 + c[0]
                    s = a
        self.same(f, numpy.arange(6.0), numpy.zeros(6), numpy.ones((2, 2)))

    def test_dynamic_memlets(self):
        @sdfg.program
        def f(A, B):
            for i in sdfg.map[0:A.shape[0]]:
                with sdfg.tasklet:
                    a << A[i]
                    b >> B(-1, lambda x, y: x + y)[0]
                    if a > 2:
                        b = 1
        self.assertEqual(self.same(f, numpy.arange(6.0), numpy.zeros(2))[1][0], 3)

    def test_a_tasklet_in_a_traced_function(self):
        import sys
        lines, A = [], numpy.ones(2)

        def trace(frame, event, _):
            lines.append(event)
            return trace

        def f():
            with sdfg.tasklet:
                a << A[0]
                b >> A[1]
                b = a + 1
            return A[1]
        sys.settrace(trace)
        try:
            result = f()
        finally:
            sys.settrace(None)
        self.assertEqual(result, 2)
        self.assertIn("return", lines)

    def test_tasklets_that_are_refused(self):
        with self.assertRaisesRegex(NotImplementedError, "a tasklet in another language, outside of a program"):
            with sdfg.tasklet("CPP"):
                """ b = a; """
        with self.assertRaisesRegex(NotImplementedError, "the tasklet 'f', a function, outside of a program"):
            @sdfg.tasklet
            def f():
                pass
        names = {"sdfg": sdfg}
        with self.assertRaisesRegex(RuntimeError, "the text of the tasklet in line 1 of '<string>' is not known"):
            exec("with sdfg.tasklet:\n    pass", names)

    def test_elementwise(self):
        @sdfg.program
        def into(A, B):
            sdfg.elementwise(lambda x: x * x + 1, A, B)

        @sdfg.program
        def new(A):
            return sdfg.elementwise(lambda x: 2 * x, A) + 1
        A = numpy.arange(6.0).reshape(2, 3)
        self.same(into, A, numpy.zeros((2, 3), numpy.float32))
        self.same(new, A)

    def test_reduce(self):
        @sdfg.program
        def f(A, B):
            B[:] = sdfg.reduce(lambda x, y: x + y, A, axis=0)
            sdfg.reduce(lambda x, y: max(x, y), A, B, axis=0)
            return sdfg.reduce(lambda x, y: x * y, A, axis=(0, 1), identity=1)
        ours = self.same(f, numpy.arange(1.0, 7.0).reshape(2, 3), numpy.zeros(3))
        self.assertEqual(ours[1].tolist(), [5, 7, 9])

    def test_memory(self):
        self.assertEqual(sdfg.ndarray([2, 3], sdfg.float32).dtype, numpy.float32)
        self.assertEqual(sdfg.define_local([2], int).shape, (2,))
        self.assertEqual(sdfg.define_local_scalar(sdfg.int8).shape, (1,))
        queues = sdfg.define_streamarray([2, 2])
        queues[0, 1].append(3)
        self.assertEqual((len(queues[0, 1]), len(queues[1, 1]), len(sdfg.define_stream()[0])), (1, 0, 0))
        self.assertEqual(list(sdfg.consume(sdfg.stream([1, 2, 3]))), [3, 2, 1])

    def test_inline(self):
        calls = []

        def count(n):
            calls.append(n)
            return len(calls) * n

        @sdfg.program
        def f(A):
            A[0] = sdfg.inline(count(2))
            A[1] = sdfg.inline(count(3) + 1)
        A = numpy.zeros(2)
        f(A)
        f(A)
        self.assertEqual((A.tolist(), calls), ([2, 7], [2, 3]))

        @sdfg.program
        def of_data(A):
            A[0] = sdfg.inline(A[1])
        with self.assertRaisesRegex(sdfg.ProgramError, "'inline' of float64, which is known at run time only"):
            of_data(A)

    def test_types_of_what_callbacks_return(self):
        def both(A):
            try:
                return A * 2, float(A[0])
            finally:
                pass

        @sdfg.program
        def f(A):
            B: sdfg.float64[A.shape[0]]
            x: sdfg.float64
            B, x = both(A)
            return B * x
        with self.assertWarnsRegex(sdfg.CallbackWarning, "not supported: 'try'"):
            self.assertEqual(f(numpy.array([3.0, 4.0])).tolist(), [18, 24])

    def test_keywords(self):
        @sdfg.program
        def f(A, **named):
            for name, value in named.items():
                if name != "skip":
                    A += value
            return len(named)
        A = numpy.zeros(2)
        self.assertEqual(f(A, x=1, y=numpy.ones(2), skip=5), 3)
        self.assertEqual(f(A), 0)
        self.assertEqual(A.tolist(), [2, 2])


if __name__ == "__main__":
    unittest.main()
