/* Fans of the built-in problems: cut into pieces, shared among threads, summed along the fixed tree.
 * SPDX-License-Identifier: MIT
 *
 * f_i(point) = loss + (l2/2)|point|^2. The ridge is the same for every component, so it is computed once for each
 * point, from |x|^2, x'u and |u|^2, and added to the mean (or to each). Everything a fan needs is in scratch that
 * grows with the largest fan and stays: one fan at a time. */
#include <math.h>
#include <string.h>

#include "problem/loss/model_job.h"
#include "problem/problem.h"

/* ---- Directions --------------------------------------------------------------------------------- */

/* Copies the directions with their lanes side by side; where rows are enough to pay for it. */
static int pack_directions(job *j)
{
    const zo_fan *fan = j->fan;
    const zo_data *z = j->model->data;
    if (fan->own || !fan->ndir || j->model->loss == ZO_SOFTMAX) return 1;
    if (z->row && (double)fan->ncomp * (double)z->nonzeros < (double)z->n * (double)fan->d)
        return 1;
    if (!z->row && dense_alone(fan->ncomp, fan->d)) return 1;
    size_t groups = (fan->ndir + GROUP - 1) / GROUP;
    double *panel = room_for(&j->model->kernel->panel, groups * GROUP * fan->d, sizeof *panel);
    if (!panel) return 0;
    for (size_t k = 0; k < groups; k++) {
        group g = job_group(j, k, 0);
        j->table->pack(fan->d, fan->d, &g, panel + k * GROUP * fan->d);
    }
    j->panel = panel;
    return 1;
}

/* Where on the list of axes a column is, for rows that are walked by their nonzeros. */
static int map_axes(job *j)
{
    const zo_fan *fan = j->fan;
    if (!fan->naxis || !fan->axis || !j->model->data->row) return 1;
    uint32_t *head = room_for(&j->model->kernel->head, fan->d, sizeof *head);
    uint32_t *next = room_for(&j->model->kernel->next, fan->naxis, sizeof *next);
    if (!head || !next) return 0;
    memset(head, 0, fan->d * sizeof *head);
    for (size_t k = fan->naxis; k-- > 0;) {
        next[k] = head[fan->axis[k]];
        head[fan->axis[k]] = (uint32_t)k + 1;
    }
    j->head = head;
    j->next = next;
    return 1;
}

/* ---- Ridge -------------------------------------------------------------------------------------- */

static void ridge_axes(const job *j, size_t b, double *restrict add)
{
    const zo_fan *fan = j->fan;
    const double *restrict x = fan->base[b];
    size_t sides = (size_t)fan->sides;
    double base = fan->known ? 0 : add[0], xx = j->square[b], half = 0.5 * j->model->l2;
    for (size_t s = 0; s < sides; s++) {
        double r = side_radius(j, s);
        if (!fan->axis && sides == 1 &&
            !fan->radii) /* what coordinate methods ask all the time: a loop that vectorises */
            for (size_t k = 0; k < fan->naxis; k++)
                add[1 + k] = half * (xx + r * (2 * x[k] + r)) - base;
        else
            for (size_t k = 0; k < fan->naxis; k++)
                add[1 + k * sides + s] =
                    ridge_at(j, xx, fan_reach(fan, k, s), x[fan->axis ? fan->axis[k] : k], 1) -
                    base;
    }
}

/* dot: of count directions, the first of which is number from */
static void ridge_directions(const job *j, size_t from, size_t count, const double (*dot)[3],
                             double *add)
{
    const zo_fan *fan = j->fan;
    size_t sides = (size_t)fan->sides;
    for (size_t k = 0; k < count; k++)
        for (size_t b = 0; b < fan->nbase; b++)
            for (size_t s = 0; s < sides; s++)
                add[b * j->per + 1 + (fan->naxis + from + k) * sides + s] =
                    ridge_own(j, b, fan_reach(fan, fan->naxis + from + k, s), dot[k]);
}

