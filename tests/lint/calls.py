"""Calls that are banned: LLVM-C functions that use the global context, and ways around the diagnostics. The one argument is LLVM's
include folder, which tells the functions that have a form with a context."""
import pathlib
import re
import sys

import project

# Who may do what a library does not do: end the process, read the environment, write to the terminal.
CLI = r"engine/cli/.*"
HEAP = r"(?!ir/|lower/).*" # what ir and lower make lives in arenas
BANNED = {
    "malloc": HEAP, "calloc": HEAP, "realloc": HEAP, "free": HEAP, "strdup": HEAP, "asprintf": HEAP,
    "exit": CLI, "_exit": CLI, "quick_exit": CLI,
    "abort": r"(base/fatal|runtime/program)\.c",
    "getenv": r"(engine/[^/]*|runtime/mpi/mpi_library)\.c|" + CLI,
    "secure_getenv": r"(engine/[^/]*|runtime/linalg/blas_library|runtime/device_(find|library|vendor)|runtime/mpi/mpi_(library|scalapack))\.c|" + CLI,
    "printf": CLI, "vprintf": CLI, "puts": CLI, "putchar": CLI, "perror": CLI,
    "system": None, "popen": None, "longjmp": None, "setjmp": None, "alloca": None, "gets": None, "strtok": None,
    "sprintf": None, "vsprintf": None,
}
STDERR = r"(base/fatal|runtime/program|runtime/print)\.c|" + CLI # print writes what the program itself prints
WORDS = re.compile(r"\b(TODO|FIXME|XXX|HACK|stub)\b")

headers = "".join(path.read_text() for path in pathlib.Path(sys.argv[1], "llvm-c").rglob("*.h"))
functions = set(re.findall(r"\b(LLVM\w+)\s*\(", headers))
context_free = {name for name in functions if name + "InContext" in functions or name + "InContext2" in functions}
context_free |= {"LLVMGetGlobalContext", "LLVMModuleCreateWithName"}
assert {"LLVMInt32Type", "LLVMAppendBasicBlock", "LLVMCreateBuilder"} <= context_free

offenders = []
paths = project.files(".c", ".h", ".inc", ".def")
for path in paths:
    text = project.read(path)
    code = project.without_comments(text, strings=False)

    def offend(match, what):
        offenders.append(f"{path}:{project.line_of(text, match.start())}: {what}")

    for match in re.finditer(r"(?<![\w.>])(\w+)\s*\(", code):
        name = match.group(1)
        if name in context_free:
            offend(match, f"{name} uses the global context")
        if name in BANNED and not re.fullmatch(BANNED[name] or "nowhere", str(path)):
            offend(match, f"{name} is not called here")
    for match in re.finditer(r"\b(stderr|stdout)\b", code):
        if not re.fullmatch(STDERR, str(path)):
            offend(match, f"{match.group(1)} belongs to the tools")
    for match in WORDS.finditer(text):
        offend(match, f"'{match.group(1)}' means unfinished work")
project.finish(offenders, len(paths))
