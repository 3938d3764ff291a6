#!/usr/bin/env python3
"""Programs written in another way, run in another way: the results stay what they were.

Each mutant is a recorded case whose program is changed by steps that leave its meaning alone (names of transients, order of nodes, edges and
descriptors, states in between, subsets and ranges written in another form, schedules without threads, things nobody uses) and run with options
drawn at random. `sdfg-run --case` compares the results.

    equivalents.py build/release/sdfg-run --count=5000 --from=build/corpus/npbench --from=build/corpus/dace-tests
"""
import json
import os
import pathlib
import re
import tempfile

import graphs

OPTIONS = {
    "--opt": ["0", "1", "2", "3"],
    "--tier": ["full", "quick"],
    "--threads": ["1", "2", "4"],
    "--specialize": ["auto", "none", "all"],
    "--fp": ["default", "strict"],
    "--linker": ["place", "orc"],
}
NAME = re.compile(r"[A-Za-z_]\w*")


def walk(node):
    """Every dictionary of a graph."""
    if isinstance(node, dict):
        yield node
        node = node.values()
    if not isinstance(node, (str, int, float, bool, type(None))):
        for child in node:
            yield from walk(child)


def sdfgs(graph):
    return [d for d in walk(graph) if d.get("type") == "SDFG"]


def states(graph):
    return [d for d in walk(graph) if d.get("type") == "SDFGState"]


def texts(graph):
    """(dictionary or list, key) of all texts."""
    stack = [graph]
    while stack:
        node = stack.pop()
        for key, value in node.items() if isinstance(node, dict) else enumerate(node):
            if isinstance(value, str):
                yield node, key
            elif isinstance(value, (dict, list)):
                stack.append(value)


# ---- steps: each changes the graph in place and says whether it found something to change ----

def rename_transient(r, graph):
    """A transient gets another name everywhere, if nothing else has its name."""
    top = graph["attributes"]["_arrays"]
    names = [n for n, a in top.items() if a.get("attributes", {}).get("transient") and "." not in n and not n.startswith("__return")]
    if not names:
        return False
    old = r.choice(names)
    keys = {k for d in walk(graph) for k in d}
    if sum(old in d["attributes"]["_arrays"] for d in sdfgs(graph)) > 1 or (old in keys and any(old in d for d in walk(graph) if d is not top)):
        return False
    code = [c[k] for c, k in texts(graph) if k in ("string_data", "code", "global_code", "init_code")]
    if any(old in NAME.findall(t) for t in code):
        return False
    new = f"{old}_{r.randrange(10000)}"
    pattern = re.compile(r"\b" + re.escape(old) + r"\b")
    for container, key in list(texts(graph)):
        if key != "label":
            container[key] = pattern.sub(new, container[key])
    graph["attributes"]["_arrays"] = {new if n == old else n: a for n, a in top.items()}
    return True


def shuffle_descriptors(r, graph):
    """Transients are listed in another order; arguments keep theirs."""
    attributes = r.choice(sdfgs(graph))["attributes"]
    items = list(attributes["_arrays"].items())
    free = [i for i, (_, a) in enumerate(items) if a.get("attributes", {}).get("transient")]
    order = r.sample(free, len(free))
    attributes["_arrays"] = dict(items[order[free.index(i)]] if i in free else items[i] for i in range(len(items)))
    return len(free) > 1


def shuffle_edges(r, graph):
    found = [s for s in states(graph) if len(s.get("edges", [])) > 1]
    if not found:
        return False
    edges = r.choice(found)["edges"]
    order = edges[:]
    # edges without connectors between the same nodes keep their order
    r.shuffle(order)
    edges[:] = order
    return True


