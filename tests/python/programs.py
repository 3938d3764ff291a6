"""Python programs in their surroundings: each file of live/ yields calls, which the library and CPython make with equal arguments; results,
arguments and captured arrays must be equal. live/refused.py has programs that are refused, live/refused.txt the whole messages.
`programs.py --bless` writes those anew."""
import copy
import importlib
import pathlib
import sys
import traceback

import numpy

import sdfg

OLD = int(numpy.__version__.partition(".")[0]) < 2
HERE = pathlib.Path(__file__).resolve().parent / "live"
sys.path.insert(0, str(HERE))


def equal(a, b):
    if isinstance(a, tuple) or isinstance(b, tuple):
        return type(a) is type(b) and len(a) == len(b) and all(equal(x, y) for x, y in zip(a, b))
    if a is None or b is None:
        return a is b
    a, b = numpy.asarray(a), numpy.asarray(b)
    close = numpy.allclose(a, b, rtol=1e-6 if a.dtype.itemsize == 4 else 1e-12, equal_nan=True) if a.dtype.kind in "fc" else \
        numpy.array_equal(a, b)
    types = a.dtype == b.dtype or (a.ndim == 0 and OLD and a.dtype.kind == b.dtype.kind) # NumPy 1 looked at the values of numbers
    return types and a.shape == b.shape and bool(close)


def compare(program, arguments, captured=()):
    """What is different, or None."""
    ours, theirs = copy.deepcopy(arguments), copy.deepcopy(arguments)
    before = [array.copy() for array in captured]
    expected = program.f(*theirs)
    after = [array.copy() for array in captured]
    for array, old in zip(captured, before):
        array[...] = old
    result = program(*ours)
    if not equal(result, expected):
        return f"{result!r}, but Python gives {expected!r}"
    for i, (a, b) in enumerate(zip(ours, theirs)):
        if isinstance(a, numpy.ndarray) and not equal(a, b):
            return f"argument {i} is {a}, in Python {b}"
    for array, other in zip(captured, after):
        if not equal(array, other):
            return f"the captured array is {array}, in Python {other}"
    return None


def run(path):
    """Failures of one file, and the number of its calls."""
    failures, count = [], 0
    for count, (program, arguments, *captured) in enumerate(importlib.import_module(path.stem).calls(), 1):
        try:
            wrong = compare(program, arguments, *captured)
        except Exception: # a failing program is a result like others
            wrong = traceback.format_exc()
        if wrong:
            failures.append(f"{path.name}: call {count}, {program.name}: {wrong}")
    return failures, count


def refused():
    """The messages of all refused programs."""
    text = []
    for name, (program, arguments) in importlib.import_module("refused").programs().items():
        try:
            program(*arguments)
            message = "is not refused"
        except Exception as error: # its text is the result
            shown = "".join(traceback.format_exception_only(type(error), error)).replace(str(HERE) + "/", "")
            message = shown.rstrip()
        text.append(f"---- {name}\n{message}\n")
    return "".join(text)


def main():
    messages, expected = refused(), HERE / "refused.txt"
    if "--bless" in sys.argv:
        expected.write_text(messages)
    failures, calls = [], 0
    if messages != expected.read_text():
        failures.append(f"the messages of refused programs differ:\n{messages}")
    for path in sorted(HERE.glob("*.py")):
        if path.stem != "refused":
            found, count = run(path)
            failures, calls = failures + found, calls + count
    print("\n".join(failures))
    print(f"{calls} calls, {messages.count('---- ')} refused programs, {len(failures)} failures")
    return 1 if failures or not calls else 0


if __name__ == "__main__":
    sys.exit(main())
