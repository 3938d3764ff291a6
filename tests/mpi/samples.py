#!/usr/bin/env python3
"""DaCe's samples/distributed on several processes: samples.py BIN-DIR --samples=CHECKOUT/samples/distributed [--ranks 1,2,4,8], as run.py.

sdfg-run compiles the functions of the files and runs them on random parts; results against NumPy on the whole arrays. By command only."""
import pathlib
import subprocess
import sys

import numpy as np

import run as nodes


GRIDS = {1: (1, 1), 2: (2, 1), 4: (2, 2), 8: (4, 2)}
NOBODY = -1000
folder = None


class Case:
    """Parts of arrays on a grid of processes, and the call of one function."""

    def __init__(self, run, file):
        self.run, self.file, self.ranks = run, folder / file, run.ranks
        self.px, self.py = GRIDS[run.ranks]
        self.random = np.random.default_rng(5)
        self.given, self.symbols = {}, {"Px": self.px, "Py": self.py}

    def at(self, rank):
        return divmod(rank, self.py)

    def new(self, *shape):
        return self.random.random(shape)

    def everywhere(self, name, value):
        self.given[name] = [value] * self.ranks
        return value

    def split(self, whole, by="xy"):
        """The parts of all processes; `by`: along which dimension of the grid each dimension of the array is split, `.` for none."""
        parts = []
        for rank in range(self.ranks):
            index = []
            for size, along in zip(whole.shape, by):
                count, me = {"x": (self.px, self.at(rank)[0]), "y": (self.py, self.at(rank)[1]), "p": (self.ranks, rank), ".": (1, 0)}[along]
                index.append(slice(size // count * me, size // count * (me + 1)))
            parts.append(np.ascontiguousarray(whole[tuple(index)]))
        return parts

    def parts(self, name, whole, by="xy"):
        self.given[name] = self.split(whole, by)
        return whole

    def call(self, function, outputs, each=lambda rank: {}):
        """Results by name: those of all processes. each(rank): symbols that differ."""
        for name, values in self.given.items():
            for rank, value in enumerate(values):
                np.save(self.run.folder / f"{name}.{rank}.npy", value)
        command = [*self.run.launcher]
        for rank in range(self.ranks):
            known = {**self.symbols, **each(rank)}
            said = subprocess.run([str(self.run.binary), f"{self.file}:{function}", "--describe=json"], capture_output=True, text=True).stdout
            command += ([":"] if rank else []) + (["-n", "1"] if self.run.launcher else [])
            command += [str(self.run.binary), f"{self.file}:{function}", *(f"--{n}=@{self.run.folder}/{n}.{{rank}}.npy" for n in self.given),
                        *(f"--output={n}=@{self.run.folder}/{n}.out.{{rank}}.npy" for n in outputs), *(f"--{n}={v}" for n, v in known.items() if f'"{n}"' in said)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, env={**__import__("os").environ, "OMP_NUM_THREADS": "1", "SDFG_CACHE_DIR": str(self.run.cache)})
        if done.returncode:
            raise RuntimeError(f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return {n: [np.load(self.run.folder / f"{n}.out.{r}.npy") for r in range(self.ranks)] for n in outputs}


def close(what, got, wanted):
    for rank, (g, w) in enumerate(zip(got, wanted)):
        if g.shape != w.shape or not np.allclose(g, w, rtol=1e-12, atol=1e-12):
            raise RuntimeError(f"{what} on rank {rank}: {g.ravel()[:6]}, not {w.ravel()[:6]}")


# ---- products ----

def poly_gemm(run):
    for file, function, blocks in ("poly_gemm.py", "gemm_distr2", False), ("poly_gemm_bc.py", "gemm_distr3", True):
        c = Case(run, file)
        m, n, k = 8 * c.px, 8 * c.py, 8 * c.px * c.py
        a, b, x = c.new(m, k), c.new(k, n), c.new(m, n)
        c.symbols.update(alpha=1.5, beta=1.2, **({"Bx": 8, "By": 8} if blocks else {}))
        rows, columns, inner = ([np.arange(size) for size in (m, n, k)])
        if blocks: # in blocks of 8 x 8 the processes take turns
            def turns(index, count):
                return np.concatenate([index.reshape(-1, 8)[p::count].ravel() for p in range(count)])
            rows, columns, inner_a, inner_b = turns(rows, c.px), turns(columns, c.py), turns(inner, c.py), turns(inner, c.px)
        else:
            inner_a = inner_b = inner
        c.parts("A", a[np.ix_(rows, inner_a)])
        c.parts("B", b[np.ix_(inner_b, columns)])
        c.parts("C", x[np.ix_(rows, columns)])
        close(function, c.call(function, ["C"])["C"], c.split((1.5 * a @ b + 1.2 * x)[np.ix_(rows, columns)]))


def polybench_matrices(run):
    for function in "gemm", "k2mm", "k3mm":
        c = Case(run, "polybench.py")
        m, n, k, r, s = (c.ranks * f for f in (3, 5, 4, 2, 6))
        c.symbols.update(GM=m, GN=n, GK=k, GR=r, GS=s, alpha=1.5, beta=1.2)
        a, b = c.parts("A", c.new(m, k)), c.parts("B", c.new(k, n))
        if function == "gemm":
            name, wanted = "C", 1.5 * a @ b + 1.2 * c.parts("C", c.new(m, n))
        elif function == "k2mm":
            name, wanted = "D", 1.5 * a @ b @ c.parts("C", c.new(n, r)) + 1.2 * c.parts("D", c.new(m, r))
        else:
            name, wanted = "E", a @ b @ c.parts("C", c.new(n, r)) @ c.parts("D", c.new(r, s))
            c.parts("E", c.new(m, s))
        close(function, c.call(function, [name])[name], c.split(wanted))


def polybench_vectors(run):
    """Vectors are whole on all processes; what the first one has counts."""
    for function in "atax", "bicg", "gesummv", "mvt", "gemver":
        c = Case(run, "polybench.py")
        m, n = c.ranks * 3, c.ranks * (3 if function == "gemver" else 4)
        c.symbols.update(GM=m, GN=n, alpha=1.5, beta=1.2)
        a = c.parts("A", c.new(m, n))
        whole = {name: c.everywhere(name, c.new(n if name in columns else m)) for name, columns in
                 {"atax": {"x": "x", "y": "y"}, "bicg": {"p": "p", "r": "", "o1": "o1", "o2": ""}, "gesummv": {"x": "x", "y": ""},
                  "mvt": {"x1": "", "x2": "x2", "y_1": "y_1", "y_2": ""}, "gemver": {"w": "", "x": "x", "y": "", "z": "z"}}[function].items()}
        w = {name: value.copy() for name, value in whole.items()}
        if function == "atax":
            w["y"] = a.T @ (a @ w["x"])
        elif function == "bicg":
            w["o1"], w["o2"] = w["r"] @ a, a @ w["p"]
        elif function == "gesummv":
            w["y"] = 1.5 * a @ w["x"] + 1.2 * c.parts("B", c.new(m, n)) @ w["x"]
        elif function == "mvt":
            w["x1"], w["x2"] = w["x1"] + a @ w["y_1"], w["x2"] + w["y_2"] @ a
        else:
            u1, u2, v1, v2 = (c.parts(name, c.new(m if by == "x" else n), by) for name, by in (("u1", "x"), ("u2", "x"), ("v1", "y"), ("v2", "y")))
            a = a + np.outer(u1, v1) + np.outer(u2, v2)
            w["x"] = w["x"] + 1.2 * (w["y"] @ a) + w["z"]
            w["w"] = w["w"] + 1.5 * a @ w["x"]
        changed = [name for name in whole if not np.array_equal(w[name], whole[name])]
        got = c.call(function, changed)
        for name in changed:
            close(f"{function} {name}", got[name][:1], [w[name]])


def doitgen(run):
    c = Case(run, "polybench.py")
    a, c4 = c.parts("A", c.new(3 * c.ranks, 4, 5), "p.."), c.everywhere("C4", c.new(5, 5))
    close("doitgen", c.call("doitgen", ["A"])["A"], c.split(a @ c4, "p.."))


# ---- stencils ----

def sweeps(a, b, steps):
    inner = (slice(1, -1),) * a.ndim
    for _ in range(1, steps):
        for x, y in (a, b), (b, a):
            if a.ndim == 1:
                y[inner] = 0.33333 * (x[:-2] + x[1:-1] + x[2:])
            else:
                y[inner] = 0.2 * (x[1:-1, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] + x[2:, 1:-1] + x[:-2, 1:-1])


def jacobi_1d_scattered(run):
    if run.ranks == 1:
        return # for two processes or more
    c = Case(run, "jacobi_1d.py")
    c.symbols.update(TSTEPS=6, lN=4, size=c.ranks)
    a, b = c.everywhere("A", c.new(4 * c.ranks)), c.everywhere("B", c.new(4 * c.ranks))
    got = c.call("jacobi_1d_dist", ["A", "B"], lambda rank: {"rank": rank})
    # its boundaries keep what the scattered arrays have
    sweeps(a, b, 6)
    close("A", got["A"][:1], [a])
    close("B", got["B"][:1], [b])


def neighbours(c, rank):
    i, j = c.at(rank)
    at = {"nn": (i - 1, j), "ns": (i + 1, j), "nw": (i, j - 1), "ne": (i, j + 1)}
    inside = {n: 0 <= x < c.px and 0 <= y < c.py for n, (x, y) in at.items()}
    return {**{n: x * c.py + y if inside[n] else NOBODY for n, (x, y) in at.items()}, **{off: int(not inside[n]) for off, n in (("noff", "nn"), ("soff", "ns"), ("woff", "nw"), ("eoff", "ne"))}}


def jacobi_2d_scattered(run):
    c = Case(run, "jacobi_2d.py")
    c.symbols.update(TSTEPS=5, lNx=4, lNy=5)
    a, b = c.everywhere("A", c.new(4 * c.px, 5 * c.py)), c.everywhere("B", c.new(4 * c.px, 5 * c.py))
    got = c.call("jacobi_2d_dist", ["A", "B"], lambda rank: neighbours(c, rank))
    sweeps(a, b, 5)
    close("A", got["A"][:1], [a])
    close("B", got["B"][:1], [b])


def polybench_stencils(run):
    c = Case(run, "polybench.py")
    a, b = c.new(4 * c.ranks), c.new(4 * c.ranks)
    c.symbols.update(TSTEPS=4, LNx=4)
    c.given = {n: [np.pad(v, 1) for v in c.split(x, "p")] for n, x in (("A", a), ("B", b))}

    def ends(rank):
        first, last = rank == 0, rank == c.ranks - 1
        return {"woff": int(first), "eoff": int(last), "nw": NOBODY if first else rank - 1, "ne": NOBODY if last else rank + 1}
    got = c.call("jacobi_1d", ["A"], ends)
    sweeps(a, b, 4)
    close("jacobi_1d", [v[1:-1] for v in got["A"]], c.split(a, "p"))
    c = Case(run, "polybench.py")
    a, b = c.new(4 * c.px, 5 * c.py), c.new(4 * c.px, 5 * c.py)
    c.symbols.update(TSTEPS=4, LMx=4, LNy=5)
    c.given = {n: [np.pad(v, 1) for v in c.split(x)] for n, x in (("A", a), ("B", b))}
    got = c.call("jacobi_2d", ["A"], lambda rank: neighbours(c, rank))
    sweeps(a, b, 4)
    close("jacobi_2d", [v[1:-1, 1:-1] for v in got["A"]], c.split(a))


TESTS = [poly_gemm, polybench_matrices, polybench_vectors, doitgen, jacobi_1d_scattered, jacobi_2d_scattered, polybench_stencils]

if __name__ == "__main__":
    where = [a for a in sys.argv if a.startswith("--samples=")]
    if not where:
        sys.exit(__doc__)
    sys.argv.remove(where[0])
    folder = pathlib.Path(where[0].partition("=")[2]).resolve()
    sys.exit(nodes.main(TESTS))
