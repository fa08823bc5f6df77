#!/usr/bin/env bash
# --template, --run, --read, --dakota, --parameters: programs that read one file and write another, as engineers have them.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/cli.inc"
cd "$work" || exit 1

# near FILE VALUE...: the numbers in FILE ("NAME = V", or V) are these up to 1e-4
near() {
    local file=$1
    shift
    sed 's/.*= *//; s/ *#.*//' "$file" | paste - <(printf '%s\n' "$@") | awk '{d = $1 - $2; if (!(d * d < 1e-8)) exit 1}' || wrong "$file: $(cat "$file")"
}

# fails TEXT ARGS...: zoprox ARGS exits with 1 and says TEXT
fails() {
    local text=$1
    shift
    "$ZOPROX" "$@" >out 2>err </dev/null
    [ $? = 1 ] || wrong "zoprox $*: not exit code 1"
    grep -qF -- "$text" err || wrong "zoprox $*: no '$text' in $(cat err)"
}

# A batch code of four lines: reads p.in, writes p.out.
cat >code <<'END1'
#!/bin/sh
read a b rest <p.in
awk -v a=$a -v b=$b 'BEGIN {printf "# a code\nstatus ok\n f: %.17g, done\n", (a - 1)^2 + 10 * (b - a)^2}' >p.out
END1
chmod +x code
echo '{x0} {x1} {not a name}' >p.tpl
"$ZOPROX" solve --template p.tpl=p.in --run ./code --read p.out:3:2 --dim 2 --queries 60 --save x --quiet >out || wrong "a batch code"
near x 1 1
[ ! -e zoprox-runs ] || wrong "folders are left: $(ls zoprox-runs)"
for spec in 'p.out:-1:2' 'p.out:/f: *([^,]*)/' 'p.out:/^ f/' 'p.out:3-3:*'; do
    "$ZOPROX" solve --template p.tpl=p.in --run ./code --read "$spec" --dim 2 --queries 60 --save y --quiet >out || wrong "$spec"
    same x y "$spec"
done
"$ZOPROX" solve --template p.tpl=p.in --run 'sh ./code && cat p.out | tee log' --read '-:/f:/' --files kept --keep-folders --dim 2 --queries 3 --quiet >out || wrong "a line for a shell"
[ "$(ls kept | wc -l)" = 3 ] || wrong "not three folders: $(ls kept)"
for name in p.in p.out log stdout.txt; do [ -s "$(ls -d kept/* | head -n 1)/$name" ] || wrong "no $name in a kept folder"; done
grep -q '{not a name}$' "$(ls -d kept/* | head -n 1)/p.in" || wrong "other braces are gone"

# The bytes do not depend on workers, and a history and a checkpoint serve as with any other program.
"$ZOPROX" solve --template p.tpl=p.in --run ./code --read p.out:3:2 --dim 2 --queries 60 --workers 3 --history h.csv --save y --quiet >out || wrong "workers"
same x y "workers"
"$ZOPROX" solve --template p.tpl=p.in --run false --read p.out:3:2 --dim 2 --queries 60 --past h.csv --start /dev/stdin --save y --quiet >out 2>err <<<$'0\n0' || wrong "past: $(cat err)"
same x y "past"

# Names, units, ranges, a log scale and a fixed value, in every output; TOML and JSON say the same.
cat >p.toml <<'END1'
# two that are free
[rate]
start = 0.01
range = [1e-3, 100]
unit = "1/s"
log = true
[shift]
start = 0.5
low = -2
high = 0.75
[held]
fixed = 3
END1
echo '{"rate": {"start": 0.01, "low": 0.001, "high": 100, "log": true, "unit": "1/s"}, "shift": {"start": 0.5, "range": [-2, 0.75]}, "held": {"fixed": 3}}' >p.json
echo '{rate} {shift:%.17e} {held}' >p.tpl
cat >three <<'END1'
read a b c <p.in
awk -v a=$a -v b=$b -v c=$c 'BEGIN {printf "%.17g\n", (a - 2)^2 + 10 * (b - 1)^2 + c}' >p.out
END1
for kind in toml json; do
    "$ZOPROX" solve --template p.tpl=p.in --run 'sh three' --read p.out:1:1 --parameters p.$kind --queries 200 --save $kind.x --history $kind.csv --quiet >$kind.out || wrong "$kind"
