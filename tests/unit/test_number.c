/* Decimal numbers: every result is the double that strtod gives.
 * SPDX-License-Identifier: MIT */
#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "data/number.h"

/* decimal_read on a copy with the slack it wants behind it; what follows the number is given as an offset, -1: none. */
static long read_copy(const char *text, decimal *out)
{
    char copy[600] = "";
    assert_true(strlen(text) + DECIMAL_SLACK < sizeof copy);
    strcpy(copy, text);
    const char *end = decimal_read(copy, out);
    return end ? end - copy : -1;
}

static void same_as_strtod(const char *text)
{
    decimal v = {NAN, 0};
    double w = strtod(text, NULL), x = NAN;
    const char *end = number_read(text, &x);
    if (!end || *end || memcmp(&x, &w, sizeof w))
        fail_msg("%s: %a instead of %a, the long way", text, x, w);
    long taken = read_copy(text, &v);
    if (isinf(w)) {
        assert_int_equal(taken, -1);
        return;
    }
    if (taken != (long)strlen(text) || memcmp(&v.value, &w, sizeof w))
        fail_msg("%s: %a instead of %a", text, v.value, w);
    assert_int_equal(v.nonzero, w != 0);
}

static void known(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "0",
        "-0",
        "+1",
        "1.",
        ".5",
        "-.5e1",
        "1e0",
        "1E+2",
        "1e-2",
        "00012.500",
        "0.0000000000000000000000001",
        "9007199254740993",
        "9007199254740992",
        "9007199254740993.0000000000000000000001",
        "18446744073709551615",
        "18446744073709551616",
        "99999999999999999999",
        "1e22",
        "1e23",
        "1e27",
        "1e28",
        "123456789012345678e-27",
        "1.7976931348623157e308",
        "1.7976931348623159e308",
        "1e309",
        "-1e999999999999",
        "4.9e-324",
        "2.4e-324",
        "1e-999999",
        "2.2250738585072011e-308",
        "0.1",
        "0.3",
        "8.5e-27",
        "5e-28",
        "0e5",
        "0.000e-400",
        "0.1234567",
        "0.12345678",
        "0.123456789",
        "1.1234567890123456",
        "0e99999",
        "9223372036854775808",
        "179769313486231570000000000000000000000000000000000000000000000000000000000000000000000000"
        "0000000000"
        "00000000000000",
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) same_as_strtod(texts[k]);
}

static void none(void **state)
{
    (void)state;
    static const char *const texts[] = {"",    "+",      "-",   ".",   "+.", "e5",  ".e5", "1e",
                                        "1e+", "-1.5e-", "nan", "inf", "x",  "--1", " 1"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        decimal v;
        double w;
        assert_int_equal(read_copy(texts[k], &v), -1);
        assert_null(number_read(texts[k], &w));
    }
}

static void ends_where_it_should(void **state)
{
    (void)state;
    static const char *const texts[][2] = {{"1 2", " 2"},
                                           {"1.2.3", ".3"},
                                           {"0x10", "x10"},
                                           {"1e5e6", "e6"},
                                           {"7:1", ":1"},
                                           {"1,5", ",5"},
                                           {"12345678901234567890123,", ","}};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        decimal v;
        double w;
        assert_string_equal(texts[k][0] + read_copy(texts[k][0], &v), texts[k][1]);
        assert_string_equal(number_read(texts[k][0], &w), texts[k][1]);
    }
}

/* Doubles of every size printed with every number of digits, and digits with exponents at random: also those
 * next to the middle of two doubles. */
static void at_random(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 300000; k++) {
        rng_block b = rng_draw(1, FOR_CHECK, 0, k);
        uint64_t bits = (uint64_t)b.v[0] << 32 | b.v[1];
        char text[400];
        double v;
        memcpy(&v, &bits, sizeof v);
        if (k % 3 == 0) v = ldexp((double)bits, -(int)(b.v[2] % 140)); /* sizes that data have */
        if (!isfinite(v)) continue;
        snprintf(text, sizeof text, "%.*e", (int)(b.v[3] % 24), v);
        same_as_strtod(text);
        snprintf(text, sizeof text, "%.*f", (int)(b.v[3] % 30), fmod(v, 1e18));
        same_as_strtod(text);
        snprintf(text, sizeof text, "%llu.%ue%d", (unsigned long long)(bits >> b.v[2] % 64),
                 b.v[3] >> b.v[2] % 32, (int)(b.v[3] % 61) - 30);
        same_as_strtod(text);
    }
}

/* The middle of two neighbouring doubles, and a little above and below. */
static void halfway(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 50000; k++) {
        rng_block b = rng_draw(2, FOR_CHECK, 0, k);
        uint64_t odd = ((uint64_t)1 << 53 | ((uint64_t)b.v[0] << 32 | b.v[1]) >> 11) * 2 +
                       1; /* 54 bits and a half */
        char text[80];
        for (uint64_t w = odd - 1; w <= odd + 1; w++) {
            snprintf(text, sizeof text, "%llu", (unsigned long long)w);
            same_as_strtod(text);
            snprintf(text, sizeof text, "%llue%d", (unsigned long long)w, (int)(b.v[2] % 55) - 27);
            same_as_strtod(text);
        }
        long double middle = ldexpl((long double)odd, -(int)(b.v[3] % 80));
        snprintf(text, sizeof text, "%.*Lf", (int)(b.v[2] % 30), middle);
        same_as_strtod(text);
    }
}

static void any_locale(void **state)
{
    (void)state;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8")) skip();
    double v;
    assert_string_equal(number_read("1.50000000000000000000001", &v), "");
    assert_true(v == 1.5);
    setlocale(LC_NUMERIC, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known),
        cmocka_unit_test(none),
        cmocka_unit_test(ends_where_it_should),
        cmocka_unit_test(at_random),
        cmocka_unit_test(halfway),
        cmocka_unit_test(any_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
