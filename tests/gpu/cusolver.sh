#!/bin/sh
# cusolver.sh SDFG-RUN PROGRAMS: factorizations, solutions and inverses that are the library's, with the results of the CPU; what calls cost;
# matrices without factors; where the library is not there. The stand-ins' variables are set.
run=$1 programs=$2/solvers.py variable=SDFG_CUSOLVER near="--rtol=1e-3 --atol=1e-5"
counters="cusolver_potrf cusolver_getrf cusolver_getrs cusolver_potrf_batched cublas_getrf_batched cublas_getrs_batched"
. "$(dirname "$0")/library.sh"

is cholesky "1 0 0 0 0 0" --N=20
is cholesky_single "1 0 0 0 0 0" --N=20
is cholesky_complex "1 0 0 0 0 0" --N=9
is solve "0 1 1 0 0 0" --N=17 --M=5
is solve_single "0 1 1 0 0 0" --N=6 --M=5
is solve_complex "0 1 1 0 0 0" --N=9 --M=1
is solve_turned "0 1 1 0 0 0" --N=17 --M=5
is solve_vector "0 1 1 0 0 0" --N=17
is inverse "0 1 1 0 0 0" --N=17
is inverse_complex "0 1 1 0 0 0" --N=7
is part "0 1 1 0 0 0" --N=7
is stack "0 5 5 0 0 0" --N=6 --B=5
is two "0 10 10 0 0 0" --N=6 --B=5
is stack_solve "0 5 5 0 0 0" --N=6 --M=3 --B=5
is stack_cholesky "5 0 0 0 0 0" --N=6 --B=5
is steps "0 4 4 0 0 0" --N=8 --M=3 --T=4

# Nothing is transferred or waited for in loops: three arguments in, two and the codes out; many problems are one launch.
for library in "$SDFG_CUSOLVER" none; do
    rm -f "$folder/counts"
    SDFG_CUSOLVER=$library SDFG_STANDIN_COUNTS=$folder/counts "$run" "$programs:steps" --N=8 --M=3 --T=30 --no-cache --device=cuda >/dev/null 2>&1
    transfers="$(count cuMemcpyHtoDAsync_v2) $(count cuMemcpyDtoHAsync_v2) $(count cuStreamSynchronize)"
    [ "$transfers" = "3 3 1" ] || wrong "steps with $library: transfers in and out, waits: $transfers"
done
rm -f "$folder/counts"
SDFG_CUSOLVER=none SDFG_STANDIN_COUNTS=$folder/counts "$run" "$programs:stack" --N=6 --B=50 --no-cache --device=cuda >/dev/null 2>&1
[ "$(count cuLaunchKernel) $(count cuStreamSynchronize)" = "1 1" ] || wrong "stack without the library: launches and waits: $(count cuLaunchKernel) $(count cuStreamSynchronize)"

says 0 '*"cholesky"*: is a factorization or solution that cuSOLVER computes*' "$programs:cholesky" --N=20 --device=cuda --remarks
SDFG_CUSOLVER=none says 0 '*"cholesky"*loop k: is one kernel with barriers around its nests*' "$programs:cholesky" --N=20 --device=cuda --remarks
SDFG_CUSOLVER=none says 0 '*: stays on the host, between transfers: cuSOLVER is not there*' "$programs:two" --N=6 --B=5 --device=cuda --remarks
says 0 '*"name": "Library potrf of *' "$programs:cholesky" --N=20 --device=cuda --no-cache --report=-
# The same errors as on the CPU.
for program in singular indefinite; do
    "$run" "$programs:$program" --N=5 --no-cache >"$folder/cpu" 2>&1
    rc=$?
    for library in "$SDFG_CUSOLVER" none; do
        found=$(SDFG_CUSOLVER=$library "$run" "$programs:$program" --N=5 --no-cache --device=cuda 2>&1)
        [ "$rc, $(cat "$folder/cpu")" = "$?, $found" ] || wrong "$program with $library: $found instead of $(cat "$folder/cpu")"
    done
done
for call in 1 2 3 4; do
    SDFG_STANDIN_CUSOLVER_FAIL=$call says 8 '*error?environment?: *cusolverDn*: CUSOLVER_STATUS_EXECUTION_FAILED (6): the factorization of cholesky*"cholesky"*' \
        "$programs:cholesky" --N=20 --no-cache --device=cuda
done

# The code knows which libraries it was made for.
cp "$SDFG_CUSOLVER" "$folder/libcusolver.so"
cp "$(dirname "$SDFG_CUSOLVER")/libstandin-kernels.so" "$folder"
kept() { "$run" "$programs:cholesky" --N=20 --device=cuda --cache="$folder/cache" --explain-cache 2>&1 | sed -n 's/^code: \([a-z ]*[a-z]\).*/\1/p' | sed 's/ quickly//'; }
first=$(SDFG_CUSOLVER=$folder/libcusolver.so kept) again=$(SDFG_CUSOLVER=$folder/libcusolver.so kept) own=$(SDFG_CUSOLVER=none kept)
[ "$first, $again, $own" = "compiled, read from, compiled" ] || wrong "caching: $first, $again, $own"
"$run" "$programs:cholesky" --N=20 --device=cuda --emit=obj -o "$folder/cholesky.o" || wrong "no object"
if grep -q sdfg_rt_device_potrf "$folder/cholesky.o"; then wrong "an object calls the library"; fi
exit $failed
