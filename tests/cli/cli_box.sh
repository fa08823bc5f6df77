#!/usr/bin/env bash
# Programs and plugins from the command line: workers in every language give one result; bad ones are described.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/cli.inc"
workers=$SOURCE/examples/workers
flags=(-std=c11 -O2 -Wall -Wextra -Werror -I "$SOURCE/include")
cc "${flags[@]}" "$workers/worker.c" -o "$work/worker" -lm || wrong "worker.c does not compile"
cc "${flags[@]}" -shared -fPIC "$SOURCE/examples/plugin/plugin.c" -o "$work/plugin.so" || wrong "plugin.c does not compile"

for name in worker.c worker.py worker.sh; do
    [ "$(wc -l <"$workers/$name")" -lt 30 ] || wrong "$name has 30 lines or more"
done

# The same run by one, two and three workers: the same bytes.
box=(--n 200 --dim 20 --l1 1e-3 --units 3 --method psvrg --quiet)
for w in 1 2 3; do
    "$ZOPROX" solve --command "$work/worker" --workers $w "${box[@]}" --save "$work/x$w" --trace "$work/t$w" >/dev/null ||
        wrong "worker.c with $w workers"
    same "$work/x1" "$work/x$w" "workers"
    same_trace "$work/t1" "$work/t$w" "workers"
done

# Python's answers are C's to rounding; the shell's are means.
if command -v python3 >/dev/null; then
    prints "it can be solved" check --command "python3 $workers/worker.py" --n 200 --dim 20
    prints "one value per component" check --command "python3 '$workers/worker.py'" --n 200 --dim 20
    "$ZOPROX" solve --command "python3 $workers/worker.py" "${box[@]}" --save "$work/py" >/dev/null || wrong "worker.py"
    paste "$work/x1" "$work/py" | awk '{d = $1 - $2; if (d > 1e-6 || d < -1e-6) bad = 1} END {exit bad}' ||
        wrong "worker.py and worker.c disagree"
fi
prints "means over the components" check --command "sh $workers/worker.sh" --n 200 --dim 20
prints "method" solve --command "sh $workers/worker.sh" --n 200 --dim 20 --units 0.1 --method zosgd --track off --quiet

# No more workers are started than there are questions for.
"$ZOPROX" solve --shell --command "echo x >>'$work/starts'; exec '$work/worker'" --n 200 --dim 20 --method zosgd --batch 1 --directions 1 --step 0.1 --radius 1e-3 \
    --steps 2 --track off --workers 60 --quiet >/dev/null ||
    wrong "one component, sixty workers"
[ "$(wc -l <"$work/starts")" -le 10 ] || wrong "$(wc -l <"$work/starts") workers were started for a handful of questions"

# Stopped and resumed: the same bytes as straight through.
"$ZOPROX" solve --command "$work/worker" "${box[@]}" --steps 40 --checkpoint "$work/c" --trace "$work/t" >/dev/null || wrong "stop"
"$ZOPROX" solve --command "$work/worker" "${box[@]}" --checkpoint "$work/c" --resume --trace "$work/t" --save "$work/x" >/dev/null ||
    wrong "resume"
same "$work/x1" "$work/x" "resumed"
same_trace "$work/t1" "$work/t" "resumed"
says 2 "another problem" solve --command "$work/worker other" "${box[@]}" --checkpoint "$work/c" --resume

# A plugin: x_j = j, cut to 2.5 by the box.
"$ZOPROX" solve --plugin "$work/plugin.so" --arg 50 --prox box:0,2.5 --units 200 --method fista --save "$work/p" --quiet >/dev/null || wrong "plugin"
awk '{want = NR - 1 < 2.5 ? NR - 1 : 2.5; d = $1 - want; if (d > 1e-4 || d < -1e-4) bad = 1} END {exit bad || NR != 5}' "$work/p" ||
    wrong "the plugin's solution"

# What is wrong is said in one sentence.
says 2 "No such file" check --command /no/such/program --n 3 --dim 2
says 2 "exited with code" check --command true --n 3 --dim 2
says 2 "'hi' instead of '0'" check --command 'echo hi' --n 3 --dim 2
says 2 "oops" check --shell --command 'echo oops >&2; exit 3' --n 3 --dim 2 --retries 0
says 2 "--dim D is needed" solve --command x --n 3
says 2 "a quote in" solve --command "x 'y" --n 3 --dim 2
says 2 "flush its output" check --command 'sleep 100' --n 3 --dim 2 --timeout 0.1 --retries 0
# What is not finite in a run is named: component, value, query, and what can be done. Component 2 is nan once x moves.
cat >"$work/pole.sh" <<'END'
while read -r kind id points comps; do
    read -r list
    [ "$list" != all ] || list="0 1 2"
    echo "$id"
    while [ "$points" -gt 0 ]; do
        read -r x
        echo "$x" | awk -v list="$list" '{n = split(list, i); for (k = 1; k <= n; k++) if (i[k] == 2 && $1 > 0.1) printf "nan "; else printf "%.17g ", ($1 - 1) ^ 2; print ""}'
        points=$((points - 1))
    done
