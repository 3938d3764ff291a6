"""docs/python-programs.md lists the functions of frontend/functions.def. SDFG_BLESS=1 writes the list."""
import os
import re

import project

BEGIN, END = "<!-- functions -->\n", "<!-- end -->\n"
TITLES = {"numpy": "`numpy`", "numpy.linalg": "`numpy.linalg`", "numpy.fft": "`numpy.fft`", "ndarray": "methods of arrays", "math": "`math`", "dace": "`dace`, `sdfg`", "dace.comm": "`dace.comm`",
          "MPI.Comm": "methods of communicators", "MPI.Request": "methods of requests", "dict": "methods of dictionaries", "list": "methods of lists",
          "builtins": "Python"}

rows = re.findall(r"^F\(([\w.]+), (\w+), (\w+), [^\n]*?(\w+)\)$", project.read(project.TOP / "frontend/functions.def"), flags=re.M)
table = "| module | functions |\n|---|---|\n"
for module, title in TITLES.items():
    known = sorted(name for m, name, function, rule in rows if m == module and function != "fn_unknown" and name[0] != "_")
    table += f"| {title} | {' '.join(f'`{name}`' for name in known)} |\n"
ufuncs = sorted(name for m, name, function, rule in rows if m == "numpy" and function in ("fn_operator", "fn_binary", "fn_extreme")
                and rule not in ("PY_USUB", "PY_UADD", "PY_INVERT"))
table += f"| `outer`, `reduce`, `accumulate` of | {' '.join(f'`{name}`' for name in ufuncs)} |\n"
page = project.TOP / "docs/python-programs.md"
text = project.read(page)
begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
wanted = text[:begin] + table + text[end:]
if os.environ.get("SDFG_BLESS"):
    page.write_text(wanted)
offenders = [] if wanted == project.read(page) else ["docs/python-programs.md: the list of functions differs; SDFG_BLESS=1 writes it"]
project.finish(offenders, len(rows))
