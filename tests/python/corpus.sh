#!/bin/sh
# corpus.sh OPTION...: corpus.py with the Python that has NumPy.
exec "${NUMPY_PYTHON:-python3}" -B "$(dirname "$0")/corpus.py" "$@"
