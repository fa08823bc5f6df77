# The power goes, at any moment: a whole checkpoint is there, old or new, a journal has lost its tail at most, a store is whole.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/cli.inc"
cd "$work" || exit 1
command -v python3 >/dev/null || exit 77
[ -e "$BUILD/tests/power.so" ] || exit 77
cases=${POWER_CASES:-$([ -n "${ZO_LONG:-}" ] && echo 400 || echo 15)}
preload=$BUILD/tests/power.so
nm "$ZOPROX" 2>/dev/null | grep __asan_init >/dev/null && preload="$(cc -print-file-name=libasan.so) $preload"
export ZOPROX

# record NAME COMMAND...: runs it in the folder NAME; NAME.log is what it did to the files, NAME.was how they were before
record() {
    local name=$1
    shift
    cp -a "$name" "$name.was"
    (cd "$name" && stat -c '%i %n' -- *) >"$name.was.map" 2>/dev/null
    (cd "$name" && LD_PRELOAD=$preload POWER_FOLDER=$work/$name POWER_LOG=$work/$name.log "$@") >out 2>err || wrong "$name: $(cat err)"
    [ -s "$name.log" ] || wrong "$name: nothing was recorded"
}

# play NAME CHECK: the losses
play() {
    python3 "$SOURCE/tests/support/power.py" "$1.log" "$1.was" "$1.after" "$cases" 7 bash -c "$2" || wrong "$1"
}

# a checkpoint, from an older one; and the solution
mkdir cp
export problem="$small --method psvrg --step 0.3 --batch 4 --l1 1e-3 --units 6 --seed 4 --quiet --threads 1 --track off"
"$ZOPROX" solve $problem --save straight.x >/dev/null || wrong "straight"
(cd cp && "$ZOPROX" solve $problem --steps 20 --checkpoint run.zo --save x >/dev/null) || wrong "the first checkpoint"
record cp bash -c 'for steps in 40 60 80 100 120 200; do
    "$ZOPROX" solve $problem --checkpoint run.zo --resume --checkpoint-seconds 0 --save x --steps $steps || exit; done'
play cp '[ "$(wc -l <x)" = 6 ] || { echo "x is not whole"; exit 1; }
    "$ZOPROX" solve $problem --checkpoint run.zo --resume --save y >/dev/null && cmp y ../straight.x'

# a journal: what was synced is not asked again, and the end is the same
mkdir jn
export box="--n 20 --dim 3 --method pgd --step 0.3 --seed 4 --workers 1 --track off" worker="$BUILD/tests/worker $work 20 3 0"
(cd jn && "$ZOPROX" solve --command "$worker" $box --units 4 --journal j --quiet >/dev/null) || wrong "the first journal"
record jn "$ZOPROX" solve --command "$worker" $box --units 8 --journal j --save x --quiet
cp jn/x straight.j
export held='s/.*holds the answers to \([0-9]*\) questions.*/\1/p'
play jn 'sure=$(cd ../jn.after.sure && "$ZOPROX" solve --command "$worker" $box --units 8 --journal j --save y 2>&1 >/dev/null | sed -n "$held")
    found=$("$ZOPROX" solve --command "$worker" $box --units 8 --journal j --save y 2>&1 >/dev/null | sed -n "$held")
    [ "${found:-0}" -ge "${sure:-0}" ] || { echo "$found answers are left, and $sure were synced"; exit 1; }
    cmp y ../straight.j'

# a store: whole, with all the trials that were finished before, and the study goes on
mkdir st
export study="$small --l1 1e-3 --method sega --budget 3 --seeds 1 --report-seeds 1 --quiet"
if (cd st && "$ZOPROX" tune $study --grid step=0.1,0.2 --store s.runs >/dev/null 2>"$work/err"); then
    record st "$ZOPROX" tune $study --grid step=0.1,0.2,0.3,0.4 --store s.runs
    export count='import sqlite3; print(sqlite3.connect("s.runs").execute("SELECT count(*) FROM trials").fetchone()[0])'
    export least=$(cd st.was && python3 -c "$count")
    play st '"$ZOPROX" report s.runs -o page.html >/dev/null || exit 1
        sure=$(cd ../st.after.sure && python3 -c "$count")
        [ "$(python3 -c "$count")" -ge "$sure" ] && [ "$sure" -ge "$least" ] || { echo "trials are lost"; exit 1; }
        "$ZOPROX" tune $study --grid step=0.1,0.2,0.3,0.4 --store s.runs >/dev/null'
else
    grep -q 'no SQLite' err || wrong "tune: $(cat err)"
fi
verdict
