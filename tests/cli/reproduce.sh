# zoprox reproduce and report: a small experiment on made-up data, twice, after a kill; the page; bad input.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/cli.inc"
cd "$work" || exit 1

"$ZOPROX" reproduce bias --quick --out probe >/dev/null 2>err ||
    { grep -q 'no SQLite' err && { echo "skipped: this build has no SQLite"; exit 77; }; }

# What is interrupted leaves no half of a table, and a file is no folder.
timeout -s INT 1 "$ZOPROX" reproduce lyapunov --out probe >/dev/null 2>&1 && wrong "lyapunov in a second"
[ ! -e probe/lyapunov.md ] || wrong "a table that was interrupted: $(wc -c <probe/lyapunov.md) bytes"
says 2 "--out: 'err' is a file" reproduce bias --out err

# A row of docs/reproduction.md, where a9a is at hand
if "$ZOPROX" reproduce a9a --methods pgd --pairs 1024x50 --quiet --out paper >out 2>err; then
    row=$(grep '^| pgd ' out)
    grep -qF -- "$row" "$SOURCE/docs/reproduction.md" || wrong "docs/reproduction.md has another row than: $row"
else
    grep -q 'a9a is skipped: it is not here' err || wrong "a9a: $(cat err)"
fi

# A stand-in for a9a: 300 rows of 12 features.
mkdir sets
export ZOPROX_DATA=$work/sets XDG_DATA_HOME=$work/none
python3 - <<'P'
import random
random.seed(3)
truth = [random.gauss(0, 1) for _ in range(12)]
with open('sets/a9a', 'w') as out:
    for i in range(300):
        z = {j: random.gauss(0, 1) for j in range(12) if random.random() < .6}
        y = 1 if sum(truth[j] * v for j, v in z.items()) + random.gauss(0, .5) > 0 else -1
        print('%+d' % y, *('%d:%.4f' % (j + 1, z[j]) for j in sorted(z)), file=out)
P
line=(reproduce a9a --pairs 32x4 --budget 4 --report-seeds 3 --jobs 2 --quiet)
again() { "$ZOPROX" "${line[@]}" "$@"; }
again --out whole --json >whole.json 2>err || wrong "reproduce: $(cat err)"
for file in zoprox.runs summary.md report.html figure.dat figure.gp; do
    [ -s "whole/$file" ] || wrong "reproduce leaves no $file"
done
if command -v gnuplot >/dev/null; then
    for kind in svg png pdf; do [ -s "whole/figure.$kind" ] || wrong "no figure.$kind"; done
fi
grep -q '"ZPDVR is best"' whole/summary.md || wrong "the claim is not answered"
grep -qE '^zpvr and zpdvr by the rank test: p = [0-9.e-]+ at 4 units\.$' whole/summary.md || wrong "zpvr is not put beside zpdvr"

# Killed on the way, again and again, then to the end: the same choices and the same figures; another call runs nothing.
trials() { python3 -c 'import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute("SELECT count(*) FROM trials").fetchone()[0])' "$1" 2>/dev/null || echo 0; }
for after in 1 10 33 70; do
    "$ZOPROX" "${line[@]}" --out cut >/dev/null 2>&1 &
    pid=$!
    until [ "$(trials cut/zoprox.runs)" -ge $after ] || ! kill -0 $pid 2>/dev/null; do sleep 0.01; done
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
    [ "$(trials cut/zoprox.runs)" -ge $after ] || wrong "killed with $after trials, and they are gone"
done
again --out cut --json >cut.json || wrong "reproduce after kills"
same whole.json cut.json "after kills"
same whole/figure.dat cut/figure.dat "after kills"
cp cut/zoprox.runs before.runs
again --out cut --json >cut.json || wrong "a third call"
same whole.json cut.json "a third call"
python3 - <<'P' || wrong "a third call ran trials again"
import sqlite3
rows = [sqlite3.connect(f).execute('SELECT id, key, seconds FROM trials').fetchall() for f in ('before.runs', 'cut/zoprox.runs')]
assert rows[0] == rows[1] and len(rows[0]) > 80
P

