#!/bin/sh
# times.sh SDFG-RUN EXAMPLES: what --report and --time say of a program on a GPU.
run=$1 examples=$2 failed=0
is() { # what found expected
    [ "$2" = "$3" ] || { echo "$1: '$2' instead of '$3'"; failed=1; }
}
report=$("$run" "$examples/axpy.sdfg" --N=1000 --device=cuda --no-cache --repeat=2 --report=- 2>/dev/null |
    sed -n 's/^{"name": "\([^"]*\)".*"tid": \([0-9]*\).*"args": {\(.*\)}},*$/\1, \2, \3/p' | sed 's/, [1-9][0-9]*,/, T,/' | sort | uniq -c | sed 's/^ *//')
is report "$report" '2 Kernel k0_nest_0, 0, "cfg_id": 0
4 Transfer in, 0, "cfg_id": 0, "bytes": 8000
2 Transfer out, 0, "cfg_id": 0, "bytes": 8000
2 Wait, T, "cfg_id": 0'
times=$("$run" "$examples/axpy.sdfg" --N=1000 --device=cuda --no-cache --repeat=4 --time 2>&1 | sed -n '/GPU, of each run/s/[0-9.e-]* ms/MS/gp')
is times "$times" "  GPU, of each run: 1 kernels MS, 3 transfers MS (0.024 MB), 1 waits MS"
exit $failed
