#!/usr/bin/env bash
# The .c files of a folder form no cycle, and none calls into a later folder (layers.sh): who calls whom is read off the objects, and tsort finds the loops.
# SPDX-License-Identifier: MIT
set -euo pipefail
command -v nm >/dev/null || { echo "skipped: no nm (Debian: binutils)"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# Lines "FOLDER FILE d|u SYMBOL": what each object defines and what it wants.
for part in src/CMakeFiles/zoprox_objects.dir tool/CMakeFiles/zoprox_tool.dir; do
    (cd "$BUILD/$part" && find . -name '*.c.o' | sort | while read -r object; do # those whose source is still there
        source=$SOURCE/${part%%/*}/${object#./}
        [ ! -e "${source%.o}" ] || printf '%s\n' "$object"
    done | xargs nm -A -P) |
        awk -v top="${part%%/*}" '{
            split($1, at, ":"); file = at[1]; sub(/^\.\//, "", file); sub(/\.c\.o$/, "", file)
            folder = file; if (!sub(/\/[^\/]*$/, "", folder)) folder = "."
            kind = $3 == "U" ? "u" : $3 ~ /^[TDRBV]$/ ? "d" : ""
            if (kind != "") print top "/" folder, top "/" file, kind, $2
        }'
done >"$dir/symbols"
[ -s "$dir/symbols" ] || { echo "cycles: no objects in $BUILD"; exit 1; }

bad=0
cut -d' ' -f1 "$dir/symbols" | sort -u >"$dir/folders"
while read -r folder; do
    awk -v folder="$folder" '$1 == folder && $3 == "d" {home[$4] = $2} $1 == folder && $3 == "u" {want[$2 " " $4]}
        END {for (pair in want) {split(pair, p, " "); if (home[p[2]] != "" && home[p[2]] != p[1]) print p[1], home[p[2]]}}' \
        "$dir/symbols" | sort -u >"$dir/edges"
    tsort <"$dir/edges" >/dev/null 2>"$dir/loops" && continue
    echo "cycles: in $folder:"
    sed -n 's/^tsort: \([a-z]\)/  \1/p' "$dir/loops" | sed 's/^  -: input contains a loop:/  a loop:/' | head -n 40
    bad=1
done <"$dir/folders"

# The table of methods is what a method's core looks others up in; nothing else calls against the order of layers.
order=$(sed -n 's/^order="\(.*\)"/\1/p' "$SOURCE/tests/layers.sh")
grep '^src/' "$dir/symbols" | awk -v order="$order" '
    BEGIN {count = split(order, folder, " "); for (k = 1; k <= count; k++) rank["src/" folder[k]] = k}
    $3 == "d" {home[$4] = $2; where[$4] = $1}
    $3 == "u" {want[$1 " " $2 " " $4]}
    END {for (call in want) {
        split(call, c, " ")
        if (where[c[3]] != "" && rank[where[c[3]]] > rank[c[1]] && home[c[3]] != "src/method/table") print "  " c[2], "calls", c[3], "of", home[c[3]]
    }}' | sort >"$dir/against"
if [ -s "$dir/against" ]; then
    echo "cycles: calls against the order of layers:"
    head -n 20 "$dir/against"
    bad=1
fi
exit $bad
