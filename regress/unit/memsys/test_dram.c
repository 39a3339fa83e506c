/* DRAM: every constraint to the cycle, the order of service, completion, refresh, impossible settings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/config/config.h"
#include "memsys/dram/dram.h"

static uint64_t count[STAT_END];

/* Constraints so far apart from one another that each can be seen alone. Bank groups: bank mod 4. */
static const struct dram_cfg BASE = {
    .banks = 16, .groups = 4, .queue = 16, .burst_bytes = 64, .burst_cycles = 2,
    .tCCD = 2, .tCCDL = 3, .tRRD = 6, .tRRDL = 8, .tRCD = 12, .tRCDW = 10, .tRAS = 28, .tRP = 13, .tRC = 45, .tCL = 14,
    .tWL = 4, .tCDLR = 5, .tWR = 11, .tRTP = 3, .tRTPL = 7, .tRTW = 0, .tFAW = 0, .tREFI = 1000, .tRFC = 90,
    .clone_cycles = 63,
};

/*
 * Commands by letter and bank, each sent at the first cycle at which it is ready; '.' waits 60 cycles. After `before`,
 * `next` may go `latency` cycles after command number `from` (0 = the first). `field` of BASE, unless 0, is `value`.
 */
struct constraint_row {
    const char *name, *before, *next;
    unsigned from, latency;
    size_t field;
    uint32_t value;
};

