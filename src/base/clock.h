/* The clock by which waiting and working are measured.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_BASE_CLOCK_H
#define ZO_BASE_CLOCK_H

double clock_now(void); /* seconds since some fixed moment; never goes back */

#endif
