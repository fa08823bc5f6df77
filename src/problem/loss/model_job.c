/* Where the directions and the answers of a fan in the making are.
 * SPDX-License-Identifier: MIT */
#include "problem/loss/model_job.h"

group job_group(const job *j, size_t k, size_t entry)
{
    const zo_fan *fan = j->fan;
    size_t from = k * GROUP, left = fan->ndir - (from < fan->ndir ? from : fan->ndir);
    group g = {.count = left < GROUP ? left : GROUP};
    g.width = (g.count + 3) / 4 * 4;
    if (!g.count) return g;
    g.step = fan->own ? fan->ndir * fan->d : 0;
    g.dir = fan->dir + entry * g.step + from * fan->d;
    if (fan->sparse && fan->own && fan->ndir == 1 && fan->sparse_of == fan->dir)
        g.sparse = fan->sparse + entry;
    g.panel = j->panel ? j->panel + from * fan->d : NULL;
    return g;
}

double *each_out(const job *j, size_t entry, size_t b)
{
    size_t known = j->fan->known != 0;
    return j->out + entry * (j->m - known * j->fan->nbase) + b * (j->per - known);
}
