#!/usr/bin/env bash
# What people do to a code that reads one file and writes another: edit its template, quote its name, mistype.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/cli.inc"
cd "$work" || exit 1

# A template and parameters are read once: whatever becomes of the files, and of workers, all runs see the same bytes.
cat >edits.sh <<'SH'
echo run >>"$ZOPROX_FROM/count"
echo '{a} {b} new' >"$ZOPROX_FROM/ed.tpl"
printf '[b]\nlog = true\nstart = 7\n[a]\nfixed = 1\n' >"$ZOPROX_FROM/pp.toml"
cat p.in >>"$ZOPROX_FROM/seen"
case $(wc -l <"$ZOPROX_FROM/count") in 2 | 5) exit 1 ;; esac
read a b rest <p.in
awk -v a=$a -v b=$b 'BEGIN {printf "%.17g\n", (a - 1)^2 + (b - 2)^2}'
env | grep ZOPROX_HELD >>"$ZOPROX_FROM/leaks"
true
SH
echo '{a} {b} old' >ed.tpl
printf '[a]\nstart = 0\n[b]\nstart = 0\n' >pp.toml
"$ZOPROX" solve --template ed.tpl=p.in --run 'sh edits.sh' --read '-:1:1' --parameters pp.toml --queries 20 --workers 2 --quiet --save best.toml >out || wrong "edits"
[ "$(cut -d' ' -f3 seen | sort | uniq -c | tr -s ' ')" = " $(wc -l <count) old" ] || wrong "templates were mixed: $(cut -d' ' -f3 seen | sort | uniq -c)"
grep -qE '^a = (1|0\.99|1\.00)' best.toml || wrong "parameters were mixed: $(cat best.toml)"
[ ! -s leaks ] || wrong "the program sees $(cat leaks)"
echo '{x0} {x1}' | "$ZOPROX" solve --template /dev/stdin=p.in --run 'awk "{print (\$1-1)^2+\$2^2}" p.in' --read '-:1:1' --dim 2 --queries 20 --workers 2 --quiet >out || wrong "a template from a pipe"
rm -rf zoprox-runs

# A mistake in the command line is told after one run, with what stands there instead.
cat >sim.sh <<'SH'
#!/bin/sh
echo run >>"$ZOPROX_FROM/count"
read a b <p.in
awk -v a=$a -v b=$b 'BEGIN {printf "head\nmore\ncost %.17g ok\n", (a - 50)^2 + (b + 3)^2}' >p.out
SH
chmod +x sim.sh
echo '{x0} {x1}' >p.tpl
costs() { # RUNS TEXT ARGS...: zoprox solve with p.tpl fails after so many runs, and says TEXT
    local runs=$1 text=$2
    shift 2
    : >count
    "$ZOPROX" solve --template p.tpl=p.in --dim 2 --workers 2 "$@" >out 2>err </dev/null
    [ $? = 1 ] || wrong "solve $*: not exit code 1"
    grep -qF -- "$text" err || wrong "solve $*: no '$text' in $(cat err)"
    [ "$(wc -l <count)" = "$runs" ] || wrong "solve $*: $(wc -l <count) runs, not $runs"
    [ "$runs" = 0 ] || grep -qE "^bad answers     $runs; $((runs - 1)) (queries|points) asked again$" out || wrong "solve $*: $runs runs, and the report has $(grep bad out)"
    rm -rf zoprox-runs
}
costs 1 "p.out: line 3 has 3 columns, 'cost 2509 ok'" --run ./sim.sh --read p.out:3:9
costs 1 "p.out: line 3 has 3 columns, 'cost 2509 ok'" --run ./sim.sh --read p.out:3:1
costs 1 "p.out: line 3 has 3 columns, 'cost 2509 ok'" --run './sim.sh {case}' --read p.out:-1:4 --n 3
costs 1 "p.out, which has 3 lines" --run ./sim.sh --read p.out:33:1
costs 1 "p.out, which has 3 lines" --run ./sim.sh --read p.out:-4:2
costs 1 "line 3 has 3 columns" --run ./sim.sh --read p.out:-1:-4
costs 1 "nope.out: No such file" --run ./sim.sh --read nope.out:3:2
costs 1 "no number at '/nope/'" --run ./sim.sh --read 'p.out:/nope/'
costs 1 "1 number was read" --run ./sim.sh --read 'p.out:3:*' --n 12 --residuals squares
costs 0 '$ZOPROX_FROM is where zoprox was started' --run ./simm.sh --read p.out:3:2
costs 0 "no such program there" --run 'nosuchprogram p.in' --read p.out:3:2
costs 1 "exited with code 3" --run './sim.sh; exit 3' --read p.out:3:2 --retries 0
costs 4 "exited with code 3" --run './sim.sh; exit 3' --read p.out:3:2
says 2 "No such file" check --files folders --command ./simm.sh --n 1 --dim 2
says 2 "not found" solve --shell --command './simm.sh' --n 1 --dim 2
[ "$(ls folders | wc -l)" = 1 ] || wrong "a program that is not there was asked again: $(ls folders)"

