/* Is a file a copy of a data set? By the hash of its text, or by its counts.
 * SPDX-License-Identifier: MIT */
#include "data/data_fetch.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "data/input.h"
#include "zoprox_data.h"

enum { HEX = 65 };

#ifdef ZO_HAVE_CRYPTO

#include <openssl/evp.h>

static void to_hex(const unsigned char *bytes, size_t count, char *hex)
{
    for (size_t k = 0; k < count; k++) sprintf(hex + 2 * k, "%02x", bytes[k]);
}

zo_status data_can_check(zo_error *err) { return succeed(err); }

/* sha256 of the file's text, unpacked. */
static zo_status hash_text(const char *file, char hex[HEX], zo_error *err)
{
    static const size_t room = 1 << 16;
    char buffer[1 << 16];
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    size_t got = 1;
    input *in;
    zo_status status = input_open(&in, file, err);
    if (status) return status;
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    int good = ctx && EVP_DigestInit_ex(ctx, EVP_sha256(), NULL);
    while (good && !status && got) {
        status = input_read(in, buffer, room, &got, err);
        if (!status && got) good = EVP_DigestUpdate(ctx, buffer, got);
    }
    good = good && EVP_DigestFinal_ex(ctx, digest, &length);
    EVP_MD_CTX_free(ctx);
    input_close(in);
    if (status) return status;
    if (!good) return fail(err, ZO_NO_MEMORY, "sha256 could not be computed");
    to_hex(digest, length, hex);
    return ZO_OK;
}

#else

zo_status data_can_check(zo_error *err)
{
    return fail(
        err, ZO_UNSUPPORTED,
        "this zoprox was built without libcrypto (libssl-dev) and cannot check what it downloads");
}

static zo_status hash_text(const char *file, char hex[HEX], zo_error *err)
{
    (void)file;
    *hex = 0;
    return data_can_check(err);
}

#endif

static zo_status check_counts(const data_set *set, const char *file, zo_error *err)
{
    zo_data *data;
    zo_status status = zo_data_read(&data, file, 0, err);
    if (status) return status;
    zo_data_facts f = zo_data_look(data);
    zo_data_free(data);
    if (f.n == set->n && f.features == set->d && (!set->nonzeros || f.nonzeros == set->nonzeros))
        return ZO_OK;
    return fail(err, ZO_MISMATCH,
                "%.200s: n, d, nonzeros are %zu, %zu, %zu, but %s has %zu, %zu, %zu", file, f.n,
                f.features, f.nonzeros, set->name, set->n, set->d,
                set->nonzeros ? set->nonzeros : f.nonzeros);
}

zo_status data_check(const data_set *set, const char *file, char *note, size_t size, zo_error *err)
{
    char hex[HEX] = "";
    *note = 0;
    zo_status status = hash_text(file, hex, err);
    if (status) return status;
    if (set->sha256 && strcmp(hex, set->sha256) == 0) return ZO_OK;
    if (set->sha256 && set->exact)
        return fail(err, ZO_MISMATCH, "%.200s: the sha256 of its text is %s, that of %s is %s",
                    file, hex, set->name, set->sha256);
    status = check_counts(set, file, err);
    if (!status)
        snprintf(note, size, "%s: n, d and nonzeros agree; %s (its text has sha256 %s)", set->name,
                 set->sha256 ? "the text differs from the copy that the catalogue was made with"
                             : "the catalogue knows no hash for it",
                 hex);
    return status;
}
