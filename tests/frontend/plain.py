"""Programs that use DaCe's own constructs, as plain Python for CPython: tasklets with memlets, maps and consume scopes that are
functions, streams, copies by `<<` and `>>`. load(path) gives the module with them replaced, run with stand_in's `dace`."""
import ast
import collections
import functools
import importlib.abc
import importlib.machinery
import os
import sys
import types

import numpy as np

import stand_in

LOADED = {"dace", "pytest", "common", "click", "mpi4py", "cupy", "torch", "typing_extensions", "networkx"}


class Anything(types.ModuleType):
    """A module, function, decorator or value that a test file names and its programs do not need."""

    def __init__(self, name="anything"):
        super().__init__(name)
        self.__path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything(name)

    def __call__(self, *args, **kwargs):
        return args[0] if len(args) == 1 and not kwargs and callable(args[0]) else Anything()

    def __getitem__(self, index):
        return Anything()

    def __matmul__(self, other):
        return self

    def __rmatmul__(self, other):
        return other


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        if name.split(".")[0] not in LOADED:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return Anything(spec.name)

    def exec_module(self, module):
        pass


def dtype_of(t):
    return np.dtype(t.dtype if isinstance(t, (stand_in.Type, stand_in.Descriptor)) else t)


class Stream(collections.deque):
    pass


class Unset:
    pass


UNSET = Unset()


def read(container, index, whole):
    """What an input connector holds."""
    if isinstance(container, list):
        container = container[index]
    if isinstance(container, Stream):
        return container.popleft()
    if not isinstance(container, np.ndarray):
        return container
    view = container if whole else container[index]
    if isinstance(view, np.ndarray) and view.size == 1:
        return view.reshape(-1)[0]
    return np.squeeze(view) if isinstance(view, np.ndarray) else view


def written(container, index, whole):
    """What an output connector holds before the code: the region, if it is more than an element."""
    if not isinstance(container, np.ndarray):
        return UNSET
    view = container if whole else container[index]
    return np.squeeze(view) if isinstance(view, np.ndarray) and view.size > 1 else UNSET


def write(container, index, whole, value, combine, before):
    """Stores what the code left in an output connector; the container, which may be a variable."""
    if isinstance(container, list) and value is not UNSET:
        container[index].append(value)
        return container
    if value is UNSET or (value is before and isinstance(value, np.ndarray)):
        return container
    if isinstance(container, Stream):
        container.append(value)
        return container
    if not isinstance(container, np.ndarray):
        return combine(container, value) if combine else value
    index = slice(None) if whole else index
    if isinstance(container[index], np.ndarray) and np.ndim(value):
        value = np.reshape(value, container[index].shape)
    container[index] = combine(container[index], value) if combine else value
    return container


def copy(container, index, value):
    """What `container[index] << value` does."""
    target = container if index is None else container[index]
    if isinstance(target, Stream):
        target.extend(np.ravel(value))
    elif isinstance(value, Stream):
        for i in range(min(len(value), target.size)):
            target.flat[i] = value.popleft()
    else:
        container[slice(None) if index is None else index] = value


def taken(stream, count):
    """What a consume scope takes at a time."""
    return stream.popleft() if count == 1 else np.array([stream.popleft() for _ in range(min(count, len(stream)))])


def consume(stream, workers):
    """for x in dace.consume(...)"""
    while stream:
        yield stream.popleft()


def name_of(node):
    """"map" of dace.map, "" of anything else."""
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("dace", "dc", "sdfg"):
        return node.attr
    return ""


def access_of(node):
    """The container, the arguments in parentheses and the subset of A(1, f)[i]."""
    subset = arguments = None
    if isinstance(node, ast.Subscript):
        subset, node = node.slice, node.value
    if isinstance(node, ast.Call):
        arguments, node = node.args, node.func
    if isinstance(node, ast.Subscript):
        subset, node = node.slice, node.value
    return node, arguments or [], subset


def parsed(text, **parts):
    """Statements of a text in which names stand for expressions."""

    class Replace(ast.NodeTransformer):
        def visit_Name(self, node):
            new = parts.get(node.id)
            return new if new is not None else node

    tree = ast.parse(text)
    return Replace().visit(tree).body


