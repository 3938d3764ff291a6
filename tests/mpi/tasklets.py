#!/usr/bin/env python3
"""C++ tasklets that call MPI: tasklets.py BIN-DIR [--ranks 1,2,4], as run.py."""
import sys

import numpy as np

import run as nodes
from graphs import Graph, array, grid, memlet, part
from run import SHAPES, complain, equal

MESSAGES = """
int me, size, count, other;
MPI_Comm_rank(MPI_COMM_WORLD, &me);
MPI_Comm_size(MPI_COMM_WORLD, &size);
int right = (me + 1) % size, left = (me + size - 1) % size, next = me + 1 < size ? me + 1 : MPI_PROC_NULL, before = me ? me - 1 : MPI_PROC_NULL;
MPI_Request r[3];
MPI_Status s[3];
MPI_Irecv(ring, N, MPI_DOUBLE, left, 3, MPI_COMM_WORLD, &r[0]);
MPI_Isend(own, N, MPI_DOUBLE, right, 3, MPI_COMM_WORLD, &r[1]);
MPI_Irecv(ring, N, MPI_DOUBLE, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &r[2]);
MPI_Waitall(3, r, s);
came[0] = s[0].MPI_SOURCE;
came[1] = s[0].MPI_TAG;
MPI_Send(own, 1, MPI_DOUBLE, next, 4, MPI_COMM_WORLD);
MPI_Recv(edge, 1, MPI_DOUBLE, before, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
MPI_Datatype column, part, wide, row;
MPI_Type_vector(N, 1, 3, MPI_DOUBLE, &column); // from the first column of an N x 3 matrix to the second one of the next process
MPI_Type_commit(&column);
MPI_Sendrecv(m, 1, column, right, 5, m + 1, 1, column, left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
MPI_Type_free(&column);
int sizes[2] = {N, 3}, counts[2] = {N, 1}, begins[2] = {0, 2};
MPI_Type_create_subarray(2, sizes, counts, begins, MPI_ORDER_C, MPI_DOUBLE, &part);
MPI_Type_create_resized(part, 0, sizeof(double), &wide);
MPI_Type_commit(&wide);
MPI_Bcast(m, 1, wide, 0, MPI_COMM_WORLD);
MPI_Type_contiguous(N, MPI_DOUBLE, &row);
MPI_Type_commit(&row);
MPI_Allgather(own, 1, row, every, 1, row, MPI_COMM_WORLD);
MPI_Type_free(&row); MPI_Type_free(&wide); MPI_Type_free(&part);
MPI_Allreduce(MPI_IN_PLACE, sums, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
MPI_Reduce(own, top, N, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
double *places = new double[size * N], *mine = new double[size * N];
int *lengths = new int[size], *at = new int[size];
for (int i = 0; i < size; ++i) { lengths[i] = N; at[i] = (size - 1 - i) * N; }
MPI_Gatherv(own, N, MPI_DOUBLE, places, lengths, at, MPI_DOUBLE, 0, MPI_COMM_WORLD);
MPI_Scatterv(places, lengths, at, MPI_DOUBLE, mine, N, MPI_DOUBLE, 0, MPI_COMM_WORLD);
MPI_Alltoall(every, N, MPI_DOUBLE, places, N, MPI_DOUBLE, MPI_COMM_WORLD);
MPI_Alltoallv(every, lengths, at, MPI_DOUBLE, places, lengths, at, MPI_DOUBLE, MPI_COMM_WORLD);
MPI_Allgatherv(mine, N, MPI_DOUBLE, turned, lengths, at, MPI_DOUBLE, MPI_COMM_WORLD);
MPI_Gather(mine, N, MPI_DOUBLE, places, N, MPI_DOUBLE, 0, MPI_COMM_WORLD);
MPI_Scatter(places, N, MPI_DOUBLE, mine, N, MPI_DOUBLE, 0, MPI_COMM_WORLD);
for (int i = 0; i < N; ++i) same[i] = mine[i] == own[i];
delete[] places; delete[] mine; delete[] lengths; delete[] at;
MPI_Comm half, copy, flat;
MPI_Comm_split(MPI_COMM_WORLD, me % 2, -me, &half);
MPI_Comm_dup(half, &copy);
MPI_Comm_size(copy, &count);
numbers[0] = count;
MPI_Comm_rank(copy, &other);
numbers[1] = other;
int dims[2] = {0, 1}, periods[2] = {1, 0}, coords[2], source, dest, keep[2] = {1, 0};
MPI_Dims_create(size, 2, dims);
MPI_Comm torus;
MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &torus);
MPI_Cart_coords(torus, me, 2, coords);
MPI_Cart_shift(torus, 0, 1, &source, &dest);
numbers[2] = dest;
MPI_Cart_shift(torus, 1, 1, &source, &dest);
numbers[3] = dest == MPI_PROC_NULL;
MPI_Cart_rank(torus, coords, &other);
numbers[4] = other;
MPI_Cart_sub(torus, keep, &flat);
int got_dims[1], got_periods[1], got_coords[1];
MPI_Cart_get(flat, 1, got_dims, got_periods, got_coords);
numbers[5] = got_dims[0] * 10 + got_periods[0];
numbers[6] = got_coords[0];
MPI_Group group, world;
MPI_Comm_group(half, &group);
MPI_Comm_group(MPI_COMM_WORLD, &world);
int zero[2] = {0, 0}, there[2];
MPI_Group_translate_ranks(group, 1, zero, world, there);
numbers[7] = there[0];
MPI_Group_size(group, &count);
MPI_Group_rank(group, &other);
numbers[8] = count * 10 + other;
MPI_Group_free(&group);
MPI_Group_free(&world);
MPI_Barrier(torus);
MPI_Comm_free(&torus); MPI_Comm_free(&flat); MPI_Comm_free(&copy); MPI_Comm_free(&half);
numbers[9] = half == MPI_COMM_NULL;
"""
INPUTS = {"own": "X[0:N]"}
OUTPUTS = {"ring": "RING[0:N]", "edge": "EDGE[0]", "m": "M[0:N, 0:3]", "every": "EVERY[0:P*N]", "sums": "SUMS[0:N]", "top": "TOP[0:N]", "turned": "TURNED[0:P*N]", "same": "SAME[0:N]", "came": "CAME[0:2]", "numbers": "NUMBERS[0:10]"}
POINTERS = ("ring", "edge", "m", "every", "sums", "top", "turned", "same", "came", "numbers")


