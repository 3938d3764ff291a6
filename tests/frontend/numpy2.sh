#!/bin/sh
# numpy2.sh ARGUMENT...: runs a Python that has NumPy 2, by itself or with the wheel that scripts/setup.sh keeps in build/numpy.
top=$(cd "$(dirname "$0")/../.." && pwd)
for path in "" "$top/build/numpy"; do
    for python in python3 /usr/bin/python3; do
        if PYTHONPATH=$path "$python" -c 'import numpy, sys; sys.exit(int(numpy.__version__.split(".")[0]) < 2)' 2>/dev/null; then
            PYTHONPATH=$path exec "$python" -B "$@"
        fi
    done
done
echo "skipped: no Python with NumPy 2"
exit 77
