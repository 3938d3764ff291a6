#!/bin/sh
# text.sh TREE-OPT FILE.tree...: is the CUDA C of the kernels of trees what the files FILE.cu say? SDFG_BLESS=1 writes them.
set -u
tool=$1
shift
status=0
for tree in "$@"; do
    expected=${tree%.tree}.cu
    actual=$("$tool" --cuda "$tree")
    if [ -n "${SDFG_BLESS:-}" ]; then
        printf '%s\n' "$actual" >"$expected"
    else
        printf '%s\n' "$actual" | diff -u --label "$expected" --label actual "$expected" - || status=1
    fi
done
exit $status
