"""The Python module with an engine for AArch64, run by tests/aarch64/engine.sh in an emulator: a file, and programs of this text whose
loops become vectors, against NumPy."""
import sys

import numpy as np

import sdfg

N = sdfg.symbol("N")


@sdfg.program
def smooth(x: sdfg.float64[N], y: sdfg.float64[N]):
    y[1:-1] = (x[:-2] + x[1:-1] + x[2:]) / 3


@sdfg.program
def functions(x: sdfg.float64[N], y: sdfg.float64[N]):
    for i in sdfg.map[0:x.shape[0]]:
        y[i] = np.exp(x[i]) + np.sin(x[i]) * x[i] ** 3 + x[i] % 0.75


@sdfg.program
def narrow_functions(x: sdfg.float32[N], y: sdfg.float32[N]):
    for i in sdfg.map[0:x.shape[0]]:
        y[i] = np.log(x[i] + 2) * np.arctan2(x[i], y[i])


@sdfg.program
def branches(x: sdfg.float64[N], y: sdfg.float64[N]):
    for i in sdfg.map[0:x.shape[0]]:
        y[i] = 0.5 if np.isnan(x[i]) or x[i] < 0 else np.sqrt(x[i])


@sdfg.program
def products(x: sdfg.complex128[N], y: sdfg.complex128[N]):
    for i in sdfg.map[0:x.shape[0]]:
        y[i] = x[i] * y[i] / (x[i] + 3)


@sdfg.program
def every_second(x: sdfg.complex64[N], y: sdfg.complex64[N]):
    for i in sdfg.map[0:x.shape[0] // 2]:
        y[i] = np.exp(x[2 * i]) + np.conj(x[2 * i + 1])


@sdfg.program
def magnitudes(x: sdfg.complex64[N], y: sdfg.float32[N]):
    for i in sdfg.map[0:x.shape[0]]:
        y[i] = np.abs(x[i]) + np.imag(x[i])


@sdfg.program
def halves(x: sdfg.float16[N], y: sdfg.float16[N]):
    for i in sdfg.map[0:x.shape[0]]:
        y[i] = x[i] * y[i] + x[i]


@sdfg.program
def total(x: sdfg.complex128[N], y: sdfg.complex128[N]):
    s = 0j
    for i in range(x.shape[0]):
        s += x[i] * y[i]
    y[0] = s


@sdfg.program
def passing(x: sdfg.float64[N], y: sdfg.float64[N]):
    s = sdfg.define_stream(sdfg.float64, N)
    for i in sdfg.map[0:x.shape[0]]:
        with sdfg.tasklet:
            a << x[i]
            o >> s(-1)
            if a > 0.5:
                o = a
    s >> y


def values(random, dtype, n):
    x = random.uniform(-2, 2, n)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * random.uniform(-2, 2, n)
    return x.astype(dtype)


def compare(program, x, y, mine):
    expected = y.copy()
    with np.errstate(all="ignore"):
        program.f(x, expected)
    program(x, mine)
    near = 1e-12 if x.dtype.name in ("float64", "complex128") else 2e-3 if x.dtype == np.float16 else 1e-5
    if not np.allclose(mine, expected, rtol=near, atol=near):
        sys.exit(f"{program.__name__}: {np.abs(mine - expected).max()}")


random = np.random.default_rng(1)
x, y = np.arange(1000.0), np.ones(1000)
sdfg.compile(f"{sys.argv[1]}/examples/axpy.sdfg")(alpha=2.0, X=x, Y=y)
assert np.array_equal(y, 2 * np.arange(1000.0) + 1), y
for program, x, y in ((smooth, "f8", "f8"), (functions, "f8", "f8"), (narrow_functions, "f4", "f4"), (branches, "f8", "f8"),
                      (products, "c16", "c16"), (every_second, "c8", "c8"), (magnitudes, "c8", "f4"), (halves, "f2", "f2"), (total, "c16", "c16")):
    for n in (5, 64, 131):
        first, second = values(random, x, n), np.abs(values(random, y, n)).astype(y)
        first[n // 2] = np.nan if program is branches else first[n // 2]
        compare(program, first, second, second.copy())
for n in (5, 64, 700):
    x, y = values(random, "f8", n), np.zeros(n)
    passing(x, y)
    assert np.array_equal(y[y > 0], x[x > 0.5]), y
print("python: equal")
