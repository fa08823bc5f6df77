/* zoprox optimum: the least value of a convex built-in problem.
 * SPDX-License-Identifier: MIT */
#include "core/tool.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "base/vec.h"

#define BOUND 1e-13 /* relative; what --tol says otherwise */

static int check(const request *r)
{
    size_t count;
    const zo_loss_row *loss = &zo_loss_rows(&count)[r->loss];
    if (r->nwords == 0)
        return complain(
            REFUSED,
            "optimum needs a SOURCE: a file, a name or synth:; see 'zoprox optimum --help'");
    if (r->nwords > 1)
        return complain(REFUSED, "optimum takes one SOURCE, but '%s' and '%s' were given",
                        r->words[0], r->words[1]);
    if (!loss->convex)
        return complain(REFUSED, "--loss: %s is not convex, so its optimum cannot be known",
                        loss->name);
    int code = box_fits(r);
    return code || !r->save ? code : file_check(r->save, "save");
}

static int print_as_json(const request *r, const task *s, const zo_optimum *o, size_t nonzeros)
{
    size_t count;
    json_t *all = json_object();
    json_object_set_new(all, "status", json_string("ok"));
    json_object_set_new(all, "source", json_text(r->words[0]));
    json_object_set_new(all, "loss", json_string(zo_loss_rows(&count)[r->loss].name));
    json_object_set_new(all, "n", json_integer((json_int_t)s->problem.n));
    json_object_set_new(all, "d", json_integer((json_int_t)s->problem.d));
    json_object_set_new(all, "optimum", json_number(o->objective));
    json_object_set_new(all, "bound", json_number(o->bound));
    json_object_set_new(all, "proof", json_string(o->proof));
    json_object_set_new(all, "iterations", json_integer((json_int_t)o->iterations));
    json_object_set_new(all, "nonzeros", json_integer((json_int_t)nonzeros));
    return print_json(all);
}

static void print_as_table(const request *r, const task *s, const zo_optimum *o, size_t nonzeros)
{
    size_t count;
    printf("%-15s %s (%s, n %zu, d %zu)\n", "problem", r->words[0],
           zo_loss_rows(&count)[r->loss].name, s->problem.n, s->problem.d);
    printf("%-15s %.17g\n", "optimum", o->objective);
    printf("%-15s at most %.2e too high (%s)\n", "known", o->bound, o->proof);
    printf("%-15s %zu of %zu\n", "nonzeros", nonzeros, s->problem.d);
    printf("%-15s %zu\n", "iterations", o->iterations);
}

static int find(const request *r, const task *s, double *x)
{
    zo_error err;
    zo_optimum o;
    double relative = isnan(r->tol) ? BOUND : r->tol;
    if (zo_find_optimum(&o, s->model, &s->problem.psi, relative, x, &err)) return complain_of(&err);
    size_t nonzeros = vec_nonzeros(s->problem.d, x);
    if (o.bound > relative * fabs(o.objective) && !r->quiet)
        fprintf(stderr,
                "zoprox: optimum: a relative bound of %g could not be proved here; see the one "
                "that was\n",
                relative);
    if (r->save && file_save(r->save, s->problem.d, x)) return FAILED;
    if (r->json) return print_as_json(r, s, &o, nonzeros);
    print_as_table(r, s, &o, nonzeros);
    return DONE;
}

int command_optimum(int argc, char **argv)
{
    request r;
    task s;
    int code = request_parse(&r, argc, argv);
    if (!code) code = check(&r);
    if (!code) code = task_open(&s, &r);
    if (code) return code;
    double *x = calloc(s.problem.d, sizeof *x);
    code = x ? find(&r, &s, x)
             : complain(FAILED, "optimum: out of memory for %zu numbers", s.problem.d);
    free(x);
    task_close(&s);
    return code;
}
