"""Stands for DaCe in tests of sdfg-bench: its build of examples/axpy.sdfg, with the same functions."""
import os
import pathlib
import subprocess

SOURCE = """
#include <stdint.h>
#include <stdlib.h>
void *__dace_init_axpy(int64_t N) { int64_t *state = malloc(sizeof *state); *state = N; return state; }
void __program_axpy(void *state, double *restrict X, double *restrict Y, int64_t N, double alpha)
{
    for (int64_t i = 0; i < N && N == *(int64_t *)state; i++)
        Y[i] = alpha * X[i] + Y[i];
}
"""


class SDFG:
    @staticmethod
    def from_file(path):
        return SDFG()

    def compile(self):
        if os.environ.get("DACE_STANDS_FOR") == "failure":
            raise RuntimeError("it does not compile")
        folder = pathlib.Path(self.build_folder)
        folder.mkdir()
        self.filename = folder / "libaxpy.so"
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-x", "c", "-", "-o", self.filename], input=SOURCE, text=True,
                       check=True)
        return self

    def init_signature(self):
        return "int64_t N" if os.environ.get("DACE_STANDS_FOR") != "nonsense" else "3"

    def signature(self):
        size = "int64_t size, " if os.environ.get("DACE_STANDS_FOR") == "unknown" else ""
        return size + "double * __restrict__ X, double * __restrict__ Y, int64_t N, double alpha"
