/* inq: rounding, forward error, noise, and the radii that follow.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_METHOD_COMPONENT_ACCURACY_H
#define ZO_METHOD_COMPONENT_ACCURACY_H

#include "method/component/state.h"

double inq_noise(const inq *s);
void ask_noise(inq *s, zo_fan *fan);
int inq_learn_noise(inq *s, const double *answers);
double inq_unseen(const inq *s);                         /* a decrease that F cannot show */
double inq_coarse(const inq *s, double times, double f); /* what a value near f may be off by */
double inq_blur_at(const inq *s, double r, double far, double f, double bend);
double inq_length(const inq *s, uint64_t i); /* along u_i, that it bends over */
double inq_bend_part(const inq *s);
double inq_renew_part(const inq *s);
typedef double (*inq_radius)(const inq *s, uint64_t i); /* along u_i */
double inq_bend_radius(const inq *s, uint64_t i);
double inq_renew_radius(const inq *s, uint64_t i);
void ask_ladder(inq *s, zo_fan *fan);
void inq_know_unit(inq *s, double unit); /* as ladder_unit has found it */
void inq_learn_ladder(inq *s, const double *answers);
void inq_settle_radius(inq *s); /* of differences of single components */
int inq_measured(const inq *s); /* 0: every component that was seen is constant and 0 */
void inq_measure(inq *s);       /* scale and length, from the first sample; */
void inq_measure_again(inq *s); /* and from the curves of this one, where f has fallen far */

#endif