done
same toml.x json.x "TOML and JSON"
near toml.x 2 0.75 3
grep -q '^rate = .* # 1/s$' toml.x || wrong "names in --save: $(cat toml.x)"
grep -qE '^  shift +0.75 +\(at its upper bound\)' toml.out || wrong "names in the report: $(cat toml.out)"
head -n 1 toml.csv | grep -q '^rate,shift,held,component,value' || wrong "names in the history: $(head -n 1 toml.csv)"
awk -F, 'NR > 1 && !($1 >= 0.001 && $1 <= 100 && $2 >= -2 && $2 <= 0.75 && $3 == 3) {exit 1}' toml.csv || wrong "a question outside its range"
"$ZOPROX" plot toml.csv >out || wrong "plot of a history with names"
"$ZOPROX" watch toml.csv -o page.html >out || wrong "watch of a history with names"
grep -q '"rate"' page.html || wrong "no names on the page"
"$ZOPROX" solve --template p.tpl=p.in --run false --read p.out:1:1 --parameters p.toml --queries 200 --past toml.csv --start toml.start --quiet >out 2>err && wrong "a start that is not there"
"$ZOPROX" solve --template p.tpl=p.in --run 'sh three' --read p.out:1:1 --parameters p.toml --queries 60 --start toml.x --save again.x --quiet >out || wrong "a start by names"
near again.x 2 0.75 3
"$ZOPROX" solve --template p.tpl=p.in --run 'sh three' --read p.out:1:1 --parameters p.toml --queries 200 --past toml.csv --quiet --json >past.json || wrong "past by names"
grep -q '"name": "rate"' past.json && grep -q '"known": [1-9]' past.json || wrong "past by names: $(grep -A2 known past.json)"
"$ZOPROX" solve --template p.tpl=p.in --run 'sh three' --read p.out:1:1 --parameters p.toml --queries 200 --history h.sqlite --save z --quiet >out || wrong "SQLite"
same toml.x z "SQLite"
"$ZOPROX" plot h.sqlite >out || wrong "plot of an SQLite history with names: $(cat out)"

# All cases in a run: a whole column; and a case a run.
cat >decay <<'END1'
awk '{for (i = 0; i < 12; i++) printf "%d;%.17g\n", i, $1 * exp(-$2 * i / 2) + $3}' p.in >p.out
END1
echo '{x0} {x1} {x2}' >q.tpl
awk 'BEGIN {for (i = 0; i < 12; i++) printf "%.17g\n", 3 * exp(-0.35 * i) + 1}' >y.txt
printf '1\n1\n0.5\n' >x0.txt
box=(--n 12 --dim 3 --residuals squares --targets y.txt --start x0.txt --quiet)
"$ZOPROX" solve --template q.tpl=p.in --run 'sh decay' --read 'p.out:*:2' "${box[@]}" --points 60 --save all.x --json >all.json || wrong "a whole column"
near all.x 3 0.7 1
grep -q '"points"' all.json && grep -q '"method": "lm"' all.json || wrong "all cases in a run: $(grep -E 'points|method' all.json)"
echo '{x0} {x1} {x2} {case}' >r.tpl
cat >one <<'END1'
awk '{v = $1 * exp(-$2 * $4 / 2) + $3; printf "{\"r\": [{\"v\": %.17g}]}\n", v}' p.in >p.json
END1
"$ZOPROX" solve --template r.tpl=p.in --run 'sh one' --read 'p.json:$.r[0].v' "${box[@]}" --queries 400 --save one.x --json >one.json || wrong "a case a run"
grep -q '"points": null' one.json || wrong "a case a run is paid by point"
awk '{if ($1 < 0) exit 1}' one.x || wrong "a case a run: $(cat one.x)"

# No bound on one side, as TOML and JSON say it. Braces that are the file's own stay as they are.
echo '{rate:%.17g} {shift}' >s.tpl
echo '{xs} {rat} {x} {"a": {x9,1}} ${x9} {a:b} {9:%g}' >>s.tpl
for text in $'rate = {start = 1, range = [0, inf]}\nshift = {range = [-inf, 0.75], start = 0}' \
    '{"rate": {"start": 1, "range": [0, Infinity]}, "shift": {"range": [-Infinity, 0.75], "start": 0}}' \
    $'rate = {start = 1, low = 0}\nshift = {high = 0.75, start = 0}'; do
    echo "$text" >s.par
    "$ZOPROX" solve --template s.tpl=p.in --run 'sh three' --read p.out:1:1 --parameters s.par --queries 60 --files sides --keep-folders --save s.x --quiet >out 2>err || wrong "$text: $(cat err)"
    near s.x 2 0.75
