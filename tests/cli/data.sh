# zoprox data: names, formats, downloads from a server on this machine.
# SPDX-License-Identifier: MIT
set -euo pipefail
unset ZOPROX_MIRROR
real=${ZOPROX_DATA:-}
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"
export XDG_DATA_HOME=$work/user ZOPROX_DATA=$work/own
mkdir -p own user site/binary
kept=$XDG_DATA_HOME/zoprox

bad() { echo "data.sh: $*" >&2; exit 1; }
# refused CODE TEXT COMMAND...: it fails with that code and one line that has TEXT
refused() {
    local code=0 want=$1 text=$2
    shift 2
    "$@" >out 2>err || code=$?
    [ "$code" = "$want" ] || bad "'$*' ended with $code instead of $want: $(cat err)"
    [ "$(wc -l <err)" = 1 ] || bad "'$*' did not say one line: $(cat err)"
    grep -qF -- "$text" err || bad "'$*' does not say '$text': $(cat err)"
}
fact() { "$ZOPROX" data info "$1" | awk -v key="$2" '$1 == key {print $2}'; }

# ---- formats -----------------------------------------------------------------------------------------------
awk 'BEGIN {for (i = 0; i < 3000; i++) print (i % 2 ? "+1" : "-1"), i % 7 + 1 ":" i / 8, i % 5 + 9 ":1"}' >own/plain
whole=$(fact plain fingerprint)
[ -n "$whole" ] || bad "no fingerprint"
pack() { case $1 in gz) gzip ;; bz2) bzip2 ;; xz) xz ;; zst) zstd -q ;; esac; }
kinds="gz bz2 xz zst"
gzip <own/plain >try.gz
if ! "$ZOPROX" data info try.gz >/dev/null 2>err && grep -q "built without libarchive" err; then
    echo "data.sh: $(cat err)"
    kinds=
fi
for kind in $kinds; do
    pack $kind <own/plain >own/packed.$kind
    mkdir -p one-$kind && cp own/packed.$kind one-$kind/set.$kind
    [ "$(ZOPROX_DATA=one-$kind fact set fingerprint)" = "$whole" ] || bad "$kind: another set"
    [ "$("$ZOPROX" data info - <own/packed.$kind | awk '$1 == "fingerprint" {print $2}')" = "$whole" ] || bad "$kind from a pipe"
    size=$(stat -c %s own/packed.$kind)
    head -c $((size * 2 / 3)) own/packed.$kind >cut.$kind
    refused 2 "cut off" "$ZOPROX" data info cut.$kind
    grep -q "cut.$kind:[0-9]*:[0-9]*: " err || bad "no line and column: $(cat err)"
    { head -c $((size / 2)) own/packed.$kind; head -c 40 /dev/zero | tr '\0' x; tail -c +$((size / 2 + 41)) own/packed.$kind; } >hurt.$kind
    refused 2 "hurt.$kind:" "$ZOPROX" data info hurt.$kind
done
[ "$("$ZOPROX" data info - <own/plain | awk '$1 == "fingerprint" {print $2}')" = "$whole" ] || bad "standard input"
: >empty
refused 2 "empty: empty; a line is LABEL INDEX:VALUE" "$ZOPROX" data info empty
gzip <empty >none.gz
[ -z "$kinds" ] || refused 2 "none.gz: empty" "$ZOPROX" data info none.gz
refused 2 "standard input:1:1: label 'x'" "$ZOPROX" data info - <<<"x"
head -c 1000 "$ZOPROX" >binary
refused 2 "binary:1:1: byte 0x7f" "$ZOPROX" data info binary
refused 2 "not-here/set: no such file" "$ZOPROX" data info not-here/set
chmod 000 empty
if [ "$(id -u)" != 0 ]; then refused 2 "empty: cannot be opened: Permission denied" "$ZOPROX" data info empty; fi

