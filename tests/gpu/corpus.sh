#!/bin/sh
# corpus.sh BUILD [ORDER...]: the recorded cases of the corpus on the stand-in for a GPU: NPBench in all its forms, and the programs of
# DaCe's tests. Orders of threads are forward, reverse and rotated (all of them). Code for devices is kept in BUILD/device-cache, so that
# the first order takes minutes and the others less. What is expected to fail is in corpus/expected-fail.txt.
set -u
tests=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
shift
export SDFG_CUDA="$build/libstandin-cuda.so" SDFG_NVRTC="$build/libstandin-nvrtc.so" OMP_NUM_THREADS="${OMP_NUM_THREADS:-1}"
status=0
check() {
    printf '%s %s: ' "$SDFG_STANDIN_ORDER" "$*"
    "$tests/corpus/check.sh" "$build/sdfg-run" "$tests/../build/corpus" "$@" --device=cuda --cache="$build/device-cache" || status=1
}
for SDFG_STANDIN_ORDER in ${@:-forward reverse rotated}; do
    export SDFG_STANDIN_ORDER
    check npbench
    for form in autoopt autoopt-lib gpu gpu-lib gpu-plain; do
        check npbench --sdfg=prog.$form.sdfg
    done
    check dace-tests
done
exit $status
