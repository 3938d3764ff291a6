"""Lists, dictionaries and records that programs change, `match`, indices of arrays, sequences side by side."""
from dataclasses import dataclass

import numpy as np
import sdfg
N, M = (sdfg.symbol(s) for s in ("N", "M"))


@sdfg.program
def ndindex_loop(A: sdfg.float64[3, 4]):
    B = np.zeros_like(A)
    for i, j in np.ndindex(3, 4):
        B[i, j] = A[i, j] * i + j
    return B


@sdfg.program
def ndindex_shape(A: sdfg.float64[3, 4]):
    B = np.zeros(A.shape)
    for idx in np.ndindex(A.shape):
        B[idx] = A[idx] + 1
    for i, j in np.ndindex(*A.shape):
        B[i, j] *= i
    return B


@sdfg.program
def ndindex_symbols(A: sdfg.float64[N, M]):
    s = 0.0
    for i, j in np.ndindex(A.shape):
        if A[i, j] > 0:
            s += A[i, j] * i
    return s


@sdfg.program
def ndenumerate_loop(A: sdfg.float64[3, 4]):
    B = np.zeros((3, 4))
    for (i, j), v in np.ndenumerate(A):
        B[i, j] = v * (i + 1) - j
    return B


@sdfg.program
def append_loop(A: sdfg.float64[6]):
    r = []
    for i in range(6):
        r.append(A[i] * i)
    return np.array(r)


@sdfg.program
def append_pairs(A: sdfg.float64[6]):
    out = []
    for i in range(0, 6, 2):
        out.append(A[i] + A[i + 1])
    out.append(1.0)
    return np.array(out), len(out)


@sdfg.program
def append_rows(A: sdfg.float64[3, 4]):
    rows = []
    for row in A:
        rows.append(row / np.max(np.abs(row)))
    return np.stack(rows)


@sdfg.program
def list_ops(A: sdfg.float64[6]):
    l = [1, 2, 3]
    l.append(4)
    l.extend([5, 6])
    l[0] = 7
    t = l.pop()
    l.insert(1, 9)
    return A * np.array(l[:6]), t, sum(l), len(l)


def _polar(x, y):
    return (np.sqrt(x * x + y * y), np.arctan2(y, x)), (x, y)


@sdfg.program
def nested_tuple(A: sdfg.float64[5], B: sdfg.float64[5]):
    (r, t), (x, y) = _polar(A, B)
    p = _polar(A + 1, B)
    return r, t, x + y, p[0][1], p[1][0]


@sdfg.program
def enum_zip(A: sdfg.float64[6], B: sdfg.float64[6]):
    s = 0.0
    C = np.zeros(6)
    for i, (a, b) in enumerate(zip(A, B)):
        s += i * a * b
        C[i] = a - b
    for i, x in enumerate(A, start=2):
        s += i * x
    return s, C


@sdfg.program
def zip_rows(A: sdfg.float64[3, 4], B: sdfg.float64[3, 4]):
    C = np.empty(3)
    for k, (r, q) in enumerate(zip(A, B)):
        C[k] = r @ q
    for c, row in zip(C, A):
        row *= c
    return C


@sdfg.program
def match_mode(A: sdfg.float64[5], k: sdfg.int32):
    match k:
        case 0:
            B = A + 1
        case 1 | 2:
            B = A * 2
        case 4 if A[0] > 0:
            B = A - 1
        case _:
            B = -A
    return B


@sdfg.program
def match_sum(A: sdfg.int64[12]):
    s = 0
    for a in A:
        match a:
            case 0:
                s += 100
            case 1 | 2 | 3:
                s += 10
            case -1:
                pass
            case x if x > 5:
                s += x
            case _:
                s -= 1
    return s


@dataclass
class Params:
    dt: float
    steps: int = 3
    gravity: float = 9.81


P = Params(0.1, steps=4)


@sdfg.program
def dataclass_local(A: sdfg.float64[5]):
    p = Params(0.5)
    return A * p.dt + p.steps - p.gravity


