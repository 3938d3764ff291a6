"""The C interface (engine/include/sdfg.h) as ctypes sees it. A test compares the structures with the header."""

import ctypes
import os
import pathlib
from ctypes import CFUNCTYPE, POINTER, c_bool, c_char_p, c_double, c_int, c_int64, c_size_t, c_ssize_t, c_uint, c_uint32, c_uint64, c_void_p

MAX_RANK = 32
DTYPES = ("", "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16",
          "float8_e4m3fn", "float8_e5m2", "float32", "float64", "complex64", "complex128")
RECORD = 18
KINDS = ("array", "scalar", "symbol", "structure", "container array", "other", "stream")
CLASSES = ("invalid", "unsupported", "environment", "bug")


# ctypes forgets types of arrays that nobody has, and to make one takes 40 us.
SIZES = c_int64 * MAX_RANK
_FEW_TEXTS = c_char_p * 8


def texts(values):
    """An array of C strings, None for NULL."""
    return (_FEW_TEXTS if len(values) <= 8 else c_char_p * len(values))(*values)


class Message(ctypes.Structure):
    header = "sdfg_message"
    _fields_ = [("struct_size", c_size_t), ("class_id", c_int), ("warning", c_bool), ("code", c_char_p), ("text", c_char_p), ("path", c_char_p),
                ("source", c_char_p), ("excerpt", c_char_p)]


class ListRow(ctypes.Structure):
    header = "sdfg_list_row"
    _fields_ = [("struct_size", c_size_t), ("name", c_char_p), ("text", c_char_p), ("unusable", c_char_p), ("num_values", c_size_t),
                ("names", POINTER(c_char_p)), ("values", POINTER(c_char_p))]


class Limits(ctypes.Structure):
    header = "sdfg_limits"
    _fields_ = [("struct_size", c_size_t), ("file_bytes", c_uint64), ("text_bytes", c_uint64)]


class Options(ctypes.Structure):
    header = "sdfg_options"
    _fields_ = [("struct_size", c_size_t), ("opt_level", c_int), ("num_threads", c_int), ("fp", c_int),
                ("tier", c_int), ("linker", c_int), ("external_files", c_int), ("specialize", c_char_p),
                ("device", c_char_p), ("codegen", c_char_p), ("limits", POINTER(Limits)), ("cache_dir", c_char_p),
                ("cache_bytes", c_uint64), ("cache_days", c_uint), ("check", c_uint), ("memory_bytes", c_uint64),
                ("debug_info", c_bool), ("profiler", c_bool), ("debug", c_char_p), ("dump_dir", c_char_p),
                ("dump_after", c_char_p), ("dump", c_void_p), ("dump_user", c_void_p), ("allocate", c_void_p),
                ("release", c_void_p), ("allocator_user", c_void_p), ("event", c_void_p), ("event_user", c_void_p),
                ("fault", c_void_p), ("fault_user", c_void_p), ("timing", c_void_p), ("timing_user", c_void_p),
                ("save_data", c_char_p), ("restore_data", c_char_p), ("arch", c_int),
                ("python", c_char_p), ("plugins", c_char_p), ("passes", c_char_p), ("instrument", c_uint), ("instrument_with", c_char_p),
                ("tune_seconds", c_double)]


class Argument(ctypes.Structure):
    header = "sdfg_argument"
    _fields_ = [("struct_size", c_size_t), ("name", c_char_p), ("kind", c_int), ("dtype", c_int), ("type", c_char_p),
                ("lanes", c_int), ("rank", c_int), ("shape", POINTER(c_char_p)), ("strides", POINTER(c_char_p)),
                ("total_size", c_char_p), ("storage", c_char_p), ("lifetime", c_char_p), ("transient", c_bool),
                ("optional", c_bool), ("returned", c_bool), ("written", c_bool), ("solvable", c_bool),
                ("num_members", c_size_t), ("bytes", c_size_t), ("offset", c_ssize_t)]


