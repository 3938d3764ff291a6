"""Work that may take long, such as compiling: ^C is heard while it lasts."""

import contextvars
import os
import sys
import threading
from typing import List


working: List[None] = [] # an entry for each work that is being done; threads whose join() was interrupted say that they have ended (CPython 3.10 to 3.12)
_SECONDS = 1.0 # after which it is worth while to say what is being done


def _has_terminal():
    if "ipykernel" in sys.modules: # a notebook
        return True
    try:
        return sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"
    except (AttributeError, ValueError): # none, or closed
        return False


def _watch(thread, phase):
    """Waits for a thread, and shows on a terminal what phase() says meanwhile."""
    thread.join(_SECONDS)
    if not thread.is_alive() or not _has_terminal():
        thread.join()
        return
    shown = ""
    try:
        while thread.is_alive():
            text = phase()
            if text and text != shown:
                sys.stderr.write("\r" + text.ljust(len(shown)))
                sys.stderr.flush()
                shown = text
            thread.join(0.1)
    finally:
        sys.stderr.write("\r" + " " * len(shown) + "\r" if shown else "")


class Work:
    """work(), done by another thread in the same context, or at once if that is not wanted or there can be no more threads. finished() is called
    after it in any case."""

    def __init__(self, work, finished=None, *, beside=True):
        self._work, self._finished, self._outcome, self._thread = work, finished, None, None
        working.append(None)
        if beside:
            try:
                self._thread = threading.Thread(target=contextvars.copy_context().run, args=(self._run,), name="sdfg", daemon=True)
                self._thread.start()
                return
            except RuntimeError: # there can be no more threads
                self._thread = None
        self._run()

    def _run(self):
        try:
            self._outcome = self._work(), None
        except BaseException as error: # it belongs to who waits
            self._outcome = None, error
        finally:
            if self._finished:
                self._finished()
            working.pop()

    def result(self, phase=None):
        """Waits; what is raised meanwhile, such as KeyboardInterrupt, leaves the work to itself. phase(): what is being done, in words, or None."""
        if self._thread:
            _watch(self._thread, phase) if phase else self._thread.join()
        result, error = self._outcome
        if error is not None:
            raise error
        return result


def interruptible(work, finished=None, phase=None):
    """The result of work(). On the main thread, which is the one that hears of signals, another thread does it."""
    return Work(work, finished, beside=threading.current_thread() is threading.main_thread()).result(phase)
