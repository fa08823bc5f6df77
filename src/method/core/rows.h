/* What the methods say about themselves: name, summary, cost in queries, reference, settings they use.
 * SPDX-License-Identifier: MIT
 *
 * q directions, B components in a batch, forward differences; with two sides 2q, 2d stand for q, d in each
 * sum. */
#ifndef ZO_METHOD_ROWS_H
#define ZO_METHOD_ROWS_H

/* clang-format off */
#define ROW_AUTO {"auto", "chooses among the others by n, d, memory and budget, and says why", \
    "of the method chosen", "docs/methods/auto.md", \
    "step radius sides batch epoch horizon memory noise own recover"}
#define ROW_ZPDVR {"zpdvr", "double variance reduction: a reference point and a memory of the gradient (Algorithm 1)", \
    "n(q+1) first, 2B(q+1) a step, n(2q+1) a refresh", \
    "Di, Ye, Zhang, Chang, Dai, Tsang: Double Variance Reduction, ICML 2024", \
    "step radius sides batch directions kind refresh normalize warm reading horizon noise"}
#define ROW_ZPVR {"zpvr", "variance reduction: whole differences at the reference point, random directions between", \
    "n(d+1) a refresh, 2B(q+1) a step", "docs/theory.md", \
    "step radius sides batch directions kind refresh horizon noise"}
#define ROW_ZPSVRG {"zpsvrg", "variance reduction over components, random directions frozen at the reference point", \
    "n(q+1) an epoch and 2B(q+1) a step", \
    "Huang, Gu, Huo, Chen, Huang: Faster gradient-free proximal stochastic methods, AAAI 2019", \
    "step radius sides batch directions kind epoch horizon noise"}
#define ROW_SEGA {"sega", "all components along a few random directions, with a memory of the gradient", \
    "n(q+1) a step", "Hanzely, Mishchenko, Richtarik: SEGA, NeurIPS 2018", \
    "step radius sides directions kind normalize warm horizon noise"}
#define ROW_ZOSGD {"zosgd", "random directions on a batch; values say how long its steps are", \
    "B(q+1) a step", "Ghadimi, Lan: Stochastic first- and zeroth-order methods, SIAM J. Optim. 23, 2013", \
    "step radius sides batch directions kind decay horizon noise"}
#define ROW_PGD {"pgd", "proximal gradient descent on difference gradients", \
    "n(d+1) a step", "Beck: First-order methods in optimization, SIAM 2017, chapter 10", \
    "step radius sides horizon noise"}
#define ROW_FISTA {"fista", "accelerated proximal gradient on difference gradients, with restart", \
    "n(d+1) a step", "Beck, Teboulle: FISTA, SIAM J. Imaging Sci. 2, 2009; O'Donoghue, Candes: Adaptive restart, 2015", \
    "step radius sides restart horizon noise"}
#define ROW_PSVRG {"psvrg", "variance reduction over components on difference gradients", \
    "n(d+1) an epoch and 2B(d+1) a step", \
    "Xiao, Zhang: A proximal stochastic gradient method with progressive variance reduction, SIAM J. Optim. 24, 2014", \
    "step radius sides batch epoch horizon noise"}
#define ROW_SAGA {"saga", "a table of one difference gradient per component (n(d+1) numbers)", \
    "n(d+1) first (or far less: recover on), B(d+1) a step", "Defazio, Bach, Lacoste-Julien: SAGA, NeurIPS 2014", \
    "step radius sides batch horizon memory noise own recover"}
#define ROW_INQ {"inq", "each component along the direction it changes in, Newton steps on the sum; fewest queries", \
    "n(d+2) in all or far less (recover), then n a step", "docs/methods/inq.md", \
    "radius sides horizon memory noise own recover"}
#define ROW_SINQ {"sinq", "inq on the components that fit in memory, then Newton steps on all with their matrix", \
    "inq's on a part, then n(d+2) a step", "docs/methods/sinq.md", \
    "radius sides horizon memory noise own recover"}
#define ROW_SUPPORTS {"supports", "noise, and components of a few coordinates each: these are found, and asked along alone", \
    "about 2r log d + d/b a component first, then 2r a step, of r coordinates", "docs/methods/supports.md", \
    "radius sides horizon memory noise"}
#define ROW_MEAN {"mean", "one function, or the mean of all components: quasi-Newton steps, noise or not", \
    "n(d+1) a step", "docs/methods/mean.md", \
    "radius sides horizon memory noise"}
#define ROW_SPARSE {"sparse", "one function whose gradient has few entries: found by splitting, then quasi-Newton steps on them", \
    "3 a nonzero first, 2 a nonzero a step, whatever d", "docs/methods/sparse.md", \
    "radius horizon noise"}
#define ROW_THIN {"thin", "components of few entries among many coordinates, found by splitting, then Newton steps", \
    "3 a nonzero of a component first, then 3n a step, whatever d", "docs/methods/thin.md", \
    "radius horizon memory noise own recover"}
#define ROW_LM {"lm", "models of all residuals from every point seen, one evaluation a step, where a run gives all cases", \
    "d + 1 points first, then 1 a step", "docs/methods/lm.md", \
    "noise memory abreast"}
/* clang-format on */

#endif
