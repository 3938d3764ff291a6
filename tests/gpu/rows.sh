#!/bin/sh
# rows.sh SDFG-RUN EXAMPLES: a stencil with so many elements that threads have several rows, one of which is left over, as on the CPU.
run=$1 examples=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for device in cpu cuda; do
    "$run" "$examples/jacobi_2d.sdfg" --N=1031 --T=2 --device=$device --threads=1 --no-cache --output=A="@$folder/$device.npy" >"$folder/log" 2>&1 ||
        { cat "$folder/log"; exit 1; }
done
cmp "$folder/cpu.npy" "$folder/cuda.npy"
