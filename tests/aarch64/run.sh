#!/bin/sh
# run.sh runtime: builds libsdfg-rt for AArch64, and what the tests need besides.
# run.sh place: what the loader places is executed (place.c).
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
*)
    exec "$@"
    ;;
esac
