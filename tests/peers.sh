#!/usr/bin/env bash
# bench/peers at its smallest: three competitors on one black box are counted, compared and reported.
# SPDX-License-Identifier: MIT
set -euo pipefail
for module in numpy scipy cffi nlopt; do
    /usr/bin/python3 -W ignore -c "import $module" 2>/dev/null ||
        { echo "skipped: /usr/bin/python3 has no $module (Debian: python3-$module)"; exit 77; }
done
if nm -D "$BUILD/lib/libzoprox.so" | grep __asan_init >/dev/null; then
    echo "skipped: a library with sanitizers cannot be loaded into Python just so"
    exit 77
fi
export ZOPROX_LIBRARY=$BUILD/lib/libzoprox.so PYTHONDONTWRITEBYTECODE=1 JOBS=1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for name in auto BOBYQA L-BFGS-B; do
    /usr/bin/python3 -W ignore "$SOURCE/bench/peers/measure.py" "$dir/runs" logistic d=10 l1 exact "$name" 2>/dev/null
done
/usr/bin/python3 -W ignore - "$SOURCE/bench/peers" "$dir/runs" <<'CHECK'
import json, sys
sys.path.insert(0, sys.argv[1])
import numpy as np
from problems import FAMILIES
runs = {line["name"]: line for line in map(json.loads, open(sys.argv[2]))}
auto, peer, smooth = (runs[name] for name in ("auto", "BOBYQA", "L-BFGS-B"))
assert all(None not in run["reached"][:2] for run in runs.values()), runs
assert all(q % run["n"] == 0 for run in (peer, smooth) for q in run["reached"][:2]), "an evaluation of the sum is n queries"
assert 3 * auto["reached"][1] < min(peer["reached"][1], smooth["reached"][1]), runs
for make in FAMILIES.values():  # values, pairs and slopes of the black boxes agree
    f = make(10)
    x, idx = f.x0 + 0.1 * np.arange(1, 11), np.array([3, 700, 3])
    table = f.value(np.array([x, f.x0]), idx)
    assert np.allclose(table[0], f.pairs(np.array([x] * 3), idx)), make
    steps = [(f.mean(x + 1e-5 * e) - f.mean(x - 1e-5 * e)) / 2e-5 for e in np.eye(10)]
    assert np.allclose(steps, f.slope(x), rtol=1e-5, atol=1e-7), make
    if f.squares:
        assert np.isclose((f.residuals(x) ** 2).sum() / f.n, f.mean(x)), make
CHECK
if /usr/bin/python3 -W ignore -c "import matplotlib" 2>/dev/null; then
    /usr/bin/python3 -W ignore "$SOURCE/bench/peers/report.py" "$dir/runs" "$dir/peers.svg" >"$dir/tables"
    grep -q '^| logistic, 10, l1 | [0-9.]* | - | - | - | [0-9.]* ' "$dir/tables" || { cat "$dir/tables"; exit 1; }
    grep -q '</svg>' "$dir/peers.svg"
fi
