"""Image filters, statistics, sorting, tables, linear algebra, simulations and walks with a stack, as users write them."""
import numpy as np
import sdfg

N, M = (sdfg.symbol(s) for s in ("N", "M"))


@sdfg.program
def sobel(A: sdfg.float64[N, M]):
    kx = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]])
    gx = np.zeros_like(A)
    gy = np.zeros_like(A)
    for i in range(1, A.shape[0] - 1):
        for j in range(1, A.shape[1] - 1):
            patch = A[i - 1:i + 2, j - 1:j + 2]
            gx[i, j] = np.sum(patch * kx)
            gy[i, j] = (patch * kx.T).sum()
    return np.hypot(gx, gy)


@sdfg.program
def blurred(A: sdfg.float64[N, M], r: sdfg.int64):
    out = np.empty_like(A)
    for i in range(N):
        for j in range(M):
            i0, i1 = max(0, i - r), min(N, i + r + 1)
            j0, j1 = max(0, j - r), min(M, j + r + 1)
            out[i, j] = A[i0:i1, j0:j1].mean()
    return out


@sdfg.program
def otsu(I: sdfg.uint8[N, M]):
    hist = np.zeros(16, dtype=np.int64)
    for v in I.ravel():
        hist[v] += 1
    total = I.size
    best, threshold = -1.0, 0
    for t in range(1, 16):
        w0 = hist[:t].sum()
        w1 = total - w0
        if w0 == 0 or w1 == 0:
            continue
        m0 = (hist[:t] * np.arange(t)).sum() / w0
        m1 = (hist[t:] * np.arange(t, 16)).sum() / w1
        between = w0 * w1 * (m0 - m1) ** 2
        if between > best:
            best, threshold = between, t
    return threshold, best


@sdfg.program
def flood_fill(A: sdfg.float64[N, M]):
    seen = np.zeros((N, M), np.int32)
    stack = np.empty((N * M * 4 + 1, 2), np.int64)
    label = 0
    for si in range(N):
        for sj in range(M):
            if seen[si, sj] or A[si, sj] <= 0:
                continue
            label += 1
            top = 0
            stack[top] = si, sj
            top += 1
            while top > 0:
                top -= 1
                i, j = stack[top]
                if i < 0 or j < 0 or i >= N or j >= M:
                    continue
                if seen[i, j] or A[i, j] <= 0:
                    continue
                seen[i, j] = label
                for di, dj in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                    stack[top, 0] = i + di
                    stack[top, 1] = j + dj
                    top += 1
    return seen, label


@sdfg.program
def quicksort_by_arrays(A: sdfg.float64[N]):
    stack = np.zeros((2 * N + 2, 2), dtype=np.int64)
    stack[0] = [0, N - 1]
    top = 1
    while top:
        top -= 1
        lo, hi = stack[top]
        if lo >= hi:
            continue
        pivot, i = A[hi], lo
        for j in range(lo, hi):
            if A[j] < pivot:
                A[[i, j]] = A[[j, i]]
                i += 1
        A[i], A[hi] = A[hi], A[i]
        stack[top] = lo, i - 1
        stack[top + 1] = i + 1, hi
        top += 2


@sdfg.program
def merge_sort(A: sdfg.float64[N]):
    src, dst = A.copy(), np.empty_like(A)
    width = 1
    while width < N:
        for lo in range(0, N, 2 * width):
            mid, hi = min(lo + width, N), min(lo + 2 * width, N)
            i, j = lo, mid
            for k in range(lo, hi):
                if i < mid and (j >= hi or src[i] <= src[j]):
                    dst[k] = src[i]
                    i += 1
                else:
                    dst[k] = src[j]
                    j += 1
        src, dst = dst, src
        width *= 2
    return src


