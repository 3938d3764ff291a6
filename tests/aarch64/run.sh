#!/bin/sh
# run.sh runtime: builds libsdfg-rt for AArch64, and what the tests need besides.
# run.sh place: what the loader places is executed (place.c).
# run.sh corpus [SET...]: all recorded programs of the sets (sve npbench dace-tests) with vectors of 128, 256, 512 and 2048 bits, by
# the release build; half an hour. The tests take a part of that.
# run.sh COMMAND...: runs a command.
# Needs a compiler for AArch64 and an emulator; scripts/setup.sh installs them where packages exist.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../..
build=$top/build/aarch64-runtime
compiler=aarch64-linux-gnu-gcc

for tool in $compiler qemu-aarch64; do
    command -v $tool >/dev/null 2>&1 || { echo "skipped: there is no $tool (Debian: gcc-aarch64-linux-gnu, qemu-user)"; exit 77; }
done
if [ ! -e /usr/aarch64-linux-gnu/lib/libc.so.6 ] || [ ! -e /usr/aarch64-linux-gnu/include/stdlib.h ]; then
    echo "skipped: there is no C library for AArch64 in /usr/aarch64-linux-gnu (Debian: libc6-dev-arm64-cross)"
    exit 77
fi

case $1 in
runtime)
    "$top/scripts/build.sh" aarch64-runtime all sdfg_place
    for way in LINKED OPENED PLACED; do
        $compiler -std=gnu11 -O1 -Wall -Wextra -Werror -I"$top" -D$way -c "$here/main.c" -o "$build/main_$way.o"
    done
    ;;
place)
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    cd "$folder"
    $compiler -c "$here/relocations.S" -o relocations.o
    for part in TOO_LONG TOO_FAR NOT_ALIGNED TOO_WIDE UNKNOWN; do
        $compiler -c -D$part "$here/refused.S" -o $part.o
    done
    $compiler -std=gnu11 -Wall -Wextra -Werror -I"$top" "$here/place.c" "$build/libsdfg_place.a" "$build/libsdfg_base.a" \
        -Wl,--wrap=__clear_cache -lm -o place
    qemu-aarch64 -L /usr/aarch64-linux-gnu ./place
    ;;
corpus)
    shift
    "$here/run.sh" runtime
    export SDFG_LIBRARY="$top/build/release/libsdfg.so" PYTHONPATH="$top/python:$top/tests/python" OMP_WAIT_POLICY=passive
    status=0
    for set in ${*:-sve npbench dace-tests}; do
        for program in prog prog.sve; do
            # The first program unpacks the set; not all sets have the second one.
            [ $program = prog ] || ls "$top/build/corpus/$set"/*/$program.sdfg >/dev/null 2>&1 || continue
            "$top/tests/corpus/check.sh" "$top/tests/python/corpus.sh" "$top/build/corpus" "$set" "--sdfg=$program.sdfg" \
                "--aarch64=$build" "--ways=open:+sve:1 open:+sve:2 open:+sve:4 open:+sve:16" || status=1
        done
    done
    exit $status
    ;;
*)
    exec "$@"
    ;;
esac
