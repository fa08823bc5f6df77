#!/usr/bin/env bash
# The Python tests with NumPy 2: by a Python that has it (NUMPY2=/path/to/python3), or with ZO_LONG=1 and as root in a root file
# system of Debian 13, which has 2.2, made by debootstrap.
# SPDX-License-Identifier: MIT
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf --one-file-system "$dir"' EXIT
modern() { "$1" -W ignore -c 'import cffi, pytest, scipy, numpy; raise SystemExit(int(numpy.__version__.split(".")[0]) < 2)' 2>/dev/null; }
tests=(-m pytest -q -p no:cacheprovider --ignore tests/others --deselect tests/test_package.py::test_install_offline) # that one compiles
mkdir -p "$dir/checkout/build/release/lib"
cp -r "$SOURCE/python" "$SOURCE/include" "$SOURCE/docs" "$dir/checkout/"
for name in libzoprox.so libzoprox.so.0; do cp -L "$BUILD/lib/libzoprox.so" "$dir/checkout/build/release/lib/$name"; done
export PYTHONDONTWRITEBYTECODE=1 OPENBLAS_NUM_THREADS=1
unset PYTHONPATH ZOPROX_LIBRARY

for python in ${NUMPY2:-} python3 python3.14 python3.13 python3.12; do
    modern "$python" || continue
    cd "$dir/checkout/python"
    PYTHONPATH=$PWD "$python" "${tests[@]}"
    exit
done
[ "${ZO_LONG:-0}" = 1 ] || { echo "skipped: no Python with NumPy 2, SciPy, cffi and pytest; ZO_LONG=1 makes one"; exit 77; }
[ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null || { echo "skipped: needs root and debootstrap (Debian: debootstrap)"; exit 77; }
system=$dir/system
debootstrap --variant=minbase trixie "$system" >"$dir/log" 2>&1 || { echo "skipped: Debian 13 cannot be had: $(tail -n 1 "$dir/log")"; exit 77; }
cp /etc/resolv.conf "$system/etc/" 2>/dev/null || true
mv "$dir/checkout" "$system/checkout"
within() { # a shell's line in it; what is mounted for it goes with it
    unshare --mount bash -c 'mount -t proc proc "$0/proc" && mount --bind /dev "$0/dev" && exec chroot "$0" /bin/sh -ec "$1"' "$system" "$1"
}
within 'apt-get install -y --no-install-recommends gcc libc6-dev libarchive13t64 python3-numpy python3-scipy python3-cffi python3-pytest' >"$dir/log" 2>&1 ||
    { echo "skipped: NumPy 2 cannot be had: $(tail -n 1 "$dir/log")"; exit 77; }
within "cd /checkout/python; export PYTHONPATH=\$PWD PYTHONDONTWRITEBYTECODE=1 OPENBLAS_NUM_THREADS=1
    python3 -c 'import numpy; print(\"NumPy\", numpy.__version__)'; python3 ${tests[*]}"
