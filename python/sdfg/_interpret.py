"""`with sdfg.interpret():` programs run by Python."""

import threading
from typing import Any


class Interpreted:
    """How often sdfg.interpret() is entered: in all threads, and in this one."""

    class _Here(threading.local):
        depth = 0

    def __init__(self):
        self.depth, self.here, self.lock = 0, self._Here(), threading.Lock()

    def add(self, n):
        self.here.depth += n
        with self.lock:
            self.depth += n


interpreted = Interpreted()


class interpret:
    """`with sdfg.interpret():` programs that this thread calls inside are run by Python, as if they were not decorated."""

    def __enter__(self) -> None:
        interpreted.add(1)

    def __exit__(self, *_: Any) -> None:
        interpreted.add(-1)
