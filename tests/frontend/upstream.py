"""The programs of DaCe's own test files, run from source, against CPython with NumPy: upstream.py SDFG-RUN CHECKOUT [-v]
[FILE-PART[:PROGRAM]...]. Needs NumPy 2. All programs at module level whose parameters are annotated, of tests/numpy,
tests/python_frontend and samples; `plain.py` makes plain Python of what is DaCe's own. Prints what differs or is refused, then the
reasons by number. -v: whole messages. A program is right if it is so for one of the sizes: those that pass arrays of fixed
sizes to functions for all sizes mean one of them; messages are those of one process. What both refuse is right. Programs without a
result, and those that are not equal, are listed in upstream.txt with the reason; one that is not, or whose entry does not hold any
more, makes the script fail."""
import ast
import collections
import os
import multiprocessing
import re
import resource
import signal
import subprocess
import sys
import tempfile
import typing
import warnings

import numpy as np

import plain
import stand_in

FOLDERS = ("tests/numpy", "tests/python_frontend", "samples")
SIZES = ({}, 20, 32, 10)
TIME = 10  # seconds for a program in CPython or here
MEMORY = 4 << 30
ALONE = {"Px": 1, "Py": 1, "P": 1, "size": 1, "rank": 0}  # symbols of programs that send messages
REFUSED = ("TypeError: ufunc", "TypeError: divmod()", "UFuncTypeError", "_UFuncNoLoopError", "TypeError: bad operand", "TypeError: Cannot interpret", "ValueError: operands", "ValueError: could not broadcast", "ValueError: axes", "AttributeError: module 'numpy'",
           "numpy.exceptions.AxisError", "AxisError")


class Sizes(dict):
    """Sizes of symbols: all one number, or all different; of a grid of processes: one."""

    def __init__(self, same):
        super().__init__()
        self.same = same

    def __missing__(self, name):
        self[name] = ALONE.get(name, self.same or 6 + 2 * len(self))
        return self[name]


def programs(path):
    """The programs of a file: name and the decorator's keywords."""
    found = []
    for n in ast.parse(open(path).read()).body:
        if not isinstance(n, ast.FunctionDef):
            continue
        names = [ast.unparse(d) for d in n.decorator_list]
        if not any(re.match(r"(dace|dc)(\.program|\.function)?\b(?!\.)|compare_numpy_output", d) for d in names) or "mpi" in str(names):
            continue
        a = n.args
        if all(p.annotation for p in a.posonlyargs + a.args + a.kwonlyargs) and not a.vararg and not a.kwarg:
            text = " ".join(names)
            found.append((n.name, {k: f"{k}=True" in text for k in ("positive", "non_zero")} | {"numpy": "compare_numpy" in text}))
    return found


def argument(chance, d, options):
    dtype = plain.dtype_of(d)
    shape = getattr(d, "shape", ()) if isinstance(d, stand_in.Descriptor) else ()
    if dtype.kind == "b":
        v = chance.integers(0, 2, shape)
    elif dtype.kind in "iu":
        low = 1 if options["non_zero"] or not options["numpy"] else 0
        v = chance.integers(low if options["positive"] or dtype.kind == "u" or not options["numpy"] else -5, 4, shape)
        v = np.where(v == 0, 1, v) if options["non_zero"] else v
    elif dtype.kind == "c":
        v = chance.random(shape) * 4 - 2 + 1j * (chance.random(shape) * 4 - 2)
    else:
        v = chance.random(shape) * 10 - (0 if options["positive"] else 5)
    v = np.asarray(v).astype(dtype)
    return v if shape else bool(v) if v.dtype.kind == "b" else v[()]


def reference(path, name, options, same, unwritten=0):
    stand_in.SIZES = sizes = Sizes(same)
    module = plain.load(path, unwritten)
    f = getattr(module, name)
    chance = np.random.default_rng(42)
    given = {n: argument(chance, (typing.get_args(d) or (d,))[0], options) for n, d in f.__annotations__.items() if n != "return"}
    kept = {n: np.copy(v) if np.ndim(v) else v for n, v in given.items()}
    result = f(**given)
    outputs = {n: v for n, v in given.items() if isinstance(v, np.ndarray) and v.ndim}
    several = isinstance(result, (tuple, list))
    for i, v in enumerate(result if several else () if result is None else (result,)):
        outputs[f"__return_{i}" if several else "__return"] = np.asarray(v)
    return kept, outputs, dict(sizes)


def text_of(v):
    return repr(v.item()) if not isinstance(v, (bool, np.bool_)) else str(int(v))


