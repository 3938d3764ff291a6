#!/bin/sh
# fuzz.sh BUILD [COUNT [SEED [ORDER...]]]: random programs (tests/frontend/fuzz.py) offloaded to the stand-in for a GPU, in orders of threads as in
# corpus.sh, against NumPy. 200 programs take a minute or two for each order, whose code is compiled by the host's compiler.
set -u
tests=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
count=${2:-200} seed=${3:-1}
shift $(($# < 3 ? $# : 3))
export SDFG_CUDA="$build/libstandin-cuda.so" SDFG_NVRTC="$build/libstandin-nvrtc.so" OMP_NUM_THREADS="${OMP_NUM_THREADS:-1}"
status=0
for SDFG_STANDIN_ORDER in ${@:-forward reverse rotated}; do
    export SDFG_STANDIN_ORDER
    echo "$SDFG_STANDIN_ORDER:"
    "$tests/frontend/numpy2.sh" "$tests/frontend/fuzz.py" "$build/sdfg-run" "$count" "$seed" --device=cuda --cache="$build/device-cache" || status=1
done
exit $status
