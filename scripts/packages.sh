#!/bin/sh
# packages.sh: builds the Debian packages in build/debian and asks lintian about them. Needs the packages debhelper, dh-python, lintian and
# ninja-build. scripts/systems.sh --packages builds, installs and removes them in bare systems.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
folder=$top/build/debian
rm -rf "$folder"
mkdir -p "$folder/source"
tar -C "$top" --exclude=./build --exclude=./.git -cf - . | tar -C "$folder/source" -xf -
echo "libsdfg: building packages in build/debian" >&2
(cd "$folder/source" && dpkg-buildpackage -b -us -uc -j"${SDFG_JOBS:-$(nproc)}") >"$folder/log" 2>&1 || { tail -n 30 "$folder/log"; exit 6; }
rm -rf "$folder/source"
lintian --allow-root --fail-on error,warning "$folder"/*.changes
ls -sh "$folder"/*.deb
