/*
 * Finder of flipped bits. A bit that is flipped in a log, in a packet or in a word that a commit unit reads must be
 * noticed: the lane aborts, the oracle or the program finds a wrong value, or the simulator reports an invalid
 * address; the simulator must not crash or hang. The changed code calls flipped_bit. Argument: where the bit is
 * flipped.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <cmocka.h>
#include <jansson.h>

#include "regress/mutants/finder.h"
#include "regress/tm/programs.h"

enum { BLOCKS = 1, TIMES = 2, OWNERS = 16, MOST_AT = 6 };

enum noticed { NOTHING, ABORTS, ORACLE, ASTRAY, INTERNAL, OTHER_ERROR, WRONG };
static const char *const noticed_names[] = {
    "nothing", "an abort", "oracle", "invalid address", "internal error", "another error", "the program's result"
};

/* The flip: this bit of the word of the `at`-th line, packet or reply of each core or unit. */
static struct { unsigned at, bit; struct { const void *who; unsigned seen; } owner[OWNERS]; } flip;

/* The mask to XOR a word of this core or unit with. */
uint32_t flipped_bit(const void *owner);
uint32_t flipped_bit(const void *owner)
{
    unsigned i = 0;
    while (i < OWNERS - 1 && flip.owner[i].who && flip.owner[i].who != owner)
        i++;
    flip.owner[i].who = owner;
    return ++flip.owner[i].seen == flip.at ? UINT32_C(1) << flip.bit : 0;
}

static void flip_next(unsigned at, unsigned bit)
{
    memset(&flip, 0, sizeof flip);
    flip.at = at;
    flip.bit = bit;
}

static void open_lab(struct lab *l, const char *more)
{
    lab_open(l, tx_programs, (const char *const[]){ "tm.global=kilotm", "l1.local_writeback=true", more, NULL }, NULL);
}

static long long aborts_of(const struct lab *l)
{
    char *text = simtx_stats_json(l->gpu);
    json_t *j = json_loads(text, 0, NULL), *tm = json_object_get(json_object_get(j, "total"), "tm");
    json_t *aborts = json_object_get(tm, "aborts");
    assert_true(json_is_integer(aborts));
    long long n = json_integer_value(aborts);
    json_decref(j);
    free(text);
    return n;
}

static enum noticed noticed_by(const char *message)
{
    static const struct { const char *words; enum noticed by; } KINDS[] = {
        { "replay", ORACLE }, { "oracle", ORACLE }, { "log entry for", ASTRAY }, { "internal error", INTERNAL },
        { "", OTHER_ERROR }
    };
    unsigned i = 0;
    while (!strstr(message, KINDS[i].words))
        i++;
    return KINDS[i].by;
}

static enum noticed noticed_with(unsigned at, unsigned bit, const char *more)
{
    struct lab l;
    flip_next(at, bit);
    open_lab(&l, more);
    const char *message = tx_run(&l, TX_ALONE, BLOCKS, TIMES);
    enum noticed n = message ? noticed_by(message)
                     : !tx_is_right(&l, TX_ALONE, BLOCKS, TIMES) ? WRONG : aborts_of(&l) ? ABORTS : NOTHING;
    lab_close(&l);
    return n;
}

/* ---- flips whose outcome is fixed ---- */

/* Lines in the order of the program: read, write, write, and the same again; packets: first those of the reads. The
 * third line's value is overwritten unread. */
static const struct { const char *where; unsigned at, bit; enum noticed expected; } CASES[] = {
    { "log_value", 1, 7, ABORTS }, { "log_value", 4, 31, ABORTS },
    { "log_value", 2, 7, ORACLE }, { "log_value", 6, 0, ORACLE }, { "log_value", 3, 0, NOTHING },
    { "log_address", 4, 3, ABORTS }, { "log_address", 2, 3, ORACLE }, { "log_address", 6, 9, ORACLE },
    { "log_address", 1, 31, ASTRAY }, { "log_address", 3, 31, ASTRAY },
    { "packet_value", 1, 7, ABORTS }, { "reply", 1, 7, ABORTS },
    { "packet_address", 1, 31, ASTRAY }, { "packet_address", 1, 26, ASTRAY },
};

static void outcomes_are_due(const char *where, char *wrong)
{
    for (unsigned i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        if (strcmp(CASES[i].where, where))
            continue;
        enum noticed n = noticed_with(CASES[i].at, CASES[i].bit, "tm.oracle=on");
        if (n != CASES[i].expected)
            snprintf(wrong, FINDING_TEXT, "word %u, bit %u: %s", CASES[i].at, CASES[i].bit, noticed_names[n]);
    }
}

/* Lane 0 does not find its own write, since the log has another address, and stores what it reads. */
static void own_writes_are_read_from_the_log(char *wrong)
{
    struct lab l;
    flip_next(5, 3);
    open_lab(&l, "tm.oracle=off");
    const char *message = tx_run(&l, TX_ALONE, BLOCKS, TIMES);
    if (message || l.words[1])
        snprintf(wrong, FINDING_TEXT, "own writes: %s, %u", message ? message : "", l.words[1]);
    lab_close(&l);
}

/* ---- any bit of any word ---- */

static bool must_be_noticed(const char *where, unsigned at)
{
    return !strcmp(where, "log_value") ? at != 3 : !strcmp(where, "packet_value") && at == 1;
}

/* Fills in the first flip that was noticed, and how many were. */
static void sweep(const char *where, struct finding *found, char *wrong)
{
    static const char *const more[] = { "tm.oracle=on", "kilotm.ideal_validation=true", "kilotm.ideal_commit=true",
                                        "kilotm.write_buffer=1", "kilotm.group=false" };
    unsigned all = 0, noticed = 0;
    for (unsigned at = 1; at <= MOST_AT; at++)
        for (unsigned bit = 0; bit < 32; bit += 1 + (bit + at) % 6, all++) {
            enum noticed n = noticed_with(at, bit, more[(at + bit) % 5]);
            if ((!n && must_be_noticed(where, at)) || n == OTHER_ERROR)
                snprintf(wrong, FINDING_TEXT, "word %u, bit %u, %s: %s", at, bit, more[(at + bit) % 5],
                         noticed_names[n]);
            if (n && !noticed++)
                snprintf(found->check, FINDING_TEXT, "%s", noticed_names[n]);
        }
    snprintf(found->count, FINDING_TEXT, "%u of %u bits noticed", noticed, all);
}

int main(int argc, char **argv)
{
    static char wrong[FINDING_TEXT];
    const char *where = argc > 1 ? argv[1] : "";
    struct finding found = { "", "alone", "" };
    if (!freopen("/dev/null", "w", stderr))
        return 2;
    outcomes_are_due(where, wrong);
    if (!strcmp(where, "log_address"))
        own_writes_are_read_from_the_log(wrong);
    sweep(where, &found, wrong);
    return *wrong ? finder_tells_wrong(wrong) : finder_tells(&found);
}