#define FIELD(name) offsetof(struct dram_cfg, name)
static const struct constraint_row ROWS[] = {
    { "tRCD",                     "A0",             "R0", 0, 12, 0, 0 },
    { "tRCDW",                    "A0",             "W0", 0, 10, 0, 0 },
    { "tRCDW = 0",                "A0",             "W0", 0, 12, FIELD(tRCDW), 0 },
    { "tRAS",                     "A0",             "P0", 0, 28, 0, 0 },
    { "tRP",                      "A0 . P0",        "A0", 1, 13, 0, 0 },
    { "tRC",                      "A0 P0",          "A0", 0, 45, 0, 0 },
    { "tRRD",                     "A0",             "A1", 0, 6, 0, 0 },
    { "tRRDL",                    "A0",             "A4", 0, 8, 0, 0 },
    { "tRRDL = 0",                "A0",             "A4", 0, 6, FIELD(tRRDL), 0 },
    { "tFAW",                     "A0 A1 A2 A3",    "A4", 0, 40, FIELD(tFAW), 40 },
    { "tFAW moves on",            "A0 A1 A2 A3 A4", "A5", 1, 40, FIELD(tFAW), 40 },
    { "no tFAW",                  "A0 A1 A2 A3",    "A4", 3, 6, 0, 0 },
    { "tCCD, reads",              "A0 A1 . R0",     "R1", 2, 2, 0, 0 },
    { "tCCDL, reads, bank",       "A0 . R0",        "R0", 1, 3, 0, 0 },
    { "tCCDL, reads, group",      "A0 A4 . R0",     "R4", 2, 3, 0, 0 },
    { "tCCDL = 0",                "A0 . R0",        "R0", 1, 2, FIELD(tCCDL), 0 },
    { "tCCD, writes",             "A0 A1 . W0",     "W1", 2, 2, 0, 0 },
    { "tCCDL, writes, bank",      "A0 . W0",        "W0", 1, 3, 0, 0 },
    { "tCCDL, writes, group",     "A0 A4 . W0",     "W4", 2, 3, 0, 0 },
    { "read to write",            "A0 . R0",        "W0", 1, 14 + 2 + 2 - 4, 0, 0 },
    { "read to write, channel",   "A0 A1 . R0",     "W1", 2, 14 + 2 + 2 - 4, 0, 0 },
    { "tRTW",                     "A0 A1 . R0",     "W1", 2, 17, FIELD(tRTW), 17 },
    { "read to write, large tWL", "A0 A1 . R0",     "W1", 2, 2, FIELD(tWL), 30 },
    { "write to read",            "A0 . W0",        "R0", 1, 4 + 2 + 5, 0, 0 },
    { "write to read, channel",   "A0 A1 . W0",     "R1", 2, 4 + 2 + 5, 0, 0 },
    { "tWR",                      "A0 . W0",        "P0", 1, 4 + 2 + 11, 0, 0 },
    { "tRTPL",                    "A0 . R0",        "P0", 1, 7, 0, 0 },
    { "tRTP",                     "A0 . R0",        "P0", 1, 3, FIELD(tRTPL), 0 },
    { "tRTP without groups",      "A0 . R0",        "P0", 1, 3, FIELD(groups), 1 },
    { "tCCD without groups",      "A0 A4 . R0",     "R4", 2, 2, FIELD(groups), 1 },
    { "tRRD without groups",      "A0",             "A4", 0, 6, FIELD(groups), 1 },
    { "tRFC",                     "F0",             "A3", 0, 90, 0, 0 },
    { "tRFC to refresh",          "F0",             "F0", 0, 90, 0, 0 },
    { "tRP before refresh",       "A0 . P0",        "F0", 1, 13, 0, 0 },
    { "tRC before refresh",       "A0 P0",          "F0", 0, 45, 0, 0 },
    { "clone to activate",        "C0",             "A0", 0, 63, 0, 0 },
    { "clone to clone",           "C0",             "C0", 0, 63, 0, 0 },
    { "clone to refresh",         "C0",             "F0", 0, 63, 0, 0 },
    { "other bank's clone",       "C5",             "F0", 0, 63, 0, 0 },
    { "tRFC to clone",            "F0",             "C3", 0, 90, 0, 0 },
    { "tRC to clone",             "A0 P0",          "C0", 0, 45, 0, 0 },
    { "tRP to clone",             "A0 . P0",        "C0", 1, 13, 0, 0 },
    { "tRRD to clone",            "A0",             "C1", 0, 6, 0, 0 },
    { "tRRDL to clone",           "A0",             "C4", 0, 8, 0, 0 },
    { "two tRRD after a clone",   "C0",             "A1", 0, 12, 0, 0 },
    { "two tRRDL after a clone",  "C0",             "A4", 0, 16, 0, 0 },
    { "two tRRD, clones",         "C0",             "C1", 0, 12, 0, 0 },
    { "two tRRDL, clones",        "C0",             "C4", 0, 16, 0, 0 },
    { "tFAW, clone and two",      "C0 A1 A2",       "A3", 0, 40, FIELD(tFAW), 40 },
    { "tFAW, two clones",         "C0 C1",          "A2", 0, 40, FIELD(tFAW), 40 },
    { "tFAW, second activate",    "C0 A1 A2 A3",    "A6", 0, 46, FIELD(tFAW), 40 },
    { "tFAW, four and a clone",   "A0 A1 A2 A3",    "C5", 1, 40 - 6, FIELD(tFAW), 40 },
    { "tFAW, clones in a row",    "C0 C1",          "C2", 0, 40, FIELD(tFAW), 40 },
};

static const char LETTERS[] = "APRWFC";          /* in the order of enum dram_command */

static enum dram_command command(char letter)
{
    return (enum dram_command)(strchr(LETTERS, letter) - LETTERS);
}

static struct dram_cfg with(size_t field, uint32_t value)
{
    struct dram_cfg c = BASE;
    if (field)
        memcpy((char *)&c + field, &value, sizeof value);
    return c;
}

static void each_constraint_to_the_cycle(void **state)
{
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const struct constraint_row *r = &ROWS[i];
        struct dram_cfg c = with(r->field, r->value);
        struct dram *d = dram_new(&c, count);
        uint64_t at[8] = { 0 }, now = 1000;
        unsigned n = 0;
        for (const char *s = r->before; *s; s++) {
            if (*s == '.')
                now += 60;
            if (!strchr(LETTERS, *s))
                continue;
            at[n] = dram_ready_at(d, command(s[0]), (uint32_t)(s[1] - '0'), now);
            dram_issue(d, command(s[0]), (uint32_t)(s[1] - '0'), 7, at[n]);
            now = at[n++] + 1;
        }
        enum dram_command next = command(r->next[0]);
        uint32_t bank = (uint32_t)(r->next[1] - '0');
        uint64_t expected = at[r->from] + r->latency, early = dram_ready_at(d, next, bank, expected - 1);
        if (early != expected || dram_ready_at(d, next, bank, expected) != expected)
            fail_msg("%s: ready %d cycles late", r->name, (int)(early - expected));
        dram_issue(d, next, bank, 8, expected);
        dram_free(d);
    }
}

