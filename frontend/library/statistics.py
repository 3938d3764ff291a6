"""Statistics: orders, moments, counts."""
import numpy as np


def median(a, axis=None, keepdims=False):
    return quantile(a, 0.5, axis, None, "linear", keepdims)


def percentile(a, q, axis=None, out=None, method="linear", keepdims=False):
    return quantile(a, np.asarray(q) / 100.0, axis, out, method, keepdims)


def quantile(a, q, axis=None, out=None, method="linear", keepdims=False):
    a = np.asarray(a)
    rank = a.ndim
    a, along = _along(a, axis)
    n = a.shape[along]
    ordered = sort(a, along) * 1.0
    if np.ndim(q) == 0:
        result = _quantile(ordered, along, n, q, method)
        if keepdims:
            result = np.reshape(result, (1,) * rank) if axis is None else np.expand_dims(result, along)
        return _into(out, result)
    if np.ndim(q) > 1 or keepdims:
        raise NotImplementedError("quantiles of more than a row of probabilities, or with 'keepdims'")
    return _into(out, np.stack([_quantile(ordered, along, n, q[k], method) for k in range(len(q))]))


def _quantile(ordered, axis, n, q, method):
    at = q * (n - 1)
    low = int(np.floor(at))
    high = min(low + 1, n - 1)
    part = at - low
    last = ordered[_at(axis, n - 1)]
    x, y = ordered[_at(axis, low)], ordered[_at(axis, high)]
    if method == "lower":
        result = x
    elif method == "higher":
        result = y if part > 0 else x
    elif method == "midpoint":
        result = (x + y) / 2.0 if part > 0 else x
    elif method == "nearest":
        result = ordered[_at(axis, int(np.rint(at)))]
    elif method == "linear":
        result = np.where(part < 0.5, x + (y - x) * part, y - (y - x) * (1.0 - part))
    else:
        raise NotImplementedError("this method of quantiles")
    return np.where(np.not_equal(last, last), np.nan, result)


def nanvar(a, axis=None, ddof=0):
    a = np.asarray(a)
    there = np.logical_not(np.isnan(a))
    count = np.sum(there, axis=axis, keepdims=True)
    mean = np.sum(np.where(there, a, 0.0), axis=axis, keepdims=True) / count
    squares = np.sum(np.where(there, np.square(a - mean), 0.0), axis=axis)
    return squares / (np.sum(there, axis=axis) - ddof)


def nanstd(a, axis=None, ddof=0):
    return np.sqrt(nanvar(a, axis, ddof))


def nanargmax(a, axis=None):
    return argmax(np.where(np.isnan(a), -np.inf, a), axis)


def nanargmin(a, axis=None):
    return argmin(np.where(np.isnan(a), np.inf, a), axis)


def cov(m, y=None, rowvar=True, bias=False, ddof=None):
    x = np.atleast_2d(m)
    if not rowvar and np.ndim(m) > 1:
        x = np.transpose(x)
    if y is not None:
        more = np.atleast_2d(y)
        if not rowvar and np.ndim(y) > 1:
            more = np.transpose(more)
        x = np.concatenate((x, more), axis=0)
    x = x - np.mean(x, axis=1, keepdims=True)
    less = (0 if bias else 1) if ddof is None else ddof
    result = x @ np.conj(np.transpose(x)) / (x.shape[1] - less)
    if np.ndim(m) == 1 and y is None:
        return result[0, 0]
    return result


def corrcoef(x, y=None, rowvar=True):
    c = cov(x, y, rowvar)
    if np.ndim(c) == 0:
        return c / c
    d = np.sqrt(np.real(np.diagonal(c)))
    return np.clip(c / d[:, None] / d[None, :], -1.0, 1.0)


def bincount(x, weights=None, minlength=0):
    if np.ndim(x) != 1:
        raise ValueError("np.bincount is for vectors")
    length = minlength
    for i in range(len(x)):
        length = max(length, x[i] + 1)
    if weights is None:
        counts = np.zeros(length, dtype=np.int64)
        for i in range(len(x)):
            counts[x[i]] += 1
        return counts
    sums = np.zeros(length, dtype=np.float64)
    for i in range(len(x)):
        sums[x[i]] += weights[i]
    return sums


