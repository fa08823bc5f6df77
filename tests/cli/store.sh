# A store that is damaged, read-only or foreign is called so; a report never leaves trials out in silence.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/cli.inc"
cd "$work" || exit 1
"$ZOPROX" tune $small --grid step=0.1,0.3,1 --method pgd --budget 30 --every 0.2 --report 2 --store s.runs --quiet >/dev/null 2>err ||
    "$ZOPROX" tune $small --grid step=0.1,0.3,1 --method pgd --budget 30 --store s.runs --quiet >/dev/null 2>err
grep -q 'no SQLite' err && exit 77
[ -s s.runs ] || { cat err; exit 1; }
"$ZOPROX" report s.runs -o whole.html >/dev/null || wrong "report"

# every page in turn, filled with something else: said so, or nothing is missing
pages=$(($(stat -c %s s.runs) / 4096))
[ "$pages" -ge 4 ] || wrong "the store has only $pages pages"
missed=0
for page in $(seq 0 $((pages - 1))); do
    cp s.runs damaged.runs
    head -c 4096 /dev/zero | tr '\0' '\245' | dd of=damaged.runs bs=4096 seek="$page" conv=notrunc status=none
    rm -f page.html
    "$ZOPROX" report damaged.runs -o page.html >out 2>err
    code=$?
    if [ $code = 0 ]; then
        cmp -s page.html whole.html || missed=$((missed + 1))
    else
        [ $code = 2 ] && [ "$(wc -l <err)" = 1 ] || wrong "page $page: code $code, $(cat err)"
        grep -qE 'is damaged|is not a run store' err || wrong "page $page: $(cat err)"
        [ ! -e page.html ] || wrong "page $page: a page of a damaged store was written"
    fi
    "$ZOPROX" tune $small --grid step=0.1 --method pgd --budget 3 --store damaged.runs >out 2>err && [ "$page" = 0 ] &&
        wrong "tune went on with a damaged store"
done
[ "$missed" = 0 ] || wrong "$missed of $pages damaged pages were taken for the end of the trials"

# by another name, too
cp s.runs s.db
"$ZOPROX" report s.db -o page.html >/dev/null && cmp -s page.html whole.html || wrong "a store named s.db is not taken for one"

# cut short
head -c 6000 s.runs >short.runs
says 2 "is damaged" report short.runs -o page.html

# a folder and a store that cannot be written: the report is made, tune says what is wrong
mkdir shut
cp s.runs shut/s.runs
rm -f shut/s.runs-* shut/s.runs.lock
chmod 555 shut
chmod 444 shut/s.runs
chmod 777 .
as_nobody=()
[ "$(id -u)" != 0 ] || as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
if "${as_nobody[@]}" test -x "$ZOPROX" 2>/dev/null; then
    "${as_nobody[@]}" "$ZOPROX" report shut/s.runs -o shut.html >out 2>err || wrong "a report from a read-only folder: $(cat err)"
    cmp -s shut.html whole.html || wrong "a report from a read-only folder is another"
    "${as_nobody[@]}" "$ZOPROX" tune $small --grid step=1 --budget 1 --store shut/s.runs >out 2>err && wrong "a read-only store was written"
    grep -qE 'Permission denied|cannot be written' err || wrong "read-only: $(cat err)"
    grep -q 'is not a run store' err && wrong "read-only: $(cat err)"
fi
chmod 755 shut

# names that a browser would read as its own
printf '+1 1:1\n-1 1:2\n+1 2:1\n-1 2:2\n' >'a<!--<script>.txt'
"$ZOPROX" tune 'a<!--<script>.txt' --grid step=0.1,1 --method pgd --budget 3 --store named.runs --quiet >/dev/null || wrong "a strange name"
"$ZOPROX" report named.runs -o named.html >/dev/null || wrong "a strange name in a report"
grep -q '<!--<script>' named.html && wrong "a name is read as part of the page"
grep -qF 'a\u003c!--\u003cscript>' named.html || wrong "the name is lost"

verdict
