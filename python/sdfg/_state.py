"""Nodes and states of graphs that are built in Python."""

import re
from typing import Any, NamedTuple, Optional

from ._composed import json_of
from ._memlet import Memlet, Range, names_of, symbolic, text_of


def _enum(value):
    return getattr(value, "name", value)


def code_json(code, language="Python"):
    return {"string_data": str(code), "language": _enum(language)}


class Edge(NamedTuple):
    src: Any
    src_conn: Optional[str]
    dst: Any
    dst_conn: Optional[str]
    data: Memlet


def _attribute(name):
    """An attribute of the file as one of the object."""
    def store(node, value):
        node.attributes[name] = _enum(value)
    return property(lambda node: node.attributes.get(name), store)


class Node:
    """A node of a state. Connectors are names -> element types, or None where they are inferred."""

    def __init__(self, type, label, inputs=(), outputs=(), **attributes):
        self.type, self.label, self.attributes = type, label, attributes
        self.in_connectors, self.out_connectors = _connectors(inputs), _connectors(outputs)
        self.entry = self.exit = None # of a map: the other end
        self.classpath = None         # of library nodes
        self.range = None             # of maps

    schedule, implementation, params = _attribute("schedule"), _attribute("implementation"), _attribute("params")

    def add_in_connector(self, name, dtype=None):
        return self._add(self.in_connectors, name, dtype)

    def add_out_connector(self, name, dtype=None):
        return self._add(self.out_connectors, name, dtype)

    @staticmethod
    def _add(connectors, name, dtype):
        new = name not in connectors
        connectors.setdefault(name, dtype)
        return new

    @property
    def data(self):
        """Of an access node: the name of the container."""
        return self.attributes.get("data")

    def desc(self, graph):
        """Of an access node: the container, in its SDFG or state."""
        head, *path = self.data.split(".")
        found = graph.sdfg.arrays[head]
        for name in path:
            found = found.members[name]
        return found

    @property
    def code(self):
        """Of a tasklet."""
        return self.attributes["code"]["string_data"]

    @code.setter
    def code(self, text):
        self.attributes["code"]["string_data"] = text

    @property
    def sdfg(self):
        """Of a nested SDFG."""
        return self.attributes["sdfg"]

    @property
    def symbol_mapping(self):
        """Of a nested SDFG: inner symbols -> texts of the file."""
        return self.attributes["symbol_mapping"]

    def mapped(self):
        """Of a nested SDFG: the texts that the symbols have which are read inside."""
        mapping = self.attributes.get("symbol_mapping") or {}
        inner = self.attributes.get("sdfg")
        read = inner._read() if hasattr(inner, "_read") else mapping
        return [str(text).replace("$", "") for name, text in mapping.items() if name in read]

    def parameters(self):
        """The names that a scope defines."""
        return [*self.attributes.get("params", ()), *([self.attributes["pe_index"]] if "pe_index" in self.attributes else ())]

    @property
    def map(self):
        """Of the ends of a map: the entry, which has what both share."""
        return self.entry or self

    def ranges(self):
        """Of a map: its dimensions, as texts."""
        return self.range.dimensions if self.range is not None else []

    def to_json(self, index, ids):
        def types(connectors):
            return {name: json_of(t) for name, t in connectors.items()}

        attributes = {"label": self.label, "in_connectors": types(self.in_connectors), "out_connectors": types(self.out_connectors)}
        attributes.update(self.attributes)
        if "sdfg" in attributes:
            attributes["sdfg"] = attributes["sdfg"].to_json()
        entry = self.entry and str(ids[self.entry])
        made = {"type": self.type, "label": self.label, "id": index, "scope_entry": entry,
                "scope_exit": str(ids[self.exit]) if self.exit else str(index) if self.type.endswith("Exit") else None, "attributes": attributes}
        if self.classpath:
            made["classpath"] = self.classpath
        return made

    def __repr__(self):
        return f"<{self.type} {self.label}>"


def library_node(kind, name=None, *, inputs=(), outputs=(), **attributes):
    """A node of a library, such as "blas.Gemm"; sdfg.list("ops") has all. Attributes are those of files; connectors come with edges."""
    library, _, last = kind.rpartition(".")
    node = Node("LibraryNode", name or last, inputs, outputs, name=name or last, **{key: _enum(value) for key, value in attributes.items()})
    node.classpath = f"dace.libraries.{library}.nodes.{last.lower()}.{last}"
    return node


