# How fast fans are answered, beside scipy and NumPy (bench/fans.py says what the columns mean and what is wanted).
# SPDX-License-Identifier: MIT
set -euo pipefail
python=/usr/bin/python3
"$python" -c 'import scipy' 2>/dev/null || { echo "fans: scipy is not here (python3-scipy)"; exit 0; }
[ -n "${ZOPROX_DATA:-}" ] || { echo "fans: ZOPROX_DATA does not say where a9a, w8a, covtype and gisette_scale.t are"; exit 0; }
"$python" "$SOURCE/bench/fans.py" --build "$BUILD" --rounds "${ROUNDS:-7}"
