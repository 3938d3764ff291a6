"""Convolutions, interpolation and windows."""
import numpy as np


def _check_mode(a, v, mode):
    if np.ndim(a) != 1 or np.ndim(v) != 1:
        raise ValueError("this is for vectors")
    if mode != "full" and mode != "same" and mode != "valid":
        raise ValueError("'mode' is 'full', 'same' or 'valid'")


def _part(whole, n, m, mode):
    """Of the full convolution of n and m elements."""
    least, most = min(n, m), max(n, m)
    if mode == "same":
        first = (least - 1) // 2
        return np.copy(whole[first:first + most])
    if mode == "valid":
        return np.copy(whole[least - 1:most])
    return whole


def convolve(a, v, mode="full"):
    a, v = np.asarray(a), np.asarray(v)
    _check_mode(a, v, mode)
    n, m = a.shape[0], v.shape[0]
    result = np.zeros((n + m - 1,), np.multiply(a[0:1], v[0:1]).dtype)
    for i in range(m):
        result[i:i + n] += a * v[i]
    return _part(result, n, m, mode)


def correlate(a, v, mode="valid"):
    a, v = np.asarray(a), np.asarray(v)
    _check_mode(a, v, mode)
    return _part(convolve(a, np.conj(v)[::-1]), a.shape[0], v.shape[0], mode)


def interp(x, xp, fp):
    result = np.zeros_like(np.atleast_1d(x), dtype=np.float64)
    points = np.ravel(np.atleast_1d(x))
    flat = np.ravel(result)
    n = len(xp)
    for i in range(len(points)):
        low = 0
        high = n - 1
        while high - low > 1:
            middle = (low + high) // 2
            if xp[middle] <= points[i]:
                low = middle
            else:
                high = middle
        slope = (fp[high] - fp[low]) / (xp[high] - xp[low])
        value = fp[low] + slope * (points[i] - xp[low])
        value = fp[0] if points[i] < xp[0] else value
        flat[i] = fp[n - 1] if points[i] >= xp[n - 1] else value
    if np.ndim(x) == 0:
        return result[0]
    return result


def unwrap(p, discont=None, axis=-1):
    p = np.asarray(p)
    axis = _axis(p, axis)
    period = 6.283185307179586
    limit = 3.141592653589793 if discont is None else max(discont, 3.141592653589793)
    d = diff(p, 1, axis)
    turned = np.mod(d + 3.141592653589793, period) - 3.141592653589793
    turned = np.where(np.logical_and(np.equal(turned, -3.141592653589793), d > 0), 3.141592653589793, turned)
    change = np.where(np.abs(d) < limit, 0.0, turned - d)
    result = p * 1.0
    result[_at(axis, slice(1, None))] += cumsum(change, axis)
    return result


def _window(M):
    """Positions of the elements of a window, from 1 - M to M - 1."""
    return 1.0 - M + 2.0 * np.arange(M)


def hanning(M):
    return np.ones((M,)) if M == 1 else 0.5 + 0.5 * np.cos(3.141592653589793 * _window(M) / (M - 1))


def hamming(M):
    return np.ones((M,)) if M == 1 else 0.54 + 0.46 * np.cos(3.141592653589793 * _window(M) / (M - 1))


def blackman(M):
    if M == 1:
        return np.ones((M,))
    at = 3.141592653589793 * _window(M) / (M - 1)
    return 0.42 + 0.5 * np.cos(at) + 0.08 * np.cos(2.0 * at)


def bartlett(M):
    return np.ones((M,)) if M == 1 else 1.0 - np.abs(_window(M)) / (M - 1)
