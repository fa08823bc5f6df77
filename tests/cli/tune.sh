# zoprox tune: the store, resuming after a kill, grids good and bad.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/cli.inc"
cd "$work" || exit 1

"$ZOPROX" tune $small --grid step=1 --budget 1 --store probe.runs >/dev/null 2>err ||
    { grep -q 'no SQLite' err && { echo "skipped: this build has no SQLite"; exit 77; }; }

ask() { python3 -c 'import sqlite3,sys; print(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchall())' "$@"; }
tune() { "$ZOPROX" tune "$@" --json 2>"$work/err"; }

# The whole in one go, and killed a few times on the way: the same answer, and no finished trial is run again.
line=(synth:n=2000,d=20,seed=3 --l1 1e-3 --l2 1e-3 --method zpdvr --batch 20
    --grid 'step=0.01..100^9;refresh=0.01..0.05*5' --budget 30 --jobs 2 --seeds 2)
tune "${line[@]}" --store whole.runs >whole.json || wrong "tune: $(cat err)"
for after in 3 20 50; do
    "$ZOPROX" tune "${line[@]}" --store cut.runs --quiet >/dev/null 2>&1 &
    pid=$!
    until [ "$(ask cut.runs 'SELECT count(*) FROM trials' 2>/dev/null | tr -dc 0-9)0" -ge "${after}0" ] ||
        ! kill -0 $pid 2>/dev/null; do sleep 0.01; done
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
done
ask cut.runs 'SELECT id, key, seconds FROM trials ORDER BY id' >before
tune "${line[@]}" --store cut.runs >cut.json || wrong "tune after kill: $(cat err)"
same whole.json cut.json "after kills"
python3 - <<'P' || wrong "finished trials were run again"
import ast, sqlite3
before = ast.literal_eval(open('before').read())
now = set(sqlite3.connect('cut.runs').execute('SELECT id, key, seconds FROM trials'))
assert before and all(tuple(row) in now for row in before)
P
count=$(ask cut.runs 'SELECT count(*) FROM trials')
tune "${line[@]}" --store cut.runs >again.json
same cut.json again.json "a second call"
[ "$count" = "$(ask cut.runs 'SELECT count(*) FROM trials')" ] || wrong "a second call repeats trials"
[ "$(ask cut.runs 'SELECT count(*) FROM trials WHERE status = "diverged"' | tr -dc 0-9)" -gt 5 ] ||
    wrong "no trial is recorded as diverged"
[ "$(ask cut.runs 'SELECT role, min(seed), max(seed), count(*) FROM trials GROUP BY role ORDER BY role')" = "[('report', 1001, 1003, 3), ('select', 1, 2, 90)]" ] ||
    wrong "selection and report: $(ask cut.runs 'SELECT role, min(seed), max(seed), count(*) FROM trials GROUP BY role ORDER BY role')"

# jobs change nothing; random search and halving repeat themselves
for how in '--random 6' '--halving' '--random 9 --halving --seeds 2'; do
    tune $small --method sega --grid 'step=0.01..10^6;directions=1..6*3' --budget 5 $how --jobs 1 --store a.runs >a.json
    tune $small --method sega --grid 'step=0.01..10^6;directions=1..6*3' --budget 5 $how --jobs 2 --store b.runs >b.json
    [ -s a.json ] || wrong "$how: nothing"
    same a.json b.json "jobs with $how"
    rm -f a.runs* b.runs*
