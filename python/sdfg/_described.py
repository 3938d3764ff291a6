"""What programs say of themselves, and what tuning says of them."""

from __future__ import annotations

from typing import List, NamedTuple, Optional, Tuple

from ._library import KINDS


class Trial(NamedTuple):
    """What was tried: `change` to the best choice so far, and the time by that of the best one, with the interval that holds it with 95 %
    confidence (0: not measured, `differs` as it computed something else)."""
    change: str
    ratio: float
    low: float
    high: float
    adopted: bool
    differs: bool


class Tuned(NamedTuple):
    """The choice of passes that was found: `passes` is an option of engines (None: the default is best), `ratio` the time by that of the
    default, `complete` whether the time was enough to try everything."""
    passes: Optional[str]
    text: str
    ratio: float
    low: float
    high: float
    complete: bool
    trials: List[Trial]


class ArgumentInfo:
    """What a program says of one of its arguments; shapes and strides are expressions. `members` are those of a structure, or the
    element of a container array; `bytes` and `offset` say how structures lie in memory (-1: a member that has no place there)."""

    name: str
    kind: str
    type: str
    shape: Tuple[str, ...]
    strides: Tuple[str, ...]
    optional: bool
    returned: bool
    written: bool
    solvable: bool
    bytes: int
    offset: int
    members: Tuple[ArgumentInfo, ...]

    def __init__(self, a, members=()):
        self.name, self.kind, self.type = a.name.decode(), KINDS[a.kind], a.type.decode()
        self.shape = tuple(a.shape[i].decode() for i in range(a.rank))
        self.strides = tuple(a.strides[i].decode() for i in range(a.rank)) if a.strides else ()
        self.optional, self.returned, self.written, self.solvable = a.optional, a.returned, a.written, a.solvable
        self.bytes, self.offset, self.members = a.bytes, a.offset, tuple(members)

    def __repr__(self):
        return f"<{self.kind} {self.name}: {self.type}{list(self.shape) if self.shape else ''}>"
