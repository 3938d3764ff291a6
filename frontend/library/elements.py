"""Comparisons and numbers, element by element."""
import numpy as np


def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    near = np.logical_or(np.equal(a, b), np.logical_and(np.isfinite(b), np.abs(np.subtract(a, b)) <= atol + rtol * np.abs(b)))
    if equal_nan:
        return np.logical_or(near, np.logical_and(np.not_equal(a, a), np.not_equal(b, b)))
    return near


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    return np.all(isclose(a, b, rtol, atol, equal_nan))


def array_equal(a, b):
    if np.ndim(a) != np.ndim(b):
        return False
    return np.all(np.equal(a, b))


def select(condlist, choicelist, default=0):
    result = default
    for i in tuple(range(len(condlist))):
        k = len(condlist) - 1 - i
        result = np.where(condlist[k], choicelist[k], result)
    return result


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    x = np.asarray(x)
    if posinf is None:
        posinf = 1.7976931348623157e+308 if x.dtype == np.float64 else 3.4028234663852886e+38
    if neginf is None:
        neginf = -1.7976931348623157e+308 if x.dtype == np.float64 else -3.4028234663852886e+38
    return np.where(np.isnan(x), nan, np.where(np.equal(x, np.inf), posinf, np.where(np.equal(x, -np.inf), neginf, x)))


def around(a, decimals=0, out=None):
    if decimals == 0:
        return _into(out, np.rint(a) if np.add(a, 0.0).dtype == np.add(a, 0).dtype else a)
    factor = 10.0 ** abs(decimals)
    if decimals > 0:
        return _into(out, np.rint(a * factor) / factor)
    return _into(out, (np.rint(a / factor) * factor).astype(np.add(a, 0).dtype))


def angle(z, deg=False):
    result = np.arctan2(np.imag(z), np.real(z))
    return result * 57.29577951308232 if deg else result


def isreal(x):
    return np.equal(np.imag(x), 0)


def iscomplex(x):
    return np.not_equal(np.imag(x), 0)


def array_equiv(a1, a2):
    return np.all(np.equal(a1, a2))


def bitwise_count(x):
    x = np.asarray(x)
    if x.dtype == np.bool_:
        return x.astype(np.uint8)
    if x.dtype != np.uint64: # of negative integers the bits of the magnitude count
        x = np.abs(x.astype(np.int64))
    b = x.astype(np.uint64)
    b = b - ((b >> 1) & 0x5555555555555555)
    b = (b & 0x3333333333333333) + ((b >> 2) & 0x3333333333333333)
    b = (b + (b >> 4)) & 0x0F0F0F0F0F0F0F0F
    return ((b * 0x0101010101010101) >> 56).astype(np.uint8)


def iscomplexobj(x):
    x = np.asarray(x)
    return x.dtype == np.complex128 or x.dtype == np.complex64


def isrealobj(x):
    return not iscomplexobj(x)


def math_isclose(a, b, rel_tol=1e-09, abs_tol=0.0):
    return a == b or abs(a - b) <= max(rel_tol * max(abs(a), abs(b)), abs_tol)


def math_prod(iterable, start=1):
    result = start
    for v in iterable:
        result = result * v
    return result


def math_fsum(seq):
    return float(sum(seq))


def math_dist(p, q):
    return np.sqrt(float(sum([(a - b) * (a - b) for a, b in zip(p, q)])))


def math_factorial(n):
    result = 1
    for i in range(2, n + 1):
        result = result * i
    return result


def math_perm(n, k=None):
    if k is None:
        return math_factorial(n)
    result = 1
    for i in range(k):
        result = result * (n - i)
    return result


def math_comb(n, k):
    result = 1
    for i in range(k):
        result = result * (n - i) // (i + 1)
    return result


def math_isqrt(n):
    root = int(np.sqrt(n * 1.0))
    while root * root > n:
        root -= 1
    while (root + 1) * (root + 1) <= n:
        root += 1
    return root
