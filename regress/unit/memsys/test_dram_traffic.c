/*
 * DRAM under traffic. Every command is recorded and judged by a checker that knows the rules of the device pair by pair
 * and nothing of the controller: states of banks, constraints, the data bus. The checker is judged, too: with any
 * constraint one cycle longer it must find fault with the same record. Besides: nothing is lost, a run that visits only
 * the cycles it is told to is the same as one that visits all, and how much of the data bus is used.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "memsys/dram/dram.h"

enum { MAX_BANKS = 16, RECORDS = 1 << 16 };

/* GDDR5 of a GTX 480: Hynix H5GQ1H24AFR, 924 MHz; two chips of 32 bits, so 64 bytes in two cycles. */
static const struct dram_cfg GTX480 = {
    .banks = 16, .groups = 4, .queue = 64, .burst_bytes = 64, .burst_cycles = 2,
    .tCCD = 2, .tCCDL = 3, .tRRD = 6, .tRCD = 12, .tRAS = 28, .tRP = 12, .tRC = 40, .tCL = 12, .tWL = 4, .tCDLR = 5,
    .tWR = 12, .tRTP = 2, .tRTPL = 2, .tREFI = 3600, .tRFC = 120,
};
#define GTX480_MAP "dramid@8;0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS"

/* A burst a cycle, as in HBM. */
static const struct dram_cfg HBM = {
    .banks = 16, .groups = 4, .queue = 64, .burst_bytes = 32, .burst_cycles = 1,
    .tCCD = 1, .tCCDL = 2, .tRRD = 4, .tRRDL = 5, .tRCD = 14, .tRCDW = 10, .tRAS = 33, .tRP = 14, .tRC = 48, .tCL = 14,
    .tWL = 2, .tCDLR = 3, .tWR = 16, .tRTP = 4, .tFAW = 20, .tREFI = 3400, .tRFC = 300,
};
#define HBM_MAP "dramid@8;RRRRRRRRRRRRRR.BBBCCCCB.CCCSSSSS"

static uint64_t next_random(uint64_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    return *x;
}

/* Records */

struct sent { uint64_t cycle; enum dram_command c; uint32_t bank, row; };
struct done { uint64_t cycle, token; bool write; };
struct arrival { uint64_t cycle; struct dram_request r; bool clone; };   /* clone: of the row r.at.row of its bank */

struct record {
    struct sent sent[RECORDS];
    struct done done[RECORDS];
    struct done cloned[RECORDS];
    unsigned nsent, ndone, ncloned;
    uint64_t count[STAT_END], cycles;
};

static void note(void *ctx, uint64_t cycle, enum dram_command c, uint32_t bank, uint32_t row)
{
    struct record *r = ctx;
    assert_true(r->nsent < RECORDS);
    r->sent[r->nsent++] = (struct sent){ cycle, c, bank, row };
}

/* How the owner calls: in each cycle, only when told, or when told with needless calls at random. */
enum calls { EVERY_CYCLE, WHEN_TOLD, AT_RANDOM };

static void serve(const struct dram_cfg *c, const struct arrival *a, unsigned n, enum calls calls, struct record *r)
{
    memset(r, 0, sizeof *r);
    struct dram *d = dram_new(c, r->count);
    uint64_t now = 0, x = 77, cloning = 0;       /* cloning: bit per bank */
    dram_observe(d, note, r);
    for (unsigned i = 0; i < n || dram_pending(d);) {
        for (; i < n && a[i].cycle <= now && !dram_full(d); i++)
            if (!a[i].clone)
                dram_push(d, now, &a[i].r);
            else if (cloning >> a[i].r.at.bank & 1)
                break;
            else {
                dram_clone(d, now, a[i].r.at.bank, a[i].r.at.row, i);
                cloning |= 1ull << a[i].r.at.bank;
            }
        uint64_t next = dram_run(d, now);
        for (struct done f = { 0 }; dram_clone_done(d, now, &f.token);) {
            f.cycle = now;
            r->cloned[r->ncloned++] = f;
            cloning &= ~(1ull << a[f.token].r.at.bank);
            next = now + 1;                      /* the next copy of the bank */
        }
        for (struct done f = { 0 }; dram_done(d, now, &f.token, &f.write);) {
            f.cycle = now;
            r->done[r->ndone++] = f;
        }
        bool waits = i < n && a[i].clone && cloning >> a[i].r.at.bank & 1;
        if (i < n && !waits && !dram_full(d) && (a[i].cycle > now ? a[i].cycle : now + 1) < next)
            next = a[i].cycle > now ? a[i].cycle : now + 1;
        assert_true(next > now);
        r->cycles = now;
        if (calls == EVERY_CYCLE || (calls == AT_RANDOM && next_random(&x) % 3 == 0))
            next = now + 1;
        assert_true(next != NEVER || (i == n && !dram_pending(d)));
        now = next;
    }
    assert_int_equal(r->ndone + r->ncloned, n);
    dram_free(d);
}

