"""More functions of NumPy: signals, statistics, sets, positions, polynomials."""
import math

import numpy as np
import sdfg
N, M, K = (sdfg.symbol(s) for s in ("N", "M", "K"))


@sdfg.program
def signals(x: sdfg.float64[N], k: sdfg.float64[3]):
    return (np.convolve(x, k, mode="same"), np.convolve(x, k, "valid"), np.correlate(x, k), np.correlate(x, k, "full"),
            np.correlate(x, k, mode="same"), np.convolve(k, x, "same"), np.unwrap(x * 5))


@sdfg.program
def gradients(x: sdfg.float64[N], A: sdfg.float64[N, M]):
    rows, columns = np.gradient(A)
    return (np.gradient(x), np.gradient(x, 0.5), np.gradient(x, edge_order=2), rows, columns, np.gradient(A, axis=1),
            np.gradient(x, np.cumsum(np.abs(x) + 1)))


@sdfg.program
def windows():
    return np.hanning(12), np.hamming(12), np.blackman(11), np.bartlett(10)


@sdfg.program
def differences(x: sdfg.float64[N], A: sdfg.float64[N, M]):
    return (np.ediff1d(A), np.ediff1d(x, to_begin=0.0), np.ediff1d(x, to_end=np.array([1.0, 2.0])), np.cumulative_sum(x),
            np.cumulative_sum(x, include_initial=True), np.cumulative_prod(A, axis=1), np.vecdot(A, A), np.matvec(A, A[0]), np.vecmat(A[:, 0], A))


@sdfg.program
def quantiles(x: sdfg.float64[N], A: sdfg.float64[N, M]):
    return (np.percentile(x, 30), np.quantile(x, 0.77), np.percentile(A, 25, axis=0), np.quantile(A, 0.5, axis=1, keepdims=True),
            np.percentile(x, [10, 50, 90]), np.percentile(x, 33, method="nearest"), np.percentile(x, 33, method="lower"),
            np.percentile(x, 33, method="higher"), np.percentile(x, 33, method="midpoint"), np.median(A, keepdims=True))


@sdfg.program
def without_nan(x: sdfg.float64[N]):
    y = x.copy()
    y[1] = np.nan
    return np.nanvar(y), np.nanstd(y), np.nanargmax(y), np.nanargmin(y), np.nancumsum(y), np.nancumprod(y)


@sdfg.program
def covariances(A: sdfg.float64[N, M], x: sdfg.float64[N], y: sdfg.float64[N]):
    return (np.cov(A), np.cov(A, rowvar=False), np.cov(x, y), np.cov(x), np.cov(A, bias=True), np.cov(A, ddof=0), np.corrcoef(x, y + x * x))


@sdfg.program
def counts(x: sdfg.float64[N], w: sdfg.float64[N], k: sdfg.int64[N]):
    h, edges = np.histogram(x)
    some, of_some = np.histogram(x, bins=5, range=(-1.0, 0.9))
    given, of_given = np.histogram(x, bins=np.array([-1.0, 0.2, 0.5, 1.0]))
    heavy, of_heavy = np.histogram(x, weights=w)
    dense, of_dense = np.histogram(x, density=True)
    c = np.bincount(np.abs(k), minlength=12)
    d = np.bincount(np.abs(k), weights=w)
    return h, edges, some, of_some, given, heavy, dense, c[0:12], len(c), d.sum()


@sdfg.program
def places(x: sdfg.float64[N], b: sdfg.float64[N]):
    s = np.sort(b)
    return np.digitize(x, s), np.digitize(x, s, right=True), np.digitize(x, s[::-1]), np.digitize(0.3, s)


@sdfg.program
def sets(a: sdfg.int64[N], b: sdfg.int64[M], x: sdfg.float64[N]):
    u = np.unique(a)
    v, first, inverse, count = np.unique(a, return_index=True, return_inverse=True, return_counts=True)
    return (len(u), u.sum(), first.sum(), inverse, count.sum(), np.isin(a, b), np.isin(a, b, invert=True), len(np.union1d(a, b)),
            np.intersect1d(a, b).sum(), len(np.setdiff1d(a, b)), np.setxor1d(a, b).sum(), np.isin(3, a), len(np.unique(x)))


