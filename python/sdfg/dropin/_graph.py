"""From an SDFG of DaCe's to a program of the engine that takes the arguments DaCe's own library would take."""

import copy
import json

from .. import Program
from .._dace_json import of_graph
from .._errors import Error
from .._program import _plain
from .._wait import Work


class Refusal(Exception):
    """Why DaCe must build a program."""


def all_graphs(graph):
    """It and its nested graphs, those of other files loaded."""
    try:
        return list(graph.all_sdfgs_recursive(load_ext=True))
    except TypeError: # before DaCe 2
        return list(graph.all_sdfgs_recursive())


def sends_messages(node):
    """Whether it is a library node that DaCe expands to C++ that calls MPI or ScaLAPACK."""
    return type(node).__module__.startswith(("dace.libraries.mpi.", "dace.libraries.comm.", "dace.libraries.pblas."))


def is_quiet(node):
    return not sends_messages(node)


def is_foreign(node):
    return not type(node).__module__.startswith("dace.")


def expand(graph, which, recursive=True):
    """Has those of the library nodes expanded by their classes, with all that they expand to."""
    from dace.sdfg import nodes
    while True:
        found = [(node, state) for node, state in graph.all_nodes_recursive() if isinstance(node, nodes.LibraryNode) and which(node)]
        for node, state in found:
            try:
                node.expand(state)
            except TypeError: # before DaCe 2
                node.expand(state.parent, state)
        if not found or not recursive:
            return


def resolve(graph):
    """Types of connectors, schedules and storages that were left open: DaCe's handles ask the graph for them."""
    from dace.sdfg import infer_types
    infer_types.infer_connector_types(graph)
    infer_types.set_default_schedule_and_storage_types(graph, None)


def instrumented(graph):
    """Whether anything is measured or saved."""
    found = [graph, *(node for node, _ in graph.all_nodes_recursive())]
    return any(getattr(getattr(each, what, None), "name", "No_Instrumentation") != "No_Instrumentation"
               for each in found for what in ("instrument", "symbol_instrument"))


def json_of(graph):
    return json.dumps(of_graph(graph), default=_plain).encode()


class Remembered:
    """Answers of a graph about its arguments and symbols, until it changes: DaCe goes through the whole graph for each, and CompiledSDFG asks
    what was asked before. Within `with`, for one thread."""
    QUESTIONS = "arglist", "used_symbols"

    def __init__(self, graph):
        self.graph, self.known = graph, {}

    def __enter__(self):
        for name in self.QUESTIONS:
            setattr(self.graph, name, self._remembering(getattr(self.graph, name)))
        return self

    def __exit__(self, *_):
        for name in self.QUESTIONS:
            delattr(self.graph, name)

    def _remembering(self, ask):
        def answer(*args, **options):
            key = ask.__name__, args, *sorted(options.items())
            try:
                if key not in self.known:
                    self.known[key] = ask(*args, **options)
            except TypeError: # what is asked about cannot be a key
                return ask(*args, **options)
            return copy.copy(self.known[key])
        return answer

    def changed(self):
        self.known.clear()

    def know_symbols(self, names):
        """What CompiledSDFG gets as free symbols: it asks only which of the arguments are among them."""
        self.known["used_symbols", (), ("all_symbols", True)] = set(names)


def interface(graph):
    """Names of the arguments that DaCe passes to a program and to its initialisation, in order. The latter are the free symbols among them, which
    are no names of data."""
    arguments = [name for name in graph.signature_arglist(with_types=False, arglist=graph.arglist()) if name not in graph.constants_prop]
    return arguments, [name for name in arguments if name not in graph.arrays]


def of_program(program, more=()):
    """The same of the functions that the engine exports."""
    taken = [a for a in program.arguments if a.kind != "symbol" or not a.optional or a.name in more]
    return [a.name for a in taken], [a.name for a in taken if a.kind == "symbol"]


def _lowered(text, engine):
    """A program, and why it cannot be lowered, or None."""
    program = Program(text, engine)
    try:
        program.emit("tree")
    except Error as error:
        return program, error
    return program, None


def _unknown(graph, error):
    """Which library nodes of a graph the engine does not have, as the error says: newer DaCe has more of them."""
    if error is None or error.code != "UNKNOWN_LIBRARY":
        return set()
    said = " ".join(message.text for message in error.messages)
    kinds = {type(node) for node, _ in graph.all_nodes_recursive()}
    return {kind for kind in kinds if f"'{kind.__module__}.{kind.__qualname__}'" in said}


def load(graph, engine, remembered=None):
    """The engine's program for a graph whose interface is DaCe's. The graph may be changed: it is what DaCe's CompiledSDFG asks for the
    arguments. Gives the program and the symbols that DaCe passes though the code does not need them. What cannot be lowered is refused now, not
    by the first call. The engine works beside what DaCe is asked; library nodes that it does not have are expanded by their classes."""
    def fitting(program, wanted):
        optional = {a.name for a in program.arguments if a.kind == "symbol" and a.optional}
        more = [name for name in wanted[0] if name in optional]
        return of_program(program, more), more

    def checked(program, error):
        if error:
            raise error
        return program

    expand(graph, is_foreign)
    text = json_of(graph)
    work = Work(lambda: _lowered(text, engine))
    for which in None, is_quiet, sends_messages:
        if which is sends_messages: # as DaCe would generate code from it, but for the messages
            generated = json_of(graph)
        if which: # what a library node needs is known to DaCe once it is expanded
            expand(graph, which)
        resolve(graph)
        if remembered:
            remembered.changed()
        wanted = interface(graph)
        if remembered:
            remembered.know_symbols(wanted[1])
        program, error = work.result()
        unknown = _unknown(graph, error)
        if unknown:
            expand(graph, lambda node: type(node) in unknown)
            return load(graph, engine, remembered)
        found, more = fitting(program, wanted)
        if found == wanted:
            return checked(program, error), more
    program, error = _lowered(generated, engine)
    found, more = fitting(program, wanted)
    if found == wanted:
        return checked(program, error), more
    for ours, theirs, what in zip(found, wanted, ("arguments", "arguments of the initialisation")):
        if ours != theirs:
            raise Refusal(f"its {what} are ({', '.join(ours)}), where DaCe passes ({', '.join(theirs)})")
