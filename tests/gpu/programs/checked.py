"""Accesses that only checked mode can judge, in kernels, in regions, on one thread of the device."""
import numpy
import sdfg

N = sdfg.symbol("N")


def gather(X: sdfg.float64[N], at: sdfg.int64[N], Y: sdfg.float64[N]):
    for i in sdfg.map[0:N]:
        Y[i] = X[at[i]]


def region(X: sdfg.float64[N], at: sdfg.int64[N]):
    for t in range(N):
        for i in sdfg.map[0:N]:
            X[i] = X[i] + X[at[i]]


def search(X: sdfg.float64[N], at: sdfg.int64[N], Y: sdfg.int64[N]):
    for i in sdfg.map[0:N]:
        k = at[i]
        while X[k] > 0.0:
            k = k + 1
        Y[i] = k


def holes(X: sdfg.float64[N], at: sdfg.int64[N], Y: sdfg.float64[N]):
    T = numpy.empty([N], dtype=numpy.float64)
    for i in sdfg.map[0:N]:
        T[at[i]] = X[i]
    for i in sdfg.map[0:N]:
        Y[i] = T[i]


def divide(X: sdfg.float64[N], Y: sdfg.float64[N]):
    for i in sdfg.map[0:N]:
        Y[i] = 1.0 / X[i]


def twice(X: sdfg.float64[N], at: sdfg.int64[N]):
    for i in sdfg.map[0:N]:
        X[i] = 1.0
    X[at[0]] = 3.0
    for i in sdfg.map[0:N]:
        X[i] = X[i] * 2.0
