"""Operators and functions on elements, broadcasting, types."""
import math

import numpy as np
import sdfg

N, M = (sdfg.symbol(s) for s in ("N", "M"))


@sdfg.program
def axpy(a: sdfg.float64, X: sdfg.float64[N], Y: sdfg.float64[N]):
    Y[:] = a * X + Y


@sdfg.program
def broadcast(A: sdfg.float64[N, M], b: sdfg.float64[M], c: sdfg.float64[N]):
    return A + b - c[:, np.newaxis] * 2


@sdfg.program
def broadcast_parts(A: sdfg.float64[N, M], b: sdfg.int32[M], c: sdfg.float32[N], I: sdfg.int64[N]):
    first = b * 3 - b[:, np.newaxis] // (b * b + 2)[:, np.newaxis]
    for i in range(2):
        A[:] = np.where(c[:, np.newaxis] * c[i] > 1.0, A * (A[i] * 2 - 1), A * np.exp(A[:, 1:2] + i) + c[I[i]] * b)
    A[0] *= A[0, 1] + A[1, 0] * 2
    return first, (b + 1) * (c[:2, np.newaxis, np.newaxis] - 1) + A[:, 0:1] / 4


@sdfg.program
def integers(A: sdfg.int32[N], B: sdfg.int64[N]):
    return A // 3 + A % 3 - (-A) // 4 * B, A * 2, B // (A * 0 + 2)


@sdfg.program
def by_zero(A: sdfg.int64[N]):
    Z = A - A
    return A // 1, (Z + 1) % 5


@sdfg.program
def narrow(A: sdfg.int8[N], B: sdfg.uint8[N]):
    return A * A + A, B + 250, A + B, -A


@sdfg.program
def floats(A: sdfg.float32[N], B: sdfg.float64[N]):
    return A * 1.5, A + B, A // 0.5, A % 0.75


@sdfg.program
def powers(A: sdfg.float64[N], B: sdfg.int64[N]):
    return A ** 2, A ** 3, (A * A + 1) ** 0.5, (A * A + 1) ** -1, B ** 3, 2.0 ** A


@sdfg.program
def division(A: sdfg.int32[N], B: sdfg.int32[N]):
    return A / 4, A / (B * B + 1)


@sdfg.program
def bits(A: sdfg.int64[N], B: sdfg.int64[N]):
    return A & B, A | 6, A ^ B, ~A, (A & 7) << 2, A >> 1


@sdfg.program
def comparisons(A: sdfg.float64[N], B: sdfg.float64[N]):
    return A < B, (A >= 0) & (B != 0.5), ~(A == B), (A > 0) | (B > 0)


@sdfg.program
def functions(A: sdfg.float64[N]):
    return np.exp(A) + np.sin(A), np.sqrt(np.abs(A)), np.tanh(A) * np.cos(A), np.floor(A), np.ceil(A)


@sdfg.program
def extremes(A: sdfg.float64[N], B: sdfg.float64[N], C: sdfg.int32[N]):
    return np.maximum(A, B), np.minimum(A, 0.25), np.maximum(C, 1), np.clip(A, -1, 1)


@sdfg.program
def where(A: sdfg.float64[N], B: sdfg.float64[N]):
    return np.where(A > B, A, 0), np.where(A > 0, 1, 2)


@sdfg.program
def complexes(A: sdfg.complex128[N], b: sdfg.float64):
    return A * A + b, A.real - A.imag, np.abs(A), np.conj(A) * 2j


@sdfg.program
def casts(A: sdfg.float64[N], B: sdfg.int32[N]):
    return A.astype(np.float32), np.int64(A * 2), np.float64(B) / 3, A.astype(np.int32) + B


@sdfg.program
def constants(A: sdfg.float64[N]):
    return A * math.pi + np.e, A + N, A / N, A * (N // 2)


@sdfg.program
def select(A: sdfg.float64[N], k: sdfg.int64):
    x = 1.5 if k > 2 else 0.5
    y = A[0] if A[0] > A[1] else A[1]
    return A * x + y


@sdfg.program
def out_where(A: sdfg.float64[N], B: sdfg.float64[N]):
    np.add(A, 1, out=A)
    np.multiply(A, 2, out=B, where=A > 1)


@sdfg.program
def outer(A: sdfg.float64[N], B: sdfg.float64[M]):
    return np.add.outer(A, B), np.multiply.outer(B, A), np.outer(A, B)


@sdfg.program
def chained(A: sdfg.float64[N]):
    count = 0
    for i in range(N):
        if -1 < A[i] <= 1 != 2:
            count += 1
    return count


@sdfg.program
def booleans(A: sdfg.bool[N], B: sdfg.bool[N]):
    return A + B, A * B, A & B, A ^ B, np.logical_not(A)


@sdfg.program
def nan_wins(A: sdfg.float64[N]):
    B = A - A
    B[0] = np.nan
    return np.maximum(A, B), np.minimum(B, A)


@sdfg.program
def first_stays(A: sdfg.float64[N]):
    """Python's own functions compare: a NaN is neither smaller nor larger."""
    B = A.copy()
    nothing = A[0] * np.nan
    B[0] = max(nothing, A[1])
    B[1] = max(A[1], nothing)
    B[2] = min(A[1], nothing, A[2])
    return B


@sdfg.program
def limits(A: sdfg.uint8[N], B: sdfg.int8[N]):
    return A >= -3, B < 300, A > N - 20, np.negative(N) + B


@sdfg.program
def half_precision(U: sdfg.uint8[N], B: sdfg.float64[N]):
    B[:] = np.sin(U) ** 2 + (np.sqrt(U) * 3 - np.cos(U) / 7)
    return np.sin(U) ** 2, -np.sin(U) * np.exp(U)


@sdfg.program
def extremes_of_numbers(B: sdfg.int8[N]):
    return B + np.maximum(2 // 3, N + 1), B + np.minimum(2, 3), B + max(2, 3), B + min(N, 3)


@sdfg.program
def exact_remainders(A: sdfg.float64[N], F: sdfg.float32[N]):
    B = A * 1e20 + 7
    C = A + 0.125
    return B % 3, B % -7.5, B // 1e18, C % A[0], A % C, A // C, C // 0.1, C // -0.1, F % 3, F // 0.1, F % 0.1, 5 % C, 1 // C