def rewrite_expressions(r, graph):
    """Bounds of subsets and ranges in another form of the same value."""
    found = [d for d in walk(graph) if d.keys() >= {"start", "end", "step"} and isinstance(d["start"], str)]
    if not found:
        return False
    for d in r.sample(found, min(len(found), r.choice([1, 3, 20]))):
        key = r.choice(["start", "end"])
        d[key] = r.choice(["({}) + 0", "1*({})", "({}) + 3 - 3", "-(-({}))", "(2*({}))/2" if d[key].isdigit() else "(({}))"]).format(d[key])
    return True


def state_between(r, graph):
    """An edge between states becomes two with an empty state in the middle."""
    found = [d for d in sdfgs(graph) if d.get("edges") and all(n.get("type") == "SDFGState" for n in d["nodes"])]
    if not found:
        return False
    sdfg = r.choice(found)
    edge = r.choice(sdfg["edges"])
    number = len(sdfg["nodes"])
    sdfg["nodes"].append({"type": "SDFGState", "label": f"between_{number}_{r.randrange(1000)}", "id": number, "collapsed": False, "scope_dict": {},
                          "nodes": [], "edges": [], "attributes": {}})
    second = json.loads(json.dumps(edge))
    edge["dst"], second["src"] = str(number), str(number)
    second["attributes"]["data"]["attributes"].update(assignments={}, condition={"string_data": "1", "language": "Python"})
    sdfg["edges"].append(second)
    return True


def without_threads(r, graph):
    """Maps run by one thread, where no team is around that would run a sequential map once on each thread."""
    if any(d.get("schedule") == "CPU_Persistent" for d in walk(graph)):
        return False
    found = [d["attributes"] for d in walk(graph) if d.get("type") == "MapEntry" and d["attributes"].get("schedule", "Default") in ("Default", "CPU_Multicore")]
    if not found:
        return False
    for attributes in r.sample(found, r.randrange(1, len(found) + 1)):
        attributes["schedule"] = "Sequential"
    return True


def unused_things(r, graph):
    sdfg = r.choice(sdfgs(graph))
    sdfg["attributes"]["_arrays"][f"unused_{r.randrange(1000)}"] = {
        "type": "Array", "attributes": {"dtype": "float64", "shape": ["7"], "strides": ["1"], "total_size": "7", "offset": ["0"], "transient": True}}
    return True


STEPS = [rename_transient, shuffle_descriptors, shuffle_edges, rewrite_expressions, state_between, without_threads, unused_things]


def main():
    options = graphs.arguments(__doc__, 80).parse_args()
    paths = [p for p in graphs.programs(options, "prog*.sdfg") if (p.parent / "case.json").exists() and "__" not in p.parent.name and p.stat().st_size < 500000]
    runner = pathlib.Path(options.run).resolve()

    def attempt(seed):
        r = graphs.random_for(seed)
        path = r.choice(paths)
        graph = graphs.load(path)
        done = [step.__name__ for step in (r.choice(STEPS) for _ in range(r.randrange(1, 6))) if step(r, graph)]
        ways = [f"{name}={r.choice(values)}" for name, values in OPTIONS.items() if r.random() < 0.5]
        data = json.dumps(graph).encode()
        with tempfile.TemporaryDirectory() as folder:
            case = pathlib.Path(folder) / path.parent.name
            case.mkdir()
            for entry in path.parent.iterdir():
                if not entry.name.endswith((".sdfg", ".sdfgz")):
                    os.symlink(entry.resolve(), case / entry.name)
            (case / "prog.sdfg").write_bytes(data)
            outcome = graphs.run([runner, "--case", case, "--sdfg=prog.sdfg", "--no-cache", *ways], folder)
        if outcome.status == 0 and not outcome.trouble():
            return None
        # cases that do not pass as they are say nothing about mutants
        plain = graphs.run([runner, "--case", path.parent, f"--sdfg={path.name}", "--no-cache"], path.parent)
        if plain.status != 0:
            return None
        what = outcome.trouble() or "fails"
        return f"{path.parent.name}/{path.name} {' '.join(ways)} [{', '.join(done)}]: {what}\n{outcome.output[-500:]}", data

    graphs.finish(options, attempt)


main()
