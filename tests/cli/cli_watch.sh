#!/usr/bin/env bash
# zoprox watch: a page that follows a run, from this machine only, and works in a browser, wide and narrow, light and dark.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/cli.inc"
cd "$work" || exit 1
cc -std=c11 -O2 -Wall -Wextra -Werror "$SOURCE/tests/support/slow.c" -o slow -lm || wrong "slow.c does not compile"
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }

# A run that goes on, and a page beside it; the run's bytes are those without.
box=(--n 10 --dim 6 --units 12 --method fista --workers 2 --quiet)
"$ZOPROX" solve --command './slow 10 6 0' "${box[@]}" --save x0 >/dev/null || wrong "a run"
"$ZOPROX" solve --command './slow 10 6 2' "${box[@]}" --history run.csv --progress run.json --save x >/dev/null 2>err &
solve=$!
until [ -s run.csv ] && [ -s run.json ]; do kill -0 $solve 2>/dev/null || break; sleep 0.01; done
watch_of() { # URL FILE ...: of these files, its address in URL
    "$ZOPROX" watch "${@:2}" >"$1" 2>watch.err &
    watch=$!
    until [ -s "$1" ]; do kill -0 $watch 2>/dev/null || { wrong "watch: $(cat watch.err)"; break; }; sleep 0.01; done
}
watch_of url run.csv run.json
python3 - "$(cat url)" $solve <<'P' || wrong "the page that follows"
import http.client, json, socket, sys, time, urllib.request
from urllib.parse import urlsplit
url, solve = sys.argv[1].strip(), int(sys.argv[2])
port = urlsplit(url).port
def get(path, host=None, method="GET"):
    c = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    c.request(method, path, headers={"Host": host} if host else {})
    r = c.getresponse()
    return r.status, dict(r.getheaders()), r.read().decode()
idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(20)]  # as browsers do: nobody waits for them
status, head, page = get("/")
assert status == 200 and "@DATA@" not in page and 'type="application/json">null</script>' in page, status
assert "default-src 'none'" in head["Content-Security-Policy"], head
assert get("/", "evil.example")[0] == 403 and get("/data", "evil.example:%d" % port)[0] == 403
assert get("/etc/passwd")[0] == 404 and get("/", method="POST")[0] == 404
assert get("/", "localhost:%d" % port)[0] == 200
def goes_on():
    try:
        with open("/proc/%d/stat" % solve) as stat:
            return stat.read().split()[2] != "Z"
    except OSError:  # it ended, perhaps while it was read
        return False
seen, n, whole, best, at = [], 0, 0, 0, []
while True:
    running = goes_on()
    d = json.loads(get("/data?n=%d&whole=%d&best=%d" % (n, whole, best))[2])
    assert d["from"] == (whole if n == d["n"] else 0), d  # more components than were known of: all of it anew
    at = (at if d["from"] else []) + d["at"]
    n, whole, best = d["n"], len(at), d["best_from"] + len(d["best_at"])
    seen.append(d["evaluations"])
    if d["progress"] and d["progress"]["event"] == "end":
        break
    assert running or d["progress"], d
    time.sleep(0.02)
assert seen == sorted(seen), seen
assert d["n"] == 10 and d["d"] == 6 and at == sorted(at) and whole > 5 and len(d["cases"]) == 10, d
all_ = json.loads(get("/data")[2])
assert all_["at"] == at and len(all_["best_x"][0]) == 6
with open("run.csv", "a") as out:  # more comes: a better point, and a line that is not all there
    for i in range(10):
        out.write("0.5,0.5,0.5,0.5,0.5,0.5,%d,0.001,0,,%d,\n" % (i, 10 ** 6 + i))
    out.write("0.5,0.5")
d = json.loads(get("/data?n=%d&whole=%d&best=%d" % (n, whole, best))[2])
assert d["evaluations"] == seen[-1] + 10 and d["from"] == whole and len(d["f"]) == 1 == len(d["best_x"]), d
assert d["best_x"] == [[0.5] * 6] and d["cases"] == [0.001] * 10, d
P
wait $solve || wrong "the run: $(cat err)"
same x x0 "watched"
kill -TERM $watch # what a shell starts in the background does not hear SIGINT
wait $watch || wrong "watch ends with code $?"
ss -ltn 2>/dev/null | grep -q "0.0.0.0:$(sed 's/.*:\([0-9]*\).*/\1/' url)" && wrong "the port is open to others"

