/* The methods, one row each; nothing else knows their names.
 * SPDX-License-Identifier: MIT */
#include "method/rows.h"

#include <string.h>

#include "method/method.h"

extern const method_row auto_row, zpdvr_row, zpsvrg_row, sega_row, zosgd_row, pgd_row, fista_row, psvrg_row,
    saga_row, inq_method_row, sinq_row;

static const zo_method_row info[] = {ROW_AUTO,  ROW_ZPDVR, ROW_ZPSVRG, ROW_SEGA, ROW_ZOSGD, ROW_PGD,
                                     ROW_FISTA, ROW_PSVRG, ROW_SAGA,   ROW_INQ,  ROW_SINQ};
static const method_row *const table[] = {&auto_row,  &zpdvr_row,      &zpsvrg_row, &sega_row,
                                          &zosgd_row, &pgd_row,        &fista_row,  &psvrg_row,
                                          &saga_row,  &inq_method_row, &sinq_row};
enum { METHODS = sizeof table / sizeof *table };
_Static_assert(METHODS == sizeof info / sizeof *info, "one row of each kind per method");

const method_row *const *method_table(size_t *count)
{
    *count = METHODS;
    return table;
}

const zo_method_row *zo_method_rows(size_t *count)
{
    *count = METHODS;
    return info;
}

const method_row *method_find(const char *name)
{
    for (size_t k = 0; k < METHODS; k++)
        if (!strcmp(table[k]->info.name, name)) return table[k];
    return NULL;
}
