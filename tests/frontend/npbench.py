"""NPBench's DaCe programs, run from source, against its NumPy versions: npbench.py SDFG-RUN CHECKOUT [NAME...]. Needs NumPy (spmv
also SciPy). Sizes are those of its preset S, cut to at most LARGEST where the program still makes sense then."""
import importlib.util
import inspect
import json
import os
import subprocess
import sys
import tempfile
import warnings

import numpy as np

LARGEST = 20


def load(path):
    spec = importlib.util.spec_from_file_location("module_" + os.path.basename(path)[:-3], path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def inputs(info, init, sizes):
    """The arguments by name: sizes, and what `initialize` makes of them."""
    given = dict(sizes)
    if info.get("init"):
        made = getattr(init, info["init"]["func_name"])(*[sizes[n] for n in info["init"]["input_args"]])
        made = made if isinstance(made, tuple) else (made,)
        given.update(zip(info["init"]["output_args"], made))
    return given


def reference(info, folder, sizes):
    given = inputs(info, load(f"{folder}/{info['module_name']}.py"), sizes)
    oracle = load(f"{folder}/{info['module_name']}_numpy.py")
    copies = {n: np.copy(given[n]) if isinstance(given[n], np.ndarray) else given[n] for n in info["input_args"]}
    result = getattr(oracle, info["func_name"])(*[copies[n] for n in info["input_args"]])
    outputs = {n: v for n, v in copies.items() if isinstance(v, np.ndarray) and v.ndim}
    results = result if isinstance(result, tuple) else () if result is None else (result,)
    for i, v in enumerate(results):
        outputs[f"__return_{i}" if isinstance(result, tuple) else "__return"] = np.atleast_1d(v)
    return given, outputs


def difference(want, got):
    if want.size != got.size:
        return f"has shape {got.shape}, expected {want.shape}"
    got = got.reshape(want.shape)
    single = want.dtype in (np.float32, np.complex64)
    if not np.allclose(want, got, rtol=1e-3 if single else 1e-8, atol=1e-4 if single else 1e-10, equal_nan=True):
        return f"differs by up to {np.nanmax(np.abs(want.astype(complex) - got))}"
    return None


def run(runner, info, folder, given, outputs):
    program = f"{folder}/{info['module_name']}_dace.py:{info['func_name']}"
    described = subprocess.run([runner, program, "--describe"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if described.returncode:
        return f"exit code {described.returncode}: {described.stdout}"
    wanted = [line.split()[0] for line in described.stdout.split("constraints")[0].split("\n")[2:] if line.strip()]
    with tempfile.TemporaryDirectory() as files:
        command = [runner, program]
        for name in wanted:
            if isinstance(given.get(name), np.ndarray) and given[name].ndim:
                np.save(f"{files}/{name}.npy", given[name])
                command.append(f"--{name}=@{files}/{name}.npy")
            elif name in given:
                command.append(f"--{name}={given[name]}")
        outputs = {n: v for n, v in outputs.items() if n in wanted} # adi's NumPy version returns its argument
        if not outputs:
            return "nothing to compare"
        command += [f"--output={n}=@{files}/out_{n}.npy" for n in outputs]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            return f"exit code {done.returncode}: {done.stdout}"
        for n, want in outputs.items():
            wrong = difference(np.asarray(want), np.load(f"{files}/out_{n}.npy"))
            if wrong:
                return f"{n} {wrong}"
    return None


def main():
    runner, checkout, only = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3:]
    warnings.simplefilter("ignore")
    passed = failed = 0
    for file in sorted(os.listdir(f"{checkout}/bench_info")):
        info = json.load(open(f"{checkout}/bench_info/{file}"))["benchmark"]
        folder = f"{checkout}/npbench/benchmarks/{info['relative_path']}"
        name = info["short_name"]
        if not os.path.exists(f"{folder}/{info['module_name']}_dace.py") or (only and name not in only):
            continue
        full = info["parameters"]["S"]
        wrong = "no sizes worked"
        for sizes in ({n: min(v, LARGEST) if isinstance(v, int) else v for n, v in full.items()}, full):
            try:
                given, outputs = reference(info, folder, sizes)
            except Exception as e:
                wrong = f"NumPy: {e}"
                continue
            wrong = run(runner, info, folder, given, outputs)
            if not wrong:
                break
        passed, failed = passed + (not wrong), failed + bool(wrong)
        print(f"{name}: {wrong.strip() if wrong else 'ok'}", flush=True)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
