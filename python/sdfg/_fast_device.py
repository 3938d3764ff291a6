"""Calls that repeat, with arrays of CuPy or PyTorch on a GPU."""

import ctypes

import numpy

from . import _device
from ._arguments import MAX_RANK, _DTYPE_BY_NAME
from ._errors import Error, check
from ._fast import MISS, Fast, _Held
from ._library import SIZES, Array, Device, library, quick


class FastDevice(Fast):
    """As Fast. Results are made where the first array is, single numbers among them (`numbers`, for each) on the host."""

    @classmethod
    def of(cls, program, values, results, finish, captured, check, numbers):
        known = {a.name: a for a in program.arguments}
        for name, value in values.items():
            if name not in known or (known[name].kind == "array") != (type(value) not in (int, float)):
                return None
        if captured or not all(known[name].kind == "array" for name in results):
            return None
        return cls(program, values, results, finish, check, numbers)

    def __init__(self, program, values, results, finish, check, numbers):
        self.program, self.results, self.finish, self.check, self.pool = program, results, finish, check, []
        self.count, self.single = len(values), numbers
        kinds = [(i, type(value), name.encode()) for i, (name, value) in enumerate(values.items())]
        self.numbers = [each for each in kinds if each[1] in (int, float)]
        self.arrays = [(i, name) for i, kind, name in kinds if kind not in (int, float)]
        self.made = (None, None)

    def call(self, args):
        if len(args) != self.count or self.check(None) is None:
            return MISS
        memories, streams = [], set()
        for i, name in self.arrays:
            memory = _device.quick_memory_of(args[i])
            if memory is None or len(memory.shape) > MAX_RANK or memory.dtype not in _DTYPE_BY_NAME:
                return MISS
            memories.append((name, memory))
            streams.add(memory.stream)
        try:
            arguments = self.pool.pop()
        except IndexError:
            arguments = _Held(self.program)
            arguments.streams = None
        if streams != arguments.streams: # an old one may be no more
            library.sdfg_args_clear(arguments._handle)
            arguments.streams = streams
            for stream in streams:
                check(library.sdfg_args_after(arguments._handle, stream))
        for i, kind, name in self.numbers:
            value = args[i]
            if type(value) is not kind or (kind is int and not -(1 << 63) <= value < 1 << 63):
                return MISS
            error = (quick.sdfg_args_i64 if kind is int else quick.sdfg_args_f64)(arguments._handle, name, value)
            if error:
                return self._missed(error)
        for name, memory in memories:
            error = self._give_memory(arguments, name, memory)
            if error:
                return self._missed(error)
        made = ()
        if self.results:
            made = self._make(arguments, args, memories)
            if made is None:
                return MISS
        try:
            arguments.prepare()
        except Error: # the longer way finds it, too
            return MISS
        result = self._call(arguments, made)
        arguments.kept, arguments.on_device = [], None # the arrays belong to the caller
        return result

    @staticmethod
    def _give_memory(arguments, name, memory):
        rank = len(memory.shape)
        given = Array(ctypes.sizeof(Array), memory.address, _DTYPE_BY_NAME[memory.dtype], rank, device=Device(memory.kind, memory.index))
        given.shape[:rank] = memory.shape
        if memory.strides is not None:
            given.strides = SIZES(*memory.strides)
        return quick.sdfg_args_array(arguments._handle, name, ctypes.byref(given))

    def _make(self, arguments, args, memories):
        """Arrays for the results, which are given; None: the longer way finds out why."""
        shapes, (known, results) = [memory.shape for _, memory in memories], self.made
        try:
            if shapes != known:
                check(library.sdfg_args_solve(arguments._handle))
                arguments.on_device = args[self.arrays[0][0]]
                results = [arguments.allocate(name, number) for name, number in zip(self.results, self.single)]
                results = [(array.shape, array.dtype, type(array) is numpy.ndarray) for array in results]
                self.made = shapes, results
            made = [numpy.zeros(shape, dtype) if on_host else _device.zeros_like(args[self.arrays[0][0]], shape, _device.numpy_of(dtype))
                    for shape, dtype, on_host in results]
            for name, array in zip(self.results, made):
                arguments.give(name, array)
        except Error:
            return None
        return tuple(made)
