"""Indices and slices that only the run shows to be negative, or to end beyond their array."""
import numpy as np
import sdfg
N, M, K = (sdfg.symbol(s) for s in ("N", "M", "K"))


@sdfg.program
def periodic(x: sdfg.float64[N], A: sdfg.float64[N, M]):
    s, t = np.zeros(N), np.zeros((N, M))
    for i in range(N):
        s[i] = x[i - 1] + x[(i + 1) % N]
        for j in range(M):
            t[i, j] = A[i - 1, j] + A[i, j - 1] + A[i - 2, j - 2]
    return s, t


@sdfg.program
def signs(x: sdfg.float64[N]):
    s = np.zeros(N)
    for i in range(N):
        k = i - 3
        s[k] += x[k] + x[-i]
        s[i - 1] += 1
    for i in range(1, N):
        s[i] += x[-i] + x[-i:].sum() + x[:-i].sum()
    return s


@sdfg.program
def in_maps(x: sdfg.float64[N], A: sdfg.float64[N, M]):
    s, t = np.zeros(N), np.zeros(N)
    for i in sdfg.map[0:N]:
        s[i] = x[i - 1]
        t[i] = np.sum(A[i, i - 1:i + 2])
    return s, t


@sdfg.program
def windows(x: sdfg.float64[N], A: sdfg.float64[N, M]):
    s, t = np.zeros((3, N)), np.zeros((N, M))
    for i in range(N):
        s[0, i] = x[i:i + 3].sum()
        s[1, i] = x[max(0, i - 2):min(N, i + 3)].mean()
        s[2, i] = x[i - 2:i + 3].sum()
        for j in range(M):
            t[i, j] = A[max(i - 1, 0):i + 2, max(j - 1, 0):j + 2].max()
    return s, t


@sdfg.program
def written(x: sdfg.float64[N], A: sdfg.float64[N, M]):
    y, B = x.copy(), A.copy()
    for i in range(N + 2):
        y[i:i + 2] += 1
    for i in range(N):
        B[i - 1, 1:] = A[i - 2, :-1]
        B[i, i:i + 2] = A[i, i:i + 2] * 2
    return y, B


@sdfg.program
def by_data(x: sdfg.float64[N], k: sdfg.int32[N], n: sdfg.int64):
    s = np.zeros(N)
    for i in range(N):
        s[i] = x[:k[i]].sum() + x[k[i]:].sum() * 2 + x[k[i]:k[i] + 2].sum()
    t = np.zeros(4)
    t[0] = x[:n + 100].sum()
    t[1] = x[-n - 100:].sum()
    t[2] = x[n:n - 1].sum()
    t[3] = len(x[n - 1:n + 1])
    return s, t


@sdfg.program
def halves(x: sdfg.float64[N], A: sdfg.float64[N, M]):
    s = np.zeros(N // 2)
    for i in range(N // 2):
        s[i] = np.max(x[2 * i:2 * i + 2])
    t = np.zeros(N)
    for i in range(N):
        if i > 0:
            t[i] += x[i - 1]
        if i + 1 < N and x[i + 1] > 0:
            t[i] += x[i + 1]
        t[i] += x[i - 1] if i > 0 else 0.5
        t[i] += x[i + 1] if i < N - 1 else 0.25
    return s, t


@sdfg.program
def steps(x: sdfg.float64[N]):
    s = np.zeros(N)
    for i in range(1, N):
        s[i] = x[i::i].sum() + x[::i].sum() + x[i::-1].sum() + x[N - 1:i:-2].sum()
    p = np.ones(50, dtype=np.bool_)
    p[:2] = False
    for i in range(2, 8):
        if p[i]:
            p[i * i::i] = False
    return s, p


@sdfg.program
def blocks(x: sdfg.float64[N], y: sdfg.float64[M]):
    z, w = np.zeros(N), np.zeros(N)
    for i in range(0, N, 4):
        z[i:i + 4] = x[i:i + 4] + 1
    for i in range(0, N, 3):
        w[i:i + 3] = 2.0
        w[i:i + 3] *= z[i:i + 3]
    return z, w


@sdfg.program
def named_as_loops(k: sdfg.int64[N], i: sdfg.int64[N]):
    return np.take(k, np.argsort(i)), np.sort(k), np.sort(i), np.median(k), len(np.unique(k)), np.unique(i).sum()


@sdfg.program
def sums_that_may_be_empty(A: sdfg.float64[N, M]):
    for i in range(M):
        for _ in range(M - 1, -1, -1):
            A *= 0.5
        A[:, 1] += np.sum(A[:, :-i]) # nothing at first: -0 is 0
