"""Work that waits until DaCe is imported."""

import importlib.abc
import importlib.util
import sys


class _Finder(importlib.abc.MetaPathFinder):
    """Finds DaCe as the others do, and has something done after it has been executed."""

    def __init__(self, work):
        self.work, self.searching = work, False

    def find_spec(self, name, path=None, target=None):
        if name != "dace" or self.searching:
            return None
        self.searching = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self.searching = False
        if spec is None or spec.loader is None:
            return None
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            forget()
            self.work()

        spec.loader.exec_module = exec_module
        return spec


def forget():
    sys.meta_path[:] = [f for f in sys.meta_path if not isinstance(f, _Finder)]


def expect(work):
    forget()
    sys.meta_path.insert(0, _Finder(work))