done
[ "$(tail -n 1 "$(ls -d sides/* | head -n 1)/p.in")" = "$(tail -n 1 s.tpl)" ] || wrong "braces of the file's own"

# Formats that keep few digits: differences are taken where they can be seen. Fortran's numbers.
echo '{x0:%10.4e} {x1:%10.4e}' >f.tpl
cat >fortran <<'END1'
awk '{printf " F = %.16E\n", ($1 - 1.5)^2 + ($2 + 0.25)^2 + 1}' p.in | sed 's/E\([+-]\)/D\1/' >p.out
END1
"$ZOPROX" solve --template f.tpl=p.in --run 'sh fortran' --read 'p.out:1:3' --dim 2 --queries 60 --save f.x >out 2>err || wrong "few digits"
grep -q "a format keeps 5 digits" err || wrong "few digits: $(cat err)"
awk 'NR == 1 && ($1 - 1.5)^2 > 1e-4 || NR == 2 && ($1 + 0.25)^2 > 1e-4 {exit 1}' f.x || wrong "few digits: $(cat f.x)"

# Dakota's drivers as they are.
cat >driver <<'END1'
#!/bin/sh
# the file's second line is "value x0"
set -- "$1" "$2" $(awk '$2 == "rate" || $2 == "shift" {print $1}' "$1")
grep -q ' 3 variables$' "$1" && grep -q ' 1 functions$' "$1" && grep -q '1 ASV_1:response_fn_1$' "$1" && grep -q ' 0 analysis_components$' "$1" || exit 3
awk -v a=$3 -v b=$4 'BEGIN {printf "   %.17e f\n", (a - 2)^2 + 10 * (b - 1)^2 + 3}' >"$2"
END1
chmod +x driver
"$ZOPROX" solve --dakota ./driver --parameters p.toml --queries 200 --save dakota.x --quiet >out || wrong "dakota"
near dakota.x 2 0.75 3
cat >aprepro <<'END1'
#!/bin/sh
grep -q '{ DAKOTA_FNS = 1 }' "$1" || exit 3
sed -n 's/.*{ \(rate\|shift\) = \(.*\) }.*/\2/p' "$1" | paste -s | awk '{printf "%.17e\n", ($1 - 2)^2 + 10 * ($2 - 1)^2 + 3}' >"$2"
END1
chmod +x aprepro
"$ZOPROX" solve --dakota ./aprepro --aprepro --parameters p.toml --queries 200 --save aprepro.x --quiet >out || wrong "aprepro"
near aprepro.x 2 0.75 3
fails "the driver says that it failed" check --dakota 'echo FAIL >results.out; true' --dim 2 --retries 0

# Folders of runs that failed are counted at the end, with what removes them; none are, nothing is said.
mkdir left && cd left || exit 1
echo '{x0}' >x.tpl
one=(--template x.tpl=x.in --read x.out:1:1 --dim 1 --workers 1 --queries 30)
"$ZOPROX" solve "${one[@]}" --run 'awk -v OFMT=%.17g "{if (\$1 > .5) exit 3; print (\$1 - .7)^2}" x.in >x.out' >out 2>err || wrong "a code that fails beyond 0.5: $(cat err)"
count=$(ls zoprox-runs | wc -l)
[ "$count" -gt 0 ] && grep -qE "^zoprox: 'zoprox-runs' has $count folders? of runs that failed or were stopped; when you have seen them: rm -r zoprox-runs$" err || wrong "$count folders are left: $(cat err)"
rm -r zoprox-runs
"$ZOPROX" solve "${one[@]}" --run 'awk -v OFMT=%.17g "{print (\$1 - .7)^2}" x.in >x.out' >out 2>err && [ ! -s err ] || wrong "nothing is left: $(cat err)"
cd .. || exit 1

# What is wrong is said in one line.
echo '{rate} {shift} {held} {rat:%g}' >m.tpl
seq 12 >measured.txt
says 2 "targets: 'measured.txt' has 12 numbers; --n 12 if a run gives as many (without --n it is 1)" solve --template q.tpl=p.in --run ./code --read 'p.out:*:1' --dim 3 --residuals squares --targets measured.txt
says 2 "'größe' is no name: letters a to z and A to Z, digits" solve --parameters <(printf '["größe"]\nstart = 1\n') --dakota ./driver
says 2 "is not FILE:LINE:COLUMN" solve --template p.tpl=p.in --run ./code --read p.out --dim 3
says 2 "--read FILE:LINE:COLUMN is needed too" solve --template q.tpl=p.in --run ./code --dim 3
says 2 "--run 'LINE' is needed too" solve --template q.tpl=p.in --read p.out:1:1 --dim 3
says 2 "{x3} is in no template" solve --template q.tpl=p.in --run ./code --read p.out:1:1 --dim 4
says 2 "has no format of a number" check --template <(echo '{x0:%s}')=p.in --run ./code --read p.out:1:1 --dim 1
says 2 "--dim D is needed" solve --template q.tpl=p.in --run ./code --read p.out:1:1
says 2 "is not TEMPLATE=FILE" solve --template q.tpl --run ./code --read p.out:1:1 --dim 3
says 2 "did you mean 'range'" solve --parameters <(echo 'k = {rnage = [0, 1]}') --dakota ./driver
says 2 "start 7 is not in [0, 1]" solve --parameters <(echo 'k = {range = [0, 1], start = 7}') --dakota ./driver
says 2 "line 2: a name is followed by '='" solve --parameters <(printf '[k]\nstart 3\n') --dakota ./driver
for low in -1 0; do
    says 2 "a log scale has numbers above 0 only" solve --parameters <(echo "k = {range = [$low, 1], log = true}") --dakota ./driver
done
for bad in start:nan start:inf fixed:nan low:inf high:-inf; do
    says 2 "': k: ${bad%:*} ${bad#*:} is not what it should be: a" solve --parameters <(echo "k = {${bad%:*} = ${bad#*:}}") --dakota ./driver
done
says 2 "': k: start nan is not what it should be: a finite number" solve --parameters <(echo 'k = nan') --dakota ./driver
says 2 "': k: start nan is not what it should be: a finite number" solve --parameters <(echo '{"k": {"start": NaN}}') --dakota ./driver
says 2 "': k: range [0, nan] is not what it should be: [LOW, HIGH]" solve --parameters <(echo 'k = {range = [0, nan]}') --dakota ./driver
says 2 "template: 'q.tpl': nothing stands for '{x2}'; there are x0 to x1" solve --template q.tpl=p.in --run ./code --read p.out:1:1 --dim 2
says 2 "template: 'm.tpl': nothing stands for '{rat:%g}'; there are rate, shift, held" solve --template m.tpl=p.in --run ./code --read p.out:1:1 --parameters p.toml
says 2 "template: --run: nothing stands for '{x7}'" solve --template p.tpl=p.in --run './code {x7}' --read p.out:1:1 --parameters p.toml
says 2 "--read has no use with --command" solve --command ./code --n 1 --dim 1 --read a:1:1
says 2 "but 'p.toml' names 3 parameters" check --dakota ./driver --parameters p.toml --dim 2
mkdir ill
fails "no number at '9:9'" check --template q.tpl=p.in --run 'sh decay' --read p.out:9:9 --dim 3 --retries 0 --files ill
fails "the program left no" check --template q.tpl=p.in --run true --read p.out:9:9 --dim 3 --retries 0 --files ill
fails "exited with code 7" check --template q.tpl=p.in --run 'exit 7' --read p.out:9:9 --dim 3 --retries 0 --files ill
fails "': bad input; 'echo " check --template q.tpl=p.in --run 'echo bad input >&2; exit 7' --read p.out:9:9 --dim 3 --retries 0 --files ill
fails "': bad input; 'printf " check --template q.tpl=p.in --run 'printf "bad input" >&2; exit 7' --read p.out:9:9 --dim 3 --retries 0 --files ill
fails "': 'exit 7' in the folder" check --template q.tpl=p.in --run 'exit 7' --read p.out:9:9 --dim 3 --retries 0 --files ill
# With DAKOTA_PYTHON=DIR, the folder python of Dakota's sources, a driver that uses Dakota's own parser, in both forms.
if [ -n "${DAKOTA_PYTHON:-}" ]; then
    cat >theirs <<'P'
#!/usr/bin/env python3
import sys
import dakota.interfacing as di
params, results = di.read_parameters_file(sys.argv[1], sys.argv[2])
for label, value in zip(results, (params["u"] - 1, params["v"] - 2, params["u"] + params["v"] - 3)):
    if results[label].asv.function:
        results[label].function = value
results.write()
P
    chmod +x theirs
    printf 'u = 0\nv = 0\n' >uv.toml
    for form in "" --aprepro; do
        PYTHONPATH=$DAKOTA_PYTHON "$ZOPROX" solve --dakota ./theirs $form --parameters uv.toml --n 3 --residuals squares --quiet >out 2>err || wrong "Dakota's parser: $(cat err)"
        grep -qE '^  u +(1|0.99999|1.00000)' out && grep -qE '^  v +(2|1.99999|2.00000)' out || wrong "Dakota's parser: $(cat out)"
    done
fi
verdict
