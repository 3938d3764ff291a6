#!/bin/sh
# interpreters.sh BUILD [PYTHON...]: the tests of the Python module with every CPython from 3.10 on that is found (in PATH, and those of pyenv), and
# with the others that are named, each with NumPy 1.26 and the newest 2.x where they exist for it. Environments are made in BUILD/interpreters from
# the package index. By command only. TESTS names other tests than all of python/ that need no corpus and no package.
set -eu
build=$(cd "$1" && pwd)
shift
tests=${TESTS:-^python/(binding|interrupt|programs|live|overlap|convertible|graphs|races|calls|faults|plain|shim|complaints|closures|callbacks|example)\$}

found() {
    for name in "$@"; do echo "$name"; done
    for minor in 10 11 12 13 13t 14 14t; do command -v "python3.$minor" || :; done
    if command -v pyenv >/dev/null; then ls -d "$(pyenv root)"/versions/3.1[0-9]*/bin/python3 2>/dev/null || :; fi
}

# The version, and what it can have of NumPy; nothing: too old, or it does not start (a shim of pyenv, say).
what='import sys, sysconfig
free = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
if sys.implementation.name == "cpython" and sys.version_info >= (3, 10):
    version = "%d.%d.%d" % sys.version_info[:3] + "t" * free
    print(version, *(["numpy==1.26.*"] if sys.version_info < (3, 13) else []), "numpy>=2")'

unset PYTHONPATH PYTHONHOME # each environment has its own packages
failed=0 seen=" "
mkdir -p "$build/interpreters"
for python in $(found "$@"); do
    # shellcheck disable=SC2046 # words
    set -- $("$python" -c "$what" 2>/dev/null || :)
    [ $# -gt 0 ] || continue
    version=$1
    case $seen in *" $version "*) continue ;; esac
    seen="$seen$version "
    shift
    for numpy in "$@"; do
        environment=$build/interpreters/$version-$(echo "$numpy" | tr -dc 'a-z0-9.')
        if [ ! -e "$environment/complete" ]; then
            rm -rf "$environment"
            if ! { "$python" -m venv "$environment" && "$environment/bin/python" -m pip install -q "$numpy"; } >"$environment.log" 2>&1; then
                echo "CPython $version, $numpy: skipped, $(tail -1 "$environment.log")"
                continue
            fi
            touch "$environment/complete"
        fi
        installed=$("$environment/bin/python" -c 'import numpy; print(numpy.__version__)')
        status=0
        PATH="$environment/bin:$PATH" ctest --test-dir "$build" -R "$tests" -j "${SDFG_JOBS:-$(nproc)}" --output-on-failure >"$environment.log" 2>&1 || status=1
        echo "CPython $version, NumPy $installed: $(grep 'tests passed' "$environment.log" || tail -1 "$environment.log")"
        if [ $status != 0 ]; then
            failed=1
            grep -E '\*\*\*(Failed|Timeout|Exception)' "$environment.log" || :
        fi
    done
done
exit $failed
