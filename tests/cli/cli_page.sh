#!/usr/bin/env bash
# --page: a page of the run while it goes on, on a port or in a file; nothing is left behind, and the run is the same.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/cli.inc"
cd "$work" || exit 1
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
cc -std=c11 -O2 -Wall -Wextra -Werror "$SOURCE/tests/support/slow.c" -o slow -lm || wrong "slow.c does not compile"
mkdir tmp
export TMPDIR=$work/tmp
box=(--n 10 --dim 6 --units 12 --method fista --workers 2)
"$ZOPROX" solve --command './slow 10 6 0' "${box[@]}" --quiet --save x0 >/dev/null || wrong "a run"
cat >reader.py <<'P' # it is there before the run is: on a busy machine a run may be over while Python starts
import json, re, sys, time, urllib.request
print("there", flush=True)
while not (found := re.search(r"http\S*", open("url").read())):
    time.sleep(0.01)
url = found[0]
assert "zoprox" in urllib.request.urlopen(url, timeout=60).read().decode()
seen = []
while True:
    d = json.load(urllib.request.urlopen(url + "data", timeout=60))
    seen.append(d["evaluations"])
    if d["progress"] and d["progress"]["event"] == "end":
        break
    time.sleep(0.01)
assert seen == sorted(seen) and seen[0] < seen[-1] and len(d["cases"]) == 10, seen
P
: >url
python3 reader.py >reader &
reader=$!
until [ -s reader ]; do kill -0 $reader 2>/dev/null || break; sleep 0.01; done
"$ZOPROX" solve --command './slow 10 6 2' "${box[@]}" --page 0 --save x >out 2>url &
solve=$!
wait $reader || wrong "the page beside a run: $(cat url)"
wait $solve || wrong "the run: $(cat url)"
same x x0 "a page beside it"
[ -z "$(ls tmp)" ] || wrong "left in the temporary folder: $(ls tmp)"

# In a file, with residuals by case against what was measured; a run that is interrupted has its page.
cat >decay <<'END1'
awk '{for (i = 0; i < 12; i++) printf "%.17g\n", $1 * exp(-$2 * i / 2) + $3}' p.in >p.out
END1
printf '{x0} {x1} {x2}' >p.tpl
awk 'BEGIN {for (i = 0; i < 12; i++) printf "%.17g\n", 3 * exp(-0.35 * i) + 1}' >y.txt
printf '1\n1\n0.5\n' >x0.txt
"$ZOPROX" solve --template p.tpl=p.in --run 'sh decay' --read 'p.out:*:1' --n 12 --dim 3 --residuals squares --targets y.txt --start x0.txt --points 40 --page page.html --quiet >out 2>err ||
    wrong "a page in a file: $(cat err)"
[ ! -s err ] || wrong "words: $(cat err)"
python3 - <<'P' || wrong "the page in a file"
import json, re
d = json.loads(re.search(r'type="application/json">(.*?)</script>', open("page.html").read(), re.S)[1])
assert d["residuals"] and d["progress"]["event"] == "end" and d["best_f"][-1] < 1e-10, d
assert max(map(abs, d["cases"])) < 1e-3 and d["best_f"][0] > 0.1, d
P
# Names and units of parameters, and what the run is.
sed 's/x0/rate/; s/x1/height/; s/x2/offset/' p.tpl >named.tpl
printf 'rate = {start = 1, unit = "1/s"}\nheight = 1\noffset = {start = 0, unit = "mm"}\n' >p.toml
"$ZOPROX" solve --template named.tpl=p.in --run 'sh decay' --read 'p.out:*:1' --n 12 --parameters p.toml --residuals squares --targets y.txt --points 9 --page named.html --quiet >out 2>err || wrong "a page with names: $(cat err)"
python3 - <<'P' || wrong "names and units on the page"
import json, re
d = json.loads(re.search(r'type="application/json">(.*?)</script>', open("named.html").read(), re.S)[1])
assert d["names"] == ["rate", "height", "offset"] and d["units"] == ["1/s", "", "mm"] and d["name"] == "sh decay", d
P
# Failures in the program's own words, and no more.
cat >edge <<'END1'
awk '$1 > 1.5 {print "beyond " 1.5 >"/dev/stderr"; exit 3} {for (i = 0; i < 12; i++) print $1 * exp(-$2 * i / 2) + $3}' p.in >p.out
END1
"$ZOPROX" solve --template named.tpl=p.in --run 'sh edge' --read 'p.out:*:1' --n 12 --parameters p.toml --residuals squares --targets y.txt --points 20 --page edge.html --quiet >out 2>err || wrong "a page with failures: $(cat err)"
python3 - <<'P' || wrong "failures on the page"
import json, re
d = json.loads(re.search(r'type="application/json">(.*?)</script>', open("edge.html").read(), re.S)[1])
assert d["failures"] and len(d["fails"]) and all(re.fullmatch(r"beyond 1.5: 'sh edge' in the folder \S* exited with code 3", why) for _, _, why in d["fails"]), d["fails"]
P
"$ZOPROX" solve --command './slow 10 6 5' "${box[@]}" --units 4000 --seconds 60 --page half.html --quiet >out 2>err &
solve=$!
until [ -s half.html ]; do kill -0 $solve 2>/dev/null || break; sleep 0.01; done
cp half.html first.html
for _ in 1 2; do # it is written again and again
    until ! cmp -s half.html first.html; do kill -0 $solve 2>/dev/null || break; sleep 0.05; done
    cp half.html first.html
done
kill -0 $solve 2>/dev/null || wrong "the page is not written again while the run goes on"
kill -TERM $solve # what a shell starts in the background does not hear SIGINT
wait $solve || wrong "interrupted: $(cat err)"
grep -q '"reason":"request"' half.html || wrong "the end of an interrupted run is not on its page"
[ -z "$(ls tmp)" ] || wrong "left in the temporary folder: $(ls tmp)"
says 2 "it goes with black boxes" solve $small --page 0
says 2 "is above 65535" solve --command ./slow --n 1 --dim 1 --page 70000
# A port that somebody else has: told before the first run.
python3 -c '
import socket, sys, time
s = socket.create_server(("127.0.0.1", 0))
print(s.getsockname()[1], flush=True)
time.sleep(600)' >taken &
holder=$!
until [ -s taken ]; do kill -0 $holder 2>/dev/null || break; sleep 0.02; done
printf "x0,component,value\n1,0,2\n" >known.csv
says 2 "--page: port $(cat taken): Address already in use" solve --shell --command 'touch asked; exec ./slow 10 6 2' "${box[@]}" --page "$(cat taken)"
says 1 "--port: $(cat taken): Address already in use" watch known.csv --port "$(cat taken)"
kill $holder
[ ! -e asked ] || wrong "a program was started although its page cannot be served"
[ -z "$(ls tmp)" ] || wrong "left in the temporary folder: $(ls tmp)"
verdict
