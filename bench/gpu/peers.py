"""peers.py --npbench=CHECKOUT: NPBench on one GPU by this engine, CuPy, JAX, and DaCe as built by `dace_builds.py`. All arrays lie on the device, a call is through when its results
are there, and every version starts from the same values. Times are medians of calls in turn within one process; processes of several
programs start and make their inputs at the same time, but only one at a time uses the device. Prints a table, and writes JSON."""
import argparse
import concurrent.futures
import ctypes
import fcntl
import importlib
import json
import math
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
SCALARS = {"int64_t": ctypes.c_int64, "int": ctypes.c_int, "int32_t": ctypes.c_int32, "double": ctypes.c_double, "float": ctypes.c_float, "bool": ctypes.c_bool}
DTYPES = {"double": "float64", "float": "float32", "dace::complex128": "complex128", "dace::complex64": "complex64", "unsigned char": "uint8"}
VERSIONS = ("ours", "cupy", "jax", "dace")


# ---- one program, in a process of its own ----

class Version:
    """`begin` gives the arguments their first values, `run` is one call, `wait` returns when it is through."""

    def __init__(self, begin, run, wait, results):
        self.begin, self.run, self.wait, self.results, self.times = begin, run, wait, results, []

    def once(self):
        self.begin()
        self.wait()
        start = time.perf_counter()
        self.run()
        self.wait()
        self.times.append(time.perf_counter() - start)


def on_device(cupy, inputs, names):
    """CuPy arrays of the values named, and a function that resets those that calls change."""
    import numpy
    first = {name: cupy.asarray(value) for name, value in inputs.items() if name in names and isinstance(value, numpy.ndarray)}
    now = {name: value.copy() for name, value in first.items()}

    def begin():
        for name, value in first.items():
            now[name][...] = value
    return now, begin


def ours(inputs, options, cupy, numpy):
    given = {name: inputs.given(name) for name in inputs.args}
    arrays, begin = on_device(cupy, given, set(given))
    import sdfg
    compiled = sdfg.compile(options.corpus / options.worker / options.sdfg, device="cuda")
    values = {name: arrays.get(name, value) for name, value in given.items() if value is not None}
    made = compiled(**values)
    made = made if isinstance(made, tuple) else (made,)
    results = {name: cupy.asarray(numpy.atleast_1d(value)) for name, value in zip(inputs.returns, made)}
    bound = compiled.bind(**values, **results)
    shown = {**{name: arrays[name] for name in inputs.outputs if name in arrays}, **results}
    return Version(begin, bound, cupy.cuda.Device().synchronize, lambda: {name: cupy.asnumpy(value) for name, value in shown.items()})


def of_python(inputs, suffix, cupy, arrays, begin, wait):
    function = getattr(importlib.import_module(f"{inputs.module}_{suffix}"), inputs.function)
    returned = []

    def run():
        returned[:] = [function(*[arrays.get(name, inputs.data[name]) for name in inputs.names])]
        wait(returned[0])

    def results():
        found = returned[0] if isinstance(returned[0], tuple) else (returned[0],)
        if suffix == "jax": # what is changed is returned: the changed arguments first
            return dict(zip(inputs.returns, found)) if inputs.returns else {}
        shown = {**{name: arrays[name] for name in inputs.outputs if name in arrays}, **dict(zip(inputs.returns, found))}
        return {name: cupy.asnumpy(value) for name, value in shown.items()}
    return Version(begin, run, lambda: None, results)


def cupy_version(inputs, options, cupy, numpy):
    arrays, begin = on_device(cupy, inputs.data, set(inputs.names))
    return of_python(inputs, "cupy", cupy, arrays, begin, lambda _: cupy.cuda.Device().synchronize())


def jax_version(inputs, options, cupy, numpy):
    import jax
    jax.config.update("jax_enable_x64", True)
    arrays = {name: jax.numpy.array(value) for name, value in inputs.data.items() if isinstance(value, numpy.ndarray)}
    return of_python(inputs, "jax", cupy, arrays, lambda: None, jax.block_until_ready)