class Device(ctypes.Structure):
    header = "sdfg_device"
    _fields_ = [("kind", c_int), ("index", c_int)]


class Array(ctypes.Structure):
    header = "sdfg_array"
    _fields_ = [("struct_size", c_size_t), ("data", c_void_p), ("dtype", c_int), ("rank", c_int),
                ("shape", c_int64 * MAX_RANK), ("strides", POINTER(c_int64)), ("item_bytes", c_size_t), ("device", Device)]


class CudaStream(ctypes.Structure):
    header = "sdfg_cuda_stream"
    _fields_ = [("struct_size", c_size_t), ("context", c_void_p), ("stream", c_void_p)]


class Symbol(ctypes.Structure):
    header = "sdfg_symbol"
    _fields_ = [("name", c_char_p), ("value", c_int64)]


class Export(ctypes.Structure):
    header = "sdfg_export"
    _fields_ = [("struct_size", c_size_t), ("form", c_int), ("target", c_char_p), ("cpu", c_char_p),
                ("features", c_char_p), ("symbols", POINTER(Symbol)), ("num_symbols", c_size_t),
                ("optional", POINTER(c_char_p)), ("num_optional", c_size_t)]


class Object(ctypes.Structure):
    header = "sdfg_object"
    _fields_ = [("struct_size", c_size_t), ("kind", c_int), ("weak", c_bool), ("transient", c_bool), ("id", c_uint64), ("integer", c_int64),
                ("real", c_double), ("imaginary", c_double), ("text", c_char_p), ("type", c_char_p), ("rank", c_size_t),
                ("shape", POINTER(c_char_p)), ("strides", POINTER(c_char_p)), ("count", c_size_t), ("self", c_uint64), ("items", c_void_p)]


class Source(ctypes.Structure):
    header = "sdfg_source"
    _fields_ = [("struct_size", c_size_t), ("path", c_char_p), ("text", c_char_p), ("size", c_size_t), ("first_line", c_uint),
                ("name", c_char_p), ("dace", c_bool), ("strict", c_bool), ("unroll", c_uint32)]


class CallSite(ctypes.Structure):
    header = "sdfg_site"
    _fields_ = [("struct_size", c_size_t), ("object", c_uint64), ("self", c_uint64), ("argument", c_char_p), ("path", c_char_p),
                ("why", c_char_p), ("file", c_char_p), ("line", c_uint), ("arguments", POINTER(Object)), ("count", c_size_t),
                ("names", POINTER(c_char_p)), ("num_names", c_size_t), ("wanted", POINTER(Object)), ("manager", c_int64)]


class GraphAnswer(ctypes.Structure):
    header = "sdfg_graph_answer"
    _fields_ = [("struct_size", c_size_t), ("text", c_char_p), ("size", c_size_t), ("names", POINTER(c_char_p)),
                ("captured", POINTER(Object)), ("captured_names", POINTER(c_char_p)), ("captured_paths", POINTER(c_char_p)),
                ("num_captured", c_size_t), ("wrong", c_bool)]


class ObjectLayout(ctypes.Structure):
    header = "sdfg_object_layout"
    _fields_ = [("struct_size", c_size_t), ("type", c_size_t), ("array_type", c_void_p), ("data", c_size_t), ("rank", c_size_t),
                ("shape", c_size_t), ("strides", c_size_t), ("dtype", c_size_t), ("items", c_size_t), ("dtypes", POINTER(c_void_p)),
                ("num_dtypes", c_size_t), ("flags", c_size_t), ("writable", c_int)]


class Objects(ctypes.Structure):
    header = "sdfg_objects"
    _fields_ = [("struct_size", c_size_t), ("args", c_void_p), ("layout", POINTER(ObjectLayout)), ("names", POINTER(c_char_p)), ("count", c_size_t)]


class Trial(ctypes.Structure):
    header = "sdfg_trial"
    _fields_ = [("struct_size", c_size_t), ("change", c_char_p), ("ratio", c_double), ("low", c_double), ("high", c_double),
                ("adopted", c_bool), ("differs", c_bool)]


