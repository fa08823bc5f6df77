/* Never worse: the gap of auto beside the best of all other methods, each tuned over a small grid of steps.
 * SPDX-License-Identifier: MIT
 *
 *     never CASE [SEEDS]      never list
 *
 * auto runs with no setting at all, its noise not told, once for each budget (medians over SEEDS seeds, 3 if not given). The
 * others run with their automatic step and multiples of it (sega, zpsvrg, zpdvr and zosgd also with other numbers of
 * directions), noise told, and for each budget the best of all these runs counts: choosing by the result flatters them.
 * A row: CASE UNITS GAP OTHER WHICH RATIO METHOD; gaps below 1e-10 max(1, F(0) - F*) count as that. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "share/share.h"
#include "zoprox.h"
#include "zoprox_data.h"

/* ---- Quadratics: f_i(x) = w_i x'Ax/2 - b_i'x, A = Q diag(a) Q', a from 1/kappa to 1 ----------------- */

enum { QN = 500, QD = 100 };

typedef struct quadratics {
    double a[QD][QD], w[QN], b[QN][QD];
} quadratics;

static void fill_quadratics(quadratics *q, double kappa, double spread)
{
    uint64_t state = 1234567891011u;
    static double basis[QD][QD];
    for (int j = 0; j < QD; j++) {
        for (int k = 0; k < QD; k++) basis[j][k] = normal(&state);
        for (int twice = 0; twice < 2; twice++)
            for (int e = 0; e < j; e++) {
                double dot = 0;
                for (int k = 0; k < QD; k++) dot += basis[e][k] * basis[j][k];
                for (int k = 0; k < QD; k++) basis[j][k] -= dot * basis[e][k];
            }
        double size = 0;
        for (int k = 0; k < QD; k++) size += basis[j][k] * basis[j][k];
        for (int k = 0; k < QD; k++) basis[j][k] /= sqrt(size);
    }
    for (int j = 0; j < QD; j++)
        for (int k = 0; k < QD; k++) {
            q->a[j][k] = 0;
            for (int e = 0; e < QD; e++)
                q->a[j][k] += basis[e][j] * basis[e][k] * pow(kappa, -(double)e / (QD - 1));
        }
    double mean[QD];
    for (int k = 0; k < QD; k++) mean[k] = normal(&state) / sqrt(QD);
    for (int i = 0; i < QN; i++) {
        q->w[i] = spread > 1 ? pow(spread, uniform(&state) - 0.5) : 1;
        for (int k = 0; k < QD; k++) q->b[i][k] = mean[k] + normal(&state) / sqrt(QD);
    }
}

/* A point base + r u: x'Ax/2 and b_i'x follow from those of the base, in values that are rounded as a whole. */
typedef struct spot {
    const double *base, *along; /* along NULL: axis j, if r is not 0 */
    size_t j, image;            /* image: where A base and base'A base/2 are */
    double r;
} spot;

static size_t list_spots(const zo_fan *fan, size_t entry, spot *to)
{
    size_t count = 0, per = fan->naxis + fan->ndir;
    for (size_t b = 0; b < fan->nbase; b++) {
        if (!fan->known) to[count++] = (spot){fan->base[b], NULL, 0, b, 0};
        for (size_t k = 0; k < per; k++)
            for (int side = 0; side < fan->sides; side++) {
                size_t row = (fan->own ? entry * fan->ndir : 0) + k - fan->naxis;
                to[count++] = (spot){fan->base[b], k < fan->naxis ? NULL : fan->dir + row * QD,
                                     fan->axis && k < fan->naxis ? fan->axis[k] : k, b,
                                     side ? -fan->radius : fan->radius};
            }
    }
    return count;
}

static double half_at(const quadratics *q, const spot *p, double image[2][QD + 1])
{
    const double *ax = image[p->image];
    double r = p->r;
    if (r == 0) return ax[QD];
    if (!p->along) return ax[QD] + (r * ax[p->j] + 0.5 * r * r * q->a[p->j][p->j]);
    double first = 0, second = 0;
    for (int j = 0; j < QD; j++) {
        double row = 0;
        for (int k = 0; k < QD; k++) row += q->a[j][k] * p->along[k];
        first += ax[j] * p->along[j];
        second += row * p->along[j];
    }
    return ax[QD] + (r * first + 0.5 * r * r * second);
}

static double dot_at(const double *b, const spot *p, double at_base)
{
    if (p->r == 0) return at_base;
    if (!p->along) return at_base + p->r * b[p->j];
    double sum = 0;
    for (int k = 0; k < QD; k++) sum += b[k] * p->along[k];
    return at_base + p->r * sum;
}

