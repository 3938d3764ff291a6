"""The C files are as the pinned clang-format leaves them (scripts/format.sh formats them)."""
import re
import shutil
import subprocess
import sys

import project

if not shutil.which("clang-format-14"):
    print("skipped: clang-format-14 is not installed")
    sys.exit(77)
paths = [str(path) for path in project.files(".c", ".h", ".inc", folders=project.FOLDERS + ["tests", "bench", "examples"])]
checked = subprocess.run(["clang-format-14", "--dry-run", *paths], cwd=project.TOP, check=True, text=True, capture_output=True)
offenders = sorted({f"run scripts/format.sh {path}"
                    for path in re.findall(r"^(\S+?):\d+:\d+: warning", checked.stderr, flags=re.M)})
project.finish(offenders, len(paths))
