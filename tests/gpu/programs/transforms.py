"""Fourier transforms, in the forms that a library of a GPU does."""
import numpy as np

import sdfg

N, M, B, T = (sdfg.symbol(name) for name in "NMBT")


def forward(A: sdfg.complex128[N], C: sdfg.complex128[N]):
    C[:] = np.fft.fft(A)


def backward(A: sdfg.complex64[N], C: sdfg.complex64[N]):
    C[:] = np.fft.ifft(A)


def real(A: sdfg.float64[N], C: sdfg.complex128[N]):
    C[:] = np.fft.fft(A * 2.0)


def part(A: sdfg.complex128[3 * N], C: sdfg.complex128[2 * N]):
    C[N:] = np.fft.fft(A[N : 2 * N])


def steps(A: sdfg.complex128[N], C: sdfg.complex128[N]):
    for t in range(T):
        C[:] = np.fft.ifft(np.fft.fft(A) * 0.5)
        A[:] = C + 1.0
