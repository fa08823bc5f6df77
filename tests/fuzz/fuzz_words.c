/* Any text as a setting or as a psi: taken, and then it reads back the same, or refused with one sentence.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "zoprox.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { D = 6, LONGEST = 200 };

static void must(int holds)
{
    if (!holds) abort();
}

static void refused(zo_status status, const zo_error *err)
{
    must(status == err->status && *err->text);
}

/* NAME=VALUE */
static void as_setting(char *text)
{
    char *value = strchr(text, '=');
    if (!value) return;
    *value++ = 0;
    zo_settings s = zo_defaults(), again = zo_defaults();
    zo_error err;
    char kept[64];
    zo_status status = zo_set(&s, text, value, &err);
    if (status) {
        refused(status, &err);
        return;
    }
    must(zo_get(&s, text, kept, sizeof kept) == 0);
    must(zo_set(&again, text, kept, &err) == ZO_OK);
    must(memcmp(&s, &again, sizeof s) == 0);
}

static void as_psi(const char *text)
{
    zo_prox psi;
    zo_error err;
    zo_status status = zo_prox_parse(&psi, text, D, &err);
    if (status) {
        refused(status, &err);
        return;
    }
    double v[D] = {3, -1, 0.5, 0, 2, -7}, x[D];
    double *work = malloc((psi.work ? psi.work(&psi, D) : 0) * sizeof *work + 1);
    must(zo_prox_check(&psi, D, &err) == ZO_OK && work != NULL);
    psi.apply(&psi, D, 0.5, v, x, work);
    for (size_t j = 0; j < D; j++) must(isfinite(x[j]));
    must(!isnan(psi.value(&psi, D, x)));
    free(work);
    zo_prox_free(&psi);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char text[LONGEST + 1] = {0};
    if (size < 1) return 0;
    memcpy(text, bytes + 1, size - 1 < LONGEST ? size - 1 : LONGEST);
    for (char *c = text; *c; c++)
        if (*c == '/') *c = '_'; /* a psi may name a file: none outside this folder */
    if (bytes[0] % 2)
        as_setting(text);
    else
        as_psi(text);
    return 0;
}
