#!/usr/bin/env bash
# zoprox init: folders that work as they stand, by questions or by options.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/cli.inc"
cd "$work" || exit 1
export PATH=$(dirname "$ZOPROX"):$PATH

# near FILE: the numbers in FILE are 1, 1/2, 1/3, ...
near() { sed 's/.*= *//' "$1" | awk '{d = $1 - 1 / NR; if (!(d * d < 1e-6)) bad = 1} END {exit bad || NR != 3}' || wrong "$1: $(cat "$1")"; }

printf 'files\n3\n6\n' | "$ZOPROX" init files >out 2>err || wrong "questions: $(cat err)"
[ "$(grep -c '?' err)" = 3 ] || wrong "not three questions: $(cat err)"
grep -q 'cd files && ./run.sh' out || wrong "what to do next: $(cat out)"
(cd files && ./run.sh --quiet >log 2>&1) || wrong "files: $(cat files/log)"
near files/best.toml
"$ZOPROX" init value --for files --dim 3 --n 1 >out || wrong "one value"
(cd value && ./run.sh --quiet >log 2>&1) || wrong "one value: $(cat value/log)"
near value/best.toml
says 2 "'files' is already there; name another: zoprox init FOLDER" init files --for files --dim 3 --n 6
mkdir my-case
says 2 "'my-case' is already there; name another: zoprox init FOLDER" init
says 2 "'beans' is not one of" init other --for beans
echo beans | "$ZOPROX" init other >out 2>err && wrong "beans"
[ ! -e other ] || wrong "a folder in spite of a wrong answer"
if command -v python3 >/dev/null; then
    "$ZOPROX" init program --for program --dim 3 --n 6 >out || wrong "program"
    (cd program && ./run.sh --quiet >log 2>&1) || wrong "program: $(cat program/log)"
    near program/best.txt
    "$ZOPROX" init python --for python --dim 3 --n 6 >out || wrong "python"
    if PYTHONPATH=$SOURCE/python ZOPROX_LIBRARY=$BUILD/lib/libzoprox.so python3 -c 'import zoprox' 2>/dev/null; then
        (cd python && PYTHONPATH=$SOURCE/python ZOPROX_LIBRARY=$BUILD/lib/libzoprox.so ./run.sh >log 2>&1) || wrong "python: $(cat python/log)"
    fi
fi
"$ZOPROX" init c --for c --dim 3 --n 6 >out || wrong "c"
(cd c && ZOPROX_FLAGS="-I$SOURCE/include -L$BUILD/lib -lzoprox -Wl,-rpath,$BUILD/lib" ./run.sh >log 2>&1) || wrong "c: $(cat c/log)"
near c/log
verdict
