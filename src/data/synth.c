/* Synthetic data, drawn from counters: a row depends on (seed, its number) alone.
 * SPDX-License-Identifier: MIT
 *
 *   onehot      d columns in groups, one 1 in each: categorical features with skewed frequencies, correlated
 *               through two hidden factors. The default is sized and shaped like a9a.
 *   gaussian    z = Q S g, g standard normal, S^2 a geometric spectrum from 1 to 1/kappa, Q orthogonal
 *               (density 1); with a smaller density each entry of S g is kept with that probability.
 *   regression  the features of gaussian, y = w'z + noise e
 *   multiclass  the features of gaussian, y = the c with the largest w_c'z + noise e_c
 *
 * Two-class labels: w is sparse, the scores w'z + noise e (w'z scaled to unit variance) are cut so that the
 * wanted share is +1. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/text.h"
#include "base/vec.h"
#include "data/data.h"

enum kind { ONEHOT, GAUSSIAN, REGRESSION, MULTICLASS, KINDS };
enum stream { ENTRY, GAP, WEIGHT, CHOICE, NOISE, MIRROR }; /* what a draw is for */

typedef struct recipe {
    double n, d, density, noise, positive, kappa, classes, seed, kind;
} recipe;

static const char *const kind_name[KINDS] = {"onehot", "gaussian", "regression", "multiclass"};

/* What a kind takes for what is not said. */
static const recipe kind_default[KINDS] = {
    {.n = 32561, .d = 123, .density = 14.0 / 123, .noise = 0.7, .positive = 0.24, .kappa = 1, .classes = 2},
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
    {FIELD(n), 1, 0, 1, 4294967295.0}, {FIELD(d), 1, 0, 1, 4294967294.0},
    {FIELD(density), 0, 1, 0, 1},      {FIELD(noise), 0, 0, 0, 1e9},
    {FIELD(positive), 0, 1, 0, 1},     {FIELD(kappa), 0, 0, 1, 1e16},
    {FIELD(classes), 1, 0, 2, 100000}, {FIELD(seed), 1, 0, 0, 9007199254740992.0},
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
                "synth: kind: '%.40s' is none of onehot, gaussian, regression, multiclass%s%s%s", value,
                near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
}

static zo_status set_key(recipe *r, const char *name, const char *value, zo_error *err)
{
    const key *k = keys;
    while (k < keys + KEYS && strcmp(k->name, name)) k++;
    if (k == keys + KEYS) {
        const char *near = text_nearest(name, keys, KEYS, sizeof *keys);
        return fail(err, ZO_BAD_ARGUMENT,
                    "synth: there is no key '%.40s'%s%s%s; keys are n, d, density, noise, positive, kappa, "
                    "classes, seed, kind",
                    name, near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
    }
    if (strcmp(name, "kind") == 0) return set_kind(r, value, err);
    double v;
    if (!text_number(value, &v))
        return fail(err, ZO_BAD_ARGUMENT, "synth: %s: '%.40s' is not a number", name, value);
    if (!(v >= k->low && v <= k->high) || (k->open && v == k->low))
        return fail(err, ZO_BAD_ARGUMENT, "synth: %s: %.40s is outside %s%.10g, %.10g]", name, value,
                    k->open ? "(" : "[", k->low, k->high);
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
        if (*spec && !*++spec) return fail(err, ZO_BAD_ARGUMENT, "synth: nothing after the last comma");
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
                  either(r->classes, usual.classes),
                  either(r->seed, 0),
                  either(r->kind, ONEHOT)};
    if (r->kind == ONEHOT && d > 1 && r->density > 0.5)
        return fail(err, ZO_BAD_ARGUMENT, "synth: density: %g is above 0.5, a group has at least two columns",
                    r->density);
    return ZO_OK;
}

/* ---- Features ----------------------------------------------------------------------------------- */

typedef struct maker {
    recipe r;
    uint64_t seed;
    size_t n, d, groups, entries, room;
    int dense;
    uint64_t *row;
    uint32_t *col;
    double *val, *label;
    double *scale;   /* d: the spectrum; onehot: cumulative frequencies */
    double *mirror;  /* 2 d: unit vectors of two reflections, whose product is Q */
    double *normal;  /* scratch: max(d, groups + 2) */
    uint32_t *start; /* groups + 1: first column of each group */
} maker;

static uint64_t place(enum stream s, uint64_t row) { return (uint64_t)s << 40 | row; }

/* groups parts of d columns, each at least 2, the rest shared out like 1, 1/2, 1/3, ... Categories in a group
 * have frequencies like 1/c^2, the first one most common. */