static int answer_quadratics(void *ctx, const zo_fan *fan, double *out)
{
    const quadratics *q = ctx;
    size_t points = zo_fan_points(fan);
    spot *at = malloc(points * sizeof *at);
    double *half = malloc(points * sizeof *half),
           *values = malloc(fan->ncomp * points * sizeof *values);
    double image[2][QD + 1];
    for (size_t b = 0; b < fan->nbase; b++) {
        image[b][QD] = 0;
        for (int j = 0; j < QD; j++) {
            image[b][j] = 0;
            for (int k = 0; k < QD; k++) image[b][j] += q->a[j][k] * fan->base[b][k];
            image[b][QD] += 0.5 * fan->base[b][j] * image[b][j];
        }
    }
    for (size_t e = 0; e < fan->ncomp; e++) {
        size_t i = fan->comp ? fan->comp[e] : e;
        double base[2] = {0, 0};
        for (size_t b = 0; b < fan->nbase; b++)
            for (int k = 0; k < QD; k++) base[b] += q->b[i][k] * fan->base[b][k];
        if (e == 0 || fan->own) {
            list_spots(fan, e, at);
            for (size_t p = 0; p < points; p++) half[p] = half_at(q, &at[p], image);
        }
        for (size_t p = 0; p < points; p++)
            values[e * points + p] = q->w[i] * half[p] - dot_at(q->b[i], &at[p], base[at[p].image]);
    }
    zo_error err;
    must(zo_fan_answer(fan, values, out, &err), &err);
    free(at);
    free(half);
    free(values);
    return 0;
}

/* The minimum of mean w x'Ax/2 - mean b'x, psi = 0, by conjugate gradients. */
static double least_quadratic(const quadratics *q)
{
    double x[QD] = {0}, r[QD], p[QD], w = 0, rr = 0;
    for (int k = 0; k < QD; k++) {
        r[k] = 0;
        for (int i = 0; i < QN; i++) r[k] += q->b[i][k] / QN;
        p[k] = r[k];
        rr += r[k] * r[k];
    }
    for (int i = 0; i < QN; i++) w += q->w[i] / QN;
    double b[QD], F = 0;
    memcpy(b, r, sizeof b);
    for (int step = 0; step < 600 && rr > 1e-30; step++) {
        double ap[QD], pap = 0, next = 0;
        for (int j = 0; j < QD; j++) {
            ap[j] = 0;
            for (int k = 0; k < QD; k++) ap[j] += w * q->a[j][k] * p[k];
            pap += p[j] * ap[j];
        }
        for (int k = 0; k < QD; k++) {
            x[k] += rr / pap * p[k];
            r[k] -= rr / pap * ap[k];
            next += r[k] * r[k];
        }
        for (int k = 0; k < QD; k++) p[k] = r[k] + next / rr * p[k];
        rr = next;
    }
    for (int k = 0; k < QD; k++) F -= 0.5 * b[k] * x[k];
    return F;
}

/* ---- The cases ------------------------------------------------------------------------------------- */

typedef struct test_case {
    const char *name, *data, *loss; /* data NULL: quadratics */
    double spread;                  /* of the weights w_i */
    size_t parts, size;             /* parts components, or components of size rows; 0, 0: rows */
    double noise, units[4];
} test_case;

static const test_case cases[] = {
    {"common", NULL, NULL, 1, 0, 0, 0, {0.1, 1, 10, 30}},
    {"scaled", NULL, NULL, 100, 0, 0, 0, {0.1, 1, 10, 30}},
    {"rows20", "a9a.xz", "logistic", 0, 0, 20, 0, {0.1, 1, 10, 30}},
    {"sigmoid", "phishing.xz", "sigmoid", 0, 0, 1, 0, {0.1, 1, 10, 30}},
    {"noise6", "phishing.xz", "logistic", 0, 0, 1, 1e-6, {0.1, 1, 10, 30}},
    {"noise4", "phishing.xz", "logistic", 0, 0, 1, 1e-4, {0.1, 1, 10, 30}},
    {"n<d", "synth:kind=gaussian,n=200,d=800,kappa=1000", "logistic", 0, 0, 1, 0, {0.1, 1, 10, 30}},
    {"sparse",
     "synth:kind=onehot,n=100,d=100000,density=0.0005",
     "logistic",
     0,
     0,
     1,
     0,
     {0.002, 0.01, 0.05, 0}},
    {"n=1", "phishing.xz", "logistic", 0, 1, 0, 0, {0.1, 1, 10, 30}},
    {"n=4", "phishing.xz", "logistic", 0, 4, 0, 0, {0.1, 1, 10, 30}},
    {"rows", "phishing.xz", "logistic", 0, 0, 1, 0, {0.1, 1, 10, 30}},
};
enum { NCASES = sizeof cases / sizeof *cases };

