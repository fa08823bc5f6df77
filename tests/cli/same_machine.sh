# All methods take the same path, bit for bit, on every machine: with plain instructions, AVX2 and AVX-512 here, and with
# ZO_LONG=1 under qemu on old and new x86-64 and on aarch64. tests/same_machine.txt has the hashes, of every task and method;
# where a method is changed on purpose,
#
#     ZO_REMAKE=1 ./run test same_machine
#
# writes them anew. SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/cli.inc"
cd "$work" || exit 1
program=$BUILD/tests/trajectories known=$SOURCE/tests/same_machine.txt

# check NAME COMMAND...: it prints what is known
check() {
    local name=$1 code=0
    shift
    "$@" >out 2>err || code=$?
    case $code in
    0) ;;
    77) echo "$name: $(cat out)"; return ;;
    *) wrong "$name: exit code $code, $(head -c 300 err)"; return ;;
    esac
    diff "$known" out >differ && return
    wrong "$name: $(grep -c '^>' differ) of $(wc -l <"$known") trajectories are not those of tests/same_machine.txt"
    head -n 6 differ
}

if [ -n "${ZO_REMAKE:-}" ]; then "$program" >"$known" || wrong "no trajectories"; fi
for level in plain v3 v4; do check "$level" "$program" $level; done

# The command obeys ZOPROX_ISA, and says what it does not know.
ZOPROX_ISA=plain "$ZOPROX" solve $small --l1 1e-3 --units 2 --save a.x --trace a.csv >/dev/null || wrong "ZOPROX_ISA=plain"
"$ZOPROX" solve $small --l1 1e-3 --units 2 --save b.x --trace b.csv >/dev/null || wrong "no ZOPROX_ISA"
same a.x b.x "ZOPROX_ISA=plain and none"
same_trace a.csv b.csv "ZOPROX_ISA=plain and none"
ZOPROX_ISA=avx says 2 "ZOPROX_ISA: 'avx' is not plain, v3 or v4" methods

# A checkpoint goes on with other instructions, and nothing is said about it.
ZOPROX_ISA=plain "$ZOPROX" solve $small --method inq --l1 1e-3 --units 2 --steps 1 --checkpoint c.zo >/dev/null || wrong "first half"
"$ZOPROX" solve $small --method inq --l1 1e-3 --units 2 --checkpoint c.zo --resume --save c.x --json >c.out || wrong "second half"
ZOPROX_ISA=plain "$ZOPROX" solve $small --method inq --l1 1e-3 --units 2 --save d.x >/dev/null || wrong "straight"
same c.x d.x "resumed with other instructions"
grep -qE '"warning": *(null|"")' c.out || wrong "a warning: $(grep -o '"warning": *"[^"]*"' c.out)"

[ -n "${ZO_LONG:-}" ] || { echo "skipped: other processors under qemu; ./run test all tries them"; verdict; exit; }
[ -z "$(grep '^ZO_SANITIZE:BOOL=ON' "$BUILD/CMakeCache.txt")" ] || { echo "skipped under sanitizers: qemu"; verdict; exit; }

# Processors without AVX, and with AVX2.
if command -v qemu-x86_64-static >/dev/null && [ "$(uname -m)" = x86_64 ]; then
    for cpu in Conroe Haswell; do check "qemu, $cpu" qemu-x86_64-static -cpu $cpu "$program"; done 2>/dev/null
else
    echo "skipped: qemu-x86_64-static is not here"
fi

# aarch64: the library without compressed files, and the program, linked into one.
cross=aarch64-linux-gnu-gcc
command -v $cross >/dev/null && command -v qemu-aarch64-static >/dev/null ||
    { echo "skipped: $cross and qemu-aarch64-static are not both here"; verdict; exit; }
compile() { $cross -std=c11 -O2 -ffp-contract=off -fno-math-errno -I"$SOURCE/include" -I"$SOURCE/src" "$@"; }
export -f compile
export cross SOURCE
find "$SOURCE/src" -name '*.c' | xargs -P 2 -I{} bash -c 'compile -c {} -o "$(echo {} | tr / _).o"' 2>err || wrong "aarch64: $(head -c 500 err)"
compile -D_DEFAULT_SOURCE -static "$SOURCE/tests/support/trajectories.c" ./*.o -o arm -lm -lpthread -ldl 2>err || wrong "aarch64: $(head -c 500 err)"
check aarch64 qemu-aarch64-static ./arm
verdict
