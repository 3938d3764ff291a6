#!/bin/sh
# NPBench by other compilers of Python programs, against ours:
#
#     bench/peers/peers.sh NPBENCH ENVIRONMENT [OPTION ...]
#
# NPBENCH: a checkout of NPBench, whose versions for Numba, JAX and Pythran are measured; docc compiles its version for NumPy.
# ENVIRONMENT: a folder outside of the repository. The first run makes a Python environment there with all of them, from the
# package index; docc calls clang++-21, which may also be a link to another clang in the environment's bin/. OPTIONs are those of
# bench/npbench/measure.py, such as --only=gemm,adi, --threads=1,2, --json=FILE.
# Inputs are NPBench's own, changed a little at random; results that differ from ours have a "!" behind their ratio.
set -eu
[ $# -ge 2 ] || { sed -n '2,10s/^# \{0,1\}//p' "$0" >&2; exit 2; }
npbench=$1 environment=$2 here=$(dirname "$0")
shift 2
command -v c++ >/dev/null 2>&1 || { echo "peers.sh: Pythran needs a C++ compiler" >&2; exit 1; }
if [ ! -e "$environment/complete" ]; then
    [ -x "$environment/bin/python" ] || python3 -m venv "$environment"
    "$environment/bin/pip" install --quiet numpy scipy numba jax pythran docc-compiler
    touch "$environment/complete"
fi
"$environment/bin/python" - <<'END'
import importlib.metadata as m
print(", ".join(f"{name} {m.version(name)}" for name in ("numpy", "numba", "jax", "pythran", "docc-compiler")))
END
PATH=$environment/bin:$PATH exec "$environment/bin/python" "$here/../npbench/measure.py" --npbench="$npbench" --versions=numba,jax,pythran,docc --built="$environment/built" \
    --only-m --perturb "$@"
