# Results on standard output and in files: well-formed, complete, and a failure when they could not be written.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/cli.inc"
cd "$work" || exit 1

prints 'objective' solve $small --units 5
prints 'stopped at      queries' solve $small --units 5
prints 'stopped at      end (converged)' solve $small --l2 0.1
"$ZOPROX" solve $small --l2 0.1 --save "$work/there" >/dev/null
"$ZOPROX" solve $small --l2 0.1 --start "$work/there" --method pgd --steps 1 --trace "$work/start.csv" --save "$work/there" >/dev/null || wrong "start and save in one file"
[ "$(sed -n 2p "$work/start.csv" | cut -d, -f6 | cut -c1-12)" = "$(tail -1 "$work/start.csv" | cut -d, -f6 | cut -c1-12)" ] || wrong "pgd does not begin at the solution: $(cat "$work/start.csv")"
printf '1\n2\n' >"$work/short"
says 2 "has 2 numbers; 6 are needed" solve $small --start "$work/short"
printf '1\nx\n' >"$work/short"
says 2 "line 2: 'x' is not a finite number" solve $small --start "$work/short"
printf '\357\273\2771\n' >"$work/short"
says 2 "line 1: '\\xef\\xbb\\xbf1' is not a finite number" solve $small --start "$work/short"
printf '1 2 3 4 5 6\n' >"$work/short"
says 2 "line 1 is not one number; 6 are needed, each on a line of its own" solve $small --start "$work/short"
# A start outside of bounds is moved inside, with a word; nobody has given the 0 that is outside of box:1,2.
seq -3 2 >outside
"$ZOPROX" solve $small --start outside --prox box:-1,1 --units 5 --json >out 2>err || wrong "a start outside"
grep -q 'warning: the start was moved into the domain of psi: x\[0\] from -3 to -1 (and 2 more)$' err && grep -q '"warning": "the start was moved' out || wrong "a start outside is not told: $(cat err)"
prints 'objective' solve $small --prox box:1,2 --units 5
echo 'k = {range = [1, 10], start = 5, log = true}' >log.toml
echo 'k = 40' >log.x
echo '{k}' >log.tpl
"$ZOPROX" solve --template log.tpl=k.in --run 'cat k.in >k.out' --read k.out:1:1 --parameters log.toml --start log.x --units 5 >out 2>err || wrong "a start outside of a range"
grep -q 'x\[0\] from 40 to 10$' err || wrong "a start outside of a range of logarithms: $(cat err)"
says 2 "--trace and --start are the same file" solve $small --start "$work/short" --trace "$work/short"
says 2 "cannot be read: No such file" solve $small --start "$work/none"
"$ZOPROX" solve $small --method pgd --queries 7 >/dev/null 2>"$work/err" || wrong "a budget too small for a question"
grep -q 'warning: no step was taken: the first question takes [0-9]* queries, and the budget has 7' "$work/err" || wrong "no word of a budget too small: $(cat "$work/err")"
prints 'stopped at      steps' solve $small --method pgd --steps 3
prints 'stopped at      target' solve $small --method fista --target 10
prints 'stopped at      gap' solve $small --method fista --gap 1e-2 --l2 0.01 --units 1000 --quiet
prints 'unused          decay' solve $small --method pgd --decay 3 --units 3
prints 'optimum' optimum $small --l2 0.1 --l1 0.01
prints 'known           at most' optimum $small --quiet
prints '"proof"' optimum $small --l2 0.1 --json

# One class is told where a model is to be found, and only there.
printf '+1 1:1\n+1 2:0.5\n' >one.txt
for command in solve optimum; do
    "$ZOPROX" $command one.txt --l2 0.1 >out 2>err || wrong "$command: one class"
    [ "$(cat err)" = "zoprox: warning: all labels of 'one.txt' are 1: one class, and nothing to tell apart" ] || wrong "$command: one class: $(cat err)"
done
prints objective solve one.txt --l2 0.1 --loss squared
printf '1\n1\n' >one.x
prints objective eval one.txt --start one.x
prints label predict one.txt --start one.x --quiet

