"""Functions that library.py has, and ufuncs with two results."""
import numpy as np
import sdfg
N, M, K = (sdfg.symbol(s) for s in ("N", "M", "K"))

@sdfg.program
def cums(A: sdfg.float64[N, M], B: sdfg.int32[N]):
    return np.cumsum(A), np.cumsum(A, axis=0), A.cumsum(axis=-1), np.cumsum(B), np.cumprod(A, axis=1), np.maximum.accumulate(A, axis=1)

@sdfg.program
def arg(A: sdfg.float64[N, M], B: sdfg.int32[N]):
    return np.argmax(A), np.argmin(A, axis=0), A.argmax(axis=-1), B.argmin(), np.argmax(A, axis=1, keepdims=True)

@sdfg.program
def sorts(A: sdfg.float64[N, M], B: sdfg.int32[N]):
    C = B.copy()
    C.sort()
    return np.sort(A), np.sort(A, axis=0), np.argsort(B, kind="stable"), C, np.median(A), np.median(A, axis=1)

@sdfg.program
def stacks(A: sdfg.float64[N], B: sdfg.float64[N]):
    return np.stack((A, B)), np.stack([A, B], axis=1), np.vstack((A, B)), np.hstack((A, B)), np.dstack((A, B)), np.column_stack((A, B))

@sdfg.program
def splits(A: sdfg.float64[N, 4]):
    x, y = np.split(A, 2, axis=1)
    u, v, w = np.array_split(A, 3, axis=1)
    a, b = np.hsplit(A, [1])
    return x, y, u, v, w, a, b

@sdfg.program
def turned(A: sdfg.float64[N, M]):
    return np.rot90(A), np.rot90(A, 2), np.rot90(A, k=3), np.roll(A, 1, axis=1), np.roll(A, 2), np.fliplr(A), np.flipud(A), np.moveaxis(A, 0, 1)

@sdfg.program
def parts(A: sdfg.float64[N, M], b: sdfg.float64[N]):
    return np.repeat(b, 2), np.tile(b, 3), np.tile(A, (2, 1)), np.pad(A, 1), np.pad(b, (1, 2)), np.broadcast_to(b[:, None], (N, M)), np.triu(A), np.tril(A, -1), np.diag(b), np.diagonal(A), np.trace(A), np.diff(b), np.diff(A, axis=0)

@sdfg.program
def uf(A: sdfg.float64[N], B: sdfg.float64[N], I: sdfg.int32[N], J: sdfg.int32[N], F: sdfg.float32[N]):
    q, r = np.divmod(A, B)
    m, e = np.frexp(A)
    fr, wh = np.modf(A)
    return q, r, m, e, fr, wh, np.copysign(A, B), np.nextafter(A, B), np.nextafter(F, F + 1), np.fmod(A, B), np.fmod(I, J), np.heaviside(A, 0.5), np.gcd(I, J), np.lcm(I, J), np.signbit(A), np.ldexp(A, I), np.logaddexp(A, B), np.logaddexp2(A, B), np.spacing(A), np.spacing(F), np.sinc(A)

@sdfg.program
def reds(A: sdfg.float64[N, M], B: sdfg.int32[N]):
    return np.subtract.reduce(A), np.bitwise_or.reduce(B), np.add.accumulate(A), np.subtract.reduce(A, axis=1), np.bitwise_xor.accumulate(B), np.logical_xor.reduce(A, axis=0)

@sdfg.program
def cont(A: sdfg.float64[N, M], B: sdfg.float64[M, K], S: sdfg.float64[N, N]):
    return np.einsum("ij,jk->ik", A, B), np.einsum("ii", S), np.einsum("ij->j", A), np.tensordot(A, B, axes=1), np.tensordot(A, A), np.einsum("ij,ij->i", A, A), np.inner(A, A), np.kron(A, B), np.vdot(A, A)

@sdfg.program
def ffts(A: sdfg.complex128[N], B: sdfg.float64[N, M], R: sdfg.float64[N]):
    return np.fft.fft(A), np.fft.ifft(A), np.fft.fft(B, axis=0), np.fft.fft(B), np.fft.rfft(R), np.fft.fft(A, norm="ortho"), np.fft.fft2(B), np.fft.fft(A, n=4)

@sdfg.program
def lin(S: sdfg.float64[N, N], x: sdfg.float64[N]):
    return np.linalg.norm(x), np.linalg.norm(S), np.linalg.det(S), np.linalg.matrix_power(S, 3), np.linalg.norm(x, np.inf), np.linalg.norm(S, axis=0), np.cross(x[:3], x[1:4]), np.convolve(x, x[:3])

@sdfg.program
def misc(A: sdfg.float64[N], B: sdfg.float64[N]):
    return np.isclose(A, B), np.allclose(A, A), np.array_equal(A, B), np.nan_to_num(A), np.interp(B, np.arange(N) * 1.0, A), np.searchsorted(np.sort(A), B), np.count_nonzero(A), np.ptp(A), np.average(A), np.trapezoid(A), np.nansum(A), np.round(A, 1), np.round(A), A.round(2), np.clip(A, -1, 1), np.select([A > 1, A > 0], [A, B], 0.5), np.linspace(0, 1, 5), np.arange(0, 1, 0.25), np.arange(5, 0, -2), np.logspace(0, 2, 3)

@sdfg.program
def cplx(A: sdfg.complex128[N]):
    return np.tan(A), np.arcsin(A), np.log10(A), np.log2(A), np.exp2(A), np.expm1(A), np.log1p(A), np.sinh(A), np.arctanh(A), np.sign(A), np.rint(A)

@sdfg.program
def wh(A: sdfg.float64[N, M], W: sdfg.bool[N, M], O: sdfg.float64[N, M]):
    np.add(A, A, out=O, where=W)
    return O
