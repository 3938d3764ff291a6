"""libsdfg: compiles SDFGs, the data-flow graphs of DaCe, in memory and runs them on NumPy arrays.

    gemm = sdfg.compile("gemm.sdfg")
    gemm(A=A, B=B, C=C, alpha=1.5, beta=0.0)
"""

from ._errors import BugError, Error, FaultError, InvalidError, Message, MissingError, UnsupportedError
from ._library import library as _library
from ._program import ArgumentInfo, Bound, Engine, Program, compile
from ._stream import Stream

__version__ = "0.1.0"
__all__ = ["ArgumentInfo", "Bound", "BugError", "Engine", "Error", "FaultError", "InvalidError", "Message", "MissingError", "Program",
           "Stream", "UnsupportedError", "compile", "version"]


def version():
    """Of the library that runs."""
    return _library.sdfg_version().decode()
