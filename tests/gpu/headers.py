#!/usr/bin/env python3
"""headers.py SOURCE: the lists of functions that the runtime opens in libraries of CUDA (runtime/device_*.def) against the toolkit's headers,
where those are installed: each function is there, and has as many parameters, of the same kinds (addresses, numbers of 4 and of 8 bytes).
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

LISTS = {
    "CUBLAS": ("device_blas.def", "cublas_v2.h"),
    "CUSOLVER": ("device_solver.def", "cusolverDn.h"),
    "CUFFT": ("device_fft.def", "cufft.h"),
}

KINDS = """
template <class T> constexpr long kind = __is_enum(T) ? 4 : sizeof(T);
template <class T> constexpr long kind<T *> = 1;
template <class F> struct kinds_of;
template <class R, class... A> struct kinds_of<R(A...)> {
    static constexpr unsigned count = sizeof...(A);
    static constexpr long kinds[] = { kind<R>, kind<A>... };
};
template <class F, class G> constexpr bool alike()
{
    if (kinds_of<F>::count != kinds_of<G>::count)
        return false;
    for (unsigned i = 0; i <= kinds_of<F>::count; i++)
        if (kinds_of<F>::kinds[i] != kinds_of<G>::kinds[i])
            return false;
    return true;
}
typedef void *cuda_stream;
typedef unsigned long size;
"""


def rows(source, macro, name):
    text = f'#define REQUIRED\n#define OPTIONAL\n#define {macro}(need, name, symbol, parameters) ROW symbol parameters END\n#include "{source}/runtime/{name}"\n'
    out = subprocess.run(["cc", "-E", "-P", "-x", "c", "-"], input=text, capture_output=True, text=True, check=True).stdout
    return re.findall(r'ROW "(\w+)" (\(.*?\)) END', out, re.S)


def includes():
    places = [os.environ[v] for v in ("CUDA_HOME", "CUDA_PATH") if v in os.environ] + sorted(glob.glob("/usr/local/cuda*"), reverse=True)
    return next((p + "/include" for p in places if all(os.path.exists(f"{p}/include/{h}") for _, h in LISTS.values())), None)


def main():
    source, headers = os.path.abspath(sys.argv[1]), includes()
    if not headers or not shutil.which("g++"):
        print("the headers of CUDA, or g++, are not installed")
        return 77
    text = "#include <cuda_runtime_api.h>\n" + "".join(f"#include <{h}>\n" for _, h in LISTS.values()) + KINDS
    count = 0
    for macro, (name, _) in LISTS.items():
        for symbol, parameters in rows(source, macro, name):
            count += 1
            text += f'static_assert(alike<decltype({symbol}), int{parameters}>(), "{symbol} of {name}");\n'
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/check.cpp", "w") as f:
            f.write(text)
        done = subprocess.run(["g++", "-std=c++17", "-fsyntax-only", "-w", "-I", headers, f.name], capture_output=True, text=True)
    print(done.stderr or f"{count} functions", end="")
    return 1 if done.returncode or count < 30 else 0


sys.exit(main())
