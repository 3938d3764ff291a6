"""What stands at the top of the project is what README.md and docs/architecture.md know. Programs of the corpus write files into the
folder they are run in."""
import shutil
import subprocess

import project

FILES = {".clang-format", ".gitignore", "CHANGELOG.md", "CMakeLists.txt", "CMakePresets.json", "CONTRIBUTING.md", "LICENSE", "README.md", "SECURITY.md",
         "pyproject.toml", "run", "test"}
OTHERS = {".ci", "bench", "cmake", "completions", "debian", "docs", "examples", "man", "python", "scripts", "tests"}

listed = shutil.which("git") and subprocess.run(["git", "ls-files"], cwd=project.TOP, capture_output=True, text=True)
if not listed or listed.returncode:
    print("skipped: not a git checkout, or git is not installed")
    raise SystemExit(77)
names = {line.split("/")[0] for line in listed.stdout.splitlines()}
project.finish(sorted(f"{name}: not known at the top of the project" for name in names - FILES - OTHERS - set(project.FOLDERS)),
               len(names))
