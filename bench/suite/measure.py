#!/usr/bin/env python3
"""Programs that no pass was written for (kernels.py) against the same loops in plain C, by gcc and by clang with -O3 -march=native -fopenmp
(the C files beside this one); results are compared. Ratios are the time of the better compiler by ours: above 1 the JIT is faster.

  measure.py [--only=lbm,srad] [--threads=1,2] [--json=FILE]"""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from against_c import parser, run  # noqa: E402
from suite.sizes import ARGUMENTS  # noqa: E402


def main():
    a = parser(__doc__).parse_args()
    run({name: (f"{HERE / 'kernels.py'}:{name}", arguments, HERE / f"{name}.c") for name, arguments in ARGUMENTS.items()}, a)


main()
