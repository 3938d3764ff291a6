"""Subscripts, views, shapes."""
import numpy as np
import sdfg

N, M, K = (sdfg.symbol(s) for s in ("N", "M", "K"))


@sdfg.program
def stencil(A: sdfg.float64[N], B: sdfg.float64[N]):
    B[1:-1] = (A[:-2] + A[1:-1] + A[2:]) / 3


@sdfg.program
def overlap(A: sdfg.float64[N]):
    A[1:] = A[:-1]
    A[:-1] += A[1:]


@sdfg.program
def steps(A: sdfg.float64[N, M]):
    A[::2, 1::2] = -A[::2, 1::2]
    return A[::-1, ::2] * 2, A[1:4:2, -2]


@sdfg.program
def rows(A: sdfg.float64[N, M]):
    A[0] = A[-1]
    A[1, :] = A[2, :] + A[:, 1][0]
    A[..., 0] = 5
    return A[2]


@sdfg.program
def views(A: sdfg.float64[N, M]):
    x = A[1:3]
    y = x[:, 1:]
    y[0, 0] = 9
    x += 1
    return y


@sdfg.program
def negative(A: sdfg.float64[N], k: sdfg.int64):
    return A[-1] + A[k - 5], A[k]


@sdfg.program
def gather(A: sdfg.float64[N, M], I: sdfg.int64[K]):
    return A[np.abs(I) % 3], A[:, np.abs(I) % 2], A[np.abs(I) % 3, np.abs(I) % 2]


@sdfg.program
def gather_list(A: sdfg.float64[N]):
    return A[[0, 2, -1]]


@sdfg.program
def scatter(A: sdfg.float64[N]):
    idx = np.array([3, 1, 0])
    A[idx] = 7.5


@sdfg.program
def masks(A: sdfg.float64[N]):
    A[A > 0.5] = 0
    A[A < 0] *= 2


@sdfg.program
def transposed(A: sdfg.float64[N, M]):
    B = A.T
    B[0, 1] = 4
    return B + 1, np.transpose(A)[1:]


@sdfg.program
def axes(A: sdfg.float64[N, M, K]):
    return np.transpose(A, (2, 0, 1)) * 2


@sdfg.program
def reshaped(A: sdfg.float64[N, M]):
    x = A.reshape(N * M)
    x[1] = -3
    y = np.reshape(A, (M, N))
    return y + 1, A.ravel(), A.flatten() * 2, A.reshape(-1)


@sdfg.program
def unit(A: sdfg.float64[N, M]):
    x = A[:, 0:1]
    return x + A, x, A[0:1]


@sdfg.program
def shape_of(A: sdfg.float64[N, M]):
    return np.zeros(A.shape, dtype=A.dtype) + A.shape[1] + A.size + A.ndim + len(A)


@sdfg.program
def newaxis(A: sdfg.float64[N], B: sdfg.float64[M]):
    return A[:, None] * B[None, :]


@sdfg.program
def run_time(A: sdfg.float64[N], lo: sdfg.int64, hi: sdfg.int64):
    A[lo:hi + 1] = A[lo:hi + 1] * 2
    B = np.zeros(hi)
    B[:] = A[lo]
    return np.sum(B) + np.sum(A[lo:hi])


@sdfg.program
def swap(A: sdfg.float64[N]):
    A[0], A[1] = A[1], A[0]
    x, y = A[2], A[3]
    x, y = y, x
    A[2], A[3] = x, y


@sdfg.program
def join(A: sdfg.float64[N], B: sdfg.float64[N]):
    return np.concatenate((A, B * 2))


@sdfg.program
def creation():
    return np.ones((2, 3)), np.full((2,), 7), np.eye(3), np.arange(5), np.linspace(0, 1, 5), np.array([[1, 2], [3, 4]])


@sdfg.program
def clipped(A: sdfg.float64[6]):
    return A[2:100] + 1, A[-100:2] * 2, A[5:1]


@sdfg.program
def turned(A: sdfg.float64[N, M], B: sdfg.float64[N, 1, M]):
    np.flip(A, axis=0)[0, 0] = 7
    C = np.expand_dims(A, 1) + B
    return np.flip(A), np.flip(A, axis=-1), C, np.squeeze(B) * 2, np.swapaxes(B, 0, -1), np.squeeze(C, axis=1)


@sdfg.program
def separated(A: sdfg.float64[4, 4, 4, 4], F: sdfg.int64[3]):
    I = F % 4
    J = F[:2, None] % 2
    return A[:, I, :, 2], A[1:3, I, 2], A[1, :, J], A[0, I, None, 1], A[:3, J, I, ..., 3], A[None, 1, I, 1:3, 0]


@sdfg.program
def symbolic_steps(A: sdfg.float64[N], S: sdfg.float64[K]):
    A[::K] = A[::K] * 2 + 1
    return A[1:N:K], A[0:N:2 * K]


@sdfg.program
def other_bytes(A: sdfg.float32[N, 4], B: sdfg.int16[6]):
    A.view(np.int64)[:, 1] = 0
    B.view(np.int8)[::2] += 1
    return A.view(np.int16) + 1, B.view(np.int32)
