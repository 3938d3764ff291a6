"""libsdfg: compiles SDFGs, the data-flow graphs of DaCe, in memory and runs them on NumPy arrays.

    gemm = sdfg.compile("gemm.sdfg")
    gemm(A=A, B=B, C=C, alpha=1.5, beta=0.0)
"""

from typing import TYPE_CHECKING, Any

from . import _types
from ._composed import pointer, struct, vector
from ._described import ArgumentInfo
from ._engine import Engine, ListRow
from ._engine import default_engine as _default_engine
from ._errors import BugError, Error, FaultError, InvalidError, Message, MissingError, ProgramError, ProgramWarning, UnsupportedError
from ._function import Function, method, program, supported
from ._graph import SDFG, ConditionalBlock, ControlFlowRegion, InterstateEdge, LoopRegion
from ._interpret import interpret
from ._library import library as _library
from ._memlet import Memlet
from ._pending import Pending
from ._plain import (consume, define_local, define_local_scalar, define_stream, define_streamarray, elementwise, ndarray, reduce, stream,
                     tasklet)
from ._program import Bound, Program, compile
from ._site import CallbackWarning
from ._state import library_node
from ._stream import Stream
from ._types import always_inline, in_program, inline, map, named, nounroll, unroll


def as_dace() -> Any:
    """A module with the names of DaCe that programs use; see sdfg.dace."""
    from . import dace
    return dace.as_dace()


if TYPE_CHECKING: # what stands in annotations is anything to type checkers, and a symbol is an integer
    bool_: Any
    int8: Any
    int16: Any
    int32: Any
    int64: Any
    uint8: Any
    uint16: Any
    uint32: Any
    uint64: Any
    float16: Any
    bfloat16: Any
    float8_e4m3fn: Any
    float8_e5m2: Any
    float32: Any
    float64: Any
    complex64: Any
    complex128: Any
    compiletime: Any

    def callback(result: Any = None, *arguments: Any) -> Any: ...

    class symbol(int):
        name: str
        dtype: Any

        def __new__(cls, name: str, dtype: Any = None, **assumptions: bool) -> "symbol": ...
else:
    globals().update(_types.BY_NAME) # float64, int32 ...
    bool_, callback, compiletime, symbol = _types.BY_NAME["bool"], _types.Callback, _types.compiletime, _types.symbol

__version__ = "0.1.0"
__all__ = ["ArgumentInfo", "Bound", "BugError", "CallbackWarning", "ConditionalBlock", "ControlFlowRegion", "Engine", "Error",
           "FaultError", "Function", "InterstateEdge", "InvalidError", "ListRow", "LoopRegion", "Memlet", "Message",
           "MissingError", "Pending", "Program", "ProgramError", "ProgramWarning", "SDFG", "Stream", "UnsupportedError",
           "always_inline", "as_dace", "callback", "compile", "compiletime", "consume", "define_local",
           "define_local_scalar", "define_stream", "define_streamarray", "elementwise", "in_program", "inline",
           "interpret", "library_node", "map", "method", "named", "ndarray", "nounroll", "pointer", "program", "reduce",
           "stream", "struct", "supported", "symbol", "tasklet", "unroll", "vector", "version"]


def version() -> str:
    """Of the library that runs."""
    return _library.sdfg_version().decode()


def list(what):
    """What the library has: the rows of "targets", "passes", "ops" (library nodes), "enums", "plugins", "providers" or "convertibles"; see Engine.list."""
    return _default_engine().list(what)