/* The checker */

struct judge { const struct dram_cfg *c; char fault[120]; };

static bool fault(struct judge *j, const struct sent *s, const char *what)
{
    static const char *const names[] = { "ACT", "PRE", "RD", "WR", "REF", "CLONE" };
    snprintf(j->fault, sizeof j->fault, "%s bank %u at %llu: %s", names[s->c], s->bank,
             (unsigned long long)s->cycle, what);
    return false;
}

static bool is_column(const struct sent *s)
{
    return s->c == DRAM_RD || s->c == DRAM_WR;
}

static uint64_t data_start(const struct dram_cfg *c, const struct sent *s)
{
    return s->cycle + (s->c == DRAM_RD ? c->tCL : c->tWL);
}

/* Cycles that must lie between command a and the later command b. */
static uint32_t distance(const struct dram_cfg *c, const struct sent *a, const struct sent *b)
{
    bool bank = a->bank == b->bank, group = c->groups > 1 && a->bank % c->groups == b->bank % c->groups;
    if (c->group_bits == DRAM_GROUP_HIGH && c->groups > 1)
        group = a->bank * c->groups / c->banks == b->bank * c->groups / c->banks;
    switch (a->c * 8 + b->c) {
    case DRAM_ACT * 8 + DRAM_ACT: return bank ? c->tRC : group && c->tRRDL ? c->tRRDL : c->tRRD;
    case DRAM_ACT * 8 + DRAM_PRE: return bank ? c->tRAS : 0;
    case DRAM_ACT * 8 + DRAM_RD: return bank ? c->tRCD : 0;
    case DRAM_ACT * 8 + DRAM_WR: return !bank ? 0 : c->tRCDW ? c->tRCDW : c->tRCD;
    case DRAM_ACT * 8 + DRAM_REF: return c->tRC;
    case DRAM_PRE * 8 + DRAM_ACT: return bank ? c->tRP : 0;
    case DRAM_PRE * 8 + DRAM_REF: return c->tRP;
    case DRAM_RD * 8 + DRAM_RD:
    case DRAM_WR * 8 + DRAM_WR: return group && c->tCCDL ? c->tCCDL : c->tCCD;
    case DRAM_RD * 8 + DRAM_WR: return c->tRTW ? c->tRTW : c->tCL + c->burst_cycles + 2 - c->tWL;
    case DRAM_RD * 8 + DRAM_PRE: return !bank ? 0 : c->groups > 1 && c->tRTPL ? c->tRTPL : c->tRTP;
    case DRAM_WR * 8 + DRAM_RD: return c->tWL + c->burst_cycles + c->tCDLR;
    case DRAM_WR * 8 + DRAM_PRE: return bank ? c->tWL + c->burst_cycles + c->tWR : 0;
    case DRAM_REF * 8 + DRAM_ACT:
    case DRAM_REF * 8 + DRAM_CLONE:
    case DRAM_REF * 8 + DRAM_REF: return c->tRFC;
    case DRAM_ACT * 8 + DRAM_CLONE: return bank ? c->tRC : group && c->tRRDL ? c->tRRDL : c->tRRD;
    case DRAM_PRE * 8 + DRAM_CLONE: return bank ? c->tRP : 0;
    case DRAM_CLONE * 8 + DRAM_ACT:
    case DRAM_CLONE * 8 + DRAM_CLONE:
        return bank ? c->clone_cycles : 2 * (group && c->tRRDL ? c->tRRDL : c->tRRD);
    case DRAM_CLONE * 8 + DRAM_RD:
    case DRAM_CLONE * 8 + DRAM_WR:
    case DRAM_CLONE * 8 + DRAM_PRE: return bank ? c->clone_cycles : 0;
    case DRAM_CLONE * 8 + DRAM_REF: return c->clone_cycles;
    default: return 0;
    }
}

