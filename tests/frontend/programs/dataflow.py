"""Explicit dataflow: tasklets with memlets, maps that are functions, copies, dace.reduce."""
import dace
import numpy as np

N, M = (dace.symbol(s) for s in ("N", "M"))
FACTOR = 2.5
SHIFT = -3


@dace.program
def tasklet(A: dace.float64[N], B: dace.float64[N]):
    for i in dace.map[0:N]:
        with dace.tasklet:
            a << A[i]
            b >> B[i]
            b = a * FACTOR + SHIFT + i * N


@dace.program
def decorated_tasklet(A: dace.float64[N], B: dace.float64[N]):
    for i in range(N - 1):

        @dace.tasklet
        def step():
            a << A[i]
            next << A[i + 1]
            b >> B[i]
            if a > next:
                b = a
            else:
                # the branch that is not taken writes nothing
                b = next - a


@dace.program
def map_by_annotations(A: dace.float64[N, M], B: dace.float64[M, N]):

    @dace.map
    def transposed(i: _[0:N], j: _[0:M]):
        a << A[i, j]
        b >> B[j, i]
        b = exp(a)


@dace.program
def map_by_argument(A: dace.float64[N], k: dace.float64, B: dace.float64[N]):

    @dace.map(_[1:N:2])
    def scaled(i):
        a << A[i]
        s << k
        b >> B[i]
        b = a * s


@dace.program
def map_scope(A: dace.float64[N, M], B: dace.float64[N]):

    @dace.mapscope
    def rows(i: _[0:N]):
        for j in range(M):
            B[i] += A[i, j]

        @dace.map
        def columns(j: _[0:M]):
            a << A[i, j]
            b >> B(1, lambda x, y: x + y)[i]
            b = 2 * a


@dace.program
def summed(A: dace.float64[N, M], S: dace.float64[1]):
    for i, j in dace.map[0:N, 0:M]:
        with dace.tasklet:
            a << A[i, j]
            s >> S(1, lambda x, y: x + y)[0]
            s = a


@dace.program
def largest(A: dace.float64[N]):
    top = dace.define_local_scalar(dace.float64)
    top = -1000.0
    for i in range(N):
        with dace.tasklet:
            a << A[i]
            t >> top(1, lambda x, y: max(x, y))
            t = a
    return top


@dace.program
def written_at_times(A: dace.float64[N], B: dace.float64[N]):
    for i in dace.map[0:N]:
        with dace.tasklet:
            a << A[i]
            b >> B(-1)[i]
            if a > 0:
                b = a


@dace.program
def pointers(A: dace.float64[N, M], B: dace.float64[N]):
    for i in dace.map[0:N]:
        with dace.tasklet:
            row << A[i, :]
            b >> B[i]
            b = row[0] - row[M - 1]


@dace.program
def indirect(A: dace.float64[N], I: dace.uint8[N], B: dace.float64[N]):
    for i in dace.map[0:N]:
        with dace.tasklet:
            a << A[I[i] % 4]
            b >> B[i]
            b = a


@dace.program
def other_language(A: dace.float64[N], B: dace.float64[N]):
    for i in dace.map[0:N]:
        with dace.tasklet(dace.Language.CPP):
            a << A[i]
            b >> B[i]
            "b = a * a + 1;"


@dace.program
def copies(A: dace.float64[N, M], B: dace.float64[N, M], C: dace.float64[N]):
    A[1:3, :] >> B[0:2, :]
    C << A[:, 1]


@dace.program
def reductions(A: dace.float64[N, M], R: dace.float64[N], S: dace.float64[1]):
    dace.reduce(lambda x, y: x + y, A, R, axis=1, identity=0)
    dace.reduce(lambda x, y: max(x, y), A, S)
    return dace.reduce(lambda x, y: x * y, A, axis=0, identity=1)


FACTOR = 3.0


@dace.program
def constants_of_the_file(A: dace.float64[N], B: dace.float64[N]):
    for i in dace.map[0:N]:
        with dace.tasklet:
            a << A[i]
            b >> B[i]
            b = a * FACTOR + N


@dace.program
def own_reductions(A: dace.float64[N, M], R: dace.float64[N], S: dace.float64[1]):
    dace.reduce(lambda x, y: x if x < y else y, A, R, axis=1, identity=9)
    dace.reduce(lambda x, y: x - y, A, S)
