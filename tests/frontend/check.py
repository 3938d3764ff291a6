"""The programs of programs/*.py against the results that CPython with NumPy gave (make.py): check.py SDFG-RUN [--every=N] [--OPTION...] [NAME...]; with
--every each Nth program and error. Other options are given to sdfg-run, and then errors are left out.
Types, shapes and integers must be equal, floating-point numbers up to rounding. Then errors.txt: what is refused, with
whole messages; a first line "# --N=2" gives arguments. SDFG_BLESS=1 rewrites that file."""
import json
import math
import os
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
CODES = {"bool": "?", "int8": "b", "int16": "h", "int32": "i", "int64": "q", "uint8": "B", "uint16": "H", "uint32": "I",
         "uint64": "Q", "float16": "e", "float32": "f", "float64": "d", "complex64": "f", "complex128": "d"}
KINDS = {"bool": "|b1", "int8": "|i1", "uint8": "|u1"}


def descr(dtype):
    if dtype in KINDS:
        return KINDS[dtype]
    bits = int("".join(c for c in dtype if c.isdigit()))
    return f"<{dtype[0]}{bits // 8}"


def write_npy(path, array):
    header = f"{{'descr': '{descr(array['dtype'])}', 'fortran_order': False, 'shape': {tuple(array['shape'])}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    values = [float(v) if isinstance(v, str) else v for v in array["values"]]
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        f.write(struct.pack(f"<{len(values)}{CODES[array['dtype']]}", *values))


def read_npy(path):
    with open(path, "rb") as f:
        raw = f.read()
    length = struct.unpack("<H", raw[8:10])[0]
    header = eval(raw[10:10 + length])
    dtype = next(d for d in CODES if descr(d) == header["descr"])
    values = struct.unpack(f"<{(len(raw) - 10 - length) // struct.calcsize(CODES[dtype])}{CODES[dtype]}", raw[10 + length:])
    return {"dtype": dtype, "shape": list(header["shape"]), "values": values}


def differs(want, got, loose=0, any_type=False):
    shape = want["shape"] or [1]  # results of one element are arrays
    if (want["dtype"] != got["dtype"] and not (loose and (any_type or shape == [1]))) or shape != got["shape"]:
        return f"is {got['dtype']}{got['shape']}, expected {want['dtype']}{want['shape']}"
    near = {"f": 1e-5 if want["dtype"] in ("float32", "complex64") else 1e-11, "c": 1e-11}.get(want["dtype"][0], 0)
    near = max(near, loose)
    for i, (a, b) in enumerate(zip(want["values"], got["values"])):
        a = float(a) if isinstance(a, str) else a
        same = a == b or (a != a and b != b) or (near and math.isclose(a, b, rel_tol=near, abs_tol=near))
        if not same:
            return f"[{i}] is {b}, expected {a}"
    return None


def scalar_text(array):
    v = array["values"]
    return f"{v[0]!r}" if len(v) == 1 else f"({v[0]!r}{v[1]:+r}j)"


def check(runner, path, name, case, loose=0, any_type=False, options=()):
    with tempfile.TemporaryDirectory() as folder:
        command = [runner, f"{path}:{name}", *options]
        for n, a in case["inputs"].items():
            if a["shape"]:
                write_npy(f"{folder}/{n}.npy", a)
                command.append(f"--{n}=@{folder}/{n}.npy")
            else:
                command.append(f"--{n}={scalar_text(a)}")
        outputs = {n: a for n, a in case["outputs"].items() if math.prod(a["shape"])}
        command += [f"--output={n}=@{folder}/out_{n}.npy" for n in outputs]
        command += ["--N=6"] if os.environ.get("SIZES") else []
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if run.returncode:
            return f"exit code {run.returncode}: {run.stdout.strip()}"
        for n, want in outputs.items():
            if not os.path.exists(f"{folder}/out_{n}.npy"):
                return f"{n} was not written"
            wrong = differs(want, read_npy(f"{folder}/out_{n}.npy"), loose, any_type)
            if wrong:
                return f"{n}{' ' if wrong[0] == 'i' else ''}{wrong}"
    return None


def check_errors(runner, every):
    path = os.path.join(HERE, "errors.txt")
    failed, blessed = 0, []
    with tempfile.TemporaryDirectory() as folder:
        for case in open(path).read().split("### ")[1::every]:
            name, rest = case.split("\n", 1)
            source, want = rest.split("\n---\n", 1)
            with open(f"{folder}/p.py", "w") as f:
                f.write(source + "\n")
            arguments = source.split("\n")[0][2:].split() if source.startswith("# --") else []
            run = subprocess.run([runner, "p.py:f", *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            said = [line for line in run.stdout.strip().split("\n") if not line.startswith("sdfg-run: the program is kept in ")]
            got = "\n".join(said) if run.returncode > 0 else f"exit code {run.returncode}"
            blessed.append(f"### {name}\n{source}\n---\n{got}\n")
            if got != want.strip():
                failed += 1
                print(f"error {name}: expected\n{want.strip()}\nbut got\n{got}")
    if os.environ.get("SDFG_BLESS") and every == 1:
        with open(path, "w") as f:
            f.write("".join(blessed))
        return 0, len(blessed)
    return failed, len(blessed)


def main():
    runner, only = os.path.abspath(sys.argv[1]), sys.argv[2:]
    every = int(only.pop(0)[8:]) if only and only[0].startswith("--every=") else 1
    options = [o for o in only if o.startswith("--")]
    only = [n for n in only if n not in options]
    jobs = []
    for file in sorted(os.listdir(os.path.join(HERE, "programs"))):
        path = os.path.join(HERE, "programs", file)
        if file.endswith(".py"):
            cases = json.load(open(path[:-3] + ".json"))
            jobs += [(path, n, c) for n, c in cases.items() if not only or n in only]
    jobs = jobs[::every]
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda j: check(runner, *j, options=options), jobs))
    failed = 0
    for (path, name, _), wrong in zip(jobs, results):
        if wrong:
            failed += 1
            print(f"{os.path.basename(path)}:{name}: {wrong}")
    errors, count = (0, 0) if only or options else check_errors(runner, every)
    print(f"{len(jobs) - failed} of {len(jobs)} programs, {count - errors} of {count} errors")
    sys.exit(failed + errors > 0)


if __name__ == "__main__":
    main()
