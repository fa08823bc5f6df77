/* State by lists: a struct is one list of its fields, from which it is declared, kept and checked.
 * SPDX-License-Identifier: MIT
 *
 *     #define X_WALK(COUNT, NUMBER) COUNT(walk, steps, MOST_COUNTED) NUMBER(walk, length)
 *     #define X_STRUCTS(S) S(walk, X_WALK)
 *
 * COUNT(struct, field, most): a whole number, no more than that where it was read from a file; NUMBER(struct, field): any.
 * 8 bytes a field. FIELDS_KEEP and FIELDS_FIT want the method as m, and s. */
#ifndef ZO_METHOD_CORE_FIELDS_H
#define ZO_METHOD_CORE_FIELDS_H

#include "method/core/method.h"

#define FIELD_COUNT(of, name, most) uint64_t name;
#define FIELD_NUMBER(of, name) double name;
#define FIELD_FITS(of, name, most) &&s->of.name <= (uint64_t)(most)
#define FIELD_ANY(of, name)

#define FIELDS_STRUCT(name, LIST)                                                                  \
    struct name {                                                                                  \
        LIST(FIELD_COUNT, FIELD_NUMBER)                                                            \
    };
#define FIELDS_MEMBER(name, LIST) struct name name;
#define FIELDS_KEEP(name, LIST) state_words(m, #name, &s->name, sizeof s->name / 8);
#define FIELDS_FIT(name, LIST) LIST(FIELD_FITS, FIELD_ANY) /* 1 X_STRUCTS(FIELDS_FIT): all do */

#endif
