#!/bin/sh
# gt4py_tests.sh BUILD CHECKOUT [PYTEST ARGUMENT...]: the tests of GT4Py's `dace` backends, with GT4Py's default settings, built by this
# library; CHECKOUT is a git repository of GT4Py that has its release 1.2.1, or an unpacked source distribution. GT4Py and DaCe come from the package
# index into an environment in BUILD/gt4py; they need Python 3.12 or newer (GT4PY_PYTHON names one). SDFG_DROPIN=none runs DaCe alone, for
# comparison. By command only. docs/dropin.md lists what fails.
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
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if [ -e "$checkout/tests/next_tests" ]; then
    cp -r "$checkout/tests" "$folder/tests"
    [ ! -e "$checkout/pyproject.toml" ] || cp "$checkout/pyproject.toml" "$folder"
else
    git -C "$checkout" archive "v$version" tests pyproject.toml | tar -x -C "$folder"
fi
cd "$folder"
[ $# != 0 ] || set -- tests/next_tests/integration_tests tests/next_tests/unit_tests/program_processor_tests/runners_tests/dace_tests
plugin="-p sdfg.dropin.pytest_plugin"
if [ "${SDFG_DROPIN:=build}" = none ]; then plugin=; fi
export SDFG_DROPIN SDFG_LIBRARY="$build/libsdfg.so" PYTHONPATH="$here/../../python:$folder" GT4PY_BUILD_CACHE_DIR="$folder"
# shellcheck disable=SC2086 # no plug-in: no argument
"$python" -m pytest $plugin -p no:cacheprovider --continue-on-collection-errors -q --timeout=300 -k dace -m "not requires_gpu" -rfE "$@"