def histogram_bin_edges(a, bins=10, range=None):
    if np.ndim(bins) == 1:
        return np.asarray(bins)
    low, high = (np.min(a), np.max(a)) if range is None else range
    flat = low == high
    return np.linspace(np.where(flat, low - 0.5, low), np.where(flat, high + 0.5, high), bins + 1)


def histogram(a, bins=10, range=None, density=None, weights=None):
    edges = histogram_bin_edges(a, bins, range)
    points = np.ravel(np.asarray(a))
    n = edges.shape[0] - 1
    counts = np.zeros((n,), np.int64 if weights is None else np.float64)
    if weights is None:
        _count(points, edges, n, counts)
    else:
        _add_weights(points, edges, n, counts, np.ravel(weights))
    if density:
        return counts / diff(edges) / np.sum(counts), edges
    return counts, edges


def _count(points, edges, n, counts):
    for i in range(len(points)):
        k = _bin(points[i], edges, n)
        if k >= 0:
            counts[k] += 1


def _add_weights(points, edges, n, sums, weights):
    for i in range(len(points)):
        k = _bin(points[i], edges, n)
        if k >= 0:
            sums[k] += weights[i]


def _bin(x, edges, n):
    """The interval that has x, -1 for none; the last one has its upper end, too."""
    low = 0
    high = n
    if not (edges[0] <= x and x <= edges[n]):
        low = -1
        high = 0
    while high - low > 1:
        middle = (low + high) // 2
        if edges[middle] <= x:
            low = middle
        else:
            high = middle
    return low


def digitize(x, bins, right=False):
    n = len(bins)
    rises = bins[0] <= bins[n - 1]
    side = "left" if right else "right"
    up = searchsorted(bins, x, side)
    down = n - searchsorted(bins[::-1], x, side)
    return np.where(rises, up, down)


def nanmedian(a, axis=None):
    return nanquantile(a, 0.5, axis)


def nanpercentile(a, q, axis=None):
    return nanquantile(a, np.asarray(q) / 100.0, axis)


def nanquantile(a, q, axis=None):
    if np.ndim(q) > 1:
        raise NotImplementedError("quantiles of more than a row of probabilities")
    if np.ndim(q) == 1:
        return np.stack([_nanquantile(a, q[k], axis) for k in range(len(q))])
    return _nanquantile(a, q, axis)


def _nanquantile(a, q, axis):
    a, along = _along(np.asarray(a), axis)
    ordered = np.moveaxis(sort(a, along), along, -1) * 1.0
    n = a.shape[along]
    rows = np.reshape(ordered, (-1, n))
    result = np.full((rows.shape[0],), np.nan, ordered.dtype)
    for r in range(rows.shape[0]):
        count = 0
        for i in range(n):
            if rows[r, i] == rows[r, i]:
                count += 1
        if count > 0:
            at = q * (count - 1)
            low = int(np.floor(at))
            high = min(low + 1, count - 1)
            part = at - low
            x = rows[r, low]
            y = rows[r, high]
            result[r] = x + (y - x) * part if part < 0.5 else y - (y - x) * (1.0 - part)
    if a.ndim == 1:
        return result[0]
    return np.reshape(result, ordered.shape[:-1])


def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    if density or weights is not None:
        raise NotImplementedError("np.histogram2d with 'density' or 'weights'")
    first, second = bins if isinstance(bins, (tuple, list)) else (bins, bins)
    limits = (None, None) if range is None else range
    e = histogram_bin_edges(x, first, limits[0])
    d = histogram_bin_edges(y, second, limits[1])
    counts = np.zeros((e.shape[0] - 1, d.shape[0] - 1))
    _count_pairs(x, y, e, d, counts)
    return counts, e, d


def _count_pairs(x, y, e, d, counts):
    for i in range(len(x)):
        j = _bin(x[i], e, counts.shape[0])
        k = _bin(y[i], d, counts.shape[1])
        if j >= 0 and k >= 0:
            counts[j, k] += 1
