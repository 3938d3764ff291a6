#!/bin/sh
# auto.sh SDFG-RUN EXAMPLES: what --device=auto chooses and says, on a machine that is said to have 16 cores.
run=$1 examples=$2 failed=0
says() { # expected program arguments...
    expected=$1
    shift
    found=$("$run" "$@" --threads=16 --no-cache --remarks --device=auto 2>&1 | sed -n 's/^done  *device  *runs on //p')
    case $found in
    $expected) ;;
    *)  echo "$*: '$found' instead of '$expected'"
        failed=1 ;;
    esac
}
says "the CPU: about*" "$examples/jacobi_2d.sdfg" --N=10 --T=1000
says "the GPU: about*(2000 launches,*on the CPU" "$examples/jacobi_2d.sdfg" --N=3000 --T=1000
says "the CPU: about*for transfers of 2.4e+03 MB*" "$examples/axpy.sdfg" --N=100000000
says "the CPU: no part of the program becomes a kernel" "$examples/while_loop.sdfg" --n=27
SDFG_CUDA=/nowhere says "the CPU: the driver of CUDA cannot be opened*" "$examples/jacobi_2d.sdfg" --N=3000 --T=1000
export SDFG_STANDIN_DEVICES=0
says "the CPU:*CUDA_ERROR_NO_DEVICE*" "$examples/jacobi_2d.sdfg" --N=3000 --T=1000
exit $failed
