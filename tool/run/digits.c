/* How many digits values have: programs that print with "%g" are many. SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "core/tool.h"

int value_digits(size_t count, const double *v)
{
    char text[40];
    int digits = 1;
    for (size_t k = 0; k < count && digits < 17;) {
        snprintf(text, sizeof text, "%.*g", digits, v[k]);
        if (strtod(text, NULL) == v[k])
            k++;
        else
            digits++;
    }
    return digits;
}
