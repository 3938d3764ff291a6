"""Symbolic texts, ranges and memlets of graphs that are built in Python. Texts are Python's (`N // 2`, `0:N`, ends exclusive, as DaCe's users
write them); what is written into files has DaCe's syntax."""

import ast
import re

import numpy

from ._types import Expression, symbol

_FUNCTIONS = {"min": "Min", "max": "Max", "abs": "Abs"}
_BINARY = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Mod: "%", ast.Pow: "**"}
_COMPARE = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}


def text_of(value):
    """A size or index as Python text."""
    if isinstance(value, (bool, numpy.bool_)):
        return str(int(value))
    if isinstance(value, (int, numpy.integer)):
        return str(int(value))
    if isinstance(value, (str, Expression)) or hasattr(value, "free_symbols"):
        return str(value)
    raise TypeError(f"a size or index is an integer, a symbol or a text, not {type(value).__name__}")


def _parsed(text):
    try:
        return ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise ValueError(f"'{text}' is no expression: {error.msg}") from None


def symbolic(value):
    """The same in the syntax of files: names of symbols begin with $."""
    return _print(_parsed(text_of(value)))


def _print(n):
    if isinstance(n, ast.Constant) and isinstance(n.value, (int, float)):
        return str(int(n.value)) if isinstance(n.value, bool) else repr(n.value)
    if isinstance(n, ast.Name):
        return f"${n.id}"
    if isinstance(n, ast.UnaryOp) and isinstance(n.op, (ast.USub, ast.UAdd)):
        return f"(-{_print(n.operand)})" if isinstance(n.op, ast.USub) else _print(n.operand)
    if isinstance(n, ast.BinOp) and isinstance(n.op, ast.FloorDiv):
        return f"int_floor({_print(n.left)}, {_print(n.right)})"
    if isinstance(n, ast.BinOp) and type(n.op) in _BINARY:
        return f"({_print(n.left)} {_BINARY[type(n.op)]} {_print(n.right)})"
    if isinstance(n, ast.Compare) and len(n.ops) == 1 and type(n.ops[0]) in _COMPARE:
        return f"({_print(n.left)} {_COMPARE[type(n.ops[0])]} {_print(n.comparators[0])})"
    if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and not n.keywords:
        return f"{_FUNCTIONS.get(n.func.id, n.func.id)}({', '.join(map(_print, n.args))})"
    raise ValueError(f"'{ast.unparse(n)}' cannot be part of a size or an index")


def names_of(text):
    """The symbols in an expression."""
    called = {id(n.func) for n in ast.walk(_parsed(text)) if isinstance(n, ast.Call)}
    return {n.id for n in ast.walk(_parsed(text)) if isinstance(n, ast.Name) and id(n) not in called}


def text_from(text):
    """A size of a file as an integer, a symbol or an expression."""
    text = str(text).replace("$", "")
    try:
        return int(text)
    except ValueError:
        return symbol(text) if text.isidentifier() else Expression(text, {name: symbol(name) for name in names_of(text)}, False)


