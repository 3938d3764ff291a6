"""Calls whose work on a GPU goes on when they have returned."""

import ctypes
import weakref
from typing import Any

from ._arguments import Arguments
from ._engine import free
from ._errors import check
from ._library import CudaStream, library


def _handle_of(stream):
    """The CUstream of a number, or of what CuPy, PyTorch, Numba and cuda-python call a stream."""
    if hasattr(stream, "__cuda_stream__"):
        return int(stream.__cuda_stream__()[1])
    for name in "ptr", "cuda_stream", "handle":
        if hasattr(stream, name):
            return int(getattr(getattr(stream, name), "value", getattr(stream, name)) or 0)
    if isinstance(stream, int) and not isinstance(stream, bool):
        return stream
    raise TypeError(f"a stream of CUDA is expected, not {type(stream).__name__}")


class Pending:
    """A call that may go on. The arrays belong to it until it has ended."""

    def __init__(self, handle, result, kept):
        self._handle, self._result = handle, result
        self._release = weakref.finalize(self, free, library.sdfg_pending_free, handle, kept) # waits

    @property
    def done(self) -> bool:
        """Has it ended? Does not wait."""
        return library.sdfg_pending_done(self._handle)

    def wait(self) -> Any:
        """Returns what the call returns, when it has ended; or raises its error."""
        check(library.sdfg_pending_wait(self._handle))
        return self._result


class Queue:
    """A program, or a bound call, with the stream in which its calls do their work. Calling it returns a Pending."""

    def __init__(self, what, stream, context):
        self._what, self._stream = what, None
        if stream is not None or context is not None:
            self._stream = CudaStream(ctypes.sizeof(CudaStream), context, 0 if stream is None else _handle_of(stream))

    def _begin(self, function, *handles):
        pending = ctypes.c_void_p()
        check(function(ctypes.byref(pending), *handles, self._stream and ctypes.byref(self._stream)))
        return pending

    def __call__(self, *args: Any, **kwargs: Any) -> Pending:
        what = self._what
        if not hasattr(what, "_give"): # bound
            pending = self._begin(library.sdfg_bound_call_async, what._handle)
            what._calls.check(0)
            return Pending(pending, what.result, what)
        with Arguments(what) as arguments:
            result = what._give(arguments, what._named(args, kwargs))
            arguments.prepare()
            pending = self._begin(library.sdfg_call_async, what._handle, arguments._handle)
            arguments.calls.check(0)
            return Pending(pending, result, (what, arguments.kept))
