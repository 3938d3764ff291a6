#!/bin/sh
# link.sh BUILD c|fortran: programs compiled ahead of time are linked into programs of other languages, in every form, by the
# usual compilers, and give the right results.
set -eu
build=$1 language=$2
here=$(cd "$(dirname "$0")" && pwd)
examples=$here/../../examples
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

if [ "$language" = fortran ] && ! command -v gfortran >/dev/null 2>&1; then
    echo "skipped: there is no gfortran"
    exit 77
fi

for name in axpy gemm_maps; do
    for end in o a so; do
        "$build/sdfg-cc" "$examples/$name.sdfg" -o lib$name.$end
    done
    "$build/sdfg-cc" "$examples/$name.sdfg" --header=$name.h --fortran=$name.f90
done

# try FORM WORDS...: compiles the program with these words and runs it.
try() {
    form=$1
    shift
    if [ "$language" = c ]; then
        cc -std=c11 -Wall -Wextra -Werror -I. "$here/main.c" "$@" -lm -o program
    else
        gfortran -Wall -Werror gemm_maps.f90 "$here/main.f90" "$@" -o program
    fi
    ./program || { echo "$language, $form: wrong results"; exit 1; }
    echo "$language, $form: good"
}

shared="-L$build -lsdfg-rt -Wl,-rpath,$build"
# shellcheck disable=SC2086
try "objects, shared runtime" libaxpy.o libgemm_maps.o $shared
# shellcheck disable=SC2086
try "static libraries, shared runtime" libaxpy.a libgemm_maps.a $shared
try "static libraries, static runtime" libaxpy.a libgemm_maps.a "$build/libsdfg-rt.a" -ldl -lpthread
# shellcheck disable=SC2086
try "shared libraries" -L. -laxpy -lgemm_maps -Wl,-rpath,"$folder" $shared

# On the stand-in for a GPU.
[ "$language" = c ] && [ -e "$build/libstandin-cuda.so" ] || exit 0
export SDFG_CUDA="$build/libstandin-cuda.so" SDFG_NVRTC="$build/libstandin-nvrtc.so"
for name in axpy gemm_maps; do
    for end in o a so; do
        "$build/sdfg-cc" "$examples/$name.sdfg" --device=cuda --arch=sm_90 -o lib$name.$end
    done
done
unset SDFG_NVRTC # the code is in the objects
# shellcheck disable=SC2086
try "objects for a GPU" libaxpy.o libgemm_maps.o $shared
try "static libraries for a GPU, static runtime" libaxpy.a libgemm_maps.a "$build/libsdfg-rt.a" -ldl -lpthread
# shellcheck disable=SC2086
try "shared libraries for a GPU" -L. -laxpy -lgemm_maps -Wl,-rpath,"$folder" $shared
SDFG_CUDA=/nowhere
if said=$(./program 2>&1); then echo "$language: it ran without a GPU"; exit 1; fi
case $said in *"the driver of CUDA cannot be opened"*) ;; *) echo "$language, without a GPU: $said"; exit 1 ;; esac
