#!/bin/sh
# arguments.sh BUILD [OPTION...] FOLDER...: compares the arguments of exported functions with those of DaCe's libraries (arguments.py), for
# all programs below the folders. DaCe comes from the package index into an environment of this script's own, BUILD/dace; where it cannot be
# had the test is skipped. All programs of a corpus, an hour: arguments.sh build/release build/corpus
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$1 version=2.0.0b1
shift
skip() { echo "skipped: $1" && exit 77; }

python=$build/dace/bin/python
[ -e "$build/dace/complete-$version" ] || {
    python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || skip "DaCe $version needs Python 3.10"
    rm -rf "$build/dace"
    python3 -m venv "$build/dace" >/dev/null 2>&1 || skip "python3 makes no virtual environment"
    "$python" -m pip install -q "dace==$version" >"$build/dace/pip.log" 2>&1 || skip "DaCe $version cannot be installed: $(tail -1 "$build/dace/pip.log")"
    touch "$build/dace/complete-$version"
}
exec "$python" -B "$here/arguments.py" "$build/sdfg-cc" "$@"
