#!/bin/sh
# restored.sh FOLDER SDFG-RUN: recorded calls that restore what the call before has saved.
set -eu
folder=$1 run=$2
saved=$(mktemp -d)
trap 'rm -rf "$saved"' EXIT
for test in dinstr_hooks restore symbol_restore; do
    case=$folder/data_instrumentation_test__test_$test
    "$run" --case="$case" --save-data="$saved/$test"
    "$run" --case="${case}__1" --restore-data="$saved/$test"
done
