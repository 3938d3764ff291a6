"""seed.py SDFG-RUN CORPUS [--programs=N] [--faults=N] [--seed=N] [--device=cuda] [--keep=DIR]: faults of ten kinds, put into programs of the corpus, that
`--check` has to find, and the same programs without them, in which it must not find any. CORPUS is the unpacked folder of the corpus. A
place for a fault is taken only if the sizes of the recorded case say that the program comes to it and that it is one: indices are computed
here, on their own. Everything is chosen by a generator with a fixed seed. --keep leaves the programs in a folder."""
import argparse
import copy
import ctypes
import importlib.util
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
NUMBERS = {"float32", "float64", "int32", "int64", "complex64", "complex128"}
PARALLEL = {None, "Default", "CPU_Multicore"}


class No(Exception):
    """What is not understood here is no place for a fault."""


def plain(text):
    """A symbolic expression as Python writes it."""
    return re.sub(r"symbol\(\$(\w+)[^)]*\)", r"\1", str(text)).replace("$", "")


def value(text, names):
    try:
        result = eval(plain(text), {"__builtins__": {}, "Min": min, "Max": max}, dict(names))
    except Exception as error:
        raise No from error
    if isinstance(result, bool) or result != int(result):
        raise No
    return int(result)


class Program:
    def __init__(self, folder):
        self.folder = folder
        self.case = json.loads((folder / "case.json").read_text())
        self.doc = json.loads((folder / "prog.sdfg").read_text())
        self.names = {}
        for a in self.case.get("args", []):
            if a.get("kind") == "symbol" and isinstance(a.get("in"), int):
                self.names[a["name"]] = a["in"]
        self.names.update({k: v for k, v in (self.case.get("sizes") or {}).items() if isinstance(v, int)})

    def containers(self):
        return self.doc["attributes"]["_arrays"]


def array(program, name):
    c = program.containers().get(name)
    if not c or c["type"] != "Array" or not isinstance(c["attributes"].get("dtype"), str):
        raise No
    a = c["attributes"]
    if any(plain(o) != "0" for o in a.get("offset") or []) or plain(a.get("start_offset", "0")) != "0":
        raise No
    return a


def chain(doc):
    """Blocks that every run comes to: from the first one along transitions without condition."""
    blocks = {str(b["id"]): b for b in doc["nodes"]}
    entered = {str(e["dst"]) for e in doc["edges"]}
    at = doc.get("start_block")
    at, seen = str(at) if at is not None else next((i for i in blocks if i not in entered), ""), []
    while at in blocks and at not in seen:
        seen.append(at)
        out = [e for e in doc["edges"] if str(e["src"]) == at]
        if len(out) != 1 or condition(out[0]) not in ("1", "True", "true", ""):
            break
        at = str(out[0]["dst"])
    return [blocks[i] for i in seen]


def condition(edge):
    c = edge["attributes"]["data"]["attributes"].get("condition")
    return str(c.get("string_data", "") if isinstance(c, dict) else c or "").strip()


def states(program):
    return [b for b in chain(program.doc) if b["type"] == "SDFGState"]


def memlet(edge):
    return edge["attributes"]["data"].get("attributes") or {}


def ranges(edge):
    subset = memlet(edge).get("subset")
    if not subset or subset.get("type") != "Range":
        raise No
    return subset["ranges"]


def scope(node):
    return node.get("scope_entry")


def node_of(state, number):
    return next(n for n in state["nodes"] if str(n["id"]) == str(number))


def iterations(program, entry):
    """Parameter -> first and last value of a map at the top of a state."""
    a = entry["attributes"]
    out = {}
    for name, r in zip(a["params"], a["range"]["ranges"]):
        first, last = value(r["start"], program.names), value(r["end"], program.names)
        if plain(r["step"]) != "1" or plain(r.get("tile", "1")) != "1" or last < first:
            raise No
        out[name] = (first, last)
    return out


def accesses(program):
    """Edges of tasklets directly in a map at the top of a state that touch one element each."""
    for state in states(program):
        for entry in state["nodes"]:
            if entry["type"] != "MapEntry" or scope(entry) is not None:
                continue
            try:
                params = iterations(program, entry)
            except (No, KeyError):
                continue
            inside = {str(n["id"]) for n in state["nodes"] if str(scope(n)) == str(entry["id"]) and n["type"] == "Tasklet"}
            for e in state["edges"]:
                reads, writes = str(e["src"]) == str(entry["id"]) and str(e["dst"]) in inside, str(e["src"]) in inside
                m = memlet(e)
                if not (reads or writes) or not m.get("data") or m.get("dynamic") or m.get("wcr") or m.get("other_subset"):
                    continue
                try:
                    dims, shape = ranges(e), array(program, m["data"])["shape"]
                except No:
                    continue
                if len(dims) == len(shape) and all(r["start"] == r["end"] for r in dims):
                    yield state, entry, params, e, shape, writes


