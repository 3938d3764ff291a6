"""Runs the programs by CPython with NumPy and writes their results: make.py; needs NumPy 2. The results are kept beside
them, so that the test itself (check.py) needs neither."""
import inspect
import json
import os
import sys
import warnings

import numpy as np

import plain
import stand_in

HERE = os.path.dirname(os.path.abspath(__file__))


def pattern(dtype, count, seed):
    i = np.arange(count) + seed
    if dtype.kind == "b":
        return i * 7 % 3 == 0
    if dtype.kind == "u":
        return (i * 5 % 11).astype(dtype)
    if dtype.kind == "i":
        return (i * 5 % 11 - 4).astype(dtype)
    if dtype.kind == "c":
        return ((i * 7 % 13 - 6) / 4 + 1j * ((i * 5 % 7 - 3) / 2)).astype(dtype)
    return ((i * 7 % 13 - 6) / 4).astype(dtype)


def listed(array):
    flat = np.asarray(array).ravel()
    if flat.dtype.kind == "c":
        return [x for v in flat for x in (float(v.real), float(v.imag))]
    return [repr(float(v)) if v != v or abs(v) == np.inf else v.item() for v in flat]


def record(array):
    array = np.asarray(array)
    return {"dtype": array.dtype.name, "shape": list(array.shape), "values": listed(array)}


def run(function):
    given, inputs = {}, {}
    for seed, (name, p) in enumerate(inspect.signature(function).parameters.items()):
        d = p.annotation
        if isinstance(d, stand_in.Descriptor):
            given[name] = pattern(d.dtype, int(np.prod(d.shape)), seed).reshape(d.shape)
        else:
            given[name] = d.dtype.type(3 + seed if d.dtype.kind in "iu" else 1.5 + seed)
        inputs[name] = record(given[name])
    result = function(**given)
    outputs = {n: record(v) for n, v in given.items() if isinstance(v, np.ndarray)}
    results = result if isinstance(result, tuple) else () if result is None else (result,)
    for i, v in enumerate(results):
        outputs[f"__return_{i}" if isinstance(result, tuple) else "__return"] = record(v)
    return {"inputs": inputs, "outputs": outputs}


def main():
    warnings.simplefilter("ignore")
    plain.install()
    for file in sorted(os.listdir(os.path.join(HERE, "programs"))):
        if not file.endswith(".py"):
            continue
        path = os.path.join(HERE, "programs", file)
        module = plain.load(path)
        lines = open(path).read().split("\n")
        results = {}
        for name, f in list(vars(module).items()):
            is_program = inspect.isfunction(f) and f.__module__ == module.__name__ and "program" in lines[f.__code__.co_firstlineno - 1]
            if is_program:
                results[name] = run(f)
        with open(path[:-3] + ".json", "w") as out:
            out.write("{\n" + ",\n".join(f'"{n}": {json.dumps(r)}' for n, r in results.items()) + "\n}\n")
        print(f"{file}: {len(results)} programs")


sys.dont_write_bytecode = True
if __name__ == "__main__":
    main()