# Words of the line are found here also in quotes, behind = and with a backslash; what a shell makes, and what is written, is left alone.
cp sim.sh 'sim b.sh'
echo 7 >'a $5 thing'
finds() { # LINE: it runs
    "$ZOPROX" solve --template p.tpl=p.in --read p.out:3:2 --dim 2 --queries 1 --workers 1 --quiet --run "$1" >out 2>err || wrong "--run $1: $(cat err)"
}
for line in '"./sim.sh"' "'./sim.sh'" 'sh "sim.sh"' './sim\ b.sh' '"./sim b.sh"' './"sim b".sh' 'true && "./sim.sh"' 'A=1 ./sim.sh' 'B="sim b.sh"; ./sim.sh' \
    './sim.sh; cat '"'a \$5 thing'" 'cat p.in >sim.sh; sh "$ZOPROX_FROM/sim.sh"' '"$ZOPROX_FROM"/sim.sh' 'sh "$ZOPROX_FROM/sim b.sh"' './sim.sh; cat --squeeze-blank "p.in" a\ \$5\ thing'; do
    finds "$line"
done
cmp -s sim.sh 'sim b.sh' || wrong "what a line writes in its folder was written here"

# A decimal comma ends the run, whenever it comes; two columns are two columns.
cat >comma.sh <<'SH'
read a b <p.in
awk -v a=$a -v b=$b 'BEGIN {printf "%.6g\n", (a - 50)^2 + (b + 3)^2}' | tr . ,
SH
for spec in '-:1:1' '-:*:1' '-:-1:-1' '-:/^/' '-:/(.*)/'; do
    costs 0 "is no number: numbers have a decimal point here; run the program under LC_ALL=C" --run 'sh comma.sh' --read "$spec"
done
costs 0 "'-1,53e-12' is no number" --run 'echo cost: -1,53e-12' --read '-:1:2'
costs 0 "'12,5' is no number" --run 'echo "cost=12,5"' --read '-:/cost/'
reads() { # LINE SPEC VALUE: that is what is read
    "$ZOPROX" eval --template p.tpl=p.in --dim 2 --run "echo '$1'" --read "$2" --start zero --json >out 2>err || wrong "reads '$1' $2: $(cat err)"
    grep -q "\"objective\": $3" out || wrong "'$1' $2: not $3 but $(grep '"objective"' out)"
}
printf '0\n0\n' >zero
reads '12, 5' -:1:1 12
reads '12,5,7' -:1:1 12
reads '12,5' -:1:2 5
reads '12.25,5' -:1:1 12.25
reads 'at (12,5)' -:/at/ 12
reads 'x=12,y=5' -:/x/ 12
reads 'name,12,5' -:/name/ 12
reads '12,5' '-:/([0-9]+),/' 12
: >seen
LC_ALL=xx_XX.UTF-8 "$ZOPROX" solve --template p.tpl=p.in --dim 2 --run 'env >>"$ZOPROX_FROM/seen"; cat p.in' --read -:1:1 --queries 1 --quiet >out 2>err
grep -qx LC_NUMERIC=C seen && grep -qx LC_MESSAGES=xx_XX.UTF-8 seen && ! grep -q ^LC_ALL= seen || wrong "a program's locale: $(grep ^LC_ seen)"