# ---- names -------------------------------------------------------------------------------------------------
[ "$("$ZOPROX" data path plain)" = own/plain ] || [ "$("$ZOPROX" data path plain)" = "$work/own/plain" ] || bad "path"
refused 2 "'zoprox data fetch a9a' downloads it" "$ZOPROX" data path a9a
refused 2 "ZOPROX_DATA = $work/own" "$ZOPROX" data path a9a
refused 2 "not in $work/user/zoprox" "$ZOPROX" data path a9a
refused 2 "did you mean mushrooms?" "$ZOPROX" data path mushroms
refused 2 "'zoprox data list' names" "$ZOPROX" data path something-else-entirely
cp own/plain own/covtype.libsvm.binary.scale
[ "$("$ZOPROX" data path covtype)" = "$work/own/covtype.libsvm.binary.scale" ] || bad "alias"
rm own/covtype.libsvm.binary.scale
mkdir rows && refused 2 "rows: a folder, not a file" "$ZOPROX" solve rows
refused 2 ".: a folder, not a file" "$ZOPROX" solve .
mkdir a9a # a folder is no data set
refused 2 "'zoprox data fetch a9a'" "$ZOPROX" data path a9a
rmdir a9a
"$ZOPROX" data list | grep -q '^a9a .*32561' || bad "list"
"$ZOPROX" data list --json | python3 -c '
import json, sys
rows = json.load(sys.stdin)
assert len(rows) >= 14 and all(r["name"] and r["url"].startswith("https://") for r in rows), rows
' || bad "list --json"
"$ZOPROX" data info plain --json | python3 -c '
import json, sys
row = json.load(sys.stdin)
assert (row["n"], row["d"], row["nonzeros"], row["labels"], row["storage"]) == (3000, 13, 5999, 2, "sparse"), row
' || bad "info --json"
"$ZOPROX" data info synth:n=50,d=5 >/dev/null
refused 2 "did you mean kind?" "$ZOPROX" data info synth:knd=gaussian
refused 2 "one of list, fetch, path and info" "$ZOPROX" data
refused 2 "did you mean 'fetch'" "$ZOPROX" data fetsch a9a

# ---- downloads ---------------------------------------------------------------------------------------------
command -v python3 >/dev/null || { echo "data.sh: no python3, downloads are not tested"; exit 77; }
python3 "$SOURCE/tests/support/range_server.py" "$work/site" "$work/log" "$work/port" 2>/dev/null &
server=$!
for _ in $(seq 200); do [ -s port ] && break; sleep 0.05; done
[ -s port ] || bad "the server did not start"
mirror=http://127.0.0.1:$(cat port)
fetch() { "$ZOPROX" data fetch --quiet --mirror "$mirror" "$@"; }
asked() { tail -n 1 log; }
if ! fetch heart_scale 2>err && grep -q "built without" err; then cat err; exit 77; fi

# a set known by its counts: 270 rows, 13 columns, 3378 nonzeros
awk 'BEGIN {for (i = 0; i < 270; i++) {printf "%d", i % 2; for (j = 1; j <= 13; j++) if (i >= 132 || j != 3) printf " %d:%.4f", j, 1 + (i * j) % 97; print ""}}' >heart
cp heart site/binary/heart_scale
[ "$(fetch heart_scale)" = "$kept/heart_scale" ] || bad "where is it?"
cmp heart "$kept/heart_scale"
[ "$(fact heart_scale nonzeros)" = 3378 ] || bad "heart_scale was not found by its name"
before=$(wc -l <log)
fetch heart_scale >/dev/null
[ "$(wc -l <log)" = "$before" ] || bad "a set that is there was fetched again"
"$ZOPROX" data fetch heart_scale --mirror "$mirror/" --json | python3 -c '
import json, sys
assert json.load(sys.stdin)[0]["path"].endswith("/heart_scale")' || bad "fetch --json"
rm "$kept/heart_scale"
ZOPROX_MIRROR=$mirror "$ZOPROX" data fetch heart_scale >/dev/null 2>note || bad "ZOPROX_MIRROR"
grep -q "the text differs from the copy" note || bad "no note on the text: $(cat note)"

# refused: not there, nobody there, another set
refused 1 "/binary/phishing: the server answers 404" fetch phishing
refused 1 "http://127.0.0.1:1/binary/phishing: " "$ZOPROX" data fetch phishing --mirror http://127.0.0.1:1
refused 2 "did you mean 'phishing'" fetch heart_scale fishing
refused 1 "rotocol" "$ZOPROX" data fetch phishing --mirror "file://$work/site"
head -n 100 heart >site/binary/mushrooms
refused 1 "n, d, nonzeros are 100, 13, 1200, but mushrooms has 8124, 112, 170604; it is removed" fetch mushrooms
echo "1 1:1 x" >site/binary/mushrooms
refused 1 ":1:7: 'x' is not INDEX:VALUE; it is removed" fetch mushrooms
cp heart site/binary/a9a
echo old >"$kept/a9a"
refused 1 "that of a9a is f5d5ffd8d865" fetch a9a
[ "$(cat "$kept/a9a")" = old ] || bad "a wrong copy has replaced what was there"
[ -z "$(find "$kept" -name '*.part')" ] || bad "a part is left: $(ls "$kept")"
rm "$kept/a9a"

