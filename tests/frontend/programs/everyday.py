"""Programs as users write them: small algorithms in loops, and functions of NumPy together."""
import math

import numpy as np
import sdfg

N, M = (sdfg.symbol(s) for s in ("N", "M"))
WEIGHTS = (0.25, 0.5, 0.25)


@sdfg.program
def smoothed(A: sdfg.float64[N]):
    B = A.copy()
    B[1:-1] = WEIGHTS[0] * A[:-2] + WEIGHTS[1] * A[1:-1] + WEIGHTS[2] * A[2:]
    return B


@sdfg.program
def normalized(A: sdfg.float64[N, M]):
    return (A - A.mean(axis=0)) / (A.std(axis=0) + 1e-9)


@sdfg.program
def ranks(A: sdfg.float64[N]):
    r = np.empty(N, np.int64)
    r[np.argsort(A, kind="stable")] = np.arange(N)
    return r


@sdfg.program
def running_maximum(A: sdfg.float64[N]):
    return np.maximum.accumulate(A), np.minimum.accumulate(A[::-1])[::-1]


@sdfg.program
def histogram(I: sdfg.int64[N]):
    counts = np.zeros(16, np.int64)
    for i in range(N):
        counts[I[i] + 4] += 1
    return counts, np.cumsum(counts)


@sdfg.program
def newton(x: sdfg.float64):
    y = x
    for _ in range(50):
        step = (y * y - x) / (2 * y)
        y -= step
        if abs(step) < 1e-12:
            break
    return y, math.isfinite(y)


@sdfg.program
def collatz(k: sdfg.int64):
    steps = 0
    n = k
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@sdfg.program
def primes(A: sdfg.bool[N]):
    A[:] = True
    A[:2] = False
    for i in range(2, N):
        if A[i]:
            for j in range(i * i, N, i):
                A[j] = False
    return np.count_nonzero(A)


@sdfg.program
def distances(A: sdfg.float64[N, 3]):
    d = A[:, None, :] - A[None, :, :]
    return np.sqrt(np.sum(d * d, axis=-1))


@sdfg.program
def nearest(A: sdfg.float64[N], B: sdfg.float64[M]):
    return np.argmin(np.abs(A[:, None] - B[None, :]), axis=1)


