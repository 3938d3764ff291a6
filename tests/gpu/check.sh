#!/bin/sh
# check.sh SDFG-RUN PROGRAMS: faults that checked mode finds on a GPU, and what it says of them, whatever the order of threads.
run=$1 programs=$2/checked.py failed=0
says() { # exit code, expected text (a pattern), program arguments...
    code=$1 expected=$2 program=$3
    shift 3
    found=$("$run" "$programs:$program" "$@" --device=cuda --no-cache 2>&1)
    rc=$?
    found=$(echo "$found" | grep -E '^error|float64|int64' | tail -1)
    [ $rc = "$code" ] || { echo "$program $*: exit code $rc instead of $code: $found"; failed=1; }
    case $found in
    $expected) ;;
    *)  echo "$program $*: '$found' instead of '$expected'"
        failed=1 ;;
    esac
}
thread() { # the first one and the last one: a device has no order
    case ${SDFG_STANDIN_ORDER:-} in
    '') echo "*" ;;
    reverse) echo "$2" ;;
    *) echo "$1" ;;
    esac
}

says 0 "*min 1  max 1 *" gather --N=100 --X=ones --at=iota --check
says 7 "*'X' is accessed out of bounds: ?300? of extents ?300?*in kernel k0_nest_0, block (*, 0, 0), thread (*, 0, 0); 299 more faults" \
    gather --N=300 --X=ones --at=constant:300 --check
says 0 "*min 32  max 32 *" region --N=5 --X=ones --at=iota --check
says 7 "*in kernel k0_nest_0, block (0, 0, 0), thread ($(thread 0 99), 0, 0); 99 more faults" region --N=100 --X=ones --at=constant:100 --check
says 0 "*min 0  max 99 *" search --N=100 --X=zeros --at=iota --check
says 7 "*?100? of extents ?100?*in kernel k0_nest_0, block (*, 0, 0), thread ($(thread 0 3), 0, 0)" search --N=100 --X=ones --at=iota --check
says 0 "*min 1  max 1 *" holes --N=100 --X=ones --at=iota --check
says 7 "*'T' is read before it is written: element $(thread 0 99) of 100 in memory, in kernel k1_nest_1, block (0, 0, 0), *; 98 more faults" \
    holes --N=100 --X=ones --at=constant:3 --check
says 7 "*'Y' gets a value that is NaN or infinite: *, in kernel k0_nest_0, *; 299 more faults" divide --N=300 --X=zeros --check=nan
says 0 "*min 2  max 6 *" twice --N=100 --X=ones --at=constant:3 --check
says 7 "*?-200? of extents ?100?" twice --N=100 --X=ones --at=constant:-300 --check
exit $failed
