# Good and bad command lines: exit codes, and a sentence that says what would be right.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/cli.inc"

prints 'zoprox ' --version
prints 'Usage: zoprox COMMAND' --help
prints 'Usage: zoprox COMMAND' help
for command in solve tune reproduce report optimum data methods proxes settings selftest completion manual; do
    prints "Usage: zoprox $command" "$command" --help
    prints 'Examples:' help "$command"
done
prints '--checkpoint FILE' solve --help
prints 'zpdvr' methods
prints 'zpdvr' methods zpdvr
prints 'simplex' proxes
prints 'radius' settings
prints '| `radius` |' settings --markdown
prints '"name": "zpdvr"' methods --json
prints '"name": "l1"' proxes --json
prints '"name": "step"' settings --json
prints 'ok ' selftest
prints '_zoprox' completion bash
prints '#compdef zoprox' completion zsh
prints '.TH ZOPROX 1' manual

while IFS='|' read -r code text line; do
    [ -n "$code" ] || continue
    eval "set -- $line"
    says "$code" "$text" "$@"
done <<'TABLE'
2|unknown command 'slove'; did you mean 'solve'?|slove a9a
2|report takes a run store|report
2|--n N is needed too|check --command x
2|unknown option '--frob'; a command comes first|--frob
2|--n N is needed too|solve --command ./x
2|plugin: cannot load 'x.so'|solve --plugin x.so
2|--files: --n N is needed too|solve --files x
2|solve needs a SOURCE (a file, a name or synth:) or a black box (--command|solve
2|'a' and 'b' were given|solve a b
2|unknown option '--unts'; did you mean '--units'?|solve $small --unts 3
2|unknown option '--bounds'; here it is --prox box:LO,HI, or ranges in the file of --parameters|solve $small --bounds 0,1
2|unknown option '--x0'; here it is --start FILE|solve $small --x0=1
2|unknown option '-u'|solve $small -u 3
2|--units is not an option of 'methods', but of 'solve'|methods --units 3
2|--markdown is not an option of 'solve'|solve $small --markdown
2|--trace is not an option of 'optimum'|optimum $small --trace x
2|--units needs a value: --units U|solve $small --units
2|--trace needs a value: --trace FILE|solve $small --trace --json
2|--json takes no value, but 'yes' was given|solve $small --json=yes
2|--units: '-3' is not a number more than 0|solve $small --units -3
2|--units: '0' is not a number more than 0|solve $small --units 0
2|--units: 'nan' is not a number more than 0|solve $small --units nan
2|--units: 'inf' is not a number more than 0|solve $small --units=inf
2|--units: 'x' is not a number more than 0|solve $small --units x
2|--units: '' is not a number more than 0|solve $small --units=
2|--units: '3 ' is not a number more than 0|solve $small --units '3 '
2|--seconds: '-1' is not a number more than 0|solve $small --seconds -1
2|--queries: '0' is not a whole number of 1 or more|solve $small --queries 0
2|--queries: '-5' is not a whole number of 1 or more|solve $small --queries -5
2|--queries: '2.5' is not a whole number of 1 or more|solve $small --queries 2.5
2|--queries: 'nan' is not a whole number of 1 or more|solve $small --queries nan
2|--queries: '99999999999999999999999' is not|solve $small --queries 99999999999999999999999
2|'99999999999999999999999' is not a whole number below 2^64|solve $small --queries 99999999999999999999999
2|workers: 100000 is outside [1, 4096]|solve --command cat --n 2 --dim 2 --workers 100000
2|--l2 has no use with --command; it goes with a SOURCE|solve --command cat --n 2 --dim 2 --l2 1
2|--loss has no use with --command|solve --command cat --n 2 --dim 2 --loss huber
2|--features has no use with --files; it goes with a data file|solve --files x --n 2 --dim 2 --features 3
2|--features has no use with synth:|solve $small --features 2
2|--features has no use with synth:|optimum $small --features 2
2|--features has no use with synth:|tune $small --features 2 --grid step=1
2|--n has no use with synth:; it goes with --command, --files, --template, --run, --dakota, --python or --fmu|solve $small --n 3
2|it goes with --command, --files, --template, --run, --dakota, --python, --fmu or --plugin|solve $small --points 3
2|--workers has no use with a SOURCE|solve a9a --workers 3
2|--journal has no use with synth:|solve $small --journal x
2|--journal has no use with --plugin|solve --plugin x.so --journal x
2|--dim has no use with --plugin|check --plugin x.so --dim 3
2|--arg has no use with --command; it goes with --plugin|solve --command cat --n 2 --dim 2 --arg 3
2|--keep-folders has no use with --command; it goes with --files|solve --command cat --n 2 --dim 2 --keep-folders
2|--shell has no use with --files; it goes with --command|solve --files x --n 2 --dim 2 --shell
2|prox "bounds:/nowhere/x": file "/nowhere/x" cannot be opened: No such file|solve $small --prox bounds:/nowhere/x
1|save: the name|solve $small --save $work/$(printf 'b%.0s' {1..250})
2|--steps: '0' is not a whole number of 1 or more|solve $small --steps 0
2|--target: 'nan' is not a finite number|solve $small --target nan
2|--gap: '-1' is not a number of 0 or more|solve $small --gap -1
2|--tol: '0' is not a number more than 0|solve $small --tol 0
2|--every: '0' is not a number more than 0|solve $small --every 0
2|--l2: '-1' is not a number of 0 or more|solve $small --l2 -1
2|--l1: 'nan' is not a number of 0 or more|solve $small --l1 nan
2|--track: 'of' is not one of on|solve $small --track of
2|--threads: '0' is not a whole number of 1 or more|solve $small --threads 0
2|--threads: 100000 is above|solve $small --threads 100000
2|--loss:|solve $small --loss logstic
2|did you mean 'logistic'?|solve $small --loss logstic
2|method: 'zpdvrr' is unknown; did you mean 'zpdvr'?|solve $small --method zpdvrr
2|unknown setting 'stepp'; did you mean 'step'?|solve $small --set stepp=1
2|--set: 'step' is not KEY=VALUE|solve $small --set step
2|--set: '=1' is not KEY=VALUE|solve $small --set =1
2|step: '0' is not a number more than 0|solve $small --step 0
2|step: '-1' is not|solve $small --step=-1
2|step: 'nan' is not|solve $small --set step=nan
2|radius: '0' is not|solve $small --radius 0
2|sides: '3' is not|solve $small --sides 3
2|batch: '0' is not|solve $small --batch 0
2|batch: 201 is outside [1, 200]|solve $small --batch 201
2|kind: 'gauss' is not one of|solve $small --kind gauss
2|refresh: '2' is not|solve $small --refresh 2
2|epoch: '1.5' is not|solve $small --epoch 1.5
2|seed: '-1' is not|solve $small --seed -1
2|directions|solve $small --method sega --kind orthogonal --directions 7
2|--resume needs --checkpoint|solve $small --resume
2|--track off: --gap needs the objective|solve $small --track off --gap 1
2|--track off: --target needs the objective|solve $small --track off --target 1
2|the sigmoid loss is not convex|solve $small --loss sigmoid --gap 1e-3
2|not convex|optimum $small --loss sigmoid
2|optimum needs a SOURCE|optimum
2|are the same file|solve $small --trace $work/x --save $work/x
2|trace: '-' is not a file|solve $small --trace -
2|save: '-' is not a file|optimum $small --save -
2|checkpoint: '-' is not a file; ./- is one|solve $small --checkpoint -
2|--intercept has no use with --command; it goes with a SOURCE|solve --command cat --n 3 --dim 2 --l1 1 --intercept
2|--intercept has no use with --command; it goes with a SOURCE|eval --command cat --n 3 --dim 2 --l1 1 --intercept --start 1,1
2|--retries: '-1' is not a whole number of 0 or more|solve --command cat --n 3 --dim 2 --retries -1
2|nosuchdata|solve nosuchdata
2|/nowhere/file|solve /nowhere/file
2|synth|solve synth:n=-1
2|synth|solve synth:frob=1
2|frob|solve $small --prox frob:1
2|box|solve $small --prox box:1,-1
2|@0:9|solve $small --prox l1:1@0:9
2|cannot be added|solve $small --l1 1 --prox l2:1
2|overlap|solve $small --prox l1:1@0:4 --prox box:-1,1@3:6
2|unknown name 'zpdvrx'; did you mean 'zpdvr'?|methods zpdvrx
2|--json and --markdown|methods --json --markdown
2|'fish' is not a shell|completion fish
2|'' is not a shell|completion
2|'x' is one word too many|selftest x
1|trace: |solve $small --trace /nowhere/x.csv
1|save: |solve $small --save /nowhere/x
1|checkpoint: |solve $small --checkpoint /nowhere/x
1|is a folder|solve $small --save $work
1|trace: '/dev/full' was not written: No space left on device|solve $small --trace /dev/full --quiet
TABLE

# no command at all: the help, as an error
"$ZOPROX" >"$work/out" 2>"$work/err"
[ $? = 2 ] && [ ! -s "$work/out" ] && grep -q Usage "$work/err" || wrong "zoprox alone"

# a run that learns nothing ends like one that is done, but for a warning
"$ZOPROX" solve "$small" --method pgd --radius 1e-30 --units 5 >"$work/out" 2>"$work/err"
grep -q 'warning: f never changed within radius 1e-30' "$work/err" || wrong "no warning of a radius too small"

# what is not text is not shown as it is
printf '\001\033[31m\n' >"$work/binary"
"$ZOPROX" solve "$small" --prox "bounds:$work/binary" >"$work/out" 2>"$work/err"
[ $? = 2 ] && grep -q 'line 1: "\\x01\\x1b\[31m" is not a number' "$work/err" || wrong "a binary file: $(cat "$work/err")"
rm -f "$work/binary"

# an index that memory does not do for is named with its line
if ! grep -q '^ZO_SANITIZE:BOOL=ON' "$BUILD/CMakeCache.txt"; then
    printf '1 1:1\n-1 2:1 4000000000:1\n1 3:2\n' >"$work/wide"
    (ulimit -v 16000000 && exec "$ZOPROX" solve "$work/wide" --quiet) >"$work/out" 2>"$work/err"
    [ $? = 1 ] && grep -q 'wide:2:[0-9]*: index 4000000000: out of memory' "$work/err" || wrong "a large index: $(cat "$work/err")"
    rm -f "$work/wide"
fi

# nothing was written by any of these
[ "$(ls "$work" | sort | tr '\n' ' ')" = "err out " ] || wrong "left over: $(ls "$work")"
verdict
