"""Compiled forms of Python functions."""

import ctypes

from . import _guards
from ._fast import Fast
from ._library import Guard, library


class Variant:
    """Code for one kind of call: the types of the arguments, and what the function captures, as its guards have it."""

    def __init__(self, program, asking, parameters, dace):
        self.program, self.asking, self.shared = program, asking, asking.memory is not None
        self.check, keys = _guards.checker(asking)
        names, g = {}, Guard(struct_size=ctypes.sizeof(Guard))
        for i in range(library.sdfg_program_num_guards(program._handle)):
            library.sdfg_program_guard(program._handle, i, ctypes.byref(g))
            if g.argument:
                names[g.id] = g.argument.decode()
        self.captured = [names[key] for key in keys]
        self.data = [name for name, given in parameters.items() if given[0] not in ("constant", "callback")]
        self.sites = [(name, site) for name, _, site in asking.sites]
        self.results = [a.name for a in program.arguments if a.returned]
        self.results.sort(key=lambda name: int(name.rpartition("_")[2]) if name[-1].isdigit() else 0)
        self.number = [not dace and library.sdfg_program_result_is_number(program._handle, i) for i in range(len(self.results))]
        self.object = [library.sdfg_program_result_is_object(program._handle, i) for i in range(len(self.results))]
        self.tuple = library.sdfg_program_num_results(program._handle) >= 0 and bool(self.results)

    def fast(self, values):
        """The call of a Fast, or None."""
        constants = len(values) != len(self.data)
        found = None if constants or self.shared or self.sites else Fast.of(self.program, values, self.results, self.values, self.captured, self.check,
                                                                            self.number)
        return found and found.call

    def result(self, made, calls):
        if not made:
            return None
        found = [made[name] for name in self.results]
        if any(self.object):
            found = [[calls.kept_object(int(array[0]))] if is_object else array for array, is_object in zip(found, self.object)]
            found = [array[0] if number or is_object else array for array, number, is_object in zip(found, self.number, self.object)]
            return tuple(found) if self.tuple else found[0]
        return self.values(found)

    def values(self, made):
        if not made:
            return None
        if not self.tuple:
            return made[0][0] if self.number[0] else made[0]
        return tuple([array[0] if number else array for array, number in zip(made, self.number)])
