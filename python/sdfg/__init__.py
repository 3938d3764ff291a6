"""libsdfg: compiles SDFGs, the data-flow graphs of DaCe, in memory and runs them on NumPy arrays.

    gemm = sdfg.compile("gemm.sdfg")
    gemm(A=A, B=B, C=C, alpha=1.5, beta=0.0)
"""

from . import _types
from ._errors import BugError, Error, FaultError, InvalidError, Message, MissingError, ProgramError, UnsupportedError
from ._function import Function, interpret, method, program, supported
from ._graph import SDFG, ConditionalBlock, ControlFlowRegion, InterstateEdge, LoopRegion
from ._library import library as _library
from ._memlet import Memlet
from ._pending import Pending
from ._program import ArgumentInfo, Bound, Engine, ListRow, Program, compile, default_engine as _default_engine
from ._site import CallbackWarning
from ._stream import Stream
from ._types import Callback as callback, always_inline, compiletime, in_program, inline, map, named, nounroll, symbol, unroll


def as_dace():
    """A module with the names of DaCe that programs use; see sdfg.dace."""
    from . import dace
    return dace.as_dace()


globals().update(_types.BY_NAME) # float64, int32 ...
bool_ = _types.BY_NAME["bool"]

__version__ = "0.1.0"
__all__ = ["ArgumentInfo", "ConditionalBlock", "ControlFlowRegion", "InterstateEdge", "LoopRegion", "Memlet", "SDFG", "Bound", "BugError", "CallbackWarning", "Engine", "Error", "FaultError", "Function", "InvalidError", "ListRow", "Message", "MissingError", "Pending",
           "Program", "ProgramError", "Stream", "UnsupportedError", "always_inline", "as_dace", "callback", "compile", "compiletime", "in_program",
           "inline", "interpret", "map", "method", "named", "nounroll", "program", "supported", "symbol", "unroll", "version"]


def version() -> str:
    """Of the library that runs."""
    return _library.sdfg_version().decode()


def list(what):
    """What the library has: the rows of "targets", "passes", "ops" (library nodes), "enums" or "plugins"; see Engine.list."""
    return _default_engine().list(what)
