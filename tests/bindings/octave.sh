#!/usr/bin/env bash
# bindings/octave with Debian's Octave: the example, bounds, what is wrong.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/cli.inc"
command -v octave-cli >/dev/null && command -v mkoctfile >/dev/null || { echo "skipped: no octave-cli or mkoctfile (Debian: octave, octave-dev)"; exit 77; }
nm "$BUILD/lib/libzoprox.so" 2>/dev/null | grep -q __asan && { echo "skipped: a build with ASan"; exit 77; }
cd "$work" || exit 1
mkoctfile --mex -I"$SOURCE/include" -I"$SOURCE/bindings/common" -L"$BUILD/lib" -lzoprox -Wl,-rpath,"$BUILD/lib" "$SOURCE/bindings/octave/zoprox_minimize.c" -o zoprox_minimize.mex >log 2>&1 ||
    { wrong "mkoctfile: $(cat log)"; verdict; }
octave-cli --no-gui --path "$work" "$SOURCE/bindings/octave/example.m" >out 2>&1 || wrong "example: $(cat out)"
grep -q '^F = 0.00.* by .* queries' out && grep -q '^x = \[2 0.2 ' out && grep -q '^x = \[2.5 ' out || wrong "example: $(cat out)"
cat >further.m <<'END1'
1; # a script
function f = bad (x), error ("the mesh is tangled"); end
function t = words (varargin), t = ""; try, zoprox_minimize (varargin{:}); catch e, t = e.message; end, end
assert (strfind (words (@bad, 0), "the mesh is tangled"))
assert (strfind (words (@(x) x, [0 0]), "one real number"))
assert (strfind (words (@sum, [0 0], "stpe", 1), "step"))
assert (strfind (words (@sum, [0 0], "lower", 1), "as many numbers"))
assert (strfind (words (@sum, [0 0], "units", "many"), "is not a number"))
[x, f, info] = zoprox_minimize (@(x) (x(1) - 1) ^ 2 + x(2) ^ 2, [5; 5], "method", "mean", "seed", 3);
assert (size (x), [2 1]); assert (x, [1; 0], 1e-6); assert (info.method, "mean"); assert (f < 1e-10);
disp ("well")
END1
octave-cli --no-gui --path "$work" further.m >out 2>&1
grep -qx well out || wrong "more: $(cat out)"
verdict
