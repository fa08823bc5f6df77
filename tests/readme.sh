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
if grep -q '^ZO_SANITIZE:BOOL=ON' "$BUILD/CMakeCache.txt"; then flags+=("-fsanitize=address,undefined"); fi
cc "${flags[@]}" -I "$SOURCE/include" fit.c -o fit -L "$BUILD/lib" -Wl,-rpath,"$BUILD/lib" -lzoprox
./fit >out || wrong "its C fails"
printf 'x[%d] = %s\n' 0 0.000 1 1.000 2 2.000 3 2.500 4 2.500 >wanted
sed -i 's/ -0.000/ 0.000/' out
diff wanted out || wrong "its C finds another point"

# The lines of Python, where its modules are; a sanitized library cannot be loaded.
if [ ${#flags[@]} = 6 ] && /usr/bin/python3 -c 'import numpy, cffi' 2>/dev/null; then
    blocks python >fit.py
    PYTHONPATH=$SOURCE/python PYTHONDONTWRITEBYTECODE=1 ZOPROX_LIBRARY=$BUILD/lib/libzoprox.so /usr/bin/python3 fit.py >out ||
        wrong "its Python fails"
    grep -qE '^F = 0\.0090 by [a-z]+, [0-9]+ queries, 8 of 20' out || wrong "its Python finds another point: $(cat out)"
else
    blocks python >fit.py
fi
[ "$(grep -vc '^#' simulator.py)" -le 15 ] || wrong "the simulator has more than 15 lines"

# The commands, one a line.
cp "$SOURCE/examples/workers/worker.py" .
PATH=$BUILD/bin:$PATH
count=0
while read -r line; do
    bash -c "$line" >out 2>err </dev/null || { cat err; wrong "this fails: $line"; }
    [ -s out ] || wrong "this prints nothing: $line"
    case $line in *simulator*) cp out "$(awk '{print $2}' <<<"$line").out" ;; esac
    count=$((count + 1))
done < <(blocks sh)
[ "$count" -ge 5 ] || wrong "only $count commands found"
grep -q 'it can be solved' check.out && grep -qE '^objective +0[.]0090' solve.out || wrong "its simulator is not solved"
[ "$(grep -cv '^-\?0$' x.txt)" = 8 ] || wrong "its simulator needs other parameters: $(cat x.txt)"
[ -s sega.csv ] && [ -s sega.x ] && [ -s run.zo ] || wrong "a file that it promises is not there"

# ./run WORD, wherever it is said.
while read -r word; do
    "$SOURCE/run" help | grep -q "^./run $word" || wrong "./run $word is not a command"
done < <(grep -ohE '\./run [a-z]+' "$SOURCE/README.md" | awk '{print $2}' | sort -u)

# The methods.
zoprox methods --json | grep -oE '"name": *"[a-z]+"' | sed -E 's/.*"([a-z]+)"$/\1/' | sort >names
sed -n '/^## Methods/,/^## What/p' "$SOURCE/README.md" | sed -nE 's/^\| `([a-z]+)` .*/\1/p' | sort >shown
diff names shown || wrong "its methods are not those of zoprox methods"
while read -r name; do [ -f "$SOURCE/docs/methods/$name.md" ] || wrong "docs/methods/$name.md is not there"; done <names
