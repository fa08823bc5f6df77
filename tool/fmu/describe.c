/* What modelDescription.xml says of an FMU: who it is, its default experiment, its variables.
 * SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "fmu/fmu.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#ifdef ZO_HAVE_EXPAT
#include <expat.h>

typedef struct reading {
    fmu_model *m;
    XML_Parser parser;
    int depth; /* 0: not among ModelVariables; 1: among them; 2: in one of them; 3: in what it has */
    int added;     /* that one is the last of m's */
    int simulates; /* CoSimulation is there */
    int failed;    /* out of memory */
} reading;

/* The value of a key, or NULL. */
static const char *value_of(const char **attributes, const char *key)
{
    for (; *attributes; attributes += 2)
        if (!strcmp(attributes[0], key)) return attributes[1];
    return NULL;
}

static void keep_text(reading *g, char **to, const char *text)
{
    free(*to);
    *to = text ? strdup(text) : NULL;
    if (text && !*to) g->failed = 1;
}

static void keep_number(double *to, const char *text)
{
    double v;
    *to = text && text_number(text, &v) ? v : NAN;
}

static int is_word(const char *text, const char *word) { return text && !strcmp(text, word); }

/* When may it be set? The tables of "initial" and of the states of co-simulation in the standard. */
static unsigned char may_be_set(const char **a)
{
    const char *causality = value_of(a, "causality"), *initial = value_of(a, "initial");
    if (is_word(value_of(a, "variability"), "constant")) return FMU_NEVER;
    if (is_word(causality, "input")) return FMU_WITHIN;
    if (is_word(causality, "parameter") || is_word(causality, "structuralParameter"))
        return FMU_BEFORE;
    return is_word(initial, "exact") ? FMU_BEFORE : FMU_NEVER;
}

/* FMI 2 has ScalarVariable with Real in it, FMI 3 Float64. */
static void add_variable(reading *g, const char *element, const char **a)
{
    fmu_model *m = g->m;
    const char *name = value_of(a, "name"), *reference = value_of(a, "valueReference");
    g->added = 0;
    if (!name || !reference) return;
    if (!(m->count & (m->count + 1))) { /* 0, 1, 3, 7, ...: full */
        fmu_variable *grown = realloc(m->at, (2 * m->count + 1) * sizeof *grown);
        if (!grown) {
            g->failed = 1;
            return;
        }
        m->at = grown;
    }
    fmu_variable *v = &m->at[m->count];
    *v = (fmu_variable){.reference = (unsigned)strtoul(reference, NULL, 10),
                        .real = (unsigned char)!strcmp(element, "Float64"),
                        .may = may_be_set(a),
                        .shown = (unsigned char)is_word(value_of(a, "causality"), "parameter")};
    keep_text(g, &v->name, name);
    g->added = !g->failed;
    m->count += (size_t)g->added;
}

static void look_within(reading *g, const char *element)
{
    if (!g->added) return;
    if (!strcmp(element, "Real")) g->m->at[g->m->count - 1].real = 1;
    if (!strcmp(element, "Dimension")) g->m->at[g->m->count - 1].real = 0; /* an array */
}

static void XMLCALL begin(void *ctx, const char *element, const char **a)
{
    reading *g = ctx;
    fmu_model *m = g->m;
    if (g->failed) return;
    if (g->depth || !strcmp(element, "ModelVariables")) {
        g->depth++;
        if (g->depth == 2) add_variable(g, element, a);
        if (g->depth == 3) look_within(g, element);
    } else if (!strcmp(element, "fmiModelDescription")) {
        const char *version = value_of(a, "fmiVersion");
        m->version = version ? atoi(version) : 0;
        keep_text(g, &m->token, value_of(a, m->version == 2 ? "guid" : "instantiationToken"));
    } else if (!strcmp(element, "CoSimulation")) {
        g->simulates = 1;
        keep_text(g, &m->identifier, value_of(a, "modelIdentifier"));
        const char *any = value_of(a, "canHandleVariableCommunicationStepSize");
        m->any_step = is_word(any, "true") || is_word(any, "1");
    } else if (!strcmp(element, "DefaultExperiment")) {
        keep_number(&m->start, value_of(a, "startTime"));
        keep_number(&m->stop, value_of(a, "stopTime"));
        keep_number(&m->step, value_of(a, "stepSize"));
        keep_number(&m->tolerance, value_of(a, "tolerance"));
    }
}

static void XMLCALL end(void *ctx, const char *element)
{
    reading *g = ctx;
    (void)element;
    if (g->depth) g->depth--;
}

/* A document type could name other files or grow without end; a description has none. */
static void XMLCALL refuse_type(void *ctx, const char *name, const char *system, const char *public,
                                int internal)
{
    reading *g = ctx;
    (void)name, (void)system, (void)public, (void)internal;
    XML_StopParser(g->parser, XML_FALSE);
}

static int parse(fmu_model *m, const char *text, size_t size, const char *path)
{
    reading g = {.m = m, .parser = XML_ParserCreate(NULL)};
    if (!g.parser || size > 1u << 30) {
        if (g.parser) XML_ParserFree(g.parser);
        return complain(FAILED, "--fmu: out of memory");
    }
    XML_SetUserData(g.parser, &g);
    XML_SetElementHandler(g.parser, begin, end);
    XML_SetStartDoctypeDeclHandler(g.parser, refuse_type);
    int code = DONE;
    if (XML_Parse(g.parser, text, (int)size, 1) != XML_STATUS_OK)
        code = complain(REFUSED, "--fmu: '%s': modelDescription.xml, line %lu: %s", path,
                        (unsigned long)XML_GetCurrentLineNumber(g.parser),
                        XML_ErrorString(XML_GetErrorCode(g.parser)));
    else if (g.failed)
        code = complain(FAILED, "--fmu: out of memory");
    else if (m->version != 2 && m->version != 3)
        code = complain(REFUSED, "--fmu: '%s' is not of FMI 2 or 3", path);
    else if (!g.simulates || !m->identifier || !m->token || strchr(m->identifier, '/'))
        code = complain(REFUSED, "--fmu: '%s' has no part for co-simulation", path);
    XML_ParserFree(g.parser);
    return code;
}
#else
static int parse(fmu_model *m, const char *text, size_t size, const char *path)
{
    (void)m, (void)text, (void)size;
    return complain(REFUSED, "--fmu: '%s' cannot be read: this zoprox has no expat", path);
}
#endif

int fmu_describe(fmu_model *m, const char *where, const char *path)
{
    char name[LONGEST_PATH + 32];
    size_t size;
    *m = (fmu_model){.start = NAN, .stop = NAN, .step = NAN, .tolerance = NAN};
    snprintf(name, sizeof name, "%s/modelDescription.xml", where);
    char *text = read_whole(name, &size);
    if (!text)
        return complain(REFUSED, "--fmu: '%s' has no modelDescription.xml: %s", path,
                        strerror(errno));
    int code = parse(m, text, size, path);
    free(text);
    if (isnan(m->start)) m->start = 0;
    if (isnan(m->stop)) m->stop = m->start + 1; /* as the standard has it where nothing is said */
    return code;
}

void fmu_forget(fmu_model *m)
{
    for (size_t k = 0; k < m->count; k++) free(m->at[k].name);
    free(m->at);
    free(m->token);
    free(m->identifier);
    *m = (fmu_model){0};
}

const fmu_variable *fmu_find(const fmu_model *m, const char *name)
{
    for (size_t k = 0; k < m->count; k++)
        if (!strcmp(m->at[k].name, name)) return &m->at[k];
    return NULL;
}
