# A build without SQLite: everything else works, and what needs a store says why it cannot. Long: it builds the command.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/cli.inc"
[ -n "${ZO_LONG:-}" ] || { echo "skipped: builds the command once more; ./run test all does it"; exit 77; }
cmake -S "$SOURCE" -B "$work/bare" -G Ninja -DZO_SQLITE=OFF -DZO_MPI=OFF >"$work/log" 2>&1 &&
    cmake --build "$work/bare" --target zoprox_tool >>"$work/log" 2>&1 || { tail -n 20 "$work/log"; wrong "it does not build"; verdict; }
ZOPROX=$work/bare/bin/zoprox
cd "$work" || exit 1
ldd "$ZOPROX" | grep -q sqlite && wrong "SQLite is linked"
prints '"gap"' solve $small --units 3 --optimum 0 --json --quiet
says 1 "store: 'zoprox.runs': this build has no SQLite" tune $small --grid step=1
says 1 "store: 'there/zoprox.runs': this build has no SQLite" reproduce bias --quick --out there
says 1 "store: 'x.runs': this build has no SQLite" report x.runs
cc -std=c11 -O2 "$SOURCE/tests/support/slow.c" -o slow -lm
says 2 "history: 'h.db' is an SQLite file by its name, and this build has no SQLite; use CSV" solve --command './slow 2 2 0' --n 2 --dim 2 --units 3 --history h.db
prints "stopped at" solve --command './slow 2 2 0' --n 2 --dim 2 --units 3 --history h.csv --quiet
[ -s h.csv ] || wrong "no CSV"
verdict