def index(program, params, r, at):
    return value(r["start"], {**program.names, **{p: at(p, lo, hi) for p, (lo, hi) in params.items()}})


def first(_, lo, hi):
    return lo


def set_index(r, text):
    r["start"] = r["end"] = text


# ---- the kinds of faults: each gives functions that change the program ----


def shifted(program):
    for state, entry, params, e, shape, _ in accesses(program):
        for d, r in enumerate(ranges(e)):
            try:
                at, extent = index(program, params, r, first), value(shape[d], program.names)
            except No:
                continue
            if 0 <= at < extent:
                yield lambda r=r, extent=extent: set_index(r, f"({r['start']}) + {extent}")


def negated(program):
    for state, entry, params, e, shape, _ in accesses(program):
        for r in ranges(e):
            try:
                if index(program, params, r, first) >= 0:
                    yield lambda r=r: set_index(r, f"-1 - ({r['start']})")
            except No:
                pass


def enlarge(entry, d):
    r = entry["attributes"]["range"]["ranges"][d]
    r["end"] = f"({r['end']}) + 1"


def enlarged(program):
    for state, entry, params, e, shape, _ in accesses(program):
        for d, name in enumerate(entry["attributes"]["params"]):
            try:
                beyond = [index(program, params, r, lambda p, lo, hi, n=name: hi + 1 if p == n else lo) for r in ranges(e)]
                extents = [value(s, program.names) for s in shape]
            except No:
                continue
            if any(b >= x for b, x in zip(beyond, extents)):
                yield lambda entry=entry, d=d: enlarge(entry, d)


def inside_of(program, region, names):
    """The body of a loop as a program of its own."""
    inside = Program.__new__(Program)
    inside.__dict__.update(program.__dict__)
    inside.doc = {**program.doc, "nodes": region["nodes"], "edges": region["edges"], "start_block": region.get("start_block")}
    inside.names = {**program.names, **names}
    return inside


def bound(program):
    """One iteration more of a sequential loop."""
    for b in chain(program.doc):
        text = b["type"] == "LoopRegion" and b["attributes"]["loop_condition"]["string_data"]
        match = text and re.fullmatch(r"\(?\s*(\w+) < (.+?)\)?", text)
        if not match or b["attributes"].get("inverted") or match[2].count("(") != match[2].count(")"):
            continue
        name, end = match[1], match[2]
        init = (b["attributes"].get("init_statement") or {}).get("string_data", "")
        start = re.fullmatch(rf"{name} = (\S+)", init)
        try:
            last = value(end, program.names)
            if not start or value(start[1], program.names) >= last or f"{name} + 1" not in b["attributes"]["update_statement"]["string_data"]:
                continue
        except No:
            continue
        if hits(inside_of(program, b, {name: last})):
            def change(b=b, text=text, end=end):
                b["attributes"]["loop_condition"]["string_data"] = text.replace(f"< {end}", f"< ({end}) + 1", 1)
            yield change


def hits(program):
    """Does a tasklet at the top of a state, or in a map, leave a container?"""
    for state in states(program):
        for e in state["edges"]:
            m = memlet(e)
            ends = node_of(state, e["src"]), node_of(state, e["dst"])
            if not {n["type"] for n in ends} <= {"Tasklet", "AccessNode", "LibraryNode"} or not m.get("data") or m.get("dynamic"):
                continue
            try:
                dims, shape = ranges(e), array(program, m["data"])["shape"]
                if any(scope(n) is not None for n in ends) or (
                        any(r["start"] != r["end"] for r in dims) and "Tasklet" in (ends[0]["type"], ends[1]["type"])):
                    continue
                if any(0 <= value(r["start"], program.names) <= value(r["end"], program.names) and
                       value(r["end"], program.names) >= value(s, program.names) for r, s in zip(dims, shape)):
                    return True
            except No:
                continue
    for b in chain(program.doc):
        match = b["type"] == "LoopRegion" and re.fullmatch(r"(\w+) = (\S+)", (b["attributes"].get("init_statement") or {}).get("string_data", ""))
        stop = b["type"] == "LoopRegion" and re.fullmatch(r"\(?\s*(\w+) < (.+?)\)?", b["attributes"]["loop_condition"]["string_data"])
        try:
            if match and stop and value(match[2], program.names) < value(stop[2], program.names):
                if hits(inside_of(program, b, {match[1]: value(match[2], program.names)})):
                    return True
        except No:
            continue
    for state, entry, params, e, shape, _ in accesses(program):
        try:
            if any(not 0 <= index(program, params, r, first) < value(s, program.names) for r, s in zip(ranges(e), shape)):
                return True
        except No:
            continue
    return False


