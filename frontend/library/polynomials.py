"""Polynomials as vectors of coefficients, that of the highest power first."""
import numpy as np


def polyval(p, x):
    p = np.asarray(p)
    result = np.zeros_like(np.add(x, p[0] * 1))
    for k in range(len(p)):
        result = result * x + p[k]
    return result


def polyadd(a1, a2):
    a, b = np.atleast_1d(np.asarray(a1)), np.atleast_1d(np.asarray(a2))
    if len(a) < len(b):
        a, b = b, a
    result = np.copy(a).astype(np.add(a[0:1], b[0:1]).dtype)
    result[len(a) - len(b):] += b
    return result


def polysub(a1, a2):
    return polyadd(a1, np.negative(np.asarray(a2)))


def polymul(a1, a2):
    return convolve(np.atleast_1d(np.asarray(a1)), np.atleast_1d(np.asarray(a2)))


def polyder(p, m=1):
    p = np.asarray(p)
    for _ in tuple(range(m)):
        n = len(p)
        p = p[0:n - 1] * (n - 1 - np.arange(n - 1))
    return p


def polyint(p, m=1):
    p = np.asarray(p)
    for _ in tuple(range(m)):
        n = len(p)
        p = np.concatenate((p / (n - np.arange(n)), np.zeros((1,))))
    return p


def polyfit(x, y, deg):
    scaled = np.vander(x, deg + 1) * 1.0
    size = np.sqrt(np.sum(np.square(scaled), axis=0))
    q, r = np.linalg.qr(scaled / size)
    right = np.transpose(q) @ y
    result = np.empty_like(right)
    for k in range(deg, -1, -1):
        rest = np.copy(right[k])
        for j in range(k + 1, deg + 1):
            rest = rest - r[k, j] * result[j]
        result[k] = rest / r[k, k]
    if np.ndim(y) == 2:
        return result / size[:, None]
    return result / size


def poly(seq_of_zeros):
    c = np.ones((1,))
    for k in tuple(range(len(seq_of_zeros))):
        c = np.concatenate((c, np.zeros((1,)))) - seq_of_zeros[k] * np.concatenate((np.zeros((1,)), c))
    return c