def _split(text, separator):
    """The parts of a text between separators outside brackets."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "([") - (c in ")]")
        if c == separator and not depth:
            parts.append(text[start:i])
            start = i + 1
    return [part.strip() for part in parts + [text[start:]]]


class Range:
    """One range per dimension: (first, last, step, tile), the last one included, as texts."""

    def __init__(self, dimensions):
        self.dimensions = [(text_of(d[0]), text_of(d[1]), *(text_of(n) for n in d[2:]), *("1", "1")[len(d) - 2:]) for d in dimensions]

    @classmethod
    def of(cls, subset):
        """From a text "i, 0:N", a tuple per dimension with its last element included, or a Range."""
        if isinstance(subset, Range):
            return subset
        if isinstance(subset, (list, tuple)):
            return cls([d if isinstance(d, (list, tuple)) else (d, d) for d in subset])
        found = []
        for part in _split(text_of(subset), ","):
            ends = _split(part, ":")
            if len(ends) > 4 or not all(ends):
                raise ValueError(f"'{part}' in '{subset}' is no index and no range such as 0:N")
            found.append((ends[0], ends[0]) if len(ends) == 1 else (ends[0], f"({ends[1]}) - 1", *ends[2:]))
        return cls(found)

    @classmethod
    def whole(cls, shape):
        return cls([("0", f"({text_of(n)}) - 1") for n in shape])

    def to_json(self):
        return {"type": "Range", "ranges": [{"start": symbolic(a), "end": symbolic(b), "step": symbolic(s), "tile": symbolic(t)}
                                            for a, b, s, t in self.dimensions]}

    def volume(self):
        return " * ".join(f"((({b}) - ({a}) + ({s})) // ({s}))" + (f" * ({t})" if t != "1" else "") if a != b else t
                          for a, b, s, t in self.dimensions) or "1"

    @classmethod
    def from_string(cls, text):
        return cls.of(text)

    @classmethod
    def from_array(cls, array):
        return cls.whole(array.shape)

    @classmethod
    def from_indices(cls, indices):
        return cls.of(list(indices))

    def __str__(self):
        return ", ".join(a if a == b else f"{a}:{b} + 1" + (f":{s}" if s != "1" else "") for a, b, s, _ in self.dimensions)


class Memlet:
    """What moves along an edge: Memlet("A[i, 0:N]"), Memlet("A[0:4] -> [2:6]"), Memlet(data="A", subset="i"), or Memlet(), which only orders.
    `wcr`: a lambda as text, by which what is written is combined with what is there; `volume`: how many elements move, at most if `dynamic`."""

    def __init__(self, expr=None, data=None, subset=None, other_subset=None, volume=None, dynamic=False, wcr=None, wcr_nonatomic=False,
                 allow_oob=False):
        if expr is not None:
            if data is not None:
                raise TypeError("a memlet is given by a text or by the name of its data")
            head, _, other = expr.partition("->")
            match = re.fullmatch(r"\s*([A-Za-z_][\w.]*)\s*(?:\[(.*)\])?\s*", head, re.S)
            if not match:
                raise ValueError(f"'{expr}' is no memlet: write Memlet('A[i, 0:N]')")
            data, subset = match.group(1), match.group(2)
            if other.strip():
                other_subset = re.fullmatch(r"\s*(?:[A-Za-z_]\w*)?\s*\[(.*)\]\s*", other, re.S)
                if not other_subset:
                    raise ValueError(f"'{expr}' is no memlet: behind -> there is a range in brackets")
                other_subset = other_subset.group(1)
        self.data, self.volume, self.dynamic, self.wcr, self.wcr_nonatomic, self.allow_oob = \
            data, volume, dynamic, wcr, wcr_nonatomic, allow_oob
        self.debuginfo = None # of a file: where the source is that it came from
        self.subset = None if subset is None else Range.of(subset)
        self.other_subset = None if other_subset is None else Range.of(other_subset)
        if self.volume == -1:
            self.volume, self.dynamic = 0, True

    @classmethod
    def simple(cls, data, subset_str, wcr_str=None, other_subset_str=None, wcr_conflict=True, num_accesses=None, dynamic=False):
        """From the name of a container and a subset: Memlet.simple("A", "i, 0:N")."""
        return cls(data=getattr(data, "data", data), subset=subset_str, wcr=wcr_str, other_subset=other_subset_str, volume=num_accesses,
                   dynamic=dynamic, wcr_nonatomic=not wcr_conflict)

    @classmethod
    def from_array(cls, dataname, datadesc, wcr=None):
        """All elements of a container."""
        return cls(data=dataname, subset=Range.whole(datadesc.shape), wcr=wcr)

    def is_empty(self):
        """Whether it moves nothing and only orders its ends."""
        return self.data is None

    def outside(self, node=None):
        """The same memory as seen outside of a map: all of the container, which is more than what moves. `node`: the access node there."""
        data = self.data if node is None or node.data is None else node.data
        return Memlet(data=data, wcr=self.wcr, wcr_nonatomic=self.wcr_nonatomic)

    def to_json(self, arrays):
        """As a file has it."""
        if self.data is None:
            return {"type": "Memlet", "attributes": {"volume": "1"}}
        subset = self.subset
        if subset is None and self.data in arrays:
            subset = Range.whole(arrays[self.data].shape)
        attributes = {"data": self.data, "subset": subset and subset.to_json(),
                      "volume": symbolic(self.volume if self.volume is not None else subset.volume() if subset else 1)}
        if self.other_subset is not None:
            attributes["other_subset"] = self.other_subset.to_json()
        if self.dynamic:
            attributes["dynamic"] = True
        if self.wcr is not None:
            attributes["wcr"] = self.wcr
        if self.wcr_nonatomic:
            attributes["wcr_nonatomic"] = True
        if self.debuginfo is not None:
            attributes["debuginfo"] = self.debuginfo
        return {"type": "Memlet", "attributes": attributes}

    def __repr__(self):
        return f"Memlet({self.data}{[':'.join(d) for d in self.subset.dimensions] if self.subset else ''})"
