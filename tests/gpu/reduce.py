#!/usr/bin/env python3
"""reduce.py SDFG-RUN: reductions of all types by all operators over threads of a GPU: into one place, into one of each row, in a loop
around (one launch), and beside values that are not numbers. The CPU, with one thread, says what is right. --strict:
results are the same whatever the order of threads. --cubin: NVRTC makes machine code of them. --every=N/K: every Nth of the types from the Kth on."""
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy

SIZES = {"N": 700, "M": 70}
OPERATORS = {"sum": "a + b", "product": "a * b", "min": "min(a, b)", "max": "max(a, b)", "and": "a & b", "or": "a | b", "xor": "a ^ b",
             "all": "a and b", "any": "a or b"}
ARITHMETIC = ("sum", "product", "min", "max")
TYPES = {name: tuple(OPERATORS) for name in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")}
TYPES |= {"float32": ARITHMETIC, "float64": ARITHMETIC, "float16": ARITHMETIC, "complex64": ("sum", "product"), "complex128": ("sum", "product"),
          "bool": ("all", "any")}
TOLERANCE = {"float16": 0.05, "float32": 1e-4, "float64": 1e-11, "complex64": 1e-4, "complex128": 1e-11}


def memlet(data, subset, wcr=None):
    ranges = [{"start": s, "end": s, "step": "1", "tile": "1"} if isinstance(s, str) else {"start": s[0], "end": s[1], "step": "1", "tile": "1"}
              for s in subset]
    attributes = {"data": data, "subset": {"type": "Range", "ranges": ranges}}
    if wcr:
        attributes |= {"wcr": f"lambda a, b: {wcr}"}
    return {"type": "Memlet", "attributes": attributes}


def edge(src, dst, src_connector, dst_connector, data):
    return {"type": "MultiConnectorEdge", "src": str(src), "dst": str(dst), "src_connector": src_connector, "dst_connector": dst_connector,
            "attributes": {"data": data}}


def state(number, source, shape, target, index, wcr):
    """A map over the elements of `source`, each combined with an element of `target`."""
    params = ["i", "j"][: len(shape)]
    whole = [("0", f"{s}-1") for s in shape]
    node = {"MapEntry": {"label": "m", "params": params, "range": {"type": "Range", "ranges": [
        {"start": a, "end": b, "step": "1", "tile": "1"} for a, b in whole]}, "in_connectors": {"IN_x": None}, "out_connectors": {"OUT_x": None}},
        "MapExit": {"in_connectors": {"IN_y": None}, "out_connectors": {"OUT_y": None}},
        "Tasklet": {"label": "t", "code": {"string_data": "y = x", "language": "Python"}, "in_connectors": {"x": None}, "out_connectors": {"y": None}}}
    nodes = [{"type": kind, "label": kind, "id": i, "scope_entry": None if kind == "MapEntry" else "0", "scope_exit": "2", "attributes": a}
             for i, (kind, a) in enumerate([("MapEntry", node["MapEntry"]), ("Tasklet", node["Tasklet"]), ("MapExit", node["MapExit"])])]
    for i, name in enumerate((source, target)):
        nodes.append({"type": "AccessNode", "label": name, "id": 3 + i, "scope_entry": None, "scope_exit": None, "attributes": {"data": name}})
    all_of_target = [("0", "N-1")] if index == ["i"] else index
    edges = [edge(3, 0, None, "IN_x", memlet(source, whole)), edge(0, 1, "OUT_x", "x", memlet(source, params)),
             edge(1, 2, "y", "IN_y", memlet(target, index, wcr)), edge(2, 4, "OUT_y", None, memlet(target, all_of_target, wcr))]
    return {"type": "SDFGState", "label": f"s{number}", "id": number, "attributes": {}, "scope_dict": {"-1": [0, 3, 4], "0": [1, 2]},
            "nodes": nodes, "edges": edges}


def array(dtype, shape):
    strides = ["*".join(shape[k + 1 :]) or "1" for k in range(len(shape))]
    return {"type": "Array", "attributes": {"dtype": dtype, "shape": shape, "strides": strides, "total_size": "*".join(shape)}}


def program(dtype, operators):
    arrays = {"A": array(dtype, ["N"]), "B": array(dtype, ["N", "M"])}
    states = []
    for operator in operators:
        arrays |= {f"one_{operator}": array(dtype, ["2"]), f"row_{operator}": array(dtype, ["N"]), f"all_{operator}": array(dtype, ["1"])}
        for source, shape, target, index in (("A", ["N"], "one", ["1"]), ("B", ["N", "M"], "row", ["i"]), ("B", ["N", "M"], "all", ["0"])):
            states.append(state(len(states), source, shape, f"{target}_{operator}", index, OPERATORS[operator]))
    edges = [{"type": "Edge", "src": str(i), "dst": str(i + 1), "attributes": {"data": {"type": "InterstateEdge", "attributes": {
        "assignments": {}, "condition": {"string_data": "1", "language": "Python"}}}}} for i in range(len(states) - 1)]
    attributes = {"name": f"reduce_{dtype}", "arg_names": [], "_arrays": arrays, "symbols": {"N": "int64", "M": "int64"}}
    return {"type": "SDFG", "label": "", "attributes": attributes, "cfg_list_id": 0, "start_block": 0, "nodes": states, "edges": edges}


def values(dtype, shape, rng, operator):
    """Products stay small; there are zeros for the logical operators."""
    if dtype.startswith("complex"):
        return (values("float64", shape, rng, operator) + 1j * values("float64", shape, rng, operator) / 8).astype(dtype)
    if dtype == "float16": # sums that it can hold
        return rng.uniform(-0.05, 0.05, shape).astype(dtype)
    if dtype.startswith("float"):
        return (rng.uniform(0.97, 1.03, shape) if operator == "product" else rng.uniform(-1, 1, shape)).astype(dtype)
    if dtype == "bool":
        return rng.integers(0, 10, shape) > 0
    return rng.integers(1, 120, shape).astype(dtype)


class Test:
    def __init__(self, tool, folder):
        self.tool, self.folder, self.faults, self.count = tool, folder, [], 0

    def run(self, path, inputs, outputs, device, *options):
        words = [f"--{n}=@{self.folder / n}.npy" for n in inputs]
        results = {n: self.folder / f"{n}_{device}.npy" for n in outputs}
        words += [f"--output={n}=@{file}" for n, file in results.items()]
        done = subprocess.run([self.tool, path, *words, f"--device={device}", "--threads=1", "--no-cache", *options], capture_output=True, text=True)
        if done.returncode:
            self.faults.append(f"{path.name} on {device}: {done.stderr.strip()}")
            return None
        return {n: numpy.load(file) for n, file in results.items()}

    def compare(self, name, right, found, tolerance):
        self.count += 1
        good = numpy.allclose(right, found, rtol=tolerance, atol=tolerance, equal_nan=True) if tolerance else numpy.array_equal(right, found)
        if not good:
            self.faults.append(f"{name}: {found.ravel()[:4]} instead of {right.ravel()[:4]}")

    def check_type(self, dtype, operators):
        rng = numpy.random.default_rng(7)
        path = self.folder / f"reduce_{dtype}.sdfg"
        path.write_text(json.dumps(program(dtype, operators)))
        outputs = [f"{where}_{operator}" for operator in operators for where in ("one", "row", "all")]
        numpy.save(self.folder / "A.npy", values(dtype, (SIZES["N"],), rng, "product" if "product" in operators and "float" in dtype else "sum"))
        numpy.save(self.folder / "B.npy", values(dtype, (SIZES["N"], SIZES["M"]), rng, "product" if "float" in dtype else "sum"))
        for name in outputs:
            shape = {"one": (2,), "row": (SIZES["N"],), "all": (1,)}[name[:3]]
            numpy.save(self.folder / f"{name}.npy", values(dtype, shape, rng, "sum"))
        right, found = (self.run(path, ["A", "B", *outputs], outputs, device) for device in ("cpu", "cuda"))
        for name in outputs if right and found else ():
            self.compare(f"{dtype} {name}", right[name], found[name], TOLERANCE.get(dtype, 0))

    def check_kernels(self):
        """All that lead to one place are done by blocks."""
        path = self.folder / "reduce_int32.sdfg"
        text = subprocess.run([self.tool, path, "--emit=cuda"], capture_output=True, text=True).stdout
        groups = text.count("= sd_block_group<") + text.count("= (bool)__syncthreads_or(")
        self.count += 1
        if groups != 2 * len(OPERATORS):
            self.faults.append(f"{groups} reductions by blocks")

    def check_nan(self):
        """Threads without a value, or with NaN alone, change nothing that others have found."""
        path = self.folder / "reduce_float64.sdfg"
        path.write_text(json.dumps(program("float64", ("min", "max"))))
        outputs = [f"{where}_{operator}" for operator in ("min", "max") for where in ("one", "row", "all")]
        a, b = numpy.full(SIZES["N"], numpy.nan), numpy.full((SIZES["N"], SIZES["M"]), numpy.nan)
        numpy.save(self.folder / "A.npy", a)
        numpy.save(self.folder / "B.npy", b)
        for name in outputs:
            numpy.save(self.folder / f"{name}.npy", numpy.full({"one": 2, "row": SIZES["N"], "all": 1}[name[:3]], 5.0))
        right, found = (self.run(path, ["A", "B", *outputs], outputs, device) for device in ("cpu", "cuda"))
        for name in outputs if right and found else ():
            self.compare(f"NaN {name}", right[name], found[name], 1e-12)

    def check_strict(self):
        """The same bits in each order of threads, for one launch and for loops that are one."""
        path = self.folder / "reduce_float32.sdfg"
        path.write_text(json.dumps(program("float32", ("sum", "product"))))
        outputs = [f"{where}_{operator}" for operator in ("sum", "product") for where in ("one", "all")]
        rng = numpy.random.default_rng(3)
        for name, shape in {"A": 3000, "B": (3000, 41), **{n: 2 if n[:3] == "one" else 1 for n in outputs}}.items():
            numpy.save(self.folder / f"{name}.npy", rng.uniform(0.99, 1.01, shape).astype("float32"))
        results = []
        for order in ("forward", "reverse", "rotated"):
            os.environ["SDFG_STANDIN_ORDER"] = order
            results.append(self.run(path, ["A", "B", *outputs], outputs, "cuda", "--fp=strict"))
        for a, b in itertools.combinations([r for r in results if r], 2):
            for name in outputs:
                self.compare(f"strict {name}", a[name], b[name], 0)


def compile_all(tool, folder, types):
    """True: something does not compile. Exit code 77 without NVRTC."""
    faults = []
    for dtype, operators in types.items():
        path = folder / f"reduce_{dtype}.sdfg"
        path.write_text(json.dumps(program(dtype, operators)))
        done = subprocess.run([tool, path, "--emit=cubin", "--arch=sm_90", "-o", folder / "cubin"], capture_output=True, text=True)
        if done.returncode == 8:
            print(done.stderr)
            sys.exit(77)
        if done.returncode:
            faults.append(f"{dtype}: {done.stderr}")
    print("\n".join(faults))
    return bool(faults)


def sample(options):
    every, first = next((map(int, o.removeprefix("--every=").split("/")) for o in options if o.startswith("--every=")), (1, 0))
    return dict(list(TYPES.items())[first::every])


def main(tool, *options):
    with tempfile.TemporaryDirectory() as temporary:
        test = Test(tool, pathlib.Path(temporary))
        if "--cubin" in options:
            return compile_all(tool, test.folder, sample(options))
        if "--strict" in options:
            test.check_strict()
        else:
            types = sample(options)
            for dtype, operators in types.items():
                test.check_type(dtype, operators)
            if "int32" in types:
                test.check_kernels()
            test.check_nan()
    print("\n".join(test.faults))
    print(f"{test.count} results compared, {len(test.faults)} faults")
    return bool(test.faults) or not test.count


sys.exit(main(*sys.argv[1:]))
