#!/usr/bin/env bash
# docs/own-method.md, followed: its files are written, its lines are run, and what it shows is what is printed.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/cli.inc"
page=$SOURCE/docs/own-method.md
grep -q '^ZO_SANITIZE:BOOL=ON' "$BUILD/CMakeCache.txt" && { echo "skipped: Python cannot load a sanitized library"; exit 77; }
/usr/bin/python3 -c 'import numpy, cffi' 2>/dev/null || { echo "skipped: no numpy or cffi (Debian: python3-numpy, python3-cffi)"; exit 77; }
"$ZOPROX" tune $small --grid step=1 --budget 1 --store "$work/probe.runs" >/dev/null 2>"$work/err" ||
    { grep -q 'no SQLite' "$work/err" && { echo "skipped: this build has no SQLite"; exit 77; }; }
cd "$work" || exit 1
export PATH=$BUILD/bin:$PATH ZOPROX_PYTHON=/usr/bin/python3 PYTHONPATH=$SOURCE/python PYTHONDONTWRITEBYTECODE=1
export ZOPROX_LIBRARY=$BUILD/lib/libzoprox.so
blocks() { awk -v open="\`\`\`$1" '/^```/ {on = on ? 0 : $0 == open ? 1 : 2; next} on == 1' "$page"; }
blocks python | awk '/^# [a-z]+[.]py$/ {file = $2} {print > file}'
blocks c >bb.c
# pkg-config of a build that is not installed
mkdir bin && printf '#!/bin/sh\necho -I%s/include\n' "$SOURCE" >bin/pkg-config && chmod +x bin/pkg-config
PATH=$work/bin:$PATH

/usr/bin/python3 fit.py >out 2>err || wrong "fit.py: $(tail -n 1 err)"
grep -q '^bb \[' out || wrong "fit.py prints: $(cat out)"

count=0
have=$([ -n "${ZOPROX_DATA:-}" ] && zoprox data path a9a 2>/dev/null)
while read -r line; do
    case $line in *' a9a '*) [ -n "$have" ] || { echo "a9a is not here: '$line' is not run"; continue; } ;; esac
    bash -c "$line" >out 2>err </dev/null || wrong "this fails: $line ($(cat err))"
    case $line in
    *' tune '*) cp out tuned ;;
    *cmp*) grep -q 'the same bytes' out || wrong "not the same bytes: $line" ;;
    *--gap*) grep -qE '^method +bb$' out && grep -q '^gap  *0.0005227' out || wrong "bb: $(cat out)" ;;
    *' a9a '*) grep -q '^| bb ' out || wrong "bb is not in the reproduction: $(cat out)" ;;
    esac
    count=$((count + 1))
done < <(blocks sh)
[ "$count" -ge 9 ] || wrong "only $count lines are run"
# The same order, and the same sizes: other methods may be changed, and their last digits with them.
blocks '' | grep -E '^(reported|  )' >shown
python3 - <<'P' || wrong "tune prints other numbers than the page: $(cat tuned)"
import re
shown, tuned = ([(m[1] if m[1] else "first", float(m[0])) for m in re.findall(r"([-+.e0-9]+)(?:, the median.*| with method ([a-z]+))", open(f).read())] for f in ("shown", "tuned"))
assert [name for name, _ in shown] == [name for name, _ in tuned] and len(shown) == 5, (shown, tuned)
for (name, a), (_, b) in zip(shown, tuned):
    assert max(a, b) < 1e-12 or a / 3 < b < 3 * a, (name, a, b)
P
[ "$(blocks '' | grep -cE ' with method ')" = 4 ] || wrong "the page shows no table"
grep -q '"bb"' bb.html || wrong "bb is not on the report's page"

# A trial is kept by what the file says: another step, another trial; the same, none.
trials() { /usr/bin/python3 -c 'import sqlite3; print(sqlite3.connect("bb.runs").execute("SELECT count(*) FROM trials").fetchone()[0])'; }
again() { zoprox tune synth:n=2000,d=30 --l1 1e-3 --load "$1" --grid "${2:-method=bb}" --budget 40 --store bb.runs --report-seeds 1 --quiet >out 2>err || wrong "tune: $(cat err)"; }
before=$(trials)
again bb.py
[ "$(trials)" = "$before" ] || wrong "what is known was run again"
sed 's/0\.1 \//0.05 \//' bb.py >other.py
again other.py
[ "$(trials)" = $((before + 2)) ] || wrong "a changed file was not run again: $(trials) trials, before $before"
again other.py 'method=bb;step=0.1,1'
[ "$(trials)" = $((before + 5)) ] || wrong "settings do not tell trials apart: $(trials) trials, before $before"

# What goes wrong.
says 2 "--load: 'nothing.py': No such file" solve $small --load nothing.py
says 2 "--load: 'bb.py:Other': 'bb.py' has no 'Other'" solve $small --load bb.py:Other
says 2 "two methods have the name 'bb'" solve $small --load bb.py --load method-bb.so
says 2 "method: 'bbb' is unknown" solve $small --load bb.py --method bbb
printf 'int unused;\n' | cc -shared -fPIC -x c - -o empty.so
says 2 "has no function zoprox_method_open" solve $small --load empty.so
sed 's/name = "bb"/name = "saga"/' bb.py >taken.py
says 2 "is that of one that is here already" solve $small --load taken.py
sed 's/return new$/return new[:2]/' bb.py >short.py
zoprox solve $small --load short.py >out 2>err && wrong "half a point is taken"
grep -q 'tell: expected a vector of 6 numbers' err || wrong "half a point: $(cat err)"
sed 's/return new$/raise KeyError("here")/' bb.py >falls.py
zoprox solve $small --load falls.py >out 2>err && wrong "an exception is lost"
grep -q 'Traceback' err && grep -q "^zoprox: .*KeyError: 'here'" err || wrong "an exception: $(cat err)"
zoprox tune $small --load falls.py --grid method=bb,pgd --budget 2 --store f.runs >out 2>err
grep -q "KeyError: 'here'" err || wrong "an exception in tune: $(cat out err)"
sed 's/return new$/import os; os._exit(3)/' bb.py >dies.py
zoprox solve $small --load dies.py >out 2>err && wrong "an end is lost"
grep -q '^zoprox: failure: its Python process has ended' err && [ "$(wc -l <err)" = 1 ] || wrong "an end: $(cat err)"

# On a black box, where F is not looked at on the way, a trial's rows have its end, and so has the page.
cat >slope.py <<'P'
import zoprox
class Slope:
    def begin(self, task): self.task = task
    def ask(self, x): return zoprox.Question(axes=True, radius=1e-6)
    def tell(self, x, question): return self.task.prox(x - 0.3 * question.slopes, 0.3)
P
printf 'def f(x, i):\n    return (x[i %% 2] - i) ** 2\n' >box.py
zoprox tune --python box.py:f --n 6 --dim 2 --load slope.py --grid method=Slope --budget 9 --store slope.runs --report-seeds 1 --quiet >out 2>err || wrong "tune of a black box: $(cat err)"
/usr/bin/python3 - <<'P' || wrong "a trial whose rows do not have its end"
import sqlite3
lost = sqlite3.connect("slope.runs").execute("SELECT count(*) FROM trials t WHERE NOT EXISTS (SELECT 1 FROM rows r WHERE r.trial = t.id AND r.objective = t.objective)")
assert lost.fetchone()[0] == 0
P
verdict
