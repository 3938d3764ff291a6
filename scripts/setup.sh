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
    have c++ && linkable libstdc++.a || echo g++ # LLVM's libraries are C++, and so is jit/shim.cpp
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
        have xz || echo xz-utils # the corpus is packed
        linkable libasan.so && linkable libubsan.so || echo gcc
    fi
}

# Prints the packages without which some tests are skipped: those of the checkout and its format (tests/lint), what compiles for AArch64
# and runs it (tests/aarch64), the generator of the site, MPI (tests/mpi), and environments of Python.
wanted() {
    [ "$purpose" = test ] || return 0
    have git || echo git
    python3 -c 'import ensurepip' 2>/dev/null || echo python3-venv # tests/install, tests/dropin
    have clang-format-14 || echo clang-format-14
    have aarch64-linux-gnu-gcc || echo gcc-aarch64-linux-gnu
    [ -e /usr/aarch64-linux-gnu/include/stdlib.h ] || echo libc6-dev-arm64-cross
    have qemu-aarch64 || echo qemu-user
    have mkdocs || echo mkdocs # scripts/site.py
    have mpirun.mpich || echo mpich # tests/mpi
    have mpirun.openmpi || echo openmpi-bin
    for name in libscalapack-mpich libscalapack-openmpi; do # where the distribution has them
        ldconfig -p | grep -q "$name" || ! apt-cache show "${name}2.2" >/dev/null 2>&1 || echo "${name}2.2"
    done
}

# NVRTC for the tests of GPU code, unless a CUDA toolkit has it: a Python wheel of 25 MB, kept in build/wheels.
nvrtc() {
    top=$(cd "$(dirname "$0")/.." && pwd)
    for file in /usr/local/cuda*/lib*/libnvrtc.so "$top"/build/wheels/nvidia/cuda_nvrtc/lib/libnvrtc.so.12; do
        if [ -e "$file" ]; then return; fi
    done
    if library 'libnvrtc\.so'; then return; fi
    echo "libsdfg: installing the Python wheel nvidia-cuda-nvrtc-cu12 in build/wheels" >&2
    python3 -m pip install -q --no-deps --target "$top/build/wheels" nvidia-cuda-nvrtc-cu12==12.4.127 >/dev/null 2>&1 ||
        echo "libsdfg: some tests are skipped: the wheel cannot be installed" >&2
}

# NumPy 2 for the tests of Python programs, whose types it decides, unless a Python has it: a Python wheel of 17 MB, kept in build/numpy.
numpy2() {
    top=$(cd "$(dirname "$0")/.." && pwd)
    if "$top/tests/frontend/numpy2.sh" -c '' >/dev/null 2>&1; then return; fi
    echo "libsdfg: installing the Python wheel numpy in build/numpy" >&2
    python3 -m pip install -q --no-deps --target "$top/build/numpy" 'numpy>=2,<3' >/dev/null 2>&1 ||
        echo "libsdfg: some tests are skipped: the wheel cannot be installed" >&2
}

# Names of packages: version $1 of LLVM for the places that are kept for it.
named() { echo "$packages" | sed "s/@llvm/llvm-$1-dev/; s/@clang/libclang-$1-dev/"; }
# Ends it: without `packages` there is nothing to build, without `extra` some tests are skipped. $1: why.
give_up() {
    if [ -z "$packages" ]; then
        echo "libsdfg: some tests are skipped: ${extra}cannot be installed ($1)" >&2
        exit 0
    fi
    echo "libsdfg needs packages that are missing: $(named 19)($1)" >&2
    exit 8
}
# Runs apt-get with these arguments; shows what it says only if it fails.
apt() {
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get "$@" >"$log" 2>&1 || {
        cat "$log" >&2
        give_up "apt-get $1 failed"
    }
}

[ "$purpose" != test ] || { nvrtc && numpy2; }
packages=$(missing | sort -u | tr '\n' ' ')
extra=$(wanted | tr '\n' ' ')
[ -n "$packages$extra" ] || exit 0

have apt-get || give_up 'install them; there is no apt-get here'
as_root=
if [ "$(id -u)" != 0 ]; then
    have sudo || give_up 'run scripts/setup.sh as root'
    as_root=sudo
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
if [ -n "$packages" ] || ! find /var/lib/apt/lists -name '*_Packages*' | grep -q .; then
    echo "libsdfg: updating the package lists" >&2
    apt update -qq
fi
version=$(llvm_headers | sed -n 's|^/usr/lib/llvm-\([0-9]*\)/.*|\1|p')
if [ -z "$version" ]; then
    for version in $llvm_versions none; do
        apt-cache show "llvm-$version-dev" >/dev/null 2>&1 && break
    done
    case "$version $packages" in
    none*@*)
        echo "libsdfg needs LLVM 19 to 22; this system has no package llvm-22-dev, llvm-21-dev, llvm-20-dev or llvm-19-dev" >&2
        exit 8
        ;;
    esac
fi
install=$(named "$version")
for package in $extra; do
    if apt-cache show "$package" >/dev/null 2>&1; then
        install="$install$package "
    else
        echo "libsdfg: some tests are skipped: this system has no package $package" >&2
    fi
done
[ -n "$install" ] || exit 0
echo "libsdfg: installing $install" >&2
# shellcheck disable=SC2086
apt install -y -qq --no-install-recommends $install
