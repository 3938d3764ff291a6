#!/bin/sh
# dace_tests.sh BUILD CHECKOUT [LEVEL [PYTEST ARGUMENT...]]: DaCe's own tests, from a checkout of the same version as the one that is installed
# (v2.0.0b1; DACE_VERSION names another), built by this library; LEVEL is build (default) or memory. By command only: it takes half
# an hour. The summary says how many programs were built by whom, and why not by us. docs/dropin.md lists what fails.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd) checkout=$2 level=${3:-build}
shift 2
[ $# = 0 ] || shift
python=$("$here/../dace.sh" "$build") || { status=$?; echo "$python"; exit $status; }
[ -z "${DACE_VERSION:-}" ] || "$python" -m pip install -q "dace==$DACE_VERSION"
"$python" -m pip install -q pytest pytest-timeout scipy opt_einsum
cd "$checkout"
[ $# != 0 ] || set -- tests
marks="not gpu and not tensorflow and not mkl and not papi and not mlir and not sve and not mpi and not scalapack and not hptt and not long \
and not torch and not onnx and not sequential"
export SDFG_LIBRARY="$build/libsdfg.so" PYTHONPATH="$here/../../python:$checkout" SDFG_DROPIN="$level" DACE_cache=unique
exec "$python" -m pytest -p sdfg.dropin.pytest_plugin -p no:cacheprovider --continue-on-collection-errors -q --timeout=120 -m "$marks" -rfE "$@"
