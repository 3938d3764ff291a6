"""Element types made of others: vectors, structures, pointers."""

from __future__ import annotations

import ctypes

import numpy

from ._types import Type, type_of


class Composed(Type):
    """An element type made of others; `json` is what files say."""

    def __new__(cls, *_, **__):
        return object.__new__(cls)

    def __init__(self, name, dtype, json):
        self.name, self.dtype, self.json = name, numpy.dtype(dtype), json

    def __eq__(self, other):
        return isinstance(other, Composed) and self.json == other.json

    def __hash__(self):
        return hash(self.name)

    def __reduce__(self):
        return _composed, (type(self), self.name, self.dtype, self.json)


def _composed(kind, *parts):
    made = object.__new__(kind)
    Composed.__init__(made, *parts)
    return made


def json_of(found):
    """An element type as files have it; None where it is inferred."""
    return found if found is None or isinstance(found, str) else getattr(found, "json", found.name)


def _element(kind):
    """The element type; Type(kind) would make a composed one anew, of itself."""
    return kind if isinstance(kind, Composed) else Type(kind)


class vector(Composed):
    """Elements of several numbers: vector(sdfg.float32, 4)."""

    def __init__(self, dtype, lanes):
        base = _element(dtype)
        super().__init__(f"vector({base.name}, {lanes})", (base.dtype, (lanes,)),
                         {"type": "vector", "dtype": json_of(base), "elements": str(lanes)})


class pointer(Composed):
    """Addresses of elements: pointer(sdfg.float32)."""

    def __init__(self, dtype):
        base = type_of(dtype)
        super().__init__(f"pointer({base.name if base else 'void'})", numpy.uintp, {"type": "pointer", "dtype": json_of(base)})


class opaque(Composed):
    """A type of C of which nothing but its name is known."""

    def __init__(self, ctype):
        super().__init__(f"opaque({ctype})", numpy.uintp, {"type": "opaque", "ctype": ctype})


class struct(Composed):
    """Elements with named fields: struct("pair", index=sdfg.int32, value=sdfg.float64). A field that is a pointer has its number of elements
    beside it: (sdfg.pointer(sdfg.float32), "n")."""

    def __init__(self, name, **fields):
        lengths = {field: kind[1] for field, kind in fields.items() if isinstance(kind, tuple)}
        self.fields = {field: _element(kind[0] if isinstance(kind, tuple) else kind) for field, kind in fields.items()}
        dtype = numpy.dtype([(field, kind.dtype) for field, kind in self.fields.items()], align=True)
        super().__init__(name, dtype, {"type": "struct", "name": name, "data": [[f, json_of(kind)] for f, kind in self.fields.items()],
                                       "length": [[f, str(n)] for f, n in lengths.items()],
                                       "bytes": sum(kind.bytes for kind in self.fields.values())})

    def __call__(self, **values):
        """An element; fields that are not given are 0."""
        made = numpy.zeros((), self.dtype)
        for field, value in values.items():
            made[field] = value
        return made[()]

    def as_ctypes(self):
        """A class of ctypes with the same members."""
        fields = [(field, numpy.ctypeslib.as_ctypes_type(kind.dtype)) for field, kind in self.fields.items()]
        return type(self.name, (ctypes.Structure,), {"_fields_": fields})


class Raw(Composed):
    """A type of a file that has no other object here."""

    def __init__(self, json):
        super().__init__(str(json.get("type", json)), numpy.uintp, json)


def from_json(json):
    """The element type that a file says."""
    if json is None or isinstance(json, str):
        return type_of(json)
    kind = json.get("type")
    if kind == "vector" and str(json["elements"]).isdigit():
        return vector(from_json(json["dtype"]), int(json["elements"]))
    if kind == "pointer":
        return pointer(from_json(json["dtype"]))
    if kind == "struct":
        lengths = dict(json["length"])
        return struct(json["name"], **{name: (from_json(t), lengths[name]) if name in lengths else from_json(t) for name, t in json["data"]})
    return opaque(json["ctype"]) if kind == "opaque" else Raw(json)
