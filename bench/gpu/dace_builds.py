"""dace_builds.py FOLDER [PROGRAM...]: NPBench as DaCe builds it for a GPU, for `peers.py --dace=FOLDER`. Each recorded `prog.sdfg` is auto-optimized
for GPUs with all arrays on the device, its code is generated and compiled by nvcc. No device is needed. Run it by a Python that has DaCe. Writes
PROGRAM.so and PROGRAM.json (entry points and arguments) to the folder; programs that DaCe or nvcc refuse are listed with the message."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import warnings

TOP = pathlib.Path(__file__).resolve().parents[2]


def generate(options, name):
    """Writes the sources of one program and what calls of it need."""
    warnings.simplefilter("ignore")
    import dace
    from dace.codegen import codegen, compiler
    from dace.transformation.auto.auto_optimize import apply_gpu_storage, auto_optimize
    dace.Config.set("compiler", "cuda", "cuda_arch", value=options.arch)
    dace.Config.set("compiler", "cuda", "backend", value="cuda")
    dace.Config.set("library", "blas", "default_implementation", value="cuBLAS")
    graph = dace.SDFG.from_file(str(options.corpus / name / "prog.sdfg"))
    apply_gpu_storage(graph)
    auto_optimize(graph, dace.DeviceType.GPU, use_gpu_storage=True)
    folder = options.folder / "sources" / name
    graph.build_folder = str(folder)
    compiler.generate_program_folder(graph, codegen.generate_code(graph), str(folder))
    arguments = [{"name": key, "type": value.dtype.ctype, "shape": None if isinstance(value, dace.data.Scalar) else [str(n) for n in value.shape]}
                 for key, value in graph.arglist().items()]
    about = {"name": graph.name, "arguments": arguments, "symbols": [word for word in graph.init_signature(for_call=True).split(", ") if word], "dace": dace.__version__}
    (options.folder / f"{name}.json").write_text(json.dumps(about, indent=1) + "\n")


def compiled(options, name):
    """The last line of an error of nvcc, or None."""
    import dace
    package, folder = pathlib.Path(dace.__file__).parent, options.folder / "sources" / name
    paths = [package / "runtime/include"] + sorted(package.glob("libraries/*/environments"))
    sources = sorted(folder.glob("src/*/*.cpp")) + sorted(folder.glob("src/*/*.cu"))
    command = ["nvcc", "-O3", "-std=c++20", "--shared", f"-arch=sm_{options.arch}", "--use_fast_math", "-DWITH_CUDA", "-Xcompiler", "-fPIC,-fopenmp", "-w"]
    command += [f"-I{path}" for path in paths] + sources + ["-o", options.folder / f"{name}.so", "-lcublas", "-lcusolver", "-lgomp"]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    faults = [line for line in done.stderr.splitlines() if "error" in line] or ["no message"]
    return faults[0][:200] if done.returncode else None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("programs", nargs="*", help="all if none is named")
    parser.add_argument("--corpus", type=pathlib.Path, default=TOP / "build/corpus/npbench", help="recorded cases")
    parser.add_argument("--arch", default="90", help="compute capability, without a point")
    parser.add_argument("--timeout", type=float, default=300, help="seconds for the code of one program")
    parser.add_argument("--generate", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.generate:
        return generate(options, options.programs[0])
    options.folder.mkdir(parents=True, exist_ok=True)
    failed = 0
    for name in options.programs or [path.parent.name for path in sorted(options.corpus.glob("*/case.json"))]:
        command = [sys.executable, "-B", __file__, str(options.folder.absolute()), name, f"--corpus={options.corpus.absolute()}", f"--arch={options.arch}", "--generate"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=options.timeout, cwd=options.folder)
            fault = done.returncode and (done.stderr.strip().splitlines() or ["no message"])[-1][:200] or compiled(options, name)
        except subprocess.TimeoutExpired:
            fault = f"more than {options.timeout:.0f} s"
        failed += bool(fault)
        print(f"{name}: {fault or 'built'}", flush=True)
    return bool(failed)


sys.exit(main())