def tasklet(g, code, inputs, outputs, **types):
    """In a state of its own; inputs and outputs: connector="array[subset]"; types: of connectors."""
    g.state()
    t = g.node("Tasklet", "t", code={"string_data": code, "language": "CPP"}, in_connectors={n: types.get(n) for n in inputs}, out_connectors={n: types.get(n) for n in outputs})
    for conns, into in (inputs, True), (outputs, False):
        for conn, region in conns.items():
            data, subset = region.rstrip("]").split("[")
            a = g.node("AccessNode", data, data=data)
            if into:
                g.edge(a, None, t, conn, memlet(data, subset))
            else:
                g.edge(t, conn, a, None, memlet(data, subset))


def pointer(dtype):
    return {"type": "pointer", "dtype": dtype}


POINTER_TYPES = {n: pointer({"same": "int32", "came": "int32", "numbers": "int64"}.get(n, "float64")) for n in ("own", *POINTERS)}


def messages_arrays():
    return {"X": array("float64", "N"), "RING": array("float64", "N"), "EDGE": array("float64", 1), "M": array("float64", "N", 3), "EVERY": array("float64", "P*N"), "SUMS": array("float64", "N"),
            "TOP": array("float64", "N"), "TURNED": array("float64", "P*N"), "SAME": array("int32", "N"), "CAME": array("int32", 2), "NUMBERS": array("int64", 10)}


