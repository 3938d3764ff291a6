#!/bin/sh
# dace_tests.sh BUILD CHECKOUT [RANKS [PYTEST ARGUMENT...]]: DaCe's own MPI tests (tests/library/mpi and pblas), from a checkout of the version that
# tests/dace.sh installs, built by this library inside of DaCe and run on RANKS processes (2) of each MPI library whose launcher is
# there. By command only. docs/mpi.md lists what fails. LOGS=FOLDER keeps the logs of the last library.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd) checkout=$(cd "$2" && pwd) ranks=${3:-2}
shift 2
[ $# = 0 ] || shift
python=$("$here/../dace.sh" "$build") || { status=$?; echo "$python"; [ ! -e "$folder/failed" ] || status=1
exit $status; }
"$python" -m pip install -q pytest pytest-timeout scipy opt_einsum mpi4py
[ $# != 0 ] || set -- tests/library/mpi tests/library/pblas
cd "$checkout"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# mpi4py looks for a name that some distributions do not give to MPICH
mpich=$(ldconfig -p | sed -n 's/.*libmpich\.so\.12 .*=> //p' | head -n 1)
[ -z "$mpich" ] || ln -s "$mpich" "$folder/libmpi.so.12"

# one process: a build folder and a log of its own
cat >"$folder/rank" <<'EOF'
rank=${PMI_RANK:-${OMPI_COMM_WORLD_RANK:-0}}
export DACE_default_build_folder="$FOLDER/build.$rank"
"$PYTHON" -m pytest -p sdfg.dropin.pytest_plugin -p no:cacheprovider -v --color=no --timeout=150 --timeout-method=thread -m "mpi or scalapack" -rfE "$@" \
    >"$FOLDER/log.$rank" 2>&1 || : >"$FOLDER/failed" # a launcher kills the others when one process fails
EOF
export FOLDER="$folder" PYTHON="$python" SDFG_LIBRARY="$build/libsdfg.so" PYTHONPATH="$here/../../python:$checkout" SDFG_DROPIN="${SDFG_DROPIN:-build,strict}" \
    OMP_NUM_THREADS=1 DACE_cache=unique

tests=$*
status=0
run() { # name, launcher...
    name=$1
    shift
    command -v "$1" >/dev/null || { echo "$name: no $1" && return; }
    rm -f "$folder"/log.*
    "$@" -n "$ranks" sh "$folder/rank" $tests >"$folder/launcher" 2>&1 || status=1
    echo "== $name, $ranks ranks"
    for log in "$folder"/log.*; do
        grep -E '^(FAILED|ERROR) |^=+ .*(passed|failed)' "$log" || { echo "no end, the last test:" && grep '::' "$log" | tail -n 1; }
    done | sort | uniq -c
    [ -n "${LOGS:-}" ] || return 0
    cp "$folder/launcher" "$LOGS/$name"
    for log in "$folder"/log.*; do cp "$log" "$LOGS/$name.${log##*.}"; done
}
LD_LIBRARY_PATH=$folder MPI4PY_MPIABI=mpich run MPICH mpirun.mpich
MPI4PY_MPIABI=openmpi run "Open MPI" mpirun.openmpi --allow-run-as-root --oversubscribe --mca btl_vader_single_copy_mechanism none
[ ! -e "$folder/failed" ] || status=1
exit $status
