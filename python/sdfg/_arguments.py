"""From Python values to the arguments of a call, without copies of arrays."""

import ctypes
import numbers
import threading

import numpy

from . import _device
from ._callback import Calls
from ._errors import check
from ._library import DTYPES, KINDS, MAX_RANK, RECORD, SIZES, Argument, Array, Device, library, quick
from ._stream import Stream
from ._wait import interruptible

_DTYPE_BY_NAME = {name: i for i, name in enumerate(DTYPES) if i}
# Of this machine's byte order only: another one is another type, of the same name.
_DTYPES = {numpy.dtype(name): i for name, i in _DTYPE_BY_NAME.items() if name in numpy.sctypeDict or name == "bool"}
# Element types that NumPy lacks are their bits, unless another package has registered them.
_BITS = {"bfloat16": "uint16", "float8_e4m3fn": "uint8", "float8_e5m2": "uint8"}


def numpy_type(name):
    try:
        return numpy.dtype(name)
    except TypeError:
        return numpy.dtype(_BITS[name])


def _as_numpy(value):
    """The memory of `value` as a NumPy array, or None if it is no array of the host."""
    if isinstance(value, numpy.ndarray):
        return value
    if isinstance(value, (ctypes.Structure, ctypes._Pointer, ctypes._SimpleCData)):
        return None
    if hasattr(value, "__array_interface__"):
        return numpy.asarray(value)
    if hasattr(value, "__dlpack__"):
        return None if _device.is_device(value) else numpy.from_dlpack(value)
    try:
        memory = memoryview(value)
    except TypeError:
        return None
    return None if isinstance(value, (bytes, str)) else numpy.asarray(memory)


def _in_order(shape, strides):
    """C order, without gaps."""
    step = 1
    for extent, stride in zip(reversed(shape), reversed(strides)):
        if stride != step and extent > 1:
            return False
        step *= extent
    return True