# Without a budget 100 units, or 1000 queries if that is more.
printf '+1 1:1\n-1 1:0.5\n' >tiny.txt
"$ZOPROX" solve tiny.txt --method zosgd --json --quiet >tiny.json || wrong "two rows"
"$ZOPROX" solve $small --method zosgd --json --quiet >small.json || wrong "no budget"
spent=$(sed -n 's/^ *"queries": \([0-9]*\),$/\1/p' tiny.json small.json | tr '\n' ' ')
awk -v spent="$spent" 'BEGIN {split(spent, q); exit !(q[1] > 990 && q[1] <= 1000 && q[2] > 119000 && q[2] <= 120000)}' || wrong "without a budget: $spent"

# --name=value and --name value are one; --set and the setting's own option too
"$ZOPROX" solve $small --units 4 --seed 7 --method zosgd --step 0.1 --save a >/dev/null || wrong "options with blanks"
"$ZOPROX" solve --units=4 --set seed=7 --set method=zosgd --step=0.1 --save=b -- $small >/dev/null || wrong "options with ="
same a b "two ways to give an option"
[ "$(wc -l <a)" = 6 ] || wrong "the solution has not 6 lines"

# a plain file and standard input give the same run
printf '%s\n' '+1 1:0.5 2:1' '-1 1:-1 3:0.25' '+1 2:-0.5' '-1 1:1 2:2 3:3' >set.txt
"$ZOPROX" solve set.txt --units 10 --l2 0.1 --save a >/dev/null || wrong "a file"
"$ZOPROX" solve - --units 10 --l2 0.1 --save b <set.txt >/dev/null || wrong "standard input"
same a b "file and standard input"
before=$(cat set.txt)
says 2 'are the same file' solve set.txt --save set.txt
[ "$before" = "$(cat set.txt)" ] || wrong "the data was overwritten"

# the trace
"$ZOPROX" solve $small --method pgd --units 7 --every 1 --trace t.csv --optimum 0 >/dev/null || wrong "trace"
[ "$(head -1 t.csv)" = "step,queries,units,watched,seconds,objective,gap,residual,nonzeros,best" ] || wrong "trace header"
awk -F, 'NF != 10 {bad = 1} NR > 2 && $2 + 0 <= last {bad = 1} {last = $2 + 0} NR > 1 && ($6 == "" || $7 != $6) {bad = 1}
         END {exit bad || NR < 7}' t.csv || wrong "trace rows: $(cat t.csv)"
"$ZOPROX" solve $small --method pgd --units 7 --every 1 --trace u.csv --track off >/dev/null || wrong "trace, track off"
awk -F, 'NR > 1 && ($6 != "" || $7 != "" || $4 != 0) {bad = 1} END {exit bad || NR < 7}' u.csv || wrong "track off: $(cat u.csv)"
[ -z "$(cut -d, -f2 u.csv | uniq -d)" ] || wrong "a row was repeated"

# JSON
"$ZOPROX" solve $small --method zosgd --units 5 --epoch 3 --json >j.json 2>err || wrong "json: $(cat err)"
if [ -x /usr/bin/python3 ]; then
    /usr/bin/python3 - <<'PY' || wrong "json keys: $(cat j.json)"
import json
r = json.load(open("j.json"))
keys = """status reason method loss n d steps queries units watched seconds objective optimum gap residual x nonzeros seed
best_objective retried failures extra chosen peak_bytes settings""".split()
missing = [k for k in keys if k not in r]
assert not missing, missing
assert r["status"] == "ok" and r["reason"] == "queries" and r["method"] == "zosgd" and r["loss"] == "logistic"
assert r["n"] == 200 and r["d"] == 6 and r["optimum"] is None and r["gap"] is None
assert r["queries"] <= 5 * 1200 and abs(r["units"] - r["queries"] / 1200) < 1e-12
assert r["unused"] == ["epoch"] and r["settings"]["epoch"] == 3 and r["settings"]["kind"] == "gaussian"
assert r["peak_bytes"] > 1e6
PY
    for command in methods proxes settings; do
        "$ZOPROX" $command --json | /usr/bin/python3 -c 'import json, sys; r = json.load(sys.stdin); assert r and all(e["name"] for e in r)' ||
            wrong "$command --json"
    done
