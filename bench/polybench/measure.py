#!/usr/bin/env python3
"""NPBench programs compiled in memory against plain C, by gcc and by clang with -O3 -march=native -fopenmp (the C files beside this
one). Ratios are the time of the better compiler by ours: above 1 the JIT is faster.

  measure.py [--only=gemm,lu] [--threads=1,2] [--corpus=FOLDER] [--json=FILE]"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[1]
sys.path.insert(0, str(TOP / "bench"))
from against_c import parser, run  # noqa: E402

# Their data must have structure: the recorded arrays are taken. The others get sizes that take milliseconds.
RECORDED = {"spmv", "lu", "cholesky", "trisolv"}
SIZES = {
    "gemm": "NI=200 NJ=220 NK=240", "atax": "M=800 N=1000", "bicg": "M=800 N=1000", "mvt": "N=1000", "gemver": "N=700",
    "gesummv": "N=700", "syrk": "M=100 N=140", "syr2k": "M=100 N=120", "trmm": "M=65 N=80", "doitgen": "NR=30 NQ=30 NP=64",
    "jacobi_1d": "TSTEPS=200 N=3200", "jacobi_2d": "TSTEPS=20 N=200", "heat_3d": "TSTEPS=10 N=40", "seidel_2d": "TSTEPS=8 N=80",
    "fdtd_2d": "TMAX=20 NX=200 NY=220", "softmax": "N=4 H=4 SM=128", "floyd_warshall": "N=150",
}


def arguments(name, corpus):
    if name not in RECORDED:
        return [f"--{pair}" for pair in SIZES[name].split()]
    folder = corpus / name
    args = [a for a in json.loads((folder / "case.json").read_text())["args"] if a.get("in") is not None]
    return [f"--set={a['name']}=" + (f"@{folder / a['in']}" if isinstance(a["in"], str) else str(a["in"])) for a in args]


def main():
    p = parser(__doc__)
    p.add_argument("--corpus", type=pathlib.Path, default=TOP / "build/corpus/npbench")
    a = p.parse_args()
    run({name: (a.corpus / name / "prog.sdfg", arguments(name, a.corpus), HERE / f"{name}.c") for name in [*SIZES, *RECORDED]}, a)


main()
