#!/usr/bin/env bash
# bindings/R with Debian's R: installed from the checkout, the example, bounds, what is wrong.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/cli.inc"
command -v R >/dev/null || { echo "skipped: no R (Debian: r-base-core)"; exit 77; }
nm "$BUILD/lib/libzoprox.so" 2>/dev/null | grep -q __asan && { echo "skipped: a build with ASan"; exit 77; }
cd "$work" || exit 1
cp -r "$SOURCE/bindings" . && mkdir lib bin
cat >bin/pkg-config <<END1
#!/bin/sh
case \$1 in --cflags) echo "-I$SOURCE/include" ;; *) echo "-L$BUILD/lib -lzoprox -Wl,-rpath,$BUILD/lib" ;; esac
END1
chmod +x bin/pkg-config # the build tree's, as if it were installed
PATH=$work/bin:$PATH R CMD INSTALL --no-docs --library=lib bindings/R >log 2>&1 || { tail -n 5 log | grep -qi 'gcc: .*not found' && { echo "skipped: R has no compiler (Debian: r-base-dev)"; exit 77; }; wrong "R CMD INSTALL: $(tail -n 15 log)"; verdict; }
export R_LIBS=$work/lib
Rscript bindings/R/example.R >out 2>&1 || wrong "example: $(cat out)"
grep -q '^F = 0.00.* by .* queries' out && grep -qE '^x = 2.0 +0.2 +0.0' out && grep -qE '^x = +2.5' out || wrong "example: $(cat out)"
cat >more.R <<'END1'
library(zoprox)
words <- function(...) tryCatch({ zoprox_minimize(...); "" }, error = conditionMessage)
has <- function(text, part) stopifnot(grepl(part, text, fixed = TRUE))
has(words(function(x) stop("the mesh is tangled"), 0), "the mesh is tangled")
has(words(function(x) x, c(0, 0)), "one number")
has(words(sum, c(0, 0), stpe = 1), "step")
has(words(sum, c(0, 0), units = "many"), "is not a number")
r <- zoprox_minimize(function(x) (x[1] - 1)^2 + x[2]^2, c(a = 5, b = 5), method = "mean", seed = 3)
stopifnot(max(abs(r$par - c(1, 0))) < 1e-6, names(r$par) == c("a", "b"), r$method == "mean", r$value < 1e-10)
if (nzchar(Sys.getenv("ZO_LONG"))) gctorture(TRUE) # every allocation collects what nobody holds
stopifnot(zoprox_minimize(function(x) sum(x^2), c(1, 2), queries = 30)$value < 5)
cat("well\n")
END1
Rscript more.R >out 2>&1
grep -qx well out || wrong "more: $(cat out)"
verdict