static void make_groups(maker *m)
{
    size_t least = m->d >= 2 * m->groups ? 2 : 1, spare = m->d - least * m->groups;
    double total = 0, sum = 0;
    for (size_t g = 0; g < m->groups; g++) total += 1.0 / (double)(g + 1);
    for (size_t g = 0; g < m->groups; g++) {
        sum += 1.0 / (double)(g + 1);
        m->start[g + 1] = (uint32_t)(least * (g + 1) + (size_t)((double)spare * fmin(1, sum / total) + 0.5));
    }
    m->start[m->groups] = (uint32_t)m->d;
    for (size_t g = 0; g < m->groups; g++) {
        double at = 0;
        for (uint32_t c = m->start[g]; c < m->start[g + 1]; c++)
            m->scale[c] = at += pow(c - m->start[g] + 1, -2);
        for (uint32_t c = m->start[g]; c < m->start[g + 1]; c++) m->scale[c] /= at;
    }
}

/* One category of each group, by a normal that leans on one of two factors of the row; 1 in 100 is missing.
 */
static void onehot_row(maker *m, size_t i)
{
    double *e = m->normal;
    rng_normals(m->seed, FOR_SYNTH, ENTRY, (uint32_t)i, m->groups + 2, e);
    for (size_t g = 0; g < m->groups; g++) {
        double lean = 0.75 * cos((double)(g + 1)), t = lean * e[g % 2] + sqrt(1 - lean * lean) * e[g + 2];
        double u = 0.5 * erfc(-t / sqrt(2)) / 0.99;
        uint32_t c = m->start[g], end = m->start[g + 1];
        while (c < end && m->scale[c] <= u) c++;
        if (c == end) continue;
        m->col[m->entries] = c;
        m->val[m->entries++] = 1;
    }
}

/* Columns by their gaps, which are geometric: P(gap > k) = (1 - density)^k. */
static void sparse_row(maker *m, size_t i)
{
    double shrink = log1p(-m->r.density), column = -1;
    size_t first = m->entries, count;
    for (uint64_t k = 0;; k++) {
        double u = 1 - rng_uniform(m->seed, FOR_SYNTH, place(GAP, i), k);
        column += 1 + floor(log(u) / shrink);
        if (!(column < (double)m->d)) break;
        m->col[m->entries++] = (uint32_t)column;
    }
    count = m->entries - first;
    rng_normals(m->seed, FOR_SYNTH, ENTRY, (uint32_t)i, count, m->val + first);
    for (size_t k = first; k < m->entries; k++) m->val[k] *= m->scale[m->col[k]];
}

static void reflect(size_t d, const double *unit, double *z)
{
    vec_add(d, -2 * vec_dot(d, unit, z), unit, z);
}

static void dense_row(maker *m, size_t i)
{
    double *z = m->val + i * m->d;
    rng_normals(m->seed, FOR_SYNTH, ENTRY, (uint32_t)i, m->d, z);
    for (size_t j = 0; j < m->d; j++) z[j] *= m->scale[j];
    if (m->r.density < 1) {
        for (size_t j = 0; j < m->d; j++)
            if (rng_uniform(m->seed, FOR_SYNTH, place(GAP, i), j) >= m->r.density) z[j] = 0;
    } else if (m->d > 1) {
        reflect(m->d, m->mirror, z);
        reflect(m->d, m->mirror + m->d, z);
    }
    m->entries += vec_nonzeros(m->d, z);
}

static zo_status features_open(maker *m, zo_error *err)
{
    int onehot = m->r.kind == ONEHOT;
    m->groups = onehot ? (size_t)fmax(1, round(m->r.density * m->r.d)) : 0;
    m->row = mem_new(m->n + 1, sizeof *m->row);
    m->scale = mem_new(m->d, sizeof *m->scale);
    m->normal = mem_new(m->d + m->groups + 2, sizeof *m->normal);
    m->start = mem_new(m->groups + 1, sizeof *m->start);
    m->mirror = mem_new(m->dense ? 2 * m->d : 0, sizeof *m->mirror);
    if (m->dense) m->val = m->n <= SIZE_MAX / m->d ? mem_new(m->n * m->d, sizeof *m->val) : NULL;
    if (!m->row || !m->scale || !m->normal || !m->start || !m->mirror || (m->dense && !m->val))
        return out_of_memory(err, "synthetic rows", m->n);
    if (onehot) {
        make_groups(m);
        return ZO_OK;
    }
    for (size_t j = 0; j < m->d; j++)
        m->scale[j] = m->d > 1 ? pow(m->r.kappa, -0.5 * (double)j / (double)(m->d - 1)) : 1;
    for (uint32_t k = 0; m->dense && k < 2; k++) {
        double *unit = m->mirror + k * m->d;
        rng_normals(m->seed, FOR_SYNTH, MIRROR, k, m->d, unit);
        vec_scale(m->d, 1 / vec_norm(m->d, unit), unit);
    }
    return ZO_OK;
}

/* Room for one more row, an eighth more than that when it grows. */
static zo_status row_room(maker *m, size_t most, zo_error *err)
{
    if (m->dense || m->entries + most <= m->room) return ZO_OK;
    size_t room = m->entries + most;
    room += room / 8;
    uint32_t *col = mem_grow(m->col, m->entries, room, sizeof *col);
    if (col) m->col = col;
    double *val = mem_grow(m->val, m->entries, room, sizeof *val);
    if (val) m->val = val;
    if (!col || !val) return out_of_memory(err, "synthetic entries", room);
    m->room = room;
    return ZO_OK;
}