else
    echo "no /usr/bin/python3: JSON was not read back"
fi

# a seed beyond the whole numbers of JSON's readers keeps its digits, as text
for seed in 9223372036854775807 '"18446744073709551557"'; do
    "$ZOPROX" solve $small --method zosgd --units 1 --seed "${seed//\"/}" --json 2>/dev/null | grep -F "\"seed\": $seed," >line || wrong "seed $seed"
    [ "$(wc -l <line)" = 2 ] || wrong "seed $seed: $(cat line)" # as given, and among the settings
done

# the progress line: on a terminal only, and not when quiet
if command -v script >/dev/null && script -qec true /dev/null </dev/null >/dev/null 2>&1; then # a pseudo-terminal
    script -qec "'$ZOPROX' solve $small --units 5 >/dev/null" /dev/null </dev/null >line
    grep -q 'of 5 units' line || wrong "no progress line on a terminal: $(cat -v line)"
    script -qec "'$ZOPROX' solve $small --units 5 --quiet >/dev/null" /dev/null </dev/null >line
    [ ! -s line ] || wrong "a progress line though quiet: $(cat -v line)"
fi

# the manual's page of settings is what the table says
"$ZOPROX" settings --markdown | cmp -s - "$SOURCE/docs/settings.md" ||
    wrong "docs/settings.md is not what 'zoprox settings --markdown' prints; write it anew"

# what cannot be written is a failure, with a sentence, and leaves nothing behind
fails() {
    local text=$1 got
    shift
    "$@" 2>err >/dev/null
    got=$?
    [ $got = 1 ] && grep -q "^zoprox: .*$text" err || wrong "$*: exit code $got, $(cat err)"
}
to_full() { "$ZOPROX" "$@" >/dev/full; }
to_closed() { "$ZOPROX" "$@" >&-; }
to_nobody() { # a pipe whose reader is gone
    mkfifo pipe
    sleep 60 <pipe &
    exec 7>pipe
    kill $! && wait $! 2>/dev/null
    "$ZOPROX" "$@" >&7 7>&-
    local got=$?
    exec 7>&-
    rm -f pipe
    return $got
}
fails 'No space left' to_full solve $small --units 2 --json
fails 'No space left' to_full solve $small --units 2
fails 'No space left' to_full methods
fails 'standard output' to_closed solve $small --units 2
fails 'standard output' to_closed --version
fails 'Broken pipe' to_nobody methods
fails 'Broken pipe' to_nobody solve $small --units 2 --json
# What is saved is the best point whose F is known; the last one by a setting.
saved() { "$ZOPROX" solve $small --l2 0.1 --start "$1" --steps 1 --method pgd --step 1e-9 --track on --trace s.csv >/dev/null; sed -n 2p s.csv | cut -d, -f6; }
"$ZOPROX" solve $small --l2 0.1 --method saga --step 5 --units 3 --trace t.csv --save best.x >/dev/null || wrong "long steps"
"$ZOPROX" solve $small --l2 0.1 --method saga --step 5 --units 3 --set point=last --save last.x >/dev/null || wrong "point=last"
best=$(saved best.x) last=$(saved last.x)
awk -v b="$best" -v l="$last" 'BEGIN {exit !(b + 0 < l - 1e-3)}' || wrong "the best point, $best, is not below the last, $last"
awk -F, -v b="$best" 'NR > 1 && $6 != "" && $6 + 0 < b - 1e-12 {bad = 1} END {exit bad || $10 - b > 1e-12 || b - $10 > 1e-12}' t.csv || wrong "best.x is not the best of the trace: $best"

