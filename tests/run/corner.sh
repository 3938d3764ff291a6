#!/bin/sh
# corner.sh GENERATOR: the programs in tests/run/corner are what the generator writes.
set -eu
corner=$(cd "$(dirname "$0")/corner" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" "$folder"
diff -r "$corner/cases" "$folder/cases"
diff -r "$corner/transcripts" "$folder/transcripts"
