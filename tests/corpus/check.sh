#!/bin/sh
# check.sh SDFG-RUN FOLDER SET [OPTION...]: runs every recorded case of a set of the corpus.
# check.sh --warm SDFG-RUN FOLDER SET [OPTION...]: twice, with an empty cache on disk and with what is in it then; the second time
# nothing may be missing there.
# check.sh --files PROGRAM FOLDER SET [OPTION...]: a program of this folder that takes every file of a set (reemit, compile-all).
# --every=N/K before SDFG-RUN: a sample, every Nth case from the Kth on (0 is the first), with the later calls of the same program
# (CASE__2, ...); with SDFG_SAMPLE=all in the environment all of them. A program after --files gets --every=N. --but=CASE: without this case.
# The corpus lies beside the project or where SDFG_CORPUS says, and is unpacked into FOLDER. expected-fail.txt beside this script
# lists cases known to fail as "SET/CASE<TAB>reason": one that passes must leave the list. Quick code fuses no multiply-add, and a GPU others, so with
# --tier=quick and --device=cuda nothing is expected of those whose reason ends in "passes with --fp=strict".
set -eu
here=$(cd "$(dirname "$0")" && pwd)
files= warm= every= but=
while :; do
    case $1 in
    --files) files=1 ;;
    --warm) warm=1 ;;
    --every=*) every=${1#--every=} ;;
    --but=*) but=${1#--but=} ;;
    *) break ;;
    esac
    shift
done
[ "${SDFG_SAMPLE:-}" != all ] || every=
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
[ -z "$files" ] || exec "$run" "$folder/$set" "$@" ${every:+"--every=${every%/*}"}
list=$(mktemp)
cache=$(mktemp -d)
sample=$(mktemp -d)
trap 'rm -rf "$list" "$cache" "$sample"' EXIT
case " $* " in *" --tier=quick "* | *" --device=cuda "*) unless='passes with --fp=strict$' ;; *) unless='^$' ;; esac
sed -n "s|^$set/||p" "$here/expected-fail.txt" | { grep -v "$unless" || true; } > "$list"
if [ -n "$every$but" ]; then
    every=${every:-1/0}
    mkdir "$sample/$set"
    ls -d "$(cd "$folder" && pwd)/$set"/*/ | sed 's|/$||' |
        awk -v n="${every%/*}" -v k="${every#*/}" '{ first = $0; sub(/__[0-9]+$/, "", first); if (!(first in at)) at[first] = count++ } at[first] % n == k' |
        { grep -v "/$but\$" || true; } |
        xargs -r ln -s -t "$sample/$set"
    folder=$sample
fi
cases() { "$run" --cases="$folder/$set" --jobs="${SDFG_JOBS:-$(nproc)}" --timeout=60 --list="$list" "$@"; }
if [ -z "$warm" ]; then
    cases "$@"
    exit
fi
cases --cache="$cache" "$@"
before=$(cd "$cache" && ls)
cases --cache="$cache" "$@"
[ "$before" = "$(cd "$cache" && ls)" ] || { echo "the second run found something missing in the cache"; exit 1; }
