"""Level "build": a library with DaCe's interface in DaCe's build folder, and the small library by which DaCe's loader opens it."""

import ctypes
import os
import pathlib
import shutil
import tempfile

from .._library import library
from . import _configuration, _graph
from ._settings import settings

STUB = "libsdfg-dacestub.so"


class _Place(ctypes.Structure):
    _fields_ = [("file", ctypes.c_char_p), ("base", ctypes.c_void_p), ("symbol", ctypes.c_char_p), ("address", ctypes.c_void_p)]


def _stub():
    """The file to copy: it lies beside the library of the engine, or in its private folder."""
    place = _Place()
    ctypes.CDLL(None).dladdr(ctypes.cast(library.sdfg_version, ctypes.c_void_p), ctypes.byref(place))
    folder = pathlib.Path(os.fsdecode(place.file)).resolve().parent
    for file in folder / STUB, folder / "libsdfg" / STUB:
        if file.exists():
            return file
    raise _graph.Refusal(f"{STUB} is not beside libsdfg.so in {folder}")


def _put(path, data):
    """A whole file or none: others may look at the folder meanwhile."""
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=path.name, delete=False) as file:
        file.write(data)
    os.chmod(file.name, 0o755)
    os.replace(file.name, path)


def engine():
    return settings.engine(**_configuration.options())


class Job:
    """One SDFG.compile."""

    def __init__(self):
        self.done, self.library, self.stub = False, None, None

    def generate(self, graph):
        """In the place of DaCe's code generator: the library, and for the folder a header that declares its functions."""
        from dace.codegen.codeobject import CodeObject
        from dace.codegen.targets import cpu
        for _ in _graph.all_graphs(graph):
            pass
        if _graph.instrumented(graph):
            raise _graph.Refusal("it is instrumented, and reports are written by DaCe's own code")
        stub = _stub().read_bytes()
        program, more = _graph.load(graph, engine())
        self.library, self.stub = program.export_bytes(".so", optional=more), stub
        header = program.export_bytes(".h", optional=more).decode()
        settings.count()
        return [CodeObject(graph.name, header, "h", cpu.CPUCodeGen, "CallHeader", target_type="../../include", linkable=False)]

    def write(self, folder, name, mode):
        """In the place of CMake and a compiler; gives the path of the library."""
        from dace.config import Config
        folder = pathlib.Path(folder).absolute()
        name = name or folder.name
        place = folder if mode == "production" else folder / "build"
        place.mkdir(parents=True, exist_ok=True)
        extension = Config.get("compiler", "library_extension")
        library = place / f"lib{name}.{extension}"
        _put(place / f"libdacestub_{name}.{extension}", self.stub)
        _put(library, self.library)
        if mode == "production": # only what running needs
            for rest in "include", "src", "build", "sample":
                shutil.rmtree(folder / rest, ignore_errors=True)
            for rest in "dace_environments.csv", "dace_files.csv":
                (folder / rest).unlink(missing_ok=True)
        elif mode: # DaCe asks for all folders of a build
            for rest in "include", "map", "sample", "src":
                (folder / rest).mkdir(exist_ok=True)
        if Config.get_bool("debugprint"):
            print(f"libsdfg built {library}", flush=True)
        return library if mode else str(library) # DaCe before 2 has no modes, and strings


def built(folder, name, mode):
    """The library in a folder whose code is not to be generated again, if it is ours: there is no code then."""
    folder = pathlib.Path(folder)
    files = folder / "dace_files.csv"
    if not files.exists() or files.read_text().strip():
        return None
    from dace.config import Config
    place = folder if mode == "production" else folder / "build"
    library = place / f"lib{name}.{Config.get('compiler', 'library_extension')}"
    if not library.exists():
        return None
    return library if mode else str(library)
