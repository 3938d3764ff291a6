"""Graphs of an installed DaCe as JSON."""

import re
import threading

_ROUNDED = re.compile(r"\b(ceil|floor)\s*\(")
_lock = threading.RLock()


def of_graph(graph):
    """What graph.to_json() gives, but assignments of transitions round as DaCe's own code does: to_json takes every name for an integer, also
    that of a scalar of type float64, and writes `arg` for `ceil(arg)`."""
    from dace.sdfg.sdfg import InterstateEdge
    original = InterstateEdge.to_json

    def whole(edge, *args, **kwargs):
        record = original(edge, *args, **kwargs)
        written = record["attributes"].get("assignments", {}) # may be left out where it is empty
        for name, text in edge.assignments.items():
            if name in written and _ROUNDED.search(str(text)) and not _ROUNDED.search(str(written[name])):
                written[name] = str(text)
        return record

    with _lock:
        InterstateEdge.to_json = whole
        try:
            return graph.to_json()
        finally:
            InterstateEdge.to_json = original
