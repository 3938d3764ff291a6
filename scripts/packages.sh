#!/bin/sh
# packages.sh: builds the Debian packages in build/debian and asks lintian about them. `packages.sh chroot` installs them (built, if they are
# not) in a bare Debian 12 in build/debian/chroot, runs what they bring, removes them, and sees that nothing is left; that takes root and a
# mirror of Debian.
# Needs the packages debhelper, dh-python, lintian, ninja-build, and debootstrap for the chroot.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
folder=$top/build/debian
say() { echo "libsdfg: $1" >&2; }

build() {
    rm -rf "$folder/source"
    mkdir -p "$folder/source"
    rm -f "$folder"/*.deb "$folder/complete"
    tar -C "$top" --exclude=./build --exclude=./.git -cf - . | tar -C "$folder/source" -xf -
    say "building packages in build/debian"
    (cd "$folder/source" && dpkg-buildpackage -b -us -uc -j"${SDFG_JOBS:-$(nproc)}") >"$folder/log" 2>&1 || { tail -30 "$folder/log"; exit 6; }
    rm -rf "$folder/source"
    lintian --allow-root --fail-on error,warning "$folder"/*.changes
    ls -sh "$folder"/*.deb
    touch "$folder/complete"
}

if [ "${1:-}" != chroot ] || [ ! -e "$folder/complete" ]; then build; fi
[ "${1:-}" = chroot ] || exit 0

root=$folder/chroot
# Kept for the next time; packages are removed from it below.
if [ ! -e "$root/complete" ]; then
    say "making a bare Debian 12 in build/debian/chroot"
    rm -rf "$root"
    debootstrap --variant=minbase bookworm "$root" >"$folder/debootstrap.log" 2>&1 || { tail -3 "$folder/debootstrap.log"; exit 8; }
    # Mirrors and certificates are this machine's.
    rm -f "$root/etc/apt/sources.list"
    cp -r /etc/apt/sources.list* /etc/apt/apt.conf.d "$root/etc/apt/"
    cp -r /usr/share/keyrings "$root/usr/share/"
    cp -rL /etc/ssl "$root/etc/" 2>/dev/null || true
    cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
    touch "$root/complete"
fi
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"; }
state() { (cd "$root" && find . -path ./proc -prune -o -path ./tmp -prune -o -path ./var -prune -o -print | LC_ALL=C sort); }
say "installing what the packages need"
inside apt-get update -qq
packages=$(find "$folder" -maxdepth 1 -name "*.deb" ! -name "*dbgsym*")
depends=$(for deb in $packages; do dpkg-deb -f "$deb" Depends; done | tr ',' '\n' | sed 's/|.*//; s/(.*//; s/ //g' |
    grep -v -E '^libsdfg' | sort -u | tr '\n' ' ')
# shellcheck disable=SC2086
inside apt-get install -y -qq --no-install-recommends $depends libgomp1 libopenblas0 >"$folder/apt.log" 2>&1 || { tail -5 "$folder/apt.log"; exit 8; }

say "installing, running, removing"
state >"$folder/before"
rm -rf "$root/tmp/try"
mkdir "$root/tmp/try"
# shellcheck disable=SC2086
cp $packages "$top"/examples/axpy.sdfg "$top"/examples/embed_gemm.py "$top"/examples/gemm.sdfg "$root/tmp/try/"
inside sh -c 'dpkg -i /tmp/try/*.deb' >>"$folder/apt.log"
inside sdfg-run /tmp/try/axpy.sdfg --N=8 --no-cache
inside sdfg-cc /tmp/try/axpy.sdfg -o /tmp/try/axpy.so
inside python3 -B -c 'import ctypes; ctypes.CDLL("/tmp/try/axpy.so")'
inside env XDG_CACHE_HOME=/tmp/try python3 -B /tmp/try/embed_gemm.py
inside sh -c 'dpkg -P libsdfg0 libsdfg-rt0 libsdfg-dev libsdfg-tools python3-sdfg' >>"$folder/apt.log"
rm -rf "$root/tmp/try"
state >"$folder/after"
cmp "$folder/before" "$folder/after" || { diff "$folder/before" "$folder/after"; exit 1; }
say "the packages install, run and leave nothing behind"
