#!/bin/sh
# test.sh FOLDER-OF-PROGRAMS: every shape of graph is made, compiled and run; the stack does not hold any number of arrays.
set -eu
graph=$(mktemp)
trap 'rm -f "$graph"' EXIT
for shape in chain stencils wide states branches nested deep body; do
    "$1/bench-graphs" "$shape" 12 > "$graph"
    "$1/sdfg-run" "$graph" --N=100 --no-cache > /dev/null
done
"$1/bench-graphs" stencils 1500 > "$graph"
"$1/sdfg-run" "$graph" --N=100 --emit=tree | grep '= heap' > /dev/null