# broken off, and gone on from there
rm "$kept/heart_scale"
echo cut 5000 >site/binary/heart_scale.rule
refused 1 "broke off" fetch heart_scale
[ "$(stat -c %s "$kept/heart_scale.part")" = 5000 ] || bad "the part was not kept"
fetch heart_scale >/dev/null
[ "$(asked)" = "/binary/heart_scale bytes=5000- 206" ] || bad "not resumed: $(asked)"
cmp heart "$kept/heart_scale"
[ ! -e "$kept/heart_scale.part" ] || bad "the part is still there"

# a server without parts; a part that is already whole
echo whole >site/binary/heart_scale.rule
mv "$kept/heart_scale" kept-heart
head -c 700 heart >"$kept/heart_scale.part"
fetch heart_scale >/dev/null
cmp heart "$kept/heart_scale"
rm site/binary/heart_scale.rule
mv "$kept/heart_scale" "$kept/heart_scale.part"
fetch heart_scale >/dev/null
cmp heart "$kept/heart_scale"

# killed in between
mkdir -p site/regression
awk 'BEGIN {for (i = 0; i < 506; i++) {printf "%d", i; for (j = 1; j <= 13; j++) printf " %d:%.5f", j, 1 + (i * j) % 89; print ""}}' >housing
cp housing site/regression/housing_scale
echo stall 20000 >site/regression/housing_scale.rule
"$ZOPROX" data fetch --quiet --mirror "$mirror" housing_scale >/dev/null 2>&1 &
client=$!
for _ in $(seq 200); do [ "$(stat -c %s "$kept/housing_scale.part" 2>/dev/null || echo 0)" = 20000 ] && break; sleep 0.05; done
refused 1 "another fetch is at work on it" fetch housing_scale
kill -KILL $client
wait $client 2>/dev/null || true
[ ! -e "$kept/housing_scale" ] || bad "half a file is there"
fetch housing_scale >/dev/null
[ "$(asked)" = "/regression/housing_scale bytes=20000- 206" ] || bad "not resumed after a kill: $(asked)"
cmp housing "$kept/housing_scale"

# no room: what has come is kept
rm "$kept/housing_scale"
rm site/regression/housing_scale.rule
refused 1 "housing_scale.part: File too large; what has come is kept" bash -c 'ulimit -f 16; exec "$@"' - "$ZOPROX" data fetch housing_scale --mirror "$mirror"
fetch housing_scale >/dev/null
grep -q "^/regression/housing_scale bytes=16384- 206" log || bad "not resumed: $(asked)"
cmp housing "$kept/housing_scale"

# a server that is slow for ever, and one that never ends
rm "$kept/housing_scale"
echo drip 2 >site/regression/housing_scale.rule
refused 1 "broke off" "$ZOPROX" data fetch --quiet --mirror "$mirror" housing_scale --timeout 1
rm -f "$kept/housing_scale.part"
echo endless >site/regression/housing_scale.rule
refused 1 "the server sends more than the" fetch housing_scale
[ ! -e "$kept/housing_scale.part" ] || bad "a part without an end was kept"
rm site/regression/housing_scale.rule

# what unpacks to far more than it is
if [ -n "$kinds" ]; then
awk 'BEGIN {for (i = 0; i < 40000; i++) print i % 2, "1:1 2:1"}' | gzip >grows.gz
refused 2 "unpack to more than 1e+05; if this is right, allow more bytes with --unpack" "$ZOPROX" solve grows.gz --units 1 --unpack 1e5
ZOPROX_UNPACK=1e5 refused 2 "or ZOPROX_UNPACK" "$ZOPROX" data info grows.gz
ZOPROX_UNPACK=much refused 2 "ZOPROX_UNPACK: 'much' is not a number of bytes" "$ZOPROX" data info grows.gz
"$ZOPROX" data info grows.gz --unpack 1e7 >/dev/null || bad "--unpack"
fi
if [ -n "${ZO_LONG:-}" ]; then # the rule without an option: a gibibyte
    { echo "1 1:1"; head -c 1100000000 /dev/zero | tr '\0' '\n'; } | xz -0 -T2 >bomb.xz
    refused 2 "allow more bytes with --unpack" "$ZOPROX" solve bomb.xz --units 1
fi

# the exact hash, where a real copy is at hand
if [ -n "$real" ] && [ -f "$real/a9a.xz" ]; then
    xz -dc "$real/a9a.xz" >site/binary/a9a
    [ "$(fetch a9a)" = "$kept/a9a" ] || bad "the real a9a was refused"
    [ "$(fact a9a nonzeros)" = 451592 ] || bad "a9a"
fi
echo "data.sh: good"
