# SPDX-License-Identifier: MIT

# Minimizes f(x, ...), or with n above 1 the mean of f(x, i) over i = 1 ... n. Options are those of zo_set: see README.md.
zoprox_minimize <- function(f, x0, n = 1, lower = NULL, upper = NULL, ...) {
  stopifnot(is.function(f), is.numeric(x0), length(x0) > 0)
  wide <- function(v) if (is.null(v)) NULL else rep_len(as.double(v), length(x0))
  options <- list(n = n, ...)
  if (is.null(names(options)) || any(names(options) == "")) stop("options are NAME = VALUE")
  text <- vapply(options, function(v) if (is.character(v)) v else sprintf("%.17g", v), "")
  value <- if (n > 1) f else function(x, i) f(x)
  names_of <- names(x0)
  r <- .Call(zoprox_call, value, as.double(x0), wide(lower), wide(upper), names(text), unname(text), environment())
  names(r$par) <- names_of
  r
}
