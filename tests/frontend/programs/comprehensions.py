"""List comprehensions and generators whose length the run decides: loops that fill an array, which stands for the list."""
import numpy as np
import sdfg

N, M = (sdfg.symbol(s) for s in ("N", "M"))


@sdfg.program
def comprehensions(A: sdfg.float64[N], B: sdfg.float64[N], C: sdfg.float64[N, M], k: sdfg.int64):
    squares = [x * x for x in A]
    total = sum(squares) + len(squares) + squares[-1] + max(squares) - min(squares[1:])
    shifted = np.array([A[i] + i for i in range(N)])
    pairs = np.array([(a * b, a - b) for a, b in zip(A, B)])
    rows = np.array([row.sum() for row in C])
    table = np.array([[C[i, j] * 2 for j in range(M)] for i in range(N)])
    numbered = np.array([i * x for i, x in enumerate(A, 1)])
    odd = np.array([i * i for i in range(1, N, 2)])
    down = np.array([i for i in range(N - 1, -1, -1)])
    few = sum([A[i] for i in range(k)])
    return total, shifted, pairs, rows, table, numbered, odd.sum(), down.sum(), few


@sdfg.program
def filtered_comprehensions(A: sdfg.float64[N], C: sdfg.float64[N, M], I: sdfg.int64[N], k: sdfg.int64):
    positive = [x for x in A if x > 0]
    places = [i for i in range(N) if A[i] > 0 if i != 2]
    flat = [x for row in C for x in row if x < 0.5]
    upper = [C[i, j] for i in range(N) for j in range(i, M)]
    s = sum(positive) + len(positive) * 100 + len(places)
    for p in places:
        s += A[p] * p
    for i, x in enumerate(flat):
        s += i * x
    evens = len([1 for i in I if i % 2 == 0])
    return s, sum(upper), len(flat), evens, np.mean(positive), sorted(positive)[0]


@sdfg.program
def generators(A: sdfg.float64[N], B: sdfg.float64[N], C: sdfg.float64[N, M]):
    a = sum(x * y for x, y in zip(A, B))
    b = any(x > 1.2 for x in A), all(x > -5 for x in A), any(x > 100 for x in A)
    c = max(abs(x) for x in A), min(C[i, j] for i in range(N) for j in range(M))
    d = sum(1 for x in A if x > 0)
    e = sum(C[i, i % M] for i in range(N))
    return a, b[0], b[1], b[2], c[0], c[1], d, e


@sdfg.program
def lists_of_the_run(A: sdfg.float64[N], C: sdfg.float64[N, M], k: sdfg.int64):
    x = [a + 1 for a in A]
    y = x
    y[0] = 7.0
    z = x[1:]
    z[0] = -5.0
    rows = [row * 2 for row in C]
    first = rows[0] + rows[1]
    B = A + x
    B[:] = B * np.array(x)
    isit = isinstance(x, list), isinstance(A, list)
    t = 0.0
    for i in range(3):
        x = [a * i for a in x]
        t += sum(x)
    for i in range(2):
        w = [a * i for a in A if a > i]
        t += len(w)
    return x[0] + y[0] + x[1] + z[0], first, B, isit[0], isit[1], t


@sdfg.program
def in_a_condition(A: sdfg.float64[N], k: sdfg.int64):
    n = 0
    while all(a < 50 for a in A) and n < 20:
        A += 3
        n += 1
    if any(a > 51 for a in A):
        n += 100
    return n


@sdfg.program
def in_a_map(A: sdfg.float64[N], C: sdfg.float64[N, M]):
    for i in sdfg.map[0:N]:
        A[i] = sum(C[i, j] * j for j in range(M)) + sum([c for c in C[i] if c > 0])
