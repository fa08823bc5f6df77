# The report page in a browser: curves are there, the pointer shows values, names toggle, nothing fails.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/cli.inc"
cd "$work" || exit 1
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    { echo "skipped: no Chromium here"; exit 77; }

"$ZOPROX" tune synth:n=200,d=6,seed=3 --l1 1e-3 --l2 1e-3 --grid 'method=pgd,sega,psvrg;step=0.1..0.7^3' --budget 5 --store a.runs >/dev/null 2>err ||
    { grep -q 'no SQLite' err && { echo "skipped: this build has no SQLite"; exit 77; }; }
"$ZOPROX" tune synth:n=200,d=6,seed=3 --l1 1e-3 --l2 1e-3 --method fista --grid 'step=0.1,0.5' --budget 5 --store a.runs >/dev/null
"$ZOPROX" report a.runs -o page.html >/dev/null || wrong "report"

# What a person would do, done by a script; what it saw goes into an element that --dump-dom prints.
python3 - <<'P'
page = open('page.html').read()
first = "<script>window.faults = []; addEventListener('error', e => faults.push(e.message));</script>"
last = """<script>
const seen = {begun: performance.now()};
const svg = document.querySelector('svg'), box = svg.getBoundingClientRect();
const curves = () => document.querySelectorAll('path.curve').length;
const point = (type, part) => svg.dispatchEvent(new PointerEvent(type, {clientX: box.left + box.width * part, clientY: box.top + 50, bubbles: true}));
seen.curves = curves();
point('pointermove', .5);
seen.tip = document.querySelector('.tip').style.display + ' ' + document.querySelector('.tip').textContent;
const button = document.querySelector('button[aria-pressed]');
button.click(); seen.hidden = curves(); button.click(); seen.again = curves();
const whole = svg.textContent;
point('pointerdown', .3); point('pointerup', .6); seen.zoomed = svg.textContent !== whole;
svg.dispatchEvent(new MouseEvent('dblclick')); seen.back = svg.textContent === whole;
const axis = document.querySelector('select');
axis.value = 'queries'; axis.dispatchEvent(new Event('change')); seen.axis = svg.textContent.includes('queries') && !svg.textContent.includes('(n d)');
seen.tables = document.querySelectorAll('table').length;
seen.wide = [...document.querySelectorAll('.wide')].filter(e => e.scrollWidth > e.clientWidth + 1).length;
seen.page = [document.documentElement.scrollWidth, innerWidth];
seen.text = document.body.innerText;
seen.faults = faults;
document.body.append(Object.assign(document.createElement('pre'), {id: 'seen', textContent: 'SEEN' + JSON.stringify(seen) + 'NEES'}));
</script>"""
open('driven.html', 'w').write(page.replace('<head>', '<head>' + first, 1).replace('</body>', last + '</body>', 1))
P
look() { # SIZE: what the script saw in a window of that size
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
        --disable-component-update --disable-sync --user-data-dir="$work/profile" --virtual-time-budget=3000 --window-size="$1" --dump-dom \
        "file://$work/driven.html" >dom 2>browser.err
}
look 1200,900 || { echo "skipped: the browser does not start: $(tail -n 1 browser.err)"; exit 77; }
python3 - <<'P' || wrong "the page does not work: $(grep -o 'SEEN.*NEES' dom)"
import html, json, re
seen = json.loads(html.unescape(re.search(r'<pre id="seen">SEEN(.*)NEES', open('dom').read())[1]))
assert seen['faults'] == [], seen
assert seen['curves'] == 4 and seen['hidden'] == 3 and seen['again'] == 4, seen
assert seen['tip'].startswith('block') and 'fista' in seen['tip'] and 'e-' in seen['tip'], seen
assert seen['zoomed'] and seen['back'] and seen['axis'] and seen['tables'] >= 3, seen
P
python3 - <<'P' || wrong "words and numbers of the page"
import html, json, re
seen = json.loads(html.unescape(re.search(r'<pre id="seen">SEEN(.*?)NEES', open('dom').read(), re.S)[1]))
text = seen['text']
assert not re.search(r'(^|\D)1 (trials|problems|settings)', text), re.findall(r'.{20}1 (?:trials|problems|settings)', text)
table = text[text.index('How settings were chosen'):]
long = [w for w in re.findall(r'(?:step|radius) [-0-9.e+]{10,}', text)]
assert not long, long
P
# A phone: tables are cards, and nothing is cut off.
look 500,900
python3 - <<'P' || wrong "on a phone"
import html, json, re
seen = json.loads(html.unescape(re.search(r'<pre id="seen">SEEN(.*?)NEES', open('dom').read(), re.S)[1]))
assert seen['wide'] == 0 and seen['page'][0] <= seen['page'][1] <= 600, (seen['wide'], seen['page'])
P
verdict
