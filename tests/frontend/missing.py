"""Prints the functions of NumPy and of Python's math for which frontend/functions.def has no row: missing.py, by a Python with NumPy 2
(numpy2.sh missing.py)."""
import math
import pathlib
import re

import numpy as np

TABLE = pathlib.Path(__file__).resolve().parents[2] / "frontend/functions.def"
MODULES = {"numpy": np, "numpy.linalg": np.linalg, "numpy.fft": np.fft, "ndarray": np.ndarray, "math": math}


def main():
    have = {module: set() for module in MODULES}
    for module, name in re.findall(r"^F\(([\w.]+), (\w+),", TABLE.read_text(), re.M):
        have.setdefault(module, set()).add(name)
    for module, value in MODULES.items():
        functions = [n for n in dir(value) if n[0] != "_" and callable(getattr(value, n)) and not isinstance(getattr(value, n), type)]
        missing = [n for n in functions if n not in have[module]]
        print(f"{module}: {len(functions) - len(missing)} of {len(functions)}; without: {' '.join(missing)}")


main()
