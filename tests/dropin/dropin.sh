#!/bin/sh
# dropin.sh BUILD: DaCe from the package index builds with this library (dropin.py), in a folder that is thrown away. The programs of
# dropin.py find neither CMake nor a compiler.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
python=$("$here/../dace.sh" "$build") || { status=$?; echo "$python"; exit $status; }
folder=$(mktemp -d)
export MPI4PY_RC_INITIALIZE=no # DaCe imports it where it is installed; MPI may want ssh
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for level in build memory; do
    HOME=$folder XDG_CACHE_HOME=$folder PATH=$folder "$python" -B -W ignore "$here/dropin.py" "$level"
done
