"""Fourier transforms."""
import numpy as np


def _resized(a, n, axis):
    """With n elements along the axis: the first ones, or zeros behind."""
    if n is None:
        return a
    result = np.zeros(a.shape[:axis] + (n,) + a.shape[axis + 1:], a.dtype)
    kept = min(n, a.shape[axis])
    result[_at(axis, slice(0, kept))] = a[_at(axis, slice(0, kept))]
    return result


def _transform(a, n, axis, norm, inverse):
    a = np.asarray(a)
    axis = _axis(a, axis)
    moved = np.moveaxis(_resized(a, n, axis), axis, -1)
    count = moved.shape[-1]
    flat = np.reshape(moved, (-1, count)).astype(np.multiply(moved[..., 0:1], np.complex64(1)).dtype)
    result = np.empty_like(flat)
    if a.ndim == 1:
        result[0] = np.fft._transform(flat[0], inverse)
    else:
        for r in range(flat.shape[0]):
            result[r] = np.fft._transform(flat[r], inverse)
    result = np.moveaxis(np.reshape(result, moved.shape), -1, axis)
    if norm is None or norm == "backward":
        return result / count if inverse else result
    if norm == "forward":
        return result if inverse else result / count
    if norm != "ortho":
        raise ValueError("'norm' is 'backward', 'ortho' or 'forward'")
    return result / np.sqrt(np.float64(count)).astype(result.real.dtype)


def fft(a, n=None, axis=-1, norm=None, out=None):
    return _into(out, _transform(a, n, axis, norm, False))


def ifft(a, n=None, axis=-1, norm=None, out=None):
    return _into(out, _transform(a, n, axis, norm, True))


def rfft(a, n=None, axis=-1, norm=None, out=None):
    result = _transform(a, n, axis, norm, False)
    axis = _axis(result, axis)
    return _into(out, result[_at(axis, slice(0, result.shape[axis] // 2 + 1))])


def fft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    if s is not None:
        raise NotImplementedError("'s' of np.fft.fft2")
    return _into(out, _transform(_transform(a, None, axes[1], norm, False), None, axes[0], norm, False))


def ifft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    if s is not None:
        raise NotImplementedError("'s' of np.fft.ifft2")
    return _into(out, _transform(_transform(a, None, axes[1], norm, True), None, axes[0], norm, True))


def irfft(a, n=None, axis=-1, norm=None, out=None):
    a = np.asarray(a)
    axis = _axis(a, axis)
    count = 2 * (a.shape[axis] - 1) if n is None else n
    kept = count // 2 + 1
    half = _resized(a, kept, axis) * (1 + 0j)
    whole = np.zeros(a.shape[:axis] + (count,) + a.shape[axis + 1:], half.dtype)
    whole[_at(axis, slice(0, kept))] = half
    for i in range(kept, count):
        whole[_at(axis, i)] = np.conj(half[_at(axis, count - i)])
    whole[_at(axis, 0)] = np.real(half[_at(axis, 0)])
    if count % 2 == 0:
        whole[_at(axis, count // 2)] = np.real(half[_at(axis, count // 2)])
    return _into(out, np.copy(np.real(_transform(whole, None, axis, norm, True))))


def fftn(a, s=None, axes=None, norm=None, out=None):
    if s is not None:
        raise NotImplementedError("'s' of np.fft.fftn")
    for k in tuple(range(np.ndim(a))) if axes is None else axes:
        a = _transform(a, None, k, norm, False)
    return _into(out, a)


def ifftn(a, s=None, axes=None, norm=None, out=None):
    if s is not None:
        raise NotImplementedError("'s' of np.fft.ifftn")
    for k in tuple(range(np.ndim(a))) if axes is None else axes:
        a = _transform(a, None, k, norm, True)
    return _into(out, a)


def fftfreq(n, d=1.0):
    at = np.arange(n)
    return np.where(at < (n + 1) // 2, at, at - n) / (n * d)


def rfftfreq(n, d=1.0):
    return np.arange(n // 2 + 1) / (n * d)


def _shifted(x, axes, back):
    for k in tuple(range(np.ndim(x))) if axes is None else axes if isinstance(axes, (tuple, list)) else (axes,):
        n = x.shape[_axis(x, k)]
        x = np.roll(x, -(n // 2) if back else n // 2, k)
    return x


def fftshift(x, axes=None):
    return _shifted(x, axes, False)


def ifftshift(x, axes=None):
    return _shifted(x, axes, True)


def rfft2(a, norm=None):
    return fft(rfft(a, None, -1, norm), None, -2, norm)
