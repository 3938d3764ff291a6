"""Graphs of an installed DaCe as JSON."""

import contextlib
import re
import threading

_ROUNDED = re.compile(r"\b(ceil|floor)\s*\(")
_lock = threading.RLock()


def _whole(original):
    """Assignments round as DaCe's own code does: to_json takes every name for an integer, also that of a scalar of type float64, and writes `arg`
    for `ceil(arg)`."""
    def to_json(edge, *args, **kwargs):
        record = original(edge, *args, **kwargs)
        written = record["attributes"].get("assignments", {}) # may be left out where it is empty
        for name, text in edge.assignments.items():
            if name in written and _ROUNDED.search(str(text)) and not _ROUNDED.search(str(written[name])):
                written[name] = str(text)
        return record
    return to_json


def _once(original):
    """Entry and exit of a map ask for its text each."""
    known, here = {}, threading.get_ident()

    def text(owner):
        if threading.get_ident() != here: # which may change its graph
            return original(owner)
        found = known.get(id(owner))
        if found is None:
            found = known[id(owner)] = original(owner), owner # its address is the key
        return found[0]
    return text


def _counted(original):
    """Each node is asked for by itself, its entry and exit, and all edges: DaCe goes through the nodes until it meets it."""
    known, here = {}, threading.get_ident()

    def node_id(graph, node):
        if threading.get_ident() != here:
            return original(graph, node)
        found = known.get(id(graph))
        if found is None:
            found = known[id(graph)] = {id(each): i for i, each in enumerate(graph.nodes())}, graph
        number = found[0].get(id(node))
        return original(graph, node) if number is None else number
    return node_id


def _texts(original):
    """An expression stands in many places. Its text depends on the object, since expressions that differ in types of symbols only are equal, and
    on the types that the scope declares."""
    from dace import symbolic
    known, here = {}, threading.get_ident()
    declared = getattr(symbolic, "_SERIALIZATION_SYMBOL_DTYPES", None)
    if not hasattr(declared, "get"):
        return original

    def serialize_symbolic(expression):
        if threading.get_ident() != here:
            return original(expression)
        scope = declared.get()
        key = id(expression), id(scope)
        found = known.get(key)
        if found is None:
            found = known[key] = original(expression), expression, scope # their addresses are the key
        return found[0]
    return serialize_symbolic


@contextlib.contextmanager
def _replaced(*places):
    """Functions of classes and modules are replaced by others that call them; those that this version of DaCe lacks are left out."""
    with _lock: # what another thread has replaced is no original
        saved = [(owner, name, vars(owner)[name]) for owner, name, _ in places if name in vars(owner)]
        try:
            for owner, name, make in places:
                if name in vars(owner):
                    setattr(owner, name, make(vars(owner)[name]))
            yield
        finally:
            for owner, name, original in saved:
                setattr(owner, name, original)


def of_graph(graph):
    """What graph.to_json() gives, but for transitions that round. DaCe asks many things again and again, of a graph that stays as it is meanwhile."""
    from dace import symbolic
    from dace.sdfg import graph as graphs, nodes
    from dace.sdfg.sdfg import InterstateEdge
    with _replaced((InterstateEdge, "to_json", _whole), (nodes.Map, "__str__", _once), (graphs.OrderedDiGraph, "node_id", _counted),
                   (symbolic, "serialize_symbolic", _texts)):
        return graph.to_json()
