#!/bin/sh
# completion.sh BUILD: what bash offers for some unfinished lines, and zsh if it is there.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
completions=$here/../../completions
if command -v zsh >/dev/null 2>&1; then
    # With the functions of its completion system that the file calls: they print what they are given.
    (cd "$here/../../examples" && PATH=$1:$PATH exec zsh -f -s "$completions/_sdfg" <<'ZSH'
failed=0
_describe() { local name=${@[-1]}; print -l -- ${(P)name} }
compadd() { local name=${@[-1]}; print -l -- ${(P)name} }
_files() { print files }
# offers "LINE" WORDS...: of what is offered, what begins with the last word of the line.
offers() {
    words=(${(z)1}) PREFIX=${words[-1]}
    local -a found=(${(f)"$(source $completions)"})
    found=(${(M)found:#${PREFIX}*})
    found=(${found%%:*})
    shift
    [[ "$found" == "$*" ]] || { print "zsh, $words: offers '$found', not '$*'"; failed=1 }
}
completions=$1
offers "sdfg-run --rep" --repeat --report
offers "sdfg-run --no" --no-cache
offers "sdfg-run --lis" --list
offers "sdfg-run gemm.sdfg --al" --alpha=
offers "sdfg-cc --targ" --target
offers "sdfg-cc gemm.sdfg --bet" --beta=
offers "sdfg-cache ver" verify
offers "sdfg-run --nonsense"
exit $failed
ZSH
    )
    echo "zsh: offers what it should"
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
offers "sdfg-run --lis" --list=
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
