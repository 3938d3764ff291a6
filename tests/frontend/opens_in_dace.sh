#!/bin/sh
# opens_in_dace.sh BUILD [ARGUMENT...]: opens_in_dace.py with DaCe from the package index.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
shift
python=$("$here/../dace.sh" "$build") || { status=$?; echo "$python"; exit $status; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
HOME=$folder "$python" -B -W ignore "$here/opens_in_dace.py" "$build/sdfg-run" "$@"