static bool check_pair(struct judge *j, const struct sent *a, const struct sent *b)
{
    const struct dram_cfg *c = j->c;
    if (b->cycle <= a->cycle)
        return fault(j, b, "two commands in a cycle");
    if (b->cycle - a->cycle < distance(c, a, b))
        return fault(j, b, "too early after an older command");
    if (is_column(a) && is_column(b) && data_start(c, b) < data_start(c, a) + c->burst_cycles &&
        data_start(c, a) < data_start(c, b) + c->burst_cycles)
        return fault(j, b, "data meets other data on the bus");
    return true;
}

/* The last four activates; a clone has two. */
struct acts { uint64_t at[4], n; };

static bool activate(struct judge *j, struct acts *a, uint64_t at)
{
    bool fits = a->n < 4 || at - a->at[a->n % 4] >= j->c->tFAW;
    a->at[a->n++ % 4] = at;
    return fits;
}

static bool check_states(struct judge *j, const struct record *r)
{
    bool open[MAX_BANKS] = { false };
    uint32_t row[MAX_BANKS] = { 0 }, nopen = 0;
    struct acts acts = { .n = 0 };
    for (const struct sent *s = r->sent; s < r->sent + r->nsent; s++) {
        if (s->c == DRAM_REF ? nopen > 0 : open[s->bank] != (s->c != DRAM_ACT && s->c != DRAM_CLONE))
            return fault(j, s, "the bank is in another state");
        if (is_column(s) && row[s->bank] != s->row)
            return fault(j, s, "another row is open");
        if ((s->c == DRAM_ACT || s->c == DRAM_CLONE) && !activate(j, &acts, s->cycle))
            return fault(j, s, "fifth activate in tFAW");
        if (s->c == DRAM_CLONE && !activate(j, &acts, s->cycle + j->c->tRRD))
            return fault(j, s, "fifth activate in tFAW with the clone's second");
        if (s->c == DRAM_ACT)
            row[s->bank] = s->row;
        nopen += s->c == DRAM_ACT;
        nopen -= s->c == DRAM_PRE;
        if (s->c == DRAM_ACT || s->c == DRAM_PRE)
            open[s->bank] = s->c == DRAM_ACT;
    }
    return true;
}

/* All pairs that are near enough for any rule. */
static bool check_commands(struct judge *j, const struct record *r)
{
    uint64_t reach = j->c->tRFC + j->c->tRC + j->c->clone_cycles + 100;
    for (unsigned b = 1; b < r->nsent; b++)
        for (unsigned a = b; a-- > 0 && r->sent[b].cycle - r->sent[a].cycle < reach;)
            if (!check_pair(j, &r->sent[a], &r->sent[b]))
                return false;
    return check_states(j, r);
}

/* Each request got its bursts, in its row, after it came; it is done when data of its own has moved. */
static void check_requests(const struct dram_cfg *c, const struct arrival *a, unsigned n, const struct record *r)
{
    bool *seen = calloc(n, 1);
    uint64_t bursts[2] = { 0 };
    unsigned next = 0;
    for (unsigned i = 0; i < r->ndone; i++) {
        const struct done *f = &r->done[i];
        assert_true(f->token < n && !seen[f->token]);
        const struct dram_request *q = &a[f->token].r;
        seen[f->token] = true;
        assert_int_equal(f->write, q->write);
        bursts[q->write] += (q->bytes + c->burst_bytes - 1) / c->burst_bytes;
        while (next < r->nsent && (!is_column(&r->sent[next]) ||
                                   data_start(c, &r->sent[next]) + c->burst_cycles < f->cycle))
            next++;
        assert_true(next < r->nsent);
        const struct sent *s = &r->sent[next];
        assert_int_equal(data_start(c, s) + c->burst_cycles, f->cycle);
        assert_true(s->bank == q->at.bank && s->row == q->at.row && (s->c == DRAM_WR) == q->write);
        assert_true(s->cycle >= a[f->token].cycle);
    }
    assert_int_equal(bursts[0], r->count[STAT_DRAM_READS]);
    assert_int_equal(bursts[1], r->count[STAT_DRAM_WRITES]);
    assert_int_equal(r->ndone, r->count[STAT_DRAM_ROW_HITS] + r->count[STAT_DRAM_ROW_MISSES] +
                            r->count[STAT_DRAM_ROW_CONFLICTS]);
    assert_int_equal(r->count[STAT_DRAM_BUSY], (bursts[0] + bursts[1]) * c->burst_cycles);
    free(seen);
}