TRIAL_FUNCTION = CFUNCTYPE(None, c_void_p, POINTER(Trial))


class Tuning(ctypes.Structure):
    header = "sdfg_tuning"
    _fields_ = [("struct_size", c_size_t), ("seconds", c_double), ("trial", TRIAL_FUNCTION), ("user", c_void_p)]


class Tuned(ctypes.Structure):
    header = "sdfg_tuned"
    _fields_ = [("struct_size", c_size_t), ("passes", c_char_p), ("text", c_char_p), ("ratio", c_double), ("low", c_double),
                ("high", c_double), ("complete", c_bool)]


_object = POINTER(Object)
HOST_FUNCTIONS = {
    "source": CFUNCTYPE(c_bool, c_void_p, c_uint64, POINTER(Source)),
    "parameter": CFUNCTYPE(c_bool, c_void_p, c_char_p, _object),
    "lookup": CFUNCTYPE(c_bool, c_void_p, c_uint64, c_char_p, _object),
    "symbol": CFUNCTYPE(c_bool, c_void_p, c_char_p, _object),
    "attribute": CFUNCTYPE(c_bool, c_void_p, c_uint64, c_char_p, _object),
    "item": CFUNCTYPE(c_bool, c_void_p, c_uint64, _object, _object),
    "key": CFUNCTYPE(c_bool, c_void_p, c_uint64, c_size_t, _object),
    "call": CFUNCTYPE(c_bool, c_void_p, c_uint64, _object, c_size_t, POINTER(c_char_p), c_size_t, _object),
    "callback": CFUNCTYPE(c_bool, c_void_p, POINTER(CallSite), _object),
    "attempt": CFUNCTYPE(None, c_void_p, c_int),
    "typed": CFUNCTYPE(None, c_void_p, c_char_p, c_uint, c_char_p, c_char_p),
    "graph": CFUNCTYPE(c_bool, c_void_p, POINTER(CallSite), POINTER(GraphAnswer)),
}


class Host(ctypes.Structure):
    header = "sdfg_host"
    _fields_ = [("struct_size", c_size_t), ("user", c_void_p), ("source", HOST_FUNCTIONS["source"]),
                ("parameter", HOST_FUNCTIONS["parameter"]), ("lookup", HOST_FUNCTIONS["lookup"]), ("symbol", HOST_FUNCTIONS["symbol"]),
                ("attribute", HOST_FUNCTIONS["attribute"]), ("item", HOST_FUNCTIONS["item"]), ("key", HOST_FUNCTIONS["key"]),
                ("call", HOST_FUNCTIONS["call"]), ("callback", HOST_FUNCTIONS["callback"]),
                ("attempt", HOST_FUNCTIONS["attempt"]), ("typed", HOST_FUNCTIONS["typed"]), ("graph", HOST_FUNCTIONS["graph"])]


class Guard(ctypes.Structure):
    header = "sdfg_guard"
    _fields_ = [("struct_size", c_size_t), ("path", c_char_p), ("argument", c_char_p), ("kind", c_int), ("id", c_uint64),
                ("value", c_char_p)]