def store(node):
    copy = ast.parse(ast.unparse(node), mode="eval").body
    copy.ctx = ast.Store()
    return copy


def is_memlet(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.BinOp) and isinstance(node.value.op, (ast.LShift, ast.RShift))


class Plain(ast.NodeTransformer):
    def __init__(self):
        self.count = 0

    def memlet(self, node):
        target, arguments, subset = access_of(node.value.right)
        index = ast.Subscript(ast.Name("np_s_", ast.Load()), subset, ast.Load()) if subset is not None else ast.Constant(None)
        return target, arguments, index, ast.Constant(subset is None)

    def tasklet(self, body):
        reads, code, writes = [], [], []
        for node in body:
            if not is_memlet(node):
                if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                    code += ast.parse(str(node.value.value).strip().replace(";", "\n")).body # simple C++ is Python, too
                    continue
                code.append(node)
                continue
            target, arguments, index, whole = self.memlet(node)
            connector = node.value.left
            out = isinstance(node.value.op, ast.RShift)
            self.count += 1
            if not out:
                reads += parsed("c = plain_.read(t, i, w)", c=store(connector), t=target, i=index, w=whole)
                continue
            combine = arguments[1] if len(arguments) > 1 else ast.Constant(None)
            before = ast.Name(f"before_{self.count}_", ast.Load())
            reads += parsed("b_ = b = plain_.written(t, i, w)", b=store(connector), b_=store(before), t=target, i=index, w=whole)
            writes += parsed("s = plain_.write(t, i, w, v, f, b)", s=store(target), t=target, i=index, w=whole, v=connector,
                             f=combine, b=before)
        return reads + code + writes

    def many(self, body):
        out = []
        for node in body:
            new = self.visit(node)
            out += new if isinstance(new, list) else [new]
        return out

    def visit_With(self, node):
        kind = name_of(node.items[0].context_expr)
        if kind == "tasklet":
            return self.tasklet(node.body)
        node.body = self.many(node.body)
        return node.body if kind == "named" else node

    def visit_FunctionDef(self, node):
        kind = name_of(node.decorator_list[0]) if len(node.decorator_list) == 1 else ""
        call = node.decorator_list[0] if kind and isinstance(node.decorator_list[0], ast.Call) else None
        if kind == "tasklet":
            return self.tasklet(node.body)
        if kind in ("map", "mapscope"):
            ranges = [a.annotation.slice if a.annotation else None for a in node.args.args]
            if call and call.args:
                given = call.args[0].slice
                ranges = given.elts if isinstance(given, ast.Tuple) else [given]
            body = self.tasklet(node.body) if kind == "map" else self.many(node.body)
            for a, r in reversed(list(zip(node.args.args, ranges))):
                step = r.step or ast.Constant(1)
                body = [
                    ast.For(target=ast.Name(a.arg, ast.Store()), orelse=[], body=body,
                            iter=parsed("range(a, b, s)", a=r.lower or ast.Constant(0), b=r.upper, s=step)[0].value)]
            return body
        if kind in ("consume", "consumescope"):
            element, pe = (a.arg for a in node.args.args)
            body = self.tasklet(node.body) if kind == "consume" else self.many(node.body)
            stream, end, count = call.args[0], call.args[2] if len(call.args) > 2 else ast.Constant(None), call.args[3] if len(call.args) > 3 else ast.Constant(1)
            return [ast.While(test=parsed("s and not e", s=stream, e=end)[0].value, orelse=[],
                              body=parsed(f"{element} = plain_.taken(stream_, count_)", stream_=stream, count_=count) + parsed(f"{pe} = 0") + body)]
        node.body = self.many(node.body)
        return node

    def visit_Expr(self, node):
        if not is_memlet(node) or not isinstance(node.value.left, (ast.Name, ast.Subscript, ast.Call)):
            return node
        left, right = node.value.left, node.value.right
        if isinstance(node.value.op, ast.RShift):
            left, right = right, left
        (to, _, at), (source, _, subset) = access_of(left), access_of(right)
        index = ast.Subscript(ast.Name("np_s_", ast.Load()), at, ast.Load()) if at is not None else ast.Constant(None)
        value = ast.Subscript(source, subset, ast.Load()) if subset is not None else source
        return parsed("plain_.copy(t, i, v)", t=to, i=index, v=value)


