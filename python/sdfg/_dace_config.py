"""Options of DaCe for programs that say `import dace`: what is set can be read back. Heeded are
frontend.typed_callbacks_only, frontend.unroll_threshold, compiler.allow_view_arguments and experimental.check_race_conditions."""

import contextlib
import contextvars

_DEFAULTS = {("frontend", "unroll_threshold"): -1, ("experimental", "check_race_conditions"): False,
             ("frontend", "typed_callbacks_only"): False, ("optimizer", "automatic_simplification"): True,
             ("default_build_folder",): ".dacecache", ("cache",): "name", ("compiler", "use_cache"): False, ("compiler", "build_type"): "RelWithDebInfo",
             ("compiler", "cpu", "args"): "", ("compiler", "cpu", "libs"): "", ("compiler", "linker", "args"): ""}


# What was set, in this thread: another one begins with the defaults, as in DaCe.
_set: contextvars.ContextVar = contextvars.ContextVar("sdfg.dace.config", default={})


class Config:
    """Most options have no effect: the compiler is another one."""

    @staticmethod
    def _split(path):
        """("a", "b") of "a", "b" and of "a.b"."""
        return tuple(part for text in path for part in text.split("."))

    @classmethod
    def set(cls, *path, value=None, **_):
        _set.set({**_set.get(), cls._split(path): value})

    @classmethod
    def append(cls, *path, value=None, **_):
        cls.set(*path, value=(cls.get(*path) or "") + value)
        return cls.get(*path)

    @classmethod
    def get(cls, *path):
        path, values = cls._split(path), _set.get()
        return values[path] if path in values else cls.get_default(*path)

    @classmethod
    def get_default(cls, *path):
        """None where DaCe's default says nothing here."""
        return _DEFAULTS.get(cls._split(path))

    @classmethod
    def get_bool(cls, *path):
        return str(cls.get(*path)).lower() in ("true", "1", "yes", "on")


@contextlib.contextmanager
def temporary_config():
    """What is set in the block is as before behind it."""
    kept = _set.get()
    try:
        yield
    finally:
        _set.set(kept)


@contextlib.contextmanager
def set_temporary(*path, value):
    with temporary_config():
        Config.set(*path, value=value)
        yield value
