#!/bin/sh
# generated.sh GENERATOR: the cases in run/library are what the generator writes.
set -eu
library=$(cd "$(dirname "$0")/library" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" "$folder"
find "$folder" -type d -empty -delete # which git does not keep
diff -r "$library" "$folder"
find "$folder" -name case.json | wc -l
[ -n "$(ls "$folder")" ]
