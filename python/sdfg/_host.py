"""What the compiler asks about live objects, and the guards that its questions leave: a compiled variant holds as long as every answer
would be the same."""

import builtins
import ctypes
import types
from typing import Dict

import numpy

from . import _convert, _source
from ._arguments import _as_numpy
from ._errors import Error
from ._guards import Guard, layout_of, memory_of
from ._known import description, is_array, is_decorated, is_transient, known_name
from ._library import HOST_FUNCTIONS, Host, Object, texts
from ._site import OBJECT, Site
from ._types import BY_NAME, Callback, Descriptor, Expression, Type, type_of

(UNKNOWN, NONE, BOOL, INTEGER, FLOAT, COMPLEX, STRING, ELLIPSIS, TYPE, DESCRIPTOR, SYMBOL, MODULE, BUILTIN, VALUE, ARRAY, FUNCTION, TUPLE,
 LIST, DICTIONARY, OTHER, SLICE) = range(21)
_SCALAR_CLASSES = {int: "int", float: "float", bool: "bool", complex: "complex"}


class Question(Exception):
    """Something that has no answer; the text says why."""


class Method:
    """Calls a method of an object that is known at run time only."""

    def __init__(self, name):
        self.name = name

    def __call__(self, value, *arguments, **keywords):
        return getattr(value, self.name)(*arguments, **keywords)


