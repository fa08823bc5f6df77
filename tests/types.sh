#!/usr/bin/env bash
# The type hints of the Python package hold together, and a program that uses it wrongly is told so.
# SPDX-License-Identifier: MIT
set -euo pipefail
mypy=/usr/bin/mypy
[ -x "$mypy" ] || { echo "skipped: no $mypy (Debian: mypy)"; exit 77; }
for module in numpy cffi; do
    /usr/bin/python3 -W ignore -c "import $module" 2>/dev/null || { echo "skipped: no python3-$module"; exit 77; }
done
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
printf '[mypy]\n' >mypy.ini
for module in optuna sklearn scipy matplotlib IPython; do # theirs is not looked into
    printf '[mypy-%s.*]\nfollow_imports = skip\nignore_missing_imports = True\n' "$module" >>mypy.ini
done
flags=(--config-file mypy.ini --python-executable /usr/bin/python3 --ignore-missing-imports --cache-dir "$dir/cache")
"$mypy" "${flags[@]}" "$SOURCE/python/zoprox" || { echo "types: the package's own"; exit 1; }

cat >uses.py <<'END'
import zoprox

r = zoprox.minimize(lambda x, i: float(x[0] - i) ** 2, [0.0], n=3, prox=zoprox.l1(1e-2), units=5)
print(r.x, r.fun)
solver = zoprox.Solver(None, d=3, n=4, method="fista")
fan = solver.ask()
if fan is not None:
    solver.tell(fan.answers_from([[0.0]]))
END
export MYPYPATH=$SOURCE/python
"$mypy" "${flags[@]}" uses.py || { echo "types: a program that is right"; exit 1; }
sed -e 's/method="fista"/method=3/' -e 's/^if fan is not None:/if True:/' uses.py >wrong.py
if "$mypy" "${flags[@]}" wrong.py >out; then echo "types: a program that is wrong passes"; exit 1; fi
grep -q 'wrong.py:5: .*expected "Union\[str, ' out && grep -q 'wrong.py:8: .*"answers_from"' out || { cat out; echo "types: not what is wrong"; exit 1; }