@sdfg.program
def softmax(A: sdfg.float64[N, M]):
    e = np.exp(A - np.max(A, axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@sdfg.program
def triangle(A: sdfg.float64[N, N], b: sdfg.float64[N]):
    x = b.copy()
    for i in range(N):
        x[i] = (b[i] - A[i, :i] @ x[:i]) / (A[i, i] + 4.0)
    return x


@sdfg.program
def trace_of_product(A: sdfg.float64[N, M]):
    return np.trace(A @ A.T), np.einsum("ij,ij->", A, A), np.vdot(A, A)


@sdfg.program
def matrix_chain(A: sdfg.float64[N, M], B: sdfg.float64[M, N], x: sdfg.float64[N]):
    return A @ (B @ x), (A @ B) @ x, np.linalg.norm(A @ B)


@sdfg.program
def binary_search(A: sdfg.float64[N], x: sdfg.float64):
    s = np.sort(A)
    low, high = 0, N
    while low < high:
        middle = (low + high) // 2
        if s[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low, np.searchsorted(s, x)


@sdfg.program
def first_negative(A: sdfg.float64[N]):
    at = -1
    for i in range(N):
        if A[i] < 0:
            at = i
            break
    else:
        at = N
    return at


@sdfg.program
def horner(A: sdfg.float64[N], x: sdfg.float64):
    value = 0.0
    for c in A[::-1]:
        value = value * x + c
    return value, np.sum(A * np.power(x, np.arange(N)))


@sdfg.program
def bits(I: sdfg.int64[N]):
    odd = I & 1
    return np.where(odd == 1, I >> 1, I << 1), (I ^ 5) | 2, ~I, np.bitwise_or.reduce(I)


@sdfg.program
def rotations(A: sdfg.float64[N, N]):
    return np.rot90(A), np.rot90(A, -1), A.T[::-1], np.flip(A), np.roll(A, (N // 2), axis=0)


@sdfg.program
def padded(A: sdfg.float64[N, M]):
    P = np.pad(A, ((1, 1), (0, 2)), constant_values=9.0)
    return P, P[1:-1, :-2] - A


@sdfg.program
def waves(A: sdfg.float64[N]):
    F = np.fft.fft(A)
    return np.abs(F), np.fft.ifft(F).real, np.fft.rfft(A).imag


@sdfg.program
def tails(A: sdfg.float64[N]):
    first, *middle, last = A[:4]
    a, b = np.divmod(A, 0.75)
    return first + last, middle[0] * middle[1], a, b


@sdfg.program
def mixed_types(F: sdfg.float32[N], I: sdfg.int32[N], U: sdfg.uint8[N]):
    return F + I, F * 2, I + U, U + U, np.sum(U), np.mean(I), F // 2, I / 2


@sdfg.program
def complex_parts(Z: sdfg.complex128[N]):
    return Z.real, Z.imag, np.abs(Z), np.conj(Z) * Z, np.sum(Z), np.exp(1j * Z.real)


@sdfg.program
def nested_functions(A: sdfg.float64[N]):
    def shifted(v, by=1.0):
        return v + by

    twice = lambda v: 2 * v
    return shifted(A), shifted(twice(A), by=A[0]), twice(shifted(A[0]))


@sdfg.program
def game(A: sdfg.int64[N, M]):
    B = np.zeros_like(A)
    for i in range(1, N - 1):
        for j in range(1, M - 1):
            alive = np.sum(A[i - 1:i + 2, j - 1:j + 2] & 1) - (A[i, j] & 1)
            B[i, j] = 1 if alive == 3 or (alive == 2 and A[i, j] & 1) else 0
    return B


@sdfg.program
def interpolated(A: sdfg.float64[N]):
    x = np.linspace(0.0, 1.0, N)
    return np.interp(np.linspace(-0.1, 1.1, 7), x, A), np.trapezoid(A, x)


@sdfg.program
def any_and_all(A: sdfg.float64[N, M]):
    positive = A > 0
    return positive.any(axis=1), positive.all(), np.isclose(A, A + 1e-12).all(), np.allclose(A, A)


@sdfg.program
def masked_sum(A: sdfg.float64[N], B: sdfg.float64[N]):
    return A[A > 0].sum(), np.max(B[A < 0.3] * 2), A[A > 0].size + len(B[B < 0])


@sdfg.program
def masked_rows(C: sdfg.float64[N, M], A: sdfg.float64[N]):
    rows = C[A > 0]
    return np.sum(rows, axis=0), C[C > 0.5].mean()


@sdfg.program
def places(A: sdfg.float64[N], I: sdfg.int64[N, M]):
    i, j = np.nonzero(I > 1)
    k = np.flatnonzero(A > 0)
    B = np.zeros((N, M))
    B[i, j] = 1
    A[k] = 7
    (w,) = np.where(A < 0)
    return B, np.sum(w), np.sum(I[i, j])


@sdfg.program
def divided_down(A: sdfg.float64[N, M]):
    B = np.zeros(16, dtype=np.int64)
    for i in range((1 - N) // 4, 2):
        B[i + 4] = 1
    B[6 + (1 - N) // 4] = 7
    B[2 + (1 - N) // 4: 2] += 100
    for i in range(3 + (1 - N) % 4):
        B[i + 7] += 3
    for i in range(-3, 3):
        B[i // 2 + 3] += i % 4
        B[i % 3] += 1000
    for i in range(5, -4, -1):
        B[i // 3 + 9] += 1
        B[(i - 1) % 5] += 10000
    for i in range(N):
        if i > 2:
            B[(i - N) // 2 + 5] += 100000
            B[(M - N) // 4 + 10] += 100000
    for i in sdfg.map[-3:3]:
        B[i // 2 + 3] += 1000000
        B[15] += i // -2
    B[14] = (2 - N) // 3
    return B, (2 - N) // 3 + np.zeros((N, M), dtype=np.int8)


@sdfg.program
def maxima_beside_nan(A: sdfg.float64[4, 5], x: sdfg.float32[6]):
    B = np.where(A > 0, A, np.nan)
    y = np.where(x > 0, x, np.float32(np.nan))
    B[0] = np.nan
    return np.nanmax(B), np.nanmin(B, axis=1), np.nanmax(y), np.fmax.reduce(B[1]), np.fmin.reduce(B, axis=1)


@sdfg.program
def integer_nanmax(I: sdfg.int32[3, 4]):
    return np.nanmax(I), np.nanmin(I, axis=0), np.fmax.reduce(I), np.fmin.reduce(I, axis=-1)


@sdfg.program
def products_of_vectors(A: sdfg.float64[3], B: sdfg.float64[4], I: sdfg.int64[2]):
    return np.kron(A, B), np.kron(I, A), np.kron(np.eye(2), A)


@sdfg.program
def numbers_before_nan(A: sdfg.float64[6], B: sdfg.float64[6], x: sdfg.float32[6], I: sdfg.int64[6]):
    C, D = np.where(A > 0, A, np.nan), np.where(B < 0, B, np.nan)
    return np.fmax(C, D), np.fmin(C, D), np.fmax(C, 0.5), np.fmin(0.5, D), np.fmax(x, I), np.fmin(I, 2), np.maximum(C, D)


@sdfg.program
def padded(x: sdfg.float64[7], A: sdfg.float64[N, M]):
    return (np.pad(x, 2, mode="edge"), np.pad(x, (1, 3), mode="reflect"), np.pad(x, 3, "wrap"), np.pad(A, ((1, 2), (3, 1)), "symmetric"),
            np.pad(A, 1, mode="reflect"), np.pad(x, 10, mode="reflect"), np.pad(x, 9, "symmetric"), np.pad(x, 8, "wrap"))


@sdfg.program
def comprehended(x: sdfg.float64[6], A: sdfg.float64[3, 4]):
    r = [np.sum(row) for row in A]
    return (sum(v * v for v in x), sum([a * b for a, b in zip(x, x)]), r[0] + r[2], max(abs(v) for v in x), [v * 2 for v in x][1], any(v > 1 for v in x),
            all(v < 5 for v in x), sum(i * v for i, v in enumerate(x)))


@sdfg.program
def solved_for_a_part(A: sdfg.float64[4, 4], C: sdfg.float64[2, 4, 3]):
    B = A + 9 * np.eye(4)
    return np.linalg.solve(B, C[1])