class Asking:
    """Answers the questions of one compilation. `parameters`: name -> ("value", type, weak), ("array", type, shape, strides) or
    ("constant", object). `shared`: parameters whose arrays are also reached by other names -> the array; then arrays are told apart by
    their memory. `names`: a Listing that hears the types of names, or None."""

    def __init__(self, function, parameters, symbols, dace=False, shared=None, fallback=True, names=None,
                 constant_functions=False):
        self.constant_functions = constant_functions
        self.function, self.parameters, self.symbols, self.dace = function, parameters, dict(symbols), dace
        self.fallback, self.strict, self.sites, self.announced, self.asked, self.attempts = fallback, set(), [], [], [], []
        self.shared, self.memory = dict(shared or ()), {} if shared is not None else None
        self.sources, self.names = {}, names
        self.typed_callbacks = False # what callbacks return must have a type
        self.unroll = 0              # loops of at most so many iterations are unrolled
        self.objects, self.paths, self.shown, self.guards, self.kept = {}, {}, {}, [], []
        self.roots = {}    # variable of the guards -> dictionary, cell or object
        self.arrays = {}   # id -> (path, array)
        self.shown_arrays = {}
        self.methods = {}  # name -> Method
        self.closures = {} # Converted -> Captured
        self.engine = None
        self.failure = None
        self.by_path = {}

    def remember_source(self, function, source):
        self.sources[id(function)] = source

    def run(self, call):
        """call(host, id of the function)."""
        host = Host(ctypes.sizeof(Host), id(self), **_ANSWERS)
        if self.names is None:
            host.typed = HOST_FUNCTIONS["typed"]()
        key, _running[id(self)] = self._remember(self.function, "f", "f"), self
        try:
            call(ctypes.byref(host), key)
        except Exception:
            if self.failure is None:
                raise
        finally:
            del _running[id(self)]
            self.kept = []
        if self.failure is not None:
            raise self.failure

    def _answered(self, answer, arguments, out):
        """answer(self, *arguments, out), whose answer the library takes: False if there is none."""
        self.asked.clear()
        try:
            answer(self, *arguments, out)
            return True
        except Question as why:
            self._text(out, str(why))
        except Exception as error: # what a property raises, for one
            self._text(out, f"{type(error).__name__}: {error}")
        except BaseException as error: # KeyboardInterrupt
            self.failure = error
        return False

    def _bytes(self, text):
        """For a field of an answer: the answer lies in the library's memory and keeps nothing alive."""
        data = text.encode()
        self.kept.append(data)
        return data

    def _text(self, out, text):
        out.text = self._bytes(text)

    def _texts(self, values):
        array = texts([None if v is None else str(v).encode() for v in values])
        self.kept.append(array)
        return array

    def _remember(self, value, path, shown):
        key = id(value)
        if key not in self.objects:
            self.objects[key], self.paths[key], self.shown[key] = value, path, shown
        return key

    def _root(self, name, value):
        for variable, known in self.roots.items():
            if known is value:
                return variable
        variable = f"{name}{len(self.roots)}"
        self.roots[variable] = value
        return variable

    # ---- guards ----

    def _guard(self, shown, path, kind, value):
        if path not in self.by_path:
            guard = self.by_path[path] = Guard(shown, path, kind, value)
            self.guards.append(guard)

    # ---- what an object is ----

    def _describe(self, value, path, shown, out):
        kind = "constant"
        if value is None or value is Ellipsis:
            out.kind = NONE if value is None else ELLIPSIS
        elif isinstance(value, (bool, numpy.bool_, int, float, complex, numpy.number)):
            self._number(value, out)
        elif isinstance(value, str):
            out.kind = STRING
            self._text(out, value)
        elif isinstance(value, Expression):
            out.kind = SYMBOL
            self._text(out, value._text)
            self.symbols.update(value._symbols)
        elif isinstance(value, Descriptor):
            self._array_type(DESCRIPTOR, value.dtype.name, value.shape, None, out)
        elif isinstance(value, (Type, numpy.dtype)) or (isinstance(value, type) and issubclass(value, numpy.generic)):
            found = type_of(value)
            if found is None:
                raise Question(f"elements of type {value} have no counterpart in programs")
            out.kind, kind = TYPE, "is" if isinstance(value, type) else "constant"
            out.type = self._bytes(found.name)
        elif isinstance(value, slice):
            self._slice(value, out)
        elif isinstance(value, (tuple, list, dict, range)):
            out.kind = DICTIONARY if isinstance(value, dict) else LIST if isinstance(value, list) else TUPLE
            out.id, out.count, kind = self._remember(value, path, shown), len(value), "content"
            self._guard(shown, path, kind, (type(value), len(value)))
            return
        elif is_array(value):
            self._array(value, path, shown, out)
            return
        else:
            self._object(value, path, shown, out)
            return
        self._guard(shown, path, kind, value)

    def _slice(self, value, out):
        items = (Object * 3)()
        for item, part in zip(items, (value.start, value.stop, value.step)):
            if part is None:
                item.kind = NONE
            elif isinstance(part, Expression):
                item.kind = SYMBOL
                self._text(item, part._text)
                self.symbols.update(part._symbols)
            elif isinstance(part, (int, numpy.integer)):
                item.kind, item.integer, item.weak = INTEGER, int(part), True
            else:
                raise Question(f"a slice with {description(part)} in it")
        self.kept.append(items)
        out.kind, out.items = SLICE, ctypes.cast(items, ctypes.c_void_p)

    def _number(self, value, out):
        if isinstance(value, numpy.generic):
            out.type = self._bytes(value.dtype.name)
            value = value.item()
            if not isinstance(value, (bool, int, float, complex)):
                raise Question(f"numbers of type {out.type.decode()} are not supported")
        else:
            out.weak = True
        if isinstance(value, (bool, int)):
            if not -(1 << 63) <= value < 1 << 63:
                raise Question("an integer of more than 64 bits")
            out.kind, out.integer = BOOL if isinstance(value, bool) else INTEGER, int(value)
        elif isinstance(value, float):
            out.kind, out.real = FLOAT, value
        else:
            out.kind, out.real, out.imaginary = COMPLEX, value.real, value.imag

    def _array_type(self, kind, type, shape, strides, out):
        out.kind, out.type, out.rank = kind, self._bytes(type), len(shape)
        out.shape = self._texts(shape)
        if strides is not None:
            out.strides = self._texts(strides)
        for n in shape:
            if isinstance(n, Expression):
                self.symbols.update(n._symbols)

    def _array(self, value, path, shown, out):
        array = _as_numpy(value)
        found = type_of(array.dtype) if array.dtype.isnative else None
        if found is None:
            raise Question(f"elements of type {array.dtype} have no counterpart in programs")
        if array.ndim == 0:
            raise Question("an array without dimensions: use its value, or an array of one element")
        out.id = self._array_id(value)
        if is_transient(value):
            out.transient = True
            self._guard(shown, path, "array", layout_of(array))
            self._array_type(ARRAY, found.name, array.shape, None, out)
            return
        known = self.arrays.setdefault(out.id, (path, value))
        self.shown_arrays.setdefault(out.id, shown)
        self._guard(shown, path, "array", layout_of(array))
        if known[0] != path: # the same array by another name stays the same
            test = f"memory({path}) == memory({known[0]})" if self.memory is not None else f"{path} is {known[0]}"
            self._guard(f"{shown} is {self.shown_arrays[out.id]}", f"({test})", "constant", True)
        strides = None if array.flags.c_contiguous else [s // array.itemsize for s in array.strides]
        self._array_type(ARRAY, found.name, array.shape, strides, out)

    def _array_id(self, value):
        return self.memory.setdefault(memory_of(value), id(value)) if self.memory is not None else id(value)

    def _object(self, value, path, shown, out):
        name = known_name(value)
        if name is not None:
            out.kind = MODULE if isinstance(value, types.ModuleType) else BUILTIN
            self._text(out, name)
            self._guard(shown, path, "is", value)
            out.id = self._remember(value, path, shown)
            return
        method = isinstance(value, types.MethodType) or hasattr(value, "_sdfg_method")
        target = value if method else getattr(value, "_sdfg_function", value) # a program: its function
        inner = getattr(target.__func__, "_sdfg_function", target.__func__) if method else target
        if inner is not (value.__func__ if method else value):
            self.strict.add(id(inner))
        if isinstance(target, types.FunctionType) and not getattr(target, "_sdfg_always_inline", False):
            self._guard(shown, path, "is", value)
            out.kind, out.id = FUNCTION, self._remember(target, path, shown)
            return
        if method and isinstance(inner, types.FunctionType) and not getattr(target, "_sdfg_always_inline", False):
            self._guard(shown, f"{path}.__func__", "is", target.__func__)
            out.kind, out.id = FUNCTION, self._remember(inner, f"{path}.__func__", shown)
            out.self = self._remember(target.__self__, f"{path}.__self__", shown.rpartition(".")[0] or shown)
            return
        out.kind, out.id = OTHER, self._remember(value, path, shown)
        bound = isinstance(value, types.BuiltinFunctionType) and not isinstance(value.__self__, (types.ModuleType, type(None)))
        if isinstance(value, (type, types.BuiltinFunctionType, types.ModuleType, types.FunctionType)) and not bound: # a new one each time
            self._guard(shown, path, "is", value)
        self._text(out, description(value))

    # ---- the questions ----

    def _source(self, key, out):
        function = self.objects[key]
        try:
            source = self.sources.get(key) or _source.of(function)
        except _source.NoSource as why:
            raise Question(str(why)) from None
        if self.dace and function is not self.function and key not in self.strict and is_decorated(source.text):
            raise Question("it has a decorator, and DaCe compiles no such function in")
        if self.names is not None:
            self.names.sources.append(source)
        text = source.text.encode()
        strings = [source.path.encode(), text, source.name.encode()]
        self.kept.append(strings)
        out.path, out.text, out.size, out.first_line, out.name = strings[0], text, len(text), source.first_line, strings[2]
        out.dace, out.strict, out.unroll = self.dace, not self.fallback or key in self.strict, self.unroll

    def _parameter(self, name, out):
        name = name.decode()
        given = self.parameters[name]
        if given[0] == "constant":
            self._describe(given[1], f"P[{name!r}]", name, out)
        elif given[0] == "value":
            out.kind, out.type, out.weak = VALUE, self._bytes(given[1]), given[2]
        elif given[0] == "callback":
            out.kind, out.id = OTHER, self._remember(given[1], f"P[{name!r}]", name)
            self._text(out, "a callback")
        else:
            self._array_type(ARRAY, given[1], given[2], given[3], out)
            if name in self.shared:
                out.id = self._array_id(self.shared[name])
                self.arrays.setdefault(out.id, (f"P[{name!r}]", self.shared[name]))
                self.shown_arrays.setdefault(out.id, name)

    def _lookup(self, key, name, out):
        function, name = self.objects[key], name.decode()
        shown = name if function is self.function else f"{function.__name__}.{name}"
        code = function.__code__
        if name in code.co_freevars:
            cell = function.__closure__[code.co_freevars.index(name)]
            try:
                value = cell.cell_contents
            except ValueError:
                raise Question("has no value yet") from None
            self._describe(value, f"{self._root('c', cell)}.cell_contents", shown, out)
        elif name in function.__globals__:
            self._describe(function.__globals__[name], f"{self._root('g', function.__globals__)}[{name!r}]", shown, out)
        elif name in ("__debug__",) or hasattr(builtins, name):
            self._describe(getattr(builtins, name), f"find({self._root('g', function.__globals__)}, {name!r})", shown, out)

    def _symbol(self, name, out):
        found = self.symbols.get(name.decode())
        out.kind, out.type = TYPE, self._bytes((found.dtype if isinstance(found, Expression) else BY_NAME["int64"]).name)

    def _attribute(self, key, name, out):
        name = name.decode()
        if not key:
            method = self.methods.setdefault(name, Method(name))
            out.kind, out.id = OTHER, self._remember(method, self._root("m", method), name)
            self._text(out, f"the method '{name}'")
            return
        value = self.objects[key]
        if isinstance(value, Method):
            return
        if name == "__call__" and _convert.convertible(value) is not None: # it is a graph, whatever it does in Python
            return
        try:
            found = getattr(value, name)
        except AttributeError:
            return
        self._describe(found, f"{self.paths[key]}.{name}", f"{self.shown[key]}.{name}", out)

    def _item(self, key, wanted, out):
        value, k = self.objects[key], self.constant(wanted.contents)
        try:
            found = value[k]
        except (KeyError, IndexError):
            return
        if isinstance(k, (str, int, float, bool, type(None))):
            path = f"{self.paths[key]}[{k!r}]"
        else:
            path = f"{self.paths[key]}[{self._root('k', k)}]"
        self._describe(found, path, f"{self.shown[key]}[{k!r}]", out)

    def _key(self, key, index, out):
        mapping = self.objects[key]
        self._describe(list(mapping)[index], f"keys({self.paths[key]}, {index})", f"key {index} of {self.shown[key]}", out)

    def _call(self, key, items, count, names, num_names, out):
        callee, inlined = self.objects[key], out.integer == 1
        constant = self.constant_functions and isinstance(callee, (types.FunctionType, types.BuiltinFunctionType))
        if not (getattr(callee, "_sdfg_always_inline", False) or inlined or constant):
            return
        values = [self.constant(items[i]) for i in range(count)]
        keywords = {names[i].decode(): values[count - num_names + i] for i in range(num_names)}
        result = callee(*values[:count - num_names], **keywords)
        out.integer = 0
        if inlined: # it is asked once, whatever becomes of it
            self._describe(result, self._root("r", result), f"{description(callee)}(...)", out)
            return
        variable = self._root("r", _Result(callee, values[:count - num_names], keywords))
        self._describe(result, f"{variable}()", f"{callee.__name__}(...)", out)

    def _attempt(self, now):
        """Answers of an attempt that failed, other than arrays and closures, are no guards."""
        if now == 0:
            self.attempts.append(len(self.guards))
            return
        first = self.attempts.pop()
        if now == 2:
            dropped = [g for g in self.guards[first:] if g.kind not in ("array", "ask") and not g.path.startswith("(")]
            self.guards[first:] = [g for g in self.guards[first:] if g.kind in ("array", "ask") or g.path.startswith("(")]
            for guard in dropped:
                del self.by_path[guard.path]

    def _typed(self, file, line, name, type):
        self.names.add(file.decode(), line, name.decode(), type.decode())

    def callee(self, site):
        """What a callback calls, now."""
        function = self.objects[site.object]
        return types.MethodType(function, self.objects[site.self]) if site.self else function

    def _converted(self, site):
        """The Site of a call that stands for a graph; None if it does not."""
        s = site.contents
        graph = _convert.convertible(self.callee(s)) if not s.self else None
        if graph is None:
            return None
        try:
            found = Site(self, site, None, graph)
        except _convert.Wrong as why:
            if self.dace and isinstance(why.__cause__, Exception) and not isinstance(why.__cause__, Error):
                self.failure = why.__cause__ # DaCe passes on what is raised inside
            raise Question(f"{description(graph)} cannot be called here: {why}") from None
        self._guard(self.shown[s.object], self.paths[s.object], "is", self.objects[s.object])
        return found

    def _graph(self, site, out):
        s = site.contents
        if getattr(self.objects[s.object], "_sdfg_always_inline", False):
            raise Question("")
        out.wrong = True
        found = self._converted(site)
        out.wrong = False
        if found is None:
            raise Question("")
        converted = found.converted
        names = converted.passed(found.parts, found.names)
        captured = self._captured(s, converted, names)
        text = converted.text(self.engine)
        if text is None or captured is None:
            raise Question("it is a program of another engine, or has no text" if text is None else "not all that it captures are arrays")
        self.kept.append(text)
        out.text, out.size = text, len(text)
        out.names, out.num_captured = self._texts(names), len(captured)
        items = (Object * max(len(captured), 1))()
        for item, (path, shown, value) in zip(items, captured.values()):
            self._array(value, path, shown, item)
        self.kept.append(items)
        out.captured = items
        out.captured_names = self._texts(list(captured))
        out.captured_paths = self._texts([shown for _, shown, _ in captured.values()])

    def _captured(self, s, converted, given):
        """What the closure of an object has and the call does not give: name -> (path, shown, array); None if something else is among it."""
        if not converted.has_closure:
            return {}
        if converted not in self.closures:
            self.closures[converted] = _convert.Captured(converted)
        captured, shown = self.closures[converted], self.shown[s.object]
        values = {name: value for name, value in captured.values.items() if name not in given}
        if not all(is_array(value) and _as_numpy(value).ndim for value in values.values()):
            return None
        root = self._root("q", captured)
        self._guard(f"what {shown} captures", root, "ask", captured)
        return {name: (f"{root}[{name!r}]", f"{shown}.{name}", value) for name, value in values.items()}

    def _callback(self, site, out):
        s = site.contents
        value = self.objects[s.object]
        if getattr(value, "_sdfg_always_inline", False):
            raise Question("it is marked with always_inline, but an argument is not known at compile time")
        found = self._converted(site)
        if found is not None:
            self._answer(s, found, out)
            return
        if not isinstance(value, Callback) and not callable(self.callee(s)):
            raise Question(f"{description(value)} cannot be called")
        explicit = value.results if isinstance(value, Callback) else None
        if explicit is None and not self.fallback:
            raise Question(f"{(s.why or b'it is no Python function').decode()}; fallback=False: it is not called by Python")
        found = Site(self, site, explicit)
        if self.typed_callbacks and any(result.dtype == OBJECT for result in found.results):
            self.announced.append((s.file.decode(), s.line, found, s.why and s.why.decode()))
            raise Question(f"the type of what the callback '{found.path}' returns is not known, and frontend.typed_callbacks_only is on")
        self._answer(s, found, out)
        if s.argument and explicit is None:
            self.announced.append((s.file.decode(), s.line, found, s.why and s.why.decode()))

    def _answer(self, s, found, out):
        found.answer(out, self.asked)
        if not s.argument:
            return
        path = f"MethodType({self.paths[s.object]}, {self.paths[s.self]})" if s.self else self.paths[s.object]
        self.sites.append((s.argument.decode(), path, found))

    def constant(self, o):
        """The Python object of a constant of the program."""
        if o.kind in (BOOL, INTEGER, FLOAT, COMPLEX):
            value = bool(o.integer) if o.kind == BOOL else o.integer if o.kind == INTEGER else o.real if o.kind == FLOAT else \
                complex(o.real, o.imaginary)
            return BY_NAME[o.type.decode()](value) if o.type and not o.weak and o.type.decode() not in _SCALAR_CLASSES else value
        if o.kind == STRING:
            return o.text.decode()
        if o.kind == TYPE:
            return BY_NAME[o.type.decode()]
        return self.objects.get(o.id) if o.id else None


_running: Dict[int, Asking] = {} # id -> Asking whose questions are being answered


def _answer_of(name, prototype):
    """What the library calls for one kind of question. Made once for all compilations: the first one of a process takes long."""
    answer = getattr(Asking, "_" + name)
    if name in ("attempt", "typed"):
        return prototype(lambda user, *arguments: answer(_running[user], *arguments))
    return prototype(lambda user, *arguments: _running[user]._answered(answer, arguments[:-1], arguments[-1].contents))


_ANSWERS = {name: _answer_of(name, prototype) for name, prototype in HOST_FUNCTIONS.items()}


class _Result:
    """A call that is made again when guards are checked."""

    def __init__(self, callee, arguments, keywords):
        self.callee, self.arguments, self.keywords = callee, arguments, keywords

    def __call__(self):
        return self.callee(*self.arguments, **self.keywords)
