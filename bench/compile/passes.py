#!/usr/bin/env python3
"""What each pass over the tree is for: its lines, and the programs whose tree is another one without it, of NPBench (preset M) and of the
suite that no pass was written for (bench/suite), for the sizes at hand or (--generic) for all.

    bench/compile/passes.py [--tool=SDFG-RUN] [--threads=N] [--generic] [--only=PASSES] [--out=FILE.md]

Rows of one function are switched off together. Lines are those of the files that begin with the name of the function's file. Passes that look
what others left (dead-code) change nearly every program; those with few programs and many lines are the ones to ask about."""
import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "bench"))
from programs import WANTED, command_for  # noqa: E402
from suite.sizes import ARGUMENTS  # noqa: E402


def passes():
    """{function: (names, lines)}, in the order of the table."""
    found = {}
    for name, function, code in re.findall(r'^TREE_PASS\("([^"]+)", (\w+), (\w+)', (TOP / "lower/opt/passes.def").read_text(), re.M):
        if code != "GPU":
            found.setdefault(function, []).append(name)
    files = sorted((TOP / "lower/opt").glob("*/*.c"))
    texts = {f: f.read_text() for f in files}
    homes = {function: next(f for f in files if re.search(rf"^bool {function}\(", texts[f], re.M)) for function in found}
    stems = {home.stem for home in homes.values()}

    def owner(f):  # the longest name that the file's name begins with
        return max((s for s in stems if f.stem == s or f.stem.startswith(s + "_")), key=len, default=None)

    lines = {s: sum(texts[f].count("\n") for f in files if owner(f) == s) for s in stems}
    return {function: (names, lines[homes[function].stem]) for function, names in found.items()}


def programs(a):
    """{(suite, name): command}."""
    found = {}
    for case in sorted(a.corpus.glob("*/case.json")):
        command = command_for(a.tool, case.parent, "M", a.threads, WANTED.get(case.parent.name, {}))
        if command:
            found["NPBench", case.parent.name] = command
    for name, arguments in ARGUMENTS.items():
        found["suite", name] = [str(a.tool), f"{TOP / 'bench/suite/kernels.py'}:{name}", *arguments, f"--threads={a.threads}"]
    return found


def tree(command, a, *more):
    line = [*command, "--emit=tree", "--no-cache", f"--specialize={'none' if a.generic else 'all'}", *more]
    return subprocess.run(line, capture_output=True).stdout


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--tool", type=pathlib.Path, default=TOP / "build/release/sdfg-run")
    p.add_argument("--corpus", type=pathlib.Path, default=TOP / "build/corpus/npbench")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--generic", action="store_true")
    p.add_argument("--only", help="names of passes, separated by commas")
    p.add_argument("--out", type=pathlib.Path, help="where the table goes (it is printed, too)")
    a = p.parse_args()
    all_programs, rows = programs(a), []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        before = dict(zip(all_programs, pool.map(lambda c: tree(c, a), all_programs.values())))
        for names, lines in passes().values():
            if a.only and not set(names) & set(a.only.split(",")):
                continue
            off = "--passes=" + ",".join(f"-{name}" for name in names)
            after = dict(zip(all_programs, pool.map(lambda c: tree(c, a, off), all_programs.values())))
            rows.append((names[0], lines, {s: [n for (t, n) in all_programs if t == s and before[t, n] != after[t, n]]
                                           for s in ("NPBench", "suite")}))
            print(f"{names[0]:28} {lines:5} {len(rows[-1][2]['NPBench']):3} {len(rows[-1][2]['suite']):3}", flush=True)

    def few(names):
        return f"{len(names)}" + (": " + ", ".join(names) if 0 < len(names) <= 4 else "")

    text = ["| pass | lines | NPBench | suite |", "|---|---|---|---|"]
    text += [f"| `{name}` | {lines} | {few(seen['NPBench'])} | {few(seen['suite'])} |" for name, lines, seen in rows]
    if a.out:
        a.out.write_text("\n".join(text) + "\n")
    print("\n".join(text))


main()