/* Each copy got one command, for its row, after it came, in the order of completion; that took the time of a copy. No
 * copy starts when a refresh is due. */
static bool check_clones(struct judge *j, const struct arrival *a, const struct record *r)
{
    uint64_t due = j->c->refresh ? j->c->tREFI : NEVER;
    unsigned k = 0;
    for (const struct sent *s = r->sent; s < r->sent + r->nsent; s++) {
        if (s->c == DRAM_REF)
            due += j->c->tREFI;
        if (s->c != DRAM_CLONE)
            continue;
        if (k >= r->ncloned || a[r->cloned[k].token].r.at.bank != s->bank || a[r->cloned[k].token].r.at.row != s->row)
            return fault(j, s, "no such copy");
        if (s->cycle < a[r->cloned[k].token].cycle || r->cloned[k++].cycle != s->cycle + j->c->clone_cycles)
            return fault(j, s, "the copy took another time");
        if (s->cycle >= due)
            return fault(j, s, "a refresh is due");
    }
    return k == r->ncloned || fault(j, r->sent, "a copy without command");
}

/* The counters again, from the commands and the times of the requests. */
static void check_counts(const struct record *r)
{
    uint64_t n[DRAM_COMMANDS] = { 0 }, turns = 0;
    enum dram_command last = DRAM_REF;
    for (unsigned i = 0; i < r->nsent; i++) {
        n[r->sent[i].c]++;
        if (!is_column(&r->sent[i]))
            continue;
        turns += last != DRAM_REF && last != r->sent[i].c;
        last = r->sent[i].c;
    }
    assert_int_equal(n[DRAM_ACT], r->count[STAT_DRAM_ACTS]);
    assert_int_equal(n[DRAM_PRE], r->count[STAT_DRAM_PRES]);
    assert_int_equal(n[DRAM_RD], r->count[STAT_DRAM_READS]);
    assert_int_equal(n[DRAM_WR], r->count[STAT_DRAM_WRITES]);
    assert_int_equal(n[DRAM_REF], r->count[STAT_DRAM_REFS]);
    assert_int_equal(n[DRAM_CLONE], r->count[STAT_DRAM_CLONES]);
    assert_int_equal(turns, r->count[STAT_DRAM_TURNS]);
}

/* Traffic */

struct traffic { unsigned requests, gap, rows, hit_percent, write_percent, bytes, clone_percent; };

/* Requests with pauses of up to `gap` cycles; `hit_percent` go on in the row of the one before in their bank. */
static struct arrival *make_traffic(const struct traffic *t, uint64_t seed)
{
    struct arrival *a = calloc(t->requests, sizeof *a);
    uint32_t row[MAX_BANKS] = { 0 };
    uint64_t now = 0, x = seed * 0x9E3779B97F4A7C15ull + 1;
    assert_non_null(a);
    for (unsigned i = 0; i < t->requests; i++) {
        uint32_t bank = (uint32_t)(next_random(&x) % MAX_BANKS);
        if (next_random(&x) % 100 >= t->hit_percent)
            row[bank] = (uint32_t)(next_random(&x) % t->rows);
        now += t->gap && next_random(&x) % 4 == 0 ? next_random(&x) % t->gap : 0;
        a[i] = (struct arrival){ now, { { .bank = bank, .row = row[bank] },
                                        (uint32_t)(next_random(&x) % t->bytes + 1),
                                        next_random(&x) % 100 < t->write_percent, i },
                                 t->clone_percent && next_random(&x) % 100 < t->clone_percent };
    }
    return a;
}