def dace_version(inputs, options, cupy, numpy):
    """The library of `dace_builds.py`; symbols are NPBench's parameters or extents of arguments."""
    about = json.loads((options.dace / f"{options.worker}.json").read_text())
    library = ctypes.CDLL(str((options.dace / f"{options.worker}.so").absolute()))
    begin_program, program = library[f"__dace_init_{about['name']}"], library[f"__program_{about['name']}"]
    types = {arg["name"]: arg["type"] for arg in about["arguments"]}
    shapes = {arg["name"]: arg["shape"] for arg in about["arguments"] if arg["shape"] is not None}
    given = {name: inputs.given(name) for name in inputs.args}
    arrays, begin = on_device(cupy, given, set(shapes))
    values = {name: value for name, value in given.items() if value is not None and name not in arrays}
    for name, value in arrays.items():
        values.update((extent, n) for extent, n in zip(shapes[name], value.shape) if extent.isidentifier())
    for name in inputs.returns:
        shape = tuple(int(eval(extent, {"int_floor": lambda a, b: a // b}, values)) for extent in shapes[name])
        arrays[name] = cupy.zeros(shape, DTYPES.get(types[name]) or types[name].removesuffix("_t"))
    passed = [ctypes.c_void_p(arrays[name].data.ptr) if name in shapes else SCALARS[types[name]](values[name]) for name in types]
    begin_program.restype = ctypes.c_void_p
    state = ctypes.c_void_p(begin_program(*[SCALARS[types.get(name, "int64_t")](values[name]) for name in about["symbols"]]))
    if not state.value:
        raise RuntimeError("the program's initialization fails")
    shown = {name: arrays[name] for name in [*inputs.outputs, *inputs.returns] if name in arrays}
    return Version(begin, lambda: program(state, *passed), cupy.cuda.Device().synchronize, lambda: {name: cupy.asnumpy(value) for name, value in shown.items()})


def difference(a, b, numpy):
    """The largest, relative to the largest value; None where the results are not comparable."""
    a, b = numpy.asarray(a), numpy.asarray(b)
    if a.size != b.size or a.dtype == bool:
        return None
    b = b.reshape(a.shape)
    largest = numpy.nanmax(numpy.abs(b), initial=0) or 1
    return float(numpy.nanmax(numpy.abs(a - b), initial=0) / largest)


def too_long(number, frame):
    raise TimeoutError("the first call takes too long")


class Answer:
    """What is known of a program so far. A compiler of a peer that does not come back cannot be interrupted: then the process ends with that."""

    def __init__(self):
        self.versions, self.faults, self.errors, self.working, self.until = {}, {}, {}, None, math.inf
        threading.Thread(target=self.watch, daemon=True).start()

    def watch(self):
        while time.monotonic() < self.until:
            time.sleep(0.2)
        self.faults.setdefault(self.working or "all", "does not come back")
        self.tell()
        os._exit(0)

    def tell(self):
        times = {name: sorted(version.times) for name, version in self.versions.items()}
        print(json.dumps({"times": {name: found[len(found) // 2] for name, found in times.items() if found}, "faults": self.faults, "errors": self.errors}), flush=True)


def one(options):
    sys.path[:0] = [str(TOP / "bench/npbench"), str(TOP / "python")]
    import cupy
    import numpy
    from inputs import Inputs  # noqa: E402
    inputs = Inputs(options.npbench, options.corpus / options.worker, options.preset)
    makers = {"ours": ours, "dace": dace_version, "cupy": cupy_version, "jax": jax_version}
    lock = open(options.work / "lock", "w")
    wanted = None
    for name in options.versions: # what takes long to load
        importlib.import_module({"ours": "sdfg", "dace": "numpy"}.get(name, name))
    fcntl.flock(lock, fcntl.LOCK_EX)
    answer, end = Answer(), time.monotonic() + options.timeout # waiting for the device does not count
    signal.signal(signal.SIGALRM, too_long)
    for name in sorted(options.versions, key=list(makers).index):
        patience = max(1, min(options.patience, int(end - time.monotonic())))
        answer.working, answer.until = name, time.monotonic() + patience + 3
        signal.alarm(patience)
        try:
            version = makers[name](inputs, options, cupy, numpy)
            started = time.perf_counter()
            version.once()
            if time.perf_counter() - started > options.longest:
                answer.faults[name] = f"a call of {time.perf_counter() - started:.1f} s"
                continue
            found = version.results()
            if wanted is None:
                wanted = {key: numpy.array(value) for key, value in found.items()}
            else:
                answer.errors[name] = max((d for d in (difference(wanted[key], value, numpy) for key, value in found.items() if key in wanted)
                                           if d is not None), default=None)
            version.times.clear()
            version.once()
            version.once()
            answer.versions[name] = version
        except Exception as error: # what a peer raises is its answer
            answer.faults[name] = f"{type(error).__name__}: {str(error).splitlines()[0][:150] if str(error) else ''}"
        finally:
            signal.alarm(0)
    answer.working, answer.until = None, time.monotonic() + options.seconds + 10 * options.longest
    end = time.perf_counter() + options.seconds
    for turn in range(50):
        if turn >= 3 and time.perf_counter() > end:
            break
        for version in answer.versions.values():
            version.once()
    answer.until = math.inf
    answer.tell()


# ---- all of them ----

def measure(options, name):
    command = [sys.executable, "-B", __file__, f"--worker={name}"] + [word for word in sys.argv[1:] if not word.startswith("--programs")]
    left = options.end - time.monotonic()
    if left < 5:
        return name, {"times": {}, "faults": {"all": "left out"}, "errors": {}}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=left,
                              env={**os.environ, "XLA_PYTHON_CLIENT_PREALLOCATE": "false"})
    except subprocess.TimeoutExpired:
        return name, {"times": {}, "faults": {"all": f"more than {left:.0f} s"}, "errors": {}}
    lines = done.stdout.strip().splitlines()
    if done.returncode or not lines:
        return name, {"times": {}, "faults": {"all": (done.stderr.strip().splitlines() or ["no message"])[-1][:200]}, "errors": {}}
    return name, json.loads(lines[-1])


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def table(found, versions):
    lines = ["| program | " + " | ".join(f"{v}, ms" for v in versions) + " | " + " | ".join(f"{v}/ours" for v in versions[1:]) + " | error | remarks |",
             "|---" * (2 * len(versions) + 2) + "|"]
    ratios = {v: [] for v in versions[1:]}
    for name, row in sorted(found.items()):
        times = row["times"]
        cells = [f"{1e3 * times[v]:.4g}" if v in times else "" for v in versions]
        for v in versions[1:]:
            both = v in times and "ours" in times
            ratios[v] += [times[v] / times["ours"]] if both else []
            cells.append(f"{times[v] / times['ours']:.3g}" if both else "")
        errors = [error for error in row["errors"].values() if error is not None]
        lines.append(f"| {name} | " + " | ".join(cells) + f" | {max(errors):.1e} | " if errors else f"| {name} | " + " | ".join(cells) + " | | ")
        lines[-1] += "; ".join(f"{v}: {text}" for v, text in row["faults"].items()) + " |"
    lines += [""] + [f"Geometric mean of {len(r)} ratios {v}/ours: {mean(r):.3g}" for v, r in ratios.items()]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--npbench", type=pathlib.Path, required=True, help="a checkout of NPBench")
    parser.add_argument("--corpus", type=pathlib.Path, default=TOP / "build/corpus/npbench", help="recorded cases")
    parser.add_argument("--dace", type=pathlib.Path, help="the folder that dace_builds.py has filled; without it DaCe is left out")
    parser.add_argument("--sdfg", default="prog.sdfg")
    parser.add_argument("--versions", type=lambda text: text.split(","), default=list(VERSIONS), help=",".join(VERSIONS))
    parser.add_argument("--programs", type=lambda text: text.split(","), help="names, with ',' between them (all)")
    parser.add_argument("--preset", default="paper", help="of NPBench: S, M, L or paper")
    parser.add_argument("--jobs", type=int, default=min(6, os.cpu_count() or 1), help="processes that prepare at the same time")
    parser.add_argument("--seconds", type=float, default=0.7, help="of measuring one program, at least three calls")
    parser.add_argument("--longest", type=float, default=4, help="seconds: versions with a longer call are left out")
    parser.add_argument("--patience", type=int, default=20, help="seconds until a version is there and was called once")
    parser.add_argument("--timeout", type=float, default=60, help="seconds of one program on the device, until all versions are there")
    parser.add_argument("--minutes", type=float, default=5, help="for all of them")
    parser.add_argument("--work", type=pathlib.Path, default=TOP / "build", help="a folder to write to")
    parser.add_argument("--output", type=pathlib.Path, help="folder/name: name.json and name.md are written there")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.versions = [name for name in options.versions if name != "dace" or options.dace]
    if options.worker:
        return one(options)
    options.end = time.monotonic() + 60 * options.minutes
    names = options.programs or [p.parent.name for p in sorted(options.corpus.glob("*/case.json"))]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        found = dict(pool.map(lambda name: measure(options, name), names))
    text = table(found, options.versions)
    print(text)
    if options.output:
        options.output.with_suffix(".json").write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
        options.output.with_suffix(".md").write_text(text)


main()
