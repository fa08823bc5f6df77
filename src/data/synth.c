/* Synthetic data, drawn from counters: a row depends on (seed, its number) alone.
 * SPDX-License-Identifier: MIT
 *
 *   onehot      d columns in groups, one 1 in each: categorical features with skewed frequencies, correlated
 *               through two hidden factors. The default is sized and shaped like a9a.
 *   gaussian    z = Q S g, g standard normal, S^2 a geometric spectrum from 1 to 1/kappa, Q orthogonal
 *               (density 1); with a smaller density each entry of S g is kept with that probability. Beyond rank, S is 0.
 *   regression  the features of gaussian, y = w'z + noise e
 *   multiclass  the features of gaussian, y = the c with the largest w_c'z + noise e_c
 *
 * Two-class labels: w is sparse, the scores w'z + noise e (w'z scaled to unit variance) are cut so that the
 * wanted share is +1. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/text.h"
#include "data/data.h"
#include "data/synth.h"

static const char *const kind_name[KINDS] = {"onehot", "gaussian", "regression", "multiclass"};

/* What a kind takes for what is not said. */
static const recipe kind_default[KINDS] = {
    {.n = 32561,
     .d = 123,
     .density = 14.0 / 123,
     .noise = 0.7,
     .positive = 0.24,
     .kappa = 1,
     .classes = 2},
    {.n = 10000, .d = 100, .density = 1, .noise = 0.5, .positive = 0.5, .kappa = 100, .classes = 2},
    {.n = 10000, .d = 100, .density = 1, .noise = 0.1, .positive = 0.5, .kappa = 100, .classes = 1},
    {.n = 10000, .d = 50, .density = 1, .noise = 0.5, .positive = 0.5, .kappa = 10, .classes = 5},
};

typedef struct key {
    const char *name;
    size_t offset;
    int whole, open; /* open: the low end itself is not allowed */
    double low, high;
} key;

#define FIELD(name) #name, offsetof(recipe, name)
static const key keys[] = {
    {FIELD(n), 1, 0, 1, 4294967295.0},
    {FIELD(d), 1, 0, 1, 4294967294.0},
    {FIELD(density), 0, 1, 0, 1},
    {FIELD(noise), 0, 0, 0, 1e9},
    {FIELD(positive), 0, 1, 0, 1},
    {FIELD(kappa), 0, 0, 1, 1e16},
    {FIELD(rank), 1, 0, 1, 4294967294.0},
    {FIELD(classes), 1, 0, 2, 100000},
    {FIELD(seed), 1, 0, 0, 9007199254740992.0},
    {FIELD(kind), 0, 0, 0, 0},
};
enum { KEYS = sizeof keys / sizeof *keys };

/* ---- The recipe --------------------------------------------------------------------------------- */

