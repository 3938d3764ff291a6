#!/bin/sh
# build.sh PRESET [TARGET...]: configures build/PRESET if that was not done and builds. Quiet unless something fails.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
preset=$1
shift
folder=$top/build/$preset
log=$folder/build.log

if [ ! -e "$folder/build.ninja" ] && [ ! -e "$folder/Makefile" ]; then
    mkdir -p "$folder"
    echo "libsdfg: building in build/$preset" >&2
    if command -v ninja >/dev/null 2>&1; then generator=Ninja; else generator='Unix Makefiles'; fi
    if ! (cd "$top" && cmake --preset "$preset" -G "$generator") >"$log" 2>&1; then
        cat "$log" >&2
        rm -f "$folder/CMakeCache.txt"
        exit 6
    fi
fi
[ $# -gt 0 ] || set -- all
# A configuration that went wrong in the middle leaves no usable build files; the log says why.
if ! cmake --build "$folder" -j "${SDFG_JOBS:-$(nproc)}" --target "$@" >"$log" 2>&1; then
    cat "$log" >&2
    exit 6
fi
