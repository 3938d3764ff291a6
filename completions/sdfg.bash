# Completion of the tools of libsdfg for bash. Options are those that the tool's own help lists, and for a program on the line the
# names of its arguments, so that this file need not know any.

_sdfg_options() {
    "$1" --help 2>/dev/null | sed -nE 's/^  (--?[a-z][a-z-]*)(\[?=)?.*/\1\2/p' | tr -d '['
}

_sdfg_arguments() {
    sdfg-run "$1" --describe 2>/dev/null | sed -nE '/^arguments/,/^[a-z]/s/^  ([A-Za-z_]\w*) .*/--\1=/p'
}

_sdfg() {
    local tool=$1 word=${COMP_WORDS[COMP_CWORD]} program='' choices='' w
    COMPREPLY=()
    for w in "${COMP_WORDS[@]:1}"; do
        [[ $w == *.sdfg || $w == *.sdfgz ]] && program=$w
    done
    if [[ $word == -* ]]; then
        choices=$(_sdfg_options "$tool")
        [[ -n $program && $tool != *sdfg-cache ]] && choices+=" $(_sdfg_arguments "$program")"
    elif [[ $tool == *sdfg-cache ]]; then
        choices=$("$tool" --help 2>/dev/null | sed -nE 's/^  ([a-z]+) .*/\1/p')
    fi
    if [[ -n $choices ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
        [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2>/dev/null
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        compopt -o filenames 2>/dev/null
    fi
    return 0
}

complete -F _sdfg sdfg-run sdfg-bench sdfg-cc sdfg-opt sdfg-cache
