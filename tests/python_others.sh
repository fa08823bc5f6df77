#!/usr/bin/env bash
# The Python package beside others: scikit-learn, Optuna, joblib, Dask, mpi4py, a notebook. What is not installed is skipped with a
# line. ZO_LONG=1: those too that start clusters, kernels and browsers.
# SPDX-License-Identifier: MIT
set -euo pipefail
python=/usr/bin/python3
for module in numpy cffi pytest; do
    "$python" -W ignore -c "import $module" 2>/dev/null || { echo "skipped: $python has no $module (Debian: python3-$module)"; exit 77; }
done
if nm -D "$BUILD/lib/libzoprox.so" | grep __asan_init >/dev/null; then
    echo "skipped: a library with sanitizers"
    exit 77
fi
export PYTHONPATH=$SOURCE/python PYTHONDONTWRITEBYTECODE=1 ZOPROX_LIBRARY=$BUILD/lib/libzoprox.so OPENBLAS_NUM_THREADS=1 SOURCE
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
"$python" -W ignore -m pytest -q -rs -p no:cacheprovider "$SOURCE/python/tests/others" "$@" || { status=$?; [ $status = 5 ] && exit 77; exit $status; }
