#!/bin/sh
# completion.sh BUILD: what bash offers for some unfinished lines, and that zsh can read its file if it is there.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
completions=$here/../../completions
if command -v zsh >/dev/null 2>&1; then
    zsh -n "$completions/_sdfg"
    echo "zsh: can be read"
else
    echo "zsh: skipped, there is none"
fi
if ! command -v bash >/dev/null 2>&1; then
    echo "skipped: there is no bash"
    exit 77
fi
cd "$here/../../examples"
PATH=$1:$PATH exec bash -u -s "$completions/sdfg.bash" <<'BASH'
source "$1"
failed=0
# offers "LINE" WORDS...: the last word of the line can become these, and nothing else.
offers() {
    read -ra COMP_WORDS <<<"$1"
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _sdfg "${COMP_WORDS[0]}"
    shift
    [[ "${COMPREPLY[*]}" == "$*" ]] || { echo "${COMP_WORDS[*]}: offers '${COMPREPLY[*]}', not '$*'"; failed=1; }
}
offers "sdfg-run --repe" --repeat=
offers "sdfg-run --rep" --repeat= --report=
offers "sdfg-run --no" --no-cache
offers "sdfg-run gemm.sdfg --al" --alpha=
offers "sdfg-run axpy.sdfg --X" --X=
offers "sdfg-cc --targ" --target=
offers "sdfg-cc gemm.sdfg --bet" --beta=
offers "sdfg-bench --agai" --against=
offers "sdfg-cache ver" verify
offers "sdfg-run axp" axpy.sdfg
offers "sdfg-run --nonsense"
exit $failed
BASH
