#!/usr/bin/env python3
"""dace_tests.py BUILD [--cases=FOLDER] [--orders=ORDER,ORDER] [--cache=FOLDER] [--out=FILE]: every recorded case of DaCe's tests that passes on the CPU, run
with --device=cuda on the stand-ins of BUILD, in each of the orders of threads (forward, reverse, rotated). A case passes, is refused with
the path of an element, or fails. Writes a table to FILE (bench/results/gpu-dace-tests.md); the exit code is 1 if a case fails that passes
on the CPU. The cases take some minutes for each order; kernels are kept in the cache's folder."""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
EXPECTED = TOP / "tests/corpus/expected-fail.txt"  # results that are not defined


def with_kernels(build, cases):
    """Cases whose programs have some."""
    def asks(case):
        done = subprocess.run([build / "sdfg-run", case / "prog.sdfg", "--device=cuda", "--emit=cuda"], capture_output=True)
        return done.returncode == 0

    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("SDFG_JOBS", os.cpu_count()))) as pool:
        return sum(pool.map(asks, cases))


def run(build, cases, device, cache, order):
    """{case: what is said of it}, of those that do not pass, and the number of those that do."""
    env = dict(os.environ, OMP_NUM_THREADS="1", SDFG_STANDIN_ORDER=order or "forward")
    env |= {"SDFG_CUDA": f"{build}/libstandin-cuda.so", "SDFG_NVRTC": f"{build}/libstandin-nvrtc.so"}
    env |= {f"SDFG_{library}": "none" for library in ("CUBLAS", "CUSOLVER", "CUFFT")}
    jobs = os.environ.get("SDFG_JOBS", str(os.cpu_count()))
    command = [f"{build}/sdfg-run", f"--cases={cases}", f"--device={device}", f"--jobs={jobs}", "--timeout=120", f"--cache={cache}"]
    done = subprocess.run(command, capture_output=True, text=True, env=env)
    said, name, passed = {}, None, 0
    for line in (done.stdout + done.stderr).splitlines():
        if found := re.match(r"(\d+) passed, \d+ failed", line):
            passed = int(found[1])
        elif found := re.match(r"([\w.+-]+): (.*)", line):
            if (cases / found[1]).exists():
                name = found[1]
                said[name] = found[2]
        elif name and line.startswith(" "):
            said[name] += " " + line.strip()
    return said, passed


REFUSED = re.compile(r"error\[(unsupported|invalid)\]")


def reason(text):
    """What is the same in the messages of different programs."""
    text = re.sub(r"^error\[\w+\]: ", "", text)
    text = re.sub(r" at [\w./-]+/(state|loop|conditional|cfg|node|library|tasklet|map|nested).*", "", text)
    text = re.sub(r"'[^']*'", "'...'", text)
    text = re.sub(r"\b\d[\d.e+-]*\b", "N", text)
    return text[:160]


def table(rows, heads):
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return "\n".join(lines + ["| " + " | ".join(str(word).replace("|", "\\|") for word in row) + " |" for row in rows]) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--cases", type=pathlib.Path, default=TOP / "build/corpus/dace-tests")
    parser.add_argument("--orders", default="forward,reverse,rotated")
    parser.add_argument("--cache", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=TOP / "bench/results/gpu-dace-tests.md")
    options = parser.parse_args()
    build, cache = options.build.resolve(), options.cache or options.build / "device-cache"
    if not options.cases.is_dir():
        print(f"no cases in {options.cases}")
        return 77
    undefined = {line.split("\t")[0].split("/")[1]: line.split("\t")[1] for line in EXPECTED.read_text().splitlines() if line.startswith("dace-tests/")}
    cpu, on_cpu = run(build, options.cases, "cpu", cache, None)
    offloaded = with_kernels(build, [case for case in options.cases.iterdir() if (case / "prog.sdfg").exists() and case.name not in cpu])
    orders = options.orders.split(",")
    found = {order: run(build, options.cases, "cuda", cache, order) for order in orders}
    refused, failed = {}, collections.defaultdict(list)
    for order in orders:
        for case, text in found[order][0].items():
            if case in cpu:
                continue
            if REFUSED.match(text):
                refused[case] = text
            else:
                failed[case].append((order, text))
    real = {case: said for case, said in failed.items() if case not in undefined}
    passed = on_cpu - len(refused) - len(failed)
    classes = collections.defaultdict(list)
    for case, text in refused.items():
        classes[reason(text)].append(case)
    out = ["# DaCe's tests on the stand-ins for a GPU\n",
           f"`tests/gpu/dace_tests.py build/release --orders={options.orders}`: recorded cases of DaCe's tests with `--device=cuda`, through the stand-ins of NVRTC and the",
           "driver (`docs/gpu.md`), without cuBLAS, cuSOLVER and cuFFT. Only cases that pass on the CPU count.\n",
           table([("pass on the CPU", on_cpu), ("have kernels", offloaded), ("pass offloaded, in all orders", passed), ("are refused with the element's path", len(refused)),
                  ("have results that are not defined (`tests/corpus/expected-fail.txt`)", len(failed) - len(real)), ("fail", len(real))],
                 ("cases", "number")),
           "## Refused\n", "None.\n" if not classes else table(sorted(((text, len(names), ", ".join(f"`{n}`" for n in sorted(names))) for text, names in classes.items()), key=lambda row: -row[1]),
                                 ("reason", "cases", "which")),
           "## Not passed for another reason\n",
           table(sorted((f"`{case}`", " ".join(order for order, _ in said), said[0][1][:200], undefined.get(case, "")) for case, said in failed.items()),
                 ("case", "orders", "what is said", "not defined since"))]
    options.out.write_text("\n".join(out))
    print(f"{on_cpu} pass on the CPU, {passed} of these offloaded, {len(refused)} are refused, {len(failed)} fail, {len(failed) - len(real)} of them expected")
    for case, said in sorted(real.items()):
        print(f"{case}: {said[0][0]}: {said[0][1]}")
    return bool(real)


sys.exit(main())
