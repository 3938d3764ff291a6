"""Each function of the public headers is called while allocations fail (tests/fail), and each tool that is installed is run."""
import re
import sys

import project

# Their work is that of an MPI library, which ends the process where it has no memory; or they are for ending it.
NOT_OURS = {"sdfg_mpi_world", "sdfg_mpi_least", "sdfg_mpi_transfer", "sdfg_mpi_abort"}

header = "".join(project.without_comments(project.read(f"engine/include/{name}.h")) for name in ("sdfg", "sdfg_graph"))
code = "".join(project.without_comments(project.read(f"tests/fail/{name}.c")) for name in ("api", "calls", "graphs", "settings"))
functions = set(re.findall(r"SDFG_API\s[^;(#]*?\b(sdfg_\w+)\s*\(", header)) - NOT_OURS
missing = sorted(functions - set(re.findall(r"\bsdfg_\w+", code)))
missing += [tool for tool in ("sdfg-run", "sdfg-cc", "sdfg-cache", "sdfg-bench", "sdfg-opt") if f'"{tool}"' not in project.read("tests/fail/tools.py")]
for name in missing:
    print(f"{name}: no test calls it while allocations fail (tests/fail)")
print(f"{len(functions)} functions, {len(missing)} missing")
sys.exit(1 if missing or len(functions) < 150 else 0)
