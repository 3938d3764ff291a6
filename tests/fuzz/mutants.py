#!/usr/bin/env python3
"""Damaged programs: whatever is in a file, the tools end with an error or a result. No signal, no hang, no lack of memory.

Each mutant is a program with a few changes: of values, names, expressions, types, code, of its structure, or of its bytes. It is
compiled to an object and run with --check, which keeps accesses inside of memory.

    mutants.py build/release/sdfg-run --count=20000 --from=build/corpus        a long hunt, release build
    mutants.py build/asan/sdfg-run --count=20000 --from=build/corpus           the same under sanitizers
    mutants.py build/release/sdfg-run --count=1 --seed=4711 --keep=/tmp/m      one mutant, as a failure names it
"""
import json
import pathlib
import re
import tempfile

import graphs

NUMBERS = ["0", "1", "-1", "2", "7", "63", "64", "127", "-128", "255", "65536", "2147483647", "-2147483648", "4294967296",
           "9223372036854775807", "-9223372036854775808", "99999999999999999999"]
TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64", "complex64",
         "complex128", "string", "pyobject", "vector", "float128", ""]
FUNCTIONS = ["min({0}, {1})", "max({0}, {1})", "({0}) % ({1})", "({0}) / ({1})", "int_floor({0}, {1})", "({0}) ** ({1})", "-({0})", "({0}) * ({1})",
             "({0}) + ({1})", "abs({0})", "Max({0}, {1})", "({0}) // ({1})", "{0}[{1}]", "{0}({1})", "({0}"]
CODE = ["out = a", "a = a + 1", "x = 1 / 0", "while True: pass", "for i in range(3): a = i", "if a > 0: b = a", "out[0] = out[-1]", "return 1",
        "out = a if b else c", "lambda x: x", "a += b", "out = a @ b", "import os", "out << a", "int x = 1;", "out = a[b[a[0]]];", "goto l; l:;",
        "for (int i = 0; ; i++) out = i;", "struct S { S *s; } s;", "template <int N> int f() { return f<N + 1>(); } int x = f<0>();"]
ENUMERATIONS = {
    "schedule": ["Default", "Sequential", "CPU_Multicore", "CPU_Persistent", "Unrolled", "GPU_Device", "SVE_Map", "MPI", "Nonsense"],
    "storage": ["Default", "Register", "CPU_Heap", "CPU_ThreadLocal", "GPU_Global", "FPGA_Global", "Nonsense"],
    "lifetime": ["Scope", "State", "SDFG", "Global", "Persistent", "External", "Nonsense"],
    "language": ["Python", "CPP", "SystemVerilog", "MLIR", "Nonsense"],
    "type": ["Scalar", "Array", "Stream", "View", "Reference", "Structure", "ContainerArray", "AccessNode", "Tasklet", "MapEntry", "MapExit",
             "NestedSDFG", "ConsumeEntry", "Range", "Indices", "LoopRegion", "ConditionalBlock", "SDFGState", "Memlet", "Nonsense"],
}


def places(node, found, path=()):
    """All (container, key) of a graph."""
    if isinstance(node, dict):
        for key, value in node.items():
            found.append((node, key))
            places(value, found, path + (key,))
    elif isinstance(node, list):
        for i, value in enumerate(node):
            found.append((node, i))
            places(value, found, path + (i,))
    return found


def changed_text(r, text, key, words):
    if key in ENUMERATIONS and r.random() < 0.8:
        return r.choice(ENUMERATIONS[key])
    if key in ("dtype", "ctype") or text in TYPES:
        return r.choice(TYPES)
    if key in ("string_data", "code") and r.random() < 0.5:
        return r.choice([r.choice(CODE), text + "\n" + r.choice(CODE), text.replace("=", "+=", 1), text[: r.randrange(len(text) + 1)]])
    tokens = re.findall(r"\w+|\W", text)
    if not tokens or r.random() < 0.2:
        return r.choice([r.choice(FUNCTIONS).format(text, r.choice(words)), r.choice(words), r.choice(NUMBERS), "", "(" * r.choice([3, 300, 30000])])
    i = r.randrange(len(tokens))
    tokens[i] = r.choice([r.choice(NUMBERS), r.choice(words), r.choice(FUNCTIONS).format(tokens[i], r.choice(words)), "", tokens[i] * 2])
    return "".join(tokens)


