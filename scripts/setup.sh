#!/bin/sh
# Installs what is missing to build and run libsdfg (`setup.sh`), or to test it too (`setup.sh test`), from the packages of a Debian or
# Ubuntu system. Says what it installs. Does nothing, and needs no root, when nothing is missing.
set -eu
purpose=${1:-run}
llvm_versions='22 21 20 19'

have() { command -v "$1" >/dev/null 2>&1; }
library() { ldconfig -p 2>/dev/null | grep -q "$1" || /sbin/ldconfig -p 2>/dev/null | grep -q "$1"; }
# A file among those that the C compiler links with.
linkable() { have cc && [ "$(cc -print-file-name="$1")" != "$1" ]; }
header() { have cc && echo "#include <$1>" | cc -E - >/dev/null 2>&1; }
# The folder of the headers of a supported LLVM, as cmake/llvm.cmake finds it; nothing if there is none.
llvm_headers() {
    for version in $llvm_versions; do
        if [ -e "/usr/lib/llvm-$version/include/llvm-c/Core.h" ]; then
            echo "/usr/lib/llvm-$version/include"
            return
        fi
    done
    have llvm-config || return 0
    case " $llvm_versions " in
    *" $(llvm-config --version | cut -d. -f1) "*) llvm-config --includedir ;;
    esac
}
clang() {
    headers=$(llvm_headers)
    [ -n "$headers" ] && [ -e "$headers/clang-c/Index.h" ]
}

# A Python with NumPy, as tests/python/python.sh finds it.
numpy() {
    for python in python3 /usr/bin/python3; do
        if "$python" -c 'import numpy' >/dev/null 2>&1; then return; fi
    done
    return 1
}

# Prints the packages that are missing; `@llvm` and `@clang` stand for the newest version that can be installed.
missing() {
    have cc || echo gcc
    header stdlib.h || echo libc6-dev
    linkable libstdc++.a || echo g++ # LLVM's libraries are C++; no C++ is compiled
    have cmake || echo cmake
    have ninja || have make || echo ninja-build
    header zlib.h || echo zlib1g-dev
    header xxhash.h || echo libxxhash-dev
    linkable libzstd.so || echo libzstd-dev
    [ -n "$(llvm_headers)" ] || echo @llvm
    clang || echo @clang # for tasklets in C++
    library 'libgomp\.so\.1' || library 'libomp\.so\.5' || echo libgomp1
    library 'libopenblas\.so\.0' || echo libopenblas0
    if [ "$purpose" = test ]; then
        have python3 || echo python3
        numpy || echo python3-numpy
        have gfortran || echo gfortran
        have pkg-config || echo pkg-config
        linkable libasan.so && linkable libubsan.so || echo gcc
    fi
}

# Prints the packages without which some tests are skipped: what compiles for AArch64 and runs it (tests/aarch64).
wanted() {
    [ "$purpose" = test ] || return 0
    have aarch64-linux-gnu-gcc || echo gcc-aarch64-linux-gnu
    [ -e /usr/aarch64-linux-gnu/include/stdlib.h ] || echo libc6-dev-arm64-cross
    have qemu-aarch64 || echo qemu-user
}

packages=$(missing | sort -u | tr '\n' ' ')
extra=$(wanted | tr '\n' ' ')
[ -n "$packages$extra" ] || exit 0
if [ -z "$packages" ] && { ! have apt-get || { [ "$(id -u)" != 0 ] && ! have sudo; }; }; then
    echo "libsdfg: tests of AArch64 are skipped: ${extra}cannot be installed (no apt-get, or not root)" >&2
    exit 0
fi

if ! have apt-get; then
    echo "libsdfg needs packages that are missing: $packages(install them; there is no apt-get here)" >&2
    exit 8
fi
if [ "$(id -u)" = 0 ]; then
    as_root=
elif have sudo; then
    as_root=sudo
else
    echo "libsdfg needs packages that are missing: $packages(run scripts/setup.sh as root)" >&2
    exit 8
fi

echo "libsdfg: updating the package lists" >&2
$as_root apt-get update -qq >&2
version=$(llvm_headers | sed -n 's|^/usr/lib/llvm-\([0-9]*\)/.*|\1|p')
if [ -z "$version" ]; then
    for version in $llvm_versions none; do
        apt-cache show "llvm-$version-dev" >/dev/null 2>&1 && break
    done
    if [ "$version" = none ]; then
        echo "libsdfg needs LLVM 19 to 22; this system has no package llvm-22-dev, llvm-21-dev, llvm-20-dev or llvm-19-dev" >&2
        exit 8
    fi
fi
for package in $extra; do
    if apt-cache show "$package" >/dev/null 2>&1; then
        packages="$packages$package "
    else
        echo "libsdfg: tests of AArch64 are skipped: this system has no package $package" >&2
    fi
done
[ -n "$packages" ] || exit 0
packages=$(echo "$packages" | sed "s/@llvm/llvm-$version-dev/; s/@clang/libclang-$version-dev/")
echo "libsdfg: installing $packages" >&2
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $packages >&2
