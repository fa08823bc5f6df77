#!/usr/bin/env bash
# What README.md shows works: its C compiles and prints what it should, its commands run, its links lead somewhere,
# its methods are the methods.
# SPDX-License-Identifier: MIT
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
wrong() { echo "readme: $*"; exit 1; }
# The blocks of a language; one that begins with "# NAME.py" is that file, and is not printed.
blocks() {
    awk -v open="\`\`\`$1" '$0 == open {on = 1; file = ""; next} /^```/ {on = 0}
        on == 1 {on = 2; if ($0 ~ /^# [a-z]+[.]py$/) file = $2}
        on && file {print > file} on && !file' "$SOURCE/README.md"
}

# Links, from every page.
cd "$SOURCE"
while IFS=: read -r page link; do
    [ -e "$(dirname "$page")/$link" ] || wrong "$page links to $link, which is not there"
done < <(grep -oE '\]\([^)#]+\)' -- *.md docs/*.md docs/methods/*.md | sed -E 's/\]\(([^)]*)\)/\1/' | grep -v 'https\?://')

# The twenty lines.
cd "$dir"
blocks c >fit.c
grep -q main fit.c || wrong "no C in it"
flags=(-std=c11 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)
sanitized=0
if grep -q '^ZO_SANITIZE:BOOL=ON' "$BUILD/CMakeCache.txt"; then sanitized=1 flags+=("-fsanitize=address,undefined"); fi
cc "${flags[@]}" -I "$SOURCE/include" fit.c -o fit -L "$BUILD/lib" -Wl,-rpath,"$BUILD/lib" -lzoprox
./fit >out || wrong "its C fails"
printf 'x[%d] = %s\n' 0 0.000 1 1.000 2 2.000 3 2.500 4 2.500 >wanted
sed -i 's/ -0.000/ 0.000/' out
diff wanted out || wrong "its C finds another point"

# The lines of Python, where its modules are; a sanitized library cannot be loaded.
blocks python >fit.py
[ "$(grep -vc '^#' model.py)" -le 15 ] || wrong "the model has more than 15 lines"
python=0
if [ $sanitized = 0 ] && /usr/bin/python3 -c 'import numpy, cffi' 2>/dev/null; then
    python=1
    export ZOPROX_PYTHON=/usr/bin/python3 PYTHONPATH=$SOURCE/python PYTHONDONTWRITEBYTECODE=1 ZOPROX_LIBRARY=$BUILD/lib/libzoprox.so
    /usr/bin/python3 -c 'import matplotlib' 2>/dev/null || sed -i '/^axes = /,$d' fit.py
    MPLBACKEND=agg /usr/bin/python3 fit.py >out || wrong "its Python fails"
    /usr/bin/python3 plain.py >plain || wrong "its plain function fails"
    [ "$(cat plain)" = '[3. 0.] 1.0' ] || wrong "its plain function ends elsewhere: $(cat plain)"
    grep -qE '^F = 0\.0090 by [a-z]+, [0-9]+ queries, 8 of 20' out || wrong "its Python finds another point: $(cat out)"
fi

# The commands, a block at a time.
cp "$SOURCE/examples/workers/worker.py" .
PATH=$BUILD/bin:$PATH
awk '/^```/ {if (!on && $0 == "```sh") {on = 1; file = "block" ++count ".sh"; next} on = 0} on {print > file}' "$SOURCE/README.md"
if ! command -v gnuplot >/dev/null; then sed -i '/^zoprox plot/d' block*.sh; fi
"$ZOPROX" tune synth:n=20,d=2 --grid step=1 --budget 1 --store probe >/dev/null 2>err || ! grep -q 'no SQLite' err || sed -i '/^zoprox tune/d' block*.sh
for block in block*.sh; do
    if [ $python = 0 ]; then sed -i '/--python/d' "$block"; fi
    bash -euo pipefail "$block" >"$block.out" 2>&1 </dev/null || { tail -n 3 "$block.out"; wrong "this fails: $(cat "$block")"; }
done
[ -s block4.sh ] || wrong "a block of commands is missing"
found() { grep -qE -- "$1" block*.out || wrong "$2: $(cat block*.out)"; }
[ "$(printf '%.4f ' $(cat cost/best.txt))" = '3.0000 0.0000 ' ] || wrong "its cost ends elsewhere: $(cat cost/best.txt)"
found '^  rate +0[.]509.* 0[.]00[0-9]' "its decay is not fitted, or without errors"
[ -s decay/fit.toml ] && [ -s decay/fit.html ] || wrong "a file of the decay is not there"
if [ $python = 1 ]; then
    found 'it can be solved' "its function is not checked"
    found '^objective +0[.]0090' "its function is not solved"
    [ "$(grep -cv '^-\?0$' x.txt)" = 8 ] || wrong "its function needs other parameters: $(cat x.txt)"
fi
found 'rows right' "predict does not say how good it is"
for file in sega.csv sega.x run.zo auto.x pgd.csv; do [ -s $file ] || wrong "$file, which it promises, is not there"; done
words=$(sed -n '/^Six words:/,/^$/p' "$SOURCE/README.md" | grep -oE '\*[a-z]+\*' | sort -u | wc -l)
[ "$words" -le 6 ] || wrong "$words words in a glossary of six"

# ./run WORD, wherever it is said.
while read -r word; do
    "$SOURCE/run" help | grep -q "^./run $word" || wrong "./run $word is not a command"
done < <(grep -ohE '\./run [a-z]+' "$SOURCE/README.md" | awk '{print $2}' | sort -u)

# The methods.
zoprox methods --json | grep -oE '"name": *"[a-z]+"' | sed -E 's/.*"([a-z]+)"$/\1/' | sort >names
sed -n '/^## Methods/,/^## What/p' "$SOURCE/README.md" | sed -nE 's/^\| `([a-z]+)` .*/\1/p' | sort >shown
diff names shown || wrong "its methods are not those of zoprox methods"
while read -r name; do [ -f "$SOURCE/docs/methods/$name.md" ] || wrong "docs/methods/$name.md is not there"; done <names
