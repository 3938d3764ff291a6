#!/bin/sh
# cufft.sh SDFG-RUN PROGRAMS: Fourier transforms that are the library's, with the results of the CPU; what calls cost; where the library is not
# there. The stand-ins' variables are set.
run=$1 programs=$2/transforms.py variable=SDFG_CUFFT near="--rtol=1e-4 --atol=1e-5"
counters="cufft_exec cufft_make"
. "$(dirname "$0")/library.sh"

is forward "1 1" --N=24
is backward "1 1" --N=15
is real "1 1" --N=16
is part "1 1" --N=12
is steps "8 1" --N=12 --T=4

rm -f "$folder/counts"
SDFG_STANDIN_COUNTS=$folder/counts "$run" "$programs:steps" --N=12 --T=30 --no-cache --device=cuda >/dev/null 2>&1
transfers="$(count cuMemcpyHtoDAsync_v2) $(count cuMemcpyDtoHAsync_v2) $(count cuStreamSynchronize)"
[ "$transfers" = "2 2 1" ] || wrong "steps: transfers in and out, waits: $transfers"

says 0 '*: is a Fourier transform that cuFFT computes*' "$programs:forward" --N=24 --device=cuda --remarks
SDFG_CUFFT=none says 0 '*: stays on the host, between transfers: cuFFT is not there*' "$programs:forward" --N=24 --device=cuda --remarks
says 0 '*"name": "Library fft of forward*' "$programs:forward" --N=24 --device=cuda --no-cache --report=-
for call in 1 2 3 4 5 6; do
    SDFG_STANDIN_CUFFT_FAIL=$call says 8 '*error?environment?: *cufft*: CUFFT_EXEC_FAILED (6): the transform of forward*' \
        "$programs:forward" --N=24 --no-cache --device=cuda
done
exit $failed
