import dace
import numpy as np
N, M = (dace.symbol(s) for s in ("N", "M"))


@dace.program
def fibonacci(iv: dace.int32[1], res: dace.float32[1]):
    S = dace.define_stream(dace.int32, 0)
    with dace.tasklet:
        i << iv
        s >> S
        s = i + 7

    @dace.consume(S, 4)
    def scope(elem, p):
        one >> S(-1)
        other >> S(-1)
        val >> res(-1, lambda a, b: a + b)
        if elem == 1:
            val = 1
        elif elem > 1:
            one = elem - 1
            other = elem - 2


@dace.program
def filtered(A: dace.float64[N], out: dace.float64[N], outsz: dace.int32[1], x: dace.float64):
    outsz[0] = 0
    ostream = dace.define_stream(dace.float64, N)
    for i in dace.map[0:N]:
        with dace.tasklet:
            a << A[i]
            r << x
            b >> ostream(-1)
            osz >> outsz(-1, lambda x, y: x + y, 0)
            filter = a > r
            if filter:
                b = a
            osz = filter
    ostream >> out
    out[:] = np.sort(out)


@dace.program
def pushed_from_branches(A: dace.float64[N], out: dace.float64[N]):
    S = dace.define_stream(dace.float64, N)
    for i in dace.map[0:N]:
        if A[i] >= 0:
            A[i] >> S(-1)
    S >> out
    out[:] = np.sort(out)


@dace.program
def through_a_queue(A: dace.float64[N], B: dace.float64[N]):
    S = dace.stream([1], dace.float64, N)
    A >> S
    for i in range(N):
        with dace.tasklet:
            s << S(1)
            b >> B[i]
            b = s * 2


@dace.program
def consumed_with_statements(A: dace.float64[N], total: dace.float64[1], counts: dace.int64[4]):
    S = dace.define_stream(dace.float64)
    A >> S
    counts[:] = 0
    total[0] = 0

    @dace.consumescope(S, 4)
    def body(x, p):
        y = x * x
        if y > 1:
            total[0] += y
        k = 1
        counts[0] += k


@dace.program
def queues(A: dace.int64[N], B: dace.int64[3]):
    S = dace.define_streamarray([3], dace.int64, N)
    B[:] = 0
    for i in range(N):
        with dace.tasklet:
            a << A[i]
            s >> S[i % 3]
            s = a
    for k in range(3):

        @dace.consume(S[k], 1)
        def add(v, p):
            b >> B(-1, lambda x, y: x + y)[k]
            b = v


@dace.program
def collatz(A: dace.int64[N], steps_all: dace.int64[1]):
    S = dace.define_stream(dace.int64)
    steps_all[0] = 0
    for i in dace.map[0:N]:
        with dace.tasklet:
            s >> S
            s = i + 1

    @dace.consume(S, 3)
    def scope(n, p):
        more >> S(-1)
        steps >> steps_all(1, lambda a, b: a + b)
        steps = 1
        if n > 1:
            if n % 2 == 0:
                more = n // 2
            else:
                more = 3 * n + 1


@dace.program
def loop_over_a_stream(A: dace.int64[N], total: dace.int64[1]):
    S = dace.define_stream(dace.int64)
    A[1:] >> S
    total[0] = 0
    for v in dace.consume(S, 2):
        v += 1
        total[0] += v


@dace.program
def until_a_condition_holds(A: dace.int64[N], total: dace.int64[1], k: dace.int64):
    S = dace.define_stream(dace.int64)
    A >> S
    total[0] = 0

    @dace.consume(S, 1, total[0] >= k or total[0] < -6)
    def f(v, p):
        t >> total(1, lambda x, y: x + y)
        t = v


@dace.program
def several_at_a_time(A: dace.int64[N], total: dace.int64[1], first: dace.int64[1]):
    S = dace.define_stream(dace.int64)
    A >> S
    total[0] = 0
    first[0] = 0

    @dace.consumescope(S, 1, None, 4)
    def f(v, p):
        total[0] += np.sum(v) * 10

    A >> S

    @dace.consume(S, 1, None, 4)
    def g(v, p):
        t >> first(1, lambda a, b: a + b)
        t = v[0]


def popped(S, B):
    for i in range(N):
        with dace.tasklet:
            s << S
            b >> B[i]
            b = s

@dace.program
def passed(A: dace.float64[N], B: dace.float64[N]):
    S = dace.define_stream(dace.float64, N)
    S << A
    popped(S, B)
