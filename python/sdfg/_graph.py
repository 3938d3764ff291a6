"""Building SDFGs in Python, with DaCe's names for what adds: SDFG, LoopRegion, ConditionalBlock, InterstateEdge. There are no transformations
and no queries; what is built is saved, validated, compiled and called."""

import os
import re
import warnings
from typing import Any, NamedTuple

import numpy

from . import _races
from ._composed import json_of
from ._data import Data, data_of
from ._errors import InvalidError, ProgramWarning
from ._memlet import Memlet, names_of, text_of
from ._program import Program
from ._state import SDFGState, code_json
from ._types import type_of


def _names(text):
    """The names in a text, none in one that is no expression of ours."""
    try:
        return names_of(text)
    except ValueError:
        return set()


class InterstateEdge:
    """When the next block comes, and what symbols are then: condition and assignments are Python texts."""

    def __init__(self, condition=None, assignments=None):
        self.condition = None if condition is None else text_of(condition)
        self.assignments = {str(k): text_of(v) if not isinstance(v, float) else repr(v) for k, v in (assignments or {}).items()}

    @property
    def free_symbols(self):
        """The names that the condition and the assignments read."""
        return {name for text in (*([self.condition] if self.condition is not None else ()), *self.assignments.values()) for name in _names(text)}

    def to_json(self):
        """As a file has it."""
        attributes = {"assignments": self.assignments}
        if self.condition is not None:
            attributes["condition"] = code_json(self.condition)
        return {"type": "InterstateEdge", "attributes": attributes}


def _is_start(options):
    if "is_start_state" in options:
        warnings.warn("is_start_state is now is_start_block", DeprecationWarning, stacklevel=3)
    return options.get("is_start_state", False)


class Transition(NamedTuple):
    src: Any
    dst: Any
    data: InterstateEdge