@sdfg.program
def taken(A: sdfg.float64[N, M], i: sdfg.int32[3]):
    at = np.argsort(A, axis=1, kind="stable")
    i = np.abs(i) % 3
    return (np.take(A, i), np.take(A, i, axis=1), A.take(2, axis=1), np.take_along_axis(A, at, axis=1),
            np.compress(A[:, 0] > 0, A, axis=0).sum(), np.extract(A > 0.5, A).sum(), np.choose(i, (i, i * 2, i * 3)))


@sdfg.program
def put(x: sdfg.float64[N], m: sdfg.float64[N], A: sdfg.float64[N, M]):
    y, z, w, q, B = x.copy(), x.copy(), x.copy(), x.copy(), A.copy()
    np.put(y, [1, 3], [7.0, 8.0])
    np.putmask(z, m > 0.5, 0.0)
    np.place(w, m > 0.5, np.array([1.0, 2.0]))
    np.copyto(q, m)
    np.fill_diagonal(B, 3.0)
    return y, z, w, q, B


@sdfg.program
def positions(A: sdfg.float64[N, M], a: sdfg.int64[N], b: sdfg.int64[N]):
    i, j = np.diag_indices(4)
    r, c = np.tril_indices(3)
    r2, c2 = np.triu_indices(3, 1)
    return (i, j, A[r, c].sum(), A[r2, c2].sum(), np.argwhere(A > 0.5).sum(), np.indices((3, 4)), np.fromfunction(lambda i, j: i + 2 * j, (3, 4)),
            np.unravel_index(17, (4, 5))[0], np.ravel_multi_index((3, 2), (4, 5)), np.lexsort((a, b)))


@sdfg.program
def moved(x: sdfg.float64[N], A: sdfg.float64[N, M]):
    p, q = np.unstack(A[:, 0:2], axis=1)
    return (np.delete(x, 3), np.insert(x, 2, 5.0), np.delete(A, 1, axis=1), np.insert(A, 0, 1.0, axis=0), np.resize(x, (3, 5)), np.delete(x, -1),
            np.block([[A, A], [A, A]]), p, q, np.matrix_transpose(A), np.diagflat(x))


@sdfg.program
def along(A: sdfg.float64[N, M]):
    return np.apply_along_axis(np.sum, 0, A), np.apply_along_axis(lambda r: r * 2, 1, A), np.apply_along_axis(np.sort, 0, A)


@sdfg.program
def polynomials(x: sdfg.float64[N], p: sdfg.float64[4], q: sdfg.float64[3]):
    y = np.sin(np.arange(N) * 1.0)
    return (np.polyval(p, x), np.polyadd(p, q), np.polysub(p, q), np.polymul(p, q), np.polyder(p), np.polyint(p), np.polyval([1.0, 2.0, 3.0], x),
            np.polyder(p, 2), np.polyval(p, 2.0), np.polyfit(np.arange(N) * 1.0, y, 2))


@sdfg.program
def angles(z: sdfg.complex128[N], x: sdfg.float64[N]):
    return np.angle(z), np.angle(z, deg=True), np.isreal(z), np.iscomplex(z), np.array_equiv(x, x), np.atan2(x, x + 1), np.geomspace(1.0, 1000.0, 7)


@sdfg.program
def transforms(x: sdfg.float64[N], z: sdfg.complex128[N], A: sdfg.float64[N, M]):
    return (np.fft.irfft(z), np.fft.irfft(z, 7), np.fft.irfft(np.fft.rfft(x), N), np.fft.fftn(A), np.fft.ifftn(A), np.fft.fftfreq(9, 0.1), np.fft.rfftfreq(8),
            np.fft.fftshift(x), np.fft.ifftshift(z), np.fft.fftshift(A), np.fft.fftshift(A, axes=1))


@sdfg.program
def linear(A: sdfg.float64[4, 4], B: sdfg.float64[6, 4]):
    C = A + 9 * np.eye(4)
    sign, log = np.linalg.slogdet(C)
    q, r = np.linalg.qr(B + np.eye(6, 4) * 5)
    return sign, log, np.linalg.multi_dot([B, B.T, B]), q, r, np.linalg.qr(C, mode="r")


@sdfg.program
def ordered(x: sdfg.float64[N]):
    y = sorted(x)
    z = sorted(x, reverse=True)
    return y[0], y[1], z[0], z[N - 1]


