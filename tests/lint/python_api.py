"""docs/python-api.md is what the Python module's docstrings say: each public class, function and method. SDFG_BLESS=1 writes it."""
import ast
import os

import project

PAGE = project.TOP / "docs/python-api.md"
PACKAGE = project.TOP / "python/sdfg"
HEAD = """# Reference of the Python module

Made of the docstrings by `SDFG_BLESS=1 ctest -R lint/python_api`. [python.md](python.md) is the tour.

"""
GROUPS = [("Programs and calls", ("_program", "_engine", "_described", "_arguments", "_pending", "_stream")), ("Python programs", ("_function", "_interpret", "_types", "_plain", "_composed", "_convert", "_site")),
          ("Graphs", ("_graph", "_memlet", "_state")), ("Errors", ("_errors",)), ("The module", ("__init__",))]
NOT_LISTED = {"SDFGState": ("_state", "SDFGState")} # public, but made by others only
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
offenders = []


def module(name):
    return ast.parse((PACKAGE / f"{name}.py").read_text(encoding="utf-8"))


def public_names():
    """The names of __all__, with the module that defines each and its name there."""
    tree = module("__init__")
    origin, listed = {}, []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            origin.update({a.asname or a.name: (node.module, a.name) for a in node.names if node.module})
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "__all__":
            listed = ast.literal_eval(node.value)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
            for target, value in zip(node.targets[0].elts, node.value.elts):
                if isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name):
                    origin[target.id] = (value.value.id, value.attr)
    return {name: origin.get(name, ("__init__", name)) for name in listed} | NOT_LISTED


def definition(name, tree):
    """The class or function of a name: the last definition, behind those for type checkers; of `x = Class()` the class, of `x = y` that of y."""
    found = None
    for node in tree.body:
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)) and node.name == name:
            found = node
        elif isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
            made_of = node.value.func if isinstance(node.value, ast.Call) else node.value
            found = definition(made_of.id, tree) if isinstance(made_of, ast.Name) else found
    return found


def signature(name, function, skip):
    arguments = function.args
    if skip:
        (arguments.posonlyargs or arguments.args).pop(0)
    returns = f" -> {ast.unparse(function.returns)}" if function.returns else ""
    return f"{name}({ast.unparse(arguments)}){returns}"


def decorators(node):
    return {ast.unparse(d).rsplit(".", 1)[-1] for d in node.decorator_list}


def text_of(name, node):
    text = ast.get_docstring(node)
    if not text:
        offenders.append(f"python/sdfg: {name} has no docstring")
        return ""
    return text.strip() + "\n\n"


def show_object(name, node):
    """An object of a private class, which is used as if it were a function or a marker."""
    return f"### `{name}`\n\n{text_of(name, node)}"


def show_class(name, node):
    members = [m for m in node.body if isinstance(m, FUNCTIONS) and not m.name.startswith("_")]
    made = next((m for m in node.body if isinstance(m, FUNCTIONS) and m.name == "__init__"), None)
    out = f"### `{signature(name, made, True) if made else name}`\n\n{text_of(name, node)}"
    for m in members:
        if "setter" in decorators(m) or "overload" in decorators(m):
            continue
        is_property = decorators(m) & {"property", "cached_property"}
        shown = m.name if is_property else signature(m.name, m, "staticmethod" not in decorators(m))
        out += f"#### `{name}.{shown}`\n\n{text_of(f'{name}.{m.name}', m)}"
    return out


def page():
    out, names, shown = HEAD, public_names(), 0
    for title, modules in GROUPS:
        out += f"## {title}\n\n"
        for name, (where, inner) in sorted(names.items(), key=lambda item: item[0].lower()):
            if where not in modules:
                continue
            node = definition(inner, module(where))
            if node is None:
                offenders.append(f"python/sdfg/{where}.py: no definition of {inner} was found")
                continue
            shown += 1
            full = f"sdfg.{name}"
            if isinstance(node, ast.ClassDef):
                out += show_object(full, node) if node.name.startswith("_") else show_class(full, node)
            else:
                out += f"### `{signature(full, node, False)}`\n\n{text_of(full, node)}"
    known = {where for _, modules in GROUPS for where in modules}
    offenders.extend(f"docs/python-api.md: {name} of {where} has no place" for name, (where, _) in names.items() if where not in known)
    return out.rstrip("\n") + "\n", shown


made, count = page()
if os.environ.get("SDFG_BLESS"):
    PAGE.write_text(made, encoding="utf-8")
if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != made:
    offenders.append("docs/python-api.md: differs from the docstrings; SDFG_BLESS=1 writes it")
project.finish(offenders, count)
