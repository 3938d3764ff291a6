#!/bin/sh
# arguments.sh BUILD [OPTION...] FOLDER...: compares the arguments of exported functions with those of DaCe's libraries (arguments.py), for
# all programs below the folders and all that programs.py writes. All programs of a corpus, an hour: arguments.sh build/release build/corpus
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$1
shift
python=$("$here/../dace.sh" "$build") || { status=$?; echo "$python"; exit $status; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$python" -B "$here/programs.py" "$folder"
"$python" -B "$here/arguments.py" "$build/sdfg-cc" --whole="$folder" "$@"
