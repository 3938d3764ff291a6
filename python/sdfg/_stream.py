"""The queues of a stream argument, which belong to the caller and keep what is in them between calls."""

import ctypes
import weakref

import numpy

from ._errors import check
from ._library import library


class Stream:
    """Any thread may push and pop, also during calls. Values are those of one element type; a queue gives the oldest first."""

    def __init__(self, dtype, queues=1):
        self.dtype, self.queues = numpy.dtype(dtype), queues
        self._handle = ctypes.c_void_p()
        check(library.sdfg_stream_new(ctypes.byref(self._handle), self.dtype.itemsize, queues))
        self._release = weakref.finalize(self, library.sdfg_stream_free, self._handle)

    def push(self, values, queue=0):
        """One value or an array of them."""
        values = numpy.ascontiguousarray(values, self.dtype)
        check(library.sdfg_stream_push(self._handle, queue, values.ctypes.data, values.size))

    def pop(self, most=None, queue=0):
        """An array of what is there, at most so many."""
        there = self.size(queue)
        values = numpy.empty(there if most is None else min(most, there), self.dtype)
        count = library.sdfg_stream_pop(self._handle, queue, values.ctypes.data, values.size) if values.size else 0
        return values[:count]

    def size(self, queue=0):
        return library.sdfg_stream_size(self._handle, queue)

    def __repr__(self):
        return f"<stream of {self.dtype}, {self.queues} queue{'s' if self.queues != 1 else ''}>"
