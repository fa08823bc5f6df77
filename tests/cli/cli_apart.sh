# Nothing is written to a file that the command reads, whatever names it: an option, a word, or the line that runs a program.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/cli.inc"
cd "$work" || exit 1
printf '%s\n' '+1 1:0.5 2:1' '-1 1:-1 3:0.25' '+1 2:-0.5' '-1 1:1 2:2 3:3' >d.txt
echo '{x0} {x1}' >t.tpl
printf 'read a b <p.in; echo $a; echo $b\n' >code.sh
cp code.sh 'two words.sh'
printf '1\n2\n' >m.txt
printf '[a]\nstart = 1\n[b]\nstart = 2\n' >pp.toml
printf '0\n0\n0\n' >x.txt
printf 'def misfit(x, i):\n    return x[0] ** 2\n' >model.py
ln t.tpl other.name
mkdir sub
sha256sum d.txt t.tpl code.sh 'two words.sh' m.txt pp.toml x.txt model.py >sums
refused() { # A B ARGS...: the two have one file
    local a=$1 b=$2
    shift 2
    says 2 "$a and $b are the same file" "$@"
    sha256sum --quiet -c sums || wrong "zoprox $*: a file was overwritten"
}
run=(--template t.tpl=p.in --run 'sh code.sh' --read '-:*:1' --n 2 --dim 2 --residuals squares --queries 4)
for option in save trace checkpoint journal history progress page; do
    refused "--$option" --template solve "${run[@]}" "--$option" t.tpl
    refused "--$option" --run solve "${run[@]}" "--$option" ./code.sh
done
refused --save --template solve "${run[@]}" --save other.name
refused --page --run solve "${run[@]}" --run 'sh "two words.sh"' --page 'two words.sh'
refused --page --run solve "${run[@]}" --run "sh $work/code.sh" --page code.sh
refused --save --parameters solve "${run[@]}" --parameters pp.toml --save pp.toml
refused --trace --targets solve "${run[@]}" --targets m.txt --trace m.txt
refused --save --weights solve "${run[@]}" --weights m.txt --save sub/../m.txt
refused --trace --start solve "${run[@]}" --start m.txt --trace m.txt
refused --save --link solve "${run[@]}" --link d.txt --save d.txt
refused --save --command solve --command 'sh code.sh' --n 2 --dim 2 --save code.sh
refused --save --python solve --python model.py:misfit --n 2 --dim 2 --save model.py
refused --save --arg solve --plugin ./none.so --arg d.txt --save d.txt
refused --save SOURCE solve d.txt --save d.txt
refused --save SOURCE optimum d.txt --save d.txt
refused --store SOURCE tune d.txt --grid step=1 --store d.txt
refused --out SOURCE predict d.txt --start x.txt -o d.txt
refused --out --start predict d.txt --start x.txt -o x.txt
refused --trace --save solve "${run[@]}" --save sub/../new --trace new # which is not there yet
[ ! -e new ] || wrong "one file for two was written"

"$ZOPROX" solve "${run[@]}" --history h.csv --trace g.csv --quiet >/dev/null || wrong "a history"
sha256sum h.csv g.csv >>sums
refused --out "a run" watch h.csv -o h.csv
refused --out "a run" report g.csv h.csv -o ./g.csv
cp g.csv g.svg
refused --out "a run" plot g.svg -o g.svg

# What stands in the run's own folder is another file, and the solution may replace the start.
echo mine >p.in
"$ZOPROX" solve --template t.tpl=p.in --run 'sh code.sh p.in >log' --read 'log:*:1' --n 2 --dim 2 --residuals squares --queries 4 --start m.txt --save m.txt --trace p.in --page log --quiet >/dev/null ||
    wrong "names of the run's folder"
verdict
