"""NULL for each pointer of each function in sdfg.h and sdfg_graph.h, all others being right: an INVALID error where errors are returned, no crash
anywhere. The functions come from the header: one whose parameters are not known here fails the test.

    null.py LIBRARY
"""
import ctypes
import os
import pathlib
import re
import signal
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
AXPY = str(TOP / "examples" / "axpy.sdfg").encode()
INVALID = 0
HANGS_AFTER = 60
HEADER = "".join((TOP / "engine/include" / name).read_text(encoding="utf-8") for name in ("sdfg.h", "sdfg_graph.h"))

# Where NULL means something, or nothing: "function.parameter", or a parameter of any function. The header says so.
ALLOWED = {
    "sdfg_engine_new.o",         # the defaults
    "sdfg_engine_implement.user",
    "sdfg_tune.out", "sdfg_tune.t", # nobody wants to know; the defaults
    "sdfg_graph_new.e",          # members of the format only
    "sdfg_program_load.folder",
    "size",                      # of what comes out, where nobody wants to know
    "sdfg_args_pointer.data",    # as sdfg_args_null
    "sdfg_args_workspace.memory", # none
    "sdfg_args_stream.s",        # as sdfg_args_null
    "sdfg_args_after.stream",    # the default one
    "sdfg_call_async.stream", "sdfg_bound_call_async.stream", # one of the library
    "sdfg_pending_done.c",       # has ended
}

lib = ctypes.CDLL(sys.argv[1])
P = ctypes.c_void_p
NUMBERS = {"size_t": ctypes.c_size_t, "int": ctypes.c_int, "int32_t": ctypes.c_int32, "int64_t": ctypes.c_int64, "double": ctypes.c_double,
           "bool": ctypes.c_bool, "sdfg_dtype": ctypes.c_int, "ptrdiff_t": ctypes.c_ssize_t}


def functions():
    """(result, name, [(type, parameter)]) for each function of the header."""
    header = re.sub(r"/\*.*?\*/", " ", HEADER, flags=re.S)
    for result, name, parameters in re.findall(r"SDFG_API\s([^;(#]*?)\b(sdfg_\w+)\s*\(([^;]*)\)\s*;", header):
        split = []
        for text in parameters.split(","):
            text = " ".join(text.split())
            if text == "void":
                continue
            kind, parameter = re.fullmatch(r"(.*?)(\w+)", text).groups()
            split.append((kind.strip().replace(" *", "*").replace("* ", "*"), parameter))
        yield " ".join(result.split()), name, split


# ---- values ----

def check(error):
    if error:
        sys.exit("preparation: " + ctypes.string_at(lib.sdfg_error_text(P(error))).decode())


def out(function, *arguments):
    handle = P()
    function.restype = P
    check(function(ctypes.byref(handle), *arguments))
    return handle


def buffer(size_field=8):
    """Room for a structure, of which the library fills at most `size_field` bytes."""
    room = ctypes.create_string_buffer(4096)
    ctypes.memmove(room, ctypes.byref(ctypes.c_size_t(size_field)), 8)
    return room


lib.sdfg_error_text.restype = P
options = buffer(0)
lib.sdfg_options_init(options, ctypes.c_size_t(256))
engine = out(lib.sdfg_engine_new, options)
young = out(lib.sdfg_engine_new, options) # has loaded nothing
program = out(lib.sdfg_program_load_file, engine, AXPY)
args = out(lib.sdfg_args_new, program)
x, y = (ctypes.c_double * 16)(), (ctypes.c_double * 16)()
VERSION = [int(number) for number in re.findall(r"#define SDFG_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", HEADER)]
F64 = int(re.search(r"SDFG_F64 = (\d+)", HEADER).group(1))


class Array(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("data", P), ("dtype", ctypes.c_int), ("rank", ctypes.c_int),
                ("shape", ctypes.c_int64 * 32), ("strides", P), ("item_bytes", ctypes.c_size_t), ("device", ctypes.c_int * 2)]


class Symbol(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_int64)]


def array(memory):
    return Array(ctypes.sizeof(Array), ctypes.cast(memory, P), F64, 1, (ctypes.c_int64 * 32)(16))


for name, memory in ((b"X", x), (b"Y", y)):
    lib.sdfg_args_array.restype = P
    check(lib.sdfg_args_array(args, name, ctypes.byref(array(memory))))
