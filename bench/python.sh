#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What the Python package costs, beside the user's own NumPy code.
set -euo pipefail
export ZOPROX_LIBRARY=$BUILD/lib/libzoprox.so OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
exec /usr/bin/python3 -W ignore "$SOURCE/bench/python.py"