# Result and arguments of what the package calls.
_pointer = c_void_p  # to an object of the library
FUNCTIONS = {
    "sdfg_version": (c_char_p,),
    "sdfg_error_stage_of": (c_int, _pointer),
    "sdfg_error_class_of": (c_int, _pointer),
    "sdfg_error_code": (c_char_p, _pointer),
    "sdfg_error_path": (c_char_p, _pointer),
    "sdfg_error_count": (c_size_t, _pointer),
    "sdfg_error_get": (POINTER(Message), _pointer, c_size_t),
    "sdfg_error_text": (c_char_p, _pointer),
    "sdfg_error_free": (None, _pointer),
    "sdfg_check_by_name": (c_bool, c_char_p, POINTER(c_uint)),
    "sdfg_options_init": (None, POINTER(Options), c_size_t),
    "sdfg_engine_new": (_pointer, POINTER(_pointer), POINTER(Options)),
    "sdfg_engine_free": (None, _pointer),
    "sdfg_engine_wait": (None, _pointer),
    "sdfg_engine_phase": (c_char_p, _pointer),
    "sdfg_engine_backend": (_pointer, POINTER(c_char_p), _pointer),
    "sdfg_engine_list": (_pointer, POINTER(_pointer), _pointer, c_int),
    "sdfg_list_count": (c_size_t, _pointer),
    "sdfg_list_get": (POINTER(ListRow), _pointer, c_size_t),
    "sdfg_list_free": (None, _pointer),
    "sdfg_program_load": (_pointer, POINTER(_pointer), _pointer, c_char_p, c_size_t, c_char_p),
    "sdfg_program_load_file": (_pointer, POINTER(_pointer), _pointer, c_char_p),
    "sdfg_program_load_function": (_pointer, POINTER(_pointer), _pointer, c_uint64, POINTER(Host)),
    "sdfg_num_functions": (c_size_t,),
    "sdfg_function_name": (c_char_p, c_size_t),
    "sdfg_program_num_guards": (c_size_t, _pointer),
    "sdfg_program_guard": (c_bool, _pointer, c_size_t, POINTER(Guard)),
    "sdfg_program_num_results": (c_ssize_t, _pointer),
    "sdfg_program_result_is_number": (c_bool, _pointer, c_size_t),
    "sdfg_program_result_is_object": (c_bool, _pointer, c_size_t),
    "sdfg_call_async": (_pointer, POINTER(_pointer), _pointer, _pointer, POINTER(CudaStream)),
    "sdfg_bound_call_async": (_pointer, POINTER(_pointer), _pointer, POINTER(CudaStream)),
    "sdfg_pending_done": (c_bool, _pointer),
    "sdfg_pending_wait": (_pointer, _pointer),
    "sdfg_pending_free": (None, _pointer),
    "sdfg_args_after": (_pointer, _pointer, c_void_p),
    "sdfg_args_disjoint": (_pointer, _pointer),
    "sdfg_args_communicator": (_pointer, _pointer, c_int),
    "sdfg_program_free": (None, _pointer),
    "sdfg_dtype_size": (c_size_t, c_int),
    "sdfg_program_name": (c_char_p, _pointer),
    "sdfg_program_num_arguments": (c_size_t, _pointer),
    "sdfg_program_argument": (c_bool, _pointer, c_size_t, POINTER(Argument)),
    "sdfg_program_lookup": (c_bool, _pointer, c_char_p, POINTER(Argument)),
    "sdfg_program_member": (c_bool, _pointer, c_char_p, c_size_t, POINTER(Argument)),
    "sdfg_program_num_constraints": (c_size_t, _pointer),
    "sdfg_program_constraint": (c_char_p, _pointer, c_size_t),
    "sdfg_program_num_workspaces": (c_size_t, _pointer),
    "sdfg_program_workspace": (c_char_p, _pointer, c_size_t),
    "sdfg_program_warnings": (_pointer, _pointer),
    "sdfg_args_new": (_pointer, POINTER(_pointer), _pointer),
    "sdfg_args_free": (None, _pointer),
    "sdfg_args_array": (_pointer, _pointer, c_char_p, POINTER(Array)),
    "sdfg_args_objects": (_pointer, POINTER(c_size_t), _pointer, POINTER(ObjectLayout), POINTER(c_char_p), c_size_t,
                          ctypes.py_object),
    "sdfg_objects_ready": (c_bool, POINTER(Objects), ctypes.py_object),
    "sdfg_args_pointer": (_pointer, _pointer, c_char_p, c_void_p),
    "sdfg_args_null": (_pointer, _pointer, c_char_p),
    "sdfg_args_i64": (_pointer, _pointer, c_char_p, c_int64),
    "sdfg_args_f64": (_pointer, _pointer, c_char_p, c_double),
    "sdfg_args_complex": (_pointer, _pointer, c_char_p, c_double, c_double),
    "sdfg_args_scalar": (_pointer, _pointer, c_char_p, c_int, c_void_p),
    "sdfg_args_string": (_pointer, _pointer, c_char_p, c_char_p),
    "sdfg_args_workspace": (_pointer, _pointer, c_char_p, c_void_p, c_size_t),
    "sdfg_args_workspace_size": (_pointer, POINTER(c_size_t), _pointer, c_char_p),
    "sdfg_args_stream": (_pointer, _pointer, c_char_p, _pointer),
    "sdfg_stream_new": (_pointer, POINTER(_pointer), c_size_t, c_size_t),
    "sdfg_stream_free": (None, _pointer),
    "sdfg_stream_push": (_pointer, _pointer, c_size_t, c_void_p, c_size_t),
    "sdfg_stream_pop": (c_size_t, _pointer, c_size_t, c_void_p, c_size_t),
    "sdfg_stream_size": (c_size_t, _pointer, c_size_t),
    "sdfg_args_solve": (_pointer, _pointer),
    "sdfg_args_value": (c_bool, _pointer, c_char_p, POINTER(c_int64)),
    "sdfg_args_layout": (_pointer, _pointer, c_char_p, POINTER(c_int), POINTER(c_int64), POINTER(c_int64),
                         POINTER(c_int64)),
    "sdfg_args_ready": (c_bool, _pointer),
    "sdfg_args_explain": (_pointer, POINTER(_pointer), _pointer),
    "sdfg_call": (_pointer, _pointer, _pointer),
    "sdfg_tune": (_pointer, POINTER(Tuned), _pointer, _pointer, POINTER(Tuning)),
    "sdfg_call_cancel": (None, _pointer),
    "sdfg_bind": (_pointer, POINTER(_pointer), _pointer, _pointer),
    "sdfg_bound_call": (_pointer, _pointer),
    "sdfg_bound_cancel": (None, _pointer),
    "sdfg_bound_free": (None, _pointer),
    "sdfg_program_emit": (_pointer, POINTER(_pointer), POINTER(c_size_t), _pointer, c_int, POINTER(Symbol), c_size_t),
    "sdfg_program_export": (_pointer, POINTER(_pointer), POINTER(c_size_t), _pointer, POINTER(Export)),
    "sdfg_text_free": (None, _pointer),
}


