"""NULL for each pointer of each function in sdfg.h and sdfg_graph.h, and of those that plug-ins and their targets get (sdfg_plugin.h), all others being
right: an INVALID error where errors are returned, or of who loads the plug-in or has code made by the target, no crash anywhere. The functions come from the headers: one whose parameters are
not known here fails the test.

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
INVALID, REFUSES = 0, 2 # ENVIRONMENT: a plug-in that fails by itself
HANGS_AFTER = 60
PLUGIN_HEADER = (TOP / "engine/include/sdfg_plugin.h").read_text(encoding="utf-8")
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


def without_comments(header):
    return re.sub(r"/\*.*?\*/", " ", header, flags=re.S)


def split(parameters):
    """[(type, parameter)]; of pointers to functions the type is that of the function as it is written."""
    found = []
    for text in re.split(r",(?![^()]*\))", parameters):
        text = " ".join(text.split())
        if text == "void":
            continue
        function = re.fullmatch(r"(\w+ \(\*)(\w+)(\).*)", text)
        kind, parameter = (function.group(1) + function.group(3), function.group(2)) if function else re.fullmatch(r"(.*?)(\w+)", text).groups()
        found.append((kind.strip().replace(" *", "*").replace("* ", "*"), parameter))
    return found


def functions():
    """(result, name, [(type, parameter)]) for each function of the header."""
    for result, name, parameters in re.findall(r"SDFG_API\s([^;(#]*?)\b(sdfg_\w+)\s*\(([^;]*)\)\s*;", without_comments(HEADER)):
        yield " ".join(result.split()), name, split(parameters)


def plugin_functions():
    """The same of the members of sdfg_plugin_api, in their order."""
    body = re.search(r"struct sdfg_plugin_api \{(.*?)\n\};", without_comments(PLUGIN_HEADER), re.S).group(1)
    for result, name, parameters in re.findall(r"(\w+) \(\*(\w+)\)\(([^;]*)\)\s*;", body):
        yield result, name, split(parameters)


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


PLUGIN_ABI = int(re.search(r"#define SDFG_PLUGIN_ABI (\d+)", PLUGIN_HEADER).group(1))
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
    "const sdfg_export*": buffer(), "const sdfg_host*": buffer(), "const sdfg_object_layout*": buffer(), "const sdfg_objects*": buffer(), "const char*const*": addresses, "uint64_t": 0,
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
        function = name if callable(name) else getattr(lib, name)
        if not callable(name):
            function.restype = P
        answer = function(*values)
        state = 255
        if result == "sdfg_error *" and answer:
            lib.sdfg_error_class_of.restype = ctypes.c_int
            state = lib.sdfg_error_class_of(P(answer))
            if state not in (INVALID, REFUSES):
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


# ---- functions that plug-ins get ----

class Member(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("enumeration", ctypes.c_int), ("name", ctypes.c_char_p), ("attributes", P),
                ("num_attributes", ctypes.c_size_t), ("storage_inside", P), ("schedule_inside", P)]


class Environment(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("name", ctypes.c_char_p), ("needs", P), ("libraries", P), ("symbols", P),
                ("state_bytes", ctypes.c_size_t), ("init", P), ("exit", P)]


class Target(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("name", ctypes.c_char_p), ("text", ctypes.c_char_p)]


class Pass(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("name", ctypes.c_char_p), ("text", ctypes.c_char_p), ("kind", ctypes.c_int),
                ("where", ctypes.c_int), ("other", P), ("needs", P), ("makes", P), ("breaks", P), ("user", P), ("condition", P), ("run", P)]


class Provider(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("enumeration", ctypes.c_int), ("name", ctypes.c_char_p), ("text", ctypes.c_char_p)]


def described(kind, **values):
    return ctypes.pointer(kind(struct_size=ctypes.sizeof(kind), **values))


class Convertible(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("name", ctypes.c_char_p), ("user", P), ("signature", P), ("resolve", P), ("sdfg", P), ("closure", P)]


INSTRUMENT = re.findall(r"\bSDFG_ENUM_\w+(?=,|\n)", PLUGIN_HEADER).index("SDFG_ENUM_INSTRUMENT")
pass_function = ctypes.CFUNCTYPE(ctypes.c_bool, P, P, P, P)(lambda user, what, give, to: True)
end_function = ctypes.CFUNCTYPE(None, P)(lambda user: None)
expand_function = ctypes.CFUNCTYPE(ctypes.c_bool, P, P, P, P)(lambda user, x, give, to: True)
PLUGIN_BY_TYPE = {
    "const sdfg_member*": described(Member, enumeration=INSTRUMENT, name=b"Nothing"),
    "const sdfg_environment*": described(Environment, name=b"nothing"),
    "const sdfg_target*": described(Target, name=b"nothing", text=b"nothing"),
    "const sdfg_pass*": described(Pass, name=b"nothing", text=b"nothing", run=ctypes.cast(pass_function, P)),
    "const sdfg_provider*": described(Provider, enumeration=INSTRUMENT, name=b"LIKWID_CPU", text=b"nothing"),
    "const struct sdfg_convertible*": described(Convertible, name=b"nothing", signature=ctypes.cast(node_function, P), sdfg=ctypes.cast(node_function, P)),
    "sdfg_node_function*": node_function, "sdfg_expand_function*": expand_function, "void (*)(void*user)": end_function, "void*": x, "const char*": b"nothing",
}
PLUGIN_BY_NAME = {"class_path": b"a.library.Node", "library": b"blas.Gemm"}
PLUGIN_ALLOWED = {"user", "text", "at_free.p", "at_free.function", "fail.p"} # without a plug-in nothing happens
FAILS = {"fail"} # as it should
HEAD = 3 # size, version and plug-in are in front of the functions


def registers(index, result, values):
    """Of an engine that a plug-in extends which calls one function, and returns what that returns."""
    def plugin(api):
        words = ctypes.cast(api, ctypes.POINTER(P))
        function = ctypes.CFUNCTYPE(ctypes.c_bool if result == "bool" else None, *(P for _ in values))(words[HEAD + index])
        own = [words[HEAD - 1] if v is api_itself else ctypes.cast(v, P) for v in values]
        answer = function(*own)
        return True if result == "void" else answer
    callback = ctypes.CFUNCTYPE(ctypes.c_bool, P)(plugin)
    return call("sdfg_error *", "sdfg_engine_extend", [young, ctypes.pointer(about), callback])


api_itself = object()


# ---- functions that targets of plug-ins get ----

class Claim(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("names", P), ("to", P), ("schedules", P), ("holds", P), ("refused", P), ("parts", ctypes.c_bool), ("rule", P)]


class Entry(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("function", P)]


class Object(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("name", ctypes.c_char_p), ("bytes", P), ("size", ctypes.c_size_t)]


class CodeTarget(ctypes.Structure): # as far as it is used
    _fields_ = [("struct_size", ctypes.c_size_t), ("name", ctypes.c_char_p), ("text", ctypes.c_char_p), ("extends", ctypes.c_char_p), ("claims", P),
                ("num_claims", ctypes.c_size_t), ("functions", P), ("num_functions", ctypes.c_size_t), ("environments", P), ("user", P), ("probe", P),
                ("begin", P), ("end", P), ("enter", P), ("leave", P), ("allocate", P), ("release", P), ("copy", P), ("node", P)]


CLIP = (TOP / "examples" / "clip.sdfg").read_bytes()
FAILED, DONE = 0, 1 # of enum sdfg_answer
CODE_HEAD = 3 # size, path and attributes are in front of the functions
target_function = ctypes.CFUNCTYPE(ctypes.c_bool, P)(lambda call: True)
entries = (Entry * 1)(Entry(b"f", ctypes.cast(target_function, P)))
library_node = (ctypes.c_char_p * 2)(b"LibraryNode", None)
claims = (Claim * 1)(Claim(kind=re.findall(r"\bSDFG_CLAIM_\w+(?=,|\n)", PLUGIN_HEADER).index("SDFG_CLAIM_NODE"), names=ctypes.cast(library_node, P)))
# By parameter, or function and parameter; a value is a number of the program.
CODE_BY_NAME = {
    "why": b"a reason", "name": b"N", "value": 3, "source.text": b"; a comment of LLVM IR", "expression.text": b"N + 1", "op": 0, "function": b"f", "num_arguments": 1, "flags": 0,
    "index": 0, "connector": b"_x", "output": 0, "object": Object(ctypes.sizeof(Object), b"table", ctypes.cast(x, P), 8),
}
# Where NULL is as good, and functions that fail as they are called here: outside of maps and loops, without attributes and source.
CODE_ALLOWED = {"code", "source.text", "operand.connector"}
CODE_FAILS = {"fail", "attribute", "end", "parameter", "invoke"}


def code_functions():
    body = re.search(r"struct sdfg_code \{(.*?)\n\};", without_comments(PLUGIN_HEADER), re.S).group(1)
    for _, name, parameters in re.findall(r"([\w *]+?)\(\*(\w+)\)\(([^;]*)\)\s*;", body):
        yield name, split(parameters)


def makes_code(index, parameters, null):
    """Of a program with a node whose target calls one function, with NULL for the parameter of that number."""
    names = [name for name, _ in made]

    def node(user, code, claimed):
        words = ctypes.cast(code, ctypes.POINTER(P))
        number = ctypes.CFUNCTYPE(P, P, ctypes.c_int64)(words[CODE_HEAD + names.index("number")])
        a, values = P(number(code, 2)), []
        for i, (kind, parameter) in enumerate(parameters):
            if i == null:
                values.append(P(None))
            elif kind == "sdfg_code*":
                values.append(P(code))
            elif "sdfg_value*" in kind:
                values.append(ctypes.cast((P * 1)(a), P) if kind.endswith("const*") else a)
            elif kind.endswith("*"):
                given = CODE_BY_NAME.get(f"{names[index]}.{parameter}") or CODE_BY_NAME[parameter]
                values.append(ctypes.cast(given, P) if isinstance(given, bytes) else ctypes.cast(ctypes.pointer(given), P))
            else:
                values.append(ctypes.c_int64(CODE_BY_NAME[parameter]))
        keep.append(values)
        ctypes.CFUNCTYPE(P, *(type(v) for v in values))(words[CODE_HEAD + index])(*values)
        return DONE

    callback = ctypes.CFUNCTYPE(ctypes.c_int, P, P, P)(node)
    target = CodeTarget(ctypes.sizeof(CodeTarget), b"null", b"calls one function", claims=ctypes.cast(claims, P), num_claims=1,
                        functions=ctypes.cast(entries, P), num_functions=1, node=ctypes.cast(callback, P))

    def plugin(api):
        words = ctypes.cast(api, ctypes.POINTER(P))
        register = [name for _, name, _ in registered].index("target")
        return ctypes.CFUNCTYPE(ctypes.c_bool, P, P)(words[HEAD + register])(words[HEAD - 1], ctypes.cast(ctypes.pointer(target), P))

    def specialize():
        check(lib.sdfg_engine_extend(young, ctypes.pointer(about), ctypes.CFUNCTYPE(ctypes.c_bool, P)(plugin)))
        clip = out(lib.sdfg_program_load, young, CLIP, ctypes.c_size_t(len(CLIP)), P(None))
        made_kernel = P()
        return lib.sdfg_specialize(ctypes.byref(made_kernel), clip, ctypes.byref(Symbol(b"N", 16)), ctypes.c_size_t(1))

    lib.sdfg_engine_extend.restype = lib.sdfg_specialize.restype = P
    return call("sdfg_error *", specialize, [])

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
registered = list(plugin_functions())
for index, (result, name, parameters) in enumerate(registered):
    values = [api_itself if kind == "sdfg_plugin*" else PLUGIN_BY_NAME.get(parameter, PLUGIN_BY_TYPE.get(kind)) for kind, parameter in parameters]
    if None in values:
        offenders.append(f"{name}: no value of one of the types {[kind for kind, _ in parameters]} is known here: add one")
        continue
    usual = registers(index, result, values)
    if usual != (("error", REFUSES) if name in FAILS else ("none", 0)):
        offenders.append(f"{name}: with right arguments {usual}")
    for i, (_, parameter) in enumerate(parameters):
        allowed = parameter in PLUGIN_ALLOWED or f"{name}.{parameter}" in PLUGIN_ALLOWED
        expected = ("none", 0) if allowed else ("error", REFUSES if name in FAILS or parameter == "p" else INVALID)
        got = registers(index, result, values[:i] + [P(None)] + values[i + 1:])
        checked += 1
        if got != expected:
            offenders.append(f"{name} of plug-ins: NULL for '{parameter}' gives {got} instead of {expected}")
made = list(code_functions())
for index, (name, parameters) in enumerate(made):
    usual = makes_code(index, parameters, None)
    if (usual[0] == "error") != (name in CODE_FAILS):
        offenders.append(f"{name} of targets: with right arguments {usual}")
    for i, (kind, parameter) in enumerate(parameters):
        if not kind.endswith("*"):
            continue
        got = makes_code(index, parameters, i)
        checked += 1
        allowed = parameter in CODE_ALLOWED or f"{name}.{parameter}" in CODE_ALLOWED
        if got[0] == "signal" or (got[0] == "error") == allowed:
            offenders.append(f"{name} of targets: NULL for '{parameter}' gives {got}")
if len(made) < 15:
    offenders.append("sdfg_plugin.h: not all functions of targets were found")
if len(registered) < 10:
    offenders.append("sdfg_plugin.h: not all functions of plug-ins were found")
for line in offenders:
    print(line)
print(f"{len(offenders)} offenders, {checked} parameters checked")
sys.exit(1 if offenders or checked < 100 else 0)