lib.sdfg_args_f64.restype = P
check(lib.sdfg_args_f64(args, b"alpha", ctypes.c_double(2)))
check(lib.sdfg_args_threads(args, 1))
bound = out(lib.sdfg_bind, program, args)
pending = out(lib.sdfg_bound_call_async, bound, P(None))
kernel = out(lib.sdfg_specialize, program, ctypes.byref(Symbol(b"N", 16)), ctypes.c_size_t(1))
stream = out(lib.sdfg_stream_new, ctypes.c_size_t(4), ctypes.c_size_t(1))
graph = out(lib.sdfg_graph_new, P(None), b"small")
lib.sdfg_graph_body.restype = lib.sdfg_graph_state.restype = P
body = P(lib.sdfg_graph_body(graph))
lib.sdfg_graph_state(body, b"state")
listed = out(lib.sdfg_engine_list, engine, ctypes.c_int(3))
error = P(lib.sdfg_args_f64(args, b"no_argument", ctypes.c_double(0)))
lib.sdfg_bound_address.restype = P
lib.sdfg_kernel_num_params.restype = ctypes.c_size_t
count = lib.sdfg_kernel_num_params(kernel)
addresses = (P * count)(*(lib.sdfg_bound_address(bound, ctypes.c_size_t(i)) for i in range(count)))


class About(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("abi", ctypes.c_int), ("name", ctypes.c_char_p),
                ("version", ctypes.c_char_p), ("text", ctypes.c_char_p)]


PLUGIN_ABI = int(re.search(r"#define SDFG_PLUGIN_ABI (\d+)", (TOP / "engine/include/sdfg_plugin.h").read_text(encoding="utf-8")).group(1))
about = About(ctypes.sizeof(About), PLUGIN_ABI, b"null", b"1", b"nothing")
plugin_function = ctypes.CFUNCTYPE(ctypes.c_bool, P)(lambda api: True)
node_function = ctypes.CFUNCTYPE(ctypes.c_bool, P, P)(lambda user, node: True)
text = AXPY and open(AXPY, "rb").read()
keep = [options, x, y, addresses, text]

# By type, unless the parameter of the function, or any parameter of this name and type, is below.
BY_TYPE = {
    "sdfg_engine*": engine, "sdfg_program*": program, "const sdfg_program*": program, "sdfg_args*": args,
    "const sdfg_args*": args, "sdfg_bound*": bound, "sdfg_pending*": pending, "const sdfg_cuda_stream*": P(None), "const sdfg_tuning*": P(None), "const sdfg_bound*": bound, "sdfg_kernel*": kernel,
    "const sdfg_kernel*": kernel, "sdfg_stream*": stream, "sdfg_list*": listed, "const sdfg_list*": listed, "sdfg_error*": error, "const sdfg_error*": error,
    "sdfg_graph*": graph, "sdfg_element*": body, "sdfg_element*const*": ctypes.pointer(body), "const sdfg_convertible*": buffer(), "const sdfg_actual*": buffer(), "const sdfg_options*": options, "const sdfg_array*": ctypes.pointer(array(x)),
    "const sdfg_export*": buffer(), "const sdfg_host*": buffer(), "const sdfg_object_layout*": buffer(), "const char*const*": addresses, "uint64_t": 0,
    "const sdfg_node*": buffer(), "const sdfg_symbol*": ctypes.pointer(Symbol(b"N", 16)), "sdfg_node_function*": node_function,
    "const sdfg_plugin_about*": ctypes.pointer(about), "sdfg_plugin_function*": plugin_function,
    "void*const*": addresses, "const char*": b"X", "char*": P(None), "const void*": x, "void*": x,
    "unsigned*": buffer(), "size_t": 0, "int": 1, "int32_t": 0, "int64_t": 4, "double": 2.0, "bool": False, "sdfg_dtype": F64,
}
ROOM = re.compile(r"(sdfg_\w+|char|const char|size_t|int|(const )?int64_t|bool)\*+")
BY_NAME = {
    "sdfg_program_load.json": text, "sdfg_program_load.size": len(text), "sdfg_program_load_file.path": AXPY,
    "sdfg_engine_extend.e": young, "sdfg_engine_plugin.e": young,
    "sdfg_engine_implement.e": young, "sdfg_engine_implement.class_path": b"a.library.Node",
    "sdfg_graph_save.path": b"/dev/null", "sdfg_run.n": count, "sdfg_specialize.n": 1, "sdfg_program_emit.n": 1, "sdfg_options_init.struct_size": 256,
    "sdfg_stream_new.item_bytes": 4, "sdfg_stream_new.num_queues": 1, "sdfg_stream_push.count": 1,
    "sdfg_stream_pop.most": 1, "sdfg_args_f64.name": b"alpha", "sdfg_args_scalar.name": b"alpha",
    "sdfg_args_i64.name": b"N", "sdfg_args_i64.value": 16, "sdfg_args_complex.name": b"alpha", "sdfg_args_complex.im": 0.0,
    "sdfg_args_value.name": b"N", "sdfg_version_check.major": VERSION[0], "sdfg_version_check.minor": VERSION[1],
    "sdfg_version_check.patch": VERSION[2],
}
# Right for themselves, but no good on this program: it has no stream, no memory of lifetime External, and runs on
# the CPU; the host knows no function.
NO_GOOD = {"sdfg_engine_plugin", "sdfg_args_after", "sdfg_args_workspace", "sdfg_args_workspace_size", "sdfg_program_load_function"}
ENDS = {"sdfg_mpi_abort"}


