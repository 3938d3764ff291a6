"""No decision by names: what a call does is in the row of its function (runtime/abi.def, ir/code/functions.def). Comparing texts in the
tree, in its passes and in the emitter is an error but for the lines below; elsewhere in lower/, comparing with a part of a name of
the runtime is."""
import re

import project

TEXT = re.compile(r"lower/tree/tree_(print|read|rows)\w*\.[ch]$")  # words of the text of a tree
ROOMS = ("lower/tree/", "lower/opt/", "lower/llvm/")
COMPARES = re.compile(r"\b(strn?cmp|strstr|strn?casecmp|strchr|strspn)\s*\(")
# Text that is no name of a function that is called.
ALLOWED = {
    "lower/tree/tree_callee.c": ["tree_callees[i].name, name", "roles, callee_role", "c->roles, 'n'"],  # finds the row; its roles are letters
    "lower/tree/tree_assume.c": ["values[k].name, p->name"],
    "lower/tree/tree.c": ["f->name, \"main\""],  # which function that is
    "remark.c": ["alloc->place->label, alloc->var->name"],
    "llvm_module.c": ["at, feature", "\"target-cpu\"), \"znver4\"", "LLVMGetTarget(u->module), \"x86_64\""],
    "llvm_export.c": ["w->exports->arguments[*index].name, name", "->name, \"init\""],
}

offenders, count = [], 0
for path in project.files(".c", ".h", ".inc", folders=["lower"]):
    allowed = ALLOWED.get(str(path), []) + ALLOWED.get(path.name, [])
    for number, line in enumerate(project.without_comments(project.read(path)).splitlines(), 1):
        if not COMPARES.search(line):
            continue
        count += 1
        inside = str(path).startswith(ROOMS) and not TEXT.match(str(path))
        if (inside and not any(text in line for text in allowed)) or (not inside and "sdfg_rt" in line):
            offenders.append(f"{path}:{number}: decides by a name: {line.strip()}")
project.finish(offenders, count)