@sdfg.program
def heap_smallest(A: sdfg.float64[N]):
    heap = np.full(4, -np.inf)
    n = 0
    for x in A:
        if n < 4:
            heap[n] = x
            i = n
            n += 1
            while i > 0 and heap[(i - 1) // 2] < heap[i]:
                p = (i - 1) // 2
                heap[p], heap[i] = heap[i], heap[p]
                i = p
        elif x < heap[0]:
            heap[0] = x
            i = 0
            while True:
                c = 2 * i + 1
                if c >= n:
                    break
                if c + 1 < n and heap[c + 1] > heap[c]:
                    c += 1
                if heap[i] >= heap[c]:
                    break
                heap[i], heap[c] = heap[c], heap[i]
                i = c
    return np.sort(heap)


@sdfg.program
def welford(A: sdfg.float64[N]):
    mean = m2 = 0.0
    for n, x in enumerate(A, 1):
        delta = x - mean
        mean += delta / n
        m2 += delta * (x - mean)
    return mean, m2 / (N - 1)


@sdfg.program
def group_means(key: sdfg.int64[N], value: sdfg.float64[N]):
    k = key - key.min()
    size = 16
    sums, counts = np.zeros(size), np.zeros(size, int)
    np.add.at(sums, k, value)
    np.add.at(counts, k, 1)
    return np.divide(sums, counts, out=np.full(size, -1.0), where=counts > 0)


@sdfg.program
def joined(ka: sdfg.int64[N], va: sdfg.float64[N], kb: sdfg.int64[M], vb: sdfg.float64[M]):
    order = np.argsort(kb, kind="stable")
    sorted_keys = kb[order]
    pos = np.searchsorted(sorted_keys, ka)
    out = np.zeros(N)
    for i in range(N):
        if pos[i] < M and sorted_keys[pos[i]] == ka[i]:
            out[i] = va[i] * vb[order[pos[i]]]
    return out


@sdfg.program
def gauss(A: sdfg.float64[N, N], b: sdfg.float64[N]):
    n = N
    A = A + 10 * np.eye(n)
    x = b.copy()
    for k in range(n):
        p = k + np.argmax(np.abs(A[k:, k]))
        if p != k:
            A[[k, p]] = A[[p, k]]
            x[k], x[p] = x[p], x[k]
        for i in range(k + 1, n):
            f = A[i, k] / A[k, k]
            A[i, k:] -= f * A[k, k:]
            x[i] -= f * x[k]
    for i in reversed(range(n)):
        x[i] = (x[i] - A[i, i + 1:] @ x[i + 1:]) / A[i, i]
    return x


@sdfg.program
def jacobi_rotations(A: sdfg.float64[N, N]):
    S = (A + A.T) / 2
    for _ in range(30):
        for p in range(N - 1):
            for q in range(p + 1, N):
                if abs(S[p, q]) < 1e-14:
                    continue
                theta = 0.5 * np.arctan2(2 * S[p, q], S[q, q] - S[p, p])
                c, s = np.cos(theta), np.sin(theta)
                R = np.eye(N)
                R[p, p] = R[q, q] = c
                R[p, q], R[q, p] = s, -s
                S = R.T @ S @ R
    return np.sort(np.diag(S))


@sdfg.program
def householder(A: sdfg.float64[N, N]):
    R = A + 3 * np.eye(N)
    for k in range(N - 1):
        x = R[k:, k]
        e = np.zeros_like(x)
        e[0] = np.copysign(np.linalg.norm(x), x[0])
        u = x + e
        u /= np.linalg.norm(u)
        R[k:, k:] -= 2.0 * np.outer(u, u @ R[k:, k:])
    return np.abs(np.diagonal(R))


@sdfg.program
def predator_prey(x0: sdfg.float64, y0: sdfg.float64):
    def slope(s):
        return np.array([1.1 * s[0] - 0.4 * s[0] * s[1], 0.1 * s[0] * s[1] - 0.4 * s[1]])

    s, dt = np.array([x0, y0]), 0.01
    path = np.zeros((10, 2))
    for i in range(100):
        k1 = slope(s)
        k2 = slope(s + dt / 2 * k1)
        k3 = slope(s + dt / 2 * k2)
        k4 = slope(s + dt * k3)
        s = s + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        if i % 10 == 0:
            path[i // 10, :] = s
    return path


@sdfg.program
def random_walk(A: sdfg.float64[N]):
    seed = np.uint32(2463534242)
    x = y = 0
    visited = np.zeros((41, 41), bool)
    for _ in range(100):
        seed ^= seed << np.uint32(13)
        seed ^= seed >> np.uint32(17)
        seed ^= seed << np.uint32(5)
        d = seed % 4
        if d == 0:
            x += 1
        elif d == 1:
            x -= 1
        elif d == 2:
            y += 1
        else:
            y -= 1
        x, y = min(max(x, -20), 20), min(max(y, -20), 20)
        visited[x + 20, y + 20] = True
    return visited.sum(), x, y


@sdfg.program
def ising(S: sdfg.float64[N, M]):
    spins = np.where(S > 0, 1, -1)
    for parity in (0, 1):
        for i in range(N):
            for j in range(M):
                if (i + j) % 2 == parity:
                    field = spins[(i + 1) % N, j] + spins[i - 1, j] + spins[i, (j + 1) % M] + spins[i, j - 1]
                    spins[i, j] = 1 if field > 0 else -1 if field < 0 else spins[i, j]
    energy = -(spins * np.roll(spins, 1, 0) + spins * np.roll(spins, 1, 1)).sum()
    return spins, energy


@sdfg.program
def hanoi(n: sdfg.int64):
    stack = np.zeros((64, 4), np.int64)
    stack[0] = n, 0, 2, 1
    top, moves, check = 1, 0, 0
    while top > 0:
        top -= 1
        k, src, dst, tmp = stack[top]
        if k == 1:
            moves += 1
            check = (check * 31 + src * 3 + dst) % 1000003
        else:
            stack[top] = k - 1, tmp, dst, src
            stack[top + 1] = 1, src, dst, tmp
            stack[top + 2] = k - 1, src, tmp, dst
            top += 3
    return moves, check


@sdfg.program
def convex_hull_area(P: sdfg.float64[N, 2]):
    order = np.lexsort((P[:, 1], P[:, 0]))
    hull = np.zeros((2 * N + 1, 2))
    k = 0
    for i in order:
        while k >= 2 and ((hull[k - 1, 0] - hull[k - 2, 0]) * (P[i, 1] - hull[k - 2, 1])
                          - (hull[k - 1, 1] - hull[k - 2, 1]) * (P[i, 0] - hull[k - 2, 0])) <= 0:
            k -= 1
        hull[k] = P[i]
        k += 1
    lower = k + 1
    for i in order[-2::-1]:
        while k >= lower and ((hull[k - 1, 0] - hull[k - 2, 0]) * (P[i, 1] - hull[k - 2, 1])
                              - (hull[k - 1, 1] - hull[k - 2, 1]) * (P[i, 0] - hull[k - 2, 0])) <= 0:
            k -= 1
        hull[k] = P[i]
        k += 1
    area = 0.0
    for i in range(k - 1):
        x0, y0 = hull[i]
        x1, y1 = hull[i + 1]
        area += x0 * y1 - x1 * y0
    return area / 2


@sdfg.program
def equalized(I: sdfg.uint8[N, M]):
    hist = np.bincount(I.ravel(), minlength=256)
    cdf = hist.cumsum()
    lowest = cdf[cdf > 0].min()
    table = np.clip(np.round((cdf - lowest) * 255 / max(I.size - lowest, 1)), 0, 255).astype(np.uint8)
    return table[I]


@sdfg.program
def bilinear(A: sdfg.float64[N, M], factor: sdfg.float64):
    out = np.zeros((6, 6))
    ys, xs = np.linspace(0, N - 1, 6), np.linspace(0, M - 1, 6)
    for i, y in enumerate(ys):
        for j, x in enumerate(xs):
            y0, x0 = int(np.floor(y)), int(x)
            y1, x1 = min(y0 + 1, N - 1), min(x0 + 1, M - 1)
            fy, fx = y - y0, x - x0
            top = A[y0, x0] * (1 - fx) + A[y0, x1] * fx
            bottom = A[y1, x0] * (1 - fx) + A[y1, x1] * fx
            out[i, j] = top * (1 - fy) + bottom * fy
    return out * factor


@sdfg.program
def scattered(key: sdfg.int64[N], v: sdfg.float64[N]):
    k = (key - key.min()) % 4
    sums, counts, table = np.zeros(4), np.zeros(4, int), np.zeros((4, 2))
    np.add.at(sums, k, v)
    np.add.at(counts, k, 1)
    np.add.at(table, (k, k % 2), v)
    np.add.at(table, k, [1.0, 2.0])
    np.maximum.at(sums, [0, 0, 1], 3.5)
    np.subtract.at(sums, 2, 1)
    np.multiply.at(table, (0,), 2)
    return sums, counts, table


@sdfg.program
def ranges_backwards(A: sdfg.float64[N], k: sdfg.int64):
    B = np.zeros(N)
    for i in reversed(range(N)):
        B[i] = A[N - 1 - i] + i
    for i in reversed(range(k, N)):
        B[i] += i
    s = 0
    for i in reversed(range(0, N, 2)):
        s = s * 10 + i
    for i in reversed(range(N - 1, -1, -2)):
        s = s * 10 + i
    for i in reversed(range(k, 0, -2)):
        s = s * 10 + i
    for i in reversed(range(N, k)):
        s = s * 10 + i
    for x in reversed(A):
        s += x
    for i, x in enumerate(reversed(A)):
        B[i] += x
    return B, s


@sdfg.program
def rows_of_tuples(A: sdfg.float64[N, 3], I: sdfg.int64[N, 2], i: sdfg.int64):
    A[i] = 1, 2, 3
    A[0] = [A[0, 2], A[0, 1], A[0, 0]]
    A[1, :2] = 5, i
    I[i] = i, i + 1
    I[2:4] = [[1, 2], [3, 4]]
    I[4:] = (7, 8)
    I[0] = 1.7, 2.2
    A[:, :2] = ((1, 2),)
    return A


@sdfg.program
def strides_of_data(A: sdfg.float64[N], k: sdfg.int64):
    t = k - 6
    A[np.arange(N - 1, -1, t)] *= 2
    return A[np.arange(N - 1, 1, t)].sum(), np.arange(k).sum(), np.arange(A[2], 9, A[2] / 3).sum(), np.arange(0, k, t).sum()


@sdfg.program
def parts_of_lists(A: sdfg.float64[N], k: sdfg.int64):
    x = [1, 2] + [3]
    x.append(4)
    y = x[1:]
    y.append(A[0])
    z = [0] * 3
    z[1] = 5
    w = [3, 1, 2][::-2]
    w.append(9)
    v = list(x[::-1])
    return sum(x), sum(y), sum(z), sum(w), v[0]


@sdfg.program
def chosen_parts(A: sdfg.float64[N], k: sdfg.int64):
    def corner(x, k):
        if k > 2:
            return (x, 1), 2.0
        return (x + 1, 2), 3.0

    def side(x, k):
        if k > 2:
            return (x, 1), A
        return (x + 1, 2), A * 2

    (a, b), c = corner(A[0], k)
    (d, e), B = side(A[1], k - 10)
    lo, hi = (1, A[0]) if k > 5 else (A[1], 4)
    w = [A[0], k] if k < 5 else [3, 4]
    w.append(7)
    return a + b + c, d + e, B, lo - hi, w[0] + w[2]


@sdfg.program
def numbers_of_lists(A: sdfg.float64[N], k: sdfg.int64):
    values = [1, 2.5, True]
    s = values[k % 3]
    for i in range(N):
        s += (4, 5, 6)[i % 3] * [1.5, A[0]][i % 2]
    return s, [1, 2, 3][k % 3 - 3]


@sdfg.program
def nearest_centres(X: sdfg.float64[N, M], C: sdfg.float64[N, M]):
    member = np.zeros(N, np.int64)
    saved = np.zeros(N)
    count = np.zeros(N, np.int64)
    for i in range(N):
        near, which = 1e30, 0
        for c in range(N):
            d = np.sum((X[i] - C[c]) * (X[i] - C[c]))
            if d < near:
                near = d
                which = c
        member[i] = which
    for i in range(N):
        for c in range(2):
            count[member[i]] += c + 1
    for c in range(N):
        parts = np.zeros(3)
        gain = 0.0
        for i in range(N):
            parts[i % 3] += X[i, 0] * C[c, 0]
            sign = 1.0 if X[i, 1] > 0 else -1.0
            gain += sign * X[i, 1]
        saved[c] = gain + parts[0] * parts[1] - parts[2]
    return member, count, saved


@sdfg.program
def cooling(u: sdfg.float64[N, M], steps: sdfg.int64):
    for t in range(steps):
        un = u.copy()
        u[1:-1, 1:-1] = un[1:-1, 1:-1] + 0.125 * (un[2:, 1:-1] + un[:-2, 1:-1] + un[1:-1, 2:] + un[1:-1, :-2] -
                                                  4 * un[1:-1, 1:-1])
        u[:, -1] = u[:, -2]
        u[0, :] = u[1, :]
        u[:, 0] = u[:, 1]
        u[-1, 1:-1] = 0.5 * (un[-2, 1:-1] + u[-2, 1:-1])


@sdfg.program
def reaction(u: sdfg.float64[N, M], v: sdfg.float64[N, M], steps: sdfg.int64):
    for t in range(steps):
        un = u.copy()
        vn = v.copy()
        u[1:-1, :] = un[1:-1, :] + 0.25 * (un[2:, :] + un[:-2, :] - 2 * un[1:-1, :]) - 0.125 * un[1:-1, :] * vn[1:-1, :]
        v[1:-1, :] = vn[1:-1, :] + 0.125 * (vn[2:, :] - vn[:-2, :]) + 0.0625 * un[1:-1, :]
    return steps


@sdfg.program
def settled(u: sdfg.float64[N, M], p: sdfg.float64[N, M], most: sdfg.int64):
    change = 1.0
    rounds = 0
    while change > 0.001:
        un = u.copy()
        for q in range(3):
            pn = p.copy()
            p[1:-1, 1:-1] = 0.25 * (pn[2:, 1:-1] + pn[:-2, 1:-1] + pn[1:-1, 2:] + pn[1:-1, :-2]) + 0.125 * u[1:-1, 1:-1]
            p[:, 0] = p[:, 1]
        u[1:-1, 1:-1] = 0.5 * un[1:-1, 1:-1] + 0.125 * (un[2:, 1:-1] + un[:-2, 1:-1]) + 0.25 * (p[1:-1, 2:] - p[1:-1, :-2])
        u[1:-1, 0] = u[1:-1, 1] + un[1:-1, 2]
        rounds += 1
        change = abs(np.sum(u) - np.sum(un)) + 1.0 if rounds < most else 0.0
    return rounds


@sdfg.program
def advected(u: sdfg.float64[N], w: sdfg.float64[N], steps: sdfg.int64, cut: sdfg.int64):
    un = np.empty_like(u)
    for t in range(steps):
        un[:] = u
        w[:] = w + 0.5 * u
        u[1:] = un[1:] - 0.5 * (un[1:] - un[:-1])
        u[0] = u[-1]
    wn = w.copy()
    for t in range(cut):
        wn = w.copy()
        w[t % 2:] = 0.5 * wn[t % 2:]
    return wn