static void ridge_bases(job *j, const double (*dot)[3], double *add)
{
    for (size_t b = 0; b < j->fan->nbase; b++) {
        j->square[b] = dot[b][0];
        add[b * j->per] = ridge_at(j, dot[b][0], 0, 0, 0);
        ridge_axes(j, b, add + b * j->per);
    }
}

static int prepare_ridge(job *j)
{
    const zo_fan *fan = j->fan;
    double *add = room_for(&j->model->kernel->ridge, j->m, sizeof *add), dot[2 + GROUP][3];
    if (!add) return 0;
    j->add = add;
    if (j->model->l2 == 0 || fan->own)
        memset(add, 0, j->m * sizeof *add); /* rows of their own: see ridge_own */
    if (j->model->l2 == 0) return 1;
    const double *u[2 + GROUP];
    size_t nbase = fan->nbase, ndir = fan->own ? 0 : fan->ndir, k = 0;
    for (size_t b = 0; b < nbase; b++) u[b] = fan->base[b];
    do { /* bases go with the first directions: a few products alone wait for themselves */
        size_t first = k ? 0 : nbase, count = ndir - k < GROUP ? ndir - k : GROUP;
        for (size_t l = 0; l < count; l++) u[first + l] = fan->dir + (k + l) * fan->d;
        j->table->dots(fan->d, first + count, u, nbase, fan->base, dot);
        if (!k) ridge_bases(j, (const double(*)[3])dot, add);
        ridge_directions(j, k, count, (const double(*)[3])dot + first, add);
        k += count;
    } while (k < ndir);
    return 1;
}

/* ---- Who does what ------------------------------------------------------------------------------ */

/* Multiplications, about: below some 60 microseconds waking a thread costs more than it brings. */
static int worth_sharing(const job *j)
{
    const zo_fan *fan = j->fan;
    const zo_data *z = j->model->data;
    double row = (double)z->nonzeros / (double)z->n, q = (double)fan->ndir, a = (double)fan->naxis;
    double points =
        (double)(fan->nbase * (size_t)fan->sides) * (q + (a < row ? a : row)) + (double)fan->nbase;
    double work =
        row * (q + (double)fan->nbase) + 8 * points + (fan->own ? 2 * q * (double)fan->d : 0);
    return j->model->kernel->seats > 1 &&
           work * (double)j->model->classes * (double)fan->ncomp > 5e4;
}

/* Rows picked here and there: where each begins, and all of the first. The others are fetched on the way, so that those that
 * have come are worked on meanwhile. */
static void fetch_rows(const job *j, const piece *p)
{
    const zo_data *z = j->model->data;
    size_t first = j->model->loss == ZO_SOFTMAX || p->count < FETCHED ? p->count : FETCHED;
    for (size_t i = 0; i < p->count; i++) __builtin_prefetch(z->row + p->row[i]);
    for (size_t i = 0; i < first; i++) fetch_row(z, p->row[i]);
}

static void fill_piece(const job *j, piece *p, size_t from, size_t count)
{
    const zo_fan *fan = j->fan;
    p->first = from;
    p->count = count;
    for (size_t i = 0; i < count; i++) {
        uint64_t entry = j->order ? j->order[from + i] : from + i;
        p->row[i] = (fan->comp ? fan->comp[entry] : entry) - j->model->data->first;
        p->y[i] = j->model->target[p->row[i]];
    }
    p->picked = fan->comp && j->model->data->row;
    if (p->picked) fetch_rows(j, p);
}

static const family *family_of(const job *j)
{
    return j->model->loss == ZO_SOFTMAX ? &softmax_family : &linear_family;
}

/* ---- One set for each entry --------------------------------------------------------------------- */

static void each_task(void *ctx, size_t k, int who)
{
    const job *j = ctx;
    size_t from = k * PIECE, left = j->fan->ncomp - from;
    piece *p = &j->model->kernel->piece[who];
    fill_piece(j, p, from, left < PIECE ? left : PIECE);
    family_of(j)->each(j, p, who);
}

static void run_each(job *j)
{
    size_t tasks = (j->fan->ncomp + PIECE - 1) / PIECE;
    if (worth_sharing(j))
        pool_run(j->model->threads, tasks, each_task, j);
    else
        for (size_t k = 0; k < tasks; k++) each_task(j, k, 0);
}

