"""The queues of a stream argument, which belong to the caller and keep what is in them between calls."""

from __future__ import annotations

import ctypes
import weakref
from typing import Any, Optional

import numpy

from ._engine import free
from ._errors import check
from ._library import library


class Stream:
    """Any thread may push and pop, also during calls. Values are those of one element type; a queue gives the oldest first."""

    def __init__(self, dtype: Any, queues: int = 1) -> None:
        self.dtype, self.queues = numpy.dtype(dtype), queues
        self._handle = ctypes.c_void_p()
        check(library.sdfg_stream_new(ctypes.byref(self._handle), self.dtype.itemsize, queues))
        self._release = weakref.finalize(self, free, library.sdfg_stream_free, self._handle)

    def push(self, values: Any, queue: int = 0) -> None:
        """One value or an array of them."""
        values = numpy.ascontiguousarray(values, self.dtype)
        check(library.sdfg_stream_push(self._handle, queue, values.ctypes.data, values.size))

    def pop(self, most: Optional[int] = None, queue: int = 0) -> numpy.ndarray:
        """An array of what is there, at most so many."""
        there = self.size(queue)
        values = numpy.empty(there if most is None else min(most, there), self.dtype)
        count = library.sdfg_stream_pop(self._handle, queue, values.ctypes.data, values.size) if values.size else 0
        return values[:count]

    def size(self, queue: int = 0) -> int:
        """How many values are there."""
        return library.sdfg_stream_size(self._handle, queue)

    def __repr__(self):
        return f"<stream of {self.dtype}, {self.queues} queue{'s' if self.queues != 1 else ''}>"
