#!/bin/sh
# graph_passes_in_dace.sh BUILD: DaCe opens what passes over graphs write, and computes the same with it.
set -eu
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
python=$("$here/dace.sh" "$build") || { echo "$python" && exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat >rows.py <<'END'
import dace

N = dace.symbol("N")

@dace.program
def rows(A: dace.float64[N, N], B: dace.float64[N]):
    T = dace.define_local([N], dace.float64)
    T[:] = A[2, :]
    for i in dace.map[0:N]:
        T[i] = T[i] * 2
    B[:] = T

rows.to_sdfg(simplify=False).save("rows.sdfg")
END
"$python" rows.py
"$build/sdfg-opt" rows.sdfg --passes=copy-to-map,persistent-transients -o after.sdfg
cat >check.py <<'END'
import dace
import numpy as np

before, after = dace.SDFG.from_file("rows.sdfg"), dace.SDFG.from_file("after.sdfg")
after.validate()

def maps(sdfg):
    return sum(isinstance(n, dace.nodes.MapEntry) for n, _ in sdfg.all_nodes_recursive())

assert maps(after) > maps(before), (maps(before), maps(after))
assert any(d.lifetime == dace.AllocationLifetime.Persistent for d in after.arrays.values()), after.arrays
A = np.random.default_rng(0).random((6, 6))
B = np.zeros(6)
after(A=A, B=B, N=6)
assert (B == 2 * A[2]).all(), B
END
"$python" check.py
