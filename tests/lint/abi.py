"""docs/abi.txt lists what programs that were compiled against libsdfg.so rely on: its functions with their types, the values of
enumerations, sizes of structs and offsets of fields. Any difference fails; SDFG_BLESS=1 writes the list, which is right if lines were only
added, or if the version says that programs must be compiled again (docs/stability.md). Arguments: the library, the C compiler."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import project

library, compiler = sys.argv[1:3]
LIST = project.TOP / "docs/abi.txt"
PUBLIC = ["engine/include/sdfg.h", "engine/include/sdfg_graph.h", "engine/include/sdfg_plugin.h"]
header = "\n".join(project.without_comments(project.read(path)) for path in PUBLIC)
code = re.sub(r"^[ \t]*#.*?(?<!\\)$", "", header, flags=re.M | re.S)


def one_line(text):
    return re.sub(r"\s*\*\s*(?=\w)", " *", " ".join(text.split()))


def structs():
    """(name, [field]) of each struct whose fields the header shows."""
    for name, body in re.findall(r"\bstruct (\w+) \{(.*?)\}(?: \w+)?;", code, flags=re.S):
        body = re.sub(r"\(\s*\*\s*(\w+)\s*\)\s*\([^;]*\);", r"\1;", body) # pointers to functions
        yield name, re.findall(r"(\w+)\s*(?:\[\w+\]\s*)?[;,]", body)


def constants():
    """(enumeration or "", name) of each enumerator."""
    for tag, body in re.findall(r"enum(?: (\w+))? \{(.*?)\}", code, flags=re.S):
        for part in body.split(","):
            if part.strip():
                yield tag, part.split("=")[0].strip()


def layout():
    """What the compiler says of both, as lines."""
    lines = [*(f'#include "{path}"' for path in PUBLIC), "#include <stdio.h>", "int main(void)", "{"]
    for name, fields in structs():
        lines.append(f'printf("struct %s %zu bytes\\n", "{name}", sizeof({name}));')
        for f in fields:
            lines.append(f'printf("struct %s %zu %s %zu bytes\\n", "{name}", offsetof({name}, {f}), "{f}", sizeof((({name} *)0)->{f}));')
    lines += [f'printf("enum %s %s %ld\\n", "{tag or "-"}", "{name}", (long){name});' for tag, name in constants()]
    lines.append("}")
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "layout"
        subprocess.run([compiler, "-x", "c", "-std=c11", "-I.", "-o", str(program), "-"], input="\n".join(lines), text=True, check=True,
                       cwd=project.TOP)
        return subprocess.run([str(program)], check=True, text=True, capture_output=True).stdout.splitlines()


if sys.maxsize != 2**63 - 1:
    print("the list is for machines with pointers of 64 bits")
    sys.exit(77)
shown = subprocess.run(["nm", "-D", "--defined-only", library], check=True, text=True, capture_output=True).stdout
shown = {line.split()[-1] for line in shown.splitlines()}
types = {name: one_line(f"{result}{name}({parameters})")
         for result, name, parameters in re.findall(r"SDFG_API\b([^;(]*?)\b(sdfg_\w+)\s*\(([^;]*)\)\s*;", code)}
functions = [f"function {types.get(name, name)}" for name in sorted(shown)]
callbacks = sorted("callback " + one_line(text) for text in re.findall(r"typedef ([^;{}]*\([^;{}]*\));", code))
actual = functions + callbacks + layout()
if os.environ.get("SDFG_BLESS"):
    LIST.write_text("\n".join(actual) + "\n", encoding="utf-8")
listed = LIST.read_text(encoding="utf-8").splitlines() if LIST.exists() else []
offenders = [f"docs/abi.txt: no longer so: {line}" for line in listed if line not in set(actual)]
offenders += [f"docs/abi.txt: is not there: {line}" for line in actual if line not in set(listed)]
if offenders:
    offenders.append("programs that are compiled rely on the former lines; see docs/stability.md, then SDFG_BLESS=1 writes the list")
project.finish(offenders, len(actual))
