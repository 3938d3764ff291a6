"""Guards of compiled variants: what answers to the compiler were, and whether they would be the same now."""

import builtins
import types

import numpy

from ._arguments import _as_numpy
from ._known import is_array


def same(a, b):
    """Whether two constants are the same to a program; 1 is not True or 1.0, and 0.0 is not -0.0."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, (float, complex, numpy.generic)):
        return repr(a) == repr(b)
    try:
        return bool(a == b)
    except Exception: # an object that cannot be compared is another one
        return False


def layout_of(array):
    """Element type, shape and strides as guards compare them; strides of packed arrays do not differ."""
    return array.dtype, array.shape, None if array.flags.c_contiguous else array.strides


def memory_of(value):
    """Equal for arrays that are the same elements in the same order."""
    array = _as_numpy(value)
    return array.ctypes.data, array.dtype, array.shape, array.strides


class Guard:
    """One answer: `path` is Python text over the roots of the program, `kind` says what is compared with `value`."""

    def __init__(self, shown, path, kind, value):
        self.shown, self.path, self.kind, self.value = shown, path, kind, value

    def holds(self, now):
        if self.kind == "absent":
            return False
        if self.kind == "is":
            return now is self.value or (isinstance(now, types.ModuleType) and now.__name__ == self.value.__name__)
        if self.kind == "array":
            now = _as_numpy(now)
            return now is not None and layout_of(now) == self.value
        if self.kind == "content":
            return (type(now), len(now)) == self.value
        if self.kind == "ask":
            now.ask()
            return True
        return same(now, self.value)

    def __repr__(self):
        value = self.value
        if self.kind == "array":
            value = f"{value[0].name}[{', '.join(map(str, value[1]))}]"
        elif self.kind == "content" and isinstance(value, tuple) and isinstance(value[0], type):
            value = f"{value[0].__name__} of {value[1]} elements"
        return f"{self.shown} = {value!r}" if self.kind == "constant" else f"{self.shown}: {value}"


def find(names, name):
    """A built-in name, unless a global one has come before it."""
    return names[name] if name in names else getattr(builtins, name)


def keys(mapping, index):
    return list(mapping)[index]


def _nothing_captured(P):
    return ()


def checker(asking):
    """check(P) of the guards: the captured arrays in order and what callbacks call if all hold, else None. P has the parameters that are constants. A function
    made for these guards: it runs at every call."""
    if not asking.guards and not asking.sites:
        return _nothing_captured, []
    lines, arrays, scope = ["def check(P):", " try:"], [], {"same": same, "find": find, "keys": keys, "layout": layout_of,
                                                          "as_numpy": _as_numpy, "ndarray": numpy.ndarray, "memory": memory_of,
                                                          "MethodType": types.MethodType, **asking.roots}
    first = {path: key for key, (path, _) in asking.arrays.items()}
    for i, guard in enumerate(asking.guards):
        scope[f"v{i}"] = guard.value
        if guard.kind == "array":
            lines.append(f"  a{i} = {guard.path}")
            lines.append(f"  if not isinstance(a{i}, ndarray): b{i} = as_numpy(a{i})")
            lines.append(f"  else: b{i} = a{i}")
            lines.append(f"  if b{i} is None or layout(b{i}) != v{i}: return None")
            if guard.path in first:
                arrays.append((first[guard.path], f"a{i}"))
        elif guard.kind == "content":
            lines.append(f"  x = {guard.path}")
            lines.append(f"  if type(x) is not v{i}[0] or len(x) != v{i}[1]: return None")
        elif guard.kind == "ask":
            lines.append(f"  {guard.path}.ask()")
        elif guard.kind == "is":
            lines.append(f"  if {guard.path} is not v{i}: return None")
        else:
            lines.append(f"  x = {guard.path}")
            lines.append(f"  if x is not v{i} and not same(x, v{i}): return None")
    found = [name for _, name in arrays] + [path for _, path, _ in asking.sites]
    lines += [f"  return ({''.join(part + ', ' for part in found)})", " except (LookupError, AttributeError, TypeError, ValueError):",
              "  return None"]
    exec("\n".join(lines), scope)
    return scope["check"], [key for key, _ in arrays]


def differences(asking, parameters):
    """Why a variant does not hold: (shown, old, new) for each guard that does not."""
    scope, found = {"find": find, "keys": keys, "memory": memory_of, "P": parameters, **asking.roots}, []
    for guard in asking.guards:
        try:
            now = eval(guard.path, scope)
        except Exception as error:
            found.append((guard.shown, repr(guard), f"{type(error).__name__}: {error}"))
            continue
        if not guard.holds(now):
            layout = guard.kind == "array" and is_array(now)
            new = Guard(guard.shown, guard.path, guard.kind if layout or guard.kind != "array" else "is",
                        layout_of(_as_numpy(now)) if layout else now)
            found.append((guard.shown, repr(guard), repr(new) if guard.kind != "content" or not hasattr(now, "__len__") else
                          f"{type(now).__name__} of {len(now)} elements"))
    return found