/* ---- Means -------------------------------------------------------------------------------------- */

static uint64_t block_at(const job *j, size_t place)
{
    const uint64_t *comp = j->fan->comp;
    return (comp ? comp[j->order ? j->order[place] : place] : place) / SUM_BLOCK;
}

/* Where the run of entries of one block that begins at from ends. */
static size_t run_end(const job *j, size_t from, size_t to)
{
    uint64_t block = block_at(j, from);
    size_t end = from + 1;
    if (!j->fan->comp) return (block + 1) * SUM_BLOCK < to ? (block + 1) * SUM_BLOCK : to;
    while (end < to && block_at(j, end) == block) end++;
    return end;
}

static size_t part_of_run(const job *j, piece *p, size_t from, size_t end)
{
    size_t count = end - from < PIECE ? end - from : PIECE;
    p->thick = 1;
    p->runs = 1;
    memset(p->run, 0, sizeof p->run);
    fill_piece(j, p, from, count);
    return from + count;
}

/* Whole runs of fewer than THICK entries, as long as there is room for them. */
static size_t thin_runs(const job *j, piece *p, size_t from, size_t to)
{
    size_t at = from, most = 1 + LEAVES / j->m;
    p->thick = 0;
    for (p->runs = 0; at < to && p->runs < most; p->runs++) {
        size_t end = run_end(j, at, to);
        if (end - at >= THICK || end - from > PIECE) break;
        for (; at < end; at++) p->run[at - from] = (uint32_t)p->runs;
    }
    fill_piece(j, p, from, at - from);
    return at;
}

static void sum_thin(const job *j, piece *p, size_t from, int who, sum_tree *tree)
{
    double *leaves = j->leaves + (size_t)who * j->room;
    memset(leaves, 0, p->runs * j->m * sizeof *leaves);
    family_of(j)->sums(j, p, who, leaves);
    for (size_t i = 0; i < p->count; i++)
        if (i == 0 || p->run[i] != p->run[i - 1])
            memcpy(sum_leaf(tree, block_at(j, from + i)), leaves + p->run[i] * j->m,
                   j->m * sizeof *leaves);
}

/* Sums the entries from ... to - 1 (in order), whole blocks, along the tree. Thick runs are summed apart and thin
 * ones together: how a block is summed depends on its own entries alone. */
static void sum_entries(const job *j, size_t from, size_t to, int who, double *total)
{
    piece *p = &j->model->kernel->piece[who];
    sum_tree tree;
    sum_open(&tree, j->m, j->tree + (size_t)who * j->depth * j->m);
    while (from < to) {
        size_t end = run_end(j, from, to);
        if (end - from < THICK) {
            end = thin_runs(j, p, from, to);
            sum_thin(j, p, from, who, &tree);
            from = end;
            continue;
        }
        double *leaf = sum_leaf(&tree, block_at(j, from));
        while (from < end) {
            from = part_of_run(j, p, from, end);
            family_of(j)->sums(j, p, who, leaf);
        }
    }
    sum_close(&tree, total);
}

static void sum_task(void *ctx, size_t k, int who)
{
    const job *j = ctx;
    sum_entries(j, j->share[k].from, j->share[k].to, who, j->sums + k * j->m);
}

/* ---- Shares: each is a node of the tree, or what the components fill of one ---------------------- */

static uint64_t last_block(const job *j, sum_node node)
{
    uint64_t last = (j->model->n - 1) / SUM_BLOCK;
    return node.last < last ? node.last : last;
}

static size_t most_shares(const job *j, size_t nnodes, const sum_node *node)
{
    size_t count = 0;
    for (size_t k = 0; k < nnodes; k++)
        if (node[k].first <= last_block(j, node[k]))
            count += ((last_block(j, node[k]) - node[k].first) >> j->bits) + 1;
    return count;
}

