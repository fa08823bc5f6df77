/* A journal: every answer that was paid for, in a file that only grows.
 * SPDX-License-Identifier: MIT
 *
 * 8-byte words in the machine's order: MAGIC, the problem's fingerprint, then records: key (2), count, count values,
 * and a hash of the record. One write a record, so that a kill leaves whole records and at most one torn one at the end. */
#define _GNU_SOURCE /* flock */
#include "problem/process/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/text.h"

#define MAGIC 0x0a316c6e6a6f707au /* "zpojnl1\n", and so the byte order */
enum {
    HEAD = 2,
    FRAME = 4,
    SYNC_SECONDS = 5,
    MOST = 1 << 24
}; /* words; words around the values; values */

typedef struct record {
    uint64_t key[2];
    off_t at; /* of its values; 0: used */
    size_t count;
} record;

struct journal {
    int fd;
    record *record; /* of earlier runs, in the order of the file */
    size_t nrecords, room, left;
    size_t *
        slot; /* open addressing: 1 + number of a record, 0: free; records with one key stand in order */
    size_t nslots;    /* a power of two */
    uint64_t *buffer; /* one record */
    size_t nbuffer;
    time_t synced;
    uint64_t upto,
        known; /* bytes: answers before it were used or added; as it was when last looked at */
    uint64_t reached; /* the same, with those of a fan that is not answered yet */
    uint64_t from;    /* answers before it are in a checkpoint that was loaded */
    uint64_t end;     /* bytes in the file */
};

uint64_t *journal_mark(journal *j) { return &j->upto; }

/* A checkpoint has set the mark? One beyond the end is of another journal. */
static void look_at_mark(journal *j)
{
    if (j->upto == j->known) return;
    if (j->upto > j->end) j->upto = j->end;
    j->reached = j->upto;
    j->from = j->known = j->upto;
}

void journal_settle(journal *j)
{
    look_at_mark(j);
    if (j->reached > j->upto) j->upto = j->known = j->reached;
}

static void reach(journal *j, uint64_t at)
{
    if (at > j->reached) j->reached = at;
}

size_t journal_left(const journal *j) { return j->left; }

/* ---- the table ----------------------------------------------------------------------------------------- */

static int add_record(journal *j, record r)
{
    if (j->nrecords == j->room) {
        size_t room = 2 * j->room + 64;
        record *grown = mem_grow(j->record, j->nrecords, room, sizeof *grown);
        if (!grown) return 0;
        j->record = grown;
        j->room = room;
    }
    j->record[j->nrecords++] = r;
    return 1;
}

static int make_table(journal *j)
{
    for (j->nslots = 64; j->nslots < 2 * j->nrecords;) j->nslots *= 2;
    j->slot = mem_new(j->nslots, sizeof *j->slot);
    if (!j->slot) return 0;
    for (size_t k = 0; k < j->nrecords; k++) {
        size_t at = j->record[k].key[0] & (j->nslots - 1);
        while (j->slot[at]) at = (at + 1) & (j->nslots - 1);
        j->slot[at] = k + 1;
    }
    j->left = j->nrecords;
    return 1;
}

static record *find(const journal *j, const uint64_t key[2], size_t count)
{
    for (size_t at = key[0] & (j->nslots - 1); j->slot[at]; at = (at + 1) & (j->nslots - 1)) {
        record *r = &j->record[j->slot[at] - 1];
        if (r->at && (uint64_t)r->at >= j->from && r->key[0] == key[0] && r->key[1] == key[1] &&
            r->count == count)
            return r;
    }
    return NULL;
}

/* ---- the file ------------------------------------------------------------------------------------------ */

static int room_for(journal *j, size_t words)
{
    if (words <= j->nbuffer) return 1;
    uint64_t *buffer = mem_new(2 * words, sizeof *buffer);
    if (!buffer) return 0;
    mem_free(j->buffer);
    j->buffer = buffer;
    j->nbuffer = 2 * words;
    return 1;
}

static uint64_t check_of(const uint64_t *words, size_t count)
{
    return text_hash(TEXT_HASH, words, 8 * count);
}

/* 1: so many words were read from there, 0: not. */
static int read_words(int fd, uint64_t *to, size_t count, off_t at)
{
    char *p = (char *)to;
    for (size_t left = 8 * count; left;) {
        ssize_t done = pread(fd, p, left, at);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return 0;
        p += done;
        at += done;
        left -= (size_t)done;
    }
    return 1;
}

static int write_words(int fd, const uint64_t *from, size_t count)
{
    const char *p = (const char *)from;
    for (size_t left = 8 * count; left;) {
        ssize_t done = write(fd, p, left);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return 0;
        p += done;
        left -= (size_t)done;
    }
    return 1;
}