done
END
"$ZOPROX" solve --command "sh $work/pole.sh" --n 3 --dim 1 --method pgd --step 1 --nonfinite stop --retries 0 >/dev/null 2>"$work/err"
[ $? = 1 ] && [ "$(wc -l <"$work/err")" = 1 ] && grep -q '^zoprox: nonfinite: f_2 was nan at query ' "$work/err" || wrong "nan, stop: $(cat "$work/err")"
grep -q 'nonfinite=reject go half-way back' "$work/err" || wrong "nothing is said of reject: $(cat "$work/err")"

# Values printed with few digits: check says so, a run gets near the optimum all the same or says what holds it back, and what is
# advised helps.
sed -e 's/%.17g/%.6g/' -e 's/return log1p.*/return m * 0 + (x[0] - 1) * (x[0] - 1);/' "$workers/worker.c" >"$work/short.c"
cc "${flags[@]}" "$work/short.c" -o "$work/short" -lm || wrong "short.c does not compile"
box=(--command "$work/short" --n 5 --dim 20 --units 30 --method inq)
prints "digits       values have 6 or fewer" check "${box[@]:0:6}"
read -ra advice < <(sed -n 's/.*, or add //p' "$work/out")
"$ZOPROX" solve "${box[@]}" >"$work/out" 2>"$work/err" || wrong "few digits"
grep -qE 'objective +[0-9.]+e-0[5-9]' "$work/out" || grep -q 'warning: no step was taken: .* rounded?' "$work/err" ||
    wrong "few digits: neither near the optimum nor a warning: $(cat "$work/out")"
"$ZOPROX" solve "${box[@]}" "${advice[@]}" --json >"$work/out" 2>"$work/err" || wrong "few digits with ${advice[*]}"
awk -F: '/"objective"/ {f = $2} END {exit !(f < 1e-4)}' "$work/out" || wrong "few digits with ${advice[*]}: $(grep '"objective"' "$work/out")"
prints "order " check --command "$work/worker" --n 200 --dim 20
grep -q '^digits' "$work/out" && wrong "17 digits are taken for few"

# What it does after its first answer. c components, p points; says_of TEXT ANSWER: check gives TEXT, in one line.
talk() {
    echo "while read -r k id p c; do read -r l; i=\$p; [ \$k = eval ] || i=\$((p*c))
        while [ \$i -gt 0 ]; do read -r x; i=\$((i-1)); done; $1; done"
}
says_of() {
    "$ZOPROX" check --shell --command "$(talk "$2")" --n 3 --dim 2 --retries 0 "${@:3}" >"$work/out" 2>"$work/err" </dev/null
    [ $? = 1 ] || wrong "$2: not exit code 1"
    [ "$(wc -l <"$work/err")" = 1 ] && grep -qF -- "$1" "$work/err" || wrong "$2: no '$1' in: $(head -c 400 "$work/err")"
}
after='echo $id; [ $p = 0 ] ||' # the question without points is answered well
says_of "line 1 of its answer has 2 values; 1 was asked for" "$after echo 1 2"
says_of "line 1 of its answer has 1 value; 2 were asked for (a program that answers means writes zoprox-means first)" "$after echo 1"
says_of "with the form of the question: many points" "$after awk -v p=\$p -v c=\$c 'BEGIN { while (p-- > 0) { for (k = 0; k < c; k++) printf \"%g \", p; print \"\" } }'"
says_of "where value 1 of line 1 should be, a number such as -1.5e-3, it wrote 'one two'" "$after echo one two"
# What looks like a number: commas, hexadecimal, Fortran's exponents, an invisible byte order mark or NUL.
for odd in '1,5' '1e5,' 0x1p3 1.5D0; do says_of "it wrote '$odd'" "$after echo $odd"; done
says_of "it wrote '\\x00\\x011'" "$after printf '\\000\\0011\\n'"
says 2 "it answered '\\xef\\xbb\\xbf0' instead of '0'" check --shell --command "printf '\\357\\273\\2770\\n'; sleep 1003" --n 3 --dim 2 --retries 0
says 2 "it answered '0\\x00' instead of '0'" check --shell --command "printf '0\\000\\n'; sleep 1003" --n 3 --dim 2 --retries 0
says 2 "'|' in 'cat | cat' is for a shell; add --shell, or quote it" check --command 'cat | cat' --n 3 --dim 2
# The last words on standard error begin with a line.
says_of "it said: the last line of many" "$after { seq 100 >&2; printf '%0150d\\n' 1 >&2; echo the last line of many >&2; exit 5; }"
says_of "it answered 'iteration 7' where the ID" '[ $p = 0 ] && echo 0 || echo iteration 7'
says_of "only a part of the answer came" "$after printf 1" --timeout 0.3
says_of "it exited with code 5" "$after exit 5"
says_of "it was ended by signal 9" "$after kill -9 \$\$"
says_of "it exited with code 5" "$after { sleep 1003 & exit 5; }" # the child still holds the pipes
says_of "f_0 is nan at the start or near it" "$after echo nan"
says_of "or above 1e150" "$after awk -v p=\$p -v c=\$c 'BEGIN { while (p-- > 0) { for (k = 0; k < c; k++) printf \"1e200 \"; print \"\" } }'"
# One that dies at every third question would be carried through a run, but a check tells of it by default.
"$ZOPROX" check --shell --command "t=0; $(talk 't=$((t+1)); [ $t -lt 3 ] || exit 7; echo $id; v=; while [ $c -gt 0 ]; do v="$v 1"; c=$((c-1)); done; while [ $p -gt 0 ]; do echo $v; p=$((p-1)); done')" --n 3 --dim 2 >"$work/out" 2>"$work/err"
[ $? = 1 ] && grep -q "it exited with code 7" "$work/err" || wrong "a check that hides a crash: $(cat "$work/err")"
says 2 "instead of '0'" check --command 'yes' --n 3 --dim 2 --retries 0
says 2 "answered 'aaaaaaaaaa" check --shell --command 'head -c 100000 /dev/zero | tr "\0" a; sleep 1003' --n 3 --dim 2 --retries 0
[ -z "$(pgrep -f 'sleep 1003' -s 0)" ] || wrong "a child of a worker is left"
if command -v python3 >/dev/null; then # print without flush: even the first answer stays in its buffer
    says 2 "flush its output" check --command "env -u PYTHONUNBUFFERED python3 -c 'import sys; [print(0) for line in sys.stdin]'" --n 3 --dim 2 --timeout 1 --retries 0
