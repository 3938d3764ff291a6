#!/bin/sh
# dace_tests.sh BUILD CHECKOUT [LEVEL [PYTEST ARGUMENT...]]: DaCe's own tests, from a checkout of the same version as the one that is installed
# (v2.0.0b1; DACE_VERSION names another), built by this library; LEVEL is build (default) or memory. What does not pass is run by DaCe alone,
# too; the end says which share passes of what DaCe passes, and lists the rest. SDFG_JOBS processes run the tests; one that crashes is a failure.
# By command only: it takes an hour or two. docs/dropin.md lists what fails.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd) checkout=$(cd "$2" && pwd) level=${3:-build}
shift 2
[ $# = 0 ] || shift
python=$("$here/../dace.sh" "$build") || { status=$?; echo "$python"; exit $status; }
"$python" -m pip install -q pytest pytest-timeout pytest-xdist scipy opt_einsum absl-py
results=$(mktemp -d)
echo "results in $results"
# The tests alone: DaCe is the one that is installed, which has what a checkout may lack (submodules).
mkdir "$results/tree"
tar -C "$checkout" -c --exclude=./dace --exclude=./.git --exclude='*.dacecache' . | tar -C "$results/tree" -x
cd "$results/tree"
[ $# != 0 ] || set -- tests
marks="not gpu and not tensorflow and not mkl and not papi and not mlir and not sve and not mpi and not scalapack and not hptt and not long \
and not torch and not onnx and not sequential"
export SDFG_LIBRARY="$build/libsdfg.so" PYTHONPATH="$here:$here/../../python:$results/tree" DACE_cache=unique MPI4PY_RC_INITIALIZE=no
run() {
    "$python" -m pytest -p sdfg.dropin.pytest_plugin -p outcomes -p no:cacheprovider --continue-on-collection-errors --color=no -q \
        -n "${SDFG_JOBS:-$(nproc)}" --max-worker-restart=1000 --timeout=600 -m "$marks" -rfE "$@"
}
SDFG_OUTCOMES=$results/ours SDFG_DROPIN=$level run "$@" >"$results/ours.log" 2>&1 || :
# What did not pass, by DaCe alone.
"$python" "$here/outcomes.py" missed "$results/ours" >"$results/missed"
"$python" "$here/outcomes.py" modules "$results/ours" >"$results/modules"
touch "$results/dace"
if [ -s "$results/missed" ]; then
    SDFG_OUTCOMES=$results/dace SDFG_DROPIN=0 SDFG_ONLY=$results/missed run "@$results/modules" >"$results/dace.log" 2>&1 || :
fi
sed -n '/^libsdfg built/,/^[^ ]/p' "$results/ours.log" | grep -E '^libsdfg|^  ' || :
exec "$python" "$here/outcomes.py" share "$results/ours" "$results/dace"
