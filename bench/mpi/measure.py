#!/usr/bin/env python3
"""Programs on several processes of this machine: scaling, what messages cost, and a model of that.

    bench/mpi/measure.py [--bin=build/release] [--launcher="mpirun.mpich"] [--ranks=1,2,4,8] [--rounds=2] [--budget=400] [--out=bench/results/mpi]

Within eight minutes, one command writes bench/results/mpi.json and mpi.md. Strong scaling: one problem on 1, 2 ... processes, and on as many threads of one. Weak scaling: the problem grows with the processes.
The share of time in messages is what is above the same computation without them, on as
many processes at once (up to the processors: they share memory); it goes step by step, as messages between the steps force it to, so without
time skewing. One process and its threads are free to skew. Threads are those of one process that has the same problem. The volume is what the program sends, beside a lower bound:
for the stencil, its boundaries; for products, that of Irony, Toledo, Tiskin (2004) with the memory that the parts take.
The model of a message is latency + bytes / bandwidth, fitted to messages between two processes; of a program, its computation plus its messages in
turn. Products are our own form, not ScaLAPACK's. It is compared with what was measured; what it says of 1,024 processes is a prediction for a machine whose messages all cost the same."""
import argparse
import json
import math
import os
import pathlib
import shlex
import subprocess
import sys
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "bench"))
from machine import describe  # noqa: E402

OWN, KERNELS, EXAMPLE = (f"{TOP}/{file}" for file in ("bench/mpi/programs.py", "tests/mpi/kernels.py", "examples/mpi/jacobi_2d.py"))


def seconds(a, function, values, ranks=1, threads=1, repeat=5, options=()):
    """The fastest run, of the slowest process (all begin each run together, as their messages do)."""
    command = (shlex.split(a.launcher) + ["-n", str(ranks)] if ranks > 1 else []) + [
        str(a.bin / "sdfg-run"), function, *(f"--{n}={v}" for n, v in values.items()), f"--threads={threads}", f"--repeat={repeat}", "--warmup=2", "--time=json", *options]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300, env={**os.environ, "SDFG_SCALAPACK": "none"})
    text = done.stdout + done.stderr
    if done.returncode:
        sys.exit(f"{shlex.join(command)}\n{text}")
    return json.JSONDecoder().raw_decode(text[text.find('{"started"'):])[0]["least"]


def best(a, *args, **more):
    return min(seconds(a, *args, **more) for _ in range(a.rounds))


def fit(points):
    """Latency in s and bandwidth in bytes/s: least squares of relative errors."""
    w = [(1 / t, n / t) for n, t in points]
    aa, ab, bb = sum(x * x for x, _ in w), sum(x * y for x, y in w), sum(y * y for _, y in w)
    a, b = sum(x for x, _ in w), sum(y for _, y in w)
    d = aa * bb - ab * ab
    return (a * bb - b * ab) / d, d / (b * aa - a * ab)


def grid(ranks):
    x = max(d for d in range(1, int(math.sqrt(ranks)) + 1) if ranks % d == 0)
    return ranks // x, x


