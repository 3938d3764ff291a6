#!/bin/sh
# recurrences.sh SDFG-RUN PROGRAMS: recurrences of one thread, which are unrolled, give the results of the CPU, and so do loops in loops that are
# one kernel. The stand-ins' variables are set.
run=$1 programs=$2/recurrences.py failed=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for program in filter_rows columns mirrored by_data "distance --d=1" "distance --d=5" "distance --d=19"; do
    for K in 3 19 50; do
        { "$run" "$programs:"$program --N=40 --K=$K --threads=1 --output=C=@"$folder/c.npy" &&
            "$run" "$programs:"$program --N=40 --K=$K --device=cuda --cache="$folder/cache" --expect=C=@"$folder/c.npy"; } >"$folder/log" 2>&1 ||
            { echo "wrong: $program --K=$K: $(tail -3 "$folder/log")"; failed=1; }
    done
done
for program in "lower K" "upper L" "in_place K" "of_two K" "neighbours K"; do # of all earlier results: 32 at a time
    size=${program#* } program=${program% *}
    for extent in 1 32 77; do
        { "$run" "$programs:$program" --$size=$extent --threads=1 --output=C=@"$folder/c.npy" &&
            "$run" "$programs:$program" --$size=$extent --device=cuda --cache="$folder/cache" --expect=C=@"$folder/c.npy"; } >"$folder/log" 2>&1 ||
            { echo "wrong: $program --$size=$extent: $(tail -3 "$folder/log")"; failed=1; }
    done
done
trials=$2/trials.py:nested
{ "$run" "$trials" --N=6 --M=5 --k=3 --x=1.25 --threads=1 --output=B=@"$folder/c.npy" &&
    timeout 60 "$run" "$trials" --N=6 --M=5 --k=3 --x=1.25 --device=cuda --cache="$folder/cache" --expect=B=@"$folder/c.npy"; } >"$folder/log" 2>&1 ||
    { echo "wrong: nested: $(tail -3 "$folder/log")"; failed=1; }
exit $failed
