#!/usr/bin/env python3
"""Messages of memory that is on a device: device.py BIN-DIR [--ranks 1,2,4], as run.py.

The programs of own.py run with --device=cuda, by the stand-ins of CUDA's libraries that BIN-DIR has: with an MPI library that knows nothing of devices, and with
one that takes their addresses (devices.c), which counts them. Results are those of one process without a device."""
import re
import sys

import numpy as np

import own
import run as nodes
from run import Run, complain, equal


class OnDevice(Run):
    """As `run`, with --device=cuda. direct: the MPI library takes addresses of the device."""

    def __init__(self, run, direct=False):
        super().__init__(run.binary, run.folder, run.launcher, run.ranks, run.cache)
        at = run.binary.parent
        self.env = {"SDFG_CUDA": f"{at}/libstandin-cuda.so", "SDFG_NVRTC": f"{at}/libstandin-nvrtc.so", "SDFG_CUBLAS": "none"}
        if direct:
            self.env["SDFG_MPI"] = f"{at}/libmpi-devices.so"
        self.taken = 0

    def start(self, program, options, timeout=60, env=None):
        done = super().start(program, [*options, "--device=cuda"], timeout, {**self.env, **(env or {})})
        self.taken += sum(int(n) for n in re.findall(r"(\d+) buffers on the device", done.stdout + done.stderr))
        return done


def staged(run):
    for program in own.jacobi_1d, own.jacobi_2d, own.heat_3d, own.atax, own.bicg, own.mvt, own.gesummv, own.cg:
        program(OnDevice(run))


def gaps(run):
    """Regions of two and three dimensions, whose elements are copied row by row."""
    for device in run, OnDevice(run):
        a = nodes.numbers(run.ranks, "float64", 4, 5, 6)
        b = [2 * x for x in a]
        wanted = [x.copy() for x in b]
        for r in range(run.ranks):
            wanted[r][1:-1, 0, 1:3] = b[r - 1][1:-1, 4, 3:5]
            wanted[r][:, 1:3, 0] = b[r - 1][:, 2:4, 5]
        got = device.results(own.kernel("regions"), {"A": a, "B": [np.zeros_like(x) for x in a]}, ["A", "B"])
        equal("B", got["B"], wanted)
        equal("A", got["A"], [x + 1 for x in wanted])


def direct(run):
    """Nothing is copied by us. Open MPI is not what the library is made of."""
    if not run.launcher or "mpich" not in run.launcher[0] or not (run.binary.parent / "libmpi-devices.so").exists():
        return
    for program in own.jacobi_2d, own.bicg:
        device = OnDevice(run, direct=True)
        program(device)
        if run.ranks > 1 and not device.taken:
            raise RuntimeError(f"{program.__name__}: no buffer on the device")


def kernels(run):
    """The arrays stay on the device: no nest is left to the host, and none of them is copied in the loop."""
    done = OnDevice(run).start(own.kernel("jacobi_2d"), ["--n=8", "--N=8", "--steps=2", "--remarks"])
    complain(done, 0)
    if "missed offload" in done.stdout + done.stderr:
        raise RuntimeError(done.stdout + done.stderr)


TESTS = [staged, gaps, direct, kernels]

if __name__ == "__main__":
    sys.exit(nodes.main(TESTS))