@sdfg.program
def places_along(A: sdfg.float64[3, 4], I: sdfg.int64[3, 1], x: sdfg.float64[6]):
    B, y = A.copy(), x.copy()
    np.put_along_axis(B, I % 4, 9.0, axis=1)
    np.put_along_axis(y, np.array([1, 4]), np.array([7.0, 8.0]), axis=0)
    d = np.diag_indices_from(A[:, :3])
    return B, y, A[d], A[np.ix_(np.array([0, 2]), np.array([1, 3]))]


@sdfg.program
def shapes_alike(A: sdfg.float64[3, 1], x: sdfg.float64[4], I: sdfg.int32[4]):
    B, C = np.broadcast_arrays(A, x)
    return B, C, np.row_stack((x, x)), np.astype(I, np.float32), np.iscomplexobj(A), np.isrealobj(x * 1j)


@sdfg.program
def orders_beside_nan(A: sdfg.float64[4, 5]):
    B = np.where(A > -1, A, np.nan)
    B[2] = np.nan
    return np.nanmedian(B), np.nanmedian(B, axis=0), np.nanpercentile(B, 30, axis=1), np.nanquantile(B, np.array([0.1, 0.9]))


@sdfg.program
def counts_of_pairs(x: sdfg.float64[20], y: sdfg.float64[20]):
    h, e, d = np.histogram2d(x, y, bins=(3, 4))
    g, _, _ = np.histogram2d(x, y, 2, range=((-1, 1), (-1.0, 2.0)))
    return h, e, d, g


@sdfg.program
def roots_to_polynomial(x: sdfg.float64[4], I: sdfg.int64[12]):
    v, i, k, c = np.unique_all(I)
    return np.poly(x), v.sum(), i.sum(), k, c.max()


@sdfg.program
def more_linear(A: sdfg.float64[3, 3], x: sdfg.float64[3], B: sdfg.float64[4, 3]):
    return (np.linalg.matmul(B, A), np.linalg.outer(x, x), np.linalg.cross(x, A[0]), np.linalg.vecdot(A, x), np.linalg.matrix_transpose(B),
            np.linalg.vector_norm(B), np.linalg.matrix_norm(B), np.fft.rfft2(B), np.linalg.tensordot(A, B, axes=((0,), (1,))))


@sdfg.program
def mathematics(n: sdfg.int64, k: sdfg.int64, x: sdfg.float64[3], y: sdfg.float64[3], a: sdfg.float64):
    f, w = math.modf(-a)
    m, e = math.frexp(a * 9)
    return (math.factorial(n + 5), math.comb(n + 6, k), math.perm(n + 3, 2), math.isqrt(n * 1000), math.prod(x), math.prod((2, n, 3)), math.fsum(x),
            math.dist(x, y), math.isclose(a, a + 1e-12), math.isclose(a, a + 1e-3), f, w, m, e, math.nextafter(a, 9.0))


@sdfg.program
def partial_orders(A: sdfg.float64[3, 6], x: sdfg.float64[9]):
    y = x.copy()
    y.partition(4)
    i = np.argpartition(x, 2)
    return np.partition(A, 2, axis=1)[:, 2], y[4], x[i[2]], x[x.argpartition(5)[5]], np.sort(x).searchsorted(0.3), x.ptp() if hasattr(x, "ptp") else np.ptp(x)


@sdfg.program
def rounded(a: sdfg.float64, x: sdfg.float64[5], n: sdfg.int64):
    return round(a * 1.2345, 2), round(x[1] / 3, 3), round(n, 0), round(a), round(x[2] * 1000, -2)


@sdfg.program
def lists_reduced(x: sdfg.float64[5]):
    return np.sum([x[0], x[1], 2.0]), np.max([x, 2 * x], axis=0), np.mean([1, 2, x[3]])


@sdfg.program
def rows_each_once(I: sdfg.int64[8, 2], A: sdfg.float64[2, 6]):
    u, first, inverse, count = np.unique(I % 2, return_index=True, return_inverse=True, return_counts=True, axis=0)
    c = np.unique(A > 0, axis=1)
    total = 0
    for i in range(u.shape[0]):
        total += u[i, 0] * 10 + u[i, 1] + 100 * first[i] + 1000 * count[i]
    return total, inverse, c.shape[1], c.sum()
