"""Files are one screenful of ideas: reported above 400 lines, refused above 1000; functions are reported above 100."""
import re

import project

MOST = {"engine/include/sdfg.h": 1200} # the C interface is one file, most of it comments
offenders = []
paths = project.files(".c", ".h", ".inc")
for path in paths:
    text = project.read(path)
    lines = text.count("\n")
    if lines > MOST.get(str(path), 1000):
        offenders.append(f"{path}: {lines} lines; split it by concern")
    elif lines > 400:
        print(f"note: {path}: {lines} lines")
    if path.suffix == ".c":
        for body in re.finditer(r"^\{\n.*?^\}$", text, flags=re.S | re.M):
            length = body.group(0).count("\n") - 1
            if length > 100:
                print(f"note: {path}:{project.line_of(text, body.start())}: a function of {length} lines")
project.finish(offenders, len(paths))
