#!/usr/bin/env bash
# --files: questions as folders, answered by a program that is run there or by somebody else; the bytes are those of pipes.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/cli.inc"
cc -std=c11 -O2 -I "$SOURCE/include" "$SOURCE/examples/workers/worker.c" -o "$work/worker" -lm || wrong "worker.c does not compile"
cd "$work" || exit 1
box=(--n 200 --dim 20 --method zosgd --step 0.1 --batch 4 --directions 3 --radius 1e-3 --steps 3 --every 0.01 --quiet)
"$ZOPROX" solve --command ./worker "${box[@]}" --save pipes.x --trace pipes.csv >/dev/null || wrong "pipes"

# A batch code: reads input.txt, writes output.txt, talks on standard output, leaves files behind.
cat >batch.sh <<'END'
echo "this is batch code version 1"
echo scratch >scratch.dat
"$1" <input.txt >output.txt
END
"$ZOPROX" solve --files folders --command 'sh batch.sh ./worker' "${box[@]}" --save files.x --trace files.csv >/dev/null || wrong "files"
same pipes.x files.x "files"
same_trace pipes.csv files.csv "files"
[ -z "$(ls folders)" ] || wrong "folders are left: $(ls folders)"
"$ZOPROX" solve --files kept --keep-folders --command 'sh batch.sh ./worker' "${box[@]}" --steps 1 >/dev/null || wrong "kept"
for name in input.txt output.txt stdout.txt scratch.dat; do
    [ -s "$(ls -d kept/*.1)/$name" ] || wrong "no $name in $(ls kept)"
done
"$ZOPROX" solve --files folders --shell --command '"$ZOPROX_FROM/worker" <input.txt >output.txt' "${box[@]}" --save shell.x >/dev/null || wrong "shell"
same pipes.x shell.x "shell"
prints "psvrg (the problem answers means only)" solve --quiet --files folders --shell --n 200 --dim 2 --queries 5000 --track off --method auto \
    --command 'read k id p c <input.txt; { echo zoprox-means; echo $id; while [ $p -gt 0 ]; do echo 1.5; p=$((p-1)); done; } >output.txt'

