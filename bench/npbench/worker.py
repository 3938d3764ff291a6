"""Times one program with one number of threads: our code and the versions named, which take turns call by call. Every
version has arrays of its own, which are set to the same contents before each call. Prints one line of JSON."""
import argparse
import ctypes
import importlib
import json
import os
import pathlib
import resource
import sys
import time

import numpy

from inputs import Inputs
from ours import FP, Program

SCALARS = {"int64_t": ctypes.c_int64, "int": ctypes.c_int, "int32_t": ctypes.c_int32, "long long": ctypes.c_int64,
           "double": ctypes.c_double, "float": ctypes.c_float, "bool": ctypes.c_bool, "uint32_t": ctypes.c_uint32}


MEMORY = 10 << 30  # sizes for which that is not enough fail here, and do no harm to others
REST = 0.2  # seconds; threads of NumPy's BLAS spin for 2^28 cycles when they have nothing to do. All rest: a call that
# follows at once finds processors that are awake


class Version:
    """`run` changes the arrays in `arrays`; those that are also in `clean` are reset before each call."""

    def __init__(self, arrays, clean):
        self.arrays, self.clean, self.times = arrays, clean, []

    def once(self, rest):
        for name, value in self.clean.items():
            self.arrays[name][...] = value
        begin = time.perf_counter()
        self.run()
        self.times.append(time.perf_counter() - begin)
        time.sleep(rest)

    def results(self, inputs):
        return {name: self.arrays[name] for name in inputs.outputs}


class Ours(Version):
    def __init__(self, inputs, library, file, threads, fp, other=None):
        """`other`: a version whose arrays this one uses, too, so that both work on the same memory."""
        given = {name: inputs.given(name) for name in inputs.args}
        clean = other.clean if other else {name: value for name, value in given.items() if isinstance(value, numpy.ndarray)}
        super().__init__({name: other.arrays[name] if other else value.copy() for name, value in clean.items()}, clean)
        self.program = Program(library, file, threads, fp)
        for name, value in given.items():
            if value is not None:
                self.program.give(name, self.arrays.get(name, value))
        for name in inputs.returns:
            shape, dtype = self.program.shape(name), self.program.dtype(name)
            same = other and other.arrays[name].shape == shape and other.arrays[name].dtype == dtype
            self.arrays[name] = other.arrays[name] if same else numpy.zeros(shape, dtype)
            self.program.give(name, self.arrays[name])
        self.run = self.program.bind()


class Dace(Version):
    def __init__(self, inputs, ours, folder):
        super().__init__({name: array.copy() for name, array in ours.arrays.items()}, ours.clean)
        how = json.loads((folder / "call.json").read_text())
        library = ctypes.CDLL(how["library"])
        init, call = library[f"__dace_init_{how['name']}"], library[f"__program_{how['name']}"]
        init.restype = ctypes.c_void_p

        def argument(kind, name):
            if kind == "pointer":
                return ctypes.c_void_p(self.arrays[name].ctypes.data)
            value = inputs.given(name) if name in inputs.args else None
            return SCALARS[kind](ours.program.value(name) if value is None else value)

        self.handle = ctypes.c_void_p(init(*[argument(*one) for one in how["init"]]))
        values = [argument(*one) for one in how["call"]]
        self.run = lambda: call(self.handle, *values)


class Python(Version):
    def __init__(self, inputs, suffix, function=None):
        function = function or getattr(importlib.import_module(f"{inputs.module}_{suffix}"), inputs.function)
        arrays = {name: value.copy() for name, value in inputs.data.items() if isinstance(value, numpy.ndarray)}
        super().__init__(arrays, {name: inputs.data[name] for name in arrays})
        values = [arrays.get(name, inputs.data[name]) for name in inputs.names]

        def run():
            self.returned = function(*values)
        self.run = run

    def results(self, inputs):
        returned = self.returned if isinstance(self.returned, tuple) else (self.returned,)
        return {**{name: self.arrays[name] for name in inputs.outputs if name in self.arrays},
                **dict(zip(inputs.returns, returned))}


