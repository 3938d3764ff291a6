#!/usr/bin/env python3
"""counts.py FOLDER SDFG-RUN: kernels and transfers of the programs in FOLDER/*/prog.sdfg, as the tree has them. Fails if there are more
kernels than before, or transfers in loops where the host does not decide by data of the device."""
import os
import pathlib
import re
import subprocess
import sys

MOST_NESTS, MOST_KERNELS = 183, 230  # of all programs, in all versions; to be lowered with each improvement
MAY_TRANSFER_IN_LOOPS = {
    "channel_flow",  # `while` over a norm
    "mandelbrot2",  # sizes of arrays are counted by the program
}

os.environ["SDFG_CUBLAS"] = os.environ["SDFG_CUSOLVER"] = os.environ["SDFG_CUFFT"] = "none"  # whatever this machine has

SMALL = re.compile(r"( *)if .* <= 131072 {$")  # one version of loops is a region, for calls with few iterations

ONE_LAUNCH = {"adi", "cholesky", "durbin", "jacobi_1d", "lu", "nussinov", "seidel_2d", "syr2k", "syrk", "trisolv"}  # per call

CONVOLUTIONS = {"conv2d_bias": 2, "lenet": 9, "resnet": 19}  # kernels, none of them in a loop


def kernels_and_transfers(tree):
    """Of the main function: kernels by kind, whether some are in loops, transfers outside of loops, transfers in loops. Kernels of tiles are nests once more, for calls
    with many results."""
    kernels, looped, outside, inside, loops = {}, False, 0, 0, []
    for line in tree.split("\n}\n")[0].split("\n"):
        indent, words = len(line) - len(line.lstrip()), line.strip()
        loops = [loop for loop in loops if loop < indent]
        if re.match(r"(for|while|do) ", words):
            loops.append(indent)
        if (found := re.match(r"kernel ([a-z]+)_", words)) and found[1] != "tile":
            kernels[found[1]] = kernels.get(found[1], 0) + 1
            looped |= bool(loops)
        if re.match(r"transfer (in|out) ", words):
            inside, outside = inside + bool(loops), outside + (not loops)
    return kernels, looped, outside, inside


def small_versions(tree):
    """The tree without what calls with many iterations do instead of a region."""
    kept, ends = [], []  # ends: lines that end the versions which the place is in, and whether those are kept
    for line in tree.split("\n"):
        if ends and line == ends[-1][0] + "} else {":
            ends[-1] = (ends[-1][0], False)
        elif ends and line == ends[-1][0] + "}":
            ends.pop()
        elif found := SMALL.match(line):
            ends.append((found[1], True))
        elif all(small for _, small in ends):
            kept.append(line)
    return "\n".join(kept)


def main(folder, tool):
    programs = sorted(pathlib.Path(folder).glob("*/prog.sdfg"))
    if not programs:
        print(f"no programs in {folder}")
        return 77
    nests = kernels = 0
    faults = []
    print(f"{'':25} nests  all  transfers  in loops")
    for program in programs:
        name = program.parent.name
        done = subprocess.run([tool, program, "--emit=tree", "--device=cuda"], capture_output=True, text=True)
        if done.returncode:
            faults.append(f"{name}: {done.stderr}")
            continue
        kinds, looped, outside, inside = kernels_and_transfers(done.stdout)
        nests, kernels = nests + kinds.get("nest", 0), kernels + sum(kinds.values())
        print(f"{name:25} {kinds.get('nest', 0):5} {sum(kinds.values()):4} {outside:10} {inside:9}")
        if inside and name not in MAY_TRANSFER_IN_LOOPS:
            faults.append(f"{name}: {inside} transfers in loops")
        if sum(kinds.values()) > CONVOLUTIONS.get(name, MOST_KERNELS) or (name in CONVOLUTIONS and looped):
            faults.append(f"{name}: {kinds}, or some in a loop")
        launches = kernels_and_transfers(small_versions(done.stdout))[0]
        if name in ONE_LAUNCH and sum(launches.values()) != 1:
            faults.append(f"{name}: {launches} instead of one launch")
    print(f"{'all':25} {nests:5} {kernels:4}")
    if nests > MOST_NESTS or kernels > MOST_KERNELS:
        faults.append(f"more than {MOST_NESTS} nests, {MOST_KERNELS} kernels")
    print("\n".join(faults))
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
