"""Arrays of other packages (CuPy, PyTorch, JAX, Numba) in memory of a GPU, through the interfaces that these share: DLPack and
__cuda_array_interface__. Nothing of CUDA is imported."""

import ctypes
import sys
from typing import Any, Dict

import numpy

CUDA, MANAGED = 2, 13 # DLDeviceType; enum sdfg_device_kind
_LEGACY = 1           # the stream that producers of DLPack are told, in both interfaces
_INTERFACE = "__cuda_array_interface__"


class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("kind", ctypes.c_int32), ("index", ctypes.c_int32), ("rank", ctypes.c_int32), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64)]


class _Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
                ("flags", ctypes.c_uint64), ("tensor", _Tensor)]


_pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))
_has_name = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_IsValid", ctypes.pythonapi))
_CODES = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 5: "complex", 6: "bool"}


class Memory:
    """An array on a device: `dtype` is the name of its elements' type, strides count elements (None: C order), `stream` is the one
    whose work so far it depends on, or None."""

    def __init__(self, address, dtype, shape, strides, kind, index, writable, stream, owner):
        self.address, self.dtype, self.shape, self.strides = address, dtype, shape, strides
        self.kind, self.index, self.writable, self.stream, self.owner = kind, index, writable, stream, owner


def _of_dlpack(value, kind, index):
    try:
        capsule = value.__dlpack__(stream=_LEGACY, max_version=(1, 0))
    except TypeError: # of before the versions
        capsule = value.__dlpack__(stream=_LEGACY)
    writable = True
    if _has_name(capsule, b"dltensor_versioned"):
        versioned = _Versioned.from_address(_pointer_of(capsule, b"dltensor_versioned"))
        if versioned.major != 1:
            raise BufferError(f"an array in the form of DLPack {versioned.major} was given, and that of version 1 is expected")
        tensor, writable = versioned.tensor, not versioned.flags & 1
    else:
        tensor = _Tensor.from_address(_pointer_of(capsule, b"dltensor"))
    shape = tuple(tensor.shape[:tensor.rank])
    strides = tuple(tensor.strides[:tensor.rank]) if tensor.strides else None
    name = _CODES.get(tensor.code, f"code {tensor.code} of DLPack, ")
    dtype = "bool" if name == "bool" else f"{name}{tensor.bits}" + (f" x {tensor.lanes}" if tensor.lanes != 1 else "")
    return Memory((tensor.data or 0) + tensor.offset, dtype, shape, strides, kind, index, writable, _LEGACY, capsule)


def _of_interface(value, interface):
    dtype = numpy.dtype(interface["typestr"])
    address, readonly = interface["data"]
    shape, steps = tuple(interface["shape"]), interface.get("strides")
    if steps is not None and any(step % dtype.itemsize for step in steps):
        raise ValueError("its strides are no multiples of its elements")
    if interface.get("mask") is not None:
        raise TypeError("arrays with a mask have no counterpart in SDFGs")
    strides = None if steps is None else tuple(step // dtype.itemsize for step in steps)
    return Memory(address or 0, _name_of(dtype), shape, strides, CUDA, -1, not readonly, interface.get("stream"), value)


# ---- without a protocol, whose objects take tens of microseconds to make ----

_names: Dict[Any, str] = {} # of element types, by what the packages call them


def _name_of(dtype):
    name = _names.get(dtype)
    if name is None:
        name = _names[dtype] = str(dtype).rpartition(".")[2] if type(dtype).__module__ == "torch" else dtype.name if dtype.isnative else str(dtype)
    return name


def _of_torch(value):
    if value.device.type != "cuda" or value.layout is not sys.modules["torch"].strided or value.requires_grad or value.is_conj() or value.is_neg():
        return None # DLPack has the answer or the error
    stream = sys.modules["torch"].cuda.current_stream(value.device).cuda_stream
    return Memory(value.data_ptr(), _name_of(value.dtype), tuple(value.shape), value.stride(), CUDA, value.device.index, True, stream or _LEGACY, value)


def _of_cupy(value):
    size = value.dtype.itemsize
    if any(step % size for step in value.strides):
        return None
    stream = sys.modules["cupy"].cuda.get_current_stream().ptr
    return Memory(value.data.ptr, _name_of(value.dtype), value.shape, tuple([step // size for step in value.strides]), CUDA, value.device.id, True,
                  stream or _LEGACY, value)


_QUICK = {("torch", "Tensor"): _of_torch, ("cupy", "ndarray"): _of_cupy}
_quick_of: Dict[type, Any] = {} # by class
_missing = object()


def is_device(value):
    """An array with DLPack's interface on a GPU."""
    return hasattr(value, "__dlpack_device__") and int(value.__dlpack_device__()[0]) in (CUDA, MANAGED)


def layout_of(value):
    """Name of the elements' type, shape, and steps in elements (None: C order) of an array on a device; None if it is something else."""
    memory = memory_of(value)
    if memory is None:
        return None
    packed, step = True, 1
    for n, found in zip(reversed(memory.shape), reversed(memory.strides or ())):
        packed, step = packed and (found == step or n < 2), step * n
    return memory.dtype, memory.shape, None if packed else memory.strides


def is_quick(kind):
    """A class whose arrays quick_memory_of knows."""
    found = _quick_of.get(kind, _missing)
    if found is _missing:
        found = _quick_of[kind] = _QUICK.get((kind.__module__.partition(".")[0], kind.__name__))
    return found is not None


def quick_memory_of(value):
    """The memory of an array of CuPy or PyTorch on a device; None: memory_of knows."""
    kind = type(value)
    return _quick_of[kind](value) if is_quick(kind) else None


def numpy_of(dtype):
    """NumPy's type for an element type of a package."""
    return dtype if isinstance(dtype, numpy.dtype) else numpy.dtype(_name_of(dtype))


def memory_of(value):
    """The memory of an array on a device; None if it is something else."""
    if isinstance(value, (numpy.ndarray, int, float)):
        return None
    found = quick_memory_of(value)
    if found is not None:
        return found
    if hasattr(value, "__dlpack_device__") and hasattr(value, "__dlpack__"):
        kind, index = value.__dlpack_device__()
        return _of_dlpack(value, int(kind), index) if int(kind) in (CUDA, MANAGED) else None
    interface = getattr(value, _INTERFACE, None)
    return _of_interface(value, interface) if isinstance(interface, dict) else None


def zeros_like(value, shape, dtype):
    """An array of zeros in C order on the device of `value` by the package that `value` is of: CuPy, PyTorch, or the one that its array API names. None
    if the package has no such elements, or its arrays cannot be written in place."""
    name = type(value).__module__.partition(".")[0]
    if name == "cupy":
        with value.device:
            return sys.modules[name].zeros(shape, dtype)
    package = sys.modules.get("torch") if name == "torch" else value.__array_namespace__() if hasattr(value, "__array_namespace__") else None
    kind = getattr(package, dtype.name, None)
    if kind is None:
        return None
    made = package.zeros(shape, dtype=kind, device=value.device)
    memory = memory_of(made)
    return made if memory is not None and memory.writable else None
