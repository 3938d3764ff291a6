#!/bin/sh
# run.sh RUN-TREE FILE.tree...: do programs for a device do what the files FILE.out say? SDFG_BLESS=1 writes them. Each has a process of
# its own: a fault ends the use of a device in a process.
set -u
tool=$1
shift
status=0
for tree in "$@"; do
    expected=${tree%.tree}.out
    actual=$("$tool" "$tree")
    code=$?
    [ $code != 77 ] || exit 77
    [ $code = 0 ] || actual="$actual
[$code]"
    if [ -n "${SDFG_BLESS:-}" ]; then
        printf '%s\n' "$actual" >"$expected"
    else
        printf '%s\n' "$actual" | diff -u --label "$expected" --label actual "$expected" - || status=1
    fi
done
exit $status
