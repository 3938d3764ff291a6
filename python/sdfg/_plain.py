"""What programs call of this package, as plain Python: the same values, one after the other. Compiled programs know these functions by name."""

from __future__ import annotations

import ast
import itertools
import linecache
import sys
from collections import deque
from typing import Any, Callable, Iterator, Optional

import numpy

from ._types import _known, type_of


def _dtype(dtype):
    found = type_of(dtype)
    return dtype if found is None else found.dtype


# ---- memory ----


@_known
def ndarray(shape: Any, dtype: Any = numpy.float64, *_: Any, **__: Any) -> numpy.ndarray:
    """An array whose elements have no values yet."""
    return numpy.empty(shape, _dtype(dtype))


@_known
def define_local(shape: Any, dtype: Any = numpy.float64, *_: Any, **__: Any) -> numpy.ndarray:
    """An array whose elements have no values yet."""
    return numpy.empty(shape, _dtype(dtype))


@_known
def define_local_scalar(dtype: Any = numpy.float64, *_: Any, **__: Any) -> numpy.ndarray:
    """An array of one element."""
    return numpy.empty(1, _dtype(dtype))


@_known
def stream(values: Any = ()) -> deque:
    """A queue."""
    return deque(values)


@_known
def define_stream(dtype: Any = numpy.float64, buffer_size: int = 1) -> numpy.ndarray:
    """A queue, as an array of one."""
    return define_streamarray([1], dtype, buffer_size)


@_known
def define_streamarray(shape: Any, dtype: Any = numpy.float64, buffer_size: int = 1) -> numpy.ndarray:
    """An array of queues."""
    queues = numpy.empty(shape, object)
    for index in itertools.product(*map(range, queues.shape)):
        queues[index] = deque()
    return queues


# ---- functions over arrays ----


@_known
def elementwise(function: Callable[..., Any], source: Any, target: Any = None) -> Any:
    """`function` of each element; what it gives goes into `target`, or into a new array that is returned."""
    source = numpy.asarray(source)
    values = [function(element) for element in source.flat]
    if target is None:
        return numpy.array(values).reshape(source.shape)
    target[...] = numpy.array(values).astype(target.dtype, copy=False).reshape(target.shape)
    return None


@_known
def reduce(function: Callable[[Any, Any], Any], source: Any, target: Any = None, axis: Any = None, identity: Any = None) -> Any:
    """`source` without the dimensions `axis` (all: None), whose elements `function` combines in order; without `identity` they are combined
    with what is in `target`."""
    source = numpy.asarray(source)
    axes = tuple(range(source.ndim)) if axis is None else tuple(a % source.ndim for a in (axis if isinstance(axis, (tuple, list)) else (axis,)))
    kept = [i for i in range(source.ndim) if i not in axes]
    shape = [source.shape[i] for i in kept]
    rows = source.transpose(*kept, *axes).reshape([*shape, -1])
    made = numpy.empty(shape or [1], source.dtype if target is None else target.dtype)
    known = None if target is None else target.reshape(made.shape)
    for index in itertools.product(*map(range, shape)):
        values = list(rows[index]) if shape else list(rows)
        at = index or (0,)
        start = identity if identity is not None else known[at] if known is not None else values.pop(0)
        for value in values:
            start = function(start, value)
        made[at] = start
    if target is None:
        return made
    target[...] = made.reshape(target.shape)
    return None


@_known
def consume(queue: Any, *_: Any) -> Iterator[Any]:
    """The elements of a stream until it is empty."""
    while queue:
        yield queue.pop()


# ---- tasklets ----


class _Skip(BaseException):
    """Leaves the block of a with statement before its first line."""


class _Tasklet:
    """`with sdfg.tasklet:`, in Python: its memlets are read, the rest is run, and the other memlets are written."""

    _sdfg_builtin = "sdfg.tasklet"

    def __call__(self, *options: Any, **more: Any) -> Any:
        if len(options) == 1 and not more and callable(options[0]): # a decorator
            function = options[0]
            raise NotImplementedError(f"the tasklet '{function.__name__}', a function, outside of a program: write it as a `with` block")
        return self

    def __enter__(self) -> None:
        frame = sys._getframe(1)
        exec(_code_of(frame), frame.f_globals, _Names(frame))
        self._kept = sys.gettrace(), frame.f_trace
        sys.settrace(lambda *_: None)

        def leave(*_: Any) -> None:
            raise _Skip
        frame.f_trace = leave

    def __exit__(self, kind: Optional[type], *_: Any) -> bool:
        sys.settrace(self._kept[0])
        sys._getframe(1).f_trace = self._kept[1]
        return kind is _Skip


