#!/bin/sh
# bench.sh BUILD CORPUS: bench/gpu/run.sh with a few programs on the stand-ins, so that it works when there is a GPU.
build=$1 corpus=$2 here=$(cd "$(dirname "$0")" && pwd)
[ -d "$corpus" ] || { echo "skipped: no $corpus"; exit 77; }
page=$build/bench-gpu-page.md
run() {
    "$here/../../bench/gpu/run.sh" "$build" --corpus="$corpus" --programs="$1" --preset=S --minutes=3 --small --output="$page"
}
rm -f "$page"
said=$(run atax,jacobi_2d) || { echo "it fails: $said"; exit 1; }
for line in '^# stand-in$' '^| prog | 2 | 0 | 0 |$' '^| prog.gpu | 2 | 0 | 0 |$' '^| axpy | --N=1000 | 1 | [0-9.]* | [0-9.]* | [0-9.]* | [0-9.]* | [0-9.]* |$' \
    '^| jacobi_2d | --N=300 --T=2 | 1 |' '^| heat_3d |' '^| gemm |' '^| atax | [0-9.]* | [0-9.]* | [0-9.e-]* | [0-9]* |' '^Geometric mean of 2 ratios: '; do
    grep -q "$line" "$page" || { echo "no line '$line' in the page:"; cat "$page"; exit 1; }
done
said=$(SDFG_STANDIN_FAIL=9 run atax 2>&1) && { echo "programs that fail are no failure: $said"; exit 1; }
grep -q '^\* prog: atax: .*(999)' "$page" || { echo "no reason in the page:"; cat "$page"; exit 1; }
