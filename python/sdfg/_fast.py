"""Calls that repeat: the arrays of a call are read by the library from the memory of NumPy's objects, whose layout is found out here by
looking at arrays of known content. Where that is not as expected, calls go the longer way."""

import ctypes

import numpy

from . import _device
from ._arguments import Arguments
from ._cancel import call_of, stoppable
from ._errors import Error, check
from ._library import DTYPES, ObjectLayout, Objects, library, prepared, quick, texts

MISS = object() # the call must go the longer way
_BIND = 2       # SDFG_STAGE_BIND: nothing has run
_WRITABLE = 0x400 # NPY_ARRAY_WRITEABLE


def _layout():
    """None: arrays do not lie as NumPy's and CPython's do."""
    header, word = object.__basicsize__, ctypes.sizeof(ctypes.c_void_p)
    dtypes = [None] + [numpy.dtype(name) if name in numpy.sctypeDict or name == "bool" else None for name in DTYPES[1:]]
    table = (ctypes.c_void_p * len(dtypes))(*(d if d is None else id(d) for d in dtypes))
    layout = ObjectLayout(struct_size=ctypes.sizeof(ObjectLayout), type=header - word, array_type=id(numpy.ndarray), data=header,
                          rank=header + word, shape=header + 2 * word, strides=header + 3 * word, dtype=header + 5 * word,
                          items=tuple.__basicsize__, dtypes=table, num_dtypes=len(dtypes), flags=header + 6 * word,
                          writable=_WRITABLE)
    layout.kept = dtypes, table

    def at(value, offset, kind=ctypes.c_void_p):
        return kind.from_address(id(value) + offset).value

    arrays = numpy.zeros((3, 5, 7)), numpy.zeros((4, 6), numpy.int16)[::2, 1:], numpy.zeros(2)
    arrays[2].flags.writeable = False
    for array in arrays:
        sizes = [ctypes.c_int64 * array.ndim] * 2
        good = word == 8 and array.__class__.__basicsize__ >= header + 7 * word and \
            at(array, layout.type) == id(numpy.ndarray) and at(array, layout.data) == array.ctypes.data and \
            at(array, layout.rank, ctypes.c_int) == array.ndim and at(array, layout.dtype) == id(array.dtype)
        good = good and tuple(sizes[0].from_address(at(array, layout.shape))) == array.shape and \
            tuple(sizes[1].from_address(at(array, layout.strides))) == array.strides and \
            bool(at(array, layout.flags, ctypes.c_int) & _WRITABLE) == array.flags.writeable
        probe = (None, array)
        if not good or at(probe, layout.items + word) != id(array):
            return None
    return layout


try:
    import sys
    LAYOUT = _layout() if sys.implementation.name == "cpython" else None
except (AttributeError, TypeError, ValueError):
    LAYOUT = None
_ready = prepared(quick, "sdfg_objects_ready")
_object = ctypes.py_object
_GIVERS = {int: (prepared(quick, "sdfg_args_i64"), ctypes.c_int64), float: (prepared(quick, "sdfg_args_f64"), ctypes.c_double)}


class _Held(Arguments):
    """Arguments that are kept for the next call."""

    def __del__(self):
        self._let_go()


def _nothing(constants):
    return ()


