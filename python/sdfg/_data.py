"""Containers of graphs that are built in Python."""

import numpy

from ._composed import from_json, json_of
from ._memlet import symbolic, text_from, text_of
from ._types import Descriptor, Type, type_of


def _name(value):
    return getattr(value, "name", value)


class Data:
    """A container. `kind` is that of the file: "Array", "Scalar", "Stream", "ArrayView", "Structure" ..."""

    def __init__(self, kind, dtype, shape=(1,), *, transient=False, storage=None, strides=None, lifetime=None, offset=None, total_size=None,
                 may_alias=False, alignment=0, optional=None, buffer_size=None, members=None, name=None, stype=None):
        found = from_json(dtype) if isinstance(dtype, (dict, str)) else type_of(dtype)
        if found is None and members is None and stype is None:
            raise TypeError(f"{dtype!r} is no element type")
        self.kind, self.dtype, self.transient = kind, found, transient
        self.shape = tuple(shape) if isinstance(shape, (list, tuple)) else (shape,)
        self.storage, self.lifetime, self.may_alias, self.alignment, self.optional = storage, lifetime, may_alias, alignment, optional
        self.strides = strides
        self.offset, self.total_size, self.buffer_size = offset, total_size, buffer_size
        self.members = None if members is None else {name: m if isinstance(m, (int, str)) else data_of(m) for name, m in members.items()}
        self.name, self.stype, self.more = name, stype and data_of(stype), {}
        for n in (*self.shape, *(self.own_strides or ())):
            text_of(n)

    @property
    def strides(self):
        """Those that were given, or those of elements side by side; `own_strides` is None for the latter."""
        if self.own_strides is not None:
            return self.own_strides
        found, step = [], 1
        for n in reversed(self.shape):
            found.insert(0, step)
            step = step * n if isinstance(step, int) and isinstance(n, int) else text_from(f"({text_of(step)}) * ({text_of(n)})")
        return tuple(found)

    @strides.setter
    def strides(self, values):
        self.own_strides = None if values is None else tuple(values)

    def texts(self):
        """All that symbols may be in."""
        inner = [*(self.members or {}).values(), *([self.stype] if self.stype else ())]
        return [text_of(n) for n in (*self.shape, *(self.own_strides or ()), *([self.total_size] if self.total_size is not None else ()))] + \
            [text for m in inner for text in (m.texts() if isinstance(m, Data) else [text_of(m)])]

    def copy(self, **changes):
        made = Data.__new__(Data)
        vars(made).update(vars(self), **changes)
        return made

    @property
    def ndim(self):
        return len(self.shape)

    def to_json(self):
        attributes = {**self.more, "shape": [symbolic(n) for n in self.shape], "transient": self.transient}
        if self.dtype is not None:
            attributes["dtype"] = json_of(self.dtype)
        if self.own_strides is not None:
            attributes["strides"] = [symbolic(n) for n in self.own_strides]
        if self.total_size is not None:
            attributes["total_size"] = symbolic(self.total_size)
        if self.offset is not None:
            attributes["offset"] = [symbolic(n) for n in self.offset]
        if self.buffer_size is not None:
            attributes["buffer_size"] = symbolic(self.buffer_size)
        if self.members is not None:
            attributes["members"] = [[name, m.to_json() if isinstance(m, Data) else symbolic(m)] for name, m in self.members.items()]
        if self.name is not None:
            attributes["name"] = self.name
        if self.stype is not None:
            attributes["stype"] = self.stype.to_json()
        for name in "storage", "lifetime":
            if getattr(self, name) is not None:
                attributes[name] = _name(getattr(self, name))
        for name in "may_alias", "alignment", "optional":
            if getattr(self, name):
                attributes[name] = getattr(self, name)
        return {"type": self.kind, "attributes": attributes}

    def __repr__(self):
        return f"{self.kind}({self.dtype.name if self.dtype else ''}{list(self.shape)})"


def data_of(value):
    """The container that a descriptor, an element type or an array describes."""
    if isinstance(value, Data):
        return value
    if isinstance(value, Descriptor):
        return Data("Array", value.dtype, value.shape)
    if isinstance(value, Type):
        return Data("Scalar", value)
    if isinstance(value, numpy.ndarray):
        return Data("Array", value.dtype, value.shape, strides=[s // value.itemsize for s in value.strides])
    raise TypeError(f"{value!r} describes no container")
