"""Programs of objects."""

import types


class Method:
    """A program of an object: its functions are those of Function, with the object as the first argument."""

    __slots__ = ("__func__", "__self__", "_sdfg_method", "__dict__", "__weakref__")

    def __init__(self, function, instance):
        self.__func__, self.__self__, self._sdfg_method = function, instance, True
        self.__name__, self.__qualname__, self.__doc__ = function.__name__, function.__qualname__, function.__doc__

    def __call__(self, *args, **kwargs):
        return self.__func__(self.__self__, *args, **kwargs)

    @property
    def f(self):
        return types.MethodType(self.__func__.f, self.__self__)

    def bind(self, *args, **kwargs):
        return self.__func__.bind(self.__self__, *args, **kwargs)

    def compile(self, *args, **kwargs):
        return self.__func__.compile(self.__self__, *args, **kwargs)

    def to_sdfg(self, *args, **kwargs):
        return self.__func__.to_sdfg(self.__self__, *args, **kwargs)

    def export(self, path, *args, **kwargs):
        self.__func__.export(path, self.__self__, *args, **kwargs)

    def inspect(self, what, *args, **kwargs):
        return self.__func__.inspect(what, self.__self__, *args, **kwargs)

    def explain(self):
        return self.__func__.explain()

    def __eq__(self, other):
        return isinstance(other, Method) and self.__func__ is other.__func__ and self.__self__ is other.__self__

    def __hash__(self):
        return hash((id(self.__func__), id(self.__self__)))

    def __repr__(self):
        return f"<program {self.__qualname__} of {self.__self__!r}>"
