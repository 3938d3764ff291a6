#!/bin/sh
# cublas.sh SDFG-RUN PROGRAMS: products of matrices that are the library's, and those that are not, with the results of the CPU; what calls
# cost; where the library is not there. The stand-ins' variables are set.
run=$1 programs=$2/products.py variable=SDFG_CUBLAS near="--rtol=1e-6"
counters="cublas_gemm cublas_gemm_batched"
. "$(dirname "$0")/library.sh"

is plain "1 0" --M=33 --N=65 --K=40
is single "1 0" --M=70 --N=34 --K=40
is complex_single "1 0" --M=33 --N=34 --K=40
is complex_double "1 0" --M=33 --N=34 --K=40
is part "1 0" --M=33 --N=34 --K=40
is stack "0 1" --B=40 --M=33 --N=34 --K=35
is stack "0 1" --B=3 --M=33 --N=34 --K=35 # a number
is shared "0 1" --B=40 --M=33 --N=34 --K=35
is steps "5 0" --M=33 --N=40 --T=5
is plain "0 0" --M=8 --N=9 --K=10    # small
is plain "0 0" --M=1 --N=90 --K=100  # a vector
is plain "0 0" --M=90 --N=100 --K=1
is vector "0 0" --M=90 --K=100
is integers "0 0" --M=33 --N=34 --K=40
is strided "0 0" --M=33 --N=34 --K=40 # elements that are apart
is threads "0 0" --B=3 --M=33         # a part of what a thread does

# Nothing is transferred or waited for in loops: three arguments in and two out. Beside the library's launches there is one a step.
rm -f "$folder/counts"
SDFG_STANDIN_COUNTS=$folder/counts "$run" "$programs:steps" --M=33 --N=40 --T=50 --no-cache --device=cuda >/dev/null 2>&1
transfers="$(count cuMemcpyHtoDAsync_v2) $(count cuMemcpyDtoHAsync_v2) $(count cuStreamSynchronize) $(count cuLaunchKernel)"
[ "$transfers" = "3 2 1 100" ] || wrong "steps: transfers in and out, waits, launches: $transfers"
# An argument that is overwritten is not copied in.
found=$("$run" "$programs:stack" --device=cuda --emit=tree | grep -c '^ *transfer in')
[ "$found" = 2 ] || wrong "stack: $found arguments are copied in"

sizes="--M=33 --N=34 --K=40"
says 0 '*"matmul"*: is a product that cuBLAS computes*' "$programs:plain" $sizes --device=cuda --remarks
says 0 '*, 1 library calls * ms, 3 transfers *' "$programs:plain" $sizes --device=cuda --no-cache --time
says 0 '*"name": "Library gemm of plain/state?0? matmul_8/library?0? matmul"*' "$programs:plain" $sizes --device=cuda --no-cache --report=-
for call in 1 2 3 4; do
    SDFG_STANDIN_CUBLAS_FAIL=$call says 8 '*error?environment?: *cublas*: CUBLAS_STATUS_EXECUTION_FAILED (13): the product of plain/state?0? "matmul_8"/library?0? "matmul"*' \
        "$programs:plain" $sizes --device=cuda --no-cache
done

# The code knows which library it was made for; what is kept does not need NVRTC. Machine code for elsewhere needs no library.
cp "$SDFG_CUBLAS" "$folder/libcublas.so"
cp "$(dirname "$SDFG_CUBLAS")/libstandin-kernels.so" "$folder"
kept() { "$run" "$programs:plain" $sizes --device=cuda --cache="$folder/cache" --explain-cache 2>&1 | sed -n 's/^code: \([a-z ]*[a-z]\).*/\1/p'; }
first=$(SDFG_CUBLAS=$folder/libcublas.so kept) again=$(SDFG_CUBLAS=$folder/libcublas.so kept) own=$(SDFG_CUBLAS=none kept)
[ "$first, $again, $own" = "compiled, read from, compiled" ] || wrong "caching: $first, $again, $own"
"$run" "$programs:plain" $sizes --device=cuda --emit=obj -o "$folder/plain.o" || wrong "no object"
if grep -q sdfg_rt_device_gemm "$folder/plain.o"; then wrong "an object calls the library"; fi
# It goes away between compiling and calling.
SDFG_CUBLAS=$folder/libcublas.so
export SDFG_CUBLAS
says 0 '*' "$programs:plain" $sizes --device=cuda --cache="$folder/cache"
echo "no library" >"$folder/libcublas.so"
says 8 '*error?environment?: *cuBLAS, which was there when the program was compiled, cannot be opened for plain/state?0? "matmul_8"*Tried:*/libcublas.so: *' \
    "$programs:plain" $sizes --device=cuda --no-cache
exit $failed