# Many points: what is sent is as much as can be seen, with the lowest and the highest, and once.
python3 -c 'print("x0,value"); [print("%d,%.17g" % (k, 2 + (k * 7919 % 20011) / 20011 - (k == 12345) + (k == 777))) for k in range(20000)]' >many.csv
watch_of many.url many.csv
python3 - "$(cat many.url)" <<'P' || wrong "many points"
import json, sys, urllib.request
get = lambda q: json.load(urllib.request.urlopen(sys.argv[1].strip() + "data" + q, timeout=10))
d = get("")
values = [2 + (k * 7919 % 20011) / 20011 - (k == 12345) + (k == 777) for k in range(20000)]
assert d["whole"] == 20000 and 1000 < len(d["f"]) <= 4096 and d["at"] == sorted(set(d["at"])), (d["whole"], len(d["f"]))
assert abs(min(d["f"]) - min(values)) < 1e-9 and abs(max(d["f"]) - max(values)) < 1e-9 and abs(d["best_f"][-1] - min(values)) < 1e-9
assert len(d["best_f"]) == len(d["best_at"]) == len(d["best_x"]) == d["best"] and d["best_x"][-1] == [12345]
d = get("?n=1&whole=%d&best=%d" % (d["whole"], d["best"]))
assert d["f"] == d["best_f"] == d["best_x"] == [] and d["from"] == 20000, d
P
kill -TERM $watch
wait $watch || wrong "watch of many ends with code $?"

# A component that nobody knew of: what was told before is of other sums, and is told anew.
printf 'x0,component,value\n1,0,5\n1,1,7\n2,0,4\n2,1,6\n' >late.csv
watch_of late.url late.csv
python3 - "$(cat late.url)" <<'P' || wrong "a late component"
import json, sys, urllib.request
get = lambda q: json.load(urllib.request.urlopen(sys.argv[1].strip() + "data" + q, timeout=10))
d = get("")
assert d["n"] == 2 and d["f"] == [6, 5], d
with open("late.csv", "a") as out:
    out.write("1,2,9\n2,2,2\n3,0,1\n3,1,1\n3,2,1\n")
d = get("?n=2&whole=2&best=2")
assert d["n"] == 3 and d["from"] == 0 and d["f"] == [7, 4, 1], d
P
kill -TERM $watch
wait $watch || wrong "watch of a late component ends with code $?"

# A page of its own; what a file says is text.
sed '5s/^\(.*\),[^,]*,,\([0-9]*\),[^,]*$/\1,0.1,<img src=x onerror=alert(1)><\/script>,\2,/; 5s/^\([^,]*,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*\),[^,]*,/\1,,/' run.csv >bad.csv
"$ZOPROX" watch bad.csv -o page.html >out || wrong "watch -o"
grep -q '<img src' page.html && wrong "a file's text is part of the page"
grep -q 'u003cimg' page.html || wrong "the failure is not on the page: $(sed -n 5p bad.csv)"
says 2 "No such file" watch /no/such/file
says 2 "watch takes a history" watch
says 2 "is above 65535" watch run.csv --port 70000

# In a browser: what a person would do, done by a script.
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || { echo "no Chromium here: the page is not looked at"; verdict; }
python3 - <<'P'
page = open('page.html').read()
first = "<script>window.faults = []; addEventListener('error', e => faults.push(e.message));</script>"
last = """<script>
const seen = {width: innerWidth, wide: document.documentElement.scrollWidth, dark: matchMedia('(prefers-color-scheme: dark)').matches, paper: getComputedStyle(document.body).backgroundColor};
const ink = id => { const c = document.getElementById(id), p = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; let n = 0; for (let k = 3; k < p.length; k += 4) n += p[k] > 0; return n; };
seen.ink = ['f', 'p', 'c'].map(ink);
const before = document.getElementById('f').toDataURL();
document.getElementById('log').click(); seen.log = document.getElementById('f').toDataURL() !== before; document.getElementById('log').click();
hover = innerWidth / 2; draw(); seen.tip = document.getElementById('tip').textContent;
seen.facts = document.getElementById('facts').textContent; seen.fails = document.getElementById('fails').textContent; seen.faults = faults;
document.body.append(Object.assign(document.createElement('pre'), {id: 'seen', textContent: 'SEEN' + JSON.stringify(seen) + 'NEES'}));
</script>"""
open('driven.html', 'w').write(page.replace('<head>', '<head>' + first, 1).replace('</body>', last + '</body>', 1))
P
for size in 1280,900 390,844; do
    for scheme in 0 1; do # dark, light; two of the four where time is short
        [ -n "${ZO_LONG:-}" ] || [ $size$scheme = 1280,9001 ] || [ $size$scheme = 390,8440 ] || continue
        timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync \
            --user-data-dir="$work/profile" --window-size=$size --blink-settings=preferredColorScheme=$scheme --dump-dom "file://$work/driven.html" >dom 2>browser.err ||
            { echo "the browser does not start: $(tail -n 1 browser.err)"; verdict; }
        python3 - ${size%,*} $scheme <<'P' || wrong "the page at $size, scheme $scheme: $(grep -o 'SEEN.*NEES' dom)"
import html, json, re, sys
seen = json.loads(html.unescape(re.search(r'<pre id="seen">SEEN(.*)NEES', open('dom').read(), re.S)[1]))
assert seen['faults'] == [] and min(seen['ink']) > 500 and seen['log'], seen
assert seen['wide'] <= seen['width'] <= max(int(sys.argv[1]), 500), seen
assert seen['tip'].startswith('at ') and 'best' in seen['tip'] and 'evaluations' in seen['facts'] and '<img' in seen['fails'], seen
assert seen['dark'] == (sys.argv[2] == '0') and ('255' in seen['paper']) != seen['dark'], seen
P
    done
done
verdict
