#!/bin/sh
# install.sh BUILD: installs into an empty folder, uses what is there as programs, by pkg-config and by CMake, and uninstalls: nothing
# is left. Compilers' own files apart, nothing of the source tree but the examples is used.
set -eu
build=$1
here=$(cd "$(dirname "$0")" && pwd)
examples=$here/../../examples
folder=$(mktemp -d)
# What is really installed from this build stays known.
manifests="install_manifest.txt install_manifest_python.txt"
for name in $manifests; do if [ -e "$build/$name" ]; then mv "$build/$name" "$build/kept_$name"; fi; done
restore() {
    rm -rf "$folder"
    for name in $manifests; do
        rm -f "${build:?}/$name"
        if [ -e "$build/kept_$name" ]; then mv "$build/kept_$name" "$build/$name"; fi
    done
}
trap restore EXIT

DESTDIR=$folder/root cmake --install "$build" >"$folder/log"
DESTDIR=$folder/root cmake --install "$build" --component python >>"$folder/log"
prefix=$(sed -n 's/^CMAKE_INSTALL_PREFIX:PATH=//p' "$build/CMakeCache.txt")
root=$folder/root$prefix
libraries=$(dirname "$(find "$root" -name libsdfg.so)")
cd "$folder"

echo "programs"
"$root/bin/sdfg-run" "$examples/axpy.sdfg" --N=8 --no-cache >/dev/null 2>&1
"$root/bin/sdfg-cc" "$examples/axpy.sdfg" -o axpy.o --header
for page in sdfg-run.1 sdfg-cc.1 sdfg-opt.1 sdfg-cache.1 sdfg-bench.1 libsdfg.3; do
    [ -n "$(find "$root" -name $page)" ] || { echo "$page is missing"; exit 1; }
done

package=$(dirname "$(find "$root" -name _installed.py)")
for python in python3 /usr/bin/python3 none; do
    if "$python" -c 'import numpy' 2>/dev/null; then break; fi
done
if [ "$python" != none ]; then
    echo "Python"
    PYTHONPATH=$(dirname "$package") "$python" -c "from sdfg._library import library as l; assert l._name.startswith('$root/'), l._name"
    PYTHONPATH=$(dirname "$package") "$python" "$examples/embed_gemm.py" >/dev/null
    for language in stencil dense; do # objects of other languages, called in programs
        PYTHONPATH=$(dirname "$package") XDG_CACHE_HOME=$folder "$python" -B "$examples/convertible_$language.py" >/dev/null
    done
else
    echo "Python: skipped, there is none with NumPy"
fi

