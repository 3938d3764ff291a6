#!/bin/sh
# tiles.sh SDFG-RUN PROGRAMS: products of matrices without a library, with the results of the CPU: kernels of tiles where there are enough
# of them, also for sizes that are no multiples, and one thread for each result elsewhere. The stand-ins' variables are set.
run=$1 programs=$2/tiles.py failed=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
SDFG_CUBLAS=none
export SDFG_CUBLAS
wrong() {
    echo "wrong: $*"
    failed=1
}

# is KERNEL PROGRAM [SIZE...]: what runs has this kind of kernel, and C is what the CPU computes.
is() {
    kernel=$1 program=$2
    shift 2
    "$run" "$programs:$program" "$@" --output=C=@"$folder/c.npy" >"$folder/out" 2>&1 || wrong "$program $*: $(cat "$folder/out")"
    "$run" "$programs:$program" "$@" --device=cuda --cache="$folder/cache" --expect=C=@"$folder/c.npy" --report=- >"$folder/out" 2>&1 ||
        wrong "$program $*: $(tail -3 "$folder/out")"
    grep -q "\"Kernel k[0-9]*_${kernel}_" "$folder/out" || wrong "$program $*: no kernel $kernel"
}

sizes="--M=130 --N=1100 --K=70"
for program in plain half single complex_single complex_double bytes_ integers left right both strided part around; do
    is tile $program $sizes
done
is tile stack --B=9 --M=129 --N=90 --K=64  # no shorter strip
is tile plain --M=1024 --N=128 --K=65      # whole tiles, a strip of one
for program in lower two_terms upper falling rows_bounded first_row_without_columns; do
    is tile $program --M=390 --K=70
    is nest $program --M=390 --K=63
done
for program in rows_of_lengths columns_of_lengths from_the_row_on in_place symmetric; do
    is tile $program --M=390 --N=330
done
is tile weights $sizes
is nest band --M=390 --K=70 # both bounds of columns depend on rows
is nest plain --M=40 --N=1100 --K=70       # few tiles
is nest plain --M=130 --N=1100 --K=63      # short sums
exit $failed
