"""Accesses of a state that nothing orders: which of them may touch the same element, at least one of them to write it. What is not known is
taken to overlap, so that a finding is a reason to look, not a proof."""

import ast

from ._memlet import text_of


class _Opaque(Exception):
    """An expression that says nothing about a parameter of a map."""


def _form(node):
    """A linear form: {atom: coefficient}, the constant behind ""; an atom is a name or a part that is not linear, as text."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return {"": int(node.value)}
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return _scaled(_form(node.operand), -1)
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        return _sum(_form(node.left), _form(node.right), 1 if isinstance(node.op, ast.Add) else -1)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        left, right = _form(node.left), _form(node.right)
        for a, b in (left, right), (right, left):
            if a.keys() <= {""}:
                return _scaled(b, a.get("", 0))
    return {ast.unparse(node): 1}


def _scaled(form, factor):
    return {atom: n * factor for atom, n in form.items() if n * factor}


def _sum(a, b, sign=1):
    found = {atom: a.get(atom, 0) + sign * b.get(atom, 0) for atom in {**a, **b}}
    return {atom: n for atom, n in found.items() if n}


def _parse(text):
    return _form(ast.parse(text_of(text).strip(), mode="eval").body)


def _is_positive(form):
    """Whether the value is above zero for all symbols that are not negative."""
    return form.get("", 0) > 0 and all(n > 0 for n in form.values())


def _end(form, loops, upper):
    """The largest or smallest value over the maps around, innermost first: (parameter, first, last)."""
    for name, first, last in loops:
        n = form.get(name, 0)
        if n:
            form = _sum({atom: c for atom, c in form.items() if atom != name}, _scaled(last if (n > 0) == upper else first, n))
        if any(name in _names(atom) for atom in form):
            raise _Opaque
    return form


def _names(atom):
    return {n.id for n in ast.walk(ast.parse(atom, mode="eval")) if isinstance(n, ast.Name)} if atom else set()


class _Access:
    """A read or write of a container by one part of a state. `begin`, `end`: the nodes with which the part begins and ends."""

    def __init__(self, data, writes, combines, begin, end, subset, loops):
        self.data, self.writes, self.combines, self.begin, self.end = data, writes, combines, begin, end
        self.ends = self._ends(subset, loops)

    @staticmethod
    def _ends(subset, loops):
        """(smallest, largest, step) of each dimension; None: anything."""
        if subset is None:
            return None
        found = []
        for first, last, step, _ in subset.dimensions:
            try:
                moves = any(_parse(first).get(name) for name, _, _ in loops)
                found.append((_end(_parse(first), loops, False), _end(_parse(last), loops, True), 1 if moves or not step.isdigit() else int(step)))
            except (_Opaque, ValueError, SyntaxError):
                found.append(None)
        return found

    def overlaps(self, other):
        if self.ends is None or other.ends is None or len(self.ends) != len(other.ends):
            return True
        for a, b in zip(self.ends, other.ends):
            if a is None or b is None:
                continue
            if _is_positive(_sum(b[0], a[1], -1)) or _is_positive(_sum(a[0], b[1], -1)):
                return False
            apart = _sum(a[0], b[0], -1)
            if a[2] == b[2] > 1 and apart.keys() <= {""} and apart.get("", 0) % a[2]: # such as even and odd rows
                return False
        return True


class _State:
    def __init__(self, state):
        self.state = state
        self.after = {node: {e.dst for e in state.out_edges(node)} for node in state.nodes()}
        inside = {n for node in state.nodes() if node.exit is not None for n in self._reached(self.after[node], node.exit)}
        self.accesses = [a for node in state.nodes() if node.type == "AccessNode" and node not in inside for a in self._of(node)]

    def _reached(self, nodes, stop=None):
        found, stack = set(), list(nodes)
        while stack:
            node = stack.pop()
            if node not in found and node is not stop:
                found.add(node)
                stack += self.after[node]
        return found

    def _of(self, node):
        for edge in self.state.in_edges(node):
            if edge.data.data is not None:
                yield from self._through(node, edge, True, edge, [])
        for edge in self.state.out_edges(node):
            if edge.data.data is not None:
                yield from self._through(node, edge, False, edge, [])

    def _through(self, node, outer, writes, edge, loops):
        """What moves at the inner ends of an edge of the access node."""
        other = edge.src if writes else edge.dst
        scope = other.entry if writes else other if other.exit is not None else None
        if scope is None or (scope.exit if writes else scope) is not other:
            begin, end = self._part(outer, writes)
            memlet = edge.data
            subset = memlet.subset if memlet.data == node.data else memlet.other_subset
            yield _Access(node.data, writes, memlet.wcr is not None, begin, end, subset, loops)
            return
        connector = (edge.src_conn if writes else edge.dst_conn) or ""
        _, _, name = connector.partition("_")
        around = [(p, _parse(first), _parse(last)) for p, (first, last, *_) in zip(scope.parameters(), scope.ranges())]
        for inner in (self.state.in_edges(other) if writes else self.state.out_edges(other)):
            if (inner.dst_conn if writes else inner.src_conn) == f"{'IN' if writes else 'OUT'}_{name}":
                yield from self._through(node, outer, writes, inner, around + loops)

    @staticmethod
    def _part(edge, writes):
        """The nodes with which the part begins and ends that has the access: a map, a node, or a copy."""
        if edge.src.type == edge.dst.type == "AccessNode":
            return edge.src, edge.dst
        node = edge.src if writes else edge.dst
        return node.entry or node, node.exit or node

    def findings(self):
        reached = {}
        for a in self.accesses:
            reached.setdefault(a.end, self._reached([a.end]))
        for i, a in enumerate(self.accesses):
            for b in self.accesses[i + 1:]:
                if a.data == b.data and (a.writes or b.writes) and not (a.combines and b.combines) and (a.begin, a.end) != (b.begin, b.end) \
                        and b.begin not in reached[a.end] and a.begin not in reached[b.end] and a.overlaps(b):
                    yield a, b


def races(state):
    """A sentence for each pair of parts of a state that may touch the same element in any order."""
    found = {}
    for a, b in _State(state).findings():
        does = [f"'{x.begin.label}' {'writes' if x.writes else 'reads'}" for x in (a, b)]
        found[f"state '{state.label}': {does[0]} and {does[1]} elements of '{a.data}', and nothing orders them"] = True
    return list(found)
