#!/bin/sh
# coverage.sh [ARGUMENT...]: which lines and branches the tests run. Builds in build/coverage, runs the tests but for those whose programs
# are built elsewhere (arguments go to ctest instead: -R unit/), prints a table by folder and writes the branches that no test takes to
# build/coverage/branches.txt. A function counts once, inlined or not; no branch is left out. Counts add up over runs; `coverage.sh --clear` sets them to zero, `coverage.sh --report` only prints.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
jobs=${SDFG_JOBS:-$(nproc)}
folder=$top/build/coverage
export OMP_WAIT_POLICY="${OMP_WAIT_POLICY:-passive}" TEST_COUNTS=1
mutations=20000 # as the tests of the sanitizers try

"$top/scripts/setup.sh" test
case "${1:-}" in
--clear)
    find "$folder" -name '*.gcda' -delete
    exit 0
    ;;
--report) ;;
*)
    [ $# -gt 0 ] || set -- -E '^(lint|aarch64|install|docs)/|^export/(c|fortran)$'
    "$top/scripts/build.sh" coverage
    # Processes that end by _exit, abort or SIGTERM write their counts, too.
    ${CC:-cc} -shared -fPIC -DPRELOADED "$top/scripts/coverage.c" -o "$folder/coverage-end.so" -ldl
    # What fails here fails in ./test, too, or takes too long with counters.
    LD_PRELOAD=$folder/coverage-end.so ctest --test-dir "$folder" -j "$jobs" -Q -O "$folder/tests.log" "$@" || tail -n 30 "$folder/tests.log" >&2
    for seeds in "$top"/tests/fuzz/corpus/*; do
        "$folder/fuzz_$(basename "$seeds")" "$seeds" $mutations >/dev/null
    done
    ;;
esac
python3 -B "$top/scripts/coverage.py" "$folder"
