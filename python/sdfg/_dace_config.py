"""Options of DaCe for programs that say `import dace`: what is set can be read back. Two are heeded when a program is compiled or called:
frontend.typed_callbacks_only and compiler.allow_view_arguments."""

import contextlib

_DEFAULTS = {("frontend", "typed_callbacks_only"): False, ("optimizer", "automatic_simplification"): True,
             ("default_build_folder",): ".dacecache", ("cache",): "name", ("compiler", "use_cache"): False, ("compiler", "build_type"): "RelWithDebInfo",
             ("compiler", "cpu", "args"): "", ("compiler", "cpu", "libs"): "", ("compiler", "linker", "args"): ""}


class Config:
    """Most options have no effect: the compiler is another one."""

    _values: dict = {}

    @classmethod
    def set(cls, *path, value=None, **_):
        cls._values[path] = value

    @classmethod
    def append(cls, *path, value=None, **_):
        cls._values[path] = (cls.get(*path) or "") + value
        return cls._values[path]

    @classmethod
    def get(cls, *path):
        return cls._values[path] if path in cls._values else cls.get_default(*path)

    @classmethod
    def get_default(cls, *path):
        """None where DaCe's default says nothing here."""
        return _DEFAULTS.get(path)

    @classmethod
    def get_bool(cls, *path):
        return str(cls.get(*path)).lower() in ("true", "1", "yes", "on")


@contextlib.contextmanager
def temporary_config():
    """What is set in the block is as before behind it."""
    kept = dict(Config._values)
    try:
        yield
    finally:
        Config._values = kept


@contextlib.contextmanager
def set_temporary(*path, value):
    with temporary_config():
        Config.set(*path, value=value)
        yield value
