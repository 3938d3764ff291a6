"""Small programs as people write them."""
import numpy as np
import sdfg
N, M = (sdfg.symbol(s) for s in ("N", "M"))


@sdfg.program
def sieve(n: sdfg.int64):
    p = np.ones(50, dtype=bool)
    p[:2] = False
    for i in range(2, 8):
        if p[i]:
            p[i * i::i] = False
    return p, p.sum()


@sdfg.program
def least_squares(A: sdfg.float64[6, 2], y: sdfg.float64[6]):
    x, res, rank, s = np.linalg.lstsq(A, y, rcond=None)
    return x, rank, s


@sdfg.program
def sort_axes(A: sdfg.float64[3, 4], I: sdfg.int32[3, 4]):
    return np.sort(A, axis=0), np.argsort(I, axis=0, kind="stable"), np.sort(I, axis=None), np.sort(A)[:, ::-1]


@sdfg.program
def unique_sum(I: sdfg.int64[20]):
    u, c = np.unique(I, return_counts=True)
    return u.sum(), c.max(), u.size


@sdfg.program
def unique_rows_count(I: sdfg.int64[6, 2]):
    u = np.unique(I, axis=0)
    return u.shape[0], u.sum()


@sdfg.program
def asserts(A: sdfg.float64[N, M]):
    assert A.ndim == 2
    assert A.shape[0] > 1, "too small"
    return A.sum(axis=0)


@sdfg.program
def collatz(n: sdfg.int64):
    steps = 0
    while True:
        if n == 1:
            break
        if n % 2 == 0:
            n //= 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@sdfg.program
def newton(a: sdfg.float64):
    x = a
    for _ in range(100):
        y = 0.5 * (x + a / x)
        if abs(y - x) < 1e-12:
            break
        x = y
    else:
        x = -1.0
    return x


@sdfg.program
def bisect(a: sdfg.float64):
    lo, hi = 0.0, 10.0
    while hi - lo > 1e-10:
        mid = (lo + hi) / 2
        if mid ** 3 - a > 0:
            hi = mid
        else:
            lo = mid
    return round(lo, 6)


@sdfg.program
def game_of_life(A: sdfg.int32[8, 8]):
    B = (A > 0).astype(np.int32)
    for _ in range(3):
        n = sum(np.roll(np.roll(B, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i != 0 or j != 0))
        B = ((n == 3) | ((B == 1) & (n == 2))).astype(np.int32)
    return B


@sdfg.program
def matrix_chain(p: sdfg.int64[6]):
    d = np.abs(p) + 1
    n = len(d) - 1
    m = np.zeros((n, n), dtype=np.int64)
    for l in range(2, n + 1):
        for i in range(n - l + 1):
            j = i + l - 1
            m[i, j] = np.iinfo(np.int64).max
            for k in range(i, j):
                q = m[i, k] + m[k + 1, j] + d[i] * d[k + 1] * d[j + 1]
                if q < m[i, j]:
                    m[i, j] = q
    return m[0, n - 1]


@sdfg.program
def edit_distance(a: sdfg.int32[7], b: sdfg.int32[6]):
    d = np.zeros((8, 7), dtype=np.int32)
    d[:, 0] = np.arange(8)
    d[0] = np.arange(7)
    for i in range(1, 8):
        for j in range(1, 7):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)
    return d[-1, -1]