class Jax(Version):
    """Its arrays never change: what NPBench calls changed is returned."""

    def __init__(self, inputs):
        import jax
        jax.config.update("jax_enable_x64", True)
        function = getattr(importlib.import_module(f"{inputs.module}_jax"), inputs.function)
        super().__init__({}, {})
        values = [jax.numpy.asarray(v) if isinstance(v, numpy.ndarray) else v for v in (inputs.data[n] for n in inputs.names)]

        def run():
            self.returned = jax.block_until_ready(function(*values))
        self.run = run

    def results(self, inputs):
        returned = self.returned if isinstance(self.returned, (tuple, list)) else (self.returned,)
        names = inputs.changed if len(returned) == len(inputs.changed) else inputs.returns
        return {name: numpy.asarray(value) for name, value in zip(names, returned)}


def pythran(inputs, npbench, built):
    """The function of a module that Pythran compiles as NPBench has it, once for all runs."""
    import importlib.util
    import subprocess
    source = npbench / (inputs.module.replace(".", "/") + "_pythran.py")
    library = built / f"{source.stem}.so"
    if not library.exists():
        built.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-m", "pythran.run", "-DUSE_XSIMD", "-fopenmp", "-march=native", "-ffast-math", str(source), "-o",
                        str(library)], check=True, capture_output=True)
    spec = importlib.util.spec_from_file_location(source.stem, library)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, inputs.function)


def docc(inputs, threads):
    """docc's own form of the version for NumPy, for all cores or one."""
    from docc.python import native
    function = getattr(importlib.import_module(f"{inputs.module}_numpy"), inputs.function)
    return native(function, target="sequential" if threads == 1 else "openmp", category="server")


def version_of(a, name, inputs, ours):
    if name in ("plain", "autoopt"):
        return Dace(inputs, ours, a.dace / a.case.name / name)
    if name == "source":
        return Ours(inputs, a.library, inputs.source(a.npbench), a.threads, a.fp, ours)
    if name == "jax":
        return Jax(inputs)
    function = pythran(inputs, a.npbench, a.built) if name == "pythran" else docc(inputs, a.threads) if name == "docc" else None
    return Python(inputs, name, function)


def difference(a, b):
    """The largest, relative to the largest value; NaN equals NaN."""
    a, b = numpy.asarray(a), numpy.asarray(b)
    if a.dtype == bool or a.size != b.size:
        return float(a.size != b.size)
    b = b.reshape(a.shape)
    largest = numpy.nanmax(numpy.abs(b), initial=0) or 1
    if not numpy.array_equal(numpy.isnan(a), numpy.isnan(b)):
        return 1.0
    return float(numpy.nanmax(numpy.abs(a - b), initial=0) / largest)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("versions", nargs="*")
    for option in "--library", "--case", "--npbench":
        parser.add_argument(option, type=pathlib.Path, required=True)
    parser.add_argument("--dace", type=pathlib.Path)
    parser.add_argument("--built", type=pathlib.Path, help="where Pythran's modules are kept")
    parser.add_argument("--perturb", action="store_true", help="inputs are changed a little at random")
    parser.add_argument("--sdfg", default="prog.sdfg")
    parser.add_argument("--preset", default="M")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--fp", choices=FP, default="default")
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--realtime", action="store_true")
    a = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    inputs = Inputs(a.npbench, a.case, a.preset, a.perturb)
    ours = Ours(inputs, a.library, a.case / a.sdfg, a.threads, a.fp)
    versions = {"ours": ours}
    for name in a.versions:
        versions[name] = version_of(a, name, inputs, ours)
    if a.realtime:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
    rest = REST if a.threads != 1 and any(isinstance(version, (Python, Jax)) for version in versions.values()) else 0
    error = {}
    for name, version in versions.items():
        version.once(rest)  # not counted
        found = version.results(inputs)
        if name == "ours":
            wanted = {n: value.copy() for n, value in found.items()}
        else:
            error[name] = max((difference(wanted[n], value) for n, value in found.items()), default=None)
        version.once(rest)  # the first one may have compiled
    # As many rounds as fit, from a guess by the second; few are enough where a call is long.
    rounds = int(a.seconds / max(sum(version.times[1] for version in versions.values()), 1e-9))
    for version in versions.values():
        version.times.clear()
    for number in range(min(max(rounds, 4), 21 if rest else 101)):
        for version in list(versions.values())[::-1 if number % 2 else 1]: # each is as often behind the other as before it
            version.once(rest)
    print(json.dumps({"times": {name: version.times for name, version in versions.items()}, "error": error}))


if __name__ == "__main__":
    main()
