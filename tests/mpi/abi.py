#!/usr/bin/env python3
"""Programs on a library with the standard ABI of MPI 5 (docs/mpi.md): abi.py BIN-DIR [--ranks 1,2,4,8] [TEST...], as run.py

The library and its launcher are those of the package index (MPICH), in an environment of the tests' own, BIN-DIR/mpich. Exit code 77 and the reason where it cannot be had."""
import fcntl
import pathlib
import shutil
import subprocess
import sys

import numpy as np

import distribute
import grids
import run as nodes
import tasklets
from graphs import Graph, array

VERSION = "5.0.2"
HOST = {} # the library and the launcher without SDFG_MPI


def installed(build):
    """Folder of the environment, and a reason if there is none."""
    at = build / "mpich"
    done = at / f"complete-{VERSION}"
    with open(build / "mpich.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if done.exists():
            return at, None
        shutil.rmtree(at, ignore_errors=True)
        for command in [sys.executable, "-m", "venv", str(at)], [str(at / "bin/python"), "-m", "pip", "install", "-q", f"mpich=={VERSION}"]:
            result = subprocess.run(command, capture_output=True, text=True)
            if result.returncode:
                return at, f"MPICH {VERSION} cannot be installed: {(result.stderr or result.stdout).strip().splitlines()[-1:]}"
        done.touch()
    return at, None


def host(run):
    """The library that the process has is used, not the one that its launcher's environment names."""
    nodes.communicator(nodes.Run(run.binary, run.folder, [HOST["launcher"]], run.ranks, run.cache), HOST["library"])


def freed(run):
    """Communicators that the host frees."""
    grids.freed(nodes.Run(run.binary, run.folder, [HOST["launcher"]], run.ranks, run.cache), HOST["library"])


def nobody(run):
    """MPI_PROC_NULL of the ABI: others would wait for any sender."""
    g = Graph("nobody", {"N": "int64"}, x=array("float64", "N"), source=array("int32", 1), tag=array("int32", 1))
    g.mpi("Recv", {"_src": "source[0]", "_tag": "tag[0]"}, {"_buffer": "x[0:N]"})
    x = [np.arange(4.0) + r for r in range(run.ranks)]
    got = run.results(g.write(run.folder), {"x": x, "source": nodes.ints([-3] * run.ranks), "tag": nodes.ints([1] * run.ranks)}, ["x"], "--N=4")
    nodes.equal("x", got["x"], x)


TESTS = [nobody, host, freed, nodes.ring, nodes.broadcast, nodes.reductions, nodes.exchanges, nodes.parts_of_grids, nodes.blocks, nodes.rows_and_copies, nodes.redistribute,
         nodes.communicators, nodes.parts_of_different_sizes, nodes.reduce_scatter, nodes.bad_rank, nodes.truncated, tasklets.messages, tasklets.grids, distribute.files, distribute.cyclic]


def main():
    at, missing = installed(pathlib.Path(sys.argv[1]).resolve())
    if missing:
        print(f"skipped: {missing}")
        return 77
    HOST.update(launcher=str(at / "bin/mpiexec"), library=str(at / "lib/libmpi_abi.so.1"))
    return nodes.main(TESTS, {"MPI 5": [HOST["launcher"], "-genv", "SDFG_MPI", HOST["library"]]})


if __name__ == "__main__":
    sys.exit(main())
