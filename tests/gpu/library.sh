# library.sh: what the tests of CUDA's libraries have in common, for `.`. $run: sdfg-run; $programs: a file; $variable: which library is used;
# $counters: the calls that are counted; $near: options of --expect.
failed=0
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
wrong() { echo "$*"; failed=1; }

# Number $1 of the last run's counts.
count() { sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p" "$folder/counts" | awk '{ n += $1 } END { print n + 0 }'; }
counted() { for counter in "$@"; do printf '%s ' "$(count "$counter")"; done; }

# is PROGRAM CALLS OPTION...: C is what it is on the CPU, with the library, which is called as often as CALLS says for each of the counters, and
# without it.
is() {
    program=$1 calls="$2 "
    shift 2
    given=$(printenv "$variable")
    "$run" "$programs:$program" "$@" --no-cache --output=C=@"$folder/C.npy" >/dev/null 2>&1 || wrong "$program fails on the CPU"
    for library in "$given" none; do
        rm -f "$folder/counts"
        said=$(env "$variable=$library" SDFG_STANDIN_COUNTS="$folder/counts" "$run" "$programs:$program" "$@" --no-cache --device=cuda \
            --expect=C=@"$folder/C.npy" $near 2>&1) || wrong "$program with $library: $said"
        [ "$library" != none ] || calls=$(echo "$calls" | sed 's/[0-9][0-9]*/0/g')
        found=$(counted $counters)
        [ "$found" = "$calls" ] || wrong "$program with $library: $counters are called $found times instead of $calls"
    done
}

# says CODE TEXT ARGUMENT...: the exit code and the text, a pattern, of a run.
says() {
    code=$1 expected=$2
    shift 2
    found=$("$run" "$@" 2>&1)
    rc=$?
    [ $rc = "$code" ] || wrong "$*: exit code $rc instead of $code: $found"
    case $found in
    $expected) ;;
    *) wrong "$*: '$found' instead of '$expected'" ;;
    esac
}