static void share_all(job *j, size_t nnodes, const sum_node *node)
{
    uint64_t size = (uint64_t)1 << j->bits;
    for (size_t k = 0; k < nnodes; k++)
        for (uint64_t block = node[k].first, last = last_block(j, node[k]); block <= last;
             block += size) {
            uint64_t end = last - block < size ? last + 1 : block + size;
            size_t to = end * SUM_BLOCK < j->fan->ncomp ? end * SUM_BLOCK : j->fan->ncomp;
            j->share[j->tasks++] = (share){block * SUM_BLOCK, to, block, k};
        }
}

static void share_listed(job *j, size_t nnodes, const sum_node *node)
{
    share *s = j->share;
    for (size_t e = 0, k = 0; e < j->fan->ncomp; e++) {
        uint64_t block = block_at(j, e);
        while (k < nnodes && block > node[k].last) k++;
        if (k == nnodes) break;
        if (block < node[k].first) continue;
        if (!j->tasks || s->node != k || s->block >> j->bits != block >> j->bits) {
            s = j->share + j->tasks++;
            *s = (share){e, e, block, k};
        }
        s->to = e + 1;
    }
}

/* Sorted entries, cut into shares: a share owns an aligned run of at most 2^bits blocks. */
static int cut_shares(job *j, size_t nnodes, const sum_node *node)
{
    const zo_fan *fan = j->fan;
    kernel *k = j->model->kernel;
    j->share = room_for(&k->start, most_shares(j, nnodes, node) + 1, sizeof *j->share);
    uint64_t *order = fan->comp ? room_for(&k->order, 2 * fan->ncomp, sizeof *order) : NULL;
    if (!j->share || (fan->comp && !order)) return 0;
    if (order) sum_order(fan->comp, fan->ncomp, order, order + fan->ncomp);
    j->order = order;
    (order ? share_listed : share_all)(j, nnodes, node);
    return 1;
}

/* The shares' sums are leaves of what is above them in their node. */
static void combine(const job *j, size_t nnodes, double *out)
{
    const share *s = j->share, *end = s + j->tasks;
    for (size_t k = 0; k < nnodes; k++) {
        sum_tree tree;
        sum_open(&tree, j->m, j->tree);
        for (; s < end && s->node == k; s++)
            memcpy(sum_leaf(&tree, s->block), j->sums + (size_t)(s - j->share) * j->m,
                   j->m * sizeof *out);
        sum_close(&tree, out + k * j->m);
    }
}

/* out = total/ncomp + ridge; where the base is known, values instead of differences. */
static void write_means(const job *j, const double *total)
{
    const zo_fan *fan = j->fan;
    double *restrict out = j->out, count = (double)fan->ncomp;
    for (size_t b = 0; b < fan->nbase; b++) {
        const double *restrict sum = total + b * j->per, *restrict add = j->add + b * j->per;
        double base = fan->known ? sum[0] : 0;
        size_t from = fan->known != 0;
        if (!fan->known) out[0] = sum[0] / count + add[0];
        for (size_t k = 1; k < j->per; k++) out[k - from] = (base + sum[k]) / count + add[k];
        out += j->per - from;
    }
}

static unsigned bits_of(size_t v)
{
    unsigned bits = 0;
    for (; v; v >>= 1) bits++;
    return bits;
}

static int run_sums(job *j, size_t nnodes, const sum_node *node, double *out)
{
    kernel *k = j->model->kernel;
    size_t blocks = (j->model->n + SUM_BLOCK - 1) / SUM_BLOCK,
           most = worth_sharing(j) ? 8 * k->seats : 1;
    while (most_shares(j, nnodes, node) > most + nnodes - 1) j->bits++;
    j->depth = bits_of(blocks) + 2;
    j->sums = room_for(&k->sums, (most + nnodes) * j->m, sizeof *j->sums);
    j->tree = room_for(&k->tree, k->seats * j->depth * j->m, sizeof *j->tree);
    j->room = (LEAVES / j->m + 1) * j->m;
    j->leaves = room_for(&k->leaves, k->seats * j->room, sizeof *j->leaves);
    if (!j->sums || !j->tree || !j->leaves || !cut_shares(j, nnodes, node)) return 0;
    if (j->tasks) pool_run(j->model->threads, j->tasks, sum_task, j);
    combine(j, nnodes, out);
    return 1;
}

