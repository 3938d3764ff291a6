#!/usr/bin/env python3
"""Builds the NPBench programs of the corpus with DaCe: build.py --out FOLDER. Runs in the environment of setup.sh; what
is there already is kept. Beside each library lies call.json: how measure.py calls it without DaCe."""
import argparse
import json
import pathlib
import re
import sys
import time
import traceback

import dace

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILDS = {"plain": "prog.sdfg", "autoopt": "prog.autoopt.sdfg"}


def parameters(header, function):
    """[type, name] of each parameter of a function that the generated header declares."""
    text = re.search(rf"\b{function}\(([^)]*)\)", header).group(1)
    pairs = []
    for one in text.split(","):
        one = one.replace("__restrict__", " ").replace("*", " * ").split()
        if one and not one[0].endswith("Handle_t"):
            pairs.append(["pointer" if "*" in one else " ".join(one[:-1]), one[-1]])
    return pairs


def build(file, folder):
    dace.Config.set("optimizer", "automatic_simplification", value=False)
    sdfg = dace.SDFG.from_file(str(file))
    sdfg.build_folder = str(folder / "build")
    begin = time.perf_counter()
    compiled = sdfg.compile()
    seconds = time.perf_counter() - begin
    header = (folder / f"build/include/{sdfg.name}.h").read_text()
    library = folder / f"build/build/lib{sdfg.name}.so"
    (folder / "call.json").write_text(json.dumps({
        "library": str(library),
        "seconds": round(seconds, 3),
        "name": sdfg.name,
        "init": parameters(header, f"__dace_init_{sdfg.name}"),
        "call": parameters(header, f"__program_{sdfg.name}"),
    }, indent=1) + "\n")
    del compiled


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=pathlib.Path, default=TOP / "build/corpus/npbench")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--only", help="names of programs, separated by commas")
    a = parser.parse_args()
    failed = 0
    for case in sorted(a.corpus.glob("*/case.json")):
        program = case.parent.name
        if a.only and program not in a.only.split(","):
            continue
        for kind, file in BUILDS.items():
            folder = a.out.resolve() / program / kind
            if (folder / "call.json").exists() or not (case.parent / file).exists():
                continue
            folder.mkdir(parents=True, exist_ok=True)
            try:
                build(case.parent / file, folder)
                print(program, kind, flush=True)
            except Exception:
                failed += 1
                (folder / "error.txt").write_text(traceback.format_exc())
                print(program, kind, "failed, see", folder / "error.txt", flush=True)
    sys.exit(1 if failed else 0)


main()
