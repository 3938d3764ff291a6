"""What the shared libraries show: the core exactly the functions of its headers, the plugin one symbol; and the core does not need
LLVM. Arguments: the two libraries."""
import re
import subprocess
import sys

import project

core, codegen = sys.argv[1:3]


def exported(library):
    lines = subprocess.run(["nm", "-D", "--defined-only", library], check=True, text=True, capture_output=True).stdout
    return {line.split()[-1] for line in lines.splitlines()}


header = "".join(project.without_comments(project.read(f"engine/include/{name}")) for name in ("sdfg.h", "sdfg_graph.h"))
header = re.sub(r"^[ \t]*#.*?(?<!\\)$", "", header, flags=re.M | re.S)
declared = set(re.findall(r"SDFG_API\b[^;(]*?\b(sdfg_\w+)\s*\(", header))
offenders = [f"{core}: exports {name}, which the header does not declare" for name in sorted(exported(core) - declared)]
offenders += [f"{core}: does not export {name}, which the header declares" for name in sorted(declared - exported(core))]
if exported(codegen) != {"sdfg_codegen_api"}:
    offenders.append(f"{codegen}: exports {sorted(exported(codegen))}, only sdfg_codegen_api is meant to be seen")
needed = subprocess.run(["objdump", "-p", core], check=True, text=True, capture_output=True).stdout
offenders += [f"{core}: needs {name}" for name in re.findall(r"NEEDED\s+(\S*(?:LLVM|clang|stdc\+\+|gomp|omp|blas)\S*)", needed)]
project.finish(offenders, len(declared))
