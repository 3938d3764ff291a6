#!/bin/sh
# dace.sh BUILD: prints a Python that has DaCe, in an environment of the tests' own, BUILD/dace, filled from the package index; DACE_VERSION
# names another version, which gets an environment of its own. Ends with 77 and the reason where it cannot be had.
set -eu
build=$1 usual=2.0.0b1
version=${DACE_VERSION:-$usual} environment=$build/dace
[ "$version" = $usual ] || environment=$environment-$version
skip() { echo "skipped: $1" && exit 77; }

python=$environment/bin/python
[ -e "$environment/complete-$version" ] || (
    flock 9
    [ -e "$environment/complete-$version" ] && exit
    python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || skip "DaCe $version needs Python 3.10"
    rm -rf "$environment"
    python3 -m venv "$environment" >/dev/null 2>&1 || skip "python3 makes no virtual environment"
    "$python" -m pip install -q "dace==$version" >"$environment/pip.log" 2>&1 || skip "DaCe $version cannot be installed: $(tail -1 "$environment/pip.log")"
    touch "$environment/complete-$version"
) 9>"$environment.lock" || exit $?
echo "$python"
