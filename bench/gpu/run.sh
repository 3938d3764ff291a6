#!/bin/sh
# run.sh [BUILD] [OPTION...]: all that is to be known of a real GPU, in one command within nine minutes: are the results right, how fast
# are kernels, transfers and whole programs. Writes bench/results/gpu-CARD.md; --help has the options.
here=$(cd "$(dirname "$0")" && pwd)
build=$here/../../build/release
case ${1:-} in '' | -*) ;; *) build=$1 && shift ;; esac
exec python3 -B "$here/measure.py" --build="$build" "$@"