typedef struct bench {
    const test_case *is;
    zo_problem p, clean;
    double optimum, start; /* F*, F(0) */
    quadratics q;
    grouped loud, silent;
} bench;

static void open_data(bench *b)
{
    const test_case *c = b->is;
    zo_error e;
    zo_data *data;
    zo_model *model;
    zo_loss loss;
    zo_problem p;
    char path[512];
    const char *folder = getenv("ZOPROX_DATA");
    snprintf(path, sizeof path, "%s/%s", folder ? folder : ".", c->data);
    must(strncmp(c->data, "synth:", 6) ? zo_data_read(&data, path, 0, &e)
                                       : zo_data_synth(&data, c->data + 6, &e),
         &e);
    must(zo_loss_parse(&loss, c->loss, &e), &e);
    must(zo_model_new(&model, data, loss, 1e-4, 1, &p, &e), &e);
    p.psi = zo_l1(1e-4);
    size_t size = c->parts ? p.n / c->parts : c->size;
    p.n -= p.n % size;
    b->p = group_rows(&b->loud, &p, size, c->noise);
    b->clean = group_rows(&b->silent, &p, size, 0);
    b->optimum = INFINITY;
    zo_optimum found;
    double *x = calloc(p.d, sizeof *x);
    int whole = zo_data_look(data).n == p.n;
    if (loss != ZO_SIGMOID && whole) {
        must(zo_find_optimum(&found, model, &p.psi, 1e-13, x, &e), &e);
        b->optimum = found.objective;
    }
    free(x);
}

static void open_case(bench *b)
{
    if (b->is->data) {
        open_data(b);
        return;
    }
    fill_quadratics(&b->q, 1e3, b->is->spread);
    b->p =
        (zo_problem){.n = QN, .d = QD, .answer = answer_quadratics, .ctx = &b->q, .psi = zo_zero()};
    b->clean = b->p;
    b->optimum = least_quadratic(&b->q);
}

/* ---- Running --------------------------------------------------------------------------------------- */

typedef struct setting {
    const char *method;
    uint64_t seed;
    double step, directions; /* NaN: auto */
    double horizon;          /* units; NaN: that of each run */
} setting;

typedef struct outcome {
    double F[4], step;
    char method[16], chosen[256];
} outcome;

static zo_solver *begin(bench *b, const setting *with, double horizon)
{
    zo_settings s = zo_defaults();
    zo_error e;
    zo_solver *solver;
    snprintf(s.method, sizeof s.method, "%s", with->method);
    s.seed = with->seed;
    s.step = with->step;
    s.directions = with->directions;
    s.horizon = horizon * (double)b->p.n * (double)b->p.d;
    if (b->is->noise > 0 && strcmp(with->method, "auto")) s.noise = b->is->noise;
    must(zo_new(&solver, &b->p, &s, &e), &e);
    must(zo_start(solver, NULL, &e), &e);
    return solver;
}

/* F at the budgets: of one run, or of one for each budget where the method plans for it. */
static outcome run(bench *b, const setting *with)
{
    outcome o = {.step = NAN};
    zo_solver *solver = NULL;
    zo_error e;
    zo_report r;
    double last = fmax(b->is->units[2], b->is->units[3]);
    int plans = !strcmp(with->method, "auto") || !strcmp(with->method, "zosgd");
    for (int k = 0; k < 4 && b->is->units[k] > 0; k++) {
        if (!solver || plans) {
            zo_free(solver);
            solver = begin(b, with, plans ? b->is->units[k] : last);
        }
        zo_control c = zo_no_limits();
        c.track = ZO_TRACK_OFF;
        c.max_units = b->is->units[k];
        must(zo_run(solver, &c, &r, &e), &e);
        o.F[k] = objective_at(&b->clean, zo_point(solver));
        if (!isfinite(o.F[k])) o.F[k] = INFINITY;
    }
    o.step = r.settings.step;
    memcpy(o.method, r.method, sizeof r.method);
    memcpy(o.chosen, r.chosen, sizeof r.chosen);
    zo_free(solver);
    return o;
}

typedef struct champion {
    double F[4];
    char which[4][64];
} champion;

