# A simulator with 4 parameters and 20 cases. SPDX-License-Identifier: MIT
library(zoprox)

misfit <- function(x, i) { # case i: how far is the model from what was measured?
  t <- (i - 1) / 20
  (sum(x * cos(pi * 0:3 * t)) - exp(-3 * t))^2
}
r <- zoprox_minimize(misfit, c(0, 0, 0, 0), n = 20, units = 30)
cat(sprintf("F = %.6f by %s, %d queries (%s)\n", r$value, r$method, r$queries, r$reason))

# One function, within bounds, and a penalty that leaves few parameters.
bowl <- function(x) sum((x - c(3, 0.2, -2))^2)
cat("x =", format(zoprox_minimize(bowl, c(a = 0, b = 0, c = 0), lower = 0, upper = 2)$par, digits = 4), "\n")
cat("x =", format(zoprox_minimize(bowl, c(0, 0, 0), prox = "l1:1")$par, digits = 4), "\n")
