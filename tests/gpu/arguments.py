"""Arrays of other packages that lie on a GPU, for which the stand-in of the driver is: classes with the interfaces of CuPy, PyTorch and
JAX that hold its memory. Argument: the folder of examples."""
import ctypes
import itertools
import os
import pathlib
import sys
import unittest
import weakref

import numpy

import sdfg

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
CUDA = 2
if not os.environ.get("SDFG_CUDA"):
    sys.exit(77)
driver = ctypes.CDLL(os.environ["SDFG_CUDA"])


def drive(name, *arguments):
    result = getattr(driver, name)(*arguments)
    assert result == 0, (name, result)


context = ctypes.c_void_p()
drive("cuInit", 0)
drive("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
drive("cuCtxPushCurrent_v2", context)
driver.standin_bytes.restype = ctypes.c_long


def moved():
    return driver.standin_bytes(0) + driver.standin_bytes(1)


class Memory:
    """An array on the device."""

    def __init__(self, array, stream=None, writable=True):
        array = numpy.asarray(array)
        self.shape, self.dtype, self.stream, self.writable = array.shape, array.dtype, stream, writable
        self.address = ctypes.c_uint64()
        drive("cuMemAlloc_v2", ctypes.byref(self.address), ctypes.c_size_t(max(array.nbytes, 1)))
        drive("cuMemcpyHtoDAsync_v2", self.address, ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes), None)
        drive("cuStreamSynchronize", None)

    def get(self):
        out = numpy.empty(self.shape, self.dtype)
        drive("cuMemcpyDtoHAsync_v2", ctypes.c_void_p(out.ctypes.data), self.address, ctypes.c_size_t(out.nbytes), None)
        drive("cuStreamSynchronize", None)
        return out


class Interface(Memory):
    """As CuPy and Numba have it."""

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self.address.value, not self.writable), "strides": None,
                "stream": self.stream, "version": 3}


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("rank", ctypes.c_int32), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64)]


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Versioned(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32 * 2), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64),
                ("tensor", Tensor)]


capsule_of = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(("PyCapsule_New", ctypes.pythonapi))
CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}


class Dlpack(Memory):
    """As PyTorch and JAX have it."""
    version = (1, 0)
    index = 0

    def __dlpack_device__(self):
        return CUDA, self.index

    def __dlpack__(self, *, stream=None, **more):
        if more and not self.version:
            raise TypeError("unexpected keyword")
        self.asked = stream
        self.sizes = (ctypes.c_int64 * len(self.shape))(*self.shape)
        tensor = Tensor(self.address.value - 8, (ctypes.c_int32 * 2)(CUDA, self.index), len(self.shape), CODES[self.dtype.kind],
                        8 * self.dtype.itemsize, 1, self.sizes, None, 8)
        if not self.version:
            self.memory = Managed(tensor)
            return capsule_of(ctypes.addressof(self.memory), b"dltensor", None)
        self.memory = Versioned((ctypes.c_uint32 * 2)(*self.version), None, None, not self.writable, tensor)
        return capsule_of(ctypes.addressof(self.memory), b"dltensor_versioned", None)


class Old(Dlpack):
    version = None


class Standard(Dlpack):
    """As CuPy has it: with the functions of the array API."""
    device = "cuda:0"

    def __array_namespace__(self):
        return type(self)

    @classmethod
    def zeros(cls, shape, *, dtype, device):
        assert device == cls.device
        return cls(numpy.zeros(shape, dtype))


Standard.float64 = "float64"


class Fixed(Standard):
    """As JAX has it: arrays are not written in place."""

    def __init__(self, array):
        super().__init__(array, writable=False)


class Package:
    """What the module asks CuPy and PyTorch for, without a protocol: their current stream, and arrays of zeros."""
    strided, used = "strided", 0

    class cuda:
        @staticmethod
        def get_current_stream():
            return Package.stream

        @staticmethod
        def current_stream(device):
            return Package.stream

    @staticmethod
    def zeros(shape, dtype, device=None):
        return (Tensors if device else Arrays)(numpy.zeros(shape, dtype))


class Stream:
    ptr = cuda_stream = 0


class Place:
    """Of an array of both packages."""
    type, id, index = "cuda", 0, 0

    def __enter__(self):
        Package.used += 1

    def __exit__(self, *_):
        pass


class Direct(Memory):
    device, layout, requires_grad = Place(), Package.strided, False

    def is_conj(self):
        return False

    is_neg = is_conj

    @property
    def __cuda_array_interface__(self):
        raise AssertionError("another way is shorter")


class Arrays(Direct):
    @property
    def data(self):
        class data:
            ptr = self.address.value
        return data

    strides = property(lambda self: numpy.empty(self.shape, self.dtype).strides)