static zo_status make_features(maker *m, zo_error *err)
{
    int onehot = m->r.kind == ONEHOT;
    zo_status status = features_open(m, err);
    for (size_t i = 0; i < m->n && !status; i++) {
        status = row_room(m, onehot ? m->groups : m->d, err);
        if (status) break;
        if (onehot)
            onehot_row(m, i);
        else if (m->dense)
            dense_row(m, i);
        else
            sparse_row(m, i);
        m->row[i + 1] = m->entries;
    }
    return status;
}

/* ---- Labels ------------------------------------------------------------------------------------- */

/* w_c: of its entries a third are 0 (two thirds unless onehot). A common category says more than a rare one:
 * the entries of onehot are scaled by the root of their frequency, without which its optimum is harder to
 * find than that of real sets. */
static void draw_weights(const maker *m, uint32_t c, double *w)
{
    double kept = m->r.kind == ONEHOT ? 2.0 / 3 : 1.0 / 3;
    rng_normals(m->seed, FOR_SYNTH, WEIGHT, c, m->d, w);
    for (size_t j = 1; j < m->d; j++)
        if (rng_uniform(m->seed, FOR_SYNTH, place(CHOICE, c), j) >= kept) w[j] = 0;
    for (size_t g = 0; g < m->groups; g++) {
        double below = 0;
        for (uint32_t j = m->start[g]; j < m->start[g + 1]; j++) {
            w[j] *= sqrt(m->scale[j] - below);
            below = m->scale[j];
        }
    }
}

static double score(const maker *m, size_t i, const double *w)
{
    if (m->dense) return vec_dot(m->d, m->val + i * m->d, w);
    double s = 0;
    for (uint64_t k = m->row[i]; k < m->row[i + 1]; k++) s += m->val[k] * w[m->col[k]];
    return s;
}

/* out = the scores w_c'z_i, shifted and scaled to mean 0 and variance 1, plus noise. */
static void noisy_scores(const maker *m, uint32_t c, double *w, double *out)
{
    double mean = 0, square = 0, e[2];
    draw_weights(m, c, w);
    for (size_t i = 0; i < m->n; i++) mean += out[i] = score(m, i, w);
    mean /= (double)m->n;
    for (size_t i = 0; i < m->n; i++) square += (out[i] - mean) * (out[i] - mean);
    double scale = square > 0 ? sqrt((double)m->n / square) : 0;
    for (size_t i = 0; i < m->n; i++) {
        rng_normals(m->seed, FOR_SYNTH, place(NOISE, c), (uint32_t)i, 1, e);
        out[i] = (out[i] - mean) * scale + m->r.noise * e[0];
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The share positive of the rows with the largest scores is +1, the others -1. work: n */
static void cut(const maker *m, double *work)
{
    size_t below = (size_t)((1 - m->r.positive) * (double)m->n + 0.5);
    memcpy(work, m->label, m->n * sizeof *work);
    qsort(work, m->n, sizeof *work, by_value);
    double edge = below > 0 ? work[below - 1] : -INFINITY;
    for (size_t i = 0; i < m->n; i++) m->label[i] = m->label[i] > edge ? 1 : -1;
}

/* label = 1 + the number of the largest score. best, work: n */
static void choose_class(const maker *m, double *w, double *best, double *work)
{
    for (uint32_t c = 0; c < (uint32_t)m->r.classes; c++) {
        noisy_scores(m, c, w, work);
        for (size_t i = 0; i < m->n; i++)
            if (c == 0 || work[i] > best[i]) {
                best[i] = work[i];
                m->label[i] = c + 1;
            }
    }
}

static zo_status make_labels(maker *m, zo_error *err)
{
    double *w = mem_new(m->d, sizeof *w), *work = mem_new(m->n, sizeof *work),
           *best = mem_new(m->n, sizeof *best);
    m->label = mem_new(m->n, sizeof *m->label);
    zo_status status = ZO_OK;
    if (!w || !work || !best || !m->label) {
        status = out_of_memory(err, "synthetic labels", m->n);
    } else if (m->r.kind == MULTICLASS) {
        choose_class(m, w, best, work);
    } else {
        noisy_scores(m, 0, w, m->label);
        if (m->r.kind != REGRESSION) cut(m, work);
    }
    mem_free(w);
    mem_free(work);
    mem_free(best);
    return status;
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
    return fail(err, ZO_NO_MEMORY,
                "synth: %.10g rows of %.10g columns, %.3g entries and about %.3g bytes, do not fit in the "
                "memory of this machine, %.3g bytes",
                r->n, r->d, entries, bytes, has);
}

static zo_status make(zo_data *data, const recipe *r, zo_error *err)
{
    maker m = {.r = *r, .seed = (uint64_t)r->seed, .n = (size_t)r->n, .d = (size_t)r->d};
    m.dense = is_dense(r);
    zo_status status = make_features(&m, err);
    if (!status) status = make_labels(&m, err);
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
    recipe r = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
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