done
# A grid over methods: each is reported, the best one first.
tune $small --grid 'method=pgd,saga,inq;step=auto' --budget 4 --store m.runs >m.json || wrong "methods: $(cat err)"
python3 - <<'P' || wrong "not every method of the grid is reported"
import json
all = json.load(open('m.json'))
methods = all['methods']
assert sorted(m['method'] for m in methods) == ['inq', 'pgd', 'saga'], methods
assert all['reported'] == methods[0]['reported'] and all['best'] == methods[0]['best']
assert [m['score'] for m in methods] == sorted(m['score'] for m in methods)
assert [m['method'] for m in methods if len(m['report']) != 3] == []
P
"$ZOPROX" tune $small --grid 'method=pgd,inq' --budget 4 --store m.runs 2>/dev/null | grep -qE '^ +[0-9.e+-]+ with method pgd' || wrong "the table has the winner only"
prints 'best            step ' tune $small --grid step=0.1,1 --method pgd --budget 3 --store c.runs
cp c.runs kept.runs
says 2 "--out and a run are the same file" report c.runs -o ./c.runs
same c.runs kept.runs "a page over its own store"
prints 'page.html' report c.runs -o page.html
cp page.html kept.html
(ulimit -f 4; "$ZOPROX" report c.runs -o page.html >out 2>err) && wrong "a page for which there is no room"
same page.html kept.html "a page that could not be written"
prints 'every trial diverged' tune $small --grid step=1e6,1e7 --method sega --directions 2 --budget 3 --store c.runs

# A store that is being written, one of another version, and files that are none
flock c.runs.lock "$ZOPROX" tune $small --grid step=1 --budget 1 --store c.runs >out 2>err && wrong "a locked store was written"
grep -q "is being written by another run" err || wrong "locked: $(cat err)"
python3 -c 'import sqlite3; sqlite3.connect("c.runs").execute("PRAGMA user_version = 99")'
says 2 "has version 99, and this build knows" tune $small --grid step=1 --budget 1 --store c.runs
python3 -c 'import sqlite3; c = sqlite3.connect("other.db"); c.execute("CREATE TABLE x(y)")'
says 2 "is not a run store of zoprox" tune $small --grid step=1 --budget 1 --store other.db
echo "no store at all, but a text that is long enough to look at" >text
says 2 "is not a run store of zoprox" tune $small --grid step=1 --budget 1 --store text
says 1 "missing" tune $small --grid step=1 --budget 1 --store missing/x.runs
[ "$(ask whole.runs 'PRAGMA integrity_check')" = "[('ok',)]" ] || wrong "the store is damaged"

# A disk that fills up: one sentence, nothing lost, and the same line goes on when there is room.
line=($small --l1 1e-3 --method sega --grid 'step=0.01..1^40' --budget 20)
(ulimit -f 60; "$ZOPROX" tune "${line[@]}" --store full.runs >out 2>err) && wrong "a full disk went unnoticed"
[ "$(wc -l <err)" = 1 ] && grep -q 'what was finished before is kept' err || wrong "full disk: $(cat err)"
tune "${line[@]}" --store full.runs >full.json || wrong "after the full disk: $(cat err)"
tune "${line[@]}" --store room.runs >room.json
same full.json room.json "a disk that was full"

says 2 "method: 'zpdvrr' is unknown; did you mean 'zpdvr'?" tune $small --method zpdvrr --grid step=1 --budget 1
says 2 "--grid: method: 'sagga' is unknown; did you mean 'saga'?" tune $small --grid method=saga,sagga --budget 1

while IFS='|' read -r code text grid; do
    says "$code" "$text" tune $small --store bad.runs --grid "$grid"
done <<'TABLE'
2|unknown setting 'stop'; did you mean 'step'?|stop=1
2|--grid: step has no value|step=
2|--grid: step has an empty value|step=1,,2
2|--grid: 'step' is not NAME=VALUE|step
2|--grid: '' is not NAME=VALUE|step=1;
2|--grid: step: |step=-1
2|--grid: step: |step=x
2|--grid: refresh: |refresh=0.5,1.5
2|--grid: sides: |sides=1,3
2|--grid: step is there twice|step=1;step=2
2|--grid: seeds are given by|seed=1,2
2|--grid: '1..2' is not LOW..HIGH*K|step=1..2
2|LOW < HIGH|step=2..1*3
2|LOW > 0|step=0..1^3
2|K from 2|step=1..2*1
2|method: 'nosuch' is unknown|method=pgd,nosuch
TABLE
says 2 "tune needs --grid" tune $small
says 2 "tune takes one SOURCE" tune --grid step=1
says 2 "batch: 5000 is outside" tune $small --grid step=1 --method zpdvr --batch 5000 --budget 1 --store bad.runs
says 2 "--jobs: '0'" tune $small --grid step=1 --jobs 0
verdict
