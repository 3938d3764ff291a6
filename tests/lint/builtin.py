"""The library's own targets, passes, operations and providers use no interface that a plug-in lacks: the files that register them
are compiled and linked as a plug-in is, with the public headers, the tables of rows and the C library alone; and there is no
second table of targets or passes that the registry does not know."""
import os
import re
import subprocess
import tempfile

import project

HEADERS = {"engine/builtin/builtin.h", "engine/include/sdfg_plugin.h"}
ROWS = {"ir/passes/passes.def", "lower/opt/passes.def", "lower/graph/library/ops.def", "ir/enums.def"}

offenders = []
sources = sorted(project.files(".c", ".h", folders=["engine/builtin"]))
for path in sources:
    text = project.without_comments(project.read(path))
    for name in re.findall(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', text, flags=re.M):
        if name not in HEADERS | ROWS:
            offenders.append(f"{path}: includes \"{name}\", which plug-ins do not have")
    if re.search(r"\bextern\b", text) and path.suffix == ".c":
        offenders.append(f"{path}: declares what others have")

# Nothing is called but the C library: whatever else they needed would be undefined here.
with tempfile.TemporaryDirectory() as folder:
    for row in ROWS | HEADERS:
        target = os.path.join(folder, "include", row)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w") as out:
            out.write(project.read(row))
    public = os.path.join(folder, "include", "engine", "include")
    with open(os.path.join(public, "sdfg.h"), "w") as out:
        out.write(project.read("engine/include/sdfg.h"))
    compiler = os.environ.get("CC", "cc")
    run = subprocess.run([compiler, "-std=c11", "-D_GNU_SOURCE", "-shared", "-fPIC", "-Wl,-z,defs", "-I", os.path.join(folder, "include"), "-I", public,
                          *[str(project.TOP / p) for p in sources if p.suffix == ".c"], "-o", os.path.join(folder, "builtin.so")],
                         capture_output=True, text=True)
    if run.returncode:
        offenders.append("engine/builtin is no plug-in: " + run.stderr[:2000])

# An engine does not compare names of the library with each other: it is made fast.
for kind, tables in (("pass", ["ir/passes/passes.def", "lower/opt/passes.def", "engine/compile/pipeline.c"]), ("operation", ["lower/graph/library/ops.def"])):
    names = []
    for table in tables:
        text = project.without_comments(project.read(table))
        names += re.findall(r'^(?:GRAPH_PASS|TREE_PASS)\(\s*("[^"]+")|^    \{ ("[^"]+"), PHASE|^LIBRARY_OP\(\w+, ("[^"]+", "[^"]+")', text, flags=re.M)
    names = ["".join(name) for name in names]
    offenders += [f"{tables[0]}: two rows of the {kind} {name}" for name in sorted(set(names)) if names.count(name) > 1]
    if len(names) < 20:
        offenders.append(f"{tables[0]}: no rows of {kind}es are found")

rows = re.findall(r'^ENUM\((\w+), \w+, ("[^"]+")\)', project.without_comments(project.read("ir/enums.def")), flags=re.M)
offenders += [f"ir/enums.def: two rows of the member {row}" for row in sorted(set(rows)) if rows.count(row) > 1]

# Nor does it look whether what the library's targets name is there.
text = project.without_comments(project.read("engine/builtin/targets.c"))
members = set(re.findall(r'^ENUM\((?:SCHEDULE|STORAGE), \w+, ("[^"]+")\)', project.read("ir/enums.def"), flags=re.M)) | {'"Tasklet"', "NULL"}
lists = re.findall(r"^static names \w+ = \{(.*?)\};", text, flags=re.M | re.S)
targets = re.findall(r'\{ \.name = ("[^"]+")', text)
for name in (part.strip() for body in lists for part in body.split(",")):
    if name not in members:
        offenders.append(f"engine/builtin/targets.c: {name} is no member of an enumeration")
for base in re.findall(r'\.extends = ("[^"]+")', text):
    if base not in targets:
        offenders.append(f"engine/builtin/targets.c: {base} is no target")
if len(lists) < 8 or len(targets) < 5 or len(targets) != len(set(targets)):
    offenders.append("engine/builtin/targets.c: two targets of one name, or none are found")

# One way in: who claims is said there alone, and the code generator has no passes beside those that change a program's form.
for path in project.files(".c", folders=["lower", "engine/compile"]):
    text = project.without_comments(project.read(path))
    if re.search(r"\bstruct claim \w*\[\]", text):
        offenders.append(f"{path}: a table of claims; those are rows of engine/builtin/targets.c")
    if re.search(r"\bstruct pass \w*\[\] =", text) and str(path) != "engine/compile/pipeline.c":
        offenders.append(f"{path}: a table of passes; those are rows of lower/opt/passes.def and ir/passes/passes.def")
frame = re.search(r"struct pass pipeline\[\] = \{(.*?)\n\};", project.without_comments(project.read("engine/compile/pipeline.c")), flags=re.S)
STEPS = {"target", "read", "validate", "infer-types", "parse-cpp", "lower", "tier", "cuda", "nvrtc", "nvrtc-begin", "jit", "nvrtc-object", "emit",
         "target-code", "llvm", "nvrtc-end", "link"}
for name in re.findall(r'^\s*\{ "([^"]+)"', frame[1], flags=re.M):
    if name not in STEPS:
        offenders.append(f"engine/compile/pipeline.c: '{name}' changes no form of the program: it is a row of a passes.def")
project.finish(offenders, len(sources))