def single_writes(program):
    """Transients with one node that is written, and a node that is read behind it."""
    everywhere = [s for s in all_states(program.doc)]
    for name, c in program.containers().items():
        if not c["attributes"].get("transient") or c["type"] != "Array" or c["attributes"].get("lifetime", "Scope") not in ("Scope", "SDFG"):
            continue
        writers, readers, others = [], [], False
        for state in everywhere:
            for n in state["nodes"]:
                if n["type"] == "AccessNode" and n["attributes"]["data"].split(".")[0] == name:
                    into = [e for e in state["edges"] if str(e["dst"]) == str(n["id"]) and memlet(e).get("data")]
                    out = [e for e in state["edges"] if str(e["src"]) == str(n["id"]) and memlet(e).get("data")]
                    others |= n["attributes"].get("setzero", False) or scope(n) is not None
                    others |= any(memlet(e).get("wcr") or memlet(e)["data"] != name for e in into + out)
                    if into:
                        writers.append((state, n, into))
                    if out:
                        readers.append((state, n, out))
        known = {id(s) for s in states(program)}
        if others or len(writers) != 1 or not readers or id(writers[0][0]) not in known:
            continue
        if name in program.doc["attributes"].get("constants_prop", {}):
            continue
        yield name, writers[0], [r for r in readers if id(r[0]) in known]


def all_states(region):
    for b in region.get("nodes", []):
        if b["type"] == "SDFGState":
            yield b
        elif b["type"] == "ConditionalBlock":
            for _, branch in b.get("branches", []):
                yield from all_states(branch)
        else:
            yield from all_states(b)


def removed(program):
    """The write in front of the reads goes to another container."""
    for name, (state, node, into), readers in single_writes(program):
        tasklets = [e for s, n, out in readers for e in out if node_of(s, e["dst"])["type"] in ("MapEntry", "Tasklet", "LibraryNode")]
        if not any(reads_all(program, s, e, name) for s, n, out in readers for e in out):
            continue

        def change(name=name, state=state, node=node, into=into):
            other = name + "_seed"
            program.containers()[other] = copy.deepcopy(program.containers()[name])
            n = copy.deepcopy(node)
            n["id"] = max(int(x["id"]) for x in state["nodes"]) + 1
            n["attributes"]["data"] = n["label"] = other
            n["attributes"].pop("in_connectors", None)
            state["nodes"].append(n)
            if "scope_dict" in state:
                state["scope_dict"]["-1"].append(n["id"])
            for e in into:
                e["dst"] = str(n["id"])
            for e in state["edges"]:
                ends = node_of(state, e["dst"])["type"]
                if memlet(e).get("data") == name and (ends.endswith("Exit") or e in into):
                    memlet(e)["data"] = other
        if tasklets:
            yield change


def reads_all(program, state, edge, name):
    """Is the edge into a map of which a tasklet reads elements, or into a library node or tasklet?"""
    to = node_of(state, edge["dst"])
    if to["type"] in ("LibraryNode",):
        return True
    return any(s is state and m["data"] == name and not w and entry is to
               for s, entry, _, e, _, w in accesses(program) for m in [memlet(e)])


def partial(program):
    """The last elements of a transient are not written."""
    for name, (state, node, into), readers in single_writes(program):
        found = [a for a in accesses(program) if a[0] is state and a[5] and memlet(a[3])["data"] == name]
        if len(found) != 1 or len(into) != 1:
            continue
        _, entry, params, e, shape, _ = found[0]
        for d, p in enumerate(entry["attributes"]["params"]):
            lo, hi = params[p]
            dims = [k for k, r in enumerate(ranges(e)) if plain(r["start"]) == p]
            try:
                if lo == hi or len(dims) != 1 or value(shape[dims[0]], program.names) != hi + 1:
                    continue
                if not any(reads_last(program, s, name, dims[0], hi) for s, _, _ in readers):
                    continue
            except No:
                continue

            def change(entry=entry, d=d):
                r = entry["attributes"]["range"]["ranges"][d]
                r["end"] = f"({r['end']}) - 1"
            if not any(a[1] is entry and not a[5] and memlet(a[3])["data"] == name for a in accesses(program)):
                yield change


