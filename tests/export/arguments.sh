#!/bin/sh
# arguments.sh BUILD [OPTION...] FOLDER...: compares the arguments of exported functions with those of DaCe's libraries (arguments.py), for
# all programs below the folders. All programs of a corpus, an hour: arguments.sh build/release build/corpus
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$1
shift
python=$("$here/../dace.sh" "$build") || { status=$?; echo "$python"; exit $status; }
exec "$python" -B "$here/arguments.py" "$build/sdfg-cc" "$@"
