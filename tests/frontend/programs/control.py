"""Loops, branches, names and their types, calls."""
import numpy as np
import sdfg

N, M = (sdfg.symbol(s) for s in ("N", "M"))
SCALE = 2.5
TABLE = [1.0, 2.0, 4.0]
OPTIONS = {"shift": 3}


@sdfg.program
def promoted(A: sdfg.float64[N]):
    s = 0
    for i in range(N):
        s += A[i]
    return s


@sdfg.program
def integer_sum(A: sdfg.int32[N]):
    s = 0
    for i in range(N):
        s += A[i]
    return s


@sdfg.program
def swapping(A: sdfg.float64[N]):
    x = A[0]
    y = A[1]
    for i in range(3):
        x, y = y, x + y
    return x, y


@sdfg.program
def copies(A: sdfg.float64[N]):
    x = A[0]
    y = x
    y += 1
    B = A
    B = A + 1
    return x, y, B


@sdfg.program
def nested_loops(A: sdfg.float64[N, M]):
    for i in range(1, N):
        for j in range(M - 1, 0, -1):
            A[i, j] += A[i - 1, j] * i - A[i, j - 1] * j


@sdfg.program
def branches(A: sdfg.float64[N]):
    for i in range(N):
        if A[i] > 1:
            x = 1
        elif A[i] > 0:
            x = 0.5
        else:
            x = -1
        A[i] = x * 2


@sdfg.program
def while_loop(A: sdfg.float64[N]):
    i = 0
    total = 0.0
    while i < N and A[i] < 1.4:
        total += A[i]
        i += 1
    return total, i


@sdfg.program
def jumps(A: sdfg.float64[N]):
    last = -1
    for i in range(N):
        if A[i] < 0:
            continue
        if A[i] > 1.4:
            break
        last = i
        A[i] = 0
    return last


@sdfg.program
def early(A: sdfg.float64[N], k: sdfg.int64):
    if k > 2:
        return A[0]
    A[:] = 0
    return A[1] + 1.0


@sdfg.program
def loop_variable(A: sdfg.float64[N]):
    for i in range(N):
        A[i] = i
    A[0] = i
    for k in range(4, 0, -1):
        pass
    A[1] = k


@sdfg.program
def map_loop(A: sdfg.float64[N, M], B: sdfg.float64[N, M]):
    for i, j in sdfg.map[0:N, 0:M]:
        t = A[i, j] * 2
        B[i, j] = t + i - j


@sdfg.program
def map_sum(A: sdfg.float64[N], H: sdfg.int64[3]):
    s = 0
    for i in sdfg.map[0:N]:
        s += A[i]
        H[np.int64(abs(A[i])) % 3] += 1
    return s


@sdfg.program
def map_nest(A: sdfg.float64[N, M], B: sdfg.float64[N]):
    for i in sdfg.map[0:N]:
        acc = 0.0
        for j in range(M):
            if A[i, j] > 0:
                acc += A[i, j]
        B[i] = acc


@sdfg.program
def unrolled(A: sdfg.float64[N]):
    for i, v in enumerate(TABLE):
        A[i] += v * OPTIONS["shift"]
    for a, b in zip([0, 1], (5, 6)):
        A[a] = A[a] * b
    return [x * 2 for x in TABLE][1] + sum([1, 2, 3]) + SCALE


def helper(x, y=1.0):
    if x > y:
        return x - y
    return x + y


@sdfg.program
def scaled(X: sdfg.float64[M], k: sdfg.float64):
    X *= k
    return X[0]


@sdfg.program
def calls(A: sdfg.float64[N]):
    first = scaled(A[1:], 2.0)
    second = scaled(k=0.5, X=A[:-1])
    f = lambda t: t * t + 1
    return helper(A[0]) + helper(A[1], y=3.0), first + second, f(A)


@sdfg.program
def local_function(A: sdfg.float64[N]):
    def twice(x):
        return x * 2

    return twice(A) + twice(3)


@sdfg.program
def tuples(A: sdfg.float64[N]):
    pair = (A[0], 2)
    a, (b, c) = pair[0], (pair[1], 3)
    return a + b * c + min(a, 1.0) + max(2, 5, 3)


@sdfg.program
def symbolic(A: sdfg.float64[N]):
    half = N // 2
    A[:half] = 1
    A[half:] = 2
    if N > 100:
        A[:] = 0
    assert SCALE > 1


@sdfg.program
def guarded(A: sdfg.float64[N], k: sdfg.int64):
    if k < N and A[k] > -100:
        A[0] = 1
    if k >= N or A[k] > 100:
        A[1] = 1


@sdfg.program
def augmented(A: sdfg.float64[N], B: sdfg.int64[N]):
    A += 1
    A -= B
    A *= 2
    A /= 4
    B //= 2
    B %= 5
    B **= 2
    B <<= 1
    B |= 1


@sdfg.program
def rebound(A: sdfg.float64[N]):
    x = A + 1
    for i in range(3):
        x = x * 2 + A
    return x


@sdfg.program
def carried(A: sdfg.float64[N]):
    t = 0.0
    best = 0
    for i in range(N):
        if A[i] > t:
            t = A[i]
            best = i
    return t, best


@sdfg.program
def walrus(A: sdfg.float64[N]):
    if (n := N * 2) > 5:
        A[0] = n


@sdfg.program
def elements(A: sdfg.float64[N, M], B: sdfg.float64[M]):
    total = 0
    for row in A:
        for v in row:
            total += v
        row += B
    for i, b in enumerate(B):
        B[i] = b * i
    for b, c in zip(B, A[0]):
        total += b * c
    return total


@sdfg.program
def rounded(A: sdfg.float64[N]):
    return round(A[0] + 0.25), round(A[1] * 2), np.rint(A)


