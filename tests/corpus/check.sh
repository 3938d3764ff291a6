#!/bin/sh
# check.sh SDFG-RUN FOLDER SET [OPTION...]: runs every recorded case of a set of the corpus. The corpus lies beside the project or
# where SDFG_CORPUS says, and is unpacked into FOLDER. SET.txt beside this script lists the cases known to fail, with reasons: one that
# passes must leave the list.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
run=$1 folder=$2 set=$3
shift 3

corpus=${SDFG_CORPUS:-$here/../../../shared/corpus}
if [ -x "$corpus/unpack" ]; then
    "$corpus/unpack" "$folder" "$set"
elif [ -d "$corpus/$set" ]; then
    folder=$corpus # unpacked already
else
    echo "skipped: no corpus in ${SDFG_CORPUS:-../shared/corpus} (SDFG_CORPUS names another folder)"
    exit 77
fi
list=
[ -e "$here/$set.txt" ] && list=--list=$here/$set.txt
exec "$run" --cases="$folder/$set" --jobs="${SDFG_JOBS:-$(nproc)}" --timeout=60 $list "$@"
