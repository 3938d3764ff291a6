#!/bin/sh
# engine.sh build: the whole engine, built for AArch64 on another machine, in build/aarch64; Debian's packages of that machine, about
# 180 MB, are laid out in build/aarch64-root. Nothing is installed, and no root is needed.
# engine.sh test [SET...]: its recorded programs (sve, npbench, dace-tests) with vectors of 128, 256, 512 and 2048 bits, and its Python
# module, in an emulator: an hour for all, two minutes for a small set.
# engine.sh PROG.sdfg [OPTION...], engine.sh --OPTION...: its sdfg-run. engine.sh PROGRAM...: another program of AArch64.
# Needs gcc-aarch64-linux-gnu, g++-aarch64-linux-gnu, qemu-user, and LLVM's packages in this system's package lists.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
root=$top/build/aarch64-root
build=$top/build/aarch64

for tool in aarch64-linux-gnu-gcc aarch64-linux-gnu-g++ qemu-aarch64 dpkg apt-get; do
    command -v $tool >/dev/null 2>&1 || { echo "skipped: there is no $tool"; exit 77; }
done

# Another package database than the system's: that of a machine without any package.
packages() {
    apt-get -qq -o Dir::State="$root.apt" -o Dir::State::status="$root.apt/status" -o Dir::Cache="$root.apt" \
        -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o APT::Install-Recommends=false \
        -o Debug::NoLocking=true -o APT::Sandbox::User="$(id -un)" "$@"
}

lay_out() {
    [ ! -e "$root/complete" ] || return 0
    rm -rf "$root" "$root.apt"
    mkdir -p "$root" "$root.apt/lists/partial" "$root.apt/archives/partial"
    : >"$root.apt/status"
    packages update
    version=$(for v in 22 21 20 19; do
        if packages --print-uris download llvm-$v-dev:arm64 >/dev/null 2>&1; then echo $v; break; fi
    done)
    [ -n "$version" ] || { echo "skipped: the package lists have no LLVM 19 to 22 for AArch64"; exit 77; }
    gcc=$(aarch64-linux-gnu-gcc -dumpversion | cut -d. -f1)
    packages -y --download-only install libllvm$version libclang1-$version libc6-dev libstdc++-$gcc-dev zlib1g-dev libxxhash-dev \
        libzstd-dev libgomp1 libopenblas0-pthread python3-numpy
    # What these need is not needed here: the headers, and llvm-config.
    (cd "$root.apt/archives" && packages download llvm-$version-dev:arm64 libclang-$version-dev:arm64 llvm-$version:arm64)
    for package in "$root.apt/archives"/*.deb; do dpkg -x "$package" "$root"; done
    rm -rf "$root.apt"
    touch "$root/complete"
}

# QEMU counts the length of vectors in 128 bits.
emulate() {
    exec qemu-aarch64 -cpu "max,sve-max-vq=${VQ:-4}" -L "$root" \
        -E LD_LIBRARY_PATH="$root/usr/lib/aarch64-linux-gnu/openblas-pthread" "$@"
}

case ${1:-} in
build)
    lay_out
    "$top/scripts/build.sh" aarch64
    ;;
test)
    shift
    export OMP_WAIT_POLICY=passive
    status=0
    PYTHONPATH=$top/python SDFG_LIBRARY=$build/libsdfg.so "$here/engine.sh" "$root/usr/bin/python3" "$here/engine.py" "$top" || status=1
    for set in ${*:-sve npbench dace-tests}; do
        for vq in 1 2 4 16; do
            VQ=$vq "$top/tests/corpus/check.sh" "$here/engine.sh" "$top/build/corpus" "$set" || status=1
        done
    done
    exit $status
    ;;
-* | *.sdfg | *.py | *.py:*) emulate "$build/sdfg-run" "$@" ;;
'')
    sed -n '2,/^set -eu/{/^#/s/^# //p}' "$0"
    exit 2
    ;;
*) emulate "$@" ;;
esac