def reduce_node(name="Reduce", wcr="lambda a, b: a + b", axes=None, identity=None, **attributes):
    return library_node("standard.Reduce", name, wcr=wcr, axes=None if axes is None else list(axes),
                        identity=None if identity is None else str(identity), **attributes)


def _connectors(names):
    return dict(names) if isinstance(names, dict) else {name: None for name in (sorted(names) if isinstance(names, (set, frozenset)) else names)}


def _ranges(ranges):
    """Parameters and a Range, from a dictionary, pairs, or texts "i = 0:N"."""
    if isinstance(ranges, dict):
        ranges = list(ranges.items())
    elif isinstance(ranges, str):
        ranges = [ranges]
    pairs = [tuple(r.split("=", 1)) if isinstance(r, str) else r for r in ranges]
    dimensions = []
    for name, subset in pairs:
        dimensions += Range.of([subset] if isinstance(subset, (tuple, list)) else subset).dimensions
    if len(dimensions) != len(pairs):
        raise ValueError("a map has one range for each of its parameters")
    return [name.strip() for name, _ in pairs], Range(dimensions)


class SDFGState:
    """Data flow: nodes and edges. Made by SDFG.add_state."""

    def __init__(self, label, sdfg=None, parent=None):
        self.label, self.sdfg, self.parent = label, sdfg, parent
        self._nodes, self._edges, self.more = [], [], {} # more: further attributes of the file

    parent_graph = property(lambda self: self.parent)

    def _adopt(self, sdfg):
        self.sdfg = sdfg

    @property
    def free_symbols(self):
        """The names that its memlets, ranges, sizes and code read, other than those of containers and of its scopes."""
        params, arrays = {p for node in self._nodes for p in node.parameters()}, self.sdfg.arrays if self.sdfg else {}
        texts = [text for *_, memlet in self._edges for r in (memlet.subset, memlet.other_subset) if r for d in r.dimensions for text in d]
        for node in self._nodes:
            texts += [text for d in node.ranges() for text in d] + node.mapped()
            if node.data in arrays:
                texts += arrays[node.data].texts()
        found = {name for text in texts for name in names_of(text)} | {name for node in self._nodes for name in self._in_code(node)}
        return found - params - arrays.keys() - (self.sdfg.constants_prop.keys() if self.sdfg else set())

    def _in_code(self, node):
        """The symbols of the SDFG that the code of a tasklet has, in whatever language."""
        if node.type != "Tasklet" or self.sdfg is None:
            return set()
        words = set(re.findall(r"(?<![\w.])[A-Za-z_]\w*", node.code))
        return (words & self.sdfg.symbols.keys()) - node.in_connectors.keys() - node.out_connectors.keys()

    def fill_scope_connectors(self):
        """Connectors of the ends of scopes for the edges that have none, by their data."""
        for node in self._nodes:
            if not node.type.endswith(("Entry", "Exit")):
                continue
            for i, edge in enumerate(self._edges):
                if edge.data.data is None:
                    continue
                if edge.dst is node and edge.dst_conn is None:
                    node.add_in_connector(f"IN_{edge.data.data}")
                    edge = self._edges[i] = edge._replace(dst_conn=f"IN_{edge.data.data}")
                if edge.src is node and edge.src_conn is None:
                    node.add_out_connector(f"OUT_{edge.data.data}")
                    self._edges[i] = edge._replace(src_conn=f"OUT_{edge.data.data}")

    def nodes(self):
        """In the order in which they were added."""
        return list(self._nodes)

    def data_nodes(self):
        """The access nodes."""
        return [node for node in self._nodes if node.type == "AccessNode"]

    def in_edges(self, node):
        """Edges that end at a node."""
        return [e for e in self._edges if e.dst is node]

    def out_edges(self, node):
        """Edges that begin at a node."""
        return [e for e in self._edges if e.src is node]

    def edges(self):
        """All edges: src, src_conn, dst, dst_conn and data (a Memlet)."""
        return list(self._edges)

    def add_node(self, node):
        """Adds a node that was made apart, such as a library node."""
        if node not in self._nodes:
            self._nodes.append(node)
        return node

    # ---- nodes ----

    def add_access(self, name):
        """An access node of a container."""
        name = getattr(name, "data", name)
        if name.split(".")[0] not in self.sdfg.arrays:
            raise KeyError(f"SDFG '{self.sdfg.name}' has no container '{name}'")
        return self.add_node(Node("AccessNode", name, data=name))

    add_read = add_write = add_access

    def add_tasklet(self, name, inputs, outputs, code, language="Python", side_effects=None, **_):
        """Code with connectors: names, or names with types. `side_effects`: kept although nothing uses its results."""
        more = {} if side_effects is None else {"side_effects": side_effects}
        return self.add_node(Node("Tasklet", name, inputs, outputs, code=code_json(code, language), **more))

    def add_map(self, name, ndrange, schedule="Default", unroll=False, **_):
        """The entry and the exit of a map: ranges by parameter, {"i": "0:N"}."""
        params, range = _ranges(ndrange)
        entry = Node("MapEntry", name, params=params, range=range.to_json(), schedule=_enum(schedule), unroll=unroll)
        exit = Node("MapExit", name)
        entry.exit, exit.entry, entry.range = exit, entry, range
        self.sdfg._note_symbols(names_of(text) for d in range.dimensions for text in d)
        self.add_node(entry)
        self.add_node(exit)
        return entry, exit

    def add_nested_sdfg(self, sdfg, *arguments, symbol_mapping=None, name=None, external_path=None, **_):
        """`sdfg` as a node: add_nested_sdfg(inner, inputs, outputs, symbol_mapping). Symbols that are not mapped are those of the same name.
        `external_path`: the file of the graph instead."""
        if sdfg is None and external_path is not None:
            from ._graph import SDFG
            sdfg = SDFG.from_file(external_path)
        if len(arguments) in (3, 4) and (arguments[0] is None or arguments[0] is self.sdfg): # DaCe before 2 had the parent here
            arguments = arguments[1:]
        inputs, outputs, *rest = arguments
        mapping = {str(k): text_of(v) for k, v in (rest[0] if rest else symbol_mapping or {}).items()}
        for symbol in sdfg.free_symbols:
            mapping.setdefault(symbol, symbol)
        self.sdfg._note_symbols(names_of(text) for text in mapping.values())
        sdfg.parent_sdfg = self.sdfg
        return self.add_node(Node("NestedSDFG", name or sdfg.name, inputs, outputs, sdfg=sdfg,
                                  symbol_mapping={k: symbolic(v) for k, v in mapping.items()}))

    def add_reduce(self, wcr, axes, identity=None, **_):
        """A reduction by `wcr` ("lambda a, b: a + b") over `axes` (None: all); `identity` is stored before."""
        return self.add_node(reduce_node("Reduce", wcr, axes, identity))

    def add_consume(self, name, elements, condition=None, schedule="Default", chunksize=1, language="Python", **_):
        """The entry and the exit of a scope that takes elements from a stream; `elements` are the name of the worker's number, and how many
        there are. The stream is connected to "IN_stream", its elements come from "OUT_stream"."""
        index, count = elements
        entry = Node("ConsumeEntry", name, pe_index=index, num_pes=symbolic(count), schedule=_enum(schedule), chunksize=chunksize,
                     condition=None if condition is None else code_json(condition, language))
        exit = Node("ConsumeExit", name)
        entry.exit, exit.entry = exit, entry
        self.sdfg._note_symbols([names_of(text_of(count))])
        return self.add_node(entry), self.add_node(exit)

    # ---- edges ----

    def add_edge(self, src, src_conn, dst, dst_conn, memlet):
        """An edge between connectors (None: no connector) of two nodes."""
        if not isinstance(memlet, Memlet):
            raise TypeError(f"an edge has a Memlet, not {type(memlet).__name__}")
        for node, names, connector in (src, src.out_connectors, src_conn), (dst, dst.in_connectors, dst_conn):
            if node not in self._nodes:
                raise ValueError(f"{node!r} is no node of the state '{self.label}'")
            if connector is not None and connector not in names:
                if node.type not in ("MapEntry", "MapExit", "ConsumeEntry", "ConsumeExit", "AccessNode", "LibraryNode"):
                    raise ValueError(f"{node!r} has no connector '{connector}'; it has {', '.join(names) or 'none'}")
                names[connector] = None
        for subset in memlet.subset, memlet.other_subset:
            if subset is not None:
                self.sdfg._note_symbols(names_of(text) for d in subset.dimensions for text in d)
        self._edges.append(Edge(src, src_conn, dst, dst_conn, memlet))
        return self._edges[-1]

    def add_nedge(self, src, dst, memlet=None):
        """An edge without connectors; without a memlet one that only orders its ends."""
        return self.add_edge(src, None, dst, None, memlet if memlet is not None else Memlet())

    def add_edge_pair(self, scope_node, internal_node, external_node, internal_memlet, external_memlet=None, scope_connector=None,
                      internal_connector=None, external_connector=None):
        """The two edges through an entry or exit: `internal_memlet` is that of the inner one."""
        name = scope_connector or self._free_connector(scope_node, "1")
        scope_node.in_connectors[f"IN_{name}"] = scope_node.out_connectors[f"OUT_{name}"] = None
        outer = external_memlet if external_memlet is not None else internal_memlet.outside(external_node)
        if scope_node.type.endswith("Entry"):
            inner = self.add_edge(scope_node, f"OUT_{name}", internal_node, internal_connector, internal_memlet)
            return inner, self.add_edge(external_node, external_connector, scope_node, f"IN_{name}", outer)
        inner = self.add_edge(internal_node, internal_connector, scope_node, f"IN_{name}", internal_memlet)
        return inner, self.add_edge(scope_node, f"OUT_{name}", external_node, external_connector, outer)

    def add_memlet_path(self, *path, memlet, src_conn=None, dst_conn=None, **_):
        """Edges from the first node through the entries or exits of maps to the last; `memlet` is that of the innermost one."""
        inwards = any(node.type.endswith("Entry") for node in path[:-1])
        connectors = [self._through(node, memlet) if node.type.endswith(("Entry", "Exit")) and not memlet.is_empty() else None
                      for node in path[1:-1]]
        last = len(path) - 2
        for i, (a, b) in enumerate(zip(path, path[1:])):
            innermost = i == (last if inwards else 0) or len(path) == 2
            out = src_conn if i == 0 else connectors[i - 1] and f"OUT_{connectors[i - 1]}"
            into = dst_conn if i == last else connectors[i] and f"IN_{connectors[i]}"
            self.add_edge(a, out, b, into, memlet if innermost or memlet.is_empty() else memlet.outside(path[0 if inwards else -1]))

    @staticmethod
    def _through(node, memlet):
        """A new connector of a map for the data."""
        name = "stream" if node.type == "ConsumeEntry" and "IN_stream" not in node.in_connectors else \
            SDFGState._free_connector(node, memlet.data)
        node.in_connectors[f"IN_{name}"] = node.out_connectors[f"OUT_{name}"] = None
        return name

    @staticmethod
    def _free_connector(node, wish):
        name, n = wish, 0
        while f"IN_{name}" in node.in_connectors or f"OUT_{name}" in node.out_connectors:
            n += 1
            name = f"{wish}_{n}"
        return name

    def add_mapped_tasklet(self, name, map_ranges, inputs, code, outputs, schedule="Default", unroll=False, external_edges=False,
                           input_nodes=None, output_nodes=None, language="Python", **_):
        """A tasklet in a map; gives the tasklet, the entry and the exit. `inputs` and `outputs`: connector -> Memlet. With `external_edges`
        also access nodes and the edges to them."""
        entry, exit = self.add_map(name, map_ranges, schedule, unroll)
        tasklet = self.add_tasklet(name, list(inputs), list(outputs), code, language)
        for memlets, given, inwards in (inputs, input_nodes, True), (outputs, output_nodes, False):
            nodes = dict(given or {})
            for connector, memlet in memlets.items():
                if not external_edges:
                    edge = (entry, None, tasklet, connector) if inwards else (tasklet, connector, exit, None)
                    self.add_edge(*edge, memlet)
                    continue
                node = nodes.get(memlet.data) or nodes.setdefault(memlet.data, self.add_access(memlet.data))
                if inwards:
                    self.add_memlet_path(node, entry, tasklet, dst_conn=connector, memlet=memlet)
                else:
                    self.add_memlet_path(tasklet, exit, node, src_conn=connector, memlet=memlet)
            if not memlets:
                self.add_nedge(entry, tasklet) if inwards else self.add_nedge(tasklet, exit)
        return tasklet, entry, exit

    # ---- the file ----

    def to_json(self, index):
        """As a file has it; `index` is its number in the region around."""
        ids = {node: i for i, node in enumerate(self._nodes)}
        nodes = []
        for node, i in ids.items():
            nodes.append(node.to_json(i, ids))
        edges = [{"type": "MultiConnectorEdge", "src": str(ids[a]), "dst": str(ids[b]), "src_connector": x, "dst_connector": y,
                  "attributes": {"data": memlet.to_json(self.sdfg.arrays)}} for a, x, b, y, memlet in self._edges]
        return {"type": "SDFGState", "label": self.label, "id": index, "collapsed": False, "attributes": self.more, "scope_dict": {},
                "nodes": nodes, "edges": edges}

    def __repr__(self):
        return f"<state {self.label}>"