def changed_value(r, value, key, words):
    if isinstance(value, str):
        return changed_text(r, value, key, words)
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return r.choice([value + 1, value - 1, -value, 0, 1 << 31, 1 << 63, -(1 << 63), 1e308, "1", None, True, int(r.choice(NUMBERS))])
    if isinstance(value, list):
        return r.choice([[], value + value[:1], value[::-1], value[1:], None, {}, value * 3])
    if isinstance(value, dict):
        return r.choice([{}, None, [], dict(list(value.items())[1:]), dict(list(value.items())[::-1])])
    return r.choice([0, "", "x", [], {}, True, "1"])


def mutate(r, graph):
    """Changes a graph in one to four places."""
    for _ in range(r.choice([1, 1, 1, 2, 2, 3, 4])):
        found = places(graph, [])
        words = [c[k] for c, k in found if isinstance(c[k], str) and 0 < len(c[k]) < 40 and re.fullmatch(r"\w+", c[k])] or ["N"]
        container, key = r.choice(found)
        what = r.random()
        if what < 0.6:
            container[key] = changed_value(r, container[key], key, words)
        elif what < 0.75:
            del container[key]
        elif what < 0.9: # another part of the same kind
            others = [(c, k) for c, k in found if type(c[k]) is type(container[key]) and (k == key or isinstance(k, int))]
            other, at = r.choice(others)
            container[key], other[at] = other[at], container[key]
        elif isinstance(container, list):
            container.insert(key, json.loads(json.dumps(container[key])))
        else:
            container[r.choice(words)] = container[key]


def damaged(r, data):
    """Changes bytes of a file."""
    data = bytearray(data)
    for _ in range(r.choice([1, 2, 8])):
        at = r.randrange(len(data) + 1)
        what = r.randrange(5)
        if what == 0:
            del data[at:]
        elif what == 1 and at < len(data):
            data[at] = r.randrange(256)
        elif what == 2:
            data[at:at] = r.choice([b"[" * 5000, b'"', b"\\u0000", b"\xff\xfe", b"1e999", b"{", b"}", b","])
        elif what == 3:
            del data[at: at + r.choice([1, 5, 100])]
        else:
            data[at:at] = data[at // 2: at // 2 + r.choice([1, 10, 1000])]
    return bytes(data)


def symbols(graph):
    """Values for all that the program may ask for."""
    attributes = graph.get("attributes") if isinstance(graph, dict) else None
    names = attributes.get("symbols") if isinstance(attributes, dict) else None
    return [f"--set={name}=8" for name in names] if isinstance(names, dict) else []


def main():
    options = graphs.arguments(__doc__, 120).parse_args()
    paths = [p for p in graphs.programs(options) if p.stat().st_size < 300000]
    runner = pathlib.Path(options.run).resolve()

    def attempt(seed):
        r = graphs.random_for(seed)
        path = r.choice(paths)
        graph = graphs.load(path)
        if graph is None:
            return None
        values = symbols(graph)
        try:
            mutate(r, graph)
            data = json.dumps(graph).encode()
        except (RecursionError, KeyError, IndexError, TypeError): # two changes that do not go together
            data = path.read_bytes()
        if r.random() < 0.15:
            data = damaged(r, data)
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "prog.sdfg").write_bytes(data)
            for ways in (["--emit=obj", "-o", "prog.o"], ["--check", f"--timeout={graphs.SECONDS - 8}"]):
                outcome = graphs.run([runner, "prog.sdfg", "--no-cache", "--input-limit=1G", *ways, *values], folder)
                if outcome.trouble():
                    return f"{path.parent.name}/{path.name} {ways[0]}: {outcome.trouble()}\n{outcome.output[-600:]}", data
        return None

    graphs.finish(options, attempt)


main()