static const struct traffic TRAFFIC[] = {
    { 3000, 0, 1000, 0, 0, 64, 0 }, { 3000, 0, 100, 80, 50, 128, 0 }, { 2000, 40, 4, 50, 30, 256, 0 },
    { 1000, 400, 50, 70, 100, 64, 0 }, { 300, 9000, 3, 30, 40, 64, 0 }, { 3000, 6, 8, 90, 10, 64, 0 },
};
enum { NTRAFFIC = sizeof TRAFFIC / sizeof *TRAFFIC };

static unsigned variants(struct dram_cfg *v)
{
    unsigned n = 0;
    const struct dram_cfg *bases[] = { &GTX480, &HBM };
    for (unsigned b = 0; b < 2; b++)
        for (unsigned i = 0; i < 7; i++, n++) {
            v[n] = *bases[b];
            v[n].scheduler = i == 1 ? DRAM_FCFS : DRAM_FRFCFS;
            v[n].refresh = i == 2 || i == 3;
            v[n].close_page = i == 3 || i == 4;
            v[n].groups = i == 4 ? 1 : 4;
            v[n].group_bits = i == 5 ? DRAM_GROUP_HIGH : DRAM_GROUP_LOW;
            v[n].queue = i == 5 ? 1 : i == 6 ? 7 : 64;
            v[n].tFAW = i == 6 ? 40 : v[n].tFAW;
            v[n].tRTW = i == 6 ? 30 : 0;
        }
    return n;
}

static struct record *new_record(void)
{
    struct record *r = malloc(sizeof *r);
    assert_non_null(r);
    return r;
}

static void every_command_obeys_every_rule(void **state)
{
    struct dram_cfg v[16];
    struct record *r = new_record();
    unsigned n = variants(v);
    for (unsigned i = 0; i < n; i++)
        for (unsigned t = 0; t < NTRAFFIC; t++) {
            struct arrival *a = make_traffic(&TRAFFIC[t], i * 100 + t);
            struct judge j = { .c = &v[i] };
            serve(&v[i], a, TRAFFIC[t].requests, WHEN_TOLD, r);
            if (!check_commands(&j, r))
                fail_msg("variant %u, traffic %u: %s", i, t, j.fault);
            check_requests(&v[i], a, TRAFFIC[t].requests, r);
            check_counts(r);
            free(a);
        }
    free(r);
}

static const struct traffic COPIES[] = {
    { 3000, 0, 1000, 0, 0, 64, 20 }, { 3000, 0, 100, 80, 50, 128, 5 }, { 2000, 40, 4, 50, 30, 256, 50 },
    { 1000, 400, 50, 70, 100, 64, 30 }, { 500, 2000, 3, 30, 40, 64, 100 }, { 3000, 6, 8, 90, 10, 64, 2 },
};

/* A copy that took a cycle more would break the record: the checker looks. */
static void check_copies(const struct dram_cfg *c, const struct arrival *a, const struct record *r)
{
    struct dram_cfg longer = *c;
    struct judge j = { .c = c }, strict = { .c = &longer };
    longer.clone_cycles++;
    if (!check_commands(&j, r) || !check_clones(&j, a, r))
        fail_msg("%s", j.fault);
    assert_false(check_clones(&strict, a, r));
}

static void copies_of_rows_obey_every_rule(void **state)
{
    struct dram_cfg v[16];
    struct record *r = new_record(), *other = new_record();
    unsigned n = variants(v);
    for (unsigned i = 0; i < n; i++)
        for (unsigned t = 0; t < sizeof COPIES / sizeof *COPIES; t++) {
            struct arrival *a = make_traffic(&COPIES[t], i * 100 + t + 7);
            v[i].clone_cycles = 63;
            serve(&v[i], a, COPIES[t].requests, WHEN_TOLD, r);
            check_copies(&v[i], a, r);
            check_requests(&v[i], a, COPIES[t].requests, r);
            check_counts(r);
            serve(&v[i], a, COPIES[t].requests, AT_RANDOM, other);
            assert_int_equal(r->nsent, other->nsent);
            assert_memory_equal(r->sent, other->sent, r->nsent * sizeof *r->sent);
            free(a);
        }
    free(r);
    free(other);
}

