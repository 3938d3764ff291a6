"""Arguments: types of the call, annotations, defaults, constants, layouts."""
from __future__ import annotations

from typing import Optional

import numpy as np

import sdfg

N, M = (sdfg.symbol(s, sdfg.int64) for s in ("N", "M"))
Vector = sdfg.float64[N]


@sdfg.program
def plain(A, B, s):
    C = A + B * s
    A[:] = C
    return C


@sdfg.program
def annotated(A: sdfg.float64[N, M], x: Vector, s: sdfg.float32, n: int):
    for i in sdfg.map[0:A.shape[0]]:
        A[i, 0] += x[i] * n
    return A[0] * s


@sdfg.program
def defaults(A, scale=2.0, *, mode: sdfg.compiletime = "add", other=None):
    if mode == "add":
        B = A + scale
    else:
        B = A * scale
    if other is not None:
        B += other
    return B


@sdfg.program
def optional(A, n: Optional[sdfg.int64] = 4):
    return A * n


@sdfg.program
def constants(A, shape, names, f):
    B = np.zeros(shape)
    for i, name in enumerate(names):
        if name == "b":
            B[i] += f(A[i])
    return B


@sdfg.program
def any_number(A, *more, scale=1.0):
    B = A * scale
    for x in more:
        B += x
    A[0] = len(more)
    return B


@sdfg.program
def sizes(A, B):
    C = np.concatenate((A, B))
    return C.reshape((2, A.shape[0])), A.shape[0] + B.size


@sdfg.program
def layouts(A, B):
    C = A + B
    for i in range(A.shape[0]):
        for j in sdfg.map[0:A.shape[1]]:
            C[i, j] += A[i, j] * i
    return C, C.reshape(A.size), A.reshape(A.shape[1], A.shape[0]), A.T @ B


@sdfg.program
def numbers(a, b):
    return a + b, a * 2, a / b


@sdfg.program
def results(A):
    return np.sum(A), A[0], A * 2, 3


@sdfg.program
def one(A):
    return (np.max(A),)


@sdfg.program
def nothing(A):
    A += 1


@sdfg.always_inline
def sizes_of(n, scale=2):
    return [n, n * scale]


@sdfg.program
def hints(A):
    for i in sdfg.unroll(range(3)):
        A[i] += i
    for i in sdfg.nounroll(range(3)):
        A[i] += sdfg.inline(2 ** 10)
    shape = sizes_of(2, scale=3)
    B = np.zeros((shape[0], shape[1]))
    if not sdfg.in_program() or True:
        B += 1
    return B


def calls():
    A, B = np.arange(6.0), np.ones(6)
    yield plain, (A, B, 2)
    yield plain, (A, B, 2.5)
    yield plain, (A.astype(np.float32), B.astype(np.float32), 2.5)
    yield plain, (A.astype(np.float32), B.astype(np.float32), np.float32(2.5))
    yield plain, (np.arange(9.0), np.ones(9), 1)
    yield plain, (A, np.ones(1), 1)
    yield plain, (A[:1].copy(), np.ones(1), 1)
    yield plain, (A[::2], B[::-2], 3)
    yield plain, (np.ones((2, 3)), np.ones(3), 1)
    yield plain, (np.ones((3, 3)), np.ones(3), 1)
    yield plain, (A.astype(complex), B, 2)
    yield annotated, (np.ones((3, 4)), np.arange(3.0), 2.5, 7)
    yield annotated, (np.asfortranarray(np.ones((5, 2))), np.arange(5.0), 2.5, 7)
    yield defaults, (A,)
    yield defaults, (A, 3)
    yield optional, (A,)
    yield optional, (A, 5)
    yield constants, (A, (2, 3), ("a", "b"), lambda x: x * 2)
    yield constants, (A, (3, 3), ("b", "b", "c"), lambda x: x + 1)
    for more in (), (B,), (B, 2 * B), (B, 3), (B, 4):
        yield any_number, (A, *more)
    yield sizes, (np.arange(4.0), np.arange(4.0))
    yield sizes, (np.arange(5.0), np.arange(5.0))
    square = np.arange(12.0).reshape(3, 4)
    yield layouts, (square, square * 2)
    yield layouts, (square.T, square.T)
    yield layouts, (square[::-1], square)
    yield layouts, (square[:, ::2], square[:, 1::2])
    yield layouts, (np.asfortranarray(square), square)
    yield layouts, (np.broadcast_to(np.arange(4.0), (3, 4)), square)
    for a in 3, 2.5, True, np.float32(1.5), np.int16(7):
        for b in 2, 0.5, np.float32(2):
            yield numbers, (a, b)
    yield results, (A,)
    yield results, (np.arange(3),)
    yield one, (A,)
    yield nothing, (A,)
    yield hints, (A,)
