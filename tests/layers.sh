#!/usr/bin/env bash
# The rules that a compiler does not check: layers, what src/ may not do, one SPDX line, the format.
# SPDX-License-Identifier: MIT
set -euo pipefail
shopt -s lastpipe # refuse sets bad at the end of a pipe
cd "$SOURCE"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
bad=0
# refuse WHAT: complains of the lines on standard input, if there are any.
refuse() {
    local found
    found=$(head -n 20)
    [ -z "$found" ] || { printf 'layers: %s:\n%s\n' "$1" "$found"; bad=1; }
}

# A file in src/X includes only its own folder and those before it here.
order="base data history problem problem/loss problem/process problem/ranks prox direction subproblem recover method/core method/mean method/lm method/supports method/thin method/component method/curves method/subspaces method/inq method solve optimum"
grep -rnE '^#include "[a-z_0-9]+/' src | sed -E 's@^src/(.*)/[^/]+\.[ch]:[0-9]+:#include "(.*)/[^/]+"@\1 \2 &@' | awk -v order="$order" '
    BEGIN {count = split(order, folder, " "); for (k = 1; k <= count; k++) rank[folder[k]] = k}
    !rank[$1] || !rank[$2] || rank[$2] > rank[$1] {print "  " $3 " " $4}' | refuse "an include against the order of layers ($order)"
find src -mindepth 1 -type d -printf '%P\n' | grep -vxE "${order// /|}" | refuse "a folder that is no layer" || true

find src -mindepth 1 -type d | while read -r folder; do
    lines=$(find "$folder" -maxdepth 1 -name '*.[ch]' -exec cat {} + | wc -l)
    [ "$lines" -le 4500 ] || echo "  $folder: $lines"
done | refuse "a folder of more than 4500 lines"

# src/ without comments and the insides of strings: what is left is code.
find src -name '*.[ch]' | sort | xargs awk '
    FNR == 1 {comment = 0}
    {
        line = $0
        gsub(/\\./, "", line); gsub(/"[^"]*"/, "\"\"", line); out = ""
        while (line != "") {
            if (comment) {
                if (!(at = index(line, "*/"))) break
                line = substr(line, at + 2); comment = 0
            } else if (at = index(line, "/*")) {
                out = out substr(line, 1, at - 1); line = substr(line, at + 2); comment = 1
            } else {out = out line; break}
        }
        sub(/\/\/.*/, "", out)
        print FILENAME ":" FNR ":" out
    }' >"$dir/code"
word='(^|[^a-zA-Z0-9_>.])'
grep -E "$word(printf|fprintf|puts|putchar|perror|exit|_exit|abort|signal|sigaction|raise|rand|srand|setlocale|system)[[:space:]]*\(" \
    "$dir/code" | grep -vE '^src/problem/process/worker.c:.*\b(_exit|signal)\b' | # in the children it forks
    refuse "what a library must not call" || true
grep -v '^src/base/mem.c' "$dir/code" | grep -E "$word(malloc|calloc|realloc|free|aligned_alloc|posix_memalign|strdup)[[:space:]]*\(" |
    refuse "memory that does not come from base/mem.h" || true
grep -E '^[^:]*:[0-9]*:[[:space:]]*static[[:space:]]' "$dir/code" | grep -vE '\b(const|inline)\b|\(' |
    grep -v '^src/base/isa.c:' | # what processor this is, asked once
    refuse "a static variable" || true
grep -E '^[^:]*\.c:[0-9]*:[a-z][a-z_0-9 ]*[ *][a-z_0-9]+(\[[^]]*\])*( = .*)?;' "$dir/code" |
    grep -vE ':(typedef|extern|struct [a-z_]+;|static)|\bconst\b' | refuse "a global variable" || true
# libm's own functions differ in the last digit from machine to machine; what is exact (sqrt, fma, floor, ldexp) may be used.
grep -E "$word(exp|exp2|expm1|log|log2|log10|log1p|pow|cbrt|hypot|sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|erf|erfc|tgamma|lgamma)[[:space:]]*\(" \
    "$dir/code" | grep -vE '^src/(optimum/|problem/loss/model_loss.c:)' | # these shape no trajectory
    refuse "a function of libm where base/real.h has the same bytes everywhere" || true