# What fails by chance is asked again, the first run too, whatever it leaves; and what fails later is a fact about its point.
cat >chance.sh <<'SH'
echo run >>"$ZOPROX_FROM/count"
case $(wc -l <"$ZOPROX_FROM/count") in 1 | 2) exit 4 ;; 5 | 6) exit 0 ;; esac
read a b <p.in
awk -v a=$a -v b=$b 'BEGIN {printf "head\nmore\ncost %.17g ok\n", (a - 50)^2 + (b + 3)^2}' >p.out
SH
solve=("$ZOPROX" solve --template p.tpl=p.in --read p.out:3:2 --dim 2 --quiet)
"${solve[@]}" --run ./sim.sh --workers 1 --save plain.x >out || wrong "a code that works"
for workers in 1 2 3; do
    : >count
    "${solve[@]}" --run 'sh chance.sh' --workers $workers --save chance.x >out 2>err || wrong "failures by chance, $workers workers: $(cat err)"
    same plain.x chance.x "failures by chance, $workers workers"
    grep -q '^bad answers     4; 4 queries asked again$' out || wrong "4 failures, and the report has $(grep bad out)"
    [ "$(wc -l <count)" = $(($(awk '$1 == "queries" {print $2 + $5}' out) + 4)) ] || wrong "$(wc -l <count) runs: $(cat out)"
done
# Answers that are nan: each is one, and those that are asked again are what runs there are beyond the queries.
cat >nan.sh <<'SH'
echo run >>"$ZOPROX_FROM/count"
read a b <p.in
awk -v a=$a -v b=$b 'BEGIN {f = (a - 2)^2 + (b + 3)^2; print (a > 1 && a < 1.9 ? "nan" : sprintf("%.17g", f))}' | tee -a "$ZOPROX_FROM/said"
SH
for retries in 0 3; do
    : >count
    : >said
    "$ZOPROX" solve --template p.tpl=p.in --dim 2 --run 'sh nan.sh' --read '-:1:1' --retries $retries --workers 2 --quiet --json >out 2>err || wrong "nan: $(cat err)"
    python3 - "$(wc -l <count)" "$(grep -c nan said)" out <<'P' || wrong "nan, $retries retries"
import json, sys
runs, bad, r = int(sys.argv[1]), int(sys.argv[2]), json.load(open(sys.argv[3]))
assert bad and r["failures"] == bad and r["queries"] + r["watched"] + r["extra"] == runs, (runs, bad, r)
P
done
cat >edge.sh <<'SH'
read a b <p.in
awk -v a=$a -v b=$b 'BEGIN {if (a < 1 && b < -1) exit; printf "head\nmore\ncost %.17g ok\n", (a - 2)^2 + (b + 3)^2}' >out
[ ! -s out ] || mv out p.out
SH
"${solve[@]}" --run 'sh edge.sh' --save edge.x --queries 400 --workers 2 >out 2>err || wrong "no file here and there: $(cat err)"
paste edge.x <(printf '2\n-3\n') | awk '($1 - $2)^2 > 1e-6 {exit 1}' || wrong "no file here and there: $(cat edge.x)"
# A run that goes on has had answers before: that its first one leaves no file is an accident, and not a mistake.
printf '[ ! -e "$ZOPROX_FROM/trips" ] || { rm "$ZOPROX_FROM/trips"; exit 0; }\nsh "$ZOPROX_FROM/sim.sh"\n' >trips.sh
for how in without with; do
    rm -f run.zo
    "${solve[@]}" --run 'sh trips.sh' --checkpoint run.zo --queries 8 >out || wrong "a checkpoint"
    [ $how = without ] || touch trips
    "${solve[@]}" --run 'sh trips.sh' --checkpoint run.zo --resume --save $how.x >out 2>err || wrong "$how an accident after a checkpoint: $(cat err)"
    [ ! -e trips ] || wrong "no accident"
done
same without.x with.x "an accident after a checkpoint"
rm -rf zoprox-runs folders
verdict