def _places():
    if os.environ.get("SDFG_LIBRARY"):
        return [os.environ["SDFG_LIBRARY"]]
    here = pathlib.Path(__file__).resolve().parent
    beside = [here / "libsdfg.so", here.parent.parent / "build" / "release" / "libsdfg.so"]
    try:
        from ._installed import LIBRARY # written by cmake --install
        beside.insert(1, here / LIBRARY)
    except ImportError:
        pass
    return [str(path) for path in beside if path.exists()] + ["libsdfg.so.0"]


def _open():
    reasons = []
    for place in _places():
        try:
            return ctypes.CDLL(place)  # calls release the interpreter's lock
        except OSError as error:
            reasons.append(str(error))
    raise ImportError("libsdfg.so cannot be opened (SDFG_LIBRARY may say where it is): " + "; ".join(reasons))


library = _open()
# The same functions, called with the lock of the interpreter held: they return at once and look at its objects.
quick = ctypes.PyDLL(library._name, handle=library._handle)
for _name, (_result, *_arguments) in FUNCTIONS.items():
    for _way in library, quick:
        _function = getattr(_way, _name)
        _function.restype, _function.argtypes = _result, _arguments


def prepared(way, name):
    """A function of `library` or `quick` for arguments that are objects of ctypes already: they are passed as they are, which takes a third
    of the time of looking at them."""
    function = way[name]
    function.restype = FUNCTIONS[name][0]
    return function
