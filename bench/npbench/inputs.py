"""What NPBench's programs are called with."""
import importlib
import json
import sys

import numpy


class Inputs:
    """What NPBench's own code makes for a preset, by name, and how the recorded case gives it to the program."""

    def __init__(self, npbench, case, preset, perturb=False):
        info = json.loads((npbench / f"bench_info/{case.name}.json").read_text())["benchmark"]
        sys.path.insert(0, str(npbench))
        self.module = f"npbench.benchmarks.{info['relative_path'].replace('/', '.')}.{info['module_name']}"
        self.function, self.names, self.changed = info["func_name"], info["input_args"], info["output_args"]
        self.data = dict(info["parameters"][preset])
        numpy.random.seed(42)
        init = info.get("init")
        if init:
            made = getattr(importlib.import_module(self.module), init["func_name"])(
                *[self.data[name] for name in init["input_args"]])
            self.data.update(zip(init["output_args"], made if len(init["output_args"]) > 1 else [made]))
        if perturb:
            self.perturb()
        recorded = json.loads((case / "case.json").read_text())
        self.args, self.returns = {arg["name"]: arg for arg in recorded["args"]}, recorded["returns"]
        self.outputs = [name for name, arg in self.args.items() if "out" in arg]

    def perturb(self):
        """Changes each floating-point element by up to a hundredth at random: some inputs are so regular that wrong programs get them right."""
        for value in self.data.values():
            if isinstance(value, numpy.ndarray) and value.dtype.kind == "f":
                value *= 1 + 0.01 * numpy.random.random(value.shape).astype(value.dtype)

    def source(self, npbench):
        """The program for DaCe in the checkout, from which ours makes a graph of its own."""
        return f"{npbench}/{self.module.replace('.', '/')}_dace.py:{self.function}"

    def given(self, name):
        """The value of an argument as the program takes it, or None."""
        value, arg = self.data.get(name), self.args[name]
        if value is None or arg["kind"] != "array":
            return value if value is None else numpy.dtype(arg["dtype"]).type(value).item()
        value = numpy.ascontiguousarray(value, dtype=arg["dtype"])
        return value if value.ndim == len(arg["shape"]) else value.reshape(-1)
