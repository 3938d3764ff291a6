#!/bin/sh
# round_trip.sh FOLDER TREE-OPT SDFG-RUN [EVERY]: the trees of all programs below FOLDER, as they are lowered and after all passes, must
# be read and printed as the same text. With EVERY, only each EVERYth program. Programs that are not lowered are passed over.
set -eu
folder=$1 opt=$2 run=$3 every=${4:-1}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
find "$folder" -name '*.sdfg*' -type f | sort | awk "NR % $every == 0" > "$work/programs"
count=0 bad=0
while read -r program; do
    "$run" "$program" --emit=tree --dump-after=lower --no-cache > "$work/after.tree" 2> "$work/dump" || continue
    sed -n '/^---- lower$/,$p' "$work/dump" | sed 1d > "$work/before.tree"
    count=$((count + 1))
    "$opt" --round-trip "$work/before.tree" "$work/after.tree" > "$work/out" 2>&1 || { bad=$((bad + 1)); echo "$program"; head -40 "$work/out"; }
done < "$work/programs"
echo "$count programs, $bad differ"
[ "$count" -gt 0 ] && [ "$bad" = 0 ]
