#!/usr/bin/env bash
# The Python package, straight from the checkout: bytes as in C, exceptions, proxes, doctests, installing.
# SPDX-License-Identifier: MIT
set -euo pipefail

python=/usr/bin/python3
for module in numpy cffi pytest; do
    "$python" -W ignore -c "import $module" 2>/dev/null || { echo "skipped: $python has no $module (Debian: python3-$module)"; exit 77; }
done
# A library under AddressSanitizer can only be loaded by a program that is, too.
if nm "$BUILD/lib/libzoprox.so" 2>/dev/null | grep -q __asan_init; then
    echo "skipped: the library is built with sanitizers, Python is not"
    exit 77
fi

export PYTHONPATH=$SOURCE/python PYTHONDONTWRITEBYTECODE=1 ZOPROX_LIBRARY=$BUILD/lib/libzoprox.so OPENBLAS_NUM_THREADS=1
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
"$python" -m pytest -q -p no:cacheprovider --doctest-modules "$SOURCE/python/zoprox" "$SOURCE/python/tests" "$@"
