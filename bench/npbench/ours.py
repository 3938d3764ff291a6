"""As much of the C API as the benchmark needs, through ctypes."""
import ctypes
import pathlib

DTYPES = {"bool": 1, "int8": 2, "int16": 3, "int32": 4, "int64": 5, "uint8": 6, "uint16": 7, "uint32": 8, "uint64": 9,
          "float32": 14, "float64": 15, "complex64": 16, "complex128": 17}


class Array(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("data", ctypes.c_void_p), ("dtype", ctypes.c_int), ("rank", ctypes.c_int),
                ("shape", ctypes.c_int64 * 32), ("strides", ctypes.c_void_p), ("item_bytes", ctypes.c_size_t), ("device", ctypes.c_int * 2)]


class Argument(ctypes.Structure):
    """The head of sdfg_argument."""
    _fields_ = [("struct_size", ctypes.c_size_t), ("name", ctypes.c_char_p), ("kind", ctypes.c_int), ("dtype", ctypes.c_int)]


class Options(ctypes.Structure):
    """The head of sdfg_options; `rest` is as large as what follows may grow."""
    _fields_ = [("struct_size", ctypes.c_size_t), ("opt_level", ctypes.c_int), ("num_threads", ctypes.c_int),
                ("fp", ctypes.c_int), ("rest", ctypes.c_char * 1024)]


FP = ["default", "strict", "fast"]


class Program:
    """A program and one set of arguments; `fp`: which arithmetic, of FP."""

    def __init__(self, library, file, threads, fp="default"):
        self.lib = ctypes.CDLL(str(pathlib.Path(library).resolve()))
        self.lib.sdfg_error_text.restype = ctypes.c_char_p
        options = Options()
        self.lib.sdfg_options_init(ctypes.byref(options), ctypes.c_size_t(ctypes.sizeof(options)))
        options.num_threads, options.fp = threads, FP.index(fp)
        self.engine, self.program, self.args = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        self.check(self.lib.sdfg_engine_new, ctypes.byref(self.engine), ctypes.byref(options))
        self.check(self.lib.sdfg_program_load_file, ctypes.byref(self.program), self.engine, str(file).encode())
        self.check(self.lib.sdfg_args_new, ctypes.byref(self.args), self.program)

    def check(self, function, *args):
        function.restype = ctypes.c_void_p
        error = function(*args)
        if error:
            raise RuntimeError(self.lib.sdfg_error_text(ctypes.c_void_p(error)).decode())

    def give(self, name, value):
        """A number, or an array in C order, which must stay where it is."""
        if hasattr(value, "ctypes") and value.ndim:
            array = Array(ctypes.sizeof(Array), value.ctypes.data, DTYPES[value.dtype.name], value.ndim)
            array.shape[:value.ndim] = value.shape
            self.check(self.lib.sdfg_args_array, self.args, name.encode(), ctypes.byref(array))
        elif isinstance(value, int):
            self.check(self.lib.sdfg_args_i64, self.args, name.encode(), ctypes.c_int64(value))
        else:
            self.check(self.lib.sdfg_args_f64, self.args, name.encode(), ctypes.c_double(value))

    def shape(self, name):
        rank, shape, strides, elements = ctypes.c_int(), (ctypes.c_int64 * 32)(), (ctypes.c_int64 * 32)(), ctypes.c_int64()
        self.check(self.lib.sdfg_args_solve, self.args)
        self.check(self.lib.sdfg_args_layout, self.args, name.encode(), ctypes.byref(rank), shape, strides,
                   ctypes.byref(elements))
        return tuple(shape[:rank.value])

    def dtype(self, name):
        """Of an argument's elements."""
        out = Argument(ctypes.sizeof(Argument))
        self.lib.sdfg_program_find_argument.restype = ctypes.c_ssize_t
        index = self.lib.sdfg_program_find_argument(self.program, name.encode())
        self.lib.sdfg_program_argument(self.program, ctypes.c_size_t(index), ctypes.byref(out))
        return next(name for name, number in DTYPES.items() if number == out.dtype)

    def value(self, name):
        """Of a symbol that was given or solved, else None."""
        out = ctypes.c_int64()
        self.lib.sdfg_args_value.restype = ctypes.c_bool
        return out.value if self.lib.sdfg_args_value(self.args, name.encode(), ctypes.byref(out)) else None

    def bind(self):
        """A function without arguments that runs the program."""
        bound = ctypes.c_void_p()
        self.check(self.lib.sdfg_bind, ctypes.byref(bound), self.program, self.args)
        call = self.lib.sdfg_bound_call
        call.restype = ctypes.c_void_p

        def run():
            error = call(bound)
            if error:
                raise RuntimeError(self.lib.sdfg_error_text(ctypes.c_void_p(error)).decode())
        return run