/* What the state of a bank forbids is never ready; another bank is free. */
static void states_of_a_bank(void **state)
{
    struct dram *d = dram_new(&BASE, count);
    assert_true(dram_ready_at(d, DRAM_RD, 0, 5) == NEVER);
    assert_true(dram_ready_at(d, DRAM_WR, 0, 5) == NEVER);
    assert_true(dram_ready_at(d, DRAM_PRE, 0, 5) == NEVER);
    assert_int_equal(dram_ready_at(d, DRAM_ACT, 0, 5), 5);
    dram_issue(d, DRAM_ACT, 0, 1, 5);
    assert_true(dram_ready_at(d, DRAM_ACT, 0, 100) == NEVER);
    assert_true(dram_ready_at(d, DRAM_REF, 0, 100) == NEVER);
    assert_true(dram_ready_at(d, DRAM_RD, 1, 100) == NEVER);
    assert_int_equal(dram_ready_at(d, DRAM_RD, 0, 100), 100);
    dram_free(d);
}

static void groups_by_upper_bits(void **state)
{
    struct dram_cfg c = BASE;
    c.group_bits = DRAM_GROUP_HIGH;
    struct dram *d = dram_new(&c, count);
    dram_issue(d, DRAM_ACT, 0, 1, 0);
    assert_int_equal(dram_ready_at(d, DRAM_ACT, 3, 0), BASE.tRRDL);
    assert_int_equal(dram_ready_at(d, DRAM_ACT, 4, 0), BASE.tRRD);
    dram_free(d);
}

/* A scripted run: requests pushed at cycle 0 in order; tokens in the order of completion, with the cycle. */
struct done { uint64_t token, cycle; };

static unsigned run(struct dram *d, uint64_t until, struct done *done, unsigned n)
{
    for (uint64_t now = 0; now < until; now++) {
        uint64_t token;
        bool write;
        dram_run(d, now);
        while (dram_done(d, now, &token, &write))
            done[n++] = (struct done){ token, now };
    }
    return n;
}

static void push(struct dram *d, uint64_t now, uint64_t token, bool write, uint32_t bank, uint32_t row, uint32_t bytes)
{
    struct dram_request r = { { .bank = bank, .row = row }, bytes, write, token };
    dram_push(d, now, &r);
}

static void idle_latency(void **state)
{
    for (int write = 0; write < 2; write++) {
        struct done done[1];
        struct dram *d = dram_new(&BASE, count);
        push(d, 0, 0, write, 3, 5, 64);
        assert_int_equal(run(d, 100, done, 0), 1);
        assert_int_equal(done[0].cycle, (write ? BASE.tRCDW + BASE.tWL : BASE.tRCD + BASE.tCL) + BASE.burst_cycles);
        assert_int_equal(dram_pending(d), 0);
        dram_free(d);
    }
}

static void several_bursts_are_one_request(void **state)
{
    struct done done[1];
    struct dram *d = dram_new(&BASE, count);
    memset(count, 0, sizeof count);
    push(d, 0, 9, false, 3, 5, 130);
    assert_int_equal(dram_pending(d), 1);
    assert_int_equal(run(d, 100, done, 0), 1);
    assert_int_equal(done[0].cycle, BASE.tRCD + 2 * BASE.tCCDL + BASE.tCL + BASE.burst_cycles);
    assert_int_equal(count[STAT_DRAM_READS], 3);
    assert_int_equal(count[STAT_DRAM_BUSY], 3 * BASE.burst_cycles);
    assert_int_equal(count[STAT_DRAM_PENDING], done[0].cycle);
    assert_int_equal(count[STAT_DRAM_ROW_MISSES], 1);
    dram_free(d);
}