def install():
    sys.meta_path.insert(0, Finder())
    stand_in.install()
    for name in ("dace", "sdfg"):
        extend(sys.modules[name])


def reduce(function, array, out=None, axis=None, identity=None):
    """dace.reduce: folds the elements along the axes; without an identity it adds to what is in `out`."""
    if out is not None and not isinstance(out, np.ndarray):
        out, axis, identity = None, out, axis if identity is None else identity
    axes = range(array.ndim) if axis is None else np.atleast_1d(axis) % array.ndim
    kept = [i for i in range(array.ndim) if i not in axes]
    rows = np.transpose(array, kept + list(axes)).reshape([array.shape[i] for i in kept] + [-1])
    start = out if out is not None and identity is None else identity
    result = np.empty(rows.shape[:-1], array.dtype)
    for i in np.ndindex(result.shape):
        values = list(rows[i]) if start is None else [np.reshape(start, result.shape)[i] if np.ndim(start) else start, *rows[i]]
        result[i] = functools.reduce(function, values)
    if out is None:
        return result
    out[...] = result.reshape(out.shape)
    return out


def move(source, target, *args):
    """What one process sends to itself."""
    target[...] = source.reshape(target.shape)


def extend_messages(dace):
    """dace.comm and dace.distr for one process."""
    dace.comm = types.SimpleNamespace(Scatter=move, Gather=move, BCScatter=move, BCGather=move)
    dace.distr = types.SimpleNamespace(MatMult=lambda a, b, *args, **kwargs: a @ b)


class Decorator(types.ModuleType):
    """The module dace, which is a decorator itself."""

    def __call__(self, function=None, *args, **kwargs):
        return self.program(function, *args, **kwargs)


def extend(dace):
    anything = Anything("dace")
    dace.__class__ = Decorator
    dace.bool_ = dace.bool
    dace.__path__ = []
    dace.__getattr__ = lambda name: getattr(anything, name)
    dace.reduce = reduce
    extend_messages(dace)

    def program(function=None, *args, **kwargs):
        if not isinstance(function, types.FunctionType):
            return program
        function.to_sdfg = function.compile = Anything()
        return function

    dace.program = dace.function = program
    dace.symbol = lambda name, dtype=None, **assumptions: stand_in.SIZES[name]
    dace.define_stream = lambda *args, **kwargs: Stream()
    dace.define_streamarray = dace.stream = lambda shape, *args, **kwargs: Stream() if shape == [1] else [Stream() for _ in range(shape[0])]
    dace.consume = consume
    dace.define_local = lambda shape, dtype=None, **kwargs: np.zeros(shape, dtype_of(dtype))
    dace.define_local_scalar = lambda dtype=None, **kwargs: np.zeros(1, dtype_of(dtype))[0]
    dace.ndarray = lambda shape, dtype=None, **kwargs: np.zeros(shape, dtype_of(dtype))
    dace.unroll = dace.nounroll = dace.inline = lambda x: x
    for name in ("exp", "sin", "cos", "tanh", "sqrt", "log", "floor", "ceil"):
        setattr(dace, name, getattr(np, name))


def load(path, unwritten=0):
    """The module with its programs as plain functions; np.empty gives arrays of `unwritten`."""

    def empty(shape, dtype=float, **kwargs):
        return np.full(shape, unwritten, dtype_of(dtype))

    np.empty, np.empty_like = empty, lambda a, dtype=None, shape=None, **kwargs: empty(shape or a.shape, dtype or a.dtype)
    with open(path) as f:
        tree = ast.parse(f.read())
    tree = ast.fix_missing_locations(Plain().visit(tree))
    module = types.ModuleType("module_" + os.path.basename(path)[:-3])
    module.__file__ = path
    module.plain_ = sys.modules[__name__]
    module.np_s_ = np.s_
    for name in ("exp", "log", "sqrt", "sin", "cos", "floor", "ceil"): # tasklets know these
        setattr(module, name, getattr(np, name))
    module.dace_conj = np.conj
    module.parrange = module.prange = range
    module.distr = sys.modules["dace"].distr
    sys.modules[module.__name__] = module
    exec(compile(tree, path, "exec"), vars(module))
    return module
