"""Programs that no pass was written for, in the style of Rodinia, SPEC, PARSEC and MiBench: loops as they stand in C (NAME.c beside this file
has the same ones). measure.py runs them."""
import math

import numpy as np
import sdfg

N, M, K, D = (sdfg.symbol(s) for s in ("N", "M", "K", "D"))


@sdfg.program
def hotspot(T: sdfg.float64[N, M], P: sdfg.float64[N, M], steps: sdfg.int64):
    """Temperature of a chip, explicit steps."""
    new = np.empty_like(T)
    for t in range(steps):
        for i in range(1, N - 1):
            for j in range(1, M - 1):
                new[i, j] = T[i, j] + 0.1 * (P[i, j] + (T[i - 1, j] + T[i + 1, j] - 2 * T[i, j]) * 0.3 +
                                             (T[i, j - 1] + T[i, j + 1] - 2 * T[i, j]) * 0.2 + (80.0 - T[i, j]) * 0.01)
        for i in range(1, N - 1):
            for j in range(1, M - 1):
                T[i, j] = new[i, j]


@sdfg.program
def hotspot3d(A: sdfg.float32[K, N, M], B: sdfg.float32[K, N, M], P: sdfg.float32[K, N, M], steps: sdfg.int64):
    """The same for a stack of layers, between two arrays."""
    for t in range(steps):
        for k in range(1, K - 1):
            for i in range(1, N - 1):
                for j in range(1, M - 1):
                    B[k, i, j] = (np.float32(0.4) * A[k, i, j] + np.float32(0.1) *
                                  (A[k, i, j - 1] + A[k, i, j + 1] + A[k, i - 1, j] + A[k, i + 1, j] + A[k - 1, i, j] + A[k + 1, i, j]) +
                                  np.float32(0.05) * P[k, i, j])
        for k in range(1, K - 1):
            for i in range(1, N - 1):
                for j in range(1, M - 1):
                    A[k, i, j] = (np.float32(0.4) * B[k, i, j] + np.float32(0.1) *
                                  (B[k, i, j - 1] + B[k, i, j + 1] + B[k, i - 1, j] + B[k, i + 1, j] + B[k - 1, i, j] + B[k + 1, i, j]) +
                                  np.float32(0.05) * P[k, i, j])


@sdfg.program
def pathfinder(W: sdfg.int32[N, M], best: sdfg.int32[M]):
    """The cheapest way down a grid."""
    row = np.empty((M,), np.int32)
    for j in range(M):
        best[j] = W[0, j]
    for i in range(1, N):
        for j in range(M):
            row[j] = best[j]
        for j in range(1, M - 1):
            best[j] = W[i, j] + min(row[j], min(row[j - 1], row[j + 1]))
        best[0] = W[i, 0] + min(row[0], row[1])
        best[M - 1] = W[i, M - 1] + min(row[M - 1], row[M - 2])


@sdfg.program
def srad(J: sdfg.float64[N, M], steps: sdfg.int64):
    """Diffusion that keeps edges: a sum over all and two sweeps a step."""
    C = np.zeros_like(J)
    for t in range(steps):
        mean = np.sum(J) / (N * M)
        q0 = (np.sum(J * J) / (N * M) - mean * mean) / (mean * mean)
        for i in range(1, N - 1):
            for j in range(1, M - 1):
                n = J[i - 1, j] - J[i, j]
                s = J[i + 1, j] - J[i, j]
                w = J[i, j - 1] - J[i, j]
                e = J[i, j + 1] - J[i, j]
                g = (n * n + s * s + w * w + e * e) / (J[i, j] * J[i, j])
                l = (n + s + w + e) / J[i, j]
                q = (0.5 * g - 0.0625 * l * l) / ((1.0 + 0.25 * l) * (1.0 + 0.25 * l))
                C[i, j] = min(1.0, max(0.0, 1.0 / (1.0 + (q - q0) / (q0 * (1.0 + q0)))))
        for i in range(1, N - 1):
            for j in range(1, M - 1):
                J[i, j] += 0.05 * (C[i + 1, j] * C[i, j] + C[i, j + 1] * C[i, j] + 0.5 * C[i, j] - 2.5 * C[i, j] * C[i, j])


