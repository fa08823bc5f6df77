/* Does it pay to ask again for what failed? An accident passes when it is asked once more, a fact does not; and a run that
 * costs an hour is not to fail four times at every point of a region where it cannot work.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_AGAIN_H
#define ZO_AGAIN_H

#include <stdatomic.h>

/* What asking again has brought so far, from any thread. */
typedef struct again {
    atomic_uint_fast64_t mended, vain; /* values that came after all; points that stayed bad */
} again;

enum { VAIN_AT_FIRST = 2, VAIN_A_MENDED = 4 };

static inline int again_pays(const again *a)
{
    return atomic_load(&a->vain) < VAIN_AT_FIRST + VAIN_A_MENDED * atomic_load(&a->mended);
}

#endif
