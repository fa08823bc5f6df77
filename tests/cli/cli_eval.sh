#!/usr/bin/env bash
# zoprox eval, zoprox predict, --intercept, and zoprox tune of a black box: what a saved point is worth.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/cli.inc"
cd "$work" || exit 1
field() { sed -n "s/^ *\"$1\": *\([^,]*\),*\$/\1/p" "$2" | head -n 1; }
# close A B TOL
close() { awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN {d = a - b; exit !(d * d <= t * t)}'; }

# A saved point has the objective that the run said, and no slope where the run has converged.
"$ZOPROX" solve $small --l2 1e-2 --units 40 --save x --json --quiet >run.json || wrong "solve"
"$ZOPROX" eval $small --l2 1e-2 --start x --gradient --json >eval.json || wrong "eval"
close "$(field objective run.json)" "$(field objective eval.json)" 1e-12 || wrong "objective: $(field objective run.json) and $(field objective eval.json)"
[ "$(grep -c '"gradient"' eval.json)" = 6 ] || wrong "not six slopes"
awk '/"gradient"/ {gsub(/[",:]|gradient/, ""); if ($1 * $1 > 1e-12) exit 1}' eval.json || wrong "slopes at the solution: $(grep gradient eval.json)"
[ "$(field queries eval.json)" = 1600 ] || wrong "queries: $(field queries eval.json)"
prints "worst cases" eval $small --l2 1e-2 --start x
# The numbers themselves, where no file has that name; a file that has it goes first.
"$ZOPROX" eval $small --l2 1e-2 --start "$(paste -sd, x)" --json >list.json || wrong "a list"
[ "$(field objective list.json)" = "$(field objective eval.json)" ] || wrong "a list: $(field objective list.json)"
says 2 "start: '0,0' has 2 numbers; 6 are needed" eval $small --start 0,0
says 2 "line 2: '' is not a finite number" eval $small --start 0,,0,0,0,0
says 2 "line 1: '1e' is not a finite number" eval $small --start 1e
says 2 "nor is it numbers, as 1,2.5,-3 is" eval $small --start 0,0,x,0,0,0
cp x 1
"$ZOPROX" eval $small --l2 1e-2 --start 1 --json >list.json || wrong "a file whose name is a number"
[ "$(field objective list.json)" = "$(field objective eval.json)" ] || wrong "a file whose name is a number"
says 2 "eval takes a SOURCE or a black box" eval

# An intercept is free of penalties: with labels that are all shifted only it moves; and the optimum is the run's.
awk 'BEGIN {srand(7); for (i = 0; i < 200; i++) {a = rand() - .5; b = rand() - .5; printf "%.6g 1:%.6g 2:%.6g\n", 5 + 2 * a + .01 * (rand() - .5), a, b}}' >line.txt
"$ZOPROX" solve line.txt --loss squared --l1 0.01 --l2 1e-3 --intercept --units 60 --save line.x --json --quiet >line.json || wrong "intercept"
[ "$(wc -l <line.x)" = 3 ] || wrong "not three numbers: $(cat line.x)"
close "$(tail -n 1 line.x)" 5 0.05 || wrong "the intercept: $(cat line.x)"
"$ZOPROX" optimum line.txt --loss squared --l1 0.01 --l2 1e-3 --intercept --json >best.json || wrong "optimum with an intercept"
close "$(field objective line.json)" "$(field optimum best.json)" 1e-6 || wrong "F $(field objective line.json), optimum $(field optimum best.json)"
"$ZOPROX" eval line.txt --loss squared --l1 0.01 --l2 1e-3 --intercept --start line.x --json >eval.json || wrong "eval with an intercept"
close "$(field objective line.json)" "$(field objective eval.json)" 1e-12 || wrong "eval with an intercept"
"$ZOPROX" predict line.txt --loss squared --intercept --start line.x -o said.csv >out 2>err || wrong "predict"
grep -q 'root mean square error 0.0' err || wrong "predict: $(cat err)"
[ "$(wc -l <said.csv)" = 201 ] && head -n 1 said.csv | grep -qx 'label,prediction' || wrong "predictions: $(head -n 2 said.csv)"
awk -F, 'NR > 1 {d = $1 - $2; s += d * d} END {exit !(sqrt(s / 200) < 0.1)}' said.csv || wrong "predictions are far off"
# x of other data, or with an intercept that would be lost, is refused.
says 2 "'line.x' has 3 numbers; the data has 2 features, so 2 are needed; add --intercept if it was saved with one; --features 3 if" predict line.txt --loss squared --start line.x
seq 7 >long.x
says 2 "'long.x' has 7 numbers; the data has 2 features, so 3 are needed with the intercept; --features 6 if these rows lack the last ones" predict line.txt --loss squared --intercept --start long.x
printf '1\n2' >ended.x
prints "label,prediction" predict line.txt --loss squared --start ended.x --quiet
printf '1\n' >ended.x
says 2 "'ended.x' has 1 numbers; the data has 2 features, so 2 are needed" predict line.txt --loss squared --start ended.x
says 2 "--intercept is not an option of" tune line.txt --intercept --grid step=1

# Classes: two, with probabilities, and rows that lack the last feature; several.
"$ZOPROX" solve $small --l2 1e-3 --units 20 --save two.x --quiet >/dev/null || wrong "two classes"
"$ZOPROX" predict $small --start two.x --json >two.json || wrong "predict two"
awk -v r="$(field right two.json)" 'BEGIN {exit !(r > 0.6 && r <= 1)}' || wrong "right: $(cat two.json)"
awk 'BEGIN {for (i = 0; i < 60; i++) print i % 3, (i % 3) + 1 ":1"}' >three.txt
"$ZOPROX" solve three.txt --loss softmax --l2 1e-3 --intercept --units 30 --save three.x --quiet >/dev/null || wrong "three classes"
"$ZOPROX" predict three.txt --loss softmax --intercept --start three.x --json >three.json || wrong "predict three"
[ "$(field right three.json)" = 1.0 ] || wrong "three: $(cat three.json)"
printf '1 1:1\n-1 2:1\n' >few.txt
prints "label,prediction,probability_1" predict few.txt --features 6 --start two.x --quiet
says 2 "so 2 are needed; --features 6 if these rows" predict few.txt --start two.x
# The probability is that of the class that its column names, so that it ranks rows; labels are those of the data.
awk 'BEGIN {srand(2); for (i = 0; i < 300; i++) {a = rand() - .5; print 1 + (a + .3 * rand() > .2), "1:" a}}' >labels.txt
"$ZOPROX" solve labels.txt --l2 1e-3 --intercept --units 30 --save labels.x --quiet >/dev/null || wrong "labels 1 and 2"
"$ZOPROX" predict labels.txt --intercept --start labels.x -o labels.csv 2>err || wrong "predict labels"
awk -F, 'NR == 1 {if ($3 != "probability_2") exit 1; next} {right += $1 == $2} ($3 > .5) != ($2 == 2) {exit 1} END {exit !(right > 200)}' labels.csv || wrong "probabilities of 2: $(head -n 4 labels.csv)"
grep -q "$(awk -F, 'NR > 1 {right += $1 == $2} END {print right}' labels.csv) of 300 rows right" err || wrong "labels 1 and 2: $(cat err)"
"$ZOPROX" predict three.txt --loss softmax --intercept --start three.x -o three.csv --quiet || wrong "probabilities of three"
awk -F, 'NR == 1 {if ($0 != "label,prediction,probability_0,probability_1,probability_2") exit 1; next} {s = $3 + $4 + $5 - 1} s * s > 1e-8 || $(3 + $2) < .5 {exit 1}' three.csv || wrong "probabilities of three: $(head -n 3 three.csv)"
says 2 "predict needs --start FILE" predict few.txt
says 2 "'long.x' has 7 numbers; the data has 3 features, so 9 are needed for its classes" predict three.txt --loss softmax --start long.x

# A black box: names, residuals, slopes within bounds; and settings that are tuned on it.
cat >code <<'END1'
awk '{for (i = 0; i < 5; i++) printf "%.17g\n", $1 * exp(-$2 * i) - exp(-i)}' p.in >p.out
END1
echo '{a} {b}' >p.tpl
printf 'a = {start = 2, range = [0.5, 2]}\nb = {start = 1.5, log = true, unit = "1/s"}\n' >p.toml
box=(--template p.tpl=p.in --run 'sh code' --read 'p.out:*:1' --n 5 --parameters p.toml --residuals squares)
"$ZOPROX" eval "${box[@]}" --gradient --json --quiet >box.json || wrong "eval of a box"
python3 - <<'P' || wrong "slopes of a box: $(cat box.json)"
import json, math
d = json.load(open("box.json"))
F = lambda a, b: sum((a * math.exp(-b * i) - math.exp(-i)) ** 2 / 2 for i in range(5)) / 5
h, p = 1e-6, d["parameters"]
assert abs(d["objective"] - F(2, 1.5)) < 1e-12 and d["queries"] == 3 and len(d["residuals"]) == 5, d
assert abs(p[0]["gradient"] - (F(2 + h, 1.5) - F(2 - h, 1.5)) / (2 * h)) < 1e-5 and p[0]["name"] == "a", p
assert abs(p[1]["gradient"] - (F(2, 1.5 + h) - F(2, 1.5 - h)) / (2 * h)) < 1e-5, p
P
prints "1/s" eval "${box[@]}" --gradient --quiet
# What was measured is taken off; values that are printed with six digits have slopes, too, and words about it.
sed 's/%.17g/%.6g/' code >rough
printf '%s\n' 2.1 0.5 0 0 0 >targets.txt
box[3]='sh rough'
"$ZOPROX" eval "${box[@]}" --targets targets.txt --gradient --json >rough.json 2>err || wrong "eval of six digits"
grep -q 'values have 6 digits: differences are taken 1.0e-03 apart' err || wrong "no word on digits: $(cat err)"
python3 - <<'P' || wrong "slopes by six digits: $(cat rough.json)"
import json, math
d = json.load(open("rough.json"))
t = (2.1, 0.5, 0, 0, 0)
F = lambda a, b: sum((a * math.exp(-b * i) - math.exp(-i) - t[i]) ** 2 / 2 for i in range(5)) / 5
h, p = 1e-6, d["parameters"]
assert abs(d["residuals"][0] - (2 - 1 - 2.1)) < 1e-9 and d["queries"] == 5, d
assert abs(p[0]["gradient"] - (F(2 + h, 1.5) - F(2 - h, 1.5)) / (2 * h)) < 2e-3, p
assert abs(p[1]["gradient"] - (F(2, 1.5 + h) - F(2, 1.5 - h)) / (2 * h)) < 2e-3, p
P
"$ZOPROX" eval "${box[@]}" --targets targets.txt --quiet | grep -q '^worst cases *0 (1, -1.1 off)' || wrong "worst cases"
# Values that are no residuals say nothing of errors, even where all of them are 0 in the end.
cat >square <<'END1'
awk '{for (i = 0; i < 5; i++) printf "%.17g\n", ($1 * exp(-$2 * i) - exp(-i))^2}' p.in >p.out
END1
"$ZOPROX" solve --template p.tpl=p.in --run 'sh square' --read 'p.out:*:1' --n 5 --parameters p.toml --quiet >out || wrong "squares without --residuals"
grep -q 'not determined\|standard error' out && wrong "standard errors of what is no residual: $(cat out)"
cc -std=c11 -O2 -I "$SOURCE/include" "$SOURCE/examples/workers/worker.c" -o worker -lm || wrong "worker.c does not compile"
"$ZOPROX" tune --command ./worker --n 200 --dim 20 --grid 'method=saga,psvrg' --budget 4 --seeds 1 --report-seeds 1 --store box.runs --json --quiet >tune.json 2>err
case $? in
0) grep -q '"tried": 2' tune.json || wrong "tune of a box: $(cat tune.json)"
   "$ZOPROX" report box.runs -o box.html >/dev/null || wrong "report of a box"
   "$ZOPROX" solve --command ./worker --n 200 --dim 20 --method saga --units 4 --trace a.csv --history h.csv --quiet >/dev/null || wrong "a trace"
   "$ZOPROX" report a.csv h.csv box.runs -o all.html >/dev/null || wrong "report of a trace, a history and a store"
   grep -q 'a.csv' all.html && grep -q 'h.csv' all.html || wrong "traces are not on the page" ;;
*) grep -q 'SQLite' err || wrong "tune of a box: $(cat err)" ;;
esac
verdict