fi
# Floods on standard error and children that never end harm nobody.
prints "it can be solved" check --shell --command "yes oops >&2 & sleep 1003 & $(talk 'echo $id; v=; i=0; while [ $i -lt $c ]; do v="$v 1"; i=$((i+1)); done; i=0; while [ $i -lt $p ]; do echo $v; i=$((i+1)); done')" --n 3 --dim 2
printf 'int other(void); int other(void) { return 0; }\n' >"$work/other.c"
cc -shared -fPIC "$work/other.c" -o "$work/other.so" || wrong "other.c does not compile"
says 2 "has no function zoprox_open" solve --plugin "$work/other.so"
cat >"$work/one.c" <<'END'
#include <stdio.h>
#include <zoprox.h>
static int value(void *c, size_t i, const double *x, double *f) { return (void)c, *f = (x[0] - (double)i) * x[1], 0; }
int zoprox_open(int n, char **v, zo_problem *p, char *e, size_t s)
{
    (void)v;
    *p = (zo_problem){.n = n ? 0 : 9, .d = 2, .value = value};
    return n > 1 ? snprintf(e, s, "two\nlines") : 0;
}
END
cc -shared -fPIC -I"$SOURCE/include" "$work/one.c" -o "$work/one.so" || wrong "one.c does not compile"
prints "it can be solved" check --plugin "$work/one.so"
says 2 "n: 0 components" check --plugin "$work/one.so" --arg none
says 2 "failed with code 9: two lines" check --plugin "$work/one.so" --arg a --arg b
# A psi that a plugin makes with a library of its own is looked at, too. -1: |x|_1 weighed by -1.
sed 's/\.value = value};/.value = value, .psi = zo_l1(-1)};/' "$work/one.c" >"$work/psi.c"
cc -shared -fPIC -I"$SOURCE/include" "$work/psi.c" -o "$work/psi.so" -L"$BUILD/lib" -Wl,-rpath,"$BUILD/lib" -lzoprox || wrong "psi.c does not compile"
says 2 "plugin: psi (l1): A is -1, must be a finite number" solve --plugin "$work/psi.so"
says 2 "plugin: psi (l1): A is -1, must be a finite number" check --plugin "$work/psi.so"
says 2 "cannot load" check --plugin "$work/other.c"
says 2 "cannot load" solve --plugin /no/such.so
says 2 "5 or more are needed" solve --plugin "$work/plugin.so" --arg 3
says 2 "two black boxes" solve --plugin "$work/plugin.so" --command x
says 2 "or a black box" solve "$small" --command x --n 1 --dim 1
says 2 "give --optimum" solve --command "$work/worker" --n 200 --dim 20 --gap 1e-3
"$ZOPROX" solve --shell --command 'read a; read b; echo 0; exit 7' --n 3 --dim 2 --retries 0 >"$work/out" 2>"$work/err"
[ $? = 1 ] || wrong "a worker that exits: not exit code 1"
grep -q 'exited with code 7' "$work/err" || wrong "a worker that exits: $(cat "$work/err")"

# Three open files a worker: the soft limit is raised, the hard one is named.
(
    ulimit -n 1024
    failures=0
    says 2 "342 need 1042 open files, and this process may have 1024 (ulimit -n): at most 336 workers" check \
        --command "$work/worker" --n 200 --dim 20 --workers 342
    trap - EXIT
    [ "$failures" = 0 ]
) || wrong "342 workers at ulimit -n 1024"
(ulimit -Sn 64; "$ZOPROX" check --command "$work/worker" --n 200 --dim 20 --workers 40 >/dev/null) || wrong "40 workers at ulimit -Sn 64"
verdict
