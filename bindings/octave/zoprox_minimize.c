/* [x, fval, info] = zoprox_minimize(f, x0, NAME, VALUE, ...) for GNU Octave (and MATLAB): see README.md.
 * SPDX-License-Identifier: MIT */
#include <mex.h>

#include "minimize.h"

typedef struct call {
    mxArray *in[7]; /* of cellfun: f, {x}, {i}, and that errors become their words */
    mxArray *x, *i;
    size_t n;
    char why[400]; /* what the function went wrong with */
} call;

/* cellfun(f, {x}, {i}, "ErrorHandler", ...): the words of an error come back as a value, in Octave as in MATLAB. */
static void open_call(call *c, const mxArray *f, const mxArray *x0, size_t n)
{
    mxArray *text = mxCreateString("@(e, varargin) e.message"), *handler = NULL;
    mxArray *at = mxCreateCellMatrix(1, 1), *number = mxCreateCellMatrix(1, 1);
    size_t k = 0;
    mexCallMATLAB(1, &handler, 1, &text, "str2func");
    *c = (call){.x = mxDuplicateArray(x0), .i = mxCreateDoubleScalar(1), .n = n};
    mxSetCell(at, 0, c->x);
    mxSetCell(number, 0, c->i);
    c->in[k++] = (mxArray *)f;
    c->in[k++] = at;
    if (n > 1) c->in[k++] = number;
    c->in[k++] = mxCreateString("UniformOutput");
    c->in[k++] = mxCreateLogicalScalar(0);
    c->in[k++] = mxCreateString("ErrorHandler");
    c->in[k++] = handler;
}

/* f(x), or f(x, i) with i from 1 where there are several. */
static int value(void *ctx, size_t i, const double *x, double *f)
{
    call *c = ctx;
    mxArray *out = NULL;
    memcpy(mxGetPr(c->x), x, mxGetNumberOfElements(c->x) * sizeof *x);
    *mxGetPr(c->i) = (double)(i + 1);
    mxArray *trouble = mexCallMATLABWithTrap(1, &out, c->n > 1 ? 7 : 6, c->in, "cellfun");
    const mxArray *v = trouble || !out ? NULL : mxGetCell(out, 0);
    int fine = v && mxIsDouble(v) && !mxIsComplex(v) && mxGetNumberOfElements(v) == 1;
    if (fine) *f = *mxGetPr(v);
    if (!fine) strcpy(c->why, "the function must give one real number");
    if (v && mxIsChar(v)) mxGetString(v, c->why, sizeof c->why);
    if (out) mxDestroyArray(out);
    return !fine;
}

static void take_bounds(minimize *m, const char *name, const mxArray *v)
{
    if (!mxIsDouble(v) || mxGetNumberOfElements(v) != m->problem.d)
        mexErrMsgIdAndTxt("zoprox:bounds", "%s: as many numbers as x0 has are needed", name);
    *(!strcmp(name, "lower") ? &m->lower : &m->upper) = mxGetPr(v);
}

static void take_option(minimize *m, const mxArray *key, const mxArray *v)
{
    char name[64], text[1024];
    if (mxGetString(key, name, sizeof name))
        mexErrMsgIdAndTxt("zoprox:option", "options are NAME, VALUE pairs");
    if (!strcmp(name, "lower") || !strcmp(name, "upper")) {
        take_bounds(m, name, v);
        return;
    }
    if (mxIsChar(v))
        mxGetString(v, text, sizeof text);
    else
        snprintf(text, sizeof text, "%.17g", mxGetScalar(v));
    if (minimize_option(m, name, text)) mexErrMsgIdAndTxt("zoprox:option", "%s", m->error.text);
}

static mxArray *info_of(const minimize *m)
{
    static const char *names[] = {"reason", "method",   "queries", "units",
                                  "steps",  "residual", "chosen",  "warning"};
    const zo_report *r = &m->report;
    mxArray *s = mxCreateStructMatrix(1, 1, 8, names);
    mxSetField(s, 0, "reason", mxCreateString(zo_reason_name(r->reason)));
    mxSetField(s, 0, "method", mxCreateString(r->method));
    mxSetField(s, 0, "queries", mxCreateDoubleScalar((double)r->queries));
    mxSetField(s, 0, "units", mxCreateDoubleScalar(r->units));
    mxSetField(s, 0, "steps", mxCreateDoubleScalar((double)r->steps));
    mxSetField(s, 0, "residual", mxCreateDoubleScalar(r->residual));
    mxSetField(s, 0, "chosen", mxCreateString(r->chosen));
    mxSetField(s, 0, "warning", mxCreateString(r->warning));
    return s;
}

void mexFunction(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[])
{
    minimize m;
    char why[512];
    if (nrhs < 2 || nrhs % 2 || !mxIsDouble(prhs[1]) || mxIsEmpty(prhs[1]))
        mexErrMsgIdAndTxt("zoprox:usage",
                          "[x, fval, info] = zoprox_minimize(f, x0, NAME, VALUE, ...)");
    minimize_begin(&m, mxGetNumberOfElements(prhs[1]));
    for (int k = 2; k < nrhs; k += 2) take_option(&m, prhs[k], prhs[k + 1]);
    call c;
    open_call(&c, prhs[0], prhs[1], m.problem.n);
    m.problem.value = value;
    m.problem.ctx = &c;
    int bad = minimize_run(&m, mxGetPr(prhs[1]));
    snprintf(why, sizeof why, "%s", *c.why ? c.why : m.error.text);
    if (!bad) {
        plhs[0] = mxDuplicateArray(prhs[1]);
        memcpy(mxGetPr(plhs[0]), m.x, m.problem.d * sizeof *m.x);
        if (nlhs > 1) plhs[1] = mxCreateDoubleScalar(m.report.objective);
        if (nlhs > 2) plhs[2] = info_of(&m);
    }
    minimize_end(&m);
    if (bad) mexErrMsgIdAndTxt("zoprox:failed", "%s", why);
}