grep -E ':[[:space:]]*(#[[:space:]]*pragma omp|#[[:space:]]*ifdef __APPLE__)' "$dir/code" | refuse "what belongs in base" || true

# A struct of state that is a list of fields (core/fields.h) is written by the file that its comment names, and has no more than 15 of them.
owned() { # HEADER ROOMS: those that may know of it
    awk '/^\/\* [a-z]+\/[a-z_]+\.c: / {owner = $2; sub(/:.*/, "", owner)} /^#define [A-Z]+_[A-Z]+\(COUNT, NUMBER\)/ {name = tolower($2); gsub(/^[a-z]+_|\(.*/, "", name); print name, owner; owner = ""}' "$1" |
        while read -r name owner; do
            fields=$(grep -cE "^ +(COUNT|NUMBER)\($name, " "$1")
            [ "$fields" -gt 0 ] && [ "$fields" -le 15 ] || echo "  struct $name has $fields fields"
            [ -z "$owner" ] || [ -f "src/method/$owner" ] || echo "  struct $name: $owner is not there"
            [ -z "$owner" ] || grep -E "^src/method/($2)/.*([a-z]->$name\.[a-z_]+(\[[^]]*\])?( [-+*/]?= |\+\+|--)|[+-]{2}[a-z]->$name\.|[a-z]->$name = )" "$dir/code" |
                grep -v "^src/method/$owner:" || true
        done
}
{ owned src/method/component/state.h 'component|curves|subspaces|inq' && owned src/method/supports/supports.h supports && owned src/method/thin/thin.h thin; } |
    refuse "state that its owner does not write" || true

# The same of state that is plain structs: all of mean's but the method itself.
sed -e 's@/\*.*\*/@@' src/method/mean/state.h | awk '
    /^typedef struct [a-z_]+ \{/ {name = $3; fields = 0; next}
    /^\} [a-z_]+;/ {if (name != "mean" && fields > 15) print "  struct " name " has " fields " fields"; name = ""}
    name != "" {fields += gsub(/[,;]/, "&")}' | refuse "state of more than 15 fields"

# What follows is asked of all that is kept.
git ls-files >"$dir/files" 2>/dev/null || true
[ -s "$dir/files" ] || find . -name build -prune -o -name .git -prune -o -type f -print | sed 's@^\./@@' >"$dir/files"
grep -E '\.zoprox-|(^|/)zoprox-runs/' "$dir/files" | refuse "what a run has left" || true
grep -vE '\.(svg|png|xz|gz|bz2|zst)$|^tests/layers.sh$' "$dir/files" | while read -r file; do [ ! -f "$file" ] || echo "$file"; done >"$dir/texts"
grep -E '\.(c|h|sh|cmake|py|check|inc)$|CMakeLists.txt$|(^|/)run$' "$dir/texts" >"$dir/sources"
xargs grep -cF 'SPDX-License-Identifier: MIT' <"$dir/sources" | grep -v ':1$' | refuse "no SPDX line, or several" || true
xargs grep -InE '\b(TODO|FIXME|XXX|HACK)\b' <"$dir/texts" | refuse "a note to oneself" || true
xargs grep -InE '/(work|root|home)/[a-z]|npmjs\.|pypi\.|deb\.debian\.' <"$dir/texts" | refuse "a machine's path or a registry" || true
xargs grep -InP '[ \t]+$|\t' <"$dir/sources" | refuse "tabs or blanks at the end of a line" || true

# The format, where the formatter is the one the project uses.
if command -v clang-format >/dev/null && clang-format --version | grep -q 'version 14'; then
    grep -E '^(src|tool|tests|examples|include|bench)/.*\.[ch]$' "$dir/texts" | xargs clang-format --dry-run 2>&1 |
        sed -nE 's/^([^: ]+):[0-9]+:[0-9]+: .*/\1/p' | sort | uniq -c | refuse "lines that clang-format would change" || true
else
    echo "clang-format 14 is not here: the format is not checked"
fi
exit $bad
