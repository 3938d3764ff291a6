#!/bin/sh
# systems.sh [--packages] [NAME...]: bare systems (debian12, debian13, ubuntu24.04; all by default) in build/systems, where the wheel of this
# checkout runs README.md's example in Python, in a virtual environment that has just been made. With --packages the Debian packages are
# built in each of them, with its LLVM, asked about by lintian, installed, run and removed, without a trace; that takes some minutes a system.
# A line for each system and part: passed, FAILED, or skipped and why. SDFG_BUILD names the build whose libraries go into the wheel
# (build/release), SDFG_MIRROR_DEBIAN and SDFG_MIRROR_UBUNTU the mirrors. Needs root and the packages debootstrap, curl and gpg.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
folder=$top/build/systems
build=$(cd "${SDFG_BUILD:-$top/build/release}" && pwd)
failed=0
mkdir -p "$folder"
report() {
    echo "$1: $2"
    case "$2" in *FAILED*) failed=1 ;; esac
}

# ---- systems ----

# $1: system. Sets suite, mirror, components, script, keyring; false: no such system.
describe() {
    script= keyring= components=main
    case "$1" in
    debian12) suite=bookworm mirror=${SDFG_MIRROR_DEBIAN:-http://deb.debian.org/debian} ;;
    debian13) suite=trixie mirror=${SDFG_MIRROR_DEBIAN:-http://deb.debian.org/debian} ;;
    ubuntu24.04)
        suite=noble mirror=${SDFG_MIRROR_UBUNTU:-http://archive.ubuntu.com/ubuntu} components=main,universe
        keyring=$folder/ubuntu.gpg
        [ -e /usr/share/debootstrap/scripts/noble ] || script=/usr/share/debootstrap/scripts/gutsy # all later ones are links to it
        ;;
    *) return 1 ;;
    esac
}

# The key that Ubuntu's archive is signed with, known by its fingerprint, out of the package that brings it there.
ubuntu_keyring() {
    [ ! -s "$keyring" ] || return 0
    work=$(mktemp -d)
    file=$(curl -fs "$mirror/dists/$suite/main/binary-amd64/Packages.gz" | gunzip | sed -n 's/^Filename: \(.*\/ubuntu-keyring_.*\)/\1/p')
    curl -fs -o "$work/keyring.deb" "$mirror/$file" && dpkg-deb -x "$work/keyring.deb" "$work/content" &&
        gpg --homedir "$work" --quiet --import "$work/content/usr/share/keyrings/ubuntu-archive-keyring.gpg" 2>/dev/null &&
        gpg --homedir "$work" --export F6ECB3762474EDA9D21B7022871920D1991BC93C >"$keyring"
    rm -rf "$work"
    [ -s "$keyring" ]
}

# A bare system in $root, kept for the next time. Names and the certificates of the package index are this machine's.
make_root() {
    [ ! -e "$root/complete" ] || return 0
    rm -rf "$root"
    [ -z "$keyring" ] || ubuntu_keyring || { echo "the key of the archive cannot be had" >"$root.log"; return 1; }
    # shellcheck disable=SC2086
    debootstrap --variant=minbase --components=$components ${keyring:+--keyring="$keyring"} "$suite" "$root" "$mirror" $script >"$root.log" 2>&1 ||
        return 1
    cp -L "${PIP_CERT:-/etc/ssl/certs/ca-certificates.crt}" "$root/etc/index-certificates.crt" 2>/dev/null || true
    cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
    cp -r /etc/apt/apt.conf.d "$root/etc/apt/"
    [ ! -e /etc/pip.conf ] || cp -L /etc/pip.conf "$root/etc/"
    echo "deb $mirror $suite-updates $components" | tr , ' ' >>"$root/etc/apt/sources.list"
    inside apt-get update -qq >>"$root.log" 2>&1 || return 1
    touch "$root/complete"
}

inside() {
    chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 \
        PIP_CERT=/etc/index-certificates.crt ${PIP_INDEX_URL:+PIP_INDEX_URL="$PIP_INDEX_URL"} "$@"
}
get() { inside apt-get install -y -qq --no-install-recommends -o Dpkg::Options::=--force-confold "$@"; }
fresh() { rm -rf "$root/tmp/try" && mkdir -p "$root/tmp/try"; }

# ---- the wheel ----

# README.md's example, called with arrays, and what it must compute.
example() {
    sed -n '/^```python/,/^```$/p' "$top/README.md" | sed '/^```/d'
    cat <<'END'

A = np.random.default_rng(0).random((40, 30))
expected = A.copy()
for t in range(10):
    new = np.zeros_like(A)
    new[1:-1, 1:-1] = (expected[1:-1, :-2] + expected[1:-1, 2:] + expected[:-2, 1:-1] + expected[2:, 1:-1]) / 4
    expected = new
total = smooth(A, np.zeros_like(A), 10)
assert np.allclose(A, expected) and np.allclose(total, expected.sum())
END
}