# What is in the folder already is somebody else's, whatever its name: process numbers repeat.
mkdir others
last=$(sh -c 'echo $$') # the number of the worker is one of the next ones
for k in $(seq $((last + 1)) $((last + 900))); do echo "others/$k.1"; done | xargs mkdir
for folder in others/*.1; do echo theirs >"$folder/input.txt"; done
"$ZOPROX" solve --files others --command 'sh batch.sh ./worker' "${box[@]}" --steps 1 >/dev/null || wrong "a folder with others in it"
for folder in others/*.1; do
    grep -qx theirs "$folder/input.txt" || wrong "a folder that was there is not what it was: $folder"
done
[ "$(ls others | wc -l)" = 900 ] || wrong "of 900 folders that were there $(ls others | wc -l) are left"

# A program is started under the name that was given: the python of a virtual environment is a link, and its name matters.
mkdir -p env/bin
cat >env/bin/tool <<'END'
#!/bin/sh
echo "$0" >"$ZOPROX_FROM/name"
"$1" <input.txt >output.txt
END
chmod +x env/bin/tool
ln -s tool env/bin/link
"$ZOPROX" solve --files folders --command './env/bin/link ./worker' "${box[@]}" --steps 1 >/dev/null || wrong "a program that is a link"
grep -q '/env/bin/link$' name || wrong "a link was followed: $(cat name)"

# Every fourth question goes wrong: a failure, a hang, half an answer, none at all. Each is asked again, in another folder.
cat >ill.sh <<'END'
k=$(($(cat "$2" 2>/dev/null || echo 0) + 1))
echo $k >"$2"
"$1" <input.txt >whole.txt
case $k in
4) echo "the mesh is tangled" >&2; exit 3 ;;
8) exec sleep 1000 ;;
12) head -n 1 whole.txt >output.txt ;;
16) ;;
*) mv whole.txt output.txt ;;
esac
END
touch "$work/count"
"$ZOPROX" solve --files ill --command "sh ill.sh ./worker $work/count" "${box[@]}" --workers 1 --timeout 5 --save ill.x --json >ill.json || wrong "ill"
same pipes.x ill.x "faults"
grep -q '"failures": 4' ill.json || wrong "failures are not 4: $(grep failures ill.json)"
[ "$(ls ill | wc -l)" = 4 ] || wrong "not the folders of the four that failed: $(ls ill)"

# Somebody else answers: three folders wait at once, in any order; a file that grows slowly is waited for.
"$ZOPROX" solve --files queue "${box[@]}" --workers 3 --save queue.x --trace queue.csv >out 2>err &
pid=$!
while kill -0 $pid 2>/dev/null; do
    for folder in $(ls -d queue/*.* 2>/dev/null | sort -r); do
        [ -e "$folder/input.txt" ] && [ ! -e "$folder/output.txt" ] || continue
        ./worker <"$folder/input.txt" >answer
        head -c 7 answer >"$folder/output.txt"
        tail -c +8 answer >>"$folder/output.txt"
    done 2>/dev/null # folders go while we look at them
    sleep 0.01
done
wait $pid || wrong "queue: $(cat err)"
same pipes.x queue.x "queue"
same_trace pipes.csv queue.csv "queue"

says 2 "the mesh is tangled" check --files folders --shell --command 'echo the mesh is tangled >&2; exit 3' --n 3 --dim 2 --retries 0
# A last line without its newline is a line; one too many is not passed over.
prints "it can be solved" check --files folders --shell --command '"$ZOPROX_FROM/worker" <input.txt | head -c -1 >output.txt' --n 200 --dim 20
says 2 "left 2 lines in" check --files folders --shell --command 'printf "0\n1\n" >output.txt' --n 3 --dim 2 --retries 0
says 2 "1 was asked for, the ID's among them" check --files folders --command true --n 3 --dim 2 --retries 0
says 2 "left 0 lines in" check --files folders --command true --n 3 --dim 2 --retries 0
says 2 "cannot run /no/such" check --files folders --command /no/such/program --n 3 --dim 2 --retries 0
touch plain
says 2 "'plain' is not a folder" check --files plain --command true --n 3 --dim 2
(ulimit -f 1; "$ZOPROX" check --files small --command true --n 3 --dim 2 >out 2>err) # no room for a question
[ $? = 1 ] && grep -q "^zoprox: --files: cannot write in the folder 'small': File too large" err || wrong "a full disk: $(cat err)"
[ -z "$(ls small)" ] || wrong "left in a folder that is full: $(ls small)"
says 1 "cannot make the folder" check --files /no/such/place --command true --n 3 --dim 2
says 2 "--dim D is needed" check --files folders --n 3

# The point of a small black box is in its report.
printf '#!/bin/sh\nread a b <p.in\nawk -v a=$a -v b=$b "BEGIN {print \\"cost =\\", (a - 1.5)^2 + 10 * (b + 2)^2}" >p.out\n' >beam
chmod +x beam
echo '{x0} {x1}' >p.tpl
beam=(--template p.tpl=p.in --read 'p.out:/cost =/' --dim 2 --quiet)
"$ZOPROX" solve "${beam[@]}" --run ./beam --json >beam.json || wrong "beam --json"
tr -d ' \n' <beam.json | grep -qE '"x":\[1\.(5|49)[0-9]*,-(2\.0|1\.99)[0-9]*\]' || wrong "no x in JSON: $(grep -A3 '"x"' beam.json)"
"$ZOPROX" solve "${beam[@]}" --run ./beam --save best.txt --checkpoint beam.zo >out || wrong "beam"
read -r name first second rest < <(grep '^x ' out)
printf '%s\n' "$first" "$second" | paste - best.txt | awk '{d = $1 - $2; if (!(d * d < 1e-12)) exit 1}' && [ -n "$second" ] && [ -z "$rest" ] ||
    wrong "not the x that was saved: $(grep '^x ' out)"
"$ZOPROX" solve synth:n=50,d=3 --units 5 --quiet | grep -q '^x ' && wrong "x of a data set"
"$ZOPROX" solve synth:n=50,d=3 --units 5 --json --quiet | grep -q '"x": null' || wrong "x of a data set in JSON"
says 2 "of another problem: the program or its files differ" solve "${beam[@]}" --run 'sh beam' --checkpoint beam.zo --resume

# A run that ends before any F is known leaves the file of --save alone.
cp best.txt kept.txt
"$ZOPROX" solve "${beam[@]}" --run false --save best.txt >out 2>err
[ $? = 1 ] && grep -q "no value of F is known yet, so 'best.txt' was not written" err || wrong "all runs fail: $(cat err)"
same best.txt kept.txt "all runs fail"
printf 'touch "$ZOPROX_FROM/begun"\nexec sleep 30\n' >slow.sh
env --default-signal=INT "$ZOPROX" solve "${beam[@]}" --run 'sh slow.sh' --save best.txt >out 2>err &
pid=$!
until [ -e begun ] || ! kill -0 $pid 2>/dev/null; do sleep 0.01; done
kill -INT $pid
wait $pid || wrong "interrupted before the first answer: $(cat err)"
grep -q "'best.txt' was not written" err || wrong "interrupted before the first answer: $(cat err)"
same best.txt kept.txt "interrupted before the first answer"
"$ZOPROX" solve synth:n=50,d=3 --units 5 --track off --save off.x --quiet >/dev/null && [ -s off.x ] || wrong "--track off: nothing saved"
verdict
