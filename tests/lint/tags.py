"""A tag of a struct, union or enum that a header defines stands for that alone: no other file defines it. Tags that only .c files
define are each file's own."""
import re

import project

DEFINES = re.compile(r"^(?:typedef |static |const )*(struct|union|enum)(?:\s+__attribute__\(\(.*?\)\))?\s+(\w+)\s*\{", re.M)

places = {}
for path in project.files(".c", ".h", ".cpp", ".inc", folders=project.FOLDERS + ["python"]):
    code = project.without_comments(project.read(path))
    for match in DEFINES.finditer(code):
        places.setdefault(match.group(2), []).append((path, project.line_of(code, match.start())))
offenders = [f"{path}:{line}: '{tag}' is defined in {', '.join(str(p) for p, _ in found if p != path) or 'this file'}, too"
             for tag, found in sorted(places.items()) if len(found) > 1 and any(p.suffix == ".h" for p, _ in found)
             for path, line in found]
project.finish(offenders, len(places))
