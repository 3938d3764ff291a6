"""The Python module sees the C interface as the header has it: fields of structures in order, element types, and for each function the
number of arguments."""
import ast
import re

import project

header = project.without_comments(project.read("engine/include/sdfg.h"))
source = ast.parse(project.read("python/sdfg/_library.py"))
offenders, checked = [], 0


def fields_of(struct):
    body = re.search(rf"typedef struct {struct} {{(.*?)}} {struct};", header, flags=re.S)
    names = []
    for line in (body.group(1) if body else "").split(";"):
        for part in line.split(","):
            name = re.search(r"\(\*(\w+)\)|(\w+)\s*(?:\[\w+\])?\s*$", part.strip())
            if name:
                names.append(name.group(1) or name.group(2))
            if "(*" in part:
                break # the rest are arguments of the function
    return names


def arguments_of(function):
    text = re.search(rf"\b{function}\s*\(([^)]*)\)\s*;", header)
    return None if not text else 0 if text.group(1).strip() in ("", "void") else text.group(1).count(",") + 1


for node in source.body:
    if isinstance(node, ast.ClassDef):
        values = {t.id: n.value for n in node.body if isinstance(n, ast.Assign) for t in n.targets}
        struct = values["header"].value
        actual = [row.elts[0].value for row in values["_fields_"].elts]
        checked += 1
        if actual != fields_of(struct):
            offenders.append(f"python/sdfg/_library.py: {node.name} has {actual}, the header {fields_of(struct)}")
    if isinstance(node, ast.Assign) and node.targets[0].id == "FUNCTIONS":
        for name, row in zip(node.value.keys, node.value.values):
            checked += 1
            wanted = arguments_of(name.value)
            if wanted != len(row.elts) - 1:
                offenders.append(f"python/sdfg/_library.py: {name.value} has {len(row.elts) - 1} arguments, the header {wanted}")
    if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "DTYPES":
        names = re.findall(r'TYPE\(\w+, "(\w+)"', project.read("ir/types.def"))
        if [e.value for e in node.value.elts][1:] != names:
            offenders.append("python/sdfg/_library.py: DTYPES are not those of ir/types.def")
project.finish(offenders, checked)
