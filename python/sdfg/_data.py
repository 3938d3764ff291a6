"""Containers of graphs that are built in Python."""

from ._memlet import symbolic, text_of
from ._types import type_of


def _name(value):
    return getattr(value, "name", value)


class Data:
    """A container. `kind` is that of the file: "Array", "Scalar", "Stream", "View" ..."""

    def __init__(self, kind, dtype, shape=(1,), *, transient=False, storage=None, strides=None, lifetime=None, offset=None, total_size=None,
                 may_alias=False, alignment=0, optional=None, buffer_size=None):
        found = type_of(dtype)
        if found is None:
            raise TypeError(f"{dtype!r} is no element type")
        self.kind, self.dtype, self.transient = kind, found, transient
        self.shape = tuple(shape) if isinstance(shape, (list, tuple)) else (shape,)
        self.storage, self.lifetime, self.may_alias, self.alignment, self.optional = storage, lifetime, may_alias, alignment, optional
        self.strides = tuple(strides) if strides is not None else None
        self.offset, self.total_size, self.buffer_size = offset, total_size, buffer_size
        for n in (*self.shape, *(self.strides or ())):
            text_of(n)

    def texts(self):
        """All that symbols may be in."""
        return [text_of(n) for n in (*self.shape, *(self.strides or ()), *([self.total_size] if self.total_size is not None else ()))]

    def to_json(self):
        attributes = {"dtype": self.dtype.name, "shape": [symbolic(n) for n in self.shape], "transient": self.transient}
        if self.strides is not None:
            attributes["strides"] = [symbolic(n) for n in self.strides]
        if self.total_size is not None:
            attributes["total_size"] = symbolic(self.total_size)
        if self.offset is not None:
            attributes["offset"] = [symbolic(n) for n in self.offset]
        if self.buffer_size is not None:
            attributes["buffer_size"] = symbolic(self.buffer_size)
        for name in "storage", "lifetime":
            if getattr(self, name) is not None:
                attributes[name] = _name(getattr(self, name))
        for name in "may_alias", "alignment", "optional":
            if getattr(self, name):
                attributes[name] = getattr(self, name)
        return {"type": self.kind, "attributes": attributes}

    def __repr__(self):
        return f"{self.kind}({self.dtype.name}{list(self.shape)})"
