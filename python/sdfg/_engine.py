"""Engines: options and compiled code that programs share, and the lists of what an engine has."""

from __future__ import annotations

import atexit
import ctypes
import functools
import os
import threading
import weakref
from typing import Dict, List, Literal, NamedTuple, NoReturn, Optional, Sequence, Tuple, Union

from . import _wait
from ._errors import check
from ._errors import check as check_error # where an argument is called `check`
from ._library import Limits, Options, library

Path = Union[str, "os.PathLike[str]"]
_FP = {"default": 0, "strict": 1, "fast": 2}
_LINKER = {"auto": 0, "place": 1, "orc": 2}
_TIER = {"full": 0, "quick": 1, "auto": 2}
_EXTERNAL_FILES = {"folder": 0, "none": 1, "any": 2}
_OPT_MAX = 4


def text_of(value):
    """A path or word for C."""
    return None if value is None else os.fsencode(value)


def _checks(check):
    """Checks as bits: True for those that cost little, a list of names, or None."""
    bits = ctypes.c_uint(0)
    names = "" if check is True else ",".join(check) if isinstance(check, (list, tuple)) else check
    if check and not library.sdfg_check_by_name(names.encode(), ctypes.byref(bits)):
        raise ValueError(f"{names!r} is no list of checks")
    return bits.value


def _meant(name, known):
    """For the end of a message about a name that there is not."""
    import difflib
    folded = {other.lower(): other for other in known}
    close = difflib.get_close_matches(name.lower(), folded, 1)
    return f" (did you mean '{folded[close[0]]}'?)" if close else ""


_ending = False # the process


def _end():
    global _ending
    _ending = True


@functools.lru_cache(None)
def _before_finalizers():
    """What is registered last is called first, and a finalizer has been made."""
    atexit.register(_end)


def free(function, handle, *_):
    """What comes after the handle lives until then. At its end the process itself frees what daemon threads may still use, such as those of
    compilations that ^C left to themselves."""
    here = threading.current_thread()
    if not _ending or not _wait.working and not any(thread.is_alive() for thread in threading.enumerate() if thread is not here):
        function(handle)


class Engine:
    """Options and compiled code that programs share. Any thread may use it."""

    def __init__(self, *, opt_level: Union[int, Literal["max"]] = -1, num_threads: int = 0, fp: str = "default", specialize: Union[str, Sequence[str], None] = None,
                 cache_dir: Optional[Path] = "default", codegen: Optional[Path] = None, debug: Optional[str] = None,
                 dump_dir: Optional[Path] = None, dump_after: Optional[str] = None, debug_info: bool = False, profiler: bool = False,
                 linker: str = "auto", cache_bytes: int = 0, cache_days: int = 0, memory_bytes: int = 0, tier: str = "full",
                 save_data: Optional[Path] = None, restore_data: Optional[Path] = None, device: str = "cpu",
                 check: Union[bool, str, Sequence[str], None] = None, external_files: str = "folder", file_bytes: int = 0,
                 text_bytes: int = 0, arch: int = 0, plugins: Sequence[Path] = (), passes: Optional[str] = None, tune_seconds: float = 0,
                 **unknown: NoReturn) -> None:
        for name in unknown:
            import inspect
            raise TypeError(f"'{name}' is no option of an engine" + _meant(name, inspect.signature(Engine).parameters))
        o = Options()
        library.sdfg_options_init(ctypes.byref(o), ctypes.sizeof(o))
        if isinstance(specialize, (list, tuple)):
            specialize = ",".join(specialize)
        for value, words in (fp, _FP), (linker, _LINKER), (tier, _TIER), (external_files, _EXTERNAL_FILES):
            if value not in words:
                raise ValueError(f"{value!r} is none of {', '.join(words)}")
        if isinstance(opt_level, str) and opt_level != "max":
            raise ValueError(f"{opt_level!r}: opt_level is a number or 'max'")
        opt_level = _OPT_MAX if opt_level == "max" else opt_level
        o.passes, o.tune_seconds = text_of(passes), tune_seconds
        o.opt_level, o.num_threads, o.fp, o.linker, o.tier = opt_level, num_threads, _FP[fp], _LINKER[linker], _TIER[tier]
        o.specialize, o.codegen, o.cache_dir = text_of(specialize), text_of(codegen), text_of(cache_dir)
        o.debug, o.dump_dir, o.dump_after = text_of(debug) or o.debug, text_of(dump_dir) or o.dump_dir, text_of(dump_after)
        o.debug_info, o.profiler = debug_info, profiler
        o.save_data, o.restore_data, o.device = text_of(save_data), text_of(restore_data), text_of(device)
        o.check, o.arch = _checks(check), arch
        if plugins: # after those of the environment
            o.plugins = b":".join(filter(None, [o.plugins, *map(os.fsencode, plugins)]))
        o.external_files = _EXTERNAL_FILES[external_files]
        limits = Limits(ctypes.sizeof(Limits), file_bytes, text_bytes)
        o.limits = ctypes.pointer(limits)
        o.cache_bytes, o.cache_days, o.memory_bytes = cache_bytes, cache_days, memory_bytes
        self._handle = ctypes.c_void_p()
        check_error(library.sdfg_engine_new(ctypes.byref(self._handle), ctypes.byref(o)))
        self._release = weakref.finalize(self, free, library.sdfg_engine_free, self._handle)
        _before_finalizers()
        if dump_after not in (None, "all"): # the library would say so when something is compiled
            known = [row.name for row in self.list("passes")]
            if dump_after not in known:
                raise ValueError(f"dump_after: there is no pass '{dump_after}'" + _meant(dump_after, known))

    def backend(self) -> str:
        """"LLVM 22.1.8": opens the code generator."""
        text = ctypes.c_char_p()
        check(library.sdfg_engine_backend(ctypes.byref(text), self._handle))
        return (text.value or b"").decode()

    def wait(self) -> None:
        """Returns when code that is being compiled in the background is there, and all code is in the disk cache."""
        library.sdfg_engine_wait(self._handle)

    def list(self, what: str) -> List[ListRow]:
        """The rows of "targets", "passes", "ops", "enums", "plugins", "providers" or "convertibles" that the engine has, in their order."""
        if what not in _LISTS:
            raise ValueError(f"{what!r} is none of {', '.join(_LISTS)}")
        handle = ctypes.c_void_p()
        check(library.sdfg_engine_list(ctypes.byref(handle), self._handle, _LISTS.index(what)))
        try:
            return [_row(library.sdfg_list_get(handle, i)[0]) for i in range(library.sdfg_list_count(handle))]
        finally:
            library.sdfg_list_free(handle)


_LISTS = ("targets", "passes", "ops", "enums", "plugins", "providers", "convertibles")


class ListRow(NamedTuple):
    """A row of a list: what `text` says of `name`, why it cannot be used on this machine (None: it can), and lists of words by their
    names: a pass has `needs`, `makes`, `breaks` and `code`."""
    name: str
    text: str
    unusable: Optional[str]
    values: Dict[str, Tuple[str, ...]]


def _row(r):
    values = {r.names[i].decode(): tuple(filter(None, r.values[i].decode().split(", "))) for i in range(r.num_values)}
    return ListRow(r.name.decode(), r.text.decode(), r.unusable and r.unusable.decode(), values)


_default_lock = threading.Lock()
_default = None


def default_engine() -> Engine:
    global _default
    with _default_lock:
        if _default is None:
            _default = Engine()
        return _default