# Any method that there is can be shown beside the paper's.
every=$("$ZOPROX" methods --json | python3 -c 'import json, sys; print(",".join(m["name"] for m in json.load(sys.stdin)))')
again --methods sinq,mean --out cut --json >any.json || wrong "--methods sinq,mean"
grep -q '"sinq"' any.json && grep -q '"mean"' any.json || wrong "sinq or mean is not shown"
again --methods "$every" --budget 1 --out every >/dev/null 2>err || wrong "all methods that there are, $every: $(cat err)"

# The map: every (batch, directions) once, who is ahead, an interval, a picture; again from the store alone.
map=(reproduce map a9a --rows 40 --budget 2 --seeds 2 --report-seeds 5 --jobs 2 --quiet --out map)
"$ZOPROX" "${map[@]}" >map.out 2>err || wrong "map: $(cat err)"
python3 - <<'P' || wrong "the map: $(cat map.out)"
import re
text = open('map.out').read()
rows = re.findall(r'^\| batch (\d+) \|(.*)\|$', text, re.M)
assert [int(b) for b, _ in rows] == [1, 4, 16, 38], rows  # of 38 rows: 128 and 1024 are all of them
for _, cells in rows:
    cells = cells.split('|')
    assert len(cells) == 4, cells  # directions 1, 6, 10, 12
    assert all(re.fullmatch(r' (pgd|zpsvrg|sega|zpdvr)( \(tie\))?( [0-9.e+-]+ \([0-9.e+-]+\.\.[0-9.einf+-]+\)|, zpdvr diverges) ', c) for c in cells), cells
assert open('map/map-a9a-every-8th-row-to-2-units.svg').read().count('<rect') == 1 + 16

# The rule's numbers of the curvature, from the rows themselves
rows = [{int(k): float(v) for k, v in (e.split(':') for e in line.split()[1:])} for line in list(open('sets/a9a'))[::8]]
trace = sum(v * v for z in rows for v in z.values()) / 4 / len(rows)
v = {k: 1. for k in range(1, 13)}
for _ in range(200):
    w = {k: sum(z.get(k, 0) * sum(x * v[j] for j, x in z.items()) for z in rows) / 4 / len(rows) for k in v}
    top = sum(x * x for x in w.values()) ** .5
    v = {k: x / top for k, x in w.items()}
told = re.search(r'The rule \(trace (\S+), top (\S+), each (\S+) at', text)
assert abs(float(told[1]) / trace - 1) < .01 and abs(float(told[2]) / top - 1) < .02, (told[0], trace, top)
P
cp map/zoprox.runs before.runs
"$ZOPROX" "${map[@]}" >map.again || wrong "a second map"
same map.out map.again "a second map"
[ "$(trials before.runs)" = "$(trials map/zoprox.runs)" ] || wrong "a second map ran trials again"
says 2 "reproduce map: it has methods of its own" reproduce map --methods pgd
"$ZOPROX" reproduce map a9a --pairs 4x2,16x6 --rows 40 --budget 2 --seeds 1 --report-seeds 3 --quiet --out some >some.out || wrong "a map of some cells"
grep -q '^| batch 4 | [a-z].* | - |$' some.out || wrong "a map of two cells: $(cat some.out)"

# Maps of one set with other rows, budgets or grids lie side by side, and the page has them all.
for more in "--rows 20 --budget 2" "--rows 40 --budget 3" "--rows 40 --budget 2 --beyond"; do
    "$ZOPROX" reproduce map a9a --pairs 4x2 --seeds 1 --report-seeds 3 --quiet --out some $more >>some.out 2>err || wrong "map $more: $(cat err)"