fails 'No space left' "$ZOPROX" solve $small --units 2 --save /dev/full
fails 'No space left' "$ZOPROX" solve $small --units 2 --trace /dev/full
fails 'No space left' "$ZOPROX" optimum $small --l2 0.1 --save /dev/full
(ulimit -f 1; "$ZOPROX" solve synth:n=50,d=400,seed=1 --units 2 --save big >/dev/null 2>err)
[ $? = 1 ] && grep -q '^zoprox: save: .*File too large' err || wrong "a file too large: $(cat err)"
[ -z "$(ls big* 2>/dev/null)" ] || wrong "half a solution: $(ls big*)"
(ulimit -f 1; "$ZOPROX" solve $small --units 20 --every 0.2 --method pgd --trace big.csv --save kept.x --quiet >out 2>err)
[ $? = 1 ] && grep -q '^zoprox: trace: .*File too large' err || wrong "a trace too large: $(cat err)"
grep -q '^stopped at  *failure' out || wrong "a trace too large: $(tail -1 out)"
[ "$(wc -l <kept.x)" = 6 ] || wrong "no solution after a trace that failed"
rm -f kept.x
[ "$(tail -c 1 big.csv | od -An -c | tr -d ' ')" = '\n' ] || wrong "half a row in the trace"

(ulimit -f 1; "$ZOPROX" solve $small --units 20 --checkpoint big.zo --save kept.x --quiet >/dev/null 2>err)
[ $? = 1 ] && grep -q '^zoprox: checkpoint: .*File too large' err || wrong "a checkpoint too large: $(cat err)"
[ -z "$(ls big.zo* 2>/dev/null)" ] || wrong "half a checkpoint: $(ls big.zo*)"
[ "$(wc -l <kept.x)" = 6 ] || wrong "no solution after a checkpoint that failed"

# values that are not finite end the run as a failure; the report and a finite point are there
printf '%s\n' '1 1:1e200 2:1' '2 1:-1e200 3:1e200' '3 2:-1e200' >huge.txt
"$ZOPROX" solve huge.txt --loss squared --method pgd --step 1 --units 50 --json --save h.x >h.json 2>err
[ $? = 1 ] && grep -q '^zoprox: nonfinite' err && [ "$(wc -l <err)" = 1 ] || wrong "not finite: $(cat err)"
grep -q '"status": "failed"' h.json && grep -q '"reason": "nonfinite"' h.json || wrong "not finite: $(cat h.json)"
[ "$(wc -l <h.x)" = 3 ] && ! grep -qi 'nan\|inf' h.x || wrong "not finite: saved $(cat h.x)"

# the man page and the scripts for shells are what their programs take
if command -v groff >/dev/null; then
    "$ZOPROX" manual | groff -man -ww -Tutf8 >man.txt 2>err || wrong "groff"
    [ ! -s err ] || wrong "man page: $(head -3 err)"
    grep -q -- '--checkpoint' man.txt || wrong "man page without --checkpoint"
fi
"$ZOPROX" completion bash | bash -n || wrong "completion bash does not parse"
complete_words() { # what bash offers after these words, the last one begun
    bash -c 'source <("$ZOPROX" completion bash); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _zoprox; echo ${COMPREPLY[*]}' - "$@"
}
[ "$(complete_words zoprox opt)" = optimum ] || wrong "completion of a command: $(complete_words zoprox opt)"
[ "$(complete_words zoprox solve x --uni)" = --units ] || wrong "completion of an option"
[ "$(complete_words zoprox solve x --loss hu)" = huber ] || wrong "completion of a value"
[ "$(complete_words zoprox solve x --method zpd)" = zpdvr ] || wrong "completion of a method"
if command -v zsh >/dev/null; then
    "$ZOPROX" completion zsh >_zoprox
    zsh -n _zoprox || wrong "completion zsh does not parse"
    zsh -fc 'autoload -Uz compinit; compinit -D; source ./_zoprox; [[ -n $_comps[zoprox] ]]' || wrong "completion zsh does not load"
fi
verdict