class Stencil:
    name, function, alone, steps = "jacobi_2d", f"{KERNELS}:jacobi_2d", f"{OWN}:stencil_alone", 50

    def __init__(self, rows=1024, columns=2048):
        self.rows, self.columns = rows, columns

    def values(self, ranks):
        return {"n": self.rows // ranks, "N": self.columns, "steps": self.steps}

    def grown(self, ranks):
        return Stencil(self.rows * ranks, self.columns)

    def messages(self, ranks):
        """Bytes of the messages that a process sends one after the other: those to both sides cross."""
        return [8 * self.columns] * (min(ranks - 1, 2) * self.steps)

    def bound(self, ranks):
        return 8 * self.columns * min(ranks - 1, 2) * self.steps


class Exchange(Stencil):
    """Square."""
    name, function = "jacobi_2d, blocking", f"{EXAMPLE}:jacobi_2d"

    def __init__(self):
        super().__init__(2048, 2048)

    def values(self, ranks):
        return {"P": ranks, "N": self.columns, "T": self.steps}

    def alone_values(self, ranks):
        return super().values(ranks)


class Gemm:
    name, function, alone = "gemm", f"{OWN}:gemm", f"{OWN}:gemm_alone"

    def __init__(self, m=1024, n=1024, k=1024):
        self.m, self.n, self.k = m, n, k

    def values(self, ranks):
        px, py = grid(ranks)
        if ranks == 1:
            return {"M": self.m, "N": self.n, "K": self.k}
        return {"Px": px, "Py": py, "lM": self.m // px, "lN": self.n // py, "lK": self.k // py, "lK2": self.k // px}

    def alone_values(self, ranks):
        px, py = grid(ranks)
        return {"M": self.m // px, "N": self.n // py, "K": self.k}

    def grown(self, ranks):
        px, py = grid(ranks)
        return Gemm(self.m * px, self.n * py, self.k)

    def messages(self, ranks):
        px, py = grid(ranks)
        panels = math.ceil(self.k / 256)
        hops = lambda p: math.ceil(math.log2(p)) if p > 1 else 0  # noqa: E731
        return [8 * 256 * self.m // px] * (panels * hops(py)) + [8 * 256 * self.n // py] * (panels * hops(px))

    def bound(self, ranks):
        if ranks == 1:
            return 0
        memory = (self.m * self.k + self.k * self.n + self.m * self.n) / ranks
        return max(0, 8 * (self.m * self.n * self.k / (2 * math.sqrt(2) * ranks * math.sqrt(memory)) - memory))


def of_one(p, ranks):
    """What a process computes, without messages."""
    return p.alone, p.alone_values(ranks) if hasattr(p, "alone_values") else p.values(ranks)


def computation(a, p, ranks, at_once):
    """Seconds of that, at_once processes side by side, in the order that messages between the steps allow."""
    return best(a, *of_one(p, ranks), ranks=at_once, options=["--passes=-time-skewing"])


def model(p, ranks, alone, latency, bandwidth, processors=None):
    """processors: how many the processes share; None: each has one."""
    return alone * max(1, ranks / (processors or ranks)) + sum(latency + n / bandwidth for n in p.messages(ranks))


def overlapped(a, p, ranks):
    """The same with and without the pass that lets messages go on, and without messages: how much of their time is hidden."""
    on = best(a, p.function, p.values(ranks), ranks=ranks)
    off = best(a, p.function, p.values(ranks), ranks=ranks, options=["--passes=-overlap"])
    alone = computation(a, p, ranks, ranks)
    hidden = (off - on) / (off - alone) if off > alone else None
    return {"program": p.name, "ranks": ranks, "seconds": on, "without_overlap_seconds": off, "alone_seconds": alone, "hidden_share": hidden}


def table(result):
    lines = [f"# Programs on several processes\n\n{result['launcher']} on {result['machine']['processors']} processors ({result['machine']['processor']}); bench/mpi/measure.py, "
             f"{result['seconds']:.0f} s. A message takes {result['latency_s'] * 1e6:.2f} us and {1e9 / result['bandwidth_bytes_per_s']:.3f} ns per byte.\n",
             "| program | scaling | processes | time | speed-up | of threads | share of messages | model / measured | volume / bound |", "|---|---|---|---|---|---|---|---|---|"]
    for r in result["programs"]:
        grown = r["ranks"] if r["scaling"] == "weak" else 1
        volume = f"{r['sent_bytes'] / r['bound_bytes']:.2f}" if r["bound_bytes"] else ""
        if "seconds" in r:
            lines.append(f"| {r['program']} | {r['scaling']} | {r['ranks']} | {r['seconds'] * 1e3:.2f} ms | {r['one_process'] / r['seconds'] * grown:.2f} | {r['one_process'] / r['threads_seconds'] * grown:.2f} | "
                         f"{r['messages_share']:.1%} | {r['model_seconds'] / r['seconds']:.2f} | {volume} |")
        else:
            lines.append(f"| {r['program']} | {r['scaling']} | {r['ranks']} | {r['predicted_seconds'] * 1e3:.2f} ms, a prediction | {r['one_process'] / r['predicted_seconds'] * grown:.0f} | | | | {volume} |")
    lines += ["", "Processes beyond the processors share them: the model counts the computation of all of them, not what their waiting costs the others. The prediction is "
              "for a machine with a processor for each process whose messages all cost what they cost here.", "",
              "| overlap | processes | with | without | no messages | hidden |", "|---|---|---|---|---|---|"]
    for r in result["overlap"]:
        hidden = "" if r["hidden_share"] is None else f"{r['hidden_share']:.0%}"
        lines.append(f"| {r['program']} | {r['ranks']} | {r['seconds'] * 1e3:.2f} ms | {r['without_overlap_seconds'] * 1e3:.2f} ms | {r['alone_seconds'] * 1e3:.2f} ms | {hidden} |")
    if result["left_out"]:
        lines += ["", f"Left out, since the time was up: {', '.join(result['left_out'])}."]
    return "\n".join(lines) + "\n"


def main():
    q = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    q.add_argument("--bin", type=pathlib.Path, default=TOP / "build/release")
    q.add_argument("--launcher", default="mpirun.mpich")
    q.add_argument("--ranks", default="1,2,4,8")
    q.add_argument("--rounds", type=int, default=2)
    q.add_argument("--budget", type=float, default=400, help="seconds after which no further measurement begins")
    q.add_argument("--out", type=pathlib.Path, default=TOP / "bench/results/mpi", help="without ending: .json and .md are written")
    a = q.parse_args()
    begin = time.monotonic()
    counts = [int(r) for r in a.ranks.split(",")]
    points = [(8 * n, best(a, f"{OWN}:ping", {"N": n, "times": 200}, ranks=2) / 400) for n in (1, 64, 1024, 8192, 65536, 524288)]
    latency, bandwidth = fit(points)
    print(f"a message: {latency * 1e6:.2f} us + {1e9 / bandwidth:.3f} ns per byte ({bandwidth / 1e9:.1f} GB/s)")
    result = {"machine": describe(), "launcher": a.launcher, "latency_s": latency, "bandwidth_bytes_per_s": bandwidth, "messages": points, "programs": [], "overlap": [], "left_out": []}
    processors = result["machine"]["processors"]

    def late(what):
        if time.monotonic() - begin > a.budget:
            result["left_out"].append(what)
        return time.monotonic() - begin > a.budget

    for p in Stencil(), Exchange():
        for ranks in counts:
            if ranks > 1 and ranks <= processors and not late(f"overlap of {p.name} on {ranks}"):
                result["overlap"].append(overlapped(a, p, ranks))
                print("overlap", {k: round(v, 5) if isinstance(v, float) else v for k, v in result["overlap"][-1].items()}, flush=True)
    print("                        processes      time  speed-up  threads  messages   model  volume/bound")
    for first in Stencil(), Gemm():
        one = best(a, *of_one(first, 1))
        for kind in "strong", "weak":
            for ranks in counts:
                p = first.grown(ranks) if kind == "weak" else first
                if late(f"{p.name}, {kind} scaling, {ranks}"):
                    continue
                alone = computation(a, p, ranks, min(ranks, processors)) if ranks > 1 else one
                t = best(a, p.function, p.values(ranks), ranks=ranks) if ranks > 1 else one
                name, values = of_one(p, 1) # the same problem
                threads = best(a, name, values, threads=min(ranks, processors)) if ranks > 1 else one
                bound, sent = p.bound(ranks), sum(p.messages(ranks))
                row = {"program": p.name, "scaling": kind, "ranks": ranks, "seconds": t, "one_process": one, "threads_seconds": threads, "alone_seconds": alone,
                       "messages_share": max(0, 1 - alone * max(1, ranks / processors) / t), "model_seconds": model(p, ranks, alone, latency, bandwidth, processors), "sent_bytes": sent, "bound_bytes": bound}
                result["programs"].append(row)
                speed = one / t * (ranks if kind == "weak" else 1)
                print(f"{p.name:10} {kind:8} {ranks:12d} {t * 1e3:9.2f} ms {speed:7.2f} {one / threads * (ranks if kind == 'weak' else 1):8.2f} {row['messages_share']:9.1%} {row['model_seconds'] / t:7.2f} "
                      f"{sent / bound if bound else 0:9.2f}", flush=True)
        p = first.grown(1024)
        alone = computation(a, p, 1024, 1) # each process has a processor and its memory
        t = model(p, 1024, alone, latency, bandwidth)
        result["programs"].append({"program": p.name, "scaling": "weak", "ranks": 1024, "predicted_seconds": t, "one_process": one, "alone_seconds": alone, "sent_bytes": sum(p.messages(1024)), "bound_bytes": p.bound(1024)})
        print(f"{p.name:10} weak             1024 {t * 1e3:9.2f} ms {one / t * 1024:7.0f}  (a prediction)")
    result["seconds"] = time.monotonic() - begin
    a.out.with_suffix(".json").write_text(json.dumps(result, indent=1) + "\n")
    a.out.with_suffix(".md").write_text(table(result))


main()