make_wheel() {
    tools=$("$top/tests/install/tools.sh" "$build") || { status=$?; echo "$tools"; exit $status; }
    rm -f "$folder"/*.whl
    "$tools/bin/pip" wheel -q --no-deps --no-build-isolation -w "$folder" -C build-dir="$folder/wheel" -C cmake.define.SDFG_PREBUILT="$build" "$top"
}

try_wheel() {
    get python3-venv && fresh || return 1
    cp "$folder"/libsdfg-*.whl "$root/tmp/try/"
    example >"$root/tmp/try/example.py"
    inside python3 -m venv /tmp/try/env || return 1
    inside sh -c '/tmp/try/env/bin/pip install -q /tmp/try/libsdfg-*.whl' || return 1
    inside env XDG_CACHE_HOME=/tmp/try/cache /tmp/try/env/bin/python /tmp/try/example.py
}

# ---- packages ----

state() { (cd "$root" && find . \( -path ./proc -o -path ./tmp -o -path ./var -o -path ./root \) -prune -o -print | LC_ALL=C sort); }

# The newest LLVM that the system has, of those that debian/control takes.
build_packages() {
    for llvm in 22 21 20 19; do
        inside apt-cache show "llvm-$llvm-dev" >/dev/null 2>&1 && break
    done
    get build-essential debhelper cmake ninja-build g++ gfortran dh-python python3 zlib1g-dev libxxhash-dev lintian "llvm-$llvm-dev" "libclang-$llvm-dev" || return 1
    rm -rf "$root/source"
    mkdir -p "$root/source/libsdfg"
    tar -C "$top" --exclude=./build --exclude=./.git -cf - . | tar -C "$root/source/libsdfg" -xf -
    inside sh -c "cd /source/libsdfg && dpkg-buildpackage -b -us -uc -j${SDFG_JOBS:-$(nproc)}" || return 1
    inside sh -c 'lintian --allow-root --fail-on error,warning /source/*.changes'
}

# What apt installs for them stays; before and after are compared with that there.
try_packages() {
    build_packages || return 1
    packages=$(find "$root/source" -maxdepth 1 -name '*.deb' ! -name '*dbgsym*')
    depends=$(for deb in $packages; do dpkg-deb -f "$deb" Depends; done | tr ',' '\n' | sed 's/|.*//; s/(.*//; s/ //g' | grep -v '^libsdfg' | sort -u)
    # shellcheck disable=SC2086
    get $depends libgomp1 libopenblas0 || return 1
    fresh
    state >"$root.before"
    # shellcheck disable=SC2086
    cp $packages "$top"/examples/axpy.sdfg "$top"/examples/embed_gemm.py "$top"/examples/gemm.sdfg "$root/tmp/try/"
    inside sh -c 'dpkg -i /tmp/try/*.deb' && inside sdfg-run /tmp/try/axpy.sdfg --N=8 --no-cache || return 1
    inside sdfg-cc /tmp/try/axpy.sdfg -o /tmp/try/axpy.so && inside python3 -B -c 'import ctypes; ctypes.CDLL("/tmp/try/axpy.so")' || return 1
    inside env XDG_CACHE_HOME=/tmp/try python3 -B /tmp/try/embed_gemm.py || return 1
    inside sh -c 'dpkg -P libsdfg0 libsdfg-rt0 libsdfg-dev libsdfg-tools python3-sdfg' || return 1
    state >"$root.after"
    diff "$root.before" "$root.after"
}

# ---- all of them ----

# $1: system, $2: part, $3: function
part() {
    if "$3" >"$root.$2.log" 2>&1; then
        report "$1" "$2 passed"
    else
        report "$1" "$2 FAILED: $(tail -n 1 "$root.$2.log") ($root.$2.log)"
    fi
    rm -rf "$root/tmp/try"
}

with_packages=
if [ "${1:-}" = --packages ]; then
    with_packages=yes
    shift
fi
make_wheel
[ $# != 0 ] || set -- debian12 debian13 ubuntu24.04
for name in "$@"; do
    describe "$name" || { report "$name" "FAILED: there is debian12, debian13 and ubuntu24.04"; continue; }
    root=$folder/$name
    if ! make_root; then
        report "$name" "skipped: debootstrap: $(tail -n 1 "$root.log")"
        continue
    fi
    part "$name" wheel try_wheel
    [ -z "$with_packages" ] || part "$name" packages try_packages
done
exit $failed
