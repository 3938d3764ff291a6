"""Makes an installed DaCe build its programs with libsdfg: no CMake, no C++ compiler.

    import sdfg.dropin
    sdfg.dropin.install()

or `python -m sdfg.dropin program.py`, or SDFG_DROPIN=build in the environment (with the package installed). docs/dropin.md of the project
has the rest.
"""

from __future__ import annotations

import os
import sys
import threading
from typing import Any, Dict, Optional

from ._settings import LEVELS, FallbackWarning, settings

__all__ = ["FallbackWarning", "install", "installed", "statistics", "uninstall"]

_lock = threading.Lock()


def install(level: str = "build", *, fallback: bool = True, **options: Any) -> None:
    """From now on `SDFG.compile()` and all that calls it (programs, `SDFG.__call__`, GT4Py's backends) build with libsdfg.

    `level`: "build" writes a library with DaCe's interface into the build folder, and everything else is DaCe's own; "memory" writes
    nothing, compiles for the sizes of each call, and keeps calls bound.
    `fallback`: what libsdfg refuses is built by DaCe, with a `FallbackWarning` once for each reason; False: refusals are the library's errors.
    `options`: those of `sdfg.Engine` (`fp`, `num_threads`, `opt_level`...).

    DaCe need not be imported yet. Calling it again changes the settings. Any thread may call it.
    """
    if level not in LEVELS:
        raise ValueError(f"'{level}' is none of {', '.join(LEVELS)}")
    with _lock:
        settings.set(level, fallback, options)
        if "dace" in sys.modules:
            _patch()
        else:
            from ._late import expect
            expect(_patch)


def _patch():
    from . import _hooks
    _hooks.patch()


def uninstall() -> None:
    """DaCe builds by itself again; programs that are built stay as they are."""
    with _lock:
        settings.level = None
        from ._late import forget
        forget()
        if "sdfg.dropin._hooks" in sys.modules:
            sys.modules["sdfg.dropin._hooks"].unpatch()


def installed() -> Optional[str]:
    """The level, or None."""
    return settings.level


def statistics() -> Dict[str, Any]:
    """What this process has built: {"built": n, "fallback": {reason: n}}."""
    return settings.statistics()


def from_environment():
    """SDFG_DROPIN=build, memory, or 1 for build; a comma and "strict" behind it: without fallback."""
    words = [w for w in os.environ.get("SDFG_DROPIN", "").split(",") if w]
    unknown = [w for w in words if w not in (*LEVELS, "1", "0", "strict")]
    if unknown:
        raise ValueError(f"SDFG_DROPIN: '{unknown[0]}' is none of {', '.join(LEVELS)}, 1, 0, strict")
    levels = [w for w in words if w != "strict"]
    if levels and levels[0] != "0":
        install("build" if levels[0] == "1" else levels[0], fallback="strict" not in words)
