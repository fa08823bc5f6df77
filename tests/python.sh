#!/usr/bin/env bash
# The Python package, straight from the checkout: bytes as in C, exceptions, proxes, doctests, installing.
# SPDX-License-Identifier: MIT
set -euo pipefail

python=/usr/bin/python3
for module in numpy cffi pytest scipy; do
    "$python" -W ignore -c "import $module" 2>/dev/null || { echo "skipped: $python has no $module (Debian: python3-$module)"; exit 77; }
done
# A library with sanitizers can only be loaded by a program that has them, too.
preload=
if nm -D "$BUILD/lib/libzoprox.so" | grep __asan_init >/dev/null; then # not -q: it would end nm by SIGPIPE
    preload="$(cc -print-file-name=libasan.so) $(cc -print-file-name=libubsan.so)"
    export ASAN_OPTIONS=detect_leaks=0 # Python keeps what it has until the end
fi

export PYTHONPATH=$SOURCE/python PYTHONDONTWRITEBYTECODE=1 ZOPROX_LIBRARY=$BUILD/lib/libzoprox.so OPENBLAS_NUM_THREADS=1
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
env LD_PRELOAD="$preload" "$python" -m pytest -q -p no:cacheprovider --doctest-modules --doctest-ignore-import-errors \
    --ignore "$SOURCE/python/tests/others" "$SOURCE/python/zoprox" "$SOURCE/python/tests" "$@"
