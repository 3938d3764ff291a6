#!/bin/sh
# gt4py_tests.sh BUILD CHECKOUT [PYTEST ARGUMENT...]: the tests of GT4Py's `dace` backends, with GT4Py's default settings, built by this
# library; CHECKOUT is a git repository of GT4Py that has its release 1.2.1, or an unpacked source distribution. GT4Py and DaCe come from the package
# index into an environment in BUILD/gt4py; they need Python 3.12 or newer (GT4PY_PYTHON names one). What does not pass is run by DaCe alone, too, and
# the end says which share passes of what DaCe passes. SDFG_JOBS processes run the tests. By command only. docs/dropin.md lists what fails.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd) checkout=$(cd "$2" && pwd)
shift 2
version=1.2.1 dace=2.0.0b1
environment=$build/gt4py
python=$environment/bin/python
if [ ! -e "$environment/complete-$version" ]; then
    base=${GT4PY_PYTHON:-python3}
    "$base" -c 'import sys; sys.exit(sys.version_info < (3, 12))' || {
        echo "GT4Py $version needs Python 3.12: name one by GT4PY_PYTHON"
        exit 77
    }
    rm -rf "$environment"
    "$base" -m venv "$environment"
    "$python" -m pip install -q "gt4py==$version" "dace==$dace" nanobind pytest pytest-timeout pytest-factoryboy pytest-xdist hypothesis scipy
    touch "$environment/complete-$version"
fi
results=$(mktemp -d)
echo "results in $results"
folder=$results/tree
mkdir "$folder"
if git -C "$checkout" rev-parse --quiet --verify "v$version^{commit}" >/dev/null 2>&1; then
    git -C "$checkout" archive "v$version" tests pyproject.toml | tar -x -C "$folder"
else
    cp -r "$checkout/tests" "$folder/tests"
    [ ! -e "$checkout/pyproject.toml" ] || cp "$checkout/pyproject.toml" "$folder"
fi
cd "$folder"
[ $# != 0 ] || set -- tests/next_tests/integration_tests tests/next_tests/unit_tests/program_processor_tests/runners_tests/dace_tests
export SDFG_LIBRARY="$build/libsdfg.so" PYTHONPATH="$here:$here/../../python:$folder" GT4PY_BUILD_CACHE_DIR="$folder" MPI4PY_RC_INITIALIZE=no
run() {
    "$python" -m pytest -p sdfg.dropin.pytest_plugin -p outcomes -p no:cacheprovider --continue-on-collection-errors --color=no -q \
        -n "${SDFG_JOBS:-$(nproc)}" --max-worker-restart=1000 --timeout=600 -k dace -m "not requires_gpu" -rfE "$@"
}
SDFG_OUTCOMES=$results/ours SDFG_DROPIN=build run "$@" >"$results/ours.log" 2>&1 || :
# What did not pass, by DaCe alone.
"$python" "$here/outcomes.py" missed "$results/ours" >"$results/missed"
"$python" "$here/outcomes.py" modules "$results/ours" >"$results/modules"
touch "$results/dace"
if [ -s "$results/missed" ]; then
    SDFG_OUTCOMES=$results/dace SDFG_DROPIN=0 SDFG_ONLY=$results/missed run "@$results/modules" >"$results/dace.log" 2>&1 || :
fi
sed -n '/^libsdfg built/,/^[^ ]/p' "$results/ours.log" | grep -E '^libsdfg|^  ' || :
exec "$python" "$here/outcomes.py" share "$results/ours" "$results/dace"