def reads_last(program, state, name, dim, last):
    for s, entry, params, e, shape, writes in accesses(program):
        if s is state and not writes and memlet(e)["data"] == name:
            if index(program, params, ranges(e)[dim], lambda p, lo, hi: hi) == last:
                return True
    return False


def racy(program):
    for state, entry, params, e, shape, writes in accesses(program):
        if not writes or entry["attributes"].get("schedule") not in PARALLEL or (entry["attributes"].get("unroll")):
            continue
        for p, (lo, hi) in params.items():
            used = [r for r in ranges(e) if re.search(rf"\b{p}\b", plain(r["start"]))]
            if not used or hi == lo:
                continue

            def change(used=used, p=p, lo=lo):
                for r in used:
                    set_index(r, re.sub(rf"\b{p}\b", f"({lo})", plain(r["start"])))
            yield change


def strides(program):
    """The rows of a transient are further apart than its memory is long."""
    done = set()
    for state, entry, params, e, shape, writes in accesses(program):
        name = memlet(e)["data"]
        a = array(program, name)
        if not a.get("transient") or len(shape) < 2 or name in done or not writes:
            continue
        try:
            last = [index(program, params, r, lambda p, lo, hi: hi) for r in ranges(e)]
            by = [value(s, program.names) for s in a["strides"]]
            total = value(a["total_size"], program.names)
        except No:
            continue
        if min(last) < 0 or last[0] == 0 or sum(x * y for x, y in zip(last, [2 * by[0]] + by[1:])) < total:
            continue
        done.add(name)

        def change(a=a, by=by):
            a["strides"] = [f"2*({a['strides'][0]})"] + a["strides"][1:]
        yield change


def overflow(program):
    path = [str(b["id"]) for b in chain(program.doc)]
    for e in program.doc["edges"]:
        if str(e["src"]) not in path or str(e["dst"]) not in path or condition(e) not in ("1", "True", "true", ""):
            continue
        for name, kind in program.doc["attributes"]["symbols"].items():
            if name in program.names and str(kind) in ("int32", "int64") and program.names[name] >= 0:
                def change(e=e, name=name):
                    program.doc["attributes"]["symbols"]["seed_index"] = "int32"
                    e["attributes"]["data"]["attributes"].setdefault("assignments", {})["seed_index"] = f"({name} + 70000) * ({name} + 70000)"
                yield change


def aliased(program):
    """Two arguments of one memory: how the program is called, not what it is."""
    arrays = [n for n, c in program.containers().items() if c["type"] == "Array" and not c["attributes"].get("transient")]
    given = {a["name"]: a for a in program.case.get("args", []) + program.case.get("returns", []) if a.get("kind") == "array"}
    if not all(a["dtype"] in NUMBERS for a in given.values()) or any(
            a["kind"] not in ("array", "symbol", "scalar") or (a["kind"] != "array" and not isinstance(a.get("in"), (int, float)))
            for a in program.case.get("args", []) + program.case.get("returns", [])):
        return
    written = {n["attributes"]["data"] for s in all_states(program.doc) for n in s["nodes"] if n["type"] == "AccessNode"
               for e in s["edges"] if str(e["dst"]) == str(n["id"]) and memlet(e).get("data")}
    for w in arrays:
        for r in arrays:
            if w != r and w in written and w in given and r in given and not any(
                    program.containers()[n]["attributes"].get("may_alias") for n in (w, r)):
                if all(isinstance(d, int) and d > 0 for n in (w, r) for d in given[n]["shape"]):
                    yield (w, r)


KINDS = {"memlet_shifted": (shifted, "BOUNDS"), "index_negated": (negated, "BOUNDS"), "range_enlarged": (enlarged, "BOUNDS"),
         "loop_bound": (bound, "BOUNDS"), "write_removed": (removed, "UNINIT"), "partial_write": (partial, "UNINIT"),
         "map_racy": (racy, "RACE"), "wrong_stride": (strides, "BOUNDS"), "index_overflow": (overflow, "OVERFLOW"),
         "arguments_aliased": (aliased, "ALIAS")}
