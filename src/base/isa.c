/* Which instructions this process uses.
 * SPDX-License-Identifier: MIT */
#include "base/isa.h"

#include <stdatomic.h>

#include "zoprox.h"

static atomic_int known = -1; /* the level, once somebody has asked */

/* What src/CMakeLists.txt compiles the files *_v3.c and *_v4.c for. */
static isa of_machine(void)
{
#if defined(ZO_BUILD_V3)
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
        !__builtin_cpu_supports("bmi") || !__builtin_cpu_supports("bmi2"))
        return ISA_PLAIN;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512dq") ||
        !__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("avx512bw"))
        return ISA_V3;
    return ISA_V4;
#else
    return ISA_PLAIN;
#endif
}

isa isa_level(void)
{
    int level = atomic_load_explicit(&known, memory_order_relaxed);
    if (level < 0) atomic_store_explicit(&known, level = (int)of_machine(), memory_order_relaxed);
    return (isa)level;
}

void isa_limit(isa most)
{
    isa has = of_machine();
    atomic_store_explicit(&known, (int)(has < most ? has : most), memory_order_relaxed);
}

unsigned zo_arithmetic(void) { return ISA_ARITHMETIC; }

const char *isa_name(isa at)
{
    static const char *const name[ISA_COUNT] = {"plain", "v3", "v4"};
    return name[at];
}