static job job_of(zo_model *model, const zo_fan *fan)
{
    job j = {.model = model, .fan = fan, .table = model->kernel->table};
    j.per = 1 + (size_t)fan->sides * (fan->naxis + fan->ndir);
    j.m = fan->nbase * j.per;
    return j;
}

/* Full rows of their own directions are asked many times at one base, and its products cost as much as theirs. */
static int keep_margins(job *j)
{
    const zo_model *model = j->model;
    kernel *k = model->kernel;
    size_t d = model->d, n = model->data->n;
    if (!j->fan->own || j->fan->nbase != 1 || model->data->row || model->loss == ZO_SOFTMAX)
        return 1;
    double *base = room_for(&k->margins, d + n, sizeof *base);
    if (!base) return 0;
    if (!k->has_base || memcmp(base, j->fan->base[0], d * sizeof *base)) {
        memcpy(base, j->fan->base[0], d * sizeof *base);
        for (size_t i = 0; i < n; i++) base[d + i] = NAN;
        k->has_base = 1;
    }
    j->margin = base + d;
    return 1;
}

static int prepare(job *j)
{
    return prepare_ridge(j) && map_axes(j) && pack_directions(j) && keep_margins(j);
}

/* A model over a part of a set has the components of that part only: zo_spread asks for no others. */
static int is_here(const zo_data *z, const zo_fan *fan)
{
    if (!z->whole) return 1;
    if (!fan->comp) return z->n == z->whole;
    for (size_t e = 0; e < fan->ncomp; e++)
        if (fan->comp[e] < z->first || fan->comp[e] - z->first >= z->n) return 0;
    return 1;
}

static int answer_job(job *j)
{
    if (!is_here(j->model->data, j->fan)) return ZO_BAD_ARGUMENT;
    if (!prepare(j)) return ZO_NO_MEMORY;
    if (j->fan->each) {
        run_each(j);
        return ZO_OK;
    }
    double *total = room_for(&j->model->kernel->total, j->m, sizeof *total);
    if (!total || !run_sums(j, 1, &(sum_node){0, UINT64_MAX}, total)) return ZO_NO_MEMORY;
    write_means(j, total);
    return ZO_OK;
}

int model_answer(void *model, const zo_fan *fan, double *out)
{
    job j = job_of(model, fan);
    j.out = out;
    pthread_mutex_lock(&j.model->one);
    int code = answer_job(&j);
    pthread_mutex_unlock(&j.model->one);
    return code;
}

/* ---- The two halves, for several processes ------------------------------------------------------- */

static size_t model_width(const zo_fan *fan)
{
    return fan->nbase * (1 + (size_t)fan->sides * (fan->naxis + fan->ndir));
}

static int model_sums(void *model, const zo_fan *fan, size_t nnodes, const sum_node *node,
                      double *out)
{
    job j = job_of(model, fan);
    return prepare(&j) && run_sums(&j, nnodes, node, out) ? ZO_OK : ZO_NO_MEMORY;
}

/* The ridge is what sums prepared. */
static void model_means(void *model, const zo_fan *fan, const double *total, double *out)
{
    job j = job_of(model, fan);
    j.out = out;
    j.add = j.model->kernel->ridge.at;
    write_means(&j, total);
}

/* Where another solver is being answered its threads are busy. */
static int model_share(void *ctx, size_t count, void (*task)(void *with, size_t k, int who),
                       void *with)
{
    zo_model *m = ctx;
    int threads = pool_threads(m->threads);
    if (count == 0) return threads;
    if (pthread_mutex_trylock(&m->one)) {
        for (size_t k = 0; k < count; k++) task(with, k, 0);
        return threads;
    }
    pool_run(m->threads, count, task, with);
    pthread_mutex_unlock(&m->one);
    return threads;
}

const struct zo_inside model_inside = {.width = model_width,
                                       .sums = model_sums,
                                       .means = model_means,
                                       .answer = model_answer,
                                       .share = model_share};
