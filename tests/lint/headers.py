"""Headers can be included alone; the public ones also as pedantic C11 and as C++, where each SDFG_..._INIT initializes all fields of its struct.
Arguments: the C compiler, LLVM's include folder."""
import re
import subprocess
import sys

import project

compiler, llvm = sys.argv[1:3]
PUBLIC = ["engine/include/sdfg.h", "engine/include/sdfg_graph.h", "engine/include/sdfg_plugin.h"]
COMMON = ["-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I.", "-isystem", llvm]


def initialized(header):
    """A definition for each macro SDFG_NAME_INIT."""
    names = re.findall(r"^#define (SDFG_\w+)_INIT\b", (project.TOP / header).read_text(), re.M) if header in PUBLIC else []
    return "".join(f"extern {name.lower()} a_{name}; {name.lower()} a_{name} = {name}_INIT;\n" for name in names)


def compile_alone(header, options):
    # Through an including file: a header as the main file would draw warnings of its own.
    source = f'#include "{header}"\nextern int nothing_else;\n' + initialized(header)
    done = subprocess.run([compiler, *COMMON, *options, "-"], input=source, text=True, cwd=project.TOP,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return f"{header} ({' '.join(options)}):\n{done.stdout}" if done.returncode else None


found = []
headers = [str(path) for path in project.files(".h")]
for header in headers:
    found.append(compile_alone(header, ["-x", "c", "-std=c11", "-D_GNU_SOURCE"]))
found += [compile_alone(header, ["-x", "c", "-std=c11", "-pedantic-errors", "-Wstrict-prototypes"]) for header in PUBLIC]
cxx = subprocess.run([compiler, "-x", "c++", "-fsyntax-only", "-"], input="int main() {}", text=True, capture_output=True)
if cxx.returncode == 0:
    found += [compile_alone(header, ["-x", "c++", "-std=c++11", "-pedantic-errors"]) for header in PUBLIC]
else:
    print("note: no C++ compiler, the public headers were not compiled as C++")
project.finish([offender for offender in found if offender], len(headers))
