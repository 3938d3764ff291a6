#!/bin/sh
# Makes the Python environment of this benchmark, which needs DaCe and what NPBench's own versions need: `setup.sh FOLDER` (outside of
# the repository). Nothing else in this project uses it.
set -eu
[ $# = 1 ] || { echo "usage: setup.sh FOLDER" >&2; exit 2; }
[ -x "$1/bin/python" ] || python3 -m venv "$1"
"$1/bin/pip" install --quiet dace==2.0.0a6 numba numpy scipy
"$1/bin/python" -c 'import dace, numba, numpy; print("dace", dace.__version__, "numba", numba.__version__, "numpy", numpy.__version__)'