@sdfg.program
def needle(S: sdfg.int32[N, M], F: sdfg.int32[N, M], penalty: sdfg.int32):
    """Alignment of two sequences."""
    for i in range(1, N):
        for j in range(1, M):
            F[i, j] = max(F[i - 1, j - 1] + S[i, j], max(F[i - 1, j], F[i, j - 1]) - penalty)


@sdfg.program
def kmeans(X: sdfg.float32[N, D], C: sdfg.float32[K, D], member: sdfg.int64[N], total: sdfg.float32[K, D], count: sdfg.int64[K]):
    """The nearest of a few centres, and what the new centres are made of."""
    for i in range(N):
        near = np.float32(1e30)
        which = 0
        for c in range(K):
            d = np.sum((X[i] - C[c]) * (X[i] - C[c]))
            if d < near:
                near = d
                which = c
        member[i] = which
    for i in range(N):
        count[member[i]] += 1
        for f in range(D):
            total[member[i], f] += X[i, f]


@sdfg.program
def backprop(x: sdfg.float32[N], W: sdfg.float32[N, M], V: sdfg.float32[N, M], target: sdfg.float32[M], y: sdfg.float32[M]):
    """A layer of a network forward, and its weights adjusted."""
    for j in range(M):
        s = np.float32(0)
        for i in range(N):
            s += W[i, j] * x[i]
        y[j] = np.float32(1) / (np.float32(1) + np.exp(-s))
    for j in range(M):
        delta = y[j] * (np.float32(1) - y[j]) * (target[j] - y[j])
        for i in range(N):
            step = np.float32(0.3) * delta * x[i] + np.float32(0.3) * V[i, j]
            W[i, j] += step
            V[i, j] = step


@sdfg.program
def gaussian(A: sdfg.float64[N, N], b: sdfg.float64[N]):
    """Forward elimination without pivots."""
    for i in range(N):
        A[i, i] += 100.0
    for k in range(N - 1):
        for i in range(k + 1, N):
            f = A[i, k] / A[k, k]
            for j in range(k, N):
                A[i, j] -= f * A[k, j]
            b[i] -= f * b[k]


@sdfg.program
def nearest(x: sdfg.float32[N], y: sdfg.float32[N], d: sdfg.float32[N], px: sdfg.float32, py: sdfg.float32):
    """Distances from a point."""
    for i in range(N):
        d[i] = np.sqrt((x[i] - px) * (x[i] - px) + (y[i] - py) * (y[i] - py))


@sdfg.program
def streamcluster(X: sdfg.float32[N, D], cost: sdfg.float32[N], gain: sdfg.float64[K]):
    """What it would save to open each of the first K points as a centre."""
    for c in range(K):
        saved = 0.0
        for i in range(N):
            d = np.sum((X[i] - X[c]) * (X[i] - X[c]))
            if d < cost[i]:
                saved += cost[i] - d
        gain[c] = saved


@sdfg.program
def lavamd(P: sdfg.float64[N, 4], q: sdfg.float64[N], F: sdfg.float64[N, 4]):
    """Forces of all particles of a box on each of them."""
    for i in range(N):
        for j in sdfg.map[0:N]:
            dx = P[i, 1] - P[j, 1]
            dy = P[i, 2] - P[j, 2]
            dz = P[i, 3] - P[j, 3]
            e = np.exp(-0.5 * (dx * dx + dy * dy + dz * dz))
            F[i, 0] += q[j] * e
            F[i, 1] += q[j] * 2.0 * e * dx
            F[i, 2] += q[j] * 2.0 * e * dy
            F[i, 3] += q[j] * 2.0 * e * dz


