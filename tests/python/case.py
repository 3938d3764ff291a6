"""Recorded cases for Python: case.json, in/ and out/ beside a program (the corpus' README has the rules)."""
import json
import math
import pathlib
import re

import numpy

SPECIAL = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
UNWRITTEN = 0xA5 # bytes of memory that the recorded run left as it was
BITS = {"bfloat16": "uint16", "float8_e4m3fn": "uint8", "float8_e5m2": "uint8"}


class Failure(Exception):
    """What differs, or cannot be read."""


def scalar(value):
    if isinstance(value, list):
        return complex(scalar(value[0]), scalar(value[1]))
    return SPECIAL.get(value, value) if isinstance(value, str) else value


def lanes(dtype):
    vector = re.match(r"vector\(.*,(\d+)\)", dtype or "")
    return int(vector.group(1)) if vector else 1


def packed(shape):
    strides, step = [], 1
    for size in reversed(shape):
        strides.insert(0, step)
        step *= size
    return strides


def extent(shape, strides):
    """First and one past the last element that is touched."""
    if 0 in shape:
        return 0, 0
    ends = [(n - 1) * s for n, s in zip(shape, strides)]
    return sum(min(e, 0) for e in ends), sum(max(e, 0) for e in ends) + 1


def element_type(spec):
    name = spec.get("npdtype") or spec["dtype"]
    if isinstance(name, dict): # a structure: names, types and offsets of its fields
        fields = name["fields"]
        return numpy.dtype({"names": [f[0] for f in fields], "formats": [f[1] for f in fields],
                            "offsets": [f[2] for f in fields], "itemsize": name["itemsize"]})
    return numpy.dtype(BITS.get(name, name))


class Memory:
    """An array of the case: memory that reaches as far as the descriptor says, and the recorded array in it."""

    def __init__(self, case, spec):
        self.name, self.spec = spec["name"], spec
        shape, contents = spec["shape"], spec.get("in")
        strides = spec.get("strides") or packed(shape)
        if isinstance(contents, str):
            self.original = numpy.load(case.folder / contents, allow_pickle=False)
        else:
            dtype = element_type(spec)
            self.original = numpy.zeros(shape, dtype)
        self.original = self.original.reshape(shape)
        dtype = self.original.dtype
        d_shape, d_strides = spec.get("desc_shape", shape), spec.get("desc_strides", strides)
        low, high = (f(a, b) for f, a, b in zip((min, max), extent(shape, strides), extent(d_shape, d_strides)))
        total = (spec.get("desc_total_size", 0) + spec.get("desc_start_offset", 0)) * lanes(spec.get("dtype"))
        count = max(high, total) - low
        shared = case.arrays.get((spec.get("aliases") or [None])[0])
        self.shared = shared is not None and shared.memory.nbytes == max(count, 1) * dtype.itemsize
        self.memory = shared.memory if self.shared else aligned(max(count, 1) * dtype.itemsize)
        at = -low * dtype.itemsize

        def look(sizes, steps):
            return numpy.ndarray(sizes, dtype, self.memory, at, [s * dtype.itemsize for s in steps])

        self.view, self.argument = look(shape, strides), look(d_shape, d_strides)
        if not self.shared:
            self.view[...] = self.original
        case.arrays[self.name] = self


class Value:
    """A scalar of a structure: the program may change it."""

    def __init__(self, case, spec):
        self.name, self.spec, self.shared = spec["name"], spec, False
        self.argument = self.view = numpy.array(scalar(spec["in"]), BITS.get(spec["dtype"], spec["dtype"]))
        self.original = self.view.copy()
        case.arrays[self.name] = self


class Returned:
    """An array that the call made."""

    def __init__(self, spec, result):
        self.name, self.spec, self.shared = spec["name"], spec, False
        self.view = result.reshape(spec["shape"])


def aligned(size):
    memory = numpy.zeros(size + 64, numpy.uint8)
    start = -memory.ctypes.data % 64
    return memory[start:start + size]