class Arguments:
    """Gives values to the names of one call. Keeps what the library only points to."""

    def __init__(self, program):
        self.program, self.kept, self.calls = program, [], Calls()
        self.on_device = None # the first array on a device
        self._holders, self._lock = 1, threading.Lock()
        handle = ctypes.c_void_p()
        check(library.sdfg_args_new(ctypes.byref(handle), program._handle))
        self._handle = handle

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._let_go()

    def _let_go(self):
        with self._lock:
            self._holders -= 1
            last = not self._holders
        if last and library is not None: # at the end of the interpreter modules may have lost their names
            library.sdfg_args_free(self._handle)

    def _cancel(self):
        """Stops the call, from any thread, also if it ends and lets go meanwhile."""
        with self._lock:
            if self._holders:
                quick.sdfg_call_cancel(self._handle)

    def prepare(self):
        """Makes the code that a call needs, unless it is there. ^C is heard meanwhile; then the code is made nevertheless."""
        if library.sdfg_args_ready(self._handle):
            return
        with self._lock:
            self._holders += 1
        interruptible(self._bind, self._let_go, self.program._phase)

    def _bind(self):
        bound = ctypes.c_void_p()
        check(library.sdfg_bind(ctypes.byref(bound), self.program._handle, self._handle))
        library.sdfg_bound_free(bound)

    def lookup(self, name):
        argument = Argument(struct_size=ctypes.sizeof(Argument))
        found = library.sdfg_program_lookup(self.program._handle, name.encode(), ctypes.byref(argument))
        return argument if found else None

    def give(self, name, value):
        """False if the program has no such argument."""
        argument = self.lookup(name)
        if argument is None:
            return False
        key = name.encode()
        if value is None:
            check(library.sdfg_args_null(self._handle, key))
        elif isinstance(value, Stream):
            self.kept.append(value)
            check(library.sdfg_args_stream(self._handle, key, value._handle))
        elif KINDS[argument.kind] == "stream":
            raise TypeError(f"argument '{name}' is a stream: an sdfg.Stream is expected, not {type(value).__name__}")
        elif argument.kind == 3:
            self._structure(name, key, argument, value)
        elif argument.kind == 4 and isinstance(value, (list, tuple)):
            for i, element in enumerate(value):
                self.give(f"{name}[{i}]", element)
        elif argument.kind == 0 or "." in name or "[" in name:
            self._array(name, key, argument, value)
        else:
            self._value(name, key, argument, value)
        return True

    # ---- memory ----

    def _address(self, key, value):
        """ctypes objects are memory that lies as the descriptor says. False if it is none."""
        if isinstance(value, (ctypes.Structure, ctypes.Array)):
            address = ctypes.addressof(value)
        elif isinstance(value, (ctypes._Pointer, ctypes.c_void_p, ctypes._CFuncPtr)):
            address = ctypes.c_void_p.from_buffer(value).value # ctypes.cast would tie the object to itself
        else:
            return False
        self.kept.append(value)
        check(library.sdfg_args_pointer(self._handle, key, address))
        return True

    def _array(self, name, key, argument, value):
        if self._address(key, value):
            return
        memory = _device.memory_of(value)
        if memory is not None:
            self._give_device(name, key, argument, memory)
            if self.on_device is None:
                self.on_device = value
            return
        array = _as_numpy(value)
        if array is None and isinstance(value, (list, tuple)) and not argument.written:
            array = numpy.array(value, dtype=numpy_type(DTYPES[argument.dtype]) if argument.dtype < RECORD else None)
        if array is None and argument.kind != 0:  # a scalar member of a structure
            self._value(name, key, argument, value)
            return
        if array is None:
            raise TypeError(f"argument '{name}' is an array: a NumPy array or another buffer is expected, "
                            f"not {type(value).__name__}")
        if argument.written and not array.flags.writeable:
            raise ValueError(f"argument '{name}' is written by the program, but the array is read-only")
        self._give_numpy(name, key, argument, array)

    def _give_numpy(self, name, key, argument, array):
        size = array.itemsize
        dtype = RECORD if array.dtype.fields else _DTYPES.get(array.dtype) or \
            (_DTYPE_BY_NAME.get(array.dtype.name, 0) if array.dtype.isnative else 0)
        expected = DTYPES[argument.dtype] if argument.dtype < RECORD else ""
        if expected in _BITS and array.dtype.name == _BITS[expected]:
            dtype = argument.dtype
        if not dtype:
            raise TypeError(f"argument '{name}': elements of type {array.dtype} have no counterpart in SDFGs")
        if array.ndim > MAX_RANK or any(s % size for s in array.strides):
            raise ValueError(f"argument '{name}': its strides are no multiples of its elements")
        strides = SIZES(*[s // size for s in array.strides])
        given = Array(struct_size=ctypes.sizeof(Array), data=array.ctypes.data, dtype=dtype, rank=array.ndim, strides=strides, item_bytes=size)
        given.shape[:array.ndim] = array.shape
        self.kept.append(array)
        check(library.sdfg_args_array(self._handle, key, ctypes.byref(given)))

    def _give_device(self, name, key, argument, memory):
        if argument.written and not memory.writable:
            raise ValueError(f"argument '{name}' is written by the program, but the array is read-only")
        expected = DTYPES[argument.dtype] if argument.dtype < RECORD else ""
        dtype = argument.dtype if memory.dtype == _BITS.get(expected) else \
            _DTYPE_BY_NAME.get(memory.dtype, 0)
        if not dtype:
            raise TypeError(f"argument '{name}': elements of type {memory.dtype} have no counterpart in SDFGs")
        rank = len(memory.shape)
        if rank > MAX_RANK:
            raise ValueError(f"argument '{name}' has more than {MAX_RANK} dimensions")
        strides = None if memory.strides is None else SIZES(*memory.strides)
        given = Array(struct_size=ctypes.sizeof(Array), data=memory.address, dtype=dtype, rank=rank, strides=strides,
                      device=Device(memory.kind, memory.index))
        given.shape[:rank] = memory.shape
        self.kept.append(memory)
        check(library.sdfg_args_array(self._handle, key, ctypes.byref(given)))
        if memory.stream is not None:
            check(library.sdfg_args_after(self._handle, memory.stream))

    def _structure(self, name, key, argument, value):
        """Its members from a mapping or the attributes of an object."""
        if self._address(key, value):
            return
        for i in range(argument.num_members):
            member = Argument(struct_size=ctypes.sizeof(Argument))
            library.sdfg_program_member(self.program._handle, key, i, ctypes.byref(member))
            part = member.name.decode()
            if isinstance(value, dict):
                if part in value:
                    self.give(f"{name}.{part}", value[part])
            elif hasattr(value, part):
                self.give(f"{name}.{part}", getattr(value, part))

    # ---- values ----

    def _value(self, name, key, argument, value):
        h = self._handle
        if argument.type.startswith(b"callback(") and callable(value) and not isinstance(value, ctypes._CFuncPtr):
            self._address(key, self.calls.make(name, self.program.callback_type(name), value))
        elif argument.type == b"pyobject":
            if not self._address(key, value):
                self.kept.append(value)
                check(library.sdfg_args_pointer(h, key, id(value)))
        elif isinstance(value, str):
            check(library.sdfg_args_string(h, key, value.encode()))
        elif isinstance(value, (numpy.generic, numpy.ndarray)) and value.size == 1 and value.dtype.name in _DTYPE_BY_NAME:
            copy = numpy.array(value).reshape(1)
            check(library.sdfg_args_scalar(h, key, _DTYPE_BY_NAME[copy.dtype.name], copy.ctypes.data))
        elif isinstance(value, (bool, numbers.Integral)):
            number = int(value)
            if -(1 << 63) <= number < 1 << 63:
                check(library.sdfg_args_i64(h, key, number))
            elif 0 <= number < 1 << 64:
                copy = ctypes.c_uint64(number)
                check(library.sdfg_args_scalar(h, key, _DTYPE_BY_NAME["uint64"], ctypes.addressof(copy)))
            else:
                raise OverflowError(f"argument '{name}': {number} does not fit into 64 bits")
        elif isinstance(value, numbers.Real):
            check(library.sdfg_args_f64(h, key, float(value)))
        elif isinstance(value, numbers.Complex):
            check(library.sdfg_args_complex(h, key, value.real, value.imag))
        elif not self._address(key, value):
            raise TypeError(f"argument '{name}' is a single value, not {type(value).__name__}")

    def finish(self):
        """All is given: the arrays that callbacks see get their sizes."""
        if not self.calls.callbacks:
            return
        check(library.sdfg_args_solve(self._handle))

        def symbol(name):
            value = self.value(name)
            if value is None:
                raise ValueError(f"'{name}' has no value before the call")
            return value

        self.calls.resolve(symbol, numpy_type)

    # ---- results ----

    def value(self, name):
        number = ctypes.c_int64()
        known = library.sdfg_args_value(self._handle, name.encode(), ctypes.byref(number))
        return number.value if known else None

    def allocate(self, name, number=False):
        """A fresh array of zeros with the layout of an argument under the symbols that are known: of the package of the first argument on a device, if
        there is one and the result is not a single number."""
        argument = self.lookup(name)
        rank, elements = ctypes.c_int(), ctypes.c_int64()
        shape, strides = SIZES(), SIZES()
        check(library.sdfg_args_layout(self._handle, name.encode(), ctypes.byref(rank), shape, strides,
                                       ctypes.byref(elements)))
        if not 0 < argument.dtype < RECORD:
            raise TypeError(f"result '{name}' has elements of type {argument.type.decode()}; pass an array for it")
        dtype, lanes, r = numpy_type(DTYPES[argument.dtype]), argument.lanes, rank.value
        if self.on_device is not None and not number and lanes <= 1 and _in_order(shape[:r], strides[:r]):
            made = _device.zeros_like(self.on_device, tuple(shape[:r]), dtype)
            if made is not None:
                return made
        memory = numpy.zeros(max(elements.value * lanes, 1), dtype)
        sizes = list(shape[:r]) + ([lanes] if lanes > 1 else [])
        steps = [s * lanes * dtype.itemsize for s in strides[:r]] + ([dtype.itemsize] if lanes > 1 else [])
        return numpy.ndarray(sizes, dtype, memory, strides=steps)