@sdfg.program
def symbolic_division(A: sdfg.float64[N], B: sdfg.float64[M]):
    A[0] = (M - N) // 3
    A[1] = (M - N) % 3
    if (M - N) // 4 < 0:
        A[2] = 1
    for i in range(3):
        A[3] += (i - N) // 4 * B[0]


@sdfg.program
def loop_in_map(A: sdfg.float64[N, M]):
    B = np.ndarray([N, M], dtype=np.int64)
    for i in sdfg.map[0:N]:
        for j in range(M):
            B[i, j] = i * 10 + j
    return B
def loopelse(A: sdfg.float64[N], k: sdfg.int64):
    s = 0
    for i in range(N):
        if A[i] > 100:
            s = 1
            break
    else:
        s = 2
    t = 0
    j = 0
    while j < k:
        if A[j] < 0:
            break
        j += 1
    else:
        t = 5
    for i in range(3):
        t += i
    else:
        t += 100
    return s, t, j

@sdfg.program
def star(A: sdfg.float64[5], B: sdfg.float64[N]):
    a, *b, c = A
    x, y = np.square(A[:2])
    return a, b[0] + b[-1], c, x, y

@sdfg.program
def ann(A: sdfg.float64[N, M]):
    for i in range(N):
        A[i, 0] = np.max(A[i]) + np.sum(A[i, 1:])


@sdfg.program
def steps(A: sdfg.float64[N], k: sdfg.int64):
    s = 0.0
    for i in range(0, N, 4):
        s += A[i]
    for j in range(N - 1, 0, -2):
        s += 2 * A[j]
    t = 0
    for step in range(1, 4):
        for m in range(10, 10 + 2 * step * step, step):
            t += m
        for m in range(10, 10 - 2 * step * step, -step):
            t -= 3 * m
    last = 0
    for n in range(k, -20, -(k + 1)):
        last = n
    return s, i, j, t, last, n


def ordered(a, b):
    if a > b:
        return b, a
    return a, b


@sdfg.program
def tuples_of_branches(A: sdfg.float64[N]):
    x, y = ordered(A[0], A[1])
    t = (7, 8)
    A[0] = t[1]
    for i in range(1, N - 1):
        t = (i, i + 1)
        A[i] = t[1] * x
    return x, y


def weighted(*arrays, scale=1.0, **weights):
    total = np.zeros_like(arrays[0])
    for a, w in zip(arrays, (weights["first"], weights["second"])):
        total += a * w
    return total * scale


def last(first, *rest):
    return rest[-1] if len(rest) > 0 else first


@sdfg.program
def star_parameters(A: sdfg.float64[N], B: sdfg.float64[N]):
    w = {"first": 2.0, "second": 0.5}
    pair = (A, B + 1)
    return weighted(A, B, first=1.0, second=3.0), weighted(*pair, scale=2.0, **w), last(A[0]), last(A[0], A[1], B[2])


def early_value(A, x):
    if x > 0:
        if x > 1:
            return A[0]
        elif x > 0.5:
            A[1] = 7
        A[2] += 1
    else:
        x = 3.0
        if A[1] > 2:
            return A[1] - x
    return A[2] + x


@sdfg.program
def nested_returns(A: sdfg.float64[N]):
    return early_value(A, A[0]), early_value(A, A[1]), early_value(A, 0.25), early_value(A, 0.75), early_value(A, 2.0), early_value(A, A[1] * 9)


@sdfg.program
def jumps_of_unrolled_loops(A: sdfg.float64[N]):
    for i in range(2):
        for x in (1, 2, 3, 4):
            if x == 2:
                continue
            for y in (5, 6, 7):
                if y == 6:
                    break
                A[0] += x * y
            else:
                A[1] = 100
            if x == 4:
                break
            A[2] += i
        else:
            A[3] = -1
    return A[0] + A[2]


@sdfg.program
def named_regions(A: sdfg.float64[N], n: sdfg.int64):
    with sdfg.named("first part"):
        k = n + 1
        B = A * 2
    with sdfg.named:
        for i in range(N):
            with sdfg.named("inside"), sdfg.named("more"):
                if B[i] > 2:
                    break
                B[i] += k
        if n > 2:
            return B + 1
    return B * k


@sdfg.program
def older_than_iterations(A: sdfg.float64[N], B: sdfg.float64[N], k: sdfg.int64):
    T = np.empty(k)
    for i in range(k):
        T[i] = A[i] * 2
        B[i] = T[0] + T[i]
    for i in range(1, k):
        U = np.empty(i)
        U[:] = A[:i]
        U[0] += B[i]
        A[i] = np.sum(U)


@sdfg.program
def in_turns(A: sdfg.float64[N], B: sdfg.float64[N]):
    x = A[0] + B[1]
    B[1] = A[1]
    A[0] = B[1] + x
    A[1] = x
    y = A[0] - A[1]
    A[1] = B[0]
    B[0] = y
    t = A + B
    A[:] = t * 2
    B[:] = t - A
    return x, y, t


@sdfg.program
def results(A: sdfg.float64[N]):
    B = A * 2
    C = np.array([1.0, 2.0, 3.0])
    D = B[1:]
    E = np.zeros((N, 2))
    for i in range(N):
        E[i] = B[i]
    F = E.reshape(2 * N)
    F[0] = 7
    D[0] = 9
    return B, B, C, D, A, E, F


@sdfg.program
def condition_as_value(k: sdfg.int64[100], count: sdfg.int64[1], n: sdfg.int64):
    found = 0
    for i in range(20 * n):
        new = i == 0
        if i > 0:
            new = k[i - 1] < k[i]
        if new:
            found += 1
    count[0] = found
