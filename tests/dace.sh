#!/bin/sh
# dace.sh BUILD: prints a Python that has DaCe, in an environment of the tests' own, BUILD/dace, filled from the package index. Ends with 77
# and the reason where it cannot be had.
set -eu
build=$1 version=2.0.0b1
skip() { echo "skipped: $1" && exit 77; }

python=$build/dace/bin/python
[ -e "$build/dace/complete-$version" ] || (
    flock 9
    [ -e "$build/dace/complete-$version" ] && exit
    python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || skip "DaCe $version needs Python 3.10"
    rm -rf "$build/dace"
    python3 -m venv "$build/dace" >/dev/null 2>&1 || skip "python3 makes no virtual environment"
    "$python" -m pip install -q "dace==$version" >"$build/dace/pip.log" 2>&1 || skip "DaCe $version cannot be installed: $(tail -1 "$build/dace/pip.log")"
    touch "$build/dace/complete-$version"
) 9>"$build/dace.lock" || exit $?
echo "$python"