/* With one constraint a cycle longer the record breaks it: the checker looks, and the controller wastes no cycle. */
static void the_checker_misses_nothing(void **state)
{
    static const size_t fields[] = {
        offsetof(struct dram_cfg, tCCD), offsetof(struct dram_cfg, tCCDL), offsetof(struct dram_cfg, tRRD),
        offsetof(struct dram_cfg, tRRDL), offsetof(struct dram_cfg, tRCD), offsetof(struct dram_cfg, tRCDW),
        offsetof(struct dram_cfg, tRAS), offsetof(struct dram_cfg, tRP), offsetof(struct dram_cfg, tRC),
        offsetof(struct dram_cfg, tCDLR), offsetof(struct dram_cfg, tWR), offsetof(struct dram_cfg, tRTP),
        offsetof(struct dram_cfg, tRTW), offsetof(struct dram_cfg, tFAW), offsetof(struct dram_cfg, tRFC),
        offsetof(struct dram_cfg, burst_cycles),
    };
    struct dram_cfg c = HBM;
    struct traffic busy = { 4000, 30, 6, 70, 40, 64, 0 };
    struct record *r = new_record();
    struct arrival *a = make_traffic(&busy, 5);
    c.refresh = true;
    c.tRTW = 17;
    serve(&c, a, busy.requests, WHEN_TOLD, r);
    struct judge good = { .c = &c };
    assert_true(check_commands(&good, r));
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        struct dram_cfg longer = c;
        struct judge j = { .c = &longer };
        ++*(uint32_t *)((char *)&longer + fields[i]);
        if (check_commands(&j, r))
            fail_msg("field at %zu: the record would do for one cycle more, too", fields[i]);
    }
    free(a);
    free(r);
}

static void skipped_cycles_change_nothing(void **state)
{
    struct dram_cfg v[16];
    struct record *every = new_record(), *other = new_record();
    unsigned n = variants(v);
    for (unsigned i = 0; i < n; i++)
        for (unsigned t = 0; t < NTRAFFIC; t++)
            for (enum calls calls = WHEN_TOLD; calls <= AT_RANDOM; calls++) {
                struct arrival *a = make_traffic(&TRAFFIC[t], i * 10 + t);
                serve(&v[i], a, TRAFFIC[t].requests, EVERY_CYCLE, every);
                serve(&v[i], a, TRAFFIC[t].requests, calls, other);
                assert_memory_equal(every->count, other->count, sizeof every->count);
                assert_int_equal(every->nsent, other->nsent);
                assert_memory_equal(every->sent, other->sent, every->nsent * sizeof *every->sent);
                assert_memory_equal(every->done, other->done, every->ndone * sizeof *every->done);
                free(a);
            }
    free(every);
    free(other);
}

/* Pending is the union of the times from a request's arrival to its completion. */
static void pending_is_what_it_says(void **state)
{
    struct record *r = new_record();
    struct traffic sparse = { 500, 900, 5, 50, 30, 64, 0 };
    struct arrival *a = make_traffic(&sparse, 3);
    serve(&GTX480, a, sparse.requests, WHEN_TOLD, r);
    char *busy = calloc(r->cycles + 1, 1);
    uint64_t n = 0;
    for (unsigned i = 0; i < r->ndone; i++)
        memset(busy + a[r->done[i].token].cycle, 1, r->done[i].cycle - a[r->done[i].token].cycle);
    for (uint64_t t = 0; t < r->cycles; t++)
        n += (uint64_t)busy[t];
    assert_int_equal(r->count[STAT_DRAM_PENDING], n);
    assert_true(n < r->cycles);
    free(busy);
    free(a);
    free(r);
}

/* Bandwidth */