def run(runner, path, name, options, given, outputs, sizes):
    program = f"{path}:{name}"
    with tempfile.TemporaryDirectory() as files:
        for n, v in given.items():
            if np.ndim(v):
                np.save(f"{files}/{n}.npy", v)
        def call(*arguments):
            done = subprocess.run([runner, program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIME,
                                  cwd=files, errors="replace")
            return done.returncode, done.stdout
        code, text = call("--describe")
        if code:
            return "refused", text
        wanted = [line.split()[0] for line in text.split("constraints")[0].split("\n")[2:] if line.strip()]
        arguments = [f"--set={n}=@{n}.npy" if np.ndim(given[n]) else f"--set={n}={text_of(given[n])}" for n in wanted if n in given]
        arguments += [f"--set={n}={sizes[n]}" for n in wanted if n in sizes and n not in given]
        compared = {n: v for n, v in outputs.items() if n in wanted and v.size}
        missing = [n for n in outputs if n.startswith("__return") and n not in wanted]
        if missing:
            return "wrong", f"there is no {missing[0]}"
        code, text = call(*arguments, *[f"--output={n}=@out_{n}.npy" for n in compared])
        if code:
            return "failed", text
        for n, want in compared.items():
            got = np.load(f"{files}/out_{n}.npy")
            if want.size != got.size or (options["numpy"] and want.shape != got.shape and want.ndim):
                return "wrong", f"{n} has shape {got.shape}, expected {want.shape}"
            if options["numpy"] and want.dtype != got.dtype:
                return "wrong", f"{n} is {got.dtype}, expected {want.dtype}"
            single = want.dtype in (np.float32, np.complex64, np.float16)
            if not np.allclose(want, got.reshape(want.shape), rtol=1e-3 if single else 1e-6, atol=1e-3 if single else 1e-8, equal_nan=True):
                with np.errstate(all="ignore"):
                    return "wrong", f"{n} differs: {got.ravel()[:6]}, expected {want.ravel()[:6]}"
    return "equal", ""


def give_up(*_):
    raise TimeoutError("took too long")


def prepare():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGALRM, give_up)
    sys.stdout = open(os.devnull, "w")
    warnings.simplefilter("ignore")
    plain.install()


def check(job):
    runner, path, name, options = job
    wrong, raised = None, []
    for same in SIZES:
        signal.alarm(TIME)
        try:
            with np.errstate(all="ignore"):
                found = reference(path, name, options, same)
            signal.alarm(0)
        except BaseException as e:
            signal.alarm(0)
            raised.append(f"{type(e).__name__}: {e}")
            wrong = wrong or ("no result", raised[-1])
            continue
        try:
            result = run(runner, path, name, options, *found)
        except subprocess.TimeoutExpired:
            return "failed", "took too long"
        if result[0] != "wrong":
            return result
        with np.errstate(all="ignore"):
            again = reference(path, name, options, same, unwritten=1)[1]
        if any(not np.array_equal(v, again[n], equal_nan=True) for n, v in found[1].items() if v.dtype.kind in "biufc"):
            return "equal", "" # the program reads what it has not written
        wrong = result if not wrong or wrong[0] == "no result" else wrong
    if wrong[0] == "no result":
        kind, text = run(runner, path, name, options, {}, {}, {})
        if kind == "refused":
            return ("equal", "") if any(e.startswith(REFUSED) for e in raised) else (kind, text)
    return wrong


def listed():
    """What upstream.txt expects of a program: "refused", "no result"..."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "upstream.txt")) as f:
        rows = [line.split(None, 1) for line in f if line.strip() and not line.startswith("#")]
    return {name: rest.split(":")[0] for name, rest in rows}


def main():
    arguments = [a for a in sys.argv[1:] if a != "-v"]
    verbose = len(arguments) < len(sys.argv) - 1
    runner, checkout, only = os.path.abspath(arguments[0]), os.path.abspath(arguments[1]), arguments[2:]
    jobs = []
    for folder in FOLDERS:
        for where, _, files in sorted(os.walk(f"{checkout}/{folder}")):
            for file in sorted(files):
                path = os.path.join(where, file)
                if file.endswith(".py"):
                    jobs += [(runner, path, n, o) for n, o in programs(path)
                             if not only or any(p.split(":")[0] in path and n == (p.split(":") + [n])[1] for p in only)]
    reasons, counts, table, surprises = collections.Counter(), collections.Counter(), listed(), 0
    pool = multiprocessing.Pool(2, prepare, maxtasksperchild=100)
    for (_, path, name, _), (kind, text) in zip(jobs, pool.imap(check, jobs)):
        program = f"{os.path.relpath(path, checkout)}:{name}"
        counts[kind] += 1
        if table.get(program, "equal") != kind:
            surprises += 1
            print(f"upstream.txt says {table.get(program, 'equal')}: {program} is {kind}", flush=True)
        if kind != "equal":
            line = text.strip() if verbose else (text.strip().split("\n") or [""])[0]
            print(f"{kind} {program}: {line}", flush=True)
            reasons[f"{kind}: {re.sub('[0-9]+', '#', text.strip().split(chr(10))[0])[:110]}"] += 1
    print("\n".join(f"{n:4} {r}" for r, n in reasons.most_common()))
    with_result = len(jobs) - counts["no result"]
    print(f"{len(jobs)} programs: " + ", ".join(f"{n} {k}" for k, n in counts.most_common()) +
          f"; {100 * counts['equal'] / max(with_result, 1):.1f} % of those that have a result")
    sys.exit(surprises > 0)


sys.dont_write_bytecode = True
if __name__ == "__main__":
    main()
