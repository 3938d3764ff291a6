#!/usr/bin/env python3
"""Failing MPI calls (docs/mpi.md): faults.py BIN-DIR [FUNCTION...]

A program that uses every function of runtime/mpi/mpi.def runs on two processes; in one of them one call fails, one function after
the other (faulty.c). All processes end soon, with one exit code and a message that names the function. Exit code 77: no MPICH."""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
from unittest import mock

import numpy as np

import products as matrices
from graphs import REQUEST, Graph, array, grid, part, subarray
from run import LAUNCHERS, Run
from tasklets import INPUTS, MESSAGES, OUTPUTS, POINTER_TYPES, messages_arrays, tasklet

HERE = pathlib.Path(__file__).resolve().parent
LIMIT = 30 # seconds
# the program goes on without them
HARMLESS = {"Finalized", "Finalize", "Error_string", "Comm_set_errhandler", "Query_thread", "Type_create_struct", "Type_free", "Abort"}
# of communicators of the caller, which it has none of: tests/mpi/alone.c lets them fail
ELSEWHERE = {"Comm_create_keyval", "Comm_set_attr"}


def everything(folder):
    """Two processes send blocks with gaps around, in all ways."""
    g = Graph("everything", {"N": "int64", "P": "int64"}, **messages_arrays(), x=array("float64", "N", "N"), y=array("float64", "N", "N"), z=array("float64", "N"), w=array("float64", "2*N"),
              to=array("int32", 1), root=array("int32", 1), tag=array("int32", 1), me=array("int32", 1), nobody=array("int32", 1), seen=array("int32", 2), half=array("int64", 1, transient=True), all=array("float64", "2*N", "N"),
              requests=array(REQUEST, 2, transient=True), pg=grid(2, 1), line=part("pg", [1, 0]), s=subarray("float64", ["2*N", "N"], ["N", "N"], "pg"))
    region = "[1:N - 1, 0:N:2]"
    g.mpi("Isend", {"_buffer": f"x{region}", "_dest": "to[0]", "_tag": "tag[0]"}, {"_request": "requests[0]"})
    g.mpi("Irecv", {"_src": "to[0]", "_tag": "tag[0]"}, {"_buffer": f"y{region}", "_request": "requests[1]"})
    g.mpi("Waitall", {"_request": "requests[0:2]"}, {})
    g.mpi("Bcast", {"_inbuffer": "z[0:N]", "_root": "root[0]"}, {"_outbuffer": "z[0:N]"})
    g.mpi("Reduce", {"_inbuffer": "z[0:N]", "_root": "root[0]"}, {"_outbuffer": "z[0:N]"})
    g.mpi("Allreduce", {"_inbuffer": "z[0:N]"}, {"_outbuffer": "z[0:N]"})
    g.mpi("Scatter", {"_inbuffer": "w[0:2*N]", "_root": "root[0]"}, {"_outbuffer": "z[0:N]"})
    g.mpi("Gather", {"_inbuffer": "z[0:N]", "_root": "root[0]"}, {"_outbuffer": "w[0:2*N]"})
    g.mpi("Allgather", {"_inbuffer": "z[0:N]"}, {"_outbuffer": "w[0:2*N]"})
    g.mpi("Alltoall", {"_inbuffer": "x[0, 0:N]"}, {"_outbuffer": "z[0:N]"})
    g.mpi("ReduceScatter", {"_inbuffer": "w[0:2*N]"}, {"_outbuffer": "z[0:N]"})
    g.mpi("Gatherv", {"_inbuffer": "z[0:N]", "_root": "root[0]"}, {"_outbuffer": "w[0:2*N]"}, recv_counts=["N", "N"])
    g.mpi("Alltoallv", {"_inbuffer": "x[0, 0:N]"}, {"_outbuffer": "z[0:N]"}, send_counts=["N//2"] * 2, recv_counts=["N//2"] * 2)
    for name, source, target in (("Bcast", "z[0:N]", "z[0:N]"), ("Reduce", "z[0:N]", "z[0:N]"), ("Allreduce", "z[0:N]", "z[0:N]"), ("Scatter", "w[0:2*N]", "z[0:N]"),
                                 ("Gather", "z[0:N]", "w[0:2*N]"), ("Allgather", "z[0:N]", "w[0:2*N]"), ("Alltoall", "x[0, 0:N]", "z[0:N]"), ("ReduceScatter", "w[0:2*N]", "z[0:N]"),
                                 ("Gatherv", "z[0:N]", "w[0:2*N]"), ("Alltoallv", "x[0, 0:N]", "z[0:N]")):
        rooted = {"_root": "root[0]"} if name in ("Bcast", "Reduce", "Scatter", "Gather", "Gatherv") else {}
        counts = {"Gatherv": {"recv_counts": ["N", "N"]}, "Alltoallv": {"send_counts": ["N//2"] * 2, "recv_counts": ["N//2"] * 2}}.get(name, {})
        g.mpi(name, {"_inbuffer": source, **rooted}, {"_outbuffer": target, "_request": "requests[0]"}, nonblocking=True, **counts)
        g.mpi("Wait", {"_request": "requests[0]"}, {})
    g.mpi("Barrier", {}, {})
    g.mpi("CommSplit", {"_color": "root[0]", "_key": "root[0]"}, {"_newcomm": "half[0]"})
    g.mpi("CommFree", {"_comm": "half[0]"}, {})
    g.mpi("Bcast", {"_inbuffer": "z[0:N]", "_grid": "line[]", "_root": "root[0]"}, {"_outbuffer": "z[0:N]"})
    g.mpi("BlockScatter", {"_inp_buffer": "all[0:2*N, 0:N]", "_subarray": "s[]", "_scatter_grid": "pg[]"}, {"_out_buffer": "y[0:N, 0:N]"})
    g.mpi("Send", {"_buffer": "z[0:N]", "_dest": "nobody[0]", "_tag": "tag[0]"}, {})
    g.mpi("Isend", {"_buffer": "z[0:N]", "_dest": "me[0]", "_tag": "tag[0]"}, {"_request": "requests[0]"})
    g.mpi("Recv", {"_src": "me[0]", "_tag": "tag[0]"}, {"_buffer": "w[0:N]"})
    g.mpi("Wait", {"_request": "requests[0]"}, {"_stat_tag": "seen[0]", "_stat_source": "seen[1]"})
    tasklet(g, MESSAGES, INPUTS, OUTPUTS, **POINTER_TYPES)
    return g.write(folder)