@sdfg.program
def dict_use(A: sdfg.float64[5]):
    c = {"a": 1.5, "b": 2}
    c["d"] = 3
    B = A * c["a"] + c["b"]
    for k, v in c.items():
        B += v
    return B, len(c), "a" in c


@sdfg.program
def rk_functional(A: sdfg.float64[5]):
    apply = lambda g, x: g(g(x))
    return apply(lambda v: v * 2 + 1, A), list(map(lambda v: v + 1, [1, 2]))[0]


@sdfg.program
def tuples_keep_values(A: sdfg.float64[4]):
    t = (A[0], A[1] + 1)
    d = {"first": A[0], "row": A}
    A[0] = 9
    A[1] = 8
    return t[0], t[1], d["first"], d["row"][0]


@sdfg.program
def shared_lists(A: sdfg.float64[4]):
    a = [1.0]
    b = a
    rows = [a, [A[0]]]
    a.append(A[1])
    rows[1].append(5)
    rows[1][0] = A[2] * 2
    rows[0][0] += 3
    return sum(b), len(rows[0]), rows[1][0] + rows[1][1], rows[0][0]


@sdfg.program
def lists_in_loops(A: sdfg.float64[N, 3]):
    s = 0.0
    for i in range(N):
        row = [A[i, 0]]
        for j in range(1, 3):
            row.append(row[-1] + A[i, j])
        row.reverse()
        s += row[0] * i + max(row)
    return s


@sdfg.program
def counted_keys(I: sdfg.int64[4]):
    counts = {"even": 0, "odd": 0}
    for i in range(4):
        counts["even"] += (I[i] % 2 == 0) * 1
        counts["odd"] += (I[i] % 2 == 1) * 1
    names = ["x", "y"]
    names.remove("x")
    names.extend("z" for _ in range(2))
    return counts["even"], counts["odd"], names.index("z"), names.count("z"), names[0] == "y"


@dataclass
class Body:
    position: float
    speed: float = 0.0

    def moved(self, dt):
        return self.position + self.speed * dt


class Limits:
    low = -0.5
    high = 0.75
    names = ("a", "b")


@sdfg.program
def records(A: sdfg.float64[5]):
    b = Body(A[0], speed=A[1])
    b.speed = b.speed * 2
    b.position += 1
    return b.moved(0.5), np.clip(A, Limits.low, Limits.high), len(Limits.names), b.speed


@sdfg.program
def points_of_rows(A: sdfg.float64[N, M], c: sdfg.int64):
    B = np.zeros((N, M))
    for (i, j), v in np.ndenumerate(A):
        B[i, j] = v * i
        if v < 0:
            continue
        B[i, j] += j
    for k, in np.ndindex(c):
        B[k] += 10
    s = sum(A[p] for p in np.ndindex(2, 2))
    last = (0, 0)
    for last in np.ndindex(2, 3):
        B[last] += 1
    return B, s, last[0], last[1]


@sdfg.program
def matched_parts(k: sdfg.int64, x: sdfg.float64, A: sdfg.float64[4]):
    match (k, x > 0):
        case (0, _):
            r = 1.0
        case (n, True) if n > 2:
            r = n * 1.5
        case (1 | 2 as n, True):
            r = n * 2.5
        case _:
            r = -1.0
    match len(A):
        case 4:
            r += 100
        case _:
            r += A[7]
    for i in range(4):
        match A[i] * 2:
            case -3.0 | -2.5:
                A[i] = 50
            case y:
                A[i] = y + i
    return r


@sdfg.program
def zipped_with_lists(A: sdfg.float64[3], B: sdfg.float64[N]):
    s = 0.0
    for a, w in zip(A, [1, 2, 3]):
        s += a * w
    for i, (b, k) in enumerate(zip(B, range(N)), start=1):
        s += i * b + k
    for (i, a), c in zip(enumerate(A), B[:3]):
        s += i * a * c
    return s, sum(map(lambda v, w: v * w, A, B[:3]))


@sdfg.program
def dataclass_global(A: sdfg.float64[5]):
    v = np.zeros(5)
    for _ in range(P.steps):
        v -= P.gravity * P.dt
        A += v * P.dt
    return v