class Fast:
    """The way of calls whose arguments are arrays and Python numbers. Calls may overlap: each has arguments of its own."""

    @classmethod
    def of(cls, program, values, results, finish, captured=(), check=_nothing, numbers=None):
        """None if some argument is something else. `values`: name -> what is given now; finish(made): what the call returns, from the
        arrays of `results`; check(None): arrays for the names `captured`, or None if the call must go the longer way; numbers: for each result,
        whether it is a single number (None: none is)."""
        if program.callbacks or program._workspaces or program._communicator is not None:
            return None
        kinds = {type(value) for value in values.values()} - {int, float}
        if kinds and all(_device.is_quick(kind) for kind in kinds):
            from ._fast_device import FastDevice
            return FastDevice.of(program, values, results, finish, captured, check, numbers or [False] * len(results))
        if LAYOUT is None or kinds - {numpy.ndarray}:
            return None
        known = {a.name: a for a in program.arguments}
        for name, value in values.items():
            if name not in known or (known[name].kind == "array") != (type(value) is numpy.ndarray):
                return None
        return cls(program, values, results, finish, captured, check, {name for name, a in known.items() if a.written})

    def __init__(self, program, values, results, finish, captured, check, written):
        self.program, self.results, self.finish, self.check, self.pool = program, results, finish, check, []
        self.count = len(values)
        names, kinds = list(values), [type(value) for value in values.values()]
        arrays = [i for i, kind in enumerate(kinds) if kind is numpy.ndarray]
        self.arrays = None if len(arrays) == len(names) else arrays
        self.numbers = [(i, kind, ctypes.c_char_p(names[i].encode()), *_GIVERS[kind]) for i, kind in enumerate(kinds) if kind is not numpy.ndarray]
        taken = [names[i] for i in arrays] + list(captured) + results
        self.names, self.taken = texts([name.encode() for name in taken]), len(taken)
        self.written = [i for i, name in enumerate(taken) if name in written and name not in results]
        self.made = (None, None) # shapes of arguments, and what the results were for them: one object, since other threads replace it

    def _held(self):
        arguments = _Held(self.program)
        arguments.objects = Objects(ctypes.sizeof(Objects), arguments._handle, ctypes.pointer(LAYOUT), self.names, self.taken)
        arguments.objects_pointer = ctypes.byref(arguments.objects)
        return arguments

    def _take(self, arguments, arrays):
        """False: not all are arrays of NumPy."""
        taken = ctypes.c_size_t()
        check(quick.sdfg_args_objects(ctypes.byref(taken), arguments._handle, ctypes.byref(LAYOUT), self.names, len(arrays), arrays))
        return taken.value == len(arrays)

    def _empty(self, arguments, arrays):
        """Arrays for the results; None: some array is something else."""
        try:
            shapes = [array.shape for array in arrays]
        except AttributeError:
            return None
        known, results = self.made
        if shapes != known:
            try:
                if not self._take(arguments, arrays):
                    return None
                check(library.sdfg_args_solve(arguments._handle))
                made = [arguments.allocate(name) for name in self.results]
            except Error: # the longer way finds it, too, and looks for another variant
                return None
            self.made = shapes, [(array.shape, array.dtype) for array in made]
            return tuple(made)
        return tuple(numpy.zeros(shape, dtype) for shape, dtype in results)

    def call(self, args):
        """What the call returns, or MISS."""
        if len(args) != self.count:
            return MISS
        captured = self.check(None)
        if captured is None:
            return MISS
        try:
            arguments = self.pool.pop()
        except IndexError:
            arguments = self._held()
        for i, kind, name, give, made_of in self.numbers:
            value = args[i]
            if type(value) is not kind:
                self.pool.append(arguments)
                return MISS
            if kind is int and not -(1 << 63) <= value < 1 << 63:
                return MISS
            error = give(arguments._handle, name, made_of(value))
            if error:
                return self._missed(error)
        arrays = args + captured if self.arrays is None else tuple([args[i] for i in self.arrays]) + captured
        made = ()
        if self.results:
            made = self._empty(arguments, arrays)
            if made is None:
                return MISS
            arrays += made
        if not _ready(arguments.objects_pointer, _object(arrays)) and not self._give(arguments, arrays):
            return MISS
        return self._call(arguments, made)

    def _give(self, arguments, arrays):
        """Gives arrays to new arguments, and makes code: memory of another alignment takes other code, for example. False: the call must go
        the longer way."""
        for i in self.written:
            if type(arrays[i]) is not numpy.ndarray or not arrays[i].flags.writeable:
                return False
        try:
            if not self._take(arguments, arrays):
                return False
            arguments.prepare()
        except Error: # the longer way finds it, too
            return False
        return True

    def _call(self, arguments, made):
        error = stoppable(call_of, arguments, self.program._handle, arguments._handle) # as call(), whose frame would take time
        if error:
            return self._missed(error)
        self.pool.append(arguments)
        return self.finish(made) if made else None

    def _missed(self, error):
        if error and library.sdfg_error_stage_of(error) != _BIND:
            check(error)
        if error:
            library.sdfg_error_free(error)
        return MISS
