"""^C while the library works: KeyboardInterrupt at once where it compiles, and nothing is lost. A dump that nobody reads holds the
compiler up."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock

import numpy

import sdfg

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent.parent / "examples"
SOON = 10 # seconds, on a busy machine

# Ends while a thread compiles. What is registered first is called last: there the thread goes on.
ENDS = """
import atexit, os, signal, sys, threading, time
atexit.register(lambda: (os.open(sys.argv[1] + "/read", os.O_RDONLY | os.O_NONBLOCK), time.sleep(0.3)))
import sdfg
axpy = sdfg.compile(sys.argv[2], cache_dir=None, dump_dir=sys.argv[1], dump_after="read")
if sys.argv[3] == "daemon":
    threading.Thread(target=axpy.emit, args=("asm",), daemon=True).start()
    time.sleep(0.3)
else:
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        axpy.emit("asm")
    except KeyboardInterrupt:
        print("interrupted")
"""


class Interrupts(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.pipe = os.path.join(self.folder.name, "read")
        os.mkfifo(self.pipe)
        self.x, self.y = numpy.arange(5.0), numpy.ones(5)
        self.axpy = sdfg.compile(EXAMPLES / "axpy.sdfg", cache_dir=None, dump_dir=self.folder.name, dump_after="read")
        self.reader = None

    def tearDown(self):
        self.let_go()
        os.close(self.reader)
        self.folder.cleanup()

    def let_go(self):
        """Somebody has the pipe open for reading: the compiler goes on, and is not held up again."""
        if self.reader is None:
            self.reader = os.open(self.pipe, os.O_RDONLY | os.O_NONBLOCK)

    def interrupted(self, work):
        """How long it took until KeyboardInterrupt came."""
        begin = time.monotonic()
        timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            work()
        timer.join()
        return time.monotonic() - begin

    def check(self):
        self.y = numpy.ones(5)
        self.axpy(X=self.x, Y=self.y, alpha=2)
        numpy.testing.assert_array_equal(self.y, 2 * numpy.arange(5.0) + 1)

    def test_a_call_that_compiles(self):
        self.assertLess(self.interrupted(lambda: self.axpy(X=self.x, Y=self.y, alpha=2)), SOON)
        numpy.testing.assert_array_equal(self.y, numpy.ones(5)) # it has not run
        self.let_go()
        self.check()

    def test_a_bound_call_that_compiles(self):
        self.assertLess(self.interrupted(lambda: self.axpy.bind(X=self.x, Y=self.y, alpha=2)), SOON)
        self.let_go()
        self.check()

    def test_text_of_the_compiler(self):
        self.assertLess(self.interrupted(lambda: self.axpy.emit("asm")), SOON)
        self.let_go()
        self.assertIn("sdfg_main", self.axpy.emit("asm"))

    def test_a_program_that_is_given_up_meanwhile(self):
        self.assertLess(self.interrupted(lambda: self.axpy(X=self.x, Y=self.y, alpha=2)), SOON)
        self.axpy = None
        self.let_go()

    def test_a_call_that_runs(self):
        self.let_go()
        jacobi = sdfg.compile(EXAMPLES / "jacobi_2d.sdfg", cache_dir=None)
        a, b = numpy.random.rand(2, 300, 300)
        rounds = 1 << 40 # for days
        jacobi(A=a, B=b, T=1)
        bound = jacobi.bind(A=a, B=b, T=rounds)
        for call in lambda: jacobi(A=a, B=b, T=rounds), bound:
            for _ in range(2):
                self.assertLess(self.interrupted(call), SOON)
        bound = None
        jacobi(A=a, B=b, T=1)

    def asked_while(self, call):
        """Whether the call still ran when the signal came; then it ends before its handler is known."""
        asked, ended, answered = threading.Event(), threading.Event(), threading.Event()

        def handler(number):
            asked.set()
            ended.wait(SOON)
            answered.set()
            return signal.default_int_handler

        with unittest.mock.patch.object(signal, "getsignal", handler):
            timer = threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT))
            timer.start()
            with self.assertRaises(KeyboardInterrupt):
                call()
                time.sleep(SOON) # if it ended even before
            timer.join()
            if asked.wait(1):
                ended.set()
                self.assertTrue(answered.wait(SOON))
        return answered.is_set()

    def test_a_call_that_ends_by_itself(self):
        """While somebody finds out that it should be stopped."""
        self.let_go()
        jacobi = sdfg.compile(EXAMPLES / "jacobi_2d.sdfg", cache_dir=None)
        a, b = numpy.random.rand(2, 100, 100)
        jacobi.bind(A=a, B=b, T=1) # it is compiled; the first call has arguments of its own, which are freed
        rounds = 100000
        while not self.asked_while(lambda: jacobi(A=a, B=b, T=rounds)): # on a busy machine the call may end before the signal comes
            rounds *= 4
            self.assertLess(rounds, 1 << 30)
        jacobi(A=a, B=b, T=1)

    def test_a_handler_of_the_program(self):
        """It may have other plans than to stop: the call runs to its end."""
        self.let_go()
        jacobi = sdfg.compile(EXAMPLES / "jacobi_2d.sdfg", cache_dir=None)
        a, b = numpy.random.rand(2, 500, 500)
        heard = []
        jacobi(A=a, B=b, T=1)
        before = signal.signal(signal.SIGINT, lambda *_: heard.append(True))
        try:
            timer = threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT))
            timer.start()
            while not heard:
                jacobi(A=a, B=b, T=2000)
            timer.join()
        finally:
            signal.signal(signal.SIGINT, before)

    def test_the_end_of_the_process(self):
        for way, printed in ("daemon", ""), ("interrupted", "interrupted\n"):
            done = subprocess.run([sys.executable, "-B", "-c", ENDS, self.folder.name, EXAMPLES / "axpy.sdfg", way],
                                  env=dict(os.environ, MALLOC_PERTURB_="165"), # freed memory has other content
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, printed, ""))

    def test_a_child_process(self):
        """What is sent to a child concerns no call of the parent."""
        self.let_go()
        self.check()
        child = os.fork()
        if not child:
            code = 1
            try:
                self.check()
                code = 0
            finally:
                os._exit(code)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.check()

    def test_other_threads_are_not_concerned(self):
        self.let_go()
        thread = threading.Thread(target=self.check)
        thread.start()
        thread.join()
        numpy.testing.assert_array_equal(self.y, 2 * numpy.arange(5.0) + 1)


if __name__ == "__main__":
    unittest.main()
