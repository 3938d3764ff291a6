"""Recurrences of one thread: along rows, in both directions, at places that data say, and with loads that may be of what was stored before."""
import sdfg

N, K, L = sdfg.symbol("N"), sdfg.symbol("K"), sdfg.symbol("L", sdfg.int64)


def filter_rows(A: sdfg.float64[N, K], C: sdfg.float64[N, K]):
    for i in sdfg.map[0:N]:
        for k in range(2, K):
            C[i, k] = A[i, k] - A[i, k - 1] + 0.5 * C[i, k - 1] - 0.25 * C[i, k - 2]
        for k in range(3, K):
            C[i, K - k] = C[i, K - k] + 0.5 * C[i, K - k + 1]


def columns(A: sdfg.float64[K, N], C: sdfg.float64[K, N]):
    for i in sdfg.map[0:N]:
        for k in range(1, K):
            C[k, i] = A[k, i] + 0.5 * C[k - 1, i]


def mirrored(A: sdfg.float64[N, K], C: sdfg.float64[N, K]):
    for i in sdfg.map[0:N]:
        for k in range(K):
            C[i, k] = A[i, k] + 0.5 * C[i, K - 1 - k]


def by_data(A: sdfg.float64[N, K], J: sdfg.int64[K], C: sdfg.float64[N, K]):
    for i in sdfg.map[0:N]:
        for k in range(K):
            C[i, J[k] % K] = A[i, k] + 0.5 * C[i, k]


def distance(A: sdfg.float64[N, K], C: sdfg.float64[N, K], d: sdfg.int64):
    for i in sdfg.map[0:N]:
        for k in range(d, K):
            C[i, k] = A[i, k] + 0.5 * C[i, k - d]


def lower(A: sdfg.float64[K, K], b: sdfg.float64[K], C: sdfg.float64[K]):
    for i in range(K):
        C[i] = (b[i] - A[i, :i] @ C[:i] / K) / (2 + A[i, i])


def upper(A: sdfg.float64[L, L], b: sdfg.float64[L], C: sdfg.float64[L]):
    for i in range(L - 1, -1, -1):
        C[i] = b[i] - A[i, i + 1 :] @ C[i + 1 :] / L


def in_place(A: sdfg.float32[K, K], C: sdfg.float32[K]):
    for i in range(1, K):
        C[i] -= A[:i, i] @ C[:i] / K


def of_two(A: sdfg.float64[K, K], b: sdfg.float64[K], C: sdfg.float64[K]):
    for i in range(K):
        s = 0.0
        for j in sdfg.map[0:i]:
            s += A[i, j] * A[j, i] * C[j]
        C[i] = b[i] + s / K


def neighbours(A: sdfg.float64[K, K], b: sdfg.float64[K + 1], C: sdfg.float64[K + 1]):
    for i in range(K):
        C[i + 1] = b[i] + A[i, :i] @ C[:i] / K