# The private folder for programs that the library is linked into: they look where the build is to be installed.
export LD_LIBRARY_PATH="$libraries:$libraries/libsdfg"
if command -v pkg-config >/dev/null 2>&1; then
    echo "pkg-config"
    export PKG_CONFIG_PATH="$libraries/pkgconfig"
    # shellcheck disable=SC2046
    cc "$examples/embed_axpy.c" $(pkg-config --cflags --libs sdfg) -o embed
    ./embed "$examples/axpy.sdfg" >/dev/null
    # shellcheck disable=SC2046
    cc "$examples/embed_graph.c" $(pkg-config --cflags --libs sdfg) -lm -o embed_graph
    ./embed_graph made.sdfg >/dev/null
    # shellcheck disable=SC2046
    cc "$examples/embed_stencil.c" $(pkg-config --cflags --libs sdfg) -lm -o embed_stencil
    ./embed_stencil >/dev/null
    "$root/bin/sdfg-run" made.sdfg --N=8 --T=2 --no-cache >/dev/null 2>&1
    # shellcheck disable=SC2046
    cc -shared -fPIC "$examples/plugin_clip.c" $(pkg-config --cflags sdfg) -o libclip.so
    "$root/bin/sdfg-run" "$examples/clip.sdfg" --N=4 --no-cache --plugin=./libclip.so >/dev/null 2>&1
    # shellcheck disable=SC2046
    c++ -shared -fPIC "$examples/plugin_members.cpp" $(pkg-config --cflags sdfg) -o libmembers.so
    "$root/bin/sdfg-run" --list=enums --plugin=./libmembers.so | grep -q 'Example_Grid(block)'
    # shellcheck disable=SC2046
    cc -shared -fPIC "$examples/plugin_passes.c" $(pkg-config --cflags sdfg) -o libpasses.so
    "$root/bin/sdfg-opt" --list=passes --plugin=./libpasses.so | grep -q '^atomic-writes'
    "$root/bin/sdfg-run" "$examples/axpy.sdfg" --N=8 --no-cache --plugin=./libpasses.so --time 2>&1 >/dev/null | grep -q atomic-writes
    # shellcheck disable=SC2046
    cc -shared -fPIC "$examples/plugin_provider.c" $(pkg-config --cflags sdfg) -o libprovider.so
    "$root/bin/sdfg-run" "$examples/axpy.sdfg" --N=8 --no-cache --plugin=./libprovider.so --instrument=Example_Usage:maps --report=- 2>/dev/null | grep -q page_faults
    # shellcheck disable=SC2046
    cc -shared -fPIC "$examples/plugin_source.c" $(pkg-config --cflags sdfg) -o libsource.so
    "$root/bin/sdfg-run" "$examples/clip.sdfg" --N=4 --no-cache --plugin=./libsource.so >/dev/null 2>&1
    # shellcheck disable=SC2046
    c++ -std=c++20 -Wall -Wextra -Werror -shared -fPIC "$examples/plugin_ir.cpp" $(pkg-config --cflags sdfg) -o libir.so
    "$root/bin/sdfg-run" "$examples/clip.sdfg" --N=4 --no-cache --plugin=./libir.so >/dev/null 2>&1
    # shellcheck disable=SC2046
    cc -shared -fPIC "$examples/backend/simulator.c" $(pkg-config --cflags sdfg) -o libsimulator.so
    "$root/bin/sdfg-run" "$examples/backend/simulator.sdfg" --N=100 --no-cache --plugin=./libsimulator.so >/dev/null 2>&1
    # shellcheck disable=SC2046
    c++ -std=c++20 -Wall -Wextra -Werror "$examples/embed_axpy.cpp" $(pkg-config --cflags --libs sdfg) -o embed_cpp
    ./embed_cpp "$examples/axpy.sdfg" | grep -q SYMBOL_CONFLICT
    if command -v gfortran >/dev/null 2>&1; then
        # shellcheck disable=SC2046
        gfortran -std=f2018 -Wall "$(pkg-config --variable=includedir sdfg)/sdfg.f90" "$examples/embed_axpy.f90" $(pkg-config --libs sdfg) -o embed_fortran
        ./embed_fortran "$examples/axpy.sdfg" | grep -q contiguous
    else
        echo "Fortran: skipped, there is no gfortran"
    fi
    if command -v rustc >/dev/null 2>&1; then
        rustc --edition 2021 "$examples/embed_axpy.rs" -L "$libraries" -o embed_rust
        ./embed_rust "$examples/axpy.sdfg" >/dev/null
    else
        echo "Rust: skipped, there is no rustc"
    fi
    if command -v julia >/dev/null 2>&1; then
        julia "$examples/embed_axpy.jl" "$examples/axpy.sdfg" >/dev/null
    else
        echo "Julia: skipped, there is no julia"
    fi
    cp "$here/main.c" .
    # shellcheck disable=SC2046
    cc main.c axpy.o $(pkg-config --libs sdfg-rt) -o exported
    ./exported
    # shellcheck disable=SC2046
    cc main.c axpy.o "$libraries/libsdfg-rt.a" $(pkg-config --libs --static sdfg-rt | sed 's/-lsdfg-rt//') -o exported_static
    env -u LD_LIBRARY_PATH ./exported_static
else
    echo "pkg-config: skipped, there is none"
    cp "$here/main.c" .
fi

echo "documents"
for document in LICENSE README.md docs/c-api.md libsdfg.spdx.json; do
    [ -e "$root/share/doc/libsdfg/$document" ] || { echo "$document is missing"; exit 1; }
done

echo "CMake"
generator=$(sed -n 's/^CMAKE_GENERATOR:INTERNAL=//p' "$build/CMakeCache.txt")
cmake -G "$generator" -S "$here" -B consumer -DCMAKE_PREFIX_PATH="$root" -DEXAMPLES="$examples" -DEXPORTED="$folder" >>log
cmake --build consumer >>log
./consumer/axpy_sdfg "$examples/axpy.sdfg" >/dev/null
./consumer/axpy_static "$examples/axpy.sdfg" >/dev/null
./consumer/exported

echo "uninstall"
DESTDIR=$folder/root cmake --build "$build" --target uninstall >>log
left=$(find "$folder/root" ! -type d)
[ -z "$left" ] || { echo "left behind: $left"; exit 1; }
