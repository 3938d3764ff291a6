"""More functions of NumPy: signals, statistics, sets, positions, polynomials."""
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
