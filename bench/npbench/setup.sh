#!/bin/sh
# Makes the Python environment of this benchmark, which needs DaCe and what NPBench's own versions need: `setup.sh FOLDER` (outside of
# the repository). Installs the packages that DaCe's builds need on a Debian or Ubuntu system. Nothing else in this project uses it.
set -eu
[ $# = 1 ] || { echo "usage: setup.sh FOLDER" >&2; exit 2; }

have() { command -v "$1" >/dev/null 2>&1; }
header() { echo "#include <$1>" | c++ -E -x c++ - >/dev/null 2>&1; }
packages=$(
    have c++ || echo g++
    have cmake || echo cmake
    have make || echo make
    have c++ && [ "$(c++ -print-file-name=libopenblas.so)" != libopenblas.so ] || echo libopenblas-dev
    have c++ && header lapacke.h || echo liblapacke-dev
    python3 -m venv --help >/dev/null 2>&1 && python3 -c 'import ensurepip' 2>/dev/null || echo python3-venv
)
if [ -n "$packages" ]; then
    if [ "$(id -u)" = 0 ]; then as_root=; else as_root=sudo; fi
    echo "setup.sh: installing" $packages >&2
    $as_root apt-get update -qq >&2
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $packages >&2
fi
[ -x "$1/bin/python" ] || python3 -m venv "$1"
"$1/bin/pip" install --quiet dace==2.0.0a6 numba numpy scipy
"$1/bin/python" -c 'import dace, numba, numpy; print("dace", dace.__version__, "numba", numba.__version__, "numpy", numpy.__version__)'
