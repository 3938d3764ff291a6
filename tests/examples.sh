#!/bin/sh
# examples.sh GENERATOR: the programs in examples/ are what the generator writes.
set -eu
examples=$(cd "$(dirname "$0")/../examples" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/backend"
"$1" "$folder"
found=0
for file in "$folder"/*.sdfg "$folder"/*/*.sdfg; do
    diff "$examples/${file#"$folder"/}" "$file"
    found=$((found + 1))
done
echo "$found files"
[ "$found" -gt 0 ]
