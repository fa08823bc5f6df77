# With little memory a command works or says in a moment why not: it never hangs.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/cli.inc"
cd "$work" || exit 1
nm -D "$ZOPROX" 2>/dev/null | grep -q __asan_init && { echo "AddressSanitizer needs more address space"; exit 77; }

# limited KB ARGUMENTS...: its exit code in $code, 124 when it hung
limited() {
    local kb=$1
    shift
    code=0
    (ulimit -v "$kb" && exec timeout 120 "$ZOPROX" "$@") >out 2>err || code=$?
    [ $code -lt 124 ] || wrong "with $kb KB: zoprox $* ended with $code"
}

limited 150000 methods
[ $code = 0 ] || wrong "methods with 150 MB: $code, $(cat err)"
limited 150000 solve synth:n=2000,d=30 --l1 1e-3 --units 3 --threads 1 --quiet
[ $code = 0 ] || wrong "a small solve with 150 MB: $code, $(cat err)"
for kb in 150000 300000; do # as many threads as are to be had
    limited $kb solve "$small" --units 2 --threads 64 --quiet
    [ $code = 0 ] || wrong "64 threads with $kb KB: $code, $(cat err)"
done
for kb in 100000 150000 200000 300000 400000 550000; do
    limited $kb solve synth:n=4000,d=600,kind=gaussian --l1 1e-3 --units 1.2 --track off --threads 1 --quiet
    [ $code = 0 ] || [ "$(wc -l <err)" = 1 ] || wrong "with $kb KB: more than a sentence: $(cat err)"
done
verdict