def messages(run):
    n, p = 4, run.ranks
    x, m, sums, top, edge = (nodes.numbers(p, "float64", *s) for s in ((n,), (n, 3), (n,), (n,), (1,)))
    zeros = [np.zeros(p * n)] * p
    g = Graph("messages", {"N": "int64", "P": "int64"}, **messages_arrays())
    tasklet(g, MESSAGES, INPUTS, OUTPUTS, **POINTER_TYPES)
    got = run.results(g.write(run.folder), {"X": x, "RING": [np.zeros(n)] * p, "EDGE": edge, "M": m, "EVERY": zeros, "SUMS": sums, "TOP": top, "TURNED": zeros,
                                                           "SAME": [np.zeros(n, np.int32)] * p, "CAME": [np.zeros(2, np.int32)] * p, "NUMBERS": [np.zeros(10, np.int64)] * p}, [n.upper() for n in POINTERS], f"--P={p}")
    before = [(r - 1) % p for r in range(p)]
    equal("RING", got["RING"], [x[b] for b in before])
    equal("CAME", got["CAME"], [np.array([b, 3]) for b in before])
    equal("EDGE", got["EDGE"], [x[r - 1][:1] if r else edge[0] for r in range(p)])
    wanted = [v.copy() for v in m]
    for r in range(p):
        wanted[r][:, 1] = m[before[r]][:, 0]
        wanted[r][:, 2] = m[0][:, 2]
    equal("M", got["M"], wanted)
    equal("EVERY", got["EVERY"], [np.concatenate(x)] * p)
    equal("SUMS", got["SUMS"], [sum(sums)] * p)
    equal("TOP", got["TOP"], [np.max(x, 0), *top[1:]])
    equal("TURNED", got["TURNED"], [np.concatenate(x[::-1])] * p)
    equal("SAME", got["SAME"], [np.ones(n)] * p)
    halves = [[q for q in range(p) if q % 2 == r % 2][::-1] for r in range(p)]
    equal("NUMBERS", got["NUMBERS"], [np.array([len(h), h.index(r), (r + 1) % p, 1, r, 10 * p + 1, r, h[0], 10 * len(h) + h.index(r), 1]) for r, h in enumerate(halves)])


def grids(run):
    """A process grid, and a part of it, wired to tasklets as DaCe's tests have it; and by way of the state."""
    px, py = SHAPES[run.ranks]
    g = Graph("grids", {"Px": "int32", "Py": "int32"}, pg=grid("Px", "Py"), row=part("pg", [False, True], 0), V=array("int32", 6), W=array("int32", 1))
    types = {"v": pointer("int32"), "w": pointer("int32")}
    tasklet(g, "MPI_Cart_get(g, 2, v, v + 2, v + 4);", {"g": "pg[]"}, {"v": "V[0:6]"}, **types)
    tasklet(g, "w[0] = g != MPI_COMM_NULL;", {"g": "row[]"}, {"w": "W[0]"}, **types)
    p = run.ranks
    got = run.results(g.write(run.folder), {"V": [np.full(6, -1, np.int32)] * p, "W": [np.full(1, -1, np.int32)] * p}, ["V", "W"], f"--Px={px}", f"--Py={py}")
    equal("V", got["V"], [np.array([px, py, 0, 0, r // py, r % py]) for r in range(p)])
    equal("W", got["W"], [np.array([r < py]) for r in range(p)])
    g = Graph("state", {"P": "int32"}, V=array("int32", 3))
    g.init = "__state->pg_dims[0] = P; int periods[1] = {0}; MPI_Cart_create(MPI_COMM_WORLD, 1, __state->pg_dims, periods, 0, &__state->pg);"
    g.mpi("Dummy", {}, {}, fields=["MPI_Comm pg;", "int pg_dims[1];"])
    tasklet(g, "MPI_Cart_get(__state->pg, 1, v, v + 1, v + 2);", {}, {"v": "V[0:3]"}, **types)
    got = run.results(g.write(run.folder), {"V": [np.full(3, -1, np.int32)] * p}, ["V"], f"--P={p}")
    equal("V", got["V"], [np.array([p, 0, r]) for r in range(p)])


def errors(run):
    def start(code, *options):
        g = Graph("bad", {"N": "int64"}, X=array("float64", "N"))
        tasklet(g, code, {}, {"x": "X[0:N]"}, x=pointer("float64"))
        return run.start(g.write(run.folder), ["--N=4", *options])
    done = start("int size; MPI_Comm_size(MPI_COMM_WORLD, &size); MPI_Send(x, 4, MPI_DOUBLE, size, 1, MPI_COMM_WORLD); x[0] = 1;")
    complain(done, 8 if run.launcher else 7, "MPI_Send" if run.launcher else "the receiver is rank 1", 'bad/state[0] "s0"/tasklet[0] "t"', by_one=False)
    complain(start("MPI_Win_fence(0, 0);"), 5, "undeclared identifier 'MPI_Win_fence'", 'tasklet[0] "t"')
    if not run.launcher:
        complain(start("MPI_Datatype a, b; MPI_Type_contiguous(2, MPI_DOUBLE, &a); MPI_Type_contiguous(2, a, &b);"), 7, "a type of a derived type needs an MPI library")


TESTS = [messages, grids, errors]

if __name__ == "__main__":
    sys.exit(nodes.main(TESTS))