static void note(champion *best, const setting *with, const outcome *o)
{
    for (int k = 0; k < 4; k++)
        if (o->F[k] < best->F[k]) {
            best->F[k] = o->F[k];
            snprintf(best->which[k], sizeof best->which[k], "%s step %.2g", with->method,
                     with->step);
        }
    fprintf(stderr, "  %s step %.3g directions %g: %.9g %.9g %.9g %.9g\n", with->method, with->step,
            with->directions, o->F[0], o->F[1], o->F[2], o->F[3]);
}

static void try_steps(bench *b, champion *best, const char *method, double directions)
{
    static const double times[] = {0.1, 0.3, 1,
                                   3,   10,  30}; /* 1: of zosgd, whose automatic step changes */
    setting with = {.method = method, .seed = 7, .step = NAN, .directions = directions};
    outcome o = run(b, &with);
    double step = with.step = o.step;
    note(best, &with, &o);
    for (size_t k = 0; k < sizeof times / sizeof *times && step > 0; k++) {
        if (times[k] == 1 && strcmp(method, "zosgd")) continue;
        with.step = times[k] * step;
        o = run(b, &with);
        note(best, &with, &o);
    }
}

static champion try_others(bench *b)
{
    static const char *const plain[] = {"psvrg", "saga", "pgd", "fista"};
    static const char *const drawn[] = {"zosgd", "sega", "zpsvrg", "zpdvr"};
    champion best = {.F = {INFINITY, INFINITY, INFINITY, INFINITY}};
    int large = b->p.d > 10000;
    for (size_t k = 0; k < 4; k++) {
        if (b->p.n == 1 && k < 2) continue; /* no sum: pgd */
        if (large) continue;                /* not a step within a twentieth of a unit */
        try_steps(b, &best, plain[k], NAN);
    }
    for (size_t k = 0; k < 4; k++) {
        if (large && k > 1) continue; /* hours, and behind in the first minutes */
        try_steps(b, &best, drawn[k], NAN);
    }
    return best;
}

static void report(const bench *b, const champion *other, const outcome *own, size_t seeds)
{
    double optimum = b->optimum;
    for (int k = 0; k < 4 && isinf(b->optimum); k++) {
        if (b->is->units[k] > 0) optimum = fmin(optimum, other->F[k]);
        for (size_t s = 0; s < seeds && b->is->units[k] > 0; s++)
            optimum = fmin(optimum, own[s].F[k]);
    }
    for (int k = 0; k < 4 && b->is->units[k] > 0; k++) {
        double f[64];
        for (size_t s = 0; s < seeds; s++) f[s] = own[s].F[k];
        qsort(f, seeds, sizeof *f, rising);
        double least = 1e-10 * fmax(1, b->start - optimum);
        double mine = fmax(f[(seeds - 1) / 2] - optimum, least),
               theirs = fmax(other->F[k] - optimum, least);
        printf("%s | %g | %.2g | %.2g (%s) | %.2g | %s\n", b->is->name, b->is->units[k], mine,
               theirs, other->which[k], mine / theirs, own[0].method);
    }
    printf("# %s: F* %.12g%s; %s\n", b->is->name, optimum, isinf(b->optimum) ? " (least seen)" : "",
           own[0].chosen);
}

int main(int argc, char **argv)
{
    static bench b;
    outcome own[64];
    size_t seeds = argc > 2 ? (size_t)atoi(argv[2]) : 3;
    for (size_t k = 0; k < NCASES && argc > 1 && !strcmp(argv[1], "list"); k++) puts(cases[k].name);
    for (size_t k = 0; k < NCASES && argc > 1; k++) {
        if (strcmp(argv[1], cases[k].name)) continue;
        b.is = &cases[k];
        open_case(&b);
        double *zero = calloc(b.p.d, sizeof *zero);
        b.start = objective_at(&b.clean, zero);
        free(zero);
        for (size_t s = 0; s < seeds && s < 64; s++) {
            setting with = {.method = "auto", .seed = s + 1, .step = NAN, .directions = NAN};
            own[s] = run(&b, &with);
            fprintf(stderr, "  auto seed %zu: %.9g %.9g %.9g %.9g %s\n", s + 1, own[s].F[0],
                    own[s].F[1], own[s].F[2], own[s].F[3], own[s].chosen);
        }
        champion other = {.F = {INFINITY, INFINITY, INFINITY, INFINITY}};
        if (argc < 4) other = try_others(&b);
        report(&b, &other, own, seeds);
        return 0;
    }
    if (argc > 1 && !strcmp(argv[1], "list")) return 0;
    fprintf(stderr, "usage: never CASE [SEEDS [alone]], CASE one of 'never list'\n");
    return 2;
}
