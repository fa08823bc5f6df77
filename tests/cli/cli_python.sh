# --python FILE.py:NAME: a Python function as black box: solved, tuned, checked, evaluated; what it prints, raises and dies of.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/cli.inc"
cd "$work" || exit 1
grep -q '^ZO_SANITIZE:BOOL=ON' "$BUILD/CMakeCache.txt" && { echo "skipped: Python cannot load a sanitized library"; exit 77; }
/usr/bin/python3 -c 'import numpy, cffi' 2>/dev/null || { echo "skipped: no numpy or cffi (Debian: python3-numpy, python3-cffi)"; exit 77; }
export ZOPROX_PYTHON=/usr/bin/python3 PYTHONPATH=$SOURCE/python PYTHONDONTWRITEBYTECODE=1 ZOPROX_LIBRARY=$BUILD/lib/libzoprox.so
cat >model.py <<'P'
import os
import helper
print("this is no answer")

def misfit(x, i):
    print("nor is this")
    return (x[i % 3] - helper.TARGET[i % 3]) ** 2

def alone(x):
    if x[0] > 0.8:
        raise ValueError("too far")
    return ((x - 0.5) ** 2).sum()

def dies(x):
    if x[0] > 0.8:
        os._exit(9)
    return ((x - 0.5) ** 2).sum()

def wrong(x):
    return nothing

def never(x):
    return 1 / 0

def text(x):
    return "s"
P
echo 'TARGET = [1, 2, 3]' >helper.py
"$ZOPROX" solve --python model.py:misfit --n 6 --dim 3 --units 30 --save x --workers 2 >out 2>err || wrong "misfit: $(tail -n 2 err)"
"$ZOPROX" solve --python model.py:misfit --n 6 --dim 3 --units 30 --save one --workers 1 >/dev/null 2>&1
same x one "workers"
awk '{miss += ($1 - NR)^2} END {exit !(NR == 3 && miss < 1e-8)}' x || wrong "misfit ends at: $(cat x)"
for fun in alone dies; do
    "$ZOPROX" solve --python model.py:$fun --dim 2 --queries 100 --save $fun.x --retries 1 >out 2>err || wrong "$fun: $(tail -n 2 err)"
    awk '{miss += ($1 - .5)^2} END {exit !(NR == 2 && miss < 1e-8)}' $fun.x || wrong "$fun ends at: $(cat $fun.x)"
done
"$ZOPROX" check --python model.py:misfit --n 6 --dim 3 >out 2>err || wrong "check: $(tail -n 2 err)"
grep -q 'it can be solved' out || wrong "check says: $(cat out)"
"$ZOPROX" eval --python model.py:misfit --n 6 --dim 3 --start x >out 2>err || wrong "eval: $(tail -n 2 err)"
"$ZOPROX" solve --python model.py:wrong --dim 2 >out 2>err && wrong "a bug is taken for a value"
grep -q "NameError: name 'nothing'" err || wrong "a bug: $(tail -n 2 err)"
for command in solve check; do
    for case in "never|model.py:23: ZeroDivisionError: division by zero" "text|model.py:text returned 's', not a number"; do
        "$ZOPROX" $command --python model.py:${case%%|*} --dim 2 >out 2>err && wrong "$command: ${case%%|*} has a value"
        [ "$(grep -c "it said: ${case#*|}\$" err)" = 1 ] || wrong "$command does not say '${case#*|}': $(tail -n 2 err)"
    done
done
"$ZOPROX" solve --python model.py:never --dim 2 --history h.csv >out 2>err
grep -q 'it said: model.py:23: ZeroDivisionError' h.csv || wrong "history: $(head -n 3 h.csv)"
"$ZOPROX" solve --python model.py:none --dim 2 >out 2>err && wrong "a name that is not there"
grep -q "it said: this is no answer 'model.py' has no 'none'" err || wrong "a name that is not there: $(tail -n 2 err)"
"$ZOPROX" solve --python model.py:misfitt --dim 2 >out 2>err && wrong "a name that is not there"
grep -q "it said: this is no answer 'model.py' has no 'misfitt'; did you mean 'misfit'?$" err || wrong "a name that is nearly there: $(tail -n 2 err)"
for command in 'solve --python model.py:alone --dim 2' "solve $small --load model.py --units 2"; do
    PYTHONPATH='' "$ZOPROX" $command >out 2>err && wrong "$command: without the package"
    grep -q "has no package zoprox; activate the environment that has zoprox, or set ZOPROX_PYTHON to its python3" err || wrong "$command, without the package: $(cat err)"
done
says 2 '--python: --dim D is needed too' solve --python model.py:alone
says 2 '--command and --python are two black boxes' solve --python model.py:alone --dim 2 --command x
if "$ZOPROX" tune --python model.py:misfit --n 6 --dim 3 --grid 'method=saga,pgd;step=0.1,0.4' --budget 5 --report-seeds 1 --store t.runs >out 2>err; then
    grep -q '^best  *method' out && grep -q ' with method' out || wrong "tune: $(cat out)"
    cat >many.py <<'P'
def misfit(x, i):
    return (sum(x[j] * (i / 50) ** j for j in range(8)) - 2 ** (i / 50)) ** 2
P
    "$ZOPROX" tune --python many.py:misfit --n 50 --dim 8 --grid method=auto,fista --budget 3 --report-seeds 1 --store m.runs >out 2>err || wrong "tune: $(tail -n 2 err)"
    grep -qE '^ +(diverged|inf) ' out && wrong "F that is not known in the first row is taken for divergence: $(cat out)"
    "$ZOPROX" report t.runs -o t.html >/dev/null 2>err && grep -q 'model.py:misfit' t.html || wrong "report: $(cat err)"
else
    grep -q 'no SQLite' err || wrong "tune: $(tail -n 2 err)"
fi
verdict
