"""wheel.py PACKAGES: run by wheel.sh where the wheel is installed in the folder PACKAGES."""
import ctypes
import inspect
import pathlib
import pydoc
import sys

import numpy

import sdfg
import sdfg.dropin
from sdfg._library import library

package = pathlib.Path(sys.argv[1]) / "sdfg"
assert pathlib.Path(sdfg.__file__).parent == package, sdfg.__file__
assert pathlib.Path(library._name).parent == package, library._name
assert sdfg.__version__ == sdfg.version().split()[0], (sdfg.__version__, sdfg.version())
assert (package / "py.typed").exists()

axpy = sdfg.compile("axpy.sdfg")
X, Y = numpy.arange(4.0), numpy.ones(4)
axpy(X=X, Y=Y, alpha=2.0)
assert Y.tolist() == [1, 3, 5, 7], Y

axpy.export("axpy.so") # finds libsdfg-rt.so.0 in the package
exported = ctypes.CDLL("./axpy.so")
assert any("sdfg-rt" in line and str(package) in line for line in open("/proc/self/maps")), "another libsdfg-rt is loaded"
assert exported.__program_axpy

from sdfg.dropin import _build
assert _build._stub().parent == package

for thing in sdfg.__all__:
    assert inspect.getdoc(getattr(sdfg, thing)), f"{thing} has no documentation"
assert "Any thread" in pydoc.render_doc(sdfg.Program)
assert "engine" in inspect.signature(sdfg.compile).parameters
