#!/usr/bin/env bash
# What people do to a code that reads one file and writes another: edit its template, quote its name, mistype.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/cli.inc"
cd "$work" || exit 1

# A template and parameters are read once: whatever becomes of the files, and of workers, all runs see the same bytes.
cat >edits.sh <<'SH'
echo run >>"$ZOPROX_FROM/count"
echo '{a} {b} new' >"$ZOPROX_FROM/ed.tpl"
printf '[b]\nlog = true\nstart = 7\n[a]\nfixed = 1\n' >"$ZOPROX_FROM/pp.toml"
cat p.in >>"$ZOPROX_FROM/seen"
case $(wc -l <"$ZOPROX_FROM/count") in 2 | 5) exit 1 ;; esac
read a b rest <p.in
awk -v a=$a -v b=$b 'BEGIN {printf "%.17g\n", (a - 1)^2 + (b - 2)^2}'
env | grep ZOPROX_HELD >>"$ZOPROX_FROM/leaks"
true
SH
echo '{a} {b} old' >ed.tpl
printf '[a]\nstart = 0\n[b]\nstart = 0\n' >pp.toml
"$ZOPROX" solve --template ed.tpl=p.in --run 'sh edits.sh' --read '-:1:1' --parameters pp.toml --queries 20 --workers 2 --quiet --save best.toml >out || wrong "edits"
[ "$(cut -d' ' -f3 seen | sort | uniq -c | tr -s ' ')" = " $(wc -l <count) old" ] || wrong "templates were mixed: $(cut -d' ' -f3 seen | sort | uniq -c)"
grep -qE '^a = (1|0\.99|1\.00)' best.toml || wrong "parameters were mixed: $(cat best.toml)"
[ ! -s leaks ] || wrong "the program sees $(cat leaks)"
echo '{x0} {x1}' | "$ZOPROX" solve --template /dev/stdin=p.in --run 'awk "{print (\$1-1)^2+\$2^2}" p.in' --read '-:1:1' --dim 2 --queries 20 --workers 2 --quiet >out || wrong "a template from a pipe"
rm -rf zoprox-runs
verdict
