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


def interruptible(work, finished=None, phase=None):
    """The result of work(). On the main thread, which is the one that hears of signals, the work is done by another thread, in the same context; what is
    raised here meanwhile, such as KeyboardInterrupt, leaves the work to itself. finished() is called behind it in any case. phase(): what is being done, in words, or None."""
    finished = finished or (lambda: None)
    outcome = []

    def run():
        try:
            outcome.append((work(), None))
        except BaseException as error: # it belongs to who waits
            outcome.append((None, error))
        finally:
            finished()
            working.pop()

    working.append(None)
    if threading.current_thread() is threading.main_thread():
        try:
            thread = threading.Thread(target=contextvars.copy_context().run, args=(run,), name="sdfg", daemon=True)
            thread.start()
        except RuntimeError: # there can be no more threads
            run()
        else:
            _watch(thread, phase) if phase else thread.join()
    else:
        run()
    result, error = outcome[0]
    if error is not None:
        raise error
    return result
