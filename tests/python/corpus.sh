#!/bin/sh
# corpus.sh OPTION...: corpus.py with the Python that has NumPy.
here=$(dirname "$0")
exec "$here/python.sh" "$here/corpus.py" "$@"
