#!/bin/sh
# tools.sh BUILD: prints the folder of an environment of the tests' own, BUILD/wheel-tools, with what builds and checks wheels and
# annotations, filled from the package index. Ends with 77 and the reason where it cannot be had.
set -eu
build=$1 version=1
skip() { echo "skipped: $1" && exit 77; }

tools=$build/wheel-tools
[ -e "$tools/complete-$version" ] || (
    flock 9
    [ -e "$tools/complete-$version" ] && exit
    rm -rf "$tools"
    python3 -m venv "$tools" >/dev/null 2>&1 || skip "python3 makes no virtual environment"
    "$tools/bin/pip" install -q scikit-build-core auditwheel mypy numpy >"$tools/log" 2>&1 || skip "no tools for wheels: $(tail -1 "$tools/log")"
    # pyright runs in Node.js, which not every machine has.
    if ! "$tools/bin/pip" install -q pyright >>"$tools/log" 2>&1 || ! timeout 60 "$tools/bin/pyright" --version >>"$tools/log" 2>&1; then
        rm -f "$tools/bin/pyright"
    fi
    touch "$tools/complete-$version"
) 9>"$build/wheel-tools.lock" || exit $?
echo "$tools"
