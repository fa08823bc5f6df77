/* The losses one number at a time: names, values and derivatives.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "problem/loss/model.h"

static const zo_loss_row rows[] = {
    {"logistic", "log(1 + exp(-y m))", "two classes: the smaller label is -1, the larger +1", 1},
    {"squared", "(m - y)^2 / 2", "any numbers", 1},
    {"huber", "r^2/2 if |r| <= 1, |r| - 1/2 otherwise, r = m - y", "any numbers", 1},
    {"smooth-hinge", "0, t^2/2, t - 1/2 for t <= 0, 0 < t < 1, t >= 1, t = 1 - y m",
     "two classes: the smaller label is -1, the larger +1", 1},
    {"sigmoid", "1/(1 + exp(y m))", "two classes: the smaller label is -1, the larger +1", 0},
    {"softmax", "log sum_c exp(m_c) - m_y", "two or more classes, numbered by rising label", 1},
};

const zo_loss_row *zo_loss_rows(size_t *count)
{
    if (count) *count = sizeof rows / sizeof *rows;
    return rows;
}

zo_status zo_loss_parse(zo_loss *out, const char *name, zo_error *err)
{
    if (!out || !name) return fail(err, ZO_BAD_ARGUMENT, "%s: NULL", out ? "name" : "out");
    size_t count = sizeof rows / sizeof *rows;
    for (size_t k = 0; k < count; k++)
        if (!strcmp(name, rows[k].name)) {
            *out = (zo_loss)k;
            return succeed(err);
        }
    const char *near = text_nearest(name, &rows[0].name, count, sizeof *rows);
    if (near)
        return fail(err, ZO_BAD_ARGUMENT, "loss: '%s' is unknown; did you mean '%s'?", name, near);
    return fail(err, ZO_BAD_ARGUMENT,
                "loss: '%s' is unknown; there are logistic, squared, huber, smooth-hinge, sigmoid "
                "and softmax",
                name);
}

/* 1/(1 + e^a) without overflow. */
static double falling(double a)
{
    double e = exp(-fabs(a));
    return a < 0 ? 1 / (1 + e) : e / (1 + e);
}

double loss_value(zo_loss loss, double m, double y)
{
    double r = m - y, t = 1 - y * m, a = fabs(r);
    switch (loss) {
    case ZO_LOGISTIC: return fmax(-y * m, 0) + log1p(exp(-fabs(m)));
    case ZO_SQUARED: return 0.5 * r * r;
    case ZO_HUBER: return a <= 1 ? 0.5 * r * r : a - 0.5;
    case ZO_SMOOTH_HINGE: return t <= 0 ? 0 : t < 1 ? 0.5 * t * t : t - 0.5;
    case ZO_SIGMOID: return falling(y * m);
    default: return NAN;
    }
}

double loss_slope(zo_loss loss, double m, double y)
{
    double r = m - y, t = 1 - y * m;
    switch (loss) {
    case ZO_LOGISTIC: return -y * falling(y * m);
    case ZO_SQUARED: return r;
    case ZO_HUBER: return fmin(fmax(r, -1), 1);
    case ZO_SMOOTH_HINGE: return -y * fmin(fmax(t, 0), 1);
    case ZO_SIGMOID: return -y * falling(m) * falling(-m);
    default: return NAN;
    }
}

double loss_curvature(zo_loss loss, double m, double y)
{
    double t = 1 - y * m, s = falling(m), c = falling(-m);
    switch (loss) {
    case ZO_LOGISTIC: return s * c;
    case ZO_SQUARED: return 1;
    case ZO_HUBER: return fabs(m - y) <= 1;
    case ZO_SMOOTH_HINGE: return t > 0 && t < 1;
    case ZO_SIGMOID: return y * s * c * (c - s);
    default: return NAN;
    }
}