@sdfg.program
def lbm(A: sdfg.float64[9, N, M], B: sdfg.float64[9, N, M], steps: sdfg.int64):
    """Lattice Boltzmann, nine velocities: relaxation, then all move on."""
    for t in range(steps):
        for i in range(1, N - 1):
            for j in range(1, M - 1):
                rho = A[0, i, j] + A[1, i, j] + A[2, i, j] + A[3, i, j] + A[4, i, j] + A[5, i, j] + A[6, i, j] + A[7, i, j] + A[8, i, j]
                u = (A[1, i, j] - A[3, i, j] + A[5, i, j] - A[6, i, j] - A[7, i, j] + A[8, i, j]) / rho
                v = (A[2, i, j] - A[4, i, j] + A[5, i, j] + A[6, i, j] - A[7, i, j] - A[8, i, j]) / rho
                w = 1.0 - 1.5 * (u * u + v * v)
                p = u + v
                m = u - v
                B[0, i, j] = 0.4 * A[0, i, j] + 0.6 * rho * 4 / 9 * w
                B[1, i, j + 1] = 0.4 * A[1, i, j] + 0.6 * rho / 9 * (w + 3 * u + 4.5 * u * u)
                B[2, i + 1, j] = 0.4 * A[2, i, j] + 0.6 * rho / 9 * (w + 3 * v + 4.5 * v * v)
                B[3, i, j - 1] = 0.4 * A[3, i, j] + 0.6 * rho / 9 * (w - 3 * u + 4.5 * u * u)
                B[4, i - 1, j] = 0.4 * A[4, i, j] + 0.6 * rho / 9 * (w - 3 * v + 4.5 * v * v)
                B[5, i + 1, j + 1] = 0.4 * A[5, i, j] + 0.6 * rho / 36 * (w + 3 * p + 4.5 * p * p)
                B[6, i + 1, j - 1] = 0.4 * A[6, i, j] + 0.6 * rho / 36 * (w - 3 * m + 4.5 * m * m)
                B[7, i - 1, j - 1] = 0.4 * A[7, i, j] + 0.6 * rho / 36 * (w - 3 * p + 4.5 * p * p)
                B[8, i - 1, j + 1] = 0.4 * A[8, i, j] + 0.6 * rho / 36 * (w + 3 * m + 4.5 * m * m)
        for k in range(9):
            for i in range(1, N - 1):
                for j in range(1, M - 1):
                    A[k, i, j] = B[k, i, j]


@sdfg.program
def swim(U: sdfg.float64[N, M], V: sdfg.float64[N, M], P: sdfg.float64[N, M], steps: sdfg.int64):
    """Shallow water: fluxes and vorticity, then the new state."""
    CU = np.zeros_like(U)
    CV = np.zeros_like(U)
    Z = np.zeros_like(U)
    H = np.zeros_like(U)
    for t in range(steps):
        for i in range(1, N):
            for j in range(1, M):
                CU[i, j] = 0.5 * (P[i, j] + P[i - 1, j]) * U[i, j]
                CV[i, j] = 0.5 * (P[i, j] + P[i, j - 1]) * V[i, j]
                Z[i, j] = (4.0 * (V[i, j] - V[i - 1, j]) - 4.0 * (U[i, j] - U[i, j - 1])) / (P[i - 1, j - 1] + P[i, j - 1] + P[i, j] + P[i - 1, j])
                H[i, j] = P[i, j] + 0.25 * (U[i, j] * U[i, j] + V[i, j] * V[i, j])
        for i in range(1, N - 1):
            for j in range(1, M - 1):
                U[i, j] += 0.01 * (Z[i, j + 1] + Z[i, j]) * (CV[i, j + 1] + CV[i, j]) - 0.02 * (H[i, j] - H[i - 1, j])
                V[i, j] += -0.01 * (Z[i + 1, j] + Z[i, j]) * (CU[i + 1, j] + CU[i, j]) - 0.02 * (H[i, j] - H[i, j - 1])
                P[i, j] += -0.02 * (CU[i + 1, j] - CU[i, j]) - 0.02 * (CV[i, j + 1] - CV[i, j])


@sdfg.program
def mgrid(U: sdfg.float64[N, N, N], V: sdfg.float64[N, N, N], R: sdfg.float64[N, N, N]):
    """The residual of a multigrid solver, 27 points."""
    for i in range(1, N - 1):
        for j in range(1, N - 1):
            for k in range(1, N - 1):
                R[i, j, k] = (V[i, j, k] + 2.6 * U[i, j, k] -
                              0.1 * (U[i - 1, j - 1, k] + U[i + 1, j - 1, k] + U[i - 1, j + 1, k] + U[i + 1, j + 1, k] +
                                     U[i, j - 1, k - 1] + U[i, j + 1, k - 1] + U[i, j - 1, k + 1] + U[i, j + 1, k + 1] +
                                     U[i - 1, j, k - 1] + U[i - 1, j, k + 1] + U[i + 1, j, k - 1] + U[i + 1, j, k + 1]) -
                              0.08 * (U[i - 1, j - 1, k - 1] + U[i + 1, j - 1, k - 1] + U[i - 1, j + 1, k - 1] + U[i + 1, j + 1, k - 1] +
                                      U[i - 1, j - 1, k + 1] + U[i + 1, j - 1, k + 1] + U[i - 1, j + 1, k + 1] + U[i + 1, j + 1, k + 1]))


