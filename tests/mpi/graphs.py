"""Graphs of the MPI tests, written as .sdfg files: states of access nodes, library nodes and tasklets."""
import json

NODES = "dace.libraries.mpi.nodes."
CLASSES = {"Send": "send", "Isend": "isend", "Recv": "recv", "Irecv": "irecv", "Wait": "wait", "Waitall": "wait",
           "Bcast": "bcast", "Scatter": "scatter", "Gather": "gather", "Reduce": "reduce", "Allreduce": "allreduce",
           "Allgather": "allgather", "Alltoall": "alltoall", "Dummy": "dummy", "BlockScatter": "scatter",
           "BlockGather": "gather", "Redistribute": "redistribute"}
COMM = "dace.libraries.comm.nodes." # the name of that library since DaCe 2.0.0b1
NEW_CLASSES = {"CommRank": "comm_rank", "CommSize": "comm_size", "CommSplit": "comm_split", "CommFree": "comm_free", "CommF2c": "comm_f2c",
               "Barrier": "barrier", "Abort": "abort", "ReduceScatter": "reduce_scatter", "Gatherv": "gatherv", "Alltoallv": "alltoallv"}
PBLAS = {"BlockCyclicScatter": "pgeadd", "BlockCyclicGather": "pgeadd", "Pgemm": "pgemm", "Pgemv": "pgemv"}
REQUEST = {"type": "opaque", "ctype": "MPI_Request"}


def array(dtype, *shape, transient=False):
    shape = [str(s) for s in shape]
    strides = ["*".join(f"({s})" for s in shape[i + 1:]) or "1" for i in range(len(shape))]
    return {"type": "Array", "attributes": {
        "dtype": dtype, "shape": shape, "strides": strides, "total_size": "*".join(f"({s})" for s in shape),
        "offset": ["0"] * len(shape), "transient": transient}}


def grid(*shape):
    return {"type": "ProcessGrid", "attributes": {"is_subgrid": False, "shape": [str(s) for s in shape]}}


def part(parent, color, exact=None):
    return {"type": "ProcessGrid", "attributes": {
        "is_subgrid": True, "parent_grid": parent, "color": color, "exact_grid": None if exact is None else str(exact),
        "shape": []}}


def subarray(dtype, shape, block, pgrid, along=None):
    return {"type": "SubArray", "attributes": {
        "dtype": dtype, "shape": [str(s) for s in shape], "subshape": [str(s) for s in block], "pgrid": pgrid,
        "correspondence": along or list(range(len(shape)))}}


def redistribution(a, b):
    return {"type": "RedistrArray", "attributes": {"array_a": a, "array_b": b, "dtype": None, "shape": []}}


def memlet(data, subset):
    if not subset:
        return {"type": "Memlet", "attributes": {"data": data}}
    ranges = []
    for r in subset.split(", "):
        begin, end, step = (r.split(":") + ["", ""])[:3] if ":" in r else (r, f"{r} + 1", "")
        ranges.append({"start": begin, "end": f"({end}) - 1", "step": step or "1", "tile": "1"})
    return {"type": "Memlet", "attributes": {"data": data, "subset": {"type": "Range", "ranges": ranges}}}


