/* zoprox_minimize for R.
 * SPDX-License-Identifier: MIT */
#define R_NO_REMAP
#include <R.h>
#include <Rinternals.h>

#include "minimize.h"

typedef struct call {
    SEXP call, where; /* f(x, i), whose arguments are filled in anew */
    size_t d;
    const char *why;
} call;

/* An error of f is R's to report; it must not jump over the library. */
static int value(void *ctx, size_t i, const double *x, double *f)
{
    call *c = ctx;
    int failed = 0;
    SEXP at = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)c->d));
    memcpy(REAL(at), x, c->d * sizeof *x);
    SETCADR(c->call, at);
    SETCADDR(c->call, Rf_ScalarInteger((int)i + 1));
    SEXP out = R_tryEvalSilent(c->call, c->where, &failed);
    if (failed)
        c->why = R_curErrorBuf();
    else if (!Rf_isNumeric(out) || Rf_length(out) != 1)
        c->why = "the function must give one number", failed = 1;
    else
        *f = Rf_asReal(out);
    UNPROTECT(1);
    return failed;
}

static void put(SEXP list, SEXP names, int k, const char *name, SEXP v)
{
    SET_VECTOR_ELT(list, k, v);
    SET_STRING_ELT(names, k, Rf_mkChar(name));
}

static SEXP result(const minimize *m)
{
    const zo_report *r = &m->report;
    SEXP list = PROTECT(Rf_allocVector(VECSXP, 7)), names = PROTECT(Rf_allocVector(STRSXP, 7));
    SEXP x = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)m->problem.d));
    memcpy(REAL(x), m->x, m->problem.d * sizeof *m->x);
    put(list, names, 0, "par", x);
    put(list, names, 1, "value", Rf_ScalarReal(r->objective));
    put(list, names, 2, "reason", Rf_mkString(zo_reason_name(r->reason)));
    put(list, names, 3, "method", Rf_mkString(r->method));
    put(list, names, 4, "queries", Rf_ScalarReal((double)r->queries));
    put(list, names, 5, "units", Rf_ScalarReal(r->units));
    put(list, names, 6, "warning", Rf_mkString(r->warning));
    Rf_setAttrib(list, R_NamesSymbol, names);
    UNPROTECT(3);
    return list;
}

SEXP zoprox_call(SEXP f, SEXP x0, SEXP lower, SEXP upper, SEXP keys, SEXP values, SEXP where)
{
    minimize m;
    minimize_begin(&m, (size_t)Rf_length(x0));
    for (int k = 0; k < Rf_length(keys); k++)
        if (minimize_option(&m, CHAR(STRING_ELT(keys, k)), CHAR(STRING_ELT(values, k))))
            Rf_error("%s", m.error.text);
    m.lower = Rf_isNull(lower) ? NULL : REAL(lower);
    m.upper = Rf_isNull(upper) ? NULL : REAL(upper);
    call c = {PROTECT(Rf_lang3(f, R_NilValue, R_NilValue)), where, m.problem.d, NULL};
    m.problem.value = value;
    m.problem.ctx = &c;
    int bad = minimize_run(&m, REAL(x0));
    SEXP out = PROTECT(bad ? R_NilValue : result(&m));
    char why[512];
    snprintf(why, sizeof why, "%s", c.why ? c.why : m.error.text);
    minimize_end(&m);
    UNPROTECT(2);
    if (bad) Rf_error("%s", why);
    return out;
}
