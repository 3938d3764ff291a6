#!/bin/sh
# coverage.sh [ARGUMENT...]: which lines and branches the tests run. Builds in build/coverage, runs the tests but for the corpus and lint
# (arguments go to ctest instead: -R unit/), prints a table by folder and writes the branches that no test takes to
# build/coverage/branches.txt. Counts add up over runs; `coverage.sh --clear` sets them to zero, `coverage.sh --report` only prints.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
jobs=${SDFG_JOBS:-$(nproc)}
folder=$top/build/coverage
export OMP_WAIT_POLICY="${OMP_WAIT_POLICY:-passive}"

"$top/scripts/setup.sh" coverage
case "${1:-}" in
--clear)
    find "$folder" -name '*.gcda' -delete
    exit 0
    ;;
--report) ;;
*)
    [ $# -gt 0 ] || set -- -L 'unit|run|cli' -LE 'corpus|lint'
    "$top/scripts/build.sh" coverage
    # What fails here fails in ./test, too, or takes too long with counters.
    ctest --test-dir "$folder" -j "$jobs" -Q -O "$folder/tests.log" "$@" || tail -n 30 "$folder/tests.log" >&2
    ;;
esac
gcovr --root "$top" --object-directory "$folder" --gcov-ignore-parse-errors --exclude-unreachable-branches --exclude-throw-branches \
    --filter "$top/(base|ir|lower|gpu|jit|cache|engine|runtime)/" --json --output "$folder/coverage.json" -j "$jobs" "$folder" 2>"$folder/gcovr.log" || {
    cat "$folder/gcovr.log" >&2
    exit 6
}
python3 "$top/scripts/coverage.py" "$folder/coverage.json" "$folder/branches.txt"
