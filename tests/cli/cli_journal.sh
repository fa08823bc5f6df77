# A journal and a checkpoint together: an answer that is in the state is not quoted again.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/cli.inc"
cd "$work" || exit 1
command -v python3 >/dev/null || exit 77
cat >noisy.py <<'PY'
import sys, random
random.seed()
log = open(sys.argv[1], "a")
d = int(sys.argv[2])
while True:
    head = sys.stdin.readline().split()
    if not head: break
    kind, ident, np_, nc = head[0], head[1], int(head[2]), int(head[3])
    comp = sys.stdin.readline().split()
    rows = np_ * (nc if kind == "each" else 1)
    pts = [list(map(float, sys.stdin.readline().split())) for _ in range(rows)]
    comps = range(nc) if comp == ["all"] else list(map(int, comp))
    print(ident)
    for p in range(np_):
        out = []
        for k, i in enumerate(comps):
            x = pts[k * np_ + p] if kind == "each" else pts[p]
            out.append(sum((v - i) ** 2 for v in x) + 1e-3 * random.gauss(0, 1))
        print(*[repr(v) for v in out])
        log.write("a\n" * len(out))
    sys.stdout.flush(); log.flush()
PY
for method in inq saga; do
    for steps in 1 3; do
        rm -f cp j log
        run="--n 6 --dim 3 --method $method --units 40 --track off --checkpoint cp --journal j --workers 1"
        "$ZOPROX" solve --command "python3 noisy.py log 3" $run --steps $steps --quiet >/dev/null || wrong "$method: $steps steps"
        "$ZOPROX" solve --command "python3 noisy.py log 3" $run --steps $((steps + 3)) --resume --json --quiet >out || wrong "$method: resumed"
        asked=$(python3 -c 'import json; r = json.load(open("out")); print(r["queries"] + r["watched"])')
        [ "$(wc -l <log)" = "$asked" ] || wrong "$method, stopped after $steps steps: $asked queries, $(wc -l <log) answers"
    done
done

# answers that no checkpoint has seen are not paid for twice
rm -f j log
run="--n 6 --dim 3 --method pgd --units 10 --track off --journal j --workers 1 --quiet"
"$ZOPROX" solve --command "python3 noisy.py log 3" $run >/dev/null || wrong "with a journal"
before=$(wc -l <log)
"$ZOPROX" solve --command "python3 noisy.py log 3" $run >/dev/null || wrong "again with a journal"
[ "$(wc -l <log)" = "$before" ] || wrong "what the journal holds was asked again"


# A journal alone is gone on with, whether or not --resume is said.
rm -f j log
run="--n 6 --dim 3 --method saga --units 40 --track off --journal j --workers 1 --quiet"
"$ZOPROX" solve --command "python3 noisy.py log 3" $run --resume --steps 2 --save two.x >/dev/null || wrong "a journal and --resume, the first time"
asked=$(wc -l <log)
for word in --resume ""; do
    "$ZOPROX" solve --command "python3 noisy.py log 3" $run $word --steps 2 --save again.x >/dev/null || wrong "a journal and '$word'"
    same two.x again.x "a journal and '$word'"
    [ "$(wc -l <log)" = "$asked" ] || wrong "a journal and '$word': asked again"
done
verdict
