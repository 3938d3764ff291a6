"""^C while a program runs on the main thread: the call is stopped at its next loop, so that KeyboardInterrupt comes soon.

Python's own handler only takes a note until the library returns. But it also writes to a file descriptor, if there is one
(signal.set_wakeup_fd), which a thread of ours reads. Where somebody else has such a descriptor, or a handler of their own, calls run to
their end as before."""

import _thread
import os
import signal
import threading
import time

from ._library import library, prepared

call_of, _bound_call = prepared(library, "sdfg_call"), prepared(library, "sdfg_bound_call")
_AGAIN = 0.05 # seconds after which somebody else may have taken the descriptor away

_main = threading.main_thread().ident
_next = 0.0     # when to look again
_ends = None    # of the pipe that signals are written to; None: there is no thread that reads it
_running = None # the arguments, or the bound call, of the call of the main thread


def _read(reader):
    try:
        while data := os.read(reader, 64):
            running = _running
            if running and signal.SIGINT in data and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
                running._cancel() # the call may have ended meanwhile
            running = None
    except OSError:
        pass


def _listen():
    global _ends, _next
    _next = time.monotonic() + _AGAIN
    try:
        if _ends is None:
            reader, writer = os.pipe()
            os.set_blocking(writer, False)
            _thread.start_new_thread(_read, (reader,)) # one of `threading` would be waited for until it runs
            _ends = reader, writer
        other = signal.set_wakeup_fd(_ends[1], warn_on_full_buffer=False)
        if other not in (-1, _ends[1]):
            signal.set_wakeup_fd(other)
    except (OSError, RuntimeError, ValueError): # no pipe, no thread, or not the interpreter that gets signals
        pass


def _forget():
    """In a child process: the pipe belongs to the parent."""
    global _main, _next, _ends, _running
    _main, _next, _running = threading.main_thread().ident, 0.0, None
    if _ends is not None:
        try:
            if signal.set_wakeup_fd(-1) != _ends[1]:
                _next = float("inf") # it is somebody else's
        except ValueError:
            pass
        for end in _ends:
            os.close(end)
        _ends = None


os.register_at_fork(after_in_child=_forget)


def stoppable(function, owner, *handles):
    """function(*handles), which ^C stops by owner._cancel()."""
    global _running
    if threading.get_ident() != _main:
        return function(*handles)
    if time.monotonic() > _next:
        _listen()
    outer = _running # the call that this is a callback of
    _running = owner
    try:
        return function(*handles)
    finally:
        _running = outer


def call(program, arguments):
    """sdfg_call: the error, or None."""
    return stoppable(call_of, arguments, program._handle, arguments._handle)


def call_bound(bound):
    return stoppable(_bound_call, bound, bound._handle)
