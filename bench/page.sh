#!/usr/bin/env bash
# The report page of 4 sets x 9 methods x 5 seeds: its size, and how soon Chromium has drawn it.
# SPDX-License-Identifier: MIT
#
# page.sh [STORE]: without a store, one is made from small made-up sets under the paper's names, with as many curves and
# points as the real ones have. PICTURES=FOLDER keeps pictures of it: wide, on a phone, dark, printed.
set -euo pipefail
cd "$(dirname "$0")/.."
zoprox=$(realpath "${ZOPROX:-build/release/bin/zoprox}")
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    { echo "page: no Chromium here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
check() { # WHAT VALUE LIMIT
    local verdict
    verdict=$(awk -v v="$2" -v m="$3" 'BEGIN { print v != "" && v + 0 < m ? "ok" : "MISSED" }')
    printf '%-60s %10s  below %-10s %s\n' "$1" "$2" "$3" "$verdict"
    [ "$verdict" = ok ] || failed=1
}

store=${1:-}
if [ -z "$store" ]; then
    mkdir "$work/sets"
    python3 - "$work/sets" <<'P'
import random, sys
random.seed(3)
for name in ('a9a', 'w8a', 'covtype.libsvm.binary.scale', 'gisette_scale.t'):
    truth = [random.gauss(0, 1) for _ in range(12)]
    with open(sys.argv[1] + '/' + name, 'w') as out:
        for i in range(300):
            z = {j: random.gauss(0, 1) for j in range(12) if random.random() < .6}
            y = 1 if sum(truth[j] * v for j, v in z.items()) + random.gauss(0, .5) > 0 else -1
            print('%+d' % y, *('%d:%.4f' % (j + 1, z[j]) for j in sorted(z)), file=out)
P
    ZOPROX_DATA=$work/sets XDG_DATA_HOME=$work/none "$zoprox" reproduce --pairs 32x4 --report-seeds 5 --quiet --out "$work/made" >/dev/null
    store=$work/made/zoprox.runs
fi
page=$work/page.html
"$zoprox" report "$store" -o "$page" >/dev/null

# performance.now() counts from the start of the navigation: reading, parsing and drawing are all in it.
python3 - "$page" <<'P'
import sys
page = open(sys.argv[1]).read()
last = """<script>
const times = {curves: document.querySelectorAll('path.curve').length, drawn: performance.now()};
addEventListener('DOMContentLoaded', () => { times.ready = performance.now();
    const button = document.querySelector('button[aria-pressed]'), begun = performance.now();
    button.click(); times.toggle = performance.now() - begun; button.click();
    document.body.append(Object.assign(document.createElement('pre'), {textContent: 'TIMES' + JSON.stringify(times) + 'SEMIT'})); });
</script>"""
open(sys.argv[1] + '.timed.html', 'w').write(page.replace('</body>', last + '</body>', 1))
P
run_browser() { timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
    --disable-component-update --disable-sync --hide-scrollbars --user-data-dir="$work/profile" "$@" 2>>"$work/browser.err"; }
for k in 1 2 3 4 5; do # the first start of a browser is not the page's fault: the median of five
    run_browser --dump-dom "file://$page.timed.html" | sed -n 's/.*<pre>TIMES\(.*\)SEMIT.*/\1/p' | sed 's/&quot;/"/g'
done >"$work/times"
[ "$(wc -l <"$work/times")" = 5 ] || { echo "page: the browser gives no times: $(tail -n 1 "$work/browser.err")"; exit 77; }
middle() { python3 -c 'import json, sys; print("%.0f" % sorted(json.loads(l)[sys.argv[2]] for l in open(sys.argv[1]))[2])' "$work/times" "$1"; }
echo "$(middle curves) curves"
check "size in bytes" "$(wc -c <"$page")" 3000000
check "all curves drawn, ms (median of 5)" "$(middle drawn)" 1000
check "DOMContentLoaded, ms" "$(middle ready)" 1000
check "a name toggled, ms" "$(middle toggle)" 200
if [ -n "${PICTURES:-}" ]; then
    mkdir -p "$PICTURES"
    run_browser --window-size=1280,2600 --screenshot="$PICTURES/wide.png" "file://$page"
    run_browser --window-size=500,2600 --force-device-scale-factor=1 --screenshot="$PICTURES/phone.png" "file://$page"
    run_browser --window-size=1280,1400 --blink-settings=preferredColorScheme=0 --screenshot="$PICTURES/dark.png" "file://$page"
    run_browser --no-pdf-header-footer --print-to-pdf="$PICTURES/print.pdf" "file://$page"
    cp "$page" "$PICTURES/"
fi
exit $failed