# What the messages name: the function of the program, where ours uses another one. Ibarrier is used by processes that leave the processor to others.
SAID = {"Test": "Iallreduce", "Ibarrier": "Barrier"}


def attempt(run, program, fault):
    start = time.monotonic()
    folder = run.folder
    done = run.start(program, ["--N=8", "--P=2", f"--to=@{folder}/to.{{rank}}.npy", f"--root=@{folder}/zero.npy", f"--tag=@{folder}/tag.npy", f"--me=@{folder}/me.{{rank}}.npy", f"--nobody=@{folder}/nobody.npy"], timeout=LIMIT,
                     env={"SDFG_MPI": str(run.binary.parent / "libmpi-faulty.so"), "FAULTY": fault, "SDFG_MPI_YIELD": str(int("Ibarrier" in fault))})
    return done.returncode, done.stdout + done.stderr, time.monotonic() - start


def counts(run):
    """The sum of bicg goes on while its other product is computed; in strict arithmetic, and by the pass being off, nothing else changes."""
    failures = 0
    for options, function, calls in ([], "MPI_Allreduce", 0), (["--passes=-overlap"], "MPI_Allreduce", 0), (["--fp=strict"], "MPI_Allreduce", 1):
        done = run.start(f"{HERE}/kernels.py:bicg", ["--n=4", "--N=7", *options], env={"SDFG_MPI": str(run.binary.parent / "libmpi-faulty.so"), "FAULTY_COUNT": function})
        if done.returncode or f"{function}: {calls} calls" not in done.stderr + done.stdout:
            failures += 1
            print(f"{function} with {options}, not {calls} calls: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return failures


def files(run):
    """Blocks are read and written by MPI's input and output. Where a file cannot be opened so, they are without; what fails later ends all."""
    failures, at = 0, run.folder
    a = np.random.default_rng(1).random((6, 8))
    np.save(at / "A.npy", a)
    options = ["--distribute=A=block:-,1", f"--A=@{at}/A.npy", f"--output=A=@{at}/B.npy", "--n=6"] # columns: pieces of both processes in turn
    library = {"SDFG_MPI": str(run.binary.parent / "libmpi-faulty.so")}
    for call, env, good, text in (("read", {"FAULTY_COUNT": "MPI_File_read_all"}, True, "MPI_File_read_all: 1 calls"), ("write", {"FAULTY_COUNT": "MPI_File_write_all"}, True, "MPI_File_write_all: 1 calls"),
                                  ("no file system", {"FAULTY": "1:MPI_File_open:1", "FAULTY_COUNT": "MPI_File_read_all"}, True, "MPI_File_read_all: 0 calls"),
                                  *((f"{name}, {which}", {"FAULTY": f"1:MPI_File_{name}:{which}"}, False, f"MPI_File_{name}") for name, which in (("open", 2), ("set_view", 1), ("read_all", 1), ("write_all", 1)))):
        (at / "B.npy").unlink(missing_ok=True)
        try:
            done = run.start(f"{HERE}/kernels.py:atax", [*options, "--grid=1x2"], timeout=LIMIT, env={**library, **env})
        except subprocess.TimeoutExpired:
            failures += 1
            print(f"{call}: not at its end after {LIMIT} s")
            continue
        said = done.stdout + done.stderr
        right = done.returncode == 0 and np.array_equal(np.load(at / "B.npy"), a) if good else done.returncode in (7, 8, 9, 15) and not (at / "B.npy").exists()
        if not right or text not in said:
            failures += 1
            print(f"{call}: exit code {done.returncode}\n{said}")
    return failures


def products(run):
    """Parts of matrices on their way to a process, back, and in a product of the program's own."""
    failures = 0
    for grid, name, fault in (((2, 1), "Send", "0:MPI_Send:2"), ((2, 1), "Recv", "1:MPI_Recv:1"), ((2, 1), "Send", "1:MPI_Send:1"), ((1, 2), "Recv", "0:MPI_Recv:1"),
                              ((2, 1), "Bcast", "1:MPI_Bcast:1"), ((1, 2), "Bcast", "0:MPI_Bcast:2")):
        with mock.patch.dict(os.environ, {"SDFG_MPI": str(run.binary.parent / "libmpi-faulty.so"), "FAULTY": fault, "SDFG_SCALAPACK": "none"}):
            try:
                matrices.product(run, grid, "float64", 7, 9, 11, (2, 3), (4, 2))
                said = "no fault"
            except subprocess.TimeoutExpired:
                said = "not at its end"
            except RuntimeError as e:
                said = str(e)
        if not re.match(r"exit code (7|8|9|15)\b", said) or f"MPI_{name}, " not in said:
            failures += 1
            print(f"{fault} in a product on {grid}: {said}")
    return failures


def main():
    if not shutil.which("mpirun.mpich"):
        print("no mpirun.mpich")
        return 77
    names = [n for n in re.findall(r"^MPI\((\w+),", (HERE.parents[1] / "runtime/mpi/mpi.def").read_text(), re.M) if n not in ELSEWHERE]
    wanted, failures = sys.argv[2:] or names, 0
    with tempfile.TemporaryDirectory() as f:
        folder = pathlib.Path(f)
        run = Run(pathlib.Path(sys.argv[1]).resolve() / "sdfg-run", folder, LAUNCHERS["MPICH"], 2)
        failures += 0 if sys.argv[2:] else counts(run) + files(run) + products(run)
        program = everything(folder)
        for r in range(2):
            np.save(folder / f"to.{r}.npy", np.array([1 - r], np.int32))
            np.save(folder / f"me.{r}.npy", np.array([r], np.int32))
        np.save(folder / "zero.npy", np.zeros(1, np.int32))
        np.save(folder / "tag.npy", np.array([5], np.int32))
        np.save(folder / "nobody.npy", np.array([-1], np.int32))
        faults = [(n, f"1:MPI_{n}:1") for n in wanted] + ([("", ""), ("", "1:MPI_Iallreduce:4:kill")] if not sys.argv[2:] else [])
        with concurrent.futures.ThreadPoolExecutor(4) as pool: # most of them sleep, until the others have heard it
            results = [pool.submit(attempt, run, program, fault) for _, fault in faults]
        for (name, fault), result in zip(faults, results):
            try:
                code, said, seconds = result.result()
            except subprocess.TimeoutExpired:
                print(f"{fault}: not at its end after {LIMIT} s")
                failures += 1
                continue
            if fault.endswith("kill") or name in ("Initialized", "Init_thread"): # the launcher says how the process died
                good = code != 0 and (not name or f"MPI_{name}" in said)
            elif name == "Finalize": # all results are there, unless the launcher takes an end without it for a crash and kills rank 0 first
                good = code != 0 or "float64 [16]" in said
            elif not fault or name in HARMLESS:
                good = code == 0
            else:
                # the launcher may add the signal by which it ended the other process to the exit code
                good = code in (7, 8, 9, 15) and f"MPI_{SAID.get(name, name)}" in said
            if not good:
                failures += 1
                print(f"{fault or 'no fault'}: exit code {code} after {seconds:.1f} s\n{said}")
    print(f"{len(faults)} faults, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
