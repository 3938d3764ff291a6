#!/bin/sh
# python.sh ARGUMENT...: runs the Python that has NumPy, which is looked for now, not when the build was configured: setup.sh may
# have installed it since.
for python in python3 /usr/bin/python3; do
    if "$python" -c 'import numpy' 2>/dev/null; then exec "$python" -X faulthandler -B "$@"; fi
done
echo "skipped: no Python with NumPy"
exit 77
