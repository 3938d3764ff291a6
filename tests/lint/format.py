"""The C files are as the pinned clang-format leaves them (scripts/format.sh formats them)."""
import shutil
import subprocess
import sys

import project

if not shutil.which("clang-format-14"):
    print("skipped: clang-format-14 is not installed")
    sys.exit(77)
paths = [str(path) for path in project.files(".c", ".h", folders=project.FOLDERS + ["tests", "bench", "examples"])]
offenders = []
for path in paths:
    formatted = subprocess.run(["clang-format-14", path], cwd=project.TOP, check=True, text=True, capture_output=True).stdout
    if formatted != project.read(path):
        offenders.append(f"{path}: run scripts/format.sh {path}")
project.finish(offenders, len(paths))