class Graph:
    def __init__(self, name, symbols, **arrays):
        self.name, self.symbols, self.arrays, self.states, self.init = name, symbols, arrays, [], None

    def state(self):
        self.states.append({"nodes": [], "edges": []})

    def node(self, kind, label, **attributes):
        nodes = self.states[-1]["nodes"]
        path = attributes.pop("classpath", None)
        nodes.append({"type": kind, "label": label, "attributes": attributes, "id": len(nodes), "scope_entry": None,
                      "scope_exit": None, **({"classpath": path} if path else {})})
        return len(nodes) - 1

    def edge(self, src, src_conn, dst, dst_conn, data):
        self.states[-1]["edges"].append({
            "type": "MultiConnectorEdge", "attributes": {"data": data}, "src": str(src), "dst": str(dst),
            "src_connector": src_conn, "dst_connector": dst_conn})

    def mpi(self, cls, inputs, outputs, **properties):
        """A library node in a state of its own; inputs and outputs: connector="array[subset]"."""
        self.state()
        new = cls in NEW_CLASSES or "_comm" in inputs
        path = f"{COMM if new else NODES}{CLASSES.get(cls) or NEW_CLASSES[cls]}" if cls not in PBLAS else f"dace.libraries.pblas.nodes.{PBLAS[cls]}"
        n = self.node("LibraryNode", cls.lower(), classpath=f"{path}.{cls}", name=cls.lower(), in_connectors=dict.fromkeys(inputs), out_connectors=dict.fromkeys(outputs),
                      **properties)
        for conn, region in inputs.items():
            data, subset = region.rstrip("]").split("[")
            self.edge(self.node("AccessNode", data, data=data), None, n, conn, memlet(data, subset))
        for conn, region in outputs.items():
            data, subset = region.rstrip("]").split("[")
            self.edge(n, conn, self.node("AccessNode", data, data=data), None, memlet(data, subset))

    def map(self, schedule, params, code, outputs):
        """A map over a tasklet of `code` without inputs; params: {"p": "begin:end:step"}; outputs: connector="array[subset]"."""
        self.maps([(schedule, params)], code, outputs)

    def maps(self, levels, code, outputs):
        """The same with maps inside of each other: a schedule and params of each, the outermost first."""
        self.state()
        entries = [self.node("MapEntry", f"m{i or ''}", params=list(params), range=memlet("", ", ".join(params.values()))["attributes"]["subset"], schedule=schedule)
                   for i, (schedule, params) in enumerate(levels)]
        task = self.node("Tasklet", "t", code={"string_data": code, "language": "Python"}, in_connectors={},
                         out_connectors=dict.fromkeys(outputs))
        exits = [self.node("MapExit", f"m{i or ''}", in_connectors={}, out_connectors={}) for i in range(len(levels))]
        nodes = self.states[-1]["nodes"]
        inside = [*entries, task]
        for entry, leave, inner in zip(entries, exits, inside[1:]):
            nodes[entry]["scope_exit"] = str(leave)
            nodes[inner]["scope_entry"] = nodes[leave]["scope_entry"] = str(entry)
            self.edge(entry, None, inner, None, {"type": "Memlet", "attributes": {}})
        for conn, region in outputs.items():
            data, subset = region.rstrip("]").split("[")
            source = (task, conn)
            for i, leave in enumerate(reversed(exits)):
                nodes[leave]["attributes"]["in_connectors"][f"IN_{data}"] = None
                nodes[leave]["attributes"]["out_connectors"][f"OUT_{data}"] = None
                self.edge(*source, leave, f"IN_{data}", memlet(data, "" if i else subset))
                source = (leave, f"OUT_{data}")
            self.edge(*source, self.node("AccessNode", data, data=data), None, memlet(data, ""))

    def write(self, folder):
        states = [{"type": "SDFGState", "label": f"s{i}", "id": i, "collapsed": False, "scope_dict": {},
                   "attributes": {}, **s} for i, s in enumerate(self.states)]
        edges = [{"type": "Edge", "attributes": {"data": {"type": "InterstateEdge", "attributes": {
            "assignments": {}, "condition": {"string_data": "1", "language": "Python"}}}},
            "src": str(i), "dst": str(i + 1)} for i in range(len(states) - 1)]
        sdfg = {"type": "SDFG", "attributes": {"name": self.name, "_arrays": self.arrays, "symbols": self.symbols,
                                               "arg_names": [], "constants_prop": {}},
                "nodes": states, "edges": edges, "start_block": 0, "cfg_list_id": 0, "dace_version": "1.0.0"}
        if self.init:
            code = {"language": "CPP"}
            sdfg["attributes"].update(global_code={"frame": {"string_data": "static double mine, pg_like, pg_size;", **code}},
                                      init_code={"frame": {"string_data": self.init, **code}})
        path = folder / f"{self.name}.sdfg"
        path.write_text(json.dumps(sdfg))
        return path
