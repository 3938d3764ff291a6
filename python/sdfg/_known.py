"""What objects of Python are to programs: arrays, functions that the compiler knows by name, and how messages call the others."""

import types

import numpy

_MODULES = {"numpy", "numpy.linalg", "numpy.fft", "math", "dace", "sdfg", "typing", "sympy"}


def is_decorated(text):
    """By more than what makes a method of a function."""
    lines = [line.strip() for line in text.splitlines()]
    first = next((i for i, line in enumerate(lines) if line.startswith(("def ", "async "))), 0)
    return any(line.startswith("@") and line not in ("@staticmethod", "@classmethod", "@property") for line in lines[:first])


def is_array(value):
    if isinstance(value, numpy.ndarray):
        return True
    return not isinstance(value, type) and any(hasattr(value, name) for name in ("__array_interface__", "__dlpack__"))


def is_transient(value):
    """Whether an array says by DaCe's `__descriptor__` that it is memory of the program: only its type and its shape count."""
    describe = getattr(value, "__descriptor__", None)
    return describe is not None and bool(getattr(describe(), "transient", False))


def description(value):
    if isinstance(value, types.ModuleType):
        return f"the module '{value.__name__}'"
    if isinstance(value, type):
        return f"the class '{value.__name__}'"
    if isinstance(value, types.BuiltinFunctionType):
        return f"the function '{value.__module__}.{value.__name__}', which has no text in Python"
    return f"an object of class '{type(value).__name__}'"


def known_name(value):
    """The name by which the compiler may know a module or function, or None."""
    name = getattr(value, "_sdfg_builtin", None)
    if isinstance(name, str):
        return name
    if isinstance(value, types.ModuleType):
        return value.__name__ if value.__name__ in _MODULES else None
    if isinstance(value, type):
        return f"builtins.{value.__name__}" if value.__module__ == "builtins" else \
            f"numpy.{value.__name__}" if value is numpy.ndarray else None
    if isinstance(value, numpy.ufunc):
        return f"numpy.{value.__name__}"
    module = getattr(value, "__module__", None)
    if isinstance(value, types.BuiltinFunctionType) and module in ("builtins", "math"):
        return f"{module}.{value.__name__}"
    function = isinstance(value, (types.BuiltinFunctionType, types.FunctionType)) or type(value).__name__ == "_ArrayFunctionDispatcher"
    return f"{module}.{value.__name__}" if function and module in ("numpy", "numpy.linalg", "numpy.fft") else None