class ControlFlowRegion:
    """Blocks that follow each other: states, loops, branches."""

    type = "ControlFlowRegion"

    def __init__(self, label="region", sdfg=None, **_):
        self.label, self.sdfg, self._blocks, self._edges, self._start, self.more = label, sdfg, [], [], None, {}

    def nodes(self):
        """The blocks of this region, in the order in which they were added."""
        return list(self._blocks)

    def edges(self):
        """Transitions between blocks: src, dst and data (an InterstateEdge)."""
        return list(self._edges)

    def _owner(self):
        if self.sdfg is None:
            raise ValueError(f"the region '{self.label}' belongs to no SDFG yet: add it to one first")
        return self.sdfg

    def _adopt(self, sdfg):
        self.sdfg = sdfg
        for block in self._blocks:
            block.sdfg = sdfg
            if isinstance(block, ControlFlowRegion):
                block._adopt(sdfg)

    def _label(self, wish):
        known = {block.label for block in self._blocks}
        label, n = wish, 0
        while label in known:
            label, n = f"{wish}_{n}", n + 1
        return label

    def add_state(self, label=None, is_start_block=False, **more):
        """A new state; its name is made unique. The first block is the start unless another one `is_start_block`."""
        state = SDFGState(self._label(label or "state"), self._owner(), self)
        self._blocks.append(state)
        if is_start_block or _is_start(more):
            self._start = state
        return state

    def add_node(self, block, is_start_block=False, ensure_unique_name=False, **more):
        """Adds a block that was made apart: a LoopRegion, a ConditionalBlock, a state."""
        if block not in self._blocks:
            block.label = self._label(block.label)
            block._adopt(self._owner())
            if isinstance(block, SDFGState):
                block.parent = self
            self._blocks.append(block)
        if is_start_block or _is_start(more):
            self._start = block
        return block

    def add_edge(self, src, dst, edge=None):
        """A transition between two blocks of this region; without an InterstateEdge one that is always taken."""
        edge = InterstateEdge() if edge is None else edge
        for block in src, dst:
            if block not in self._blocks:
                raise ValueError(f"{block!r} is not a block of '{self.label}'")
        self._owner()._note_assignments(edge)
        self._edges.append(Transition(src, dst, edge))
        return self._edges[-1]

    def add_state_after(self, state, label=None, **_):
        """A state between `state` and what has followed it."""
        new = self.add_state(label)
        self._edges = [Transition(new if a is state else a, b, e) for a, b, e in self._edges]
        self.add_edge(state, new)
        return new

    def add_state_before(self, state, label=None, **_):
        """A state between what came before `state` and it."""
        new = self.add_state(label)
        self._edges = [Transition(a, new if b is state else b, e) for a, b, e in self._edges]
        if self._start is state:
            self._start = new
        self.add_edge(new, state)
        return new

    def add_loop(self, before, body, after, loop_var, initialize_expr, condition_expr, increment_expr, **_):
        """A loop of states: gives the states before, of the guard, and after."""
        before = before or self.add_state("before")
        guard, after = self.add_state("guard"), after or self.add_state("after")
        if isinstance(condition_expr, str):
            negated = f"not ({condition_expr})"
        else:
            condition_expr, negated = "1", None
        self.add_edge(before, guard, InterstateEdge(assignments={loop_var: initialize_expr}))
        self.add_edge(guard, body, InterstateEdge(condition_expr))
        if negated:
            self.add_edge(guard, after, InterstateEdge(negated))
        self.add_edge(body, guard, InterstateEdge(assignments={loop_var: increment_expr} if increment_expr else None))
        return before, guard, after

    add_loop_state_machine = add_loop

    @property
    def start_block(self):
        """Where control begins: the block that was said to be it, else the first one; None without blocks."""
        return self._start or (self._blocks[0] if self._blocks else None)

    start_state = start_block

    def states(self):
        """Those of regions inside, too."""
        return [block for region in self._regions() for block in region._blocks if isinstance(block, SDFGState)]

    def _regions(self):
        """This one and those inside."""
        yield self
        for block in ([b for _, b in self.branches] if isinstance(self, ConditionalBlock) else self._blocks):
            if isinstance(block, ControlFlowRegion):
                yield from block._regions()

    def _read(self):
        """The names that anything inside reads."""
        found = {name for state in self.states() for name in state.free_symbols}
        found |= {name for region in self._regions() for text in region._conditions() for name in _names(text)}
        return found | {name for region in self._regions() for _, _, e in region._edges for name in e.free_symbols}

    def _conditions(self):
        """The texts of this region itself that read symbols."""
        return []

    def _attributes(self):
        return self.more

    def _region_json(self, index):
        ids = {block: i for i, block in enumerate(self._blocks)}
        edges = [{"type": "Edge", "src": str(ids[a]), "dst": str(ids[b]), "attributes": {"data": e.to_json()}} for a, b, e in self._edges]
        return {"type": self.type, "label": self.label, "id": index, "collapsed": False, "attributes": self._attributes(), "cfg_list_id": 0,
                "start_block": ids.get(self._start, 0 if ids else None), "nodes": [b.to_json(i) for b, i in ids.items()], "edges": edges}

    to_json = _region_json

    def __repr__(self):
        return f"<{self.type} {self.label}>"


class LoopRegion(ControlFlowRegion):
    """A loop, or a while loop without `loop_var`: LoopRegion("loop", "i < N", "i", "i = 0", "i = i + 1")."""

    type = "LoopRegion"

    def __init__(self, label, condition_expr=None, loop_var=None, initialize_expr=None, update_expr=None, inverted=False, sdfg=None,
                 update_before_condition=True, **_):
        super().__init__(label, sdfg)
        self.condition, self.variable, self.init, self.update = condition_expr or "True", loop_var or "", initialize_expr, update_expr
        self.inverted, self.update_before_condition = inverted, update_before_condition

    def _adopt(self, sdfg):
        super()._adopt(sdfg)
        if self.variable:
            sdfg._note_assignments(InterstateEdge(assignments={self.variable: (self.init or "= 0").split("=", 1)[1]}))

    def _conditions(self):
        return [self.condition, *(text.split("=", 1)[-1] for text in (self.init, self.update) if text)]

    def _attributes(self):
        attributes = {**self.more, "loop_condition": code_json(self.condition), "loop_variable": self.variable, "inverted": self.inverted,
                      "update_before_condition": self.update_before_condition}
        for name, value in ("init_statement", self.init), ("update_statement", self.update):
            if value is not None:
                attributes[name] = code_json(value)
        return attributes