# Constant indices are refused before the program runs: "index 5 of dimension 1 is behind the last element of ..."
TEXTS = {"BOUNDS": "out of bounds| of dimension |reaches element ", "UNINIT": "is read before it is written", "RACE": "race for", "OVERFLOW": "overflows", "ALIAS": "share memory"}


# ---- running ----


def write_case(folder, program, doc):
    folder.mkdir(parents=True)
    for part in ("in", "out"):
        if (program.folder / part).exists():
            (folder / part).symlink_to((program.folder / part).resolve())
    (folder / "case.json").write_text(json.dumps(program.case))
    (folder / "prog.sdfg").write_text(json.dumps(doc))


def run_cases(tool, folder, checks, device):
    """What each case says that does not end as recorded."""
    done = subprocess.run([tool.resolve(), f"--cases={folder.resolve()}", f"--check={checks}", f"--device={device}", "--no-cache", "--timeout=60", "--sdfg=prog.sdfg"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", cwd=folder)
    out = {}
    for line in done.stdout.splitlines():
        name, sep, text = line.partition(": ")
        if sep:
            out[name] = text
    return out, done.stdout.splitlines()[-1] if done.stdout else ""


class Library:
    """Calls of a program with arguments of one memory, through the C interface."""

    def __init__(self, tool):
        os.environ["SDFG_LIBRARY"] = str(pathlib.Path(tool).parent / "libsdfg.so")
        path = HERE.parent.parent / "python" / "sdfg" / "_library.py"
        spec = importlib.util.spec_from_file_location("sdfg_library", path)
        self.c = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.c)

    def error(self, e):
        text = self.c.library.sdfg_error_text(e).decode() if e else ""
        self.c.library.sdfg_error_free(e)
        return text

    def call(self, program, pair, check):
        lib, c = self.c.library, self.c
        o = c.Options()
        lib.sdfg_options_init(ctypes.byref(o), ctypes.sizeof(o))
        lib.sdfg_check_by_name(check.encode(), ctypes.byref(bits := ctypes.c_uint(0)))
        o.check = bits.value
        engine, p, args = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        text = self.error(lib.sdfg_engine_new(ctypes.byref(engine), ctypes.byref(o)))
        text = text or self.error(lib.sdfg_program_load_file(ctypes.byref(p), engine, os.fsencode(program.folder / "prog.sdfg")))
        text = text or self.error(lib.sdfg_args_new(ctypes.byref(args), p))
        keep = []
        sizes = {}
        for a in program.case.get("args", []) + program.case.get("returns", []):
            if text:
                break
            name = a["name"].encode()
            if a["kind"] == "array":
                count = 1
                for d in a["shape"]:
                    count *= d
                memory = (ctypes.c_uint64 * (2 * count + 8))()
                keep.append(memory)
                sizes[a["name"]] = memory
        if pair and not text:
            larger = max((sizes[n] for n in pair), key=len)
            for n in pair:
                sizes[n] = larger
        for a in program.case.get("args", []) + program.case.get("returns", []):
            if text:
                break
            name = a["name"].encode()
            if a["kind"] == "array":
                x = c.Array(struct_size=ctypes.sizeof(c.Array), data=ctypes.addressof(sizes[a["name"]]), dtype=c.DTYPES.index(a["dtype"]), rank=len(a["shape"]))
                x.shape[:len(a["shape"])] = a["shape"]
                text = self.error(lib.sdfg_args_array(args, name, ctypes.byref(x)))
            elif isinstance(a.get("in"), int):
                text = self.error(lib.sdfg_args_i64(args, name, a["in"]))
            elif isinstance(a.get("in"), float):
                text = self.error(lib.sdfg_args_f64(args, name, a["in"]))
        text = text or self.error(lib.sdfg_call(p, args))
        lib.sdfg_args_free(args)
        lib.sdfg_program_free(p)
        lib.sdfg_engine_free(engine)
        return text


# ---- choosing ----


def candidates(corpus, random_order):
    folders = [f.parent for s in ("npbench", "dace-tests") for f in sorted((corpus / s).glob("*/case.json"))]
    random_order.shuffle(folders)
    for folder in folders:
        try:
            program = Program(folder)
        except (OSError, ValueError, KeyError, UnicodeDecodeError):
            continue
        if re.search(r"__\d+$", folder.name) or program.case.get("programs") or program.case.get("stateful"):
            continue
        yield program


def options():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("tool", type=pathlib.Path)
    p.add_argument("corpus", type=pathlib.Path)
    p.add_argument("--programs", type=int, default=100)
    p.add_argument("--faults", type=int, default=500)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--device", default="cpu")
    p.add_argument("--keep", type=pathlib.Path)
    return p.parse_args()


def choose(o, rng):
    """(kind, program, number of the place) so that each kind comes equally often, and so many programs."""
    each = o.faults // len(KINDS)
    known = {line.split("\t")[0] for line in (HERE / "known-faults.txt").read_text().splitlines() if line and line[0] != "#"}
    expected = (HERE.parent / "corpus" / "expected-fail.txt").read_text()
    have = {k: {} for k in KINDS}
    for program in candidates(o.corpus, rng):
        name = f"{program.folder.parent.name}/{program.folder.name}"
        if name in known or name in expected:
            continue
        for kind, (find, _) in KINDS.items():
            try:
                count = sum(1 for _ in find(program))
            except (No, KeyError, TypeError, AttributeError, StopIteration):
                continue
            if count:
                have[kind][name] = (program, count)
    chosen, programs, spare = [], {}, []
    for kind in sorted(have, key=lambda k: len(have[k])): # the rarest first
        order = sorted(have[kind], key=lambda n: (n not in programs) if len(programs) >= o.programs else (n in programs))
        places = []
        for turn in range(20): # one place of each program, then a second one ...
            for name in order:
                program, count = have[kind][name]
                if len(programs) >= o.programs and name not in programs:
                    continue
                if turn < count and len(places) < each:
                    places.append((kind, program, turn))
                    programs[name] = program
            if len(places) >= each:
                break
        chosen += places
        spare += [(kind, *have[kind][name], turn) for turn in range(20) for name in order if name in programs]
    taken = {(kind, id(program), turn) for kind, program, turn in chosen}
    for kind, program, count, turn in spare: # kinds with many places make up for those with few
        if len(chosen) < o.faults and turn < count and (kind, id(program), turn) not in taken:
            chosen.append((kind, program, turn))
            taken.add((kind, id(program), turn))
    return chosen, programs


def main():
    o = options()
    if not (o.corpus / "dace-tests").exists():
        print(f"skipped: no corpus in {o.corpus}")
        sys.exit(77)
    rng = random.Random(o.seed)
    chosen, programs = choose(o, rng)
    found, missed, total = {k: 0 for k in KINDS}, [], {k: 0 for k in KINDS}
    with tempfile.TemporaryDirectory() as temporary:
        top = o.keep or pathlib.Path(temporary)
        calls = []
        for number, (kind, program, place) in enumerate(chosen):
            total[kind] += 1
            fresh = Program(program.folder)
            change = list(KINDS[kind][0](fresh))[place]
            name = f"{number:03d}_{kind}_{program.folder.name}"
            if kind == "arguments_aliased":
                calls.append((name, kind, program, change))
                continue
            change()
            write_case(top / ("race" if kind == "map_racy" else "seeded") / name, program, fresh.doc)
        for name, program in programs.items():
            write_case(top / "unchanged" / name.replace("/", "_"), program, program.doc)
        said = {}
        for part, checks in ("seeded", "default"), ("race", "race"):
            if (top / part).exists():
                said.update(run_cases(o.tool, top / part, checks, o.device)[0])
        for number, (kind, program, place) in enumerate(chosen):
            name = f"{number:03d}_{kind}_{program.folder.name}"
            if kind != "arguments_aliased":
                text = said.get(name, "nothing")
                (found.__setitem__(kind, found[kind] + 1) if re.search(TEXTS[KINDS[kind][1]], text) else missed.append((name, text)))
        if calls:
            library = Library(o.tool)
            for name, kind, program, pair in calls:
                text = library.call(program, pair, "default") or "nothing"
                (found.__setitem__(kind, found[kind] + 1) if TEXTS["ALIAS"] in text else missed.append((name, text)))
        reported, last = run_cases(o.tool, top / "unchanged", "default,race", o.device)
    print(f"{len(programs)} programs, {len(chosen)} faults")
    for kind in KINDS:
        print(f"{kind:20} {found[kind]:4} of {total[kind]:4} found")
    for name, text in missed:
        print(f"missed: {name}: {text[:300]}")
    for name, text in reported.items():
        print(f"unchanged: {name}: {text[:300]}")
    print(f"{sum(found.values())} of {len(chosen)} faults found, {len(reported)} reports in {len(programs)} unchanged programs ({last})")
    enough = len(chosen) >= o.faults and len(programs) >= o.programs
    sys.exit(0 if not missed and not reported and enough else 1)


main()