class _Names(dict):
    """The local variables of a frame as those of a tasklet, which assigns none of them."""

    def __init__(self, frame):
        super().__init__(frame.f_locals)


tasklet = _Tasklet()


def _code_of(frame):
    path, line = frame.f_code.co_filename, frame.f_lineno
    text = "".join(linecache.getlines(path, frame.f_globals))
    block = None
    for node in ast.walk(ast.parse(text)) if text else ():
        if isinstance(node, ast.With) and node.lineno <= line <= node.items[-1].context_expr.end_lineno:
            block = node
    if block is None:
        raise RuntimeError(f"the text of the tasklet in line {line} of '{path}' is not known")
    if len(block.body) == 1 and isinstance(block.body[0], ast.Expr) and isinstance(block.body[0].value, ast.Constant):
        raise NotImplementedError("a tasklet in another language, outside of a program")
    module = ast.Module(_Body().statements(block), [])
    return compile(ast.fix_missing_locations(module), path, "exec")


class _Body(ast.NodeTransformer):
    """Memlets as statements: `a << A[i]` is read first, `b >> B[i]` written last; with -1 elements `b` stands for the array."""

    def __init__(self):
        self.dynamic = {} # connector -> (place, lambda or None)

    def statements(self, block):
        before, after, rest = [], [], []
        for statement in block.body:
            value = statement.value if isinstance(statement, ast.Expr) else None
            if isinstance(value, ast.BinOp) and isinstance(value.op, (ast.LShift, ast.RShift)) and isinstance(value.left, ast.Name):
                self.memlet(statement, value.left.id, value.right, isinstance(value.op, ast.LShift), before, after)
            else:
                rest.append(statement)
        return before + [self.visit(statement) for statement in rest] + after

    def memlet(self, statement, name, right, reads, before, after):
        call = right if isinstance(right, ast.Call) else right.value if isinstance(right, ast.Subscript) else None
        subset = ast.unparse(right.slice) if isinstance(right, ast.Subscript) else ":"
        if isinstance(right, ast.Subscript) and isinstance(right.slice, ast.Tuple): # slices cannot stand in parentheses
            subset = ", ".join(map(ast.unparse, right.slice.elts)) + ","
        dynamic, wcr = False, None
        if isinstance(call, ast.Call):
            array = ast.unparse(call.func)
            dynamic = ast.unparse(call.args[0]) == "-1" if call.args else False
            wcr = ast.unparse(call.args[1]) if len(call.args) > 1 else None
        else:
            array = ast.unparse(right.value if isinstance(right, ast.Subscript) else right)
        place = f"{array}[{subset}]"
        if reads:
            before += self.parsed(f"{name} = {place}", statement)
        elif dynamic:
            self.dynamic[name] = place, wcr
            before += self.parsed(f"{name} = {place}", statement)
        else:
            after += self.parsed(f"{place} = ({wcr})({place}, {name})" if wcr else f"{place} = {name}", statement)

    def visit_Assign(self, node):
        target = node.targets[0]
        if len(node.targets) == 1 and isinstance(target, ast.Name) and target.id in self.dynamic:
            place, wcr = self.dynamic[target.id]
            value = ast.unparse(node.value)
            return self.parsed(f"{place} = ({wcr})({place}, {value})" if wcr else f"{place} = {value}", node)[0]
        return node

    @staticmethod
    def parsed(text, place):
        statements = ast.parse(text).body
        for statement in statements:
            for node in ast.walk(statement):
                ast.copy_location(node, place)
        return statements


def scalar_function(name: str) -> Callable[..., Any]:
    """A function of numbers that programs have by this name, as NumPy's."""
    function = getattr(numpy, name)

    def of(*values: Any) -> Any:
        return function(*values)
    of.__name__ = of.__qualname__ = name
    return _known(of)


FUNCTIONS: dict[str, Any] = {f.__name__: f for f in (stream, ndarray, define_local, define_local_scalar, define_stream, define_streamarray, elementwise, reduce, consume)}
FUNCTIONS.update({name: scalar_function(name) for name in ("ceil", "floor", "exp", "log", "sin", "cos", "tan", "sinh", "cosh", "tanh", "sqrt")},
                 tasklet=tasklet)