class ConditionalBlock(ControlFlowRegion):
    """Branches: the first whose condition holds is run; None: else."""

    type = "ConditionalBlock"

    def __init__(self, label="conditional", sdfg=None, **_):
        super().__init__(label, sdfg)
        self.branches = []

    def add_branch(self, condition, branch):
        """The region `branch` is run where `condition` (a Python text; None: else) is the first one that holds."""
        self.branches.append((condition, branch))
        if self.sdfg is not None:
            branch._adopt(self.sdfg)
        return branch

    def _adopt(self, sdfg):
        self.sdfg = sdfg
        for _, branch in self.branches:
            branch._adopt(sdfg)

    def _conditions(self):
        return [str(condition) for condition, _ in self.branches if condition is not None]

    def to_json(self, index):
        """As a file has it; `index` is its number in the region around."""
        return {"type": self.type, "label": self.label, "id": index, "collapsed": False, "attributes": self.more, "cfg_list_id": 0, "start_block": None,
                "branches": [[None if c is None else code_json(c), branch.to_json(None)] for c, branch in self.branches]}


class SDFG(ControlFlowRegion):
    """A graph that is built: containers, symbols, states. Calling it compiles what has changed and runs it; arguments by name, or in the order
    of `arg_names`. Sizes and conditions are Python texts or symbols; ends of ranges are exclusive, as in slices."""

    type = "SDFG"

    def __init__(self, name, arg_types=None, parent=None, **_):
        if not re.fullmatch(r"[A-Za-z_]\w*", name):
            raise InvalidError(f"{name!r} is no name of an SDFG")
        super().__init__(name)
        self.sdfg, self.name, self.arrays, self.symbols, self.constants_prop = self, name, {}, {}, {}
        self.source_files = None # to which the places in `debuginfo` of elements belong
        self.arg_names, self.parent_sdfg, self._program, self._engine, self.raw_constants = [], parent, None, None, {}
        for argument, kind in (arg_types or {}).items():
            self.add_datadesc(argument, kind)
            self.arg_names.append(argument)

    @classmethod
    def from_file(cls, path, *_, **__):
        """The graph in a file, which may be compressed."""
        import gzip # here, because programs from functions need neither and the imports take 3 ms
        import json
        with open(path, "rb") as file:
            data = file.read()
        return cls.from_json(json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data))

    @staticmethod
    def from_json(record, *_, **__):
        """The graph that a file says, as JSON has it."""
        from ._load import sdfg_from
        return sdfg_from(record)

    # ---- symbols ----

    def add_symbol(self, name, stype=int, **_):
        """Declares a symbol with its type."""
        if name in self.arrays:
            raise FileExistsError(f"'{name}' is a container of SDFG '{self.name}' already")
        self.symbols[name] = type_of(stype)
        return name

    def _note_symbols(self, sets):
        for names in sets:
            for name in names:
                if name not in self.arrays:
                    self.symbols.setdefault(name, None) # its type is found at the end

    def _note_assignments(self, edge):
        for name, text in edge.assignments.items():
            if name in self.arrays:
                raise ValueError(f"'{name}' is a container: transitions assign symbols only")
            if self.symbols.get(name) is None:
                self.symbols[name] = self._type_in(text)

    def _type_in(self, text):
        """float64 if an expression reads floating-point values, else int64."""
        try:
            names = names_of(text)
        except ValueError:
            names = ()
        kinds = [self.arrays[n].dtype if n in self.arrays else self.symbols.get(n) for n in names]
        is_float = any(k is not None and k.dtype.kind == "f" for k in kinds) or re.search(r"\d\.|\.\d|(?<!/)/(?!/)", text)
        return type_of("float64" if is_float else "int64")

    def add_constant(self, name, value, dtype=None):
        """A container with a value that calls do not change."""
        value = numpy.asarray(value) if dtype is None else numpy.asarray(value, getattr(dtype, "dtype", None))
        self.constants_prop[name] = value

    @property
    def free_symbols(self):
        """The symbols that have to come from outside: declared or read, and not certain to be assigned before."""
        variables = {region.variable for region in self._regions() if isinstance(region, LoopRegion)}
        params = {p for state in self.states() for node in state._nodes for p in node.parameters()}
        assigned = {name for region in self._regions() for _, _, e in region._edges for name in e.assignments}
        found = {name for name in self.symbols if name not in assigned} | {name for name in assigned if self._is_read_first(name)}
        found |= {name for state in self.states() for name in state.free_symbols if name not in assigned}
        found |= {name for region in self._regions() for _, _, e in region._edges for name in e.free_symbols if name not in assigned}
        return found - variables - params - self.constants_prop.keys() - self.arrays.keys()

    def _is_read_first(self, name):
        """Whether some way from the start reads a symbol before it is assigned. Regions inside count as read wherever they read it."""
        seen, stack = set(), [self.start_block] if self._blocks else []
        while stack:
            block = stack.pop()
            if block in seen:
                continue
            seen.add(block)
            if name in (block.free_symbols if isinstance(block, SDFGState) else block._read()):
                return True
            for edge in self._edges:
                if edge.src is block:
                    if name in edge.data.free_symbols:
                        return True
                    if name not in edge.data.assignments:
                        stack.append(edge.dst)
        return False

    # ---- containers ----

    def _add(self, name, made, find_new_name=False):
        if name in self.arrays or self.symbols.get(name) is not None:
            if not find_new_name:
                raise FileExistsError(f"SDFG '{self.name}' has a '{name}' already")
            n = 0
            while f"{name}_{n}" in self.arrays:
                n += 1
            name = f"{name}_{n}"
        self.arrays[name] = made
        self.symbols.pop(name, None)
        self._note_symbols(names_of(text) for text in made.texts())
        return name, made

    def add_array(self, name, shape, dtype, storage=None, *, transient=False, strides=None, find_new_name=False, **more):
        """An array; gives its name, made unique with `find_new_name`, and its descriptor. `strides` are in elements, row-major without; `transient`: memory of the
        program, not an argument; `more`: lifetime, offset, total_size, may_alias, alignment, optional."""
        known = {k: v for k, v in more.items() if k in ("lifetime", "offset", "total_size", "may_alias", "alignment", "optional")}
        return self._add(name, Data("Array", dtype, shape, transient=transient, storage=storage, strides=strides, **known), find_new_name)

    def add_transient(self, name, shape, dtype, storage=None, **more):
        """An array of the program, which is no argument; as add_array."""
        return self.add_array(name, shape, dtype, storage, **{**more, "transient": True})

    def add_temp_transient(self, shape, dtype, **more):
        """As add_transient, with a name of its own."""
        return self.add_transient("__tmp", shape, dtype, **{**more, "find_new_name": True})

    def add_scalar(self, name, dtype, storage=None, *, transient=False, lifetime=None, find_new_name=False, **_):
        """A single value; gives its name and descriptor."""
        return self._add(name, Data("Scalar", dtype, transient=transient, storage=storage, lifetime=lifetime), find_new_name)

    def add_stream(self, name, dtype, buffer_size=1, shape=(1,), storage=None, transient=False, find_new_name=False, **_):
        """A queue of elements; `buffer_size` 0: without bound."""
        return self._add(name, Data("Stream", dtype, shape, transient=transient, storage=storage, buffer_size=buffer_size), find_new_name)

    def add_view(self, name, shape, dtype, storage=None, strides=None, find_new_name=False, **_):
        """Another shape of the container that it is connected to."""
        return self._add(name, Data("ArrayView", dtype, shape, transient=True, storage=storage, strides=strides), find_new_name)

    def add_reference(self, name, shape, dtype, storage=None, strides=None, find_new_name=False, **_):
        """A pointer that is set to containers while the program runs."""
        return self._add(name, Data("ArrayReference", dtype, shape, transient=True, storage=storage, strides=strides), find_new_name)

    def add_datadesc(self, name, datadesc, find_new_name=False):
        """A container with the descriptor (element type, sdfg.float64[N], an array) of another one."""
        return self._add(name, data_of(datadesc), find_new_name)[0]

    def make_array_memlet(self, name):
        """The Memlet of a whole container."""
        return Memlet.from_array(name, self.arrays[name])

    # ---- the file ----

    def to_json(self, index=None):
        """The whole graph, as a file has it."""
        made = self._region_json(index)
        constants = {name: [Data("Array" if v.ndim else "Scalar", v.dtype, v.shape or (1,)).to_json(), v.tolist()]
                     for name, v in self.constants_prop.items()}
        params = {p for state in self.states() for node in state._nodes for p in node.parameters()}
        symbols = {name: json_of(kind or type_of("int64")) for name, kind in self.symbols.items() if kind is not None or name not in params}
        made.update(label="", dace_version="2.0.0a6")
        made["attributes"] = {**self.more, "name": self.name, "arg_names": self.arg_names, "symbols": symbols,
                              "_arrays": {name: data.to_json() for name, data in self.arrays.items()},
                              "constants_prop": {**self.raw_constants, **constants}}
        if self.source_files:
            made["source_files"] = self.source_files
        if index is None:
            _number(made)
        return made

    def save(self, filename, *_, **__):
        """Writes the file, which DaCe opens, too; its folder is made."""
        write(self.to_json(), filename)

    def validate(self, races=False):
        """Raises sdfg.InvalidError for a graph that is not valid. `races`: warns of parts of a state that nothing orders and that may touch the
        same element, where one writes it."""
        if not self._blocks:
            raise InvalidError("SDFGs are required to contain at least one state.")
        self._loaded()
        for graph in self._graphs() if races else ():
            for state in graph.states():
                for text in _races.races(state):
                    warnings.warn(text, ProgramWarning, stacklevel=2)

    def _graphs(self):
        """This one and those inside."""
        yield self
        for state in self.states():
            for node in state.nodes():
                if node.type == "NestedSDFG" and isinstance(node.sdfg, SDFG):
                    yield from node.sdfg._graphs()

    def _loaded(self):
        import json
        data = json.dumps(self.to_json()).encode()
        if self._program is None or self._program._source != data:
            self._program = Program(data, self._engine)
        self._program._names = self.arg_names
        return self._program

    def compile(self, *_, engine=None, **__):
        """The Program."""
        if engine is not None and engine is not self._engine:
            self._engine, self._program = engine, None
        return self._loaded()

    def simplify(self, *_, **__):
        """Nothing to do: the compiler does what there is."""

    def fill_scope_connectors(self):
        """Connectors of maps for the edges that have none, by their data."""
        for state in self.states():
            state.fill_scope_connectors()

    expand_library_nodes = simplify

    def __call__(self, *args, **kwargs):
        return self._loaded()(*args, **kwargs)


def write(record, path):
    """A file with what JSON says; its folder is made."""
    import json
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(record, file)


def _number(record):
    """Regions are numbered in the order of the file."""
    stack, count = [record], 0
    while stack:
        r = stack.pop()
        if "cfg_list_id" in r:
            r["cfg_list_id"], count = count, count + 1
        stack += reversed([n for n in r.get("nodes", ()) if n["type"] != "SDFGState" and "attributes" in n] + [b for _, b in r.get("branches", ())])
