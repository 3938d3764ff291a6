#!/bin/sh
# typed.sh BUILD: the annotations of the package (mypy), and what type checkers make of typed.py with them (mypy, pyright).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tools=$("$here/../install/tools.sh" "$1") || { status=$?; echo "$tools"; exit $status; }
cd "$here/../.."
"$tools/bin/mypy" --cache-dir="$1/mypy"
if [ -e "$tools/bin/pyright" ]; then
    "$tools/bin/pyright" --pythonpath "$tools/bin/python" -p .
else
    echo "pyright: skipped, it cannot be installed"
fi
