#!/bin/sh
# wheel.sh BUILD: the wheel of `pip install .`, with the libraries of a release build, alone in an environment of its own: the README's
# example in Python runs, and so does what the libraries are looked for by (exports, the drop-in's stub).
set -eu
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../..
tools=$("$here/tools.sh" "$build") || { status=$?; echo "$tools"; exit $status; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$tools/bin/pip" wheel -q --no-deps --no-build-isolation -w "$folder" -C build-dir="$folder/build" -C cmake.define.SDFG_PREBUILT="$build" "$top"
wheel=$(ls "$folder"/libsdfg-*.whl)
size=$(wc -c <"$wheel")
echo "$(basename "$wheel"): $((size / 1000000)) MB"
[ "$size" -lt 40000000 ] || { echo "it is larger than it was: are there symbols in it?"; exit 1; }
"$tools/bin/auditwheel" show "$wheel" >"$folder/audit" 2>&1
if ! grep -q 'manylinux_' "$folder/audit"; then
    cat "$folder/audit"
    exit 1
fi

# The environment sees NumPy in the tools' one and nothing else of this machine.
python3 -m venv --without-pip "$folder/env"
env=$folder/env/bin/python
packages=$("$env" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
"$tools/bin/pip" --python "$env" install -q --no-deps --no-index "$wheel"
ln -s "$("$tools/bin/python" -c 'import numpy, os; print(os.path.dirname(numpy.__file__))')" "$packages/numpy"
for libraries in "$tools"/lib/python*/site-packages/numpy.libs; do ln -s "$libraries" "$packages/numpy.libs"; done

cd "$folder"
unset SDFG_LIBRARY PYTHONPATH LD_LIBRARY_PATH
export XDG_CACHE_HOME="$folder/cache"
sed -n '/^```python/,/^```$/p' "$top/README.md" | sed '/^```/d' >example.py
cat >>example.py <<'END'

A = np.random.default_rng(0).random((40, 30))
expected = A.copy()
for t in range(10):
    new = np.zeros_like(A)
    new[1:-1, 1:-1] = (expected[1:-1, :-2] + expected[1:-1, 2:] + expected[:-2, 1:-1] + expected[2:, 1:-1]) / 4
    expected = new
total = smooth(A, np.zeros_like(A), 10)
assert np.allclose(A, expected) and np.allclose(total, expected.sum())
END
"$env" example.py
cp "$here/wheel.py" "$top/examples/axpy.sdfg" .
"$env" wheel.py "$packages"
"$tools/bin/pip" --python "$env" uninstall -q -y libsdfg
[ ! -e "$packages/sdfg" ] || { echo "left behind: $packages/sdfg"; exit 1; }