@sdfg.program
def su3(A: sdfg.complex128[N, 3, 3], B: sdfg.complex128[N, 3, 3], C: sdfg.complex128[N, 3, 3]):
    """Products of small complex matrices, one a site of a lattice."""
    for s in range(N):
        for i in range(3):
            for j in range(3):
                x = 0j
                for k in range(3):
                    x += A[s, i, k] * B[s, k, j]
                C[s, i, j] = x


@sdfg.program
def viterbi(T: sdfg.float32[K, K], E: sdfg.float32[N, K], score: sdfg.float32[K]):
    """The best path through the states of a hidden Markov model."""
    old = np.empty((K,), np.float32)
    for t in range(N):
        for s in range(K):
            old[s] = score[s]
        for s in range(K):
            score[s] = old[0] + T[0, s]
        for p in range(1, K):
            for s in range(K):
                score[s] = max(score[s], old[p] + T[p, s])
        for s in range(K):
            score[s] += E[t, s]


@sdfg.program
def sad(A: sdfg.int32[N, M], B: sdfg.int32[N, M], S: sdfg.int64[K, K]):
    """Differences of a block with all moved blocks of another picture."""
    for dy in range(K):
        for dx in range(K):
            s = 0
            for i in range(N - K):
                for j in range(M - K):
                    s += abs(A[i, j] - B[i + dy, j + dx])
            S[dy, dx] = s


@sdfg.program
def fdtd3d(E: sdfg.float64[3, N, N, N], H: sdfg.float64[3, N, N, N], steps: sdfg.int64):
    """Maxwell's equations on a staggered grid."""
    for t in range(steps):
        for i in range(N - 1):
            for j in range(N - 1):
                for k in range(N - 1):
                    H[0, i, j, k] += 0.5 * (E[1, i, j, k + 1] - E[1, i, j, k] - E[2, i, j + 1, k] + E[2, i, j, k])
                    H[1, i, j, k] += 0.5 * (E[2, i + 1, j, k] - E[2, i, j, k] - E[0, i, j, k + 1] + E[0, i, j, k])
                    H[2, i, j, k] += 0.5 * (E[0, i, j + 1, k] - E[0, i, j, k] - E[1, i + 1, j, k] + E[1, i, j, k])
        for i in range(1, N):
            for j in range(1, N):
                for k in range(1, N):
                    E[0, i, j, k] += 0.5 * (H[2, i, j, k] - H[2, i, j - 1, k] - H[1, i, j, k] + H[1, i, j, k - 1])
                    E[1, i, j, k] += 0.5 * (H[0, i, j, k] - H[0, i, j, k - 1] - H[2, i, j, k] + H[2, i - 1, j, k])
                    E[2, i, j, k] += 0.5 * (H[1, i, j, k] - H[1, i - 1, j, k] - H[0, i, j, k] + H[0, i, j - 1, k])


@sdfg.program
def checksum(data: sdfg.uint8[N], out: sdfg.uint32[1]):
    """The check sum of Ethernet, bit by bit."""
    crc = np.uint32(0xFFFFFFFF)
    for i in range(N):
        crc = crc ^ np.uint32(data[i])
        for b in range(8):
            if crc & np.uint32(1):
                crc = (crc >> np.uint32(1)) ^ np.uint32(0xEDB88320)
            else:
                crc = crc >> np.uint32(1)
    out[0] = crc


@sdfg.program
def thomas(a: sdfg.float64[N, M], b: sdfg.float64[N, M], c: sdfg.float64[N, M], d: sdfg.float64[N, M]):
    """Tridiagonal systems, one a row."""
    for i in range(N):
        for k in range(M):
            b[i, k] += 4.0
        for k in range(1, M):
            w = a[i, k] / b[i, k - 1]
            b[i, k] -= w * c[i, k - 1]
            d[i, k] -= w * d[i, k - 1]
        d[i, M - 1] /= b[i, M - 1]
        for k in range(M - 2, -1, -1):
            d[i, k] = (d[i, k] - c[i, k] * d[i, k + 1]) / b[i, k]


