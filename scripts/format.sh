#!/bin/sh
# format.sh [FILE...]: formats the files, or all C files of the project, with the pinned version.
set -eu
cd "$(dirname "$0")/.."
if [ $# -gt 0 ]; then
    exec clang-format-14 -i "$@"
fi
git ls-files -z '*.c' '*.h' '*.inc' | xargs -0 clang-format-14 -i