/* The part of the data bus that streams use, of lines that go round six channels and come as fast as they are taken. */
static double stream(const struct dram_cfg *c, const char *map, unsigned reads, unsigned writes, struct record *r)
{
    enum { LINES = 6000 };
    struct addrmap m;
    char error[200];
    struct arrival *a = calloc(LINES, sizeof *a);
    uint64_t at[8] = { 0 };
    assert_true(a && addrmap_parse(&m, map, 6, 2, false, 0, error, sizeof error));
    for (unsigned i = 0; i < LINES;) {
        for (unsigned s = 0; s < reads + writes && i < LINES; s++, at[s - 1] += LINE_BYTES) {
            struct dram_address p = addrmap_decode(&m, s * (4ull << 20) + at[s]);
            if (p.channel != 0)
                continue;
            a[i] = (struct arrival){ 0, { p, LINE_BYTES, s >= reads, i }, false };
            i++;
        }
    }
    serve(c, a, LINES, WHEN_TOLD, r);
    struct judge j = { .c = c };
    assert_true(check_commands(&j, r));
    free(a);
    return (double)r->count[STAT_DRAM_BUSY] / (double)r->cycles;
}

static void streams_use_the_bus(void **state)
{
    static const struct { const struct dram_cfg *c; bool group_high; unsigned reads, writes; double least; } rows[] = {
        { &GTX480, false, 1, 0, 0.98 }, { &GTX480, false, 0, 1, 0.98 }, { &GTX480, false, 2, 1, 0.93 },
        { &GTX480, false, 1, 1, 0.90 }, { &GTX480, true, 1, 0, 0.90 }, { &GTX480, true, 2, 1, 0.80 },
        { &HBM, false, 1, 0, 0.95 }, { &HBM, false, 2, 1, 0.85 },
    };
    struct record *r = new_record();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dram_cfg c = *rows[i].c;
        c.group_bits = rows[i].group_high ? DRAM_GROUP_HIGH : DRAM_GROUP_LOW;
        double use = stream(&c, rows[i].c == &HBM ? HBM_MAP : GTX480_MAP, rows[i].reads, rows[i].writes, r);
        print_message("%s, groups by %s bits, streams of reads %u, of writes %u: %.1f %% of the data bus\n",
                      rows[i].c == &HBM ? "HBM" : "GDDR5", rows[i].group_high ? "upper" : "lower", rows[i].reads,
                      rows[i].writes, 100 * use);
        assert_true(use >= rows[i].least && use <= 1);
    }
    free(r);
}

/* A row for every burst: bound by tRRD, which only a controller that opens rows in time reaches. */
static void random_rows_are_bound_by_tRRD(void **state)
{
    struct record *r = new_record();
    for (unsigned writes = 0; writes <= 40; writes += 40) {
        struct traffic t = { 6000, 0, 1 << 20, 0, writes, 64, 0 };
        struct arrival *a = make_traffic(&t, 9);
        serve(&GTX480, a, t.requests, WHEN_TOLD, r);
        double rate = (double)t.requests * GTX480.tRRD / (double)r->cycles;
        print_message("GDDR5, random rows, %u %% writes: %.1f %% of the activates that tRRD allows\n", writes,
                      100 * rate);
        assert_true(rate > (writes ? 0.92 : 0.97) && rate <= 1);
        free(a);
    }
    free(r);
}

/* Two banks of one group take turns: bound by tCCDL, and no better than that. Of two groups: by tCCD. */
static void one_group_is_bound_by_tCCDL(void **state)
{
    enum { N = 3000 };
    struct record *r = new_record();
    struct arrival *a = calloc(N, sizeof *a);
    assert_non_null(a);
    for (uint32_t second = 1; second <= 4; second += 3) {
        for (unsigned i = 0; i < N; i++)
            a[i] = (struct arrival){ 0, { { .bank = i & 1 ? second : 0, .row = i / 500 }, 64, false, i }, false };
        serve(&GTX480, a, N, WHEN_TOLD, r);
        double use = (double)r->count[STAT_DRAM_BUSY] / (double)r->cycles, bound = second == 4 ? 2.0 / 3 : 1;
        assert_true(use > 0.95 * bound && use <= bound);
    }
    free(a);
    free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_command_obeys_every_rule),
        cmocka_unit_test(copies_of_rows_obey_every_rule),
        cmocka_unit_test(the_checker_misses_nothing),
        cmocka_unit_test(skipped_cycles_change_nothing),
        cmocka_unit_test(pending_is_what_it_says),
        cmocka_unit_test(streams_use_the_bus),
        cmocka_unit_test(random_rows_are_bound_by_tRRD),
        cmocka_unit_test(one_group_is_bound_by_tCCDL),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