class Case:
    def __init__(self, folder):
        self.folder, self.arrays = pathlib.Path(folder), {}
        self.json = json.loads((self.folder / "case.json").read_text())

    def _entry(self, spec):
        kind = spec["kind"]
        if kind == "null" or spec.get("null"):
            return None
        if kind == "array":
            return Memory(self, spec).argument
        if kind == "struct":
            return {m["name"].rsplit(".", 1)[1]: self._entry(m) for m in spec["members"]}
        if kind == "container_array":
            return [self._entry(e) for e in spec["elements"]]
        if kind == "string":
            return spec["in"]
        if "." in spec["name"]:
            return Value(self, spec).argument
        return scalar(spec["in"])

    def arguments(self, inferred=True, returns=True):
        """Name -> value; without symbols that were inferred and without arrays for results, if asked."""
        self.arrays, values = {}, {}
        for spec in self.json["args"]:
            if (inferred or not spec.get("inferred")) and (returns or spec["name"] not in self.json.get("returns", [])):
                values[spec["name"]] = self._entry(spec)
        return values

    def leaves_out(self):
        """Another call with less given makes sense."""
        if any(isinstance(spec.get("npdtype"), dict) for spec in self.json["args"]):
            return False # nothing says how structures lie, so the module cannot make arrays of them
        return bool(self.json.get("returns")) or any(spec.get("inferred") for spec in self.json["args"])

    def take_results(self, results):
        """What the call returned, in the order of the names."""
        names = sorted(self.json.get("returns", []))
        results = results if isinstance(results, tuple) else (results,)
        if len(results) != max(len(names), 1):
            raise Failure(f"{len(results)} results, expected {len(names)}")
        specs = {spec["name"]: spec for spec in self.json["args"]}
        for name, result in zip(names, results):
            self.arrays[name] = Returned(specs[name], result)

    def earlier(self):
        """Calls of the same handle that came before this one."""
        count = self.json.get("call_index", 0) if self.json.get("stateful") else 0
        stem = re.sub(r"__\d+$", "", self.folder.name)
        return [Case(self.folder.parent / (stem + (f"__{i}" if i else ""))) for i in range(count)]

    # ---- comparing ----

    def compare(self):
        skipped = self.json.get("uninit_suspect", [])
        for name, array in self.arrays.items():
            if name not in skipped and not (array.shared and "out" not in array.spec):
                self._compare(array)

    def _compare(self, array):
        out = array.spec.get("out")
        if isinstance(out, str) and out.endswith(".npy"):
            expected = numpy.load(self.folder / out, allow_pickle=False).reshape(array.view.shape)
        elif out is not None:
            expected = numpy.array(scalar(out), array.view.dtype)
        else:
            expected = array.original
        actual = numpy.array(array.view)
        if expected.dtype != actual.dtype:
            raise Failure(f"{array.name} holds {actual.dtype}, the reference {expected.dtype}")
        bytes_of = numpy.ascontiguousarray(expected).reshape(-1).view(numpy.uint8).reshape(expected.size, expected.itemsize)
        written = ~(bytes_of == UNWRITTEN).all(1) if expected.size else numpy.zeros(0, bool)
        a, b = actual.reshape(-1)[written], expected.reshape(-1)[written]
        if b.dtype.kind not in "fc":
            wrong = a != b
        else:
            wrong = ~self._close(a, b)
        if wrong.any():
            at = int(wrong.argmax())
            raise Failure(f"{array.name} differs: {a[at]}, expected {b[at]} ({int(wrong.sum())} of {b.size})")

    def _close(self, a, b):
        rtol, atol = {8: (1e-9, 1e-12), 4: (2e-4, 1e-6)}.get(b.real.itemsize, (2e-2, 1e-3))
        wide = numpy.complex128 if b.dtype.kind == "c" else numpy.float64
        a, b = a.astype(wide), b.astype(wide)
        with numpy.errstate(all="ignore"):
            size = numpy.abs(b)
            rtol = self.json.get("rtol", rtol)
            atol = self.json.get("atol", atol * size[numpy.isfinite(size)].max(initial=0))
            allowed = atol + rtol * size
            allowed[~numpy.isfinite(allowed)] = 0
            return (a == b) | (numpy.isnan(a) & numpy.isnan(b)) | (numpy.abs(a - b) <= allowed)