@sdfg.program
def softmax(A: sdfg.float64[4, 6]):
    e = np.exp(A - np.max(A, axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@sdfg.program
def one_hot(I: sdfg.int64[6]):
    k = I % 5
    return np.eye(5)[k]


@sdfg.program
def kmeans(X: sdfg.float64[10, 2]):
    C = X[:3].copy()
    for _ in range(4):
        d = ((X[:, None, :] - C[None, :, :]) ** 2).sum(axis=2)
        l = d.argmin(axis=1)
        for k in range(3):
            m = l == k
            if m.any():
                C[k] = X[m].mean(axis=0)
    return C, l


@sdfg.program
def pairwise(X: sdfg.float64[5, 3]):
    return np.sqrt(np.maximum(np.sum(X ** 2, axis=1)[:, None] + np.sum(X ** 2, axis=1)[None, :] - 2 * X @ X.T, 0))


@sdfg.program
def moving_average(A: sdfg.float64[12]):
    c = np.cumsum(np.insert(A, 0, 0.0))
    return (c[3:] - c[:-3]) / 3


@sdfg.program
def runge_kutta(y: sdfg.float64[2]):
    def f(t, y):
        return np.array([y[1], -y[0] + t])
    h = 0.1
    t = 0.0
    for _ in range(10):
        k1 = f(t, y)
        k2 = f(t + h / 2, y + h / 2 * k1)
        k3 = f(t + h / 2, y + h / 2 * k2)
        k4 = f(t + h, y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        t += h
    return y


@sdfg.program
def strings(A: sdfg.float64[5]):
    mode = "fast"
    if mode == "fast" and mode in ("fast", "slow"):
        return A * 2
    return A


@sdfg.program
def global_minimum(A: sdfg.float64[4, 5]):
    i, j = np.unravel_index(np.argmin(A), A.shape)
    return A[i, j], i, j


@sdfg.program
def interp_grid(A: sdfg.float64[5, 6]):
    x = np.linspace(0, 4, 9)
    i = np.clip(np.floor(x).astype(int), 0, 3)
    f = x - i
    return A[i, 2] * (1 - f) + A[i + 1, 2] * f


@sdfg.program
def chained(A: sdfg.float64[6]):
    n = 0
    for a in A:
        if -1 < a <= 1:
            n += 1
        elif a in (1.25, 1.5):
            n += 100
    return n, not n, n == 2 or n > 3


@sdfg.program
def bits(I: sdfg.uint32[6]):
    c = np.zeros(6, dtype=np.int32)
    for i in range(6):
        v = I[i]
        while v:
            c[i] += int(v & 1)
            v >>= 1
    return c, np.bitwise_count(I)


@sdfg.program
def star(A: sdfg.float64[6]):
    a, *b = A[0], A[1], A[2]
    first, *_, last = (1, 2, 3, 4)
    return a + b[0] * first, b[1] + last


@sdfg.program
def walrus(A: sdfg.float64[6]):
    s = 0.0
    i = 0
    while (v := A[i]) < 1.0 and i < 5:
        s += v
        i += 1
    return s, i


@sdfg.program
def masks(A: sdfg.float64[4, 5]):
    B = A.copy()
    B[B < 0] = 0
    B[(A > 1) & (A < 1.4)] *= 2
    B[np.isnan(B)] = 0
    B[~(A > 0)] += 1
    C = np.where(A > 0, A, 0)
    return B, C, A[A > 0].mean(), np.count_nonzero(A > 0)


@sdfg.program
def gram_schmidt(A: sdfg.float64[4, 3]):
    Q = np.zeros((4, 3))
    for j in range(3):
        v = A[:, j].copy()
        for i in range(j):
            v -= (Q[:, i] @ A[:, j]) * Q[:, i]
        n = np.linalg.norm(v)
        if n > 1e-8:
            Q[:, j] = v / n
    return Q


@sdfg.program
def lu(A: sdfg.float64[4, 4]):
    U = A + 10 * np.eye(4)
    L = np.eye(4)
    for k in range(3):
        L[k + 1:, k] = U[k + 1:, k] / U[k, k]
        U[k + 1:] -= np.outer(L[k + 1:, k], U[k])
    return L, U, np.linalg.det(L @ U)


@sdfg.program
def trapz(x: sdfg.float64[8]):
    t = np.sort(x)
    y = np.sin(t)
    return np.trapezoid(y, t), np.diff(t).sum(), np.gradient(y)


@sdfg.program
def tri_solve(A: sdfg.float64[5, 5], b: sdfg.float64[5]):
    L = np.tril(A) + 8 * np.eye(5)
    x = np.zeros_like(b)
    for i in range(5):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
    return x


@sdfg.program
def top_k(A: sdfg.float64[10]):
    i = np.argsort(-A, kind="stable")[:3]
    return A[i], i, np.partition(A, 3)[3]


@sdfg.program
def finfo(A: sdfg.float64[5]):
    eps = np.finfo(np.float64).eps
    return A / (np.abs(A) + eps), np.finfo(A.dtype).max, np.iinfo(np.int32).max


@sdfg.program
def ternary_chain(A: sdfg.float64[6]):
    B = np.zeros(6, dtype=np.int32)
    for i in range(6):
        B[i] = 1 if A[i] > 1 else (-1 if A[i] < -1 else 0)
    return B


@sdfg.program
def walrus_branch(A: sdfg.float64[6]):
    s = 0.0
    for i in range(4):
        if (v := A[i]) < 1.0 and s < 5:
            s = v + s * 2
    return s
