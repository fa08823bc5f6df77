/* Which instructions this process uses.
 * SPDX-License-Identifier: MIT
 *
 * Hot loops are compiled for several instruction sets and chosen at run time. All of them give the same bytes: sums have
 * one order by definition, and a fused multiply-add is one everywhere, emulated where the processor has none. */
#ifndef ZO_BASE_ISA_H
#define ZO_BASE_ISA_H

typedef enum isa {
    ISA_PLAIN, /* every machine of the architecture */
    ISA_V3,    /* x86-64 with AVX2, FMA and BMI */
    ISA_V4,    /* and AVX-512 */
    ISA_COUNT
} isa;

/* Part of the sameness promise: grows by one when an order of operations changes, so that builds which would compute other
 * bytes under the same version do not take up each other's checkpoints nor work on one run together. */
enum { ISA_ARITHMETIC = 2 };

isa isa_level(void);          /* the best that the machine and this build have, below the limit */
void isa_limit(isa most);     /* for tests: no more than this, from now on */
const char *isa_name(isa at); /* "plain", "v3", "v4" */

#endif