def value(function, kind, parameter):
    if f"{function}.{parameter}" in BY_NAME:
        v = BY_NAME[f"{function}.{parameter}"]
    elif kind in BY_TYPE:
        v = BY_TYPE[kind]
    elif kind.startswith("enum "):
        v = 0
    elif ROOM.fullmatch(kind):
        v = buffer()
    else:
        return None
    if isinstance(v, (int, float)):
        number = NUMBERS.get(kind, ctypes.c_int)
        return number(v)
    return v


# ---- calls, each in a process of its own ----

def end():
    """Of a process; with counts of what ran, where scripts/coverage.sh wants them."""
    if "TEST_COUNTS" in os.environ:
        ctypes.CDLL(None).exit(0)
    os._exit(0)


def call(result, name, values):
    """("signal", n), ("error", class) or ("none", 0)."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        signal.alarm(HANGS_AFTER)
        function = getattr(lib, name)
        function.restype = P
        answer = function(*values)
        state = 255
        if result == "sdfg_error *" and answer:
            lib.sdfg_error_class_of.restype = ctypes.c_int
            state = lib.sdfg_error_class_of(P(answer))
            if state != INVALID:
                os.write(2, ctypes.string_at(lib.sdfg_error_text(P(answer))))
        os.write(writing, bytes([state]))
        end()
    os.close(writing)
    _, status = os.waitpid(child, 0)
    answer = os.read(reading, 1)
    os.close(reading)
    if os.WIFSIGNALED(status) or not answer:
        return "signal", os.WTERMSIG(status) if os.WIFSIGNALED(status) else status
    return ("none", 0) if answer[0] == 255 else ("error", answer[0])


offenders = []
checked = 0
for result, name, parameters in functions():
    if name in ENDS: # the process, as it should
        continue
    values = [value(name, kind, parameter) for kind, parameter in parameters]
    unknown = [kind for (kind, _), v in zip(parameters, values) if v is None]
    if unknown:
        offenders.append(f"{name}: no value of type {', '.join(unknown)} is known here: add one")
        continue
    usual = call(result, name, values)
    if usual[0] == "signal" or (usual[0] == "error" and name not in NO_GOOD):
        offenders.append(f"{name}: fails with right arguments: {usual}")
    for i, (kind, parameter) in enumerate(parameters):
        if "*" not in kind:
            continue
        got = call(result, name, values[:i] + [P(None)] + values[i + 1:])
        checked += 1
        allowed = parameter in ALLOWED or f"{name}.{parameter}" in ALLOWED
        if got[0] == "signal":
            offenders.append(f"{name}: NULL for '{parameter}' ends with signal {got[1]}")
        elif result == "sdfg_error *" and not allowed and got != ("error", INVALID):
            offenders.append(f"{name}: NULL for '{parameter}' gives {got}")
        elif allowed and got != usual:
            offenders.append(f"{name}: NULL for '{parameter}' should be allowed, but gives {got}")
for line in offenders:
    print(line)
print(f"{len(offenders)} offenders, {checked} parameters checked")
sys.exit(1 if offenders or checked < 100 else 0)
