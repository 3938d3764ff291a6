#!/usr/bin/env python3
"""Runs graphs with MPI nodes on several processes (docs/mpi.md): run.py BIN-DIR [--ranks 1,2,4] [--all]

Every MPI library whose launcher is found (mpirun.mpich, mpirun.openmpi) is used; without launcher one process is its
own world. Results are compared with NumPy. Exit code 77: no launcher is there."""
import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np

from graphs import REQUEST, Graph, array, grid, memlet, part, redistribution, subarray
from launchers import LAUNCHERS


class Run:
    """One program on `ranks` processes: each(rank) gives the arrays of that rank; `results` of a rank by name."""

    def __init__(self, binary, folder, launcher, ranks, cache=None):
        self.binary, self.folder, self.launcher, self.ranks, self.cache = binary, folder, launcher, ranks, cache or folder / "cache"

    def start(self, program, options, timeout=60, env=None):
        command = [*self.launcher, "-n", str(self.ranks)] if self.launcher else []
        environment = dict(os.environ, OMP_NUM_THREADS="1", SDFG_CACHE_DIR=str(self.cache), **(env or {}))
        return subprocess.run([*command, str(self.binary), str(program), *options], capture_output=True, text=True,
                              timeout=timeout, env=environment)

    def results(self, program, arrays, outputs, *options):
        for name, values in arrays.items():
            for rank, value in enumerate(values):
                np.save(self.folder / f"{name}.{rank}.npy", value)
        options = [*options, *(f"--{n}=@{self.folder}/{n}.{{rank}}.npy" for n in arrays),
                   *(f"--output={n}=@{self.folder}/{n}.out.{{rank}}.npy" for n in outputs)]
        done = self.start(program, options)
        if done.returncode:
            raise RuntimeError(f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return {n: [np.load(self.folder / f"{n}.out.{r}.npy") for r in range(self.ranks)] for n in outputs}


def equal(what, got, wanted):
    for rank, (g, w) in enumerate(zip(got, wanted)):
        if not np.array_equal(g, w):
            raise RuntimeError(f"{what} on rank {rank}: {g.ravel()[:8]}, not {w.ravel()[:8]}")


def numbers(ranks, dtype, *shape):
    rng = np.random.default_rng(ranks)
    return [(rng.integers(1, 50, shape) + (1j * rng.integers(1, 50, shape) if dtype.startswith("complex") else 0)).astype(dtype)
            for _ in range(ranks)]


def ints(values):
    return [np.array([v], dtype=np.int32) for v in values]


# ---- programs ----

def ring(run):
    """Each rank passes a block with gaps to the next one, which waits for it."""
    g = Graph("ring", {"N": "int64"}, x=array("float64", "N", "N"), y=array("float64", "N", "N"),
              to=array("int32", 1), source=array("int32", 1), tag=array("int32", 1), seen=array("int32", 2),
              requests=array(REQUEST, 2, transient=True))
    g.mpi("Irecv", {"_src": "source[0]", "_tag": "tag[0]"}, {"_buffer": "y[1:N - 1, 0:N:2]", "_request": "requests[0]"})
    g.mpi("Isend", {"_buffer": "x[1:N - 1, 1:N:2]", "_dest": "to[0]", "_tag": "tag[0]"}, {"_request": "requests[1]"})
    g.mpi("Wait", {"_request": "requests[0]"}, {"_stat_tag": "seen[0]", "_stat_source": "seen[1]"})
    g.mpi("Waitall", {"_request": "requests[0:2]"}, {})
    n, ranks = 6, run.ranks
    x, y = numbers(ranks, "float64", n, n), numbers(ranks, "float64", n, n)
    before = [(r - 1) % ranks for r in range(ranks)]
    got = run.results(g.write(run.folder), {
        "x": x, "y": y, "to": ints((r + 1) % ranks for r in range(ranks)), "source": ints(before),
        "tag": ints([7] * ranks), "seen": [np.zeros(2, np.int32)] * ranks}, ["y", "seen"])
    wanted = [v.copy() for v in y]
    for r in range(ranks):
        wanted[r][1:-1, 0::2] = x[before[r]][1:-1, 1::2]
    equal("y", got["y"], wanted)
    equal("seen", got["seen"], [np.array([7, b], np.int32) for b in before])


def send_recv(run):
    """Blocking, in pairs; alone without MPI to itself."""
    if run.ranks == 1 and run.launcher:
        return  # MPI_Send may wait for a receiver
    g = Graph("send_recv", {"N": "int64"}, x=array("complex128", "N"), y=array("complex128", "N"),
              peer=array("int32", 1), tag=array("int64", 1))
    g.mpi("Send", {"_buffer": "x[0:N]", "_dest": "peer[0]", "_tag": "tag[0]"}, {})
    g.mpi("Recv", {"_src": "peer[0]", "_tag": "tag[0]"}, {"_buffer": "y[0:N]"})
    ranks = run.ranks
    x, y = numbers(ranks, "complex128", 5), numbers(ranks, "complex128", 5)
    peers = [r ^ 1 if ranks > 1 else 0 for r in range(ranks)]
    got = run.results(g.write(run.folder), {
        "x": x, "y": y, "peer": ints(peers), "tag": [np.array([3])] * ranks}, ["y"])
    equal("y", got["y"], [x[p] for p in peers])


def broadcast(run):
    g = Graph("broadcast", {"N": "int64"}, x=array("int16", "N", 4), root=array("int32", 1))
    g.mpi("Bcast", {"_inbuffer": "x[0:N, 1:3]", "_root": "root[0]"}, {"_outbuffer": "x[0:N, 1:3]"})
    ranks, root = run.ranks, run.ranks - 1
    x = numbers(ranks, "int16", 3, 4)
    got = run.results(g.write(run.folder), {"x": x, "root": ints([root] * ranks)}, ["x"])
    wanted = [v.copy() for v in x]
    for w in wanted:
        w[:, 1:3] = x[root][:, 1:3]
    equal("x", got["x"], wanted)


def reductions(run):
    ranks, root = run.ranks, run.ranks // 2
    operations = {"MPI_SUM": sum, "MPI_MAX": lambda v: np.maximum.reduce(list(v)),
                  "MPI_MIN": lambda v: np.minimum.reduce(list(v)), "MPI_BXOR": lambda v: np.bitwise_xor.reduce(list(v))}
    for op, f in operations.items():
        dtype = "int32" if op == "MPI_BXOR" else "float32"
        g = Graph("reductions_" + op.lower(), {"N": "int64"}, x=array(dtype, "N", 4), y=array(dtype, "N", 2),
                  z=array(dtype, "N"), root=array("int32", 1))
        g.mpi("Reduce", {"_inbuffer": "x[0:N, 1:3]", "_root": "root[0]"}, {"_outbuffer": "y[0:N, 0:2]"}, op=op)
        g.mpi("Allreduce", {"_inbuffer": "z[0:N]"}, {"_outbuffer": "z[0:N]"}, op=op)
        x, y, z = (numbers(ranks, dtype, *s) for s in [(5, 4), (5, 2), (5,)])
        got = run.results(g.write(run.folder), {"x": x, "y": y, "z": z, "root": ints([root] * ranks)}, ["y", "z"])
        equal("y", got["y"], [f(v[:, 1:3] for v in x) if r == root else y[r] for r in range(ranks)])
        equal("z", got["z"], [f(iter(z))] * ranks)


def exchanges(run):
    """Scatter, Gather, Allgather, Alltoall."""
    ranks, root = run.ranks, 0
    g = Graph("exchanges", {"P": "int64", "N": "int64"}, x=array("float64", "P*N"), part=array("float64", "N"),
              all=array("float64", "P*N"), every=array("float64", "P", "N"), y=array("float64", "P*N"),
              root=array("int32", 1))
    g.mpi("Scatter", {"_inbuffer": "x[0:P*N]", "_root": "root[0]"}, {"_outbuffer": "part[0:N]"})
    g.mpi("Gather", {"_inbuffer": "part[0:N]", "_root": "root[0]"}, {"_outbuffer": "all[0:P*N]"})
    g.mpi("Allgather", {"_inbuffer": "part[0:N]"}, {"_outbuffer": "every[0:P, 0:N]"})
    g.mpi("Alltoall", {"_inbuffer": "x[0:P*N]"}, {"_outbuffer": "y[0:P*N]"})
    n = 3
    x, whole, y = (numbers(ranks, "float64", ranks * n) for _ in range(3))
    part, every = numbers(ranks, "float64", n), numbers(ranks, "float64", ranks, n)
    got = run.results(g.write(run.folder), {"x": x, "part": part, "all": whole, "every": every, "y": y,
                                            "root": ints([root] * ranks)}, ["part", "all", "every", "y"], f"--P={ranks}")
    equal("part", got["part"], [x[0][r * n:(r + 1) * n] for r in range(ranks)])
    equal("all", got["all"], [x[0] if r == root else whole[r] for r in range(ranks)])
    equal("every", got["every"], [x[0].reshape(ranks, n)] * ranks)
    equal("y", got["y"], [np.concatenate([x[s][r * n:(r + 1) * n] for s in range(ranks)]) for r in range(ranks)])


# ---- process grids ----

SHAPES = {1: (1, 1), 2: (2, 1), 4: (2, 2), 8: (4, 2)}


def parts_of_grids(run):
    """Sums along one dimension of a grid; a part that holds one rank only."""
    px, py = SHAPES[run.ranks]
    g = Graph("parts", {"N": "int64", "Px": "int32", "Py": "int32"}, all=grid("Px", "Py"), row=part("all", [0, 1]),
              first=part("all", [False, True], 0), x=array("float64", "N"), y=array("float64", "N"))
    g.mpi("Dummy", {}, {"_a": "all[]", "_b": "row[]"}, fields=["MPI_Comm all;"])
    g.mpi("Allreduce", {"_inbuffer": "x[0:N]", "_grid": "row[]"}, {"_outbuffer": "x[0:N]"})
    g.mpi("Allreduce", {"_inbuffer": "y[0:N]", "_grid": "first[]"}, {"_outbuffer": "y[0:N]"})
    x, y = numbers(run.ranks, "float64", 3), numbers(run.ranks, "float64", 3)
    got = run.results(g.write(run.folder), {"x": x, "y": y}, ["x", "y"], f"--Px={px}", f"--Py={py}")
    rows = [r // py for r in range(run.ranks)]
    equal("x", got["x"], [sum(x[o] for o in range(run.ranks) if rows[o] == rows[r]) for r in range(run.ranks)])
    equal("y", got["y"], [sum(y[:py]) if rows[r] == 0 else y[r] for r in range(run.ranks)])


def block(whole, shape, at):
    rows, columns = whole.shape[0] // shape[0], whole.shape[1] // shape[1]
    return whole[at[0] * rows:(at[0] + 1) * rows, at[1] * columns:(at[1] + 1) * columns]


def blocks(run):
    """A matrix in blocks, along the dimensions of the grid and turned round; and back into a part of another one."""
    px, py = SHAPES[run.ranks]
    for along in [0, 1], [1, 0]:
        shape = [(px, py)[d] for d in along]
        g = Graph("blocks", {"N": "int64", "M": "int64", "Px": "int32", "Py": "int32"}, pg=grid("Px", "Py"),
                  sub=subarray("float32", [f"N*{shape[0]}", f"M*{shape[1]}"], ["N", "M"], "pg", along),
                  x=array("float32", f"N*{shape[0]}", f"M*{shape[1]}"), b=array("float32", "N", "M"),
                  y=array("float32", f"N*{shape[0]} + 1", f"M*{shape[1]} + 2"))
        g.mpi("BlockScatter", {"_inp_buffer": f"x[0:N*{shape[0]}, 0:M*{shape[1]}]", "_subarray": "sub[]",
                               "_scatter_grid": "pg[]"}, {"_out_buffer": "b[0:N, 0:M]"})
        g.mpi("BlockGather", {"_inp_buffer": "b[0:N, 0:M]", "_subarray": "sub[]", "_gather_grid": "pg[]"},
              {"_out_buffer": f"y[1:N*{shape[0]} + 1, 2:M*{shape[1]} + 2]"})
        n, m = 3, 5
        x = numbers(run.ranks, "float32", n * shape[0], m * shape[1])
        y = numbers(run.ranks, "float32", n * shape[0] + 1, m * shape[1] + 2)
        b = numbers(run.ranks, "float32", n, m)
        got = run.results(g.write(run.folder), {"x": x, "b": b, "y": y}, ["b", "y"], f"--Px={px}", f"--Py={py}")
        places = [[(r // py, r % py)[d] for d in along] for r in range(run.ranks)]
        equal("b", got["b"], [block(x[0], shape, p) for p in places])
        wanted = [v.copy() for v in y]
        wanted[0][1:, 2:] = x[0]
        equal("y", got["y"], wanted)


def rows_and_copies(run):
    """Blocks along one part of the grid, copied along the other; and summed up on the way back."""
    px, py = SHAPES[run.ranks]
    g = Graph("rows_and_copies", {"N": "int64", "M": "int64", "Px": "int32", "Py": "int32"}, pg=grid("Px", "Py"),
              down=part("pg", [1, 0], 0), across=part("pg", [0, 1]), sub=subarray("int64", ["N*Px"], ["N"], "down"),
              x=array("int64", "N*Px"), b=array("int64", "N"), y=array("int64", "N*Px"))
    g.mpi("BlockScatter", {"_inp_buffer": "x[0:N*Px]", "_subarray": "sub[]", "_scatter_grid": "down[]",
                           "_bcast_grid": "across[]"}, {"_out_buffer": "b[0:N]"})
    g.mpi("BlockGather", {"_inp_buffer": "b[0:N]", "_subarray": "sub[]", "_gather_grid": "down[]",
                          "_reduce_grid": "across[]"}, {"_out_buffer": "y[0:N*Px]"})
    n = 4
    x, y, b = numbers(run.ranks, "int64", n * px), numbers(run.ranks, "int64", n * px), numbers(run.ranks, "int64", n)
    got = run.results(g.write(run.folder), {"x": x, "b": b, "y": y}, ["b", "y"], f"--Px={px}", f"--Py={py}")
    equal("b", got["b"], [x[0][r // py * n:(r // py + 1) * n] for r in range(run.ranks)])
    equal("y", got["y"], [x[0] * py if r == 0 else y[r] for r in range(run.ranks)])


def redistribute(run):
    """From blocks of rows and columns to rows, and to the turned grid."""
    px, py = SHAPES[run.ranks]
    p = run.ranks
    for to, along in [(p, 1), [0, 1]], [(1, p), [0, 1]], [(py, px), [0, 1]], [(px, py), [1, 0]]:
        shape = [to[d] for d in along]
        g = Graph("redistribute", {"N": "int64", "M": "int64"}, pa=grid(px, py), pb=grid(*to),
                  a=subarray("complex64", ["N", "M"], [f"N//{px}", f"M//{py}"], "pa"),
                  b=subarray("complex64", ["N", "M"], [f"N//{shape[0]}", f"M//{shape[1]}"], "pb", along),
                  r=redistribution("a", "b"), x=array("complex64", f"N//{px}", f"M//{py}"),
                  y=array("complex64", f"N//{shape[0]}", f"M//{shape[1]}"))
        g.mpi("Redistribute", {"_inp_buffer": f"x[0:N//{px}, 0:M//{py}]", "_rdistrarray": "r[]"},
              {"_out_buffer": f"y[0:N//{shape[0]}, 0:M//{shape[1]}]"}, redistr="r")
        n, m = 8, 16
        whole = numbers(p, "complex64", n, m)[0]
        x = [block(whole, (px, py), (k // py, k % py)) for k in range(p)]
        y = [np.zeros((n // shape[0], m // shape[1]), np.complex64)] * p
        got = run.results(g.write(run.folder), {"x": x, "y": y}, ["y"], f"--N={n}", f"--M={m}")
        places = [[(k // to[1], k % to[1])[d] for d in along] for k in range(p)]
        equal("y", got["y"], [block(whole, shape, k) for k in places])


def maps(run):
    """Iterations go to the processes in turn; what has none does nothing. Maps inside of each other all deal theirs."""
    g = Graph("maps", {"N": "int64"}, x=array("int64", "N"), y=array("int64", "N"), z=array("int64", "N", "N", "N"))
    g.map("MPI", {"p": "0:N"}, "o = p + 1", {"o": "x[p]"})
    g.map("MPI", {"p": "1:N:2"}, "o = 10 * p", {"o": "y[p]"})
    g.mpi("Allreduce", {"_inbuffer": "y[0:N]"}, {"_outbuffer": "y[0:N]"})
    g.maps([("MPI", {"p": "0:N"}), ("Sequential", {"q": "0:N"}), ("MPI", {"r": "0:N"})], "o = 100*p + 10*q + r + 1", {"o": "z[p, q, r]"})
    program = g.write(run.folder)
    for n in (run.ranks, 1, 3 * run.ranks + 1):
        zero = [np.zeros(n, np.int64)] * run.ranks
        got = run.results(program, {"x": zero, "y": zero, "z": [np.zeros((n, n, n), np.int64)] * run.ranks}, ["x", "y", "z"], f"--N={n}")
        every = np.arange(n)
        p, q, r = np.meshgrid(every, every, every, indexing="ij")
        equal("z", got["z"], [np.where((p % run.ranks == me) & (r % run.ranks == me), 100 * p + 10 * q + r + 1, 0) for me in range(run.ranks)])
        equal("x", got["x"], [np.where(every % run.ranks == r, every + 1, 0) for r in range(run.ranks)])
        equal("y", got["y"], [np.where(every % 2 == 1, 10 * every, 0)] * run.ranks)


def communicators(run):
    """As values of programs: even and odd ranks, in the order of the world from behind."""
    g = Graph("communicators", {"N": "int64"}, x=array("int64", "N"), color=array("int32", 1), key=array("int64", 1), half=array("int64", 1, transient=True),
              me=array("int32", 2), size=array("int64", 2), mean=array("float64", "N"), world=array("int32", 1))
    g.mpi("CommSplit", {"_color": "color[0]", "_key": "key[0]"}, {"_newcomm": "half[0]"})
    g.mpi("CommRank", {"_comm": "half[0]"}, {"_rank": "me[0]"})
    g.mpi("CommRank", {}, {"_rank": "me[1]"})
    g.mpi("CommSize", {"_comm": "half[0]"}, {"_size": "size[0]"})
    g.mpi("CommSize", {}, {"_size": "size[1]"})
    g.mpi("Barrier", {"_comm": "half[0]"}, {})
    g.mpi("Allreduce", {"_comm": "half[0]", "_inbuffer": "x[0:N]"}, {"_outbuffer": "x[0:N]"}, op="Max")
    g.mpi("CommFree", {"_comm": "half[0]"}, {})
    g.mpi("Allreduce", {"_inbuffer": "mean[0:N]"}, {"_outbuffer": "mean[0:N]"}, op="avg")
    n, ranks = 3, range(run.ranks)
    halves = [[q for q in ranks if q % 2 == r % 2] for r in ranks]
    got = run.results(g.write(run.folder), {
        "x": [np.full(n, r, np.int64) for r in ranks], "color": ints(r % 2 for r in ranks), "mean": [np.full(n, float(r)) for r in ranks],
        "key": [np.array([-r]) for r in ranks]}, ["x", "me", "size", "mean"], f"--N={n}")
    equal("x", got["x"], [np.full(n, h[-1]) for h in halves])
    equal("me", got["me"], [np.array([h[::-1].index(r), r]) for r, h in zip(ranks, halves)])
    equal("size", got["size"], [np.array([len(h), run.ranks]) for h in halves])
    equal("mean", got["mean"], [np.full(n, (run.ranks - 1) / 2)] * run.ranks)


def parts_of_different_sizes(run):
    """Rank r has r + 1 elements for everybody; columns of a matrix, so that they are packed. At once, and all three under way together."""
    p = run.ranks
    before = [str(i * (i + 1) // 2) for i in range(p)]
    x = [np.arange(2 * (r + 1)).reshape(-1, 2).astype(np.int32) + 100 * r for r in range(p)]
    to = [(1000 * r + np.arange(p * (r + 1))).astype(np.int32) for r in range(p)]
    total, root = p * (p + 1) // 2, p - 1
    kept = [np.full(total, -1, np.int32)] * p
    columns = [v[:, 1] for v in x]
    for goes_on in False, True:
        g = Graph("vectors", {"P": "int64", "M": "int64"}, x=array("int32", "M", 2), all=array("int32", "P*(P+1)//2"), requests=array(REQUEST, 3, transient=True),
                  back=array("int32", "P*(P+1)//2"), to=array("int32", "P*M"), got=array("int32", "P*(P+1)//2", 3), root=array("int32", 1))

        def node(name, i, inputs, outputs, **more):
            g.mpi(name, inputs, {**outputs, **({"_request": f"requests[{i}]"} if goes_on else {})}, nonblocking=goes_on, **more)
        node("Gatherv", 0, {"_inbuffer": "x[0:M, 1]", "_root": "root[0]"}, {"_outbuffer": "all[0:P*(P+1)//2]"}, recv_counts=[str(i + 1) for i in range(p)])
        node("Gatherv", 1, {"_inbuffer": "x[0:M, 1]", "_root": "root[0]"}, {"_outbuffer": "back[0:P*(P+1)//2]"},
             recv_counts=[str(i + 1) for i in range(p)], recv_displs=[f"P*(P+1)//2 - {b} - {i + 1}" for i, b in enumerate(before)])
        node("Alltoallv", 2, {"_inbuffer": "to[0:P*M]"}, {"_outbuffer": "got[0:P*(P+1)//2, 1]"}, send_counts=["M"] * p, recv_counts=[str(i + 1) for i in range(p)])
        if goes_on:
            g.mpi("Waitall", {"_request": "requests[0:3]"}, {})
        got = run.results(g.write(run.folder), {"x": x, "to": to, "all": kept, "back": kept, "got": [np.full((total, 3), -1, np.int32)] * p, "root": ints([root] * p)},
                          ["all", "back", "got"], f"--P={p}")
        equal("all", got["all"], [np.concatenate(columns) if r == root else kept[r] for r in range(p)])
        equal("back", got["back"], [np.concatenate(columns[::-1]) if r == root else kept[r] for r in range(p)])
        for r in range(p):
            wanted = np.full((total, 3), -1, np.int32)
            wanted[:, 1] = np.concatenate([t.reshape(p, -1)[r] for t in to])
            equal("got", [got["got"][r]], [wanted])


def reduce_scatter(run):
    """Products of up to 8 numbers below 50 are exact, in whatever order."""
    g = Graph("reduce_scatter", {"N": "int64"}, x=array("float64", f"{run.ranks}*N"), y=array("float64", "N"), z=array("float64", "N"))
    g.mpi("ReduceScatter", {"_inbuffer": f"x[0:{run.ranks}*N]"}, {"_outbuffer": "y[0:N]"}, op="prod")
    g.mpi("ReduceScatter", {"_inbuffer": f"x[0:{run.ranks}*N]"}, {"_outbuffer": "z[0:N]"})
    n = 3
    x = numbers(run.ranks, "float64", n * run.ranks)
    zero = [np.zeros(n, np.float64)] * run.ranks
    got = run.results(g.write(run.folder), {"x": x, "y": zero, "z": zero}, ["y", "z"], f"--N={n}")
    for name, whole in (("y", np.prod(x, 0)), ("z", np.sum(x, 0))):
        equal(name, got[name], np.split(whole, run.ranks))


def not_waiting(run):
    """Collectives in another order than they are waited for; the broadcast has gaps."""
    p = run.ranks
    g = Graph("not_waiting", {"N": "int64"}, x=array("int64", f"{p}*N"), y=array("int64", f"{p}*N"), sums=array("int64", "N"), part=array("int64", "N"), all=array("int64", f"{p}*N"),
              m=array("float32", "N", 3), s=array("int64", "N"), g=array("int64", f"{p}*N"), top=array("int64", "N"), root=array("int32", 1), requests=array(REQUEST, 8, transient=True))
    whole, one = f"[0:{p}*N]", "[0:N]"
    nodes = [("Alltoall", "x" + whole, "y" + whole, {}), ("ReduceScatter", "x" + whole, "sums" + one, {}), ("Allgather", "part" + one, "all" + whole, {}),
             ("Bcast", "m[0:N, 1]", "m[0:N, 1]", {}), ("Scatter", "x" + whole, "s" + one, {}), ("Gather", "part" + one, "g" + whole, {}),
             ("Reduce", "part" + one, "top" + one, {"op": "MPI_MAX"}), ("Allreduce", "part" + one, "part" + one, {})]
    for i, (name, source, target, more) in enumerate(nodes):
        rooted = name in ("Bcast", "Scatter", "Gather", "Reduce")
        if name == "Allreduce": # `part` is read by the others until then
            g.mpi("Waitall", {"_request": "requests[0:7]"}, {})
        g.mpi(name, {"_inbuffer": source, **({"_root": "root[0]"} if rooted else {})}, {"_outbuffer": target, "_request": f"requests[{i}]"}, nonblocking=True, **more)
    g.mpi("Waitall", {"_request": "requests[0:8]"}, {})
    n, root = 3, p - 1
    x, part = numbers(p, "int64", p * n), numbers(p, "int64", n)
    m = numbers(p, "float32", n, 3)
    zero, zeros = [np.zeros(n, np.int64)] * p, [np.zeros(n * p, np.int64)] * p
    outputs = ["y", "sums", "all", "m", "s", "g", "top", "part"]
    got = run.results(g.write(run.folder), {"x": x, "part": part, "m": m, "y": zeros, "all": zeros, "sums": zero, "s": zero, "g": zeros, "top": zero, "root": ints([root] * p)},
                      outputs, f"--N={n}")
    equal("y", got["y"], [np.concatenate([v.reshape(p, n)[r] for v in x]) for r in range(p)])
    equal("sums", got["sums"], np.split(np.sum(x, 0), p))
    equal("all", got["all"], [np.concatenate(part)] * p)
    equal("s", got["s"], np.split(x[root], p))
    equal("g", got["g"], [np.concatenate(part) if r == root else zeros[0] for r in range(p)])
    equal("top", got["top"], [np.max(part, 0) if r == root else zero[0] for r in range(p)])
    equal("part", got["part"], [np.sum(part, 0)] * p)
    for r in range(p):
        m[r][:, 1] = m[root][:, 1]
    equal("m", got["m"], m)


def gaps_without_waiting(run):
    """Regions with gaps, in place and not, and means: what is to be done with them is done by the wait."""
    p = run.ranks
    g = Graph("gaps", {"N": "int64"}, x=array("float64", "N", 2), y=array("float64", 2, "N"), m=array("int32", "N"), z=array("float64", "N", 2), part=array("float64", "N"),
              requests=array(REQUEST, 4, transient=True))
    g.mpi("Allreduce", {"_inbuffer": "x[0:N, 1]"}, {"_outbuffer": "y[1, 0:N]", "_request": "requests[0]"}, nonblocking=True)
    g.mpi("Allreduce", {"_inbuffer": "m[0:N]"}, {"_outbuffer": "m[0:N]", "_request": "requests[1]"}, nonblocking=True, op="avg")
    g.mpi("Allreduce", {"_inbuffer": "z[0:N, 1]"}, {"_outbuffer": "z[0:N, 1]", "_request": "requests[2]"}, nonblocking=True, op="avg")
    g.mpi("ReduceScatter", {"_inbuffer": "part[0:N]"}, {"_outbuffer": f"part[0:N//{p}]", "_request": "requests[3]"}, nonblocking=True, op="avg")
    g.mpi("Waitall", {"_request": "requests[0:4]"}, {})
    n = 2 * p
    x, z, part, m = numbers(p, "float64", n, 2), numbers(p, "float64", n, 2), numbers(p, "float64", n), numbers(p, "int32", n)
    got = run.results(g.write(run.folder), {"x": x, "z": z, "part": part, "m": m, "y": [np.zeros((2, n))] * p}, ["y", "m", "z", "part"])
    equal("y", [y[1] for y in got["y"]], [sum(v[:, 1] for v in x)] * p)
    equal("m", got["m"], [(sum(m) // p).astype(np.int32)] * p)
    equal("z", got["z"], [np.stack([v[:, 0], sum(w[:, 1] for w in z) / p], 1) for v in z])
    equal("part", [v[:2] for v in got["part"]], np.split(sum(part) / p, p))


def wrong_parts(run):
    g = Graph("wrong_parts", {"N": "int64"}, x=array("float64", "N"), y=array("float64", "N"))
    counts = [str(8 // run.ranks)] * run.ranks
    g.mpi("Alltoallv", {"_inbuffer": "x[0:N]"}, {"_outbuffer": "y[0:N]"}, send_counts=counts + ["1"], recv_counts=counts + ["1"])
    complain(run.start(g.write(run.folder), ["--N=8"]), 7, f"there are counts for {run.ranks + 1} processes", by_one=False)
    g = Graph("wrong_parts", {"N": "int64"}, x=array("float64", "N"), y=array("float64", "N"))
    g.mpi("Alltoallv", {"_inbuffer": "x[0:N]"}, {"_outbuffer": "y[0:N]"}, send_counts=counts, recv_counts=["N + 1"] * run.ranks)
    complain(run.start(g.write(run.folder), ["--N=8"]), 7, "elements for rank", "and there are 8 in all", by_one=False)
    g = Graph("wrong_parts", {"N": "int64"}, x=array("float64", "N"), y=array("float64", "N"))
    g.mpi("Alltoallv", {"_inbuffer": "x[0:N]"}, {"_outbuffer": "y[0:N]"}, recv_counts=counts)
    complain(run.start(g.write(run.folder), ["--N=8"]), 4, "'send_counts' has 0 entries")
    g = Graph("wrong_parts", {"N": "int64"}, x=array("float64", "N"))
    g.mpi("ReduceScatter", {"_inbuffer": "x[0:N]"}, {"_outbuffer": "x[0:N]"}, op="median")
    complain(run.start(g.write(run.folder), ["--N=8"]), 5, "'median'")
    g = Graph("wrong_parts", {"N": "int64"}, x=array("float64", "N"), comm=array("int64", 1))
    g.mpi("Allreduce", {"_inbuffer": "x[0:N]", "_comm": "comm[0]"}, {"_outbuffer": "x[0:N]"})
    np.save(run.folder / "comm.npy", np.zeros(1, np.int64))
    done = run.start(g.write(run.folder), ["--N=8", f"--comm=@{run.folder}/comm.npy"])
    complain(done, 7 if run.launcher else 0, *(["the communicator is MPI_COMM_NULL"] if run.launcher else []), by_one=False)


def abort(run):
    g = Graph("abort", {}, code=array("int32", 1))
    g.mpi("Abort", {"_errorcode": "code[0]"}, {})
    np.save(run.folder / "code.npy", np.array([3], np.int32))
    done = run.start(g.write(run.folder), [f"--code=@{run.folder}/code.npy"])
    if done.returncode != 3:
        raise RuntimeError(f"exit code {done.returncode}, not 3\n{done.stdout}{done.stderr}")


def init_code(run):
    """DaCe writes code for its descriptors into the graph; what else is there stays."""
    g = Graph("init_code", {"N": "int64", "P": "int32"}, pg=grid("P", 1), x=array("float64", "N"), root=array("int32", 1), y=array("float64", 1))
    g.init = INIT_CODE
    g.mpi("Bcast", {"_inbuffer": "x[0:N]", "_grid": "pg[]", "_root": "root[0]"}, {"_outbuffer": "x[0:N]"})
    g.state()
    t = g.node("Tasklet", "t", code={"string_data": "o = mine + pg_like + pg_size;", "language": "CPP"}, in_connectors={}, out_connectors={"o": None})
    g.edge(t, "o", g.node("AccessNode", "y", data="y"), None, memlet("y", "0"))
    x = numbers(run.ranks, "float64", 4)
    got = run.results(g.write(run.folder), {"x": x, "root": ints([0] * run.ranks)}, ["x", "y"], "--N=4", f"--P={run.ranks}")
    equal("x", got["x"], [x[0]] * run.ranks)
    equal("y", got["y"], [np.array([145.0])] * run.ranks)


INIT_CODE = """
// "pg" is a grid: __state->pg
__state->pg_dims[0] = P;
__state->pg_dims[1] = 1;
mine = 40;
int pg_periods[2] = {0};
MPI_Cart_create(MPI_COMM_WORLD, 2, __state->pg_dims, pg_periods, 0, &__state->pg);
if (__state->pg != MPI_COMM_NULL) {
    MPI_Comm_rank(__state->pg, &__state->pg_rank);
    __state->pg_valid = true;
} else {
    __state->pg_valid = false;
}
pg_like = 2; /* } */
pg_size = 100; // no field
{ __state->pg_size = 3; }
for (int i = 0; i < 3; i++) { mine += 1; }
"""


def communicator(run, library=None):
    """That of the caller, in Python and C."""
    if not run.launcher:
        return
    g = Graph("communicator", {"N": "int64"}, x=array("int64", "N"))
    g.mpi("Allreduce", {"_inbuffer": "x[0:N]"}, {"_outbuffer": "x[0:N]"})
    here = pathlib.Path(__file__).resolve().parent
    library = library or ("libmpi.so.40" if "openmpi" in run.launcher[0] else "libmpich.so.12")
    env = dict(os.environ, OMP_NUM_THREADS="1", SDFG_CACHE_DIR=str(run.cache), SDFG_LIBRARY=str(run.binary.parent / "libsdfg.so"),
               PYTHONPATH=os.pathsep.join([str(here.parents[1] / "python"), os.environ.get("PYTHONPATH", "")]))
    complain(subprocess.run([*run.launcher, "-n", str(run.ranks), sys.executable, "-B", str(here / "communicator.py"),
                             str(g.write(run.folder)), library], capture_output=True, text=True, timeout=120, env=env), 0)


# ---- what goes wrong ----

def map_of_two(run):
    g = Graph("map_of_two", {"N": "int64"}, x=array("int64", "N", "N"))
    g.map("MPI", {"p": "0:N", "q": "0:N"}, "o = p", {"o": "x[p, q]"})
    complain(run.start(g.write(run.folder), ["--N=4"]), 5, "schedule MPI) of 2 dimensions", 'map[0] "m"')



def large_grid(run):
    g = Graph("large_grid", {"N": "int64", "P": "int32"}, pg=grid("P", 2), x=array("float64", "N"))
    g.mpi("Bcast", {"_inbuffer": "x[0:N]", "_grid": "pg[]", "_root": "root[0]"}, {"_outbuffer": "x[0:N]"})
    g.arrays["root"] = array("int32", 1)
    program = g.write(run.folder)
    complain(run.start(program, ["--N=4", f"--P={run.ranks}"]), 7, f"wants more than {run.ranks} processes", '"bcast"',
             by_one=False)
    g.arrays["pg"] = part("none", [1, 0])
    complain(run.start(g.write(run.folder), ["--N=4"]), 4, "'pg' is not wired to a parent process grid")


def complain(done, code, *texts, by_one=True):
    said = done.stdout + done.stderr
    if done.returncode != code or any(t not in said for t in texts):
        raise RuntimeError(f"exit code {done.returncode}, not {code}, or not said: {texts}\n{said}")
    for t in texts if by_one else []:
        if said.count(t) != 1:
            raise RuntimeError(f"said {said.count(t)} times: {t}\n{said}")


def one_output(run):
    """Rank 0 alone writes."""
    g = Graph("one_output", {"N": "int64"}, x=array("float64", "N"))
    g.mpi("Allreduce", {"_inbuffer": "x[0:N]"}, {"_outbuffer": "x[0:N]"})
    done = run.start(g.write(run.folder), ["--N=4"])
    complain(done, 0, "x  ")


def one_compiles(run):
    """One process fills the cache, and the others read it; with the cache off each compiles."""
    if run.ranks == 1:
        return
    g = Graph("one_compiles", {"N": "int64"}, x=array("float64", "N"))
    g.mpi("Allreduce", {"_inbuffer": "x[0:N]"}, {"_outbuffer": "x[0:N]"})
    program, cache = g.write(run.folder), f"--cache={run.folder}/own"
    for option, compiled in (cache, 1), (cache, 0), ("--no-cache", run.ranks):
        done = run.start(program, ["--N=4", "--explain-cache", option])
        complain(done, 0, f"processes: {compiled} compiled, {run.ranks - compiled} found the code")
    kernels = list((run.folder / "own").glob("*.kernel"))
    alone = subprocess.run([str(run.binary), str(program), "--N=4", f"--cache={run.folder}/alone"], capture_output=True)
    of_one = list((run.folder / "alone").glob("*.kernel"))
    if alone.returncode or len(kernels) != len(of_one):
        raise RuntimeError(f"{len(kernels)} entries of the cache, of one process {len(of_one)}")


def other_sizes(run):
    """One rank has fewer elements than it says; an option that only some ranks have; messages once."""
    g = Graph("other_sizes", {"N": "int64"}, x=array("float64", "N"))
    g.mpi("Allreduce", {"_inbuffer": "x[0:N]"}, {"_outbuffer": "x[0:N]"})
    program = g.write(run.folder)
    for r in range(run.ranks):
        np.save(run.folder / f"x.{r}.npy", np.zeros(4 + (r == run.ranks - 1)))
    done = run.start(program, [f"--x=@{run.folder}/x.{{rank}}.npy", "--N=4"])
    complain(done, 2, "'N' is 4 from the given value, but 5")
    complain(run.start(program, ["--N=4", "--output=y=-"]), 2, "--output=y")
    complain(run.start(run.folder / "none.sdfg", []), 3, "none.sdfg")


def other_programs(run):
    """One process has another file of the same name; with {rank} in its name that is meant."""
    for r in range(run.ranks):
        folder = run.folder / str(r)
        folder.mkdir()
        g = Graph("p", {"N": "int64"}, x=array("float64", "N"))
        g.mpi("Allreduce", {"_inbuffer": "x[0:N]"}, {"_outbuffer": "x[0:N]"}, op="MPI_SUM" if r < run.ranks - 1 else "MPI_MAX")
        g.write(folder)
    if not run.launcher or run.ranks == 1:
        return
    script = f"cd {run.folder}/${{PMI_RANK:-$OMPI_COMM_WORLD_RANK}} && exec {run.binary} p.sdfg --N=4"
    environment = dict(os.environ, OMP_NUM_THREADS="1", SDFG_CACHE_DIR=str(run.cache))
    done = subprocess.run([*run.launcher, "-n", str(run.ranks), "sh", "-c", script], capture_output=True, text=True, timeout=60, env=environment)
    complain(done, 2, "the checksum of the program is", "arguments that differ")
    for r in range(run.ranks):
        shutil.copy(run.folder / "0/p.sdfg", run.folder / f"p.{r}.sdfg")
        with open(run.folder / f"p.{r}.sdfg", "a") as f:
            f.write(" " * r)
    complain(run.start(f"{run.folder}/p.{{rank}}.sdfg", ["--N=4"]), 0)


def one_fails(run):
    """The program of one process cannot be compiled: all end, with its message."""
    if run.ranks == 1:
        return
    for r in range(run.ranks):
        g = Graph("p", {"N": "int64"}, x=array("float64", "N"))
        g.mpi("Allreduce", {"_inbuffer": "x[0:N]"}, {"_outbuffer": "x[0:N]"})
        text = g.write(run.folder).read_text()
        (run.folder / f"fails.{r}.sdfg").write_text(text.replace(".Allreduce", ".Unheard") if r == run.ranks - 1 else text)
    done = run.start(f"{run.folder}/fails.{{rank}}.sdfg", ["--N=4"], timeout=30)
    complain(done, 5, ".Unheard' is not supported")


def bad_rank(run):
    g = Graph("bad_rank", {"N": "int64"}, x=array("float64", "N"), to=array("int32", 1))
    g.mpi("Send", {"_buffer": "x[0:N]", "_dest": "to[0]", "_tag": "to[0]"}, {})
    np.save(run.folder / "to.npy", np.array([run.ranks], np.int32))
    done = run.start(g.write(run.folder), ["--N=4", f"--to=@{run.folder}/to.npy"])
    # all fail at once: on a busy machine more than one says so
    complain(done, 7, f"of {run.ranks}: the receiver is rank {run.ranks}", '"send"', by_one=False)


def deadlock(run):
    """Each process receives before it sends: who waits for whom is said."""
    if run.ranks == 1:
        return
    g = Graph("deadlock", {"N": "int64"}, x=array("float64", "N"), y=array("float64", "N"), to=array("int32", 1), source=array("int32", 1), tag=array("int32", 1))
    g.mpi("Recv", {"_src": "source[0]", "_tag": "tag[0]"}, {"_buffer": "y[0:N]"})
    g.mpi("Send", {"_buffer": "x[0:N]", "_dest": "to[0]", "_tag": "tag[0]"}, {})
    for r in range(run.ranks):
        np.save(run.folder / f"to.{r}.npy", np.array([(r + 1) % run.ranks], np.int32))
        np.save(run.folder / f"source.{r}.npy", np.array([(r - 1) % run.ranks], np.int32))
    np.save(run.folder / "tag.npy", np.array([9], np.int32))
    options = ["--N=4", *(f"--{n}=@{run.folder}/{n}.{{rank}}.npy" for n in ("to", "source")), f"--tag=@{run.folder}/tag.npy"]
    done = run.start(g.write(run.folder), [*options, "--timeout=3", "--passes=-overlap"]) # with it, the messages pass each other
    lines = [f"rank {r} of {run.ranks} waits in MPI_Recv for rank {(r - 1) % run.ranks}, tag 9, at deadlock/state[0] \"s0\"/library[0] \"recv\"" for r in range(run.ranks)]
    said = done.stdout + done.stderr
    if done.returncode == 0 or not any(line in said for line in lines):
        raise RuntimeError(f"exit code {done.returncode}\n{said}")
    if run.ranks > 2: # once is enough
        return
    try:
        run.start(g.write(run.folder), [*options, "--check"], timeout=25)
        raise RuntimeError("it has ended")
    except subprocess.TimeoutExpired as e:
        said = (e.stderr or b"").decode() + (e.stdout or b"").decode()
        if any(said.count("for ten seconds " + line) != 1 for line in lines):
            raise RuntimeError(said)


def truncated(run):
    """A message that is longer than the place for it."""
    g = Graph("truncated", {"N": "int64"}, x=array("float64", "N"), y=array("float64", "N"), peer=array("int32", 1), tag=array("int32", 1),
              request=array(REQUEST, 1, transient=True))
    g.mpi("Isend", {"_buffer": "x[0:N]", "_dest": "peer[0]", "_tag": "tag[0]"}, {"_request": "request[0]"})
    g.mpi("Recv", {"_src": "peer[0]", "_tag": "tag[0]"}, {"_buffer": "y[0:N - 1]"})
    for r in range(run.ranks):
        np.save(run.folder / f"peer.{r}.npy", np.array([r ^ 1 if run.ranks > 1 else 0], np.int32))
    np.save(run.folder / "tag.npy", np.array([1], np.int32))
    done = run.start(g.write(run.folder), ["--N=4", f"--peer=@{run.folder}/peer.{{rank}}.npy",
                                           f"--tag=@{run.folder}/tag.npy"])
    complain(done, 8, '"recv"', by_one=False)


TESTS = [deadlock, ring, send_recv, broadcast, reductions, exchanges, parts_of_grids, blocks, rows_and_copies, redistribute, maps, communicators, parts_of_different_sizes, reduce_scatter, init_code, communicator, map_of_two, not_waiting, gaps_without_waiting, wrong_parts, abort, one_output, one_compiles, large_grid, bad_rank, truncated, other_sizes, other_programs, one_fails]


def in_worlds(test, binary, folder, worlds):
    """What fails. Each world has a folder, and all have one cache: what the first one compiles the others find."""
    failures = []
    for name, launcher, ranks in worlds:
        own = folder / f"{test.__name__}.{name.replace(' ', '')}.{ranks}"
        own.mkdir()
        try:
            test(Run(binary, own, launcher, ranks, folder / "cache"))
        except Exception as e: # of the test, or of what it asserts
            failures.append(f"{test.__name__}, {name}, {ranks} ranks: {e}")
        shutil.rmtree(own)
    return failures


def main(tests, launchers=None):
    """launchers: instead of all that are there, and of one process without any."""
    p = argparse.ArgumentParser()
    p.add_argument("bin")
    p.add_argument("--ranks", default="1,4")
    p.add_argument("--some", action="store_true", help="one process without a library, the largest number with the first one and, every second test, with the others")
    p.add_argument("--jobs", type=int, default=3, help="launches at a time")
    p.add_argument("tests", nargs="*")
    a = p.parse_args()
    binary = pathlib.Path(a.bin).resolve() / "sdfg-run"
    found = {n: l for n, l in (launchers or LAUNCHERS).items() if shutil.which(l[0])}
    ranks, first = [int(r) for r in a.ranks.split(",")], next(iter(found), None)
    worlds = [("no launcher", [], 1)][:0 if launchers else 1] + [(n, l, r) for n, l in found.items() for r in ([max(ranks)] if a.some else ranks)]
    fewer = [w for w in worlds if w[0] in ("no launcher", first)] if a.some else worlds
    failures = []
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ProcessPoolExecutor(a.jobs) as pool:
        jobs = [pool.submit(in_worlds, test, binary, pathlib.Path(folder), fewer if i % 2 else worlds)
                for i, test in enumerate(tests) if not a.tests or test.__name__ in a.tests]
        for job in jobs:
            failures += job.result()
            print("".join(f"{f}\n" for f in job.result()), end="", flush=True)
    print(f"{len(worlds)} worlds: {', '.join(f'{n} x {r}' for n, _, r in worlds)}; {len(failures)} failures")
    if failures:
        return 1
    return 0 if found else 77


if __name__ == "__main__":
    sys.exit(main(TESTS))