static zo_status set_kind(recipe *r, const char *value, zo_error *err)
{
    for (size_t k = 0; k < KINDS; k++)
        if (strcmp(value, kind_name[k]) == 0) {
            r->kind = (double)k;
            return ZO_OK;
        }
    const char *near = text_nearest(value, kind_name, KINDS, sizeof *kind_name);
    return fail(err, ZO_BAD_ARGUMENT,
                "synth: kind: '%.40s' is none of onehot, gaussian, regression, multiclass%s%s%s",
                value, near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
}

static zo_status set_key(recipe *r, const char *name, const char *value, zo_error *err)
{
    const key *k = keys;
    while (k < keys + KEYS && strcmp(k->name, name)) k++;
    if (k == keys + KEYS) {
        const char *near = text_nearest(name, keys, KEYS, sizeof *keys);
        return fail(
            err, ZO_BAD_ARGUMENT,
            "synth: there is no key '%.40s'%s%s%s; keys are n, d, density, noise, positive, kappa, "
            "rank, classes, seed, kind",
            name, near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
    }
    if (strcmp(name, "kind") == 0) return set_kind(r, value, err);
    double v;
    if (!text_number(value, &v))
        return fail(err, ZO_BAD_ARGUMENT, "synth: %s: '%.40s' is not a number", name, value);
    if (!(v >= k->low && v <= k->high) || (k->open && v == k->low))
        return fail(err, ZO_BAD_ARGUMENT, "synth: %s: %.40s is outside %s%.10g, %.10g]", name,
                    value, k->open ? "(" : "[", k->low, k->high);
    if (k->whole && v != floor(v))
        return fail(err, ZO_BAD_ARGUMENT, "synth: %s: %.40s is not a whole number", name, value);
    *(double *)(void *)((char *)r + k->offset) = v;
    return ZO_OK;
}

/* "key=value,key=value"; NaN stays where nothing is said. */
static zo_status read_spec(recipe *r, const char *spec, zo_error *err)
{
    char text[64];
    while (*spec) {
        size_t size = strcspn(spec, ",");
        if (size >= sizeof text)
            return fail(err, ZO_BAD_ARGUMENT, "synth: '%.60s...' is too long for KEY=VALUE", spec);
        memcpy(text, spec, size);
        text[size] = 0;
        char *equals = strchr(text, '=');
        if (!equals) return fail(err, ZO_BAD_ARGUMENT, "synth: '%s' is not KEY=VALUE", text);
        *equals = 0;
        zo_status status = set_key(r, text, equals + 1, err);
        if (status) return status;
        spec += size;
        if (*spec && !*++spec)
            return fail(err, ZO_BAD_ARGUMENT, "synth: nothing after the last comma");
    }
    return ZO_OK;
}

static double either(double said, double otherwise) { return isnan(said) ? otherwise : said; }

static zo_status complete(recipe *r, zo_error *err)
{
    recipe usual = kind_default[(size_t)either(r->kind, ONEHOT)];
    double d = either(r->d, usual.d);
    if (either(r->kind, ONEHOT) == ONEHOT &&
        !isnan(r->d)) /* groups grow like the root of d, with two columns at least */
        usual.density = fmax(1, fmin(round(14 * sqrt(d / 123)), floor(d / 2))) / d;
    *r = (recipe){either(r->n, usual.n),
                  d,
                  either(r->density, usual.density),
                  either(r->noise, usual.noise),
                  either(r->positive, usual.positive),
                  either(r->kappa, usual.kappa),
                  either(r->rank, d),
                  either(r->classes, usual.classes),
                  either(r->seed, 0),
                  either(r->kind, ONEHOT)};
    if (r->kind == ONEHOT && d > 1 && r->density > 0.5)
        return fail(err, ZO_BAD_ARGUMENT,
                    "synth: density: %g is above 0.5, a group has at least two columns",
                    r->density);
    return ZO_OK;
}

/* ---- The result --------------------------------------------------------------------------------- */

static void hand_over(maker *m, zo_data *data)
{
    *data = (zo_data){.n = m->n, .features = m->d, .nonzeros = m->entries, .label = m->label};
    data->owned[0] = m->label;
    data->owned[1] = m->val;
    if (m->dense) {
        data->dense = m->val;
    } else {
        data->val = m->val;
        data->row = data->owned[2] = m->row;
        data->col = data->owned[3] = m->col;
        m->row = NULL;
        m->col = NULL;
    }
    m->label = m->val = NULL;
}

static int is_dense(const recipe *r) { return r->density > 0.5 && r->kind != ONEHOT; }

/* What takes hours to make and then does not fit is refused at once. An entry is a number, and a column where not all are
 * kept; beside them there are four numbers a row and five a column. */
static zo_status check_size(const recipe *r, zo_error *err)
{
    double entries = r->n * r->d * (is_dense(r) ? 1 : r->density), has = mem_machine();
    double bytes = (is_dense(r) ? 8 : 12) * entries + 8 * (4 * r->n + 5 * r->d);
    if (bytes <= has) return ZO_OK;
    return fail(
        err, ZO_NO_MEMORY,
        "synth: %.10g rows of %.10g columns, %.3g entries and about %.3g bytes, do not fit in the "
        "memory of this machine, %.3g bytes",
        r->n, r->d, entries, bytes, has);
}

static zo_status make(zo_data *data, const recipe *r, zo_error *err)
{
    maker m = {.r = *r, .seed = (uint64_t)r->seed, .n = (size_t)r->n, .d = (size_t)r->d};
    m.dense = is_dense(r);
    zo_status status = synth_features(&m, err);
    if (!status) status = synth_labels(&m, err);
    if (!status) hand_over(&m, data);
    mem_free(m.row);
    mem_free(m.col);
    mem_free(m.val);
    mem_free(m.label);
    mem_free(m.scale);
    mem_free(m.mirror);
    mem_free(m.normal);
    mem_free(m.start);
    return status;
}

zo_status zo_data_synth(zo_data **out, const char *spec, zo_error *err)
{
    if (!out) return fail(err, ZO_BAD_ARGUMENT, "out: NULL");
    *out = NULL;
    if (!spec) return fail(err, ZO_BAD_ARGUMENT, "spec: NULL");
    recipe r = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    zo_status status = read_spec(&r, spec, err);
    if (!status) status = complete(&r, err);
    if (!status) status = check_size(&r, err);
    if (status) return status;
    zo_data *data = mem_new(1, sizeof *data);
    if (!data) return out_of_memory(err, "data", 1);
    status = make(data, &r, err);
    if (status) {
        mem_free(data);
        return status;
    }
    *out = data;
    return succeed(err);
}