static void check_order(enum dram_scheduler scheduler, const uint64_t *order, uint64_t hits)
{
    struct dram_cfg c = BASE;
    struct done done[4];
    c.scheduler = scheduler;
    struct dram *d = dram_new(&c, count);
    memset(count, 0, sizeof count);
    push(d, 0, 0, false, 0, 1, 64);
    push(d, 0, 1, false, 0, 2, 64);
    push(d, 0, 2, false, 0, 1, 64);
    push(d, 0, 3, false, 1, 1, 64);
    assert_int_equal(run(d, 400, done, 0), 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(done[i].token, order[i]);
    assert_int_equal(count[STAT_DRAM_ROW_HITS], hits);
    assert_int_equal(count[STAT_DRAM_ROW_HITS] + count[STAT_DRAM_ROW_MISSES] + count[STAT_DRAM_ROW_CONFLICTS], 4);
    dram_free(d);
}

/* FR-FCFS: the younger hit goes before the older conflict, and another bank is prepared meanwhile. */
static void frfcfs_prefers_hits_fcfs_does_not(void **state)
{
    check_order(DRAM_FRFCFS, (const uint64_t[]){ 0, 2, 3, 1 }, 1);
    check_order(DRAM_FCFS, (const uint64_t[]){ 0, 1, 2, 3 }, 0);
}

static void row_statistics(void **state)
{
    struct done done[3];
    struct dram *d = dram_new(&BASE, count);
    memset(count, 0, sizeof count);
    push(d, 0, 0, false, 0, 1, 64);
    push(d, 0, 1, false, 0, 1, 64);
    push(d, 0, 2, false, 0, 2, 64);
    run(d, 300, done, 0);
    assert_int_equal(count[STAT_DRAM_ROW_MISSES], 1);
    assert_int_equal(count[STAT_DRAM_ROW_HITS], 1);
    assert_int_equal(count[STAT_DRAM_ROW_CONFLICTS], 1);
    assert_int_equal(count[STAT_DRAM_ACTS], 2);
    assert_int_equal(count[STAT_DRAM_PRES], 1);
    dram_free(d);
}

static void closed_pages(void **state)
{
    struct dram_cfg c = BASE;
    struct done done[2];
    c.close_page = true;
    struct dram *d = dram_new(&c, count);
    memset(count, 0, sizeof count);
    push(d, 0, 0, false, 0, 1, 64);
    push(d, 0, 1, false, 0, 1, 64);
    run(d, 300, done, 0);
    assert_int_equal(count[STAT_DRAM_ACTS], 1);
    assert_int_equal(count[STAT_DRAM_ROW_HITS], 1);
    assert_int_equal(count[STAT_DRAM_PRES], 1);
    assert_int_equal(dram_ready_at(d, DRAM_ACT, 0, 300), 300);
    dram_free(d);
}

/* A stream of hits cannot keep a conflicting request, or a lone write, waiting for ever. */
static void starvation_is_bounded(void **state)
{
    for (int write = 0; write < 2; write++) {
        struct dram *d = dram_new(&BASE, count);
        uint64_t now, token, sent = 1;
        bool is_write, served = false;
        push(d, 0, 0, false, 0, 1, 64);
        push(d, 0, 1000000, write, 0, 2, 64);
        for (now = 0; !served && now < 5000; now++) {
            dram_run(d, now);
            while (dram_done(d, now, &token, &is_write))
                served |= token == 1000000;
            while (!dram_full(d))
                push(d, now, sent++, false, 0, 1, 64);
        }
        assert_true(served);
        assert_true(now > 16 * 16 * BASE.tCCDL && now < 16 * 16 * BASE.tCCDL + 300);
        dram_free(d);
    }
}

/* Writes that always hit are drained in batches: a read waits for one of them. */
static void reads_wait_for_one_batch(void **state)
{
    struct dram *d = dram_new(&BASE, count);
    uint64_t now, token = 1, asked = 0;
    bool write = true;
    for (now = 0; write && now < 2000; now++) {
        if (now >= 300 && !asked && !dram_full(d)) {
            push(d, now, 0, false, 1, 1, 64);
            asked = now;
        }
        while (!dram_full(d))
            push(d, now, 1, true, 0, 1, 64);
        dram_run(d, now);
        while (write && dram_done(d, now, &token, &write))
            ;
    }
    assert_int_equal(token, 0);
    assert_true(now < asked + 2 * BASE.queue * BASE.tCCDL);
    dram_free(d);
}

/* Reads and writes to open rows, half each: the bus turns round once in many requests, not at each. */
static void directions_are_batched(void **state)
{
    struct dram_cfg c = BASE;
    c.queue = 64;
    struct dram *d = dram_new(&c, count);
    uint64_t token, n = 0;
    bool write;
    memset(count, 0, sizeof count);
    for (uint64_t now = 0; now < 20000; now++) {
        dram_run(d, now);
        while (dram_done(d, now, &token, &write))
            ;
        for (; !dram_full(d); n++)
            push(d, now, n, n & 1, (uint32_t)(n % 8), 1, 64);
    }
    uint64_t columns = count[STAT_DRAM_READS] + count[STAT_DRAM_WRITES];
    assert_true(columns / count[STAT_DRAM_TURNS] >= 32);
    assert_true(count[STAT_DRAM_BUSY] > 20000 * 85 / 100);
    dram_free(d);
}

struct log { uint64_t refs[64]; unsigned nrefs; bool late; };

static void note_refresh(void *ctx, uint64_t cycle, enum dram_command c, uint32_t bank, uint32_t row)
{
    struct log *l = ctx;
    if (c == DRAM_REF && l->nrefs < 64)
        l->refs[l->nrefs++] = cycle;
}

/* Idle, a refresh starts on its cycle; under load, when the rows could be closed, and the next is not put off. */
static void refresh_is_on_time(void **state)
{
    struct dram_cfg c = BASE;
    c.refresh = true;
    for (int load = 0; load < 2; load++) {
        struct log log = { .nrefs = 0 };
        struct dram *d = dram_new(&c, count);
        uint64_t token, n = 0, next = 0;
        bool write;
        dram_observe(d, note_refresh, &log);
        for (uint64_t now = 0; now < 20500; now++) {
            next = now >= next ? dram_run(d, now) : next;
            while (dram_done(d, now, &token, &write))
                ;
            for (; load && !dram_full(d); n++, next = now)
                push(d, now, n, n % 3 == 0, (uint32_t)(n * 7 % 16), (uint32_t)(n / 5), 64);
        }
        assert_int_equal(log.nrefs, 20);
        uint64_t slack = load ? c.tRCDW + c.tWL + c.burst_cycles + c.tWR + c.banks + c.tRP : 0;
        for (unsigned i = 0; i < 20; i++)
            assert_in_range(log.refs[i], 1000 * (i + 1), 1000 * (i + 1) + slack);
        dram_free(d);
    }
}

static void the_queue_is_finite(void **state)
{
    struct dram_cfg c = BASE;
    c.queue = 3;
    struct dram *d = dram_new(&c, count);
    for (unsigned i = 0; i < 3; i++) {
        assert_false(dram_full(d));
        push(d, 0, i, i & 1, i, i, 64);
    }
    assert_true(dram_full(d));
    struct done done[3];
    assert_int_equal(run(d, 300, done, 0), 3);
    assert_false(dram_full(d));
    assert_true(dram_run(d, 300) == NEVER);
    dram_free(d);
}

/* However long the owner does not collect them. */
static void done_requests_are_kept_in_order(void **state)
{
    struct dram *d = dram_new(&BASE, count);
    uint64_t token, sent = 0, got = 0;
    bool write;
    for (uint64_t now = 0; got < 300; now++) {
        while (sent < 300 && !dram_full(d))
            push(d, now, sent++, false, 0, 1, 64);
        dram_run(d, now);
        while ((sent < 50 || now > 2000) && dram_done(d, now, &token, &write))
            assert_int_equal(token, got++);
        assert_true(now < 2010);
    }
    assert_int_equal(dram_pending(d), 0);
    dram_free(d);
}

static void impossible_settings(void **state)
{
    static const struct { const char *key, *value, *says; } rows[] = {
        { "dram.groups", "3", "is no multiple of dram.groups" }, { "dram.burst_cycles", "3", "is more than dram.tCCD" },
        { "dram.tCCDL", "1", "dram.tCCDL" }, { "dram.tRRDL", "2", "dram.tRRDL" }, { "dram.tRC", "30", "dram.tRC" },
        { "dram.tRTW", "5", "dram.tRTW" }, { "dram.tREFI", "380", "leaves no time for requests" },
        { "dram.banks", "32", "letters B" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct simtx_config *config = config_new();
        struct diag d = { 0 };
        assert_true(config_set(config, "dram.refresh", "true", NULL, NULL, &d, 0));
        assert_true(config_check(config, &d));
        assert_true(config_set(config, rows[i].key, rows[i].value, NULL, NULL, &d, 0));
        assert_false(config_check(config, &d));
        if (d.errors != 1 || !strstr(d.text, rows[i].says))
            fail_msg("%s instead of %s", d.text, rows[i].says);
        diag_free(&d);
        config_free(config);
    }
}

static void fields_are_the_keys(void **state)
{
    struct simtx_config *config = config_new();
    struct dram_cfg c;
    dram_configure(&c, config);
    assert_int_equal(c.tRCD, config_int(config, KEY_DRAM_TRCD));
    assert_string_equal(c.map, config_text(config, KEY_DRAM_MAP));
    assert_true(c.scheduler == DRAM_FRFCFS && !c.refresh && !c.clone_cycles);
    assert_true(config_set(config, "version.slots", "8", NULL, NULL, NULL, 0));
    assert_true(config_set(config, "dram.mhz", "924", NULL, NULL, NULL, 0));
    dram_configure(&c, config);
    assert_int_equal(c.clone_cycles, 63);        /* 68 ns */
    assert_true(config_set(config, "dram.mhz", "1000", NULL, NULL, NULL, 0));
    dram_configure(&c, config);
    assert_int_equal(c.clone_cycles, 68);
    config_free(config);
}

static void gather(void *ctx, const char *text)
{
    strncat(ctx, text, 4000 - strlen(ctx));
}

static void dump_names_what_waits(void **state)
{
    char text[4096] = "";
    struct dram *d = dram_new(&BASE, count);
    push(d, 0, 0, false, 3, 5, 64);
    push(d, 0, 1, true, 3, 6, 64);
    dram_run(d, 0);
    dram_dump(d, gather, text);
    assert_non_null(strstr(text, "1 reads and 1 writes queued"));
    assert_non_null(strstr(text, "bank 3: row 5 open, 1 reads (1 to the open row), 1 writes (0)"));
    assert_non_null(strstr(text, "next command: RD to bank 3 at memory cycle 12"));
    dram_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_constraint_to_the_cycle),
        cmocka_unit_test(states_of_a_bank),
        cmocka_unit_test(groups_by_upper_bits),
        cmocka_unit_test(idle_latency),
        cmocka_unit_test(several_bursts_are_one_request),
        cmocka_unit_test(frfcfs_prefers_hits_fcfs_does_not),
        cmocka_unit_test(row_statistics),
        cmocka_unit_test(closed_pages),
        cmocka_unit_test(starvation_is_bounded),
        cmocka_unit_test(reads_wait_for_one_batch),
        cmocka_unit_test(directions_are_batched),
        cmocka_unit_test(refresh_is_on_time),
        cmocka_unit_test(the_queue_is_finite),
        cmocka_unit_test(done_requests_are_kept_in_order),
        cmocka_unit_test(impossible_settings),
        cmocka_unit_test(fields_are_the_keys),
        cmocka_unit_test(dump_names_what_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