class Tensors(Direct):
    def data_ptr(self):
        return self.address.value

    def stride(self):
        return tuple(step // self.dtype.itemsize for step in numpy.empty(self.shape, self.dtype).strides)


Package.stream, Package.float64 = Stream, numpy.dtype("float64")
Arrays.__module__, Arrays.__name__, Tensors.__module__, Tensors.__name__ = "cupy", "ndarray", "torch", "Tensor"
sys.modules.update(cupy=Package, torch=Package)


class Turned(Interface):
    """Columns and rows exchanged, in place."""

    @property
    def __cuda_array_interface__(self):
        rows, columns = self.shape
        return super().__cuda_array_interface__ | {"shape": (columns, rows), "strides": (8, 8 * columns)}


N = sdfg.symbol("N")


def axpy_of_types(alpha: sdfg.float64, X: sdfg.float64[N], Y: sdfg.float64[N]):
    for i in sdfg.map[0:N]:
        Y[i] = alpha * X[i] + Y[i]


def axpy_of_values(alpha, X, Y):
    Y[:] = alpha * X + Y


def sums(X):
    return X + X, X.sum(), X > 1


class Arguments(unittest.TestCase):
    def setUp(self):
        self.axpy = sdfg.Program(EXAMPLES / "axpy.sdfg", engine=sdfg.Engine(device="cuda", cache_dir=None))

    def test_in_place(self):
        for kind in Interface, Dlpack, Old, Arrays, Tensors:
            with self.subTest(kind=kind.__name__):
                x, y = kind(numpy.arange(100.0)), kind(numpy.ones(100))
                before = moved()
                self.axpy(alpha=2.0, X=x, Y=y)
                self.assertEqual(moved(), before)
                self.assertEqual(y.get().tolist(), (2 * numpy.arange(100.0) + 1).tolist())
                if kind in (Dlpack, Old):
                    self.assertEqual(x.asked, 1)

    def test_mixed_and_bound(self):
        x, y = numpy.arange(100.0), Dlpack(numpy.ones(100))
        bound = self.axpy.bind(alpha=2.0, X=x, Y=y)
        bound()
        bound()
        self.assertEqual(y.get().tolist(), (4 * x + 1).tolist())

    def test_behind_a_stream(self):
        stream = ctypes.c_void_p()
        drive("cuStreamCreate", ctypes.byref(stream), 1)
        for kind in Interface, Arrays, Tensors:
            x, y, values = kind(numpy.zeros(100), stream=stream.value), kind(numpy.ones(100)), numpy.arange(100.0)
            drive("cuMemcpyHtoDAsync_v2", x.address, ctypes.c_void_p(values.ctypes.data), ctypes.c_size_t(values.nbytes), stream)
            Stream.ptr = Stream.cuda_stream = stream.value
            self.axpy(alpha=2.0, X=x, Y=y)
            Stream.ptr = Stream.cuda_stream = 0
            self.assertEqual(y.get().tolist(), (2 * values + 1).tolist())

    def test_calls_that_go_on(self):
        class Stream: # as CuPy has it
            ptr = None

        stream, values = ctypes.c_void_p(), numpy.arange(100.0)
        drive("cuStreamCreate", ctypes.byref(stream), 1)
        Stream.ptr = stream.value
        x, y = Dlpack(values), Dlpack(numpy.ones(100))
        queue = self.axpy.on(Stream)
        first = queue(alpha=2.0, X=x, Y=y)
        self.assertEqual(y.get().tolist(), [1.0] * 100)
        second = self.axpy.bind(alpha=2.0, X=x, Y=y).on(stream.value)()
        self.assertIsNone(second.wait())
        self.assertTrue(first.done)
        self.assertEqual(y.get().tolist(), (4 * values + 1).tolist())
        pending = self.axpy.on()(alpha=2.0, X=x, Y=y)
        while not pending.done:
            pass
        with self.assertRaises(TypeError):
            self.axpy.on("stream")
        with self.assertRaisesRegex(sdfg.Error, "float64"):
            queue(alpha=2.0, X=numpy.ones(100, int), Y=y)

    def test_what_does_not_fit(self):
        x, y = Interface(numpy.arange(100.0)), Interface(numpy.ones(100))
        with self.assertRaisesRegex(ValueError, "read-only"):
            self.axpy(alpha=2.0, X=x, Y=Interface(numpy.ones(100), writable=False))
        with self.assertRaisesRegex(ValueError, "read-only"):
            self.axpy(alpha=2.0, X=x, Y=Dlpack(numpy.ones(100), writable=False))
        self.axpy(alpha=2.0, X=Dlpack(numpy.arange(100.0), writable=False), Y=y) # X is only read
        with self.assertRaisesRegex(sdfg.Error, "float64.*float32"):
            self.axpy(alpha=2.0, X=Interface(numpy.ones(100, numpy.float32)), Y=y)
        with self.assertRaisesRegex(TypeError, "no counterpart"):
            self.axpy(alpha=2.0, X=Interface(numpy.ones(100, ">f8")), Y=y)
        with self.assertRaisesRegex(BufferError, "DLPack 2"):
            new = Dlpack(numpy.ones(100))
            new.version = (2, 0)
            self.axpy(alpha=2.0, X=new, Y=y)
        with self.assertRaisesRegex(sdfg.Error, "CUDA device 3, but its address is in CUDA device 0"):
            far = Dlpack(numpy.ones(100))
            far.index = 3
            self.axpy(alpha=2.0, X=far, Y=y)

    def test_functions(self):
        engine = sdfg.Engine(device="cuda", cache_dir=None)
        typed = sdfg.program(axpy_of_types, engine=engine)
        plain = sdfg.program(axpy_of_values, engine=engine)
        values = numpy.arange(60.0)
        for f, kind in itertools.product((typed, plain), (Interface, Dlpack, Old, Arrays, Tensors)):
            with self.subTest(program=f.__name__, kind=kind.__name__):
                x, y = kind(values), kind(numpy.ones(60))
                before = moved()
                for _ in range(2):
                    f(2.0, x, y)
                self.assertEqual(moved(), before)
                self.assertEqual(y.get().tolist(), (4 * values + 1).tolist())
        for kind, n in itertools.product((Arrays, Tensors), (60, 61, 3)): # what the calls before have prepared
            x, y, expected = numpy.arange(float(n)), numpy.ones(n), 2 * numpy.arange(float(n)) + 1
            for first in kind(x), x, kind(x.astype(numpy.float32)), kind(x):
                second = kind(y)
                plain(2.0, first, second)
                self.assertEqual(second.get().tolist(), expected.tolist())
            with self.assertRaises(sdfg.Error):
                plain(2.0, kind(x), kind(numpy.ones(n + 2)))
        matrix = numpy.arange(12.0).reshape(3, 4)
        turned, result = Turned(matrix), Dlpack(numpy.zeros((4, 3)))
        plain(1.0, turned, result)
        self.assertEqual(result.get().tolist(), matrix.T.tolist())
        plain(1.0, Dlpack(numpy.zeros((4, 3), numpy.float32)), result) # another variant
        with self.assertRaisesRegex(TypeError, "a single value is expected, not an array"):
            typed(Dlpack(values), x, y)

    def test_results(self):
        f = sdfg.program(sums, engine=sdfg.Engine(device="cuda", cache_dir=None))
        values = numpy.arange(6.0)
        for kind, expected in (Standard, Standard), (Fixed, numpy.ndarray), (Interface, numpy.ndarray), (Arrays, Arrays), (Tensors, Tensors):
            with self.subTest(kind=kind.__name__):
                for _ in range(2):
                    doubled, total, large = f(kind(values))
                    self.assertIs(type(doubled), expected)
                    self.assertEqual((doubled if expected is numpy.ndarray else doubled.get()).tolist(), (2 * values).tolist())
                    self.assertEqual((type(total), total), (numpy.float64, 15))
                    if kind is not Arrays: # has all types
                        self.assertIs(type(large), numpy.ndarray) # no such elements there
                    self.assertEqual((large.get() if kind is Arrays else large).tolist(), (values > 1).tolist())
                bound = f.bind(kind(values))
                self.assertIs(type(bound()[0]), expected)
                del bound
        given = Arrays(values)
        made = f(given)[0]
        alive = weakref.ref(made), weakref.ref(given)
        del made, given
        self.assertEqual([array() for array in alive], [None, None]) # nothing keeps them for the next call

    def test_checked_mode(self):
        text = (EXAMPLES / "histogram.sdfg").read_text().replace("max(0, min(15, int(16 * pixel)))", "int(16 * pixel)")
        program = sdfg.Program(text, engine=sdfg.Engine(device="cuda", check=True, cache_dir=None))
        image, histogram = numpy.zeros((4, 8)), Interface(numpy.zeros(16, numpy.int64))
        program(image=Dlpack(image), histogram=histogram)
        self.assertEqual(histogram.get()[0], 32)
        image[2, 5] = 2
        with self.assertRaises(sdfg.FaultError) as caught:
            program(image=Dlpack(image), histogram=histogram)
        self.assertEqual(caught.exception.code, "CHECK_BOUNDS")
        self.assertRegex(str(caught.exception), r"\[32\] of extents \[16\], in kernel \w+, block \(0, 0, 0\), thread \(2, 0, 0\)")

    def test_on_the_cpu(self):
        axpy = sdfg.Program(EXAMPLES / "axpy.sdfg", engine=sdfg.Engine(device="cpu", cache_dir=None))
        y = numpy.ones(10)
        axpy.on()(alpha=2.0, X=numpy.ones(10), Y=y).wait()
        self.assertEqual(y.tolist(), [3.0] * 10)
        with self.assertRaisesRegex(sdfg.Error, "programs run on the CPU"):
            axpy.on(1)(alpha=2.0, X=y, Y=y)
        with self.assertRaisesRegex(sdfg.Error, "'X' is memory of a CUDA device, and programs run on the CPU"):
            axpy(alpha=2.0, X=Interface(numpy.ones(10)), Y=numpy.ones(10))


if __name__ == "__main__":
    unittest.main()
