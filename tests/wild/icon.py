#!/usr/bin/env python3
"""Radiation kernels of ICON, made from Fortran: icon.py CHECKOUT BIN-DIR [KERNEL...]

CHECKOUT is one of github.com/spcl/icon-artifacts: graphs, recorded inputs and recorded outputs, in the text format of its headers/serde*.h.
The arguments of each kernel are read from there, the kernel runs, and what it wrote is compared with what was recorded. A kernel of which
files are missing or empty (kept elsewhere by git) is compiled only."""
import os
import pathlib
import re
import sys

import numpy as np

# files that are not called after the argument
NAMES = {"crop_cloud_fraction": {"this": "cloud"}, "get_albedos": {"this": "single_level"}, "calc_surface_spectral": {"this": "surface"}}
BEFORE, AFTER = ("_t0.1.data", ".10.data", ".data"), ("_t1.1.data", ".11.data", ".after.data")
PARTS = re.compile(r"__f2dace_(SO?A)_(\w+)_d_(\d+)_s_\d+$")


class Reader:
    """The lines of a file. Structures are `# member` and its value, one after the other; arrays have rank, size, lower bounds, entries."""

    def __init__(self, path):
        self.lines, self.at = path.read_text().split("\n"), 0
        self.skip()

    def skip(self):
        while self.at < len(self.lines) and not self.lines[self.at].strip():
            self.at += 1

    def next(self):
        line = self.lines[self.at].strip()
        self.at += 1
        self.skip()
        return line

    def has(self, *words):
        return self.at < len(self.lines) and self.lines[self.at].strip() in [f"# {w}" for w in words]

    def name(self):
        at = self.at < len(self.lines) and self.lines[self.at].strip()
        return at[2:] if at and at.startswith("# ") else None

    def there(self):
        """What may be left out in Fortran says whether it is there."""
        while self.has("alloc", "assoc"):
            self.next()
            if self.next() != "1":
                return False
        return True

    def block(self, word):
        found = []
        if self.has(word):
            self.next()
            while self.at < len(self.lines) and not self.lines[self.at].startswith("#"):
                found.append(self.next())
        return found

    def array(self, dtype, shape):
        self.block("rank")
        sizes, low = [int(v) for v in self.block("size")], [int(v) for v in self.block("lbound")]
        values = np.array([float(v) for v in self.block("entries")]).astype(dtype)
        sizes = sizes or shape(values.size)
        return values.reshape(sizes, order="F"), low

    def member(self, prefix, members, given):
        kinds = {m.name: m for m in members}
        while self.name() in kinds:
            m = kinds[self.next()[2:]]
            path = f"{prefix}.{m.name}"
            if m.kind == "structure":
                if self.there():
                    self.member(path, m.members, given)
            elif m.kind == "array":
                if self.there():
                    given[path], low = self.array(m.type, lambda n: [n])
                    for other in kinds:
                        part = PARTS.match(other)
                        if part and part[2] == m.name:
                            given[f"{prefix}.{other}"] = (given[path].shape if part[1] == "SA" else low)[int(part[3])]
            else:
                given[path] = np.dtype(m.type).type(float(self.next()))


def number(path):
    return float(path.read_text().split("\n")[-1].strip() or path.read_text().split()[-1])


def file_of(folder, kernel, argument, ends):
    base = re.sub(r"_var_\d+$", "", argument).removeprefix("sym_")
    base = NAMES.get(kernel, {}).get(base, base)
    for end in ends:
        path = folder / f"{base}{end}"
        if path.exists() and path.stat().st_size:
            return path
    return None


def inputs(program, folder, kernel):
    """(arguments, None), or (None, what is missing)"""
    given, late = {}, []
    for a in program.arguments:
        if "__f2dace_OPTIONAL_" in a.name:
            given[a.name] = 1
            continue
        if a.name.startswith("__f2dace_"):
            continue # said by members
        path = file_of(folder, kernel, a.name, BEFORE)
        if a.kind in ("scalar", "symbol"):
            if not path:
                return None, a.name
            given[a.name] = number(path) if a.type.startswith("float") else int(number(path))
        elif a.kind == "structure":
            if not path:
                return None, a.name
            Reader(path).member(a.name, a.members, given)
        else:
            late.append((a, path))
    for a, path in late:
        if path:
            given[a.name] = Reader(path).array(a.type, lambda n: [n])[0]
        elif not file_of(folder, kernel, a.name, AFTER):
            return None, a.name
        else: # written only
            sizes = program.solve(**given)
            given[a.name] = np.zeros([int(eval(s, {}, sizes)) for s in a.shape], a.type, order="F")
    return given, None


def compare(program, folder, kernel, given):
    """The number of differences, and of values that were compared."""
    wrong = total = 0
    for a in program.arguments:
        path = a.written and file_of(folder, kernel, a.name, AFTER)
        if not path:
            continue
        expected = {}
        if a.kind == "structure":
            Reader(path).member(a.name, a.members, expected)
        elif a.kind == "array":
            expected[a.name] = Reader(path).array(a.type, lambda n, of=given[a.name]: of.shape)[0]
        for name, array in expected.items():
            if isinstance(array, np.ndarray) and array.size:
                wrong += int(np.sum(~np.isclose(given[name], array, rtol=1e-12, atol=0, equal_nan=True)))
                total += array.size
    return wrong, total


def main():
    checkout, binary, wanted = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3:]
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
    os.environ.setdefault("SDFG_LIBRARY", str(binary / "libsdfg.so"))
    import sdfg
    failures = 0
    for path in sorted((checkout / "sdfgs").glob("*.sdfgz")):
        kernel = path.name.replace("_simplified_dbg22.sdfgz", "")
        if wanted and kernel not in wanted:
            continue
        if not path.stat().st_size:
            print(f"{kernel:24} the graph is not in this checkout")
            continue
        program = sdfg.Program(path)
        given, missing = inputs(program, checkout / "inputs" / kernel.removesuffix("_fn_438"), kernel.removesuffix("_fn_438"))
        if missing:
            program.emit("obj")
            print(f"{kernel:24} compiled; the recorded '{missing}' is not in this checkout")
            continue
        program(**given)
        wrong, total = compare(program, checkout / "inputs" / kernel.removesuffix("_fn_438"), kernel.removesuffix("_fn_438"), given)
        print(f"{kernel:24} {total} recorded values, {wrong} differ")
        failures += wrong > 0 or not total
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
