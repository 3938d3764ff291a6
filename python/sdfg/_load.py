"""Graphs from files as objects that can be changed: the other direction of to_json."""

from ._data import Data
from ._graph import SDFG, ConditionalBlock, ControlFlowRegion, InterstateEdge, LoopRegion, Transition
from ._memlet import Memlet, Range, text_from
from ._state import Edge, Node, SDFGState


def _texts(values):
    return [text_from(v) for v in values]


def data_from(record):
    kind, rest = record["type"], dict(record.get("attributes", {}))
    members = rest.pop("members", None)
    made = Data(kind, rest.pop("dtype", None), _texts(rest.pop("shape", ["1"])), members=members and
                {name: data_from(m) if isinstance(m, dict) else text_from(m) for name, m in members})
    for name in "strides", "offset":
        value = rest.pop(name, None)
        setattr(made, name, tuple(_texts(value)) if value else None)
    for name in "total_size", "buffer_size":
        value = rest.pop(name, None)
        setattr(made, name, None if value is None else text_from(value))
    for name in "transient", "storage", "lifetime", "may_alias", "alignment", "optional":
        setattr(made, name, rest.pop(name, getattr(made, name)))
    made.more = rest
    return made


def range_from(record):
    if record is None:
        return None
    if record["type"] == "Indices":
        return Range([(text_from(i),) * 2 for i in record["indices"]])
    return Range([tuple(text_from(r.get(name, "1")) for name in ("start", "end", "step", "tile")) for r in record["ranges"]])


def memlet_from(record):
    rest = record.get("attributes", {}) if record else {}
    made = Memlet()
    made.data, made.subset, made.other_subset = rest.get("data"), range_from(rest.get("subset")), range_from(rest.get("other_subset"))
    if made.data is not None:
        made.volume = text_from(rest.get("volume", "1"))
    made.dynamic, made.wcr, made.wcr_nonatomic = rest.get("dynamic", False), rest.get("wcr"), rest.get("wcr_nonatomic", False)
    made.debuginfo = rest.get("debuginfo")
    return made


def _code(record):
    return record["string_data"] if isinstance(record, dict) else record


def _edge_from(record):
    rest = (record or {}).get("attributes", {})
    made = InterstateEdge()
    condition = rest.get("condition")
    made.condition = None if condition is None or _code(condition) in ("1", "True") else _code(condition)
    made.assignments = {name: str(text) for name, text in rest.get("assignments", {}).items()}
    return made


def _state_from(record, sdfg, parent):
    state = SDFGState(record["label"], sdfg, parent)
    state.more = record.get("attributes", {})
    nodes = {}
    for r in record["nodes"]:
        rest = dict(r["attributes"])
        node = Node(r["type"], r.get("label", ""), rest.pop("in_connectors", {}), rest.pop("out_connectors", {}))
        if rest.get("sdfg"):
            rest["sdfg"] = sdfg_from(rest["sdfg"], sdfg)
        node.attributes, node.classpath, node.state, node.range = rest, r.get("classpath"), state, range_from(rest.get("range"))
        nodes[r["id"]] = state.add_node(node)
    entries = {node_id: n for node_id, n in nodes.items() if n.type.endswith("Entry")}
    for r in record["nodes"]:
        if r["type"].endswith("Exit"):
            entry = entries[int(r["scope_entry"])]
            entry.exit, nodes[r["id"]].entry = nodes[r["id"]], entry
    for e in record["edges"]:
        state._edges.append(Edge(nodes[int(e["src"])], e["src_connector"], nodes[int(e["dst"])], e["dst_connector"],
                                 memlet_from(e["attributes"]["data"])))
    return state


_REGIONS = {"ControlFlowRegion": ControlFlowRegion, "FunctionCallRegion": ControlFlowRegion, "NamedRegion": ControlFlowRegion,
            "LoopRegion": LoopRegion, "ConditionalBlock": ConditionalBlock}


def _fill(region, record):
    blocks = {r["id"]: _block_from(r, region.sdfg, region) for r in record.get("nodes", ())}
    region._blocks = list(blocks.values())
    start = record.get("start_block")
    region._start = None if start is None or start < 0 else blocks.get(start)
    region._edges = [Transition(blocks[int(e["src"])], blocks[int(e["dst"])], _edge_from(e["attributes"]["data"])) for e in record.get("edges", ())]


def _block_from(record, sdfg, parent):
    kind = record["type"]
    if kind == "SDFGState":
        return _state_from(record, sdfg, parent)
    made = _REGIONS.get(kind, ControlFlowRegion)(record["label"])
    made.type, made.sdfg, rest = kind, sdfg, record.get("attributes", {})
    if kind == "LoopRegion":
        made.condition, made.variable = _code(rest.get("loop_condition")) or "True", rest.get("loop_variable", "")
        made.init, made.update = _code(rest.get("init_statement")), _code(rest.get("update_statement"))
        made.inverted, made.update_before_condition = rest.get("inverted", False), rest.get("update_before_condition", True)
        made.more = {name: value for name, value in rest.items() if name not in made._attributes()}
    elif kind == "ConditionalBlock":
        for condition, branch in record.get("branches", ()):
            made.branches.append((_code(condition), _block_from(branch, sdfg, made)))
        made.more = rest
        return made
    else:
        made.more = rest
    _fill(made, record)
    return made


def sdfg_from(record, parent=None):
    """An SDFG from what a file says, as JSON has it."""
    rest = dict(record["attributes"])
    made = SDFG(rest.pop("name"), parent=parent)
    made.arrays = {name: data_from(d) for name, d in (rest.pop("_arrays", None) or {}).items()}
    made.symbols = {name: _kind_from(kind) for name, kind in (rest.pop("symbols", None) or {}).items()}
    made.arg_names, made.raw_constants = list(rest.pop("arg_names", None) or []), rest.pop("constants_prop", None) or {}
    made.more, made.source_files = rest, record.get("source_files")
    _fill(made, record)
    return made


def _kind_from(kind):
    from ._composed import from_json
    return from_json(kind)