done
ls some | grep '^map' | tr '\n' ' ' >list
[ "$(cat list)" = "$(for m in every-15th-row-to-2-units every-8th-row-beyond-the-grids-to-2-units every-8th-row-to-2-units every-8th-row-to-3-units; do printf 'map-a9a-%s.md map-a9a-%s.svg ' $m $m; done)" ] || wrong "files of four maps: $(cat list)"
[ "$(grep -c '^### The map of a9a, every' some.out)" = 4 ] || wrong "titles of four maps: $(grep '^###' some.out)"
[ "$(grep -o '"map of a9a, every[^"]*' some/report.html | sort -u | wc -l)" = 4 ] || wrong "four maps in one page: $(grep -o '"map of a9a[^"]*' some/report.html)"

# Every third of twelve columns, of every eighth row: the rule's trace is that of what is left.
"$ZOPROX" reproduce map a9a --rows 40 --columns 4 --pairs 4x2 --budget 2 --seeds 1 --report-seeds 3 --quiet --out thin >thin.out 2>err || wrong "a map of some columns: $(cat err)"
python3 - <<'P' || wrong "a map of some columns: $(cat thin.out)"
import re
text = open('thin.out').read()
rows = [{int(k): float(v) for k, v in (e.split(':') for e in line.split()[1:])} for line in list(open('sets/a9a'))[::8]]
trace = sum(v * v for z in rows for k, v in z.items() if k % 3 == 1) / 4 / len(rows)
assert '### The map of a9a, every 8th row and 3rd column' in text
assert abs(float(re.search(r'The rule \(trace (\S+),', text)[1]) / trace - 1) < .01, trace
P

# From 81 units on a map has a fourth rung; who falls out early has had fewer seeds, and the last has at least two settings.
"$ZOPROX" reproduce map a9a --pairs 16x6 --rows 40 --budget 81 --report-seeds 3 --quiet --out long >/dev/null 2>err || wrong "a long map: $(cat err)"
python3 - <<'P' || wrong "the rungs of a long map"
import sqlite3
base = sqlite3.connect('long/zoprox.runs')
tried = dict(base.execute("SELECT method, tried FROM choices"))
assert tried == {'pgd': 8 * 5, 'zpsvrg': 42 * 2 + 14 * 3 + 5 * 4 + 2 * 5, 'sega': 9 * 2 + 3 * 3 + 2 * 4 + 2 * 5, 'zpdvr': 25 * 2 + 9 * 3 + 3 * 4 + 2 * 5}, tried
assert sorted(base.execute("SELECT DISTINCT budget FROM trials WHERE method = 'sega'")) == [(3,), (9,), (27,), (81,)]
P

# With --beyond a grid goes on where its first or last step is best: zpdvr's 0.1 is too large for one direction, pgd's 10 too
# small for rows of a tenth the length.
awk '{ for (k = 2; k <= NF; k++) { split($k, e, ":"); $k = e[1] ":" e[2] / 10 } print }' sets/a9a >sets/phishing
for beyond in '' --beyond; do
    "$ZOPROX" reproduce a9a --pairs 32x1 --budget 4 --methods zpdvr --halving $beyond --report-seeds 3 --quiet --out beyond >beyond.out 2>err || wrong "one direction $beyond: $(cat err)"
    "$ZOPROX" reproduce phishing --pairs 32x1 --budget 4 --methods pgd $beyond --report-seeds 3 --quiet --out beyond >beyond.out 2>err || wrong "short rows $beyond: $(cat err)"
done
rm sets/phishing
grep -q '^Where the first or the last step of a grid was best' beyond.out || wrong "--beyond is not mentioned"
python3 - <<'P' || wrong "--beyond: $(cat beyond.out)"
import sqlite3, json
steps = {(m, 'beyond' in g): float(json.loads(s)['step']) for m, g, s in sqlite3.connect('beyond/zoprox.runs').execute("SELECT method, grid, settings FROM choices")}
assert steps['zpdvr', True] < .1 <= steps.get(('zpdvr', False), .1), steps
assert steps['pgd', True] > 10 == steps['pgd', False], steps
P

# Its heat map in the page: a shaded cell for each that was run
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) &&
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --no-first-run --user-data-dir="$work/profile" --dump-dom "file://$work/map/report.html" >dom 2>/dev/null &&
    { [ "$(grep -o '<td title="5 report seeds" style="background: rgb' dom | wc -l)" -ge 12 ] || wrong "heat map: $(grep -c 'class="heat"' dom) tables"; }

# The readings of Algorithm 1 on data: each its own row, and what a step of it costs
"$ZOPROX" reproduce readings a9a --pairs 16x4 --budget 4 --halving --report-seeds 3 --quiet --out map >readings.out 2>err || wrong "readings: $(cat err)"
python3 - <<'P' || wrong "readings on data: $(cat readings.out)"
import re
rows = {m[0]: [float(c) for c in m[1].split('|')[:3]] for m in re.findall(r'^\| zpdvr, (\w+) \|(.*)\|$', open('readings.out').read().split('### Readings together')[0], re.M)}
assert set(rows) == {'written', 'redrawn', 'literal', 'new', 'memory'}, rows
assert rows['redrawn'][1] > 300 * 5 > rows['written'][1] > rows['new'][1], rows  # n(q+1) a step more; a refresh by n q less
P

# An archive: the same bytes again, on the spot; what was changed in it is found, with its checksums or without.
"$ZOPROX" "${map[@]}" --archive all.tar.zst >out 2>err || wrong "--archive: $(cat err)"
[ -z "$browser" ] || [ "$(head -c 5 map/report.pdf)" = "%PDF-" ] || wrong "--archive: no report.pdf"
prints "2 commands again: 2 of 2 tables the same. 30 of a sample of 30 trials run again: 30 the same" reproduce --check all.tar.zst --random 30
mkdir changed
tar --zstd -C changed -xf all.tar.zst
python3 -c 'import sqlite3; b = sqlite3.connect("changed/zoprox.runs"); b.execute("UPDATE rows SET objective = objective * (1 + 1e-15)"); b.commit()'
tar --zstd -C changed -cf bad.tar.zst $(ls changed)
says 2 "'zoprox.runs' is not the file that was packed" reproduce --check bad.tar.zst
(cd changed && rm checksums.sha256 && sha256sum -- * >../sums && mv ../sums checksums.sha256)
tar --zstd -C changed -cf bad.tar.zst $(ls changed)
"$ZOPROX" reproduce --check bad.tar.zst --random 4 >out 2>err && wrong "a store with other numbers passes"
[ "$(grep -c 'other numbers than there' err)" = 4 ] && grep -q ' 0 the same' out || wrong "--check of changed numbers: $(cat out err)"
ZOPROX_DATA=$work/none says 1 "a9a is skipped: it is not here" reproduce --check all.tar.zst
says 2 "--check: the archive has its words" reproduce a9a --check bad.tar.zst
head -c 2000 all.tar.zst >cut.tar.zst
says 2 "check: 'cut.tar.zst'" reproduce --check cut.tar.zst

# Two (batch, directions) are two choices; halving tries less, says so, and takes what it knows from the store.
again --pairs 32x4,16x2 --out whole --json >pairs.json || wrong "two pairs"
again --halving --methods pgd,sega,zpdvr --out whole >halved || wrong "halving"
grep -q 'chosen by successive halving' halved || wrong "halving is not mentioned"
grep -q '"ZPDVR is best" cannot be judged' halved || wrong "the claim is judged with three of four methods"
python3 - <<'P' || wrong "choices: $(cat halved)"
import sqlite3
base = sqlite3.connect('whole/zoprox.runs')
grids = [g for g, in base.execute("SELECT grid FROM choices WHERE method = 'zpdvr'")]
assert len(grids) == 3, grids
assert sum('batch 32, directions 4' in g for g in grids) == 2 and sum('batch 16, directions 2' in g for g in grids) == 1, grids
assert sum('by halving' in g for g in grids) == 1, grids
tried = dict(base.execute("SELECT method, tried FROM choices WHERE grid LIKE '%by halving'"))
assert tried == {'sega': 9 + 3 + 1, 'zpdvr': 25 + 9 + 3}, tried
P

# The theory: one small table of docs/reproduction.md
"$ZOPROX" reproduce stability --quick --quiet --out theory >out 2>err || wrong "theory: $(cat err)"
python3 - <<'P' || wrong "the boundary of stability is not where it was: $(cat out)"
import re
text = open('out').read()
cells = {m[0]: [float(c) for c in m[1].split('|') if c.strip() not in ('', '-')] for m in re.findall(r'^\| (d \d+, q \d+) \|(.*)\|$', text, re.M)}
assert 24 <= cells['d 10, q 1'][0] <= 30, cells
for row in ('d 10, q 1', 'd 30, q 1', 'd 100, q 1', 'd 100, q 10'):
    assert all(abs(b / .66 - 1) < .15 for b in cells[row][-2:]), (row, cells[row])
P

grep '^| d [0-9]*, q 1 ' out >rows
[ "$(wc -l <rows)" = 7 ] || wrong "theory: not seven rows with one direction"
while read -r row; do
    grep -qF -- "$row" "$SOURCE/docs/reproduction.md" || wrong "docs/reproduction.md has other numbers than: $row"
done <rows

# The recursion behind it, against the algorithm itself
"$ZOPROX" reproduce recursion --quick --quiet --out theory >out 2>err || wrong "recursion: $(cat err)"
python3 - <<'P' || wrong "the recursion and the algorithm differ: $(cat out)"
import re
rows = [[float(c) for c in r.split('|')] for r in re.findall(r'^\| eta L d/p = [0-9.]+ \|(.*)\|$', open('out').read(), re.M)]
assert len(rows) == 4
for seeds, exact, mean, error in rows:
    assert abs(mean - exact) < 4 * error and error < .1 * exact, rows
P

# zpvr at the parameters of its theorem: never slower than promised, for any n; and its recursion against paths
"$ZOPROX" reproduce attained --quick --quiet --out theory >out 2>err || wrong "attained: $(cat err)"
python3 - <<'P' || wrong "zpvr does not attain its theorem: $(cat out)"
import re
text = open('out').read()
rows = [[float(c) for c in r.split('|')[:2]] for r in re.findall(r'^\| n \d+, d \d+ \|(.*)\|$', text, re.M)]
assert len(rows) == 16 and all(0 < promised <= exact for promised, exact in rows), rows
exact, mean, error = (float(re.search(r'^\| %s\b.*\| ([0-9.e-]+) \|$' % name, text, re.M)[1]) for name in ('recursion', 'paths', 'standard error'))
assert abs(mean - exact) < 4 * error and error < .1 * exact, (exact, mean, error)
P

# The page
prints page.html report whole/zoprox.runs -o page.html
same page.html whole/report.html "report and reproduce"
[ "$(wc -c <page.html)" -lt 3000000 ] || wrong "the page is too large"
grep -qE '(src|href)="?http|url\(http' page.html && wrong "the page asks the network"

while IFS='|' read -r code text line; do
    eval "set -- $line"
    says "$code" "$text" "$@"
done <<'TABLE'
2|reproduce: 'a9b' is unknown; there are a9a, w8a|reproduce a9b
2|--methods: 'nosuch' is unknown|reproduce a9a --methods pgd,nosuch
2|--pairs: '10' is not BATCHxDIRECTIONS|reproduce a9a --pairs 10
2|--pairs: '10x0' is not BATCHxDIRECTIONS|reproduce a9a --pairs 10x0
2|--quick and --full exclude each other|reproduce --quick --full
1|w8a is skipped: it is not here; 'zoprox data fetch w8a' gets it|reproduce w8a --out none
2|report takes a run store|report
2|store: 'nothing': No such file|report nothing
2|is neither a trace|report page.html
1|out|report whole/zoprox.runs -o missing/page.html
2|-o needs a value|report whole/zoprox.runs -o
TABLE
verdict