@sdfg.program
def sobel(A: sdfg.float32[N, M], B: sdfg.float32[N, M]):
    """Edges of a smoothed picture."""
    S = np.zeros_like(A)
    for i in range(1, N - 1):
        for j in range(1, M - 1):
            S[i, j] = (np.float32(0.0625) * (A[i - 1, j - 1] + A[i - 1, j + 1] + A[i + 1, j - 1] + A[i + 1, j + 1]) +
                       np.float32(0.125) * (A[i - 1, j] + A[i + 1, j] + A[i, j - 1] + A[i, j + 1]) + np.float32(0.25) * A[i, j])
    for i in range(2, N - 2):
        for j in range(2, M - 2):
            x = S[i - 1, j + 1] - S[i - 1, j - 1] + np.float32(2) * (S[i, j + 1] - S[i, j - 1]) + S[i + 1, j + 1] - S[i + 1, j - 1]
            y = S[i + 1, j - 1] - S[i - 1, j - 1] + np.float32(2) * (S[i + 1, j] - S[i - 1, j]) + S[i + 1, j + 1] - S[i - 1, j + 1]
            B[i, j] = np.sqrt(x * x + y * y)


@sdfg.program
def harris(A: sdfg.float32[N, M], B: sdfg.float32[N - 4, M - 4]):
    """Corners of a picture: products of its derivatives, summed over neighbours."""
    x = (A[:-2, 2:] - A[:-2, :-2] + np.float32(2) * (A[1:-1, 2:] - A[1:-1, :-2]) + A[2:, 2:] - A[2:, :-2]) * np.float32(0.125)
    y = (A[2:, :-2] - A[:-2, :-2] + np.float32(2) * (A[2:, 1:-1] - A[:-2, 1:-1]) + A[2:, 2:] - A[:-2, 2:]) * np.float32(0.125)
    xx = x * x
    yy = y * y
    xy = x * y
    sxx = (xx[:-2, :-2] + xx[:-2, 1:-1] + xx[:-2, 2:] + xx[1:-1, :-2] + xx[1:-1, 1:-1] + xx[1:-1, 2:] + xx[2:, :-2] +
           xx[2:, 1:-1] + xx[2:, 2:])
    syy = (yy[:-2, :-2] + yy[:-2, 1:-1] + yy[:-2, 2:] + yy[1:-1, :-2] + yy[1:-1, 1:-1] + yy[1:-1, 2:] + yy[2:, :-2] +
           yy[2:, 1:-1] + yy[2:, 2:])
    sxy = (xy[:-2, :-2] + xy[:-2, 1:-1] + xy[:-2, 2:] + xy[1:-1, :-2] + xy[1:-1, 1:-1] + xy[1:-1, 2:] + xy[2:, :-2] +
           xy[2:, 1:-1] + xy[2:, 2:])
    trace = sxx + syy
    B[:] = sxx * syy - sxy * sxy - np.float32(0.04) * trace * trace


@sdfg.program
def unsharp(A: sdfg.float32[N, M], B: sdfg.float32[N - 4, M - 4]):
    """A picture with stronger edges: what smoothing takes away is added."""
    S = np.float32(0.0625) * (A[:, :-4] + A[:, 4:]) + np.float32(0.25) * (A[:, 1:-3] + A[:, 3:-1]) + np.float32(0.375) * A[:, 2:-2]
    smooth = np.float32(0.0625) * (S[:-4] + S[4:]) + np.float32(0.25) * (S[1:-3] + S[3:-1]) + np.float32(0.375) * S[2:-2]
    a = A[2:-2, 2:-2]
    B[:] = np.where(np.abs(a - smooth) < np.float32(0.01), a, np.float32(4) * a - np.float32(3) * smooth)


@sdfg.program
def blackscholes(S: sdfg.float64[N], X: sdfg.float64[N], T: sdfg.float64[N], price: sdfg.float64[N]):
    """Prices of options."""
    for i in range(N):
        v = 0.3 * np.sqrt(T[i] + 1.0)
        d1 = (np.log((S[i] + 1.0) / (X[i] + 1.0)) + 0.065 * (T[i] + 1.0)) / v
        d2 = d1 - v
        n1 = 0.5 * (1.0 + math.erf(d1 * 0.7071067811865476))
        n2 = 0.5 * (1.0 + math.erf(d2 * 0.7071067811865476))
        price[i] = (S[i] + 1.0) * n1 - (X[i] + 1.0) * np.exp(-0.02 * (T[i] + 1.0)) * n2