/* The words of a whole record at `at` of so many bytes, which is then in the list; 0: there is none. -1: no memory. */
static long take_record(journal *j, off_t at, off_t size)
{
    uint64_t head[3];
    if (!read_words(j->fd, head, 3, at) || head[2] > MOST) return 0;
    size_t words = (size_t)head[2] + FRAME;
    if ((off_t)(8 * words) > size - at) return 0;
    if (!room_for(j, words)) return -1;
    if (!read_words(j->fd, j->buffer, words, at) ||
        j->buffer[words - 1] != check_of(j->buffer, words - 1))
        return 0;
    return add_record(j, (record){{head[0], head[1]}, at + 24, (size_t)head[2]}) ? (long)words : -1;
}

/* All whole records. A damaged one is passed over, word by word until the next that is whole: it costs its own answer
 * only. What comes behind the last is cut off, so that the next one stands where it should. 0: no memory. */
static int read_records(journal *j)
{
    off_t at = 8 * HEAD, end = at;
    struct stat s;
    if (fstat(j->fd, &s)) return 0;
    while (at < s.st_size) {
        long words = take_record(j, at, s.st_size);
        if (words < 0) return 0;
        at += 8 * (words ? words : 1);
        if (words) end = at;
    }
    if (S_ISREG(s.st_mode) && ftruncate(j->fd, end)) return 0;
    j->end = (uint64_t)end;
    return lseek(j->fd, end, SEEK_SET) == end && make_table(j);
}

static zo_status check_head(journal *j, const char *path, uint64_t problem, zo_error *err)
{
    uint64_t head[HEAD] = {MAGIC, problem}, had[HEAD];
    struct stat s;
    if (flock(j->fd, LOCK_EX | LOCK_NB))
        return fail(err, ZO_IO, "journal: '%s' is in use by another run", path);
    if (!fstat(j->fd, &s) && s.st_size == 0 && !write_words(j->fd, head, HEAD))
        return fail(err, ZO_IO, "journal: cannot write '%s': %s", path, strerror(errno));
    if (!read_words(j->fd, had, HEAD, 0) || had[0] != MAGIC)
        return fail(err, ZO_MISMATCH,
                    "journal: '%s' is not a journal of zoprox on this kind of machine", path);
    if (had[1] != problem)
        return fail(err, ZO_MISMATCH,
                    "journal: '%s' is of another problem: the command, n or d differs", path);
    return ZO_OK;
}

zo_status journal_open(journal **out, const char *path, uint64_t problem, zo_error *err)
{
    *out = NULL;
    journal *j = mem_new(1, sizeof *j);
    if (!j) return out_of_memory(err, "journal", 1);
    j->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    zo_status status = ZO_OK;
    if (j->fd < 0)
        status = fail(err, ZO_IO, "journal: cannot open '%s': %s", path, strerror(errno));
    if (!status) status = check_head(j, path, problem, err);
    if (!status && !read_records(j)) status = out_of_memory(err, "journal", j->nrecords);
    if (status) {
        journal_close(j);
        return status;
    }
    *out = j;
    return ZO_OK;
}

void journal_close(journal *j)
{
    if (!j) return;
    if (j->fd >= 0) close(j->fd);
    mem_free(j->record);
    mem_free(j->slot);
    mem_free(j->buffer);
    mem_free(j);
}

int journal_take(journal *j, const uint64_t key[2], size_t count, double *values)
{
    look_at_mark(j);
    record *r = find(j, key, count);
    if (!r || !room_for(j, count) || !read_words(j->fd, j->buffer, count, r->at)) return 0;
    memcpy(values, j->buffer, count * sizeof *values);
    reach(j, (uint64_t)r->at + 8 * (count + 1)); /* its values, and the hash */
    r->at = 0;
    j->left--;
    return 1;
}

/* The kernel has it when this returns, so a kill loses nothing; the disk has it a few seconds later. */
int journal_add(journal *j, const uint64_t key[2], size_t count, const double *values)
{
    if (!room_for(j, count + FRAME)) return errno = ENOMEM, 0;
    j->buffer[0] = key[0];
    j->buffer[1] = key[1];
    j->buffer[2] = count;
    memcpy(j->buffer + 3, values, count * sizeof *values);
    j->buffer[count + 3] = check_of(j->buffer, count + 3);
    if (!write_words(j->fd, j->buffer, count + FRAME)) return 0;
    look_at_mark(j);
    j->end += 8 * (count + FRAME);
    reach(j, j->end);
    time_t t = time(NULL);
    if (t >= j->synced && t < j->synced + SYNC_SECONDS) return 1;
    j->synced = t;
    return fdatasync(j->fd) == 0 || errno == EINVAL; /* EINVAL: what it is in cannot be synced */
}
