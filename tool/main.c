/* zoprox: the command.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "zoprox.h"

int main(void)
{
    printf("zoprox %s\n", zo_version());
    return 0;
}
