"""Who may include whom: the layers of the project. What is not listed is an error."""
import re

import project

ABI = ["runtime/abi.h", "runtime/abi.def"]
MAY_INCLUDE = {
    "base": ["base/"],
    "ir": ["ir/", "base/"],
    "ir/json": ["ir/json/", "base/"],
    "ir/sym": ["ir/sym/", "ir/type.h", "ir/types.def", "ir/internal.h", "base/"],
    "ir/python": ["ir/python/", "base/"],
    "ir/code": ["ir/code/", "ir/python/ast.h", "ir/type.h", "base/"],
    "ir/code/clang": ["ir/code/", "ir/", "base/"],
    "frontend": ["frontend/", "ir/", "base/"],
    "frontend/callback.c": ["frontend/", "ir/", "base/", "engine/include/"],
    "frontend/functions_mpi.c": ["frontend/", "ir/", "base/", "runtime/mpi.h"], # numbers of peers
    "frontend/live.h": ["frontend/", "ir/", "base/", "engine/include/"], # a host of the public interface is asked
    "lower/graph": ["lower/graph/", "lower/tree/", "ir/", "base/", *ABI],
    "lower/graph/library/mpi.c": ["lower/graph/", "lower/tree/", "ir/", "base/", *ABI, "runtime/mpi.h", "runtime/mpi/mpi.def"],
    "lower/tree": ["lower/tree/", "ir/", "base/", *ABI],
    "lower/opt": ["lower/opt/", "lower/tree/", "ir/", "base/"],
    "lower/llvm": ["lower/llvm/", "lower/tree/", "ir/", "base/", *ABI],
    "lower/llvm/llvm_device.c": ["lower/llvm/", "lower/tree/", "ir/", "base/", "runtime/device.h"],
    "lower/llvm/llvm_image.c": ["lower/llvm/", "base/", "runtime/device.h"],
    "gpu": ["gpu/", "lower/", "ir/", "base/", "runtime/device.h", *ABI],
    "gpu/nvrtc.c": ["gpu/", "base/"],
    "gpu/nvrtc_find.c": ["gpu/", "base/", "runtime/device_find.h"], # libraries lie in the same places
    "jit": ["jit/", "base/", *ABI],
    "cache": ["cache/", "base/"],
    "engine/cli": ["engine/cli/", "engine/include/", "ir/json/json.h", "base/"],
    "engine/cli/cache.c": ["engine/cli/", "engine/include/", "cache/", "base/"],
    "engine/cli/failing.c": ["engine/cli/", "engine/include/", "cache/", "base/"],
    "engine": ["engine/", "frontend/frontend.h", "jit/place.h", "cache/", "ir/", "base/", *ABI, "runtime/stream.h", "runtime/device.h",
               "runtime/mpi.h"],
    # what plug-ins include, and rows
    "engine/builtin": ["engine/builtin/builtin.h", "engine/include/sdfg_plugin.h", "ir/passes/passes.def", "lower/opt/passes.def",
                       "lower/graph/library/ops.def", "ir/enums.def"],
    "engine/compile": ["engine/compile/", "engine/codegen.h", "engine/include/", "gpu/", "lower/", "jit/", "ir/", "base/", *ABI,
                       "runtime/cpu.h"], # what the processor can
    "engine/args/stream.c": ["engine/", "runtime/stream.h", *ABI], # callers' queues are those of the runtime
    "runtime": ["runtime/"],
    "tests/unit": [folder + "/" for folder in project.FOLDERS] + ["tests/"],
    "tests/gpu/standin": ["tests/gpu/standin/", "standin.h"], # kernels are compiled with it, wherever the checkout is
    "tests/gpu": ["gpu/nvrtc.h", "runtime/device.h", "base/", "tests/"],
    "tests/gpu/test_engine.c": ["engine/include/", "tests/"],
    "tests/gpu/test_spills.c": ["gpu/", "lower/tree/", "base/", "tests/"], # compiles trees
    "tests/gpu/caller.h": ["engine/include/", "tests/"],
    "tests/gpu/run-tree.c": ["gpu/", "jit/jit.h", "lower/", "runtime/device.h"],
    "tests/gpu/device_call.h": ["gpu/nvrtc.h", "runtime/", "base/", "tests/"], # calls the runtime
    "tests/gpu/test_device_failing.c": ["runtime/", "tests/"],
    "tests/mpi": ["runtime/mpi/mpi.def"],
    "tests/mpi/alone.c": ["runtime/", "tests/"],
    "tests/mpi/alone.h": ["runtime/", "tests/"],
    "tests/mpi/alone_library.c": ["runtime/", "tests/"],
    "tests/mpi/alone_refused.c": ["runtime/", "tests/"],
    "tests/mpi/alone_scenarios.c": ["runtime/", "tests/"],
    "tests/lower": [folder + "/" for folder in project.FOLDERS] + ["tests/"],
    "tests/aarch64": ["jit/place.h", "base/", "runtime/runtime.h", "tests/"], # runs what was placed
    "tests/export": ["axpy.h", "gemm_maps.h"], # written by the test
    "tests/install": ["axpy.h"], # written by the test
    "tests/fail": ["engine/include/", "runtime/abi.h", "runtime/runtime.h", "tests/"],
    "tests/fail/linalg.c": ["runtime/", "tests/"],
    "tests/fail/runtime.c": ["runtime/", "tests/"],
    "tests/fail/refused.c": ["runtime/", "tests/"],
    "tests/parser": ["ir/python/ast.h"],
    "tests/pass": ["gpu/emit.h", "lower/opt/", "lower/tree/", "ir/", "base/"],
    "tests/corpus": ["sdfg.h", "ir/", "base/"],
    "tests/fuzz": [folder + "/" for folder in project.FOLDERS] + ["tests/"],
    "tests/run": ["engine/cli/", "engine/include/", "ir/", "base/", "tests/"], # writes cases
    "tests": ["engine/include/", "sdfg.h", "tests/"],
    "bench": ["engine/include/", "sdfg.h", "bench/"],
    "bench/scale/generate.c": ["ir/", "base/"], # writes graphs
    "bench/products/graph.c": ["bench/products/", "ir/", "base/"], # makes graphs
    "bench/frontend/source.c": ["frontend/frontend.h", "ir/", "base/"], # makes graphs of programs
    "bench/polybench": [], # read by sdfg-bench
    "bench/run/plain": ["plain.h"], # compiled without the library
    "examples": ["engine/include/", "sdfg.h"],
    "engine/include": ["sdfg.h"], # installed beside each other
    "examples/generate.c": ["ir/", "base/"], # writes the graphs of the examples
}
# Headers of LLVM and libclang, and the files that may include them.
MAY_USE_LLVM = re.compile(r"(lower/llvm/.*|ir/code/clang/.*|jit/.*|engine/compile/.*|tests/(unit|lower)/.*|tests/gpu/run-tree.c|tests/plugin/llvm_c.c)$")


def layer(path):
    """The longest row that `path` lies below."""
    return max((row for row in MAY_INCLUDE if str(path) == row or str(path).startswith(row + "/")), key=len)


offenders = []
paths = project.files(".c", ".h", ".inc", ".def", folders=project.FOLDERS + ["tests", "bench", "examples"])
for path in paths:
    text = project.without_comments(project.read(path))
    includes = re.findall(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">]+)[">]', text, flags=re.M)
    allowed = MAY_INCLUDE[layer(path)]
    for kind, name in includes:
        if kind == '"' and not any(name == row or (row.endswith("/") and name.startswith(row)) for row in allowed):
            offenders.append(f"{path}: may not include \"{name}\"")
        if kind == "<" and re.match(r"(llvm|clang)(-c)?/", name) and not MAY_USE_LLVM.match(str(path)):
            offenders.append(f"{path}: may not include <{name}>")
    own = path.with_suffix(".h")
    if path.suffix == ".c" and (project.TOP / own).exists() and (not includes or includes[0][1] != str(own)):
        offenders.append(f"{path}: includes its own header first")
project.finish(offenders, len(paths))
