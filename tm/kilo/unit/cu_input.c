/*
 * Messages from cores. The unit processes one lane of a message in each cycle, with its log entry if the message
 * carries entries, or all lanes if its input is parallel. Messages are processed in order and never stall.
 */
#include "tm/kilo/unit/cu_state.h"

typedef void lane_step(struct commit_unit *u, const struct kilo_batch *b, unsigned lane, struct kilo_entry word,
                       uint64_t now);

/* ---- log transfer ---- */

static void log_entry(struct commit_unit *u, const struct kilo_batch *b, unsigned lane, enum cu_set_kind k,
                      struct kilo_entry word, uint64_t now)
{
    uint64_t cid;
    struct cu_entry *e = cu_open(u, b, lane, &cid);
    if (e->state != CU_STATE_FILL)
        cu_protocol_error(u, cid, "a log entry after the end of its log");
    if (kilo_size(word) == KILO_VOID)
        return;
    if (!e->accessed)
        cu_buffers_accessed(u, e);
    cu_append(u, e, k, word);
    if (u->cfg.hazards == CU_HAZARDS_BF_ARRAY)
        cu_bf_arrival(u, cid, k, word.address, now);
    if (k == CU_WRITES || e->revalidate)
        return;
    if (cu_merges(u))
        cu_merge_read(u, cid, word);
    else
        cu_queue_read(u, CU_ACCESS_READ, cid, word);
}

static void read_set(struct commit_unit *u, const struct kilo_batch *b, unsigned lane, struct kilo_entry word,
                     uint64_t now)
{
    log_entry(u, b, lane, CU_READS, word, now);
}

static void write_set(struct commit_unit *u, const struct kilo_batch *b, unsigned lane, struct kilo_entry word,
                      uint64_t now)
{
    log_entry(u, b, lane, CU_WRITES, word, now);
}

/* Counts the length of the set, and whether it fits the buffers that section 6.4.1 proposes. */
static void count_set(struct commit_unit *u, uint32_t words, enum hist_id h, enum stat fits)
{
    enum { PROPOSED = 8 };
    if (!words)
        return;
    hist_add(u->hists, h, words);
    cu_add(u, fits, words <= PROPOSED);
}

static void done_fill(struct commit_unit *u, const struct kilo_batch *b, unsigned lane, struct kilo_entry word,
                      uint64_t now)
{
    uint64_t cid;
    struct cu_entry *e = cu_open(u, b, lane, &cid);
    if (e->state != CU_STATE_FILL)
        cu_protocol_error(u, cid, "a second end of its log");
    count_set(u, e->set[CU_READS].n, HIST_CU_READ_BUFFER, STAT_CU_READ_8);
    count_set(u, e->set[CU_WRITES].n, HIST_CU_WRITE_BUFFER, STAT_CU_WRITE_8);
    e->state = CU_STATE_VALIDATION_WAIT;
    cu_validated(u, e, cid);
}

static void skip(struct commit_unit *u, const struct kilo_batch *b, unsigned lane, struct kilo_entry word, uint64_t now)
{
    uint64_t cid;
    struct cu_entry *e = cu_open(u, b, lane, &cid);
    if (e->state != CU_STATE_FILL || e->accessed)
        cu_protocol_error(u, cid, "SKIP after log entries");
    e->state = CU_STATE_RETIRED;
}

/* ---- final outcome ---- */

/* The entry of a message, which must be in the ring. */
static struct cu_entry *known(struct commit_unit *u, const struct kilo_batch *b, unsigned lane, uint64_t *cid)
{
    *cid = kilo_cid(b, lane);
    if (*cid < u->retire || *cid >= u->head || cu_entry(u, *cid)->state == CU_STATE_UNUSED)
        cu_protocol_error(u, *cid, "a message for an entry that is not in the ring");
    return cu_entry(u, *cid);
}

static void final_fail(struct commit_unit *u, const struct kilo_batch *b, unsigned lane, struct kilo_entry word,
                       uint64_t now)
{
    uint64_t cid = kilo_cid(b, lane);
    if (cid < u->retire || known(u, b, lane, &cid)->state == CU_STATE_RETIRED)
        return;
    struct cu_entry *e = cu_entry(u, cid);
    if (e->state != CU_STATE_PASS_ACK_WAIT)
        cu_protocol_error(u, cid, "a final failure before the local outcome");
    cu_unneeded(u, e, CU_WRITES);
    e->state = CU_STATE_RETIRED;
    if (u->cfg.warps.group_replies)
        cu_group_written(u, e);
}

static void final_pass(struct commit_unit *u, const struct kilo_batch *b, unsigned lane, struct kilo_entry word,
                       uint64_t now)
{
    uint64_t cid;
    struct cu_entry *e = known(u, b, lane, &cid);
    if (e->state != CU_STATE_PASS_ACK_WAIT)
        cu_protocol_error(u, cid, "a final pass that does not follow a local one");
    e->state = CU_STATE_COMMIT_READY;
}

/* ---- resent entries ---- */

static void resent(struct commit_unit *u, const struct kilo_batch *b, unsigned lane, struct kilo_entry word,
                   uint64_t now)
{
    uint64_t cid;
    struct cu_entry *e = known(u, b, lane, &cid);
    if (kilo_size(word) == KILO_VOID)
        return;
    if (e->resend == CU_RESEND_HAZARD_READS || e->resend == CU_RESEND_HAZARD_WRITES)
        cu_hazard_word(u, e, cid, e->resend == CU_RESEND_HAZARD_READS ? CU_READS : CU_WRITES, word, now);
    else if (e->resend == CU_RESEND_REVALIDATION)
        cu_queue_read(u, CU_ACCESS_READ, cid, word);
    else if (e->resend == CU_RESEND_COMMIT)
        cu_commit_word(u, e, cid, word);
}

static void resent_done(struct commit_unit *u, const struct kilo_batch *b, unsigned lane, struct kilo_entry word,
                        uint64_t now)
{
    uint64_t cid;
    struct cu_entry *e = known(u, b, lane, &cid);
    enum cu_resend what = (enum cu_resend)e->resend;
    e->resend = CU_RESEND_NONE;
    switch (what) {
    case CU_RESEND_HAZARD_READS: cu_hazard_set_done(u, e, CU_READS); break;
    case CU_RESEND_HAZARD_WRITES: cu_hazard_set_done(u, e, CU_WRITES); break;
    case CU_RESEND_REVALIDATION: cu_validated(u, e, cid); break;
    case CU_RESEND_COMMIT:
        e->state = CU_STATE_COMMIT_SENT;
        cu_written(u, e);
        break;
    default: cu_protocol_error(u, cid, "resent entries that were not requested");
    }
}

/* ---- allocation in a finite ring ---- */

static void allocate(struct commit_unit *u, const struct kilo_batch *b, uint64_t lanes)
{
    uint64_t last = kilo_cid(b, 63 - (unsigned)__builtin_clzll(lanes));
    bool fits = !u->cfg.ring || last < u->retire + u->cfg.ring;
    cu_reply(u, fits ? KILO_ALLOC_PASS : KILO_ALLOC_FAIL, b, lanes);
}

static void check(struct commit_unit *u, const struct kilo_batch *b, unsigned lane, struct kilo_entry word,
                  uint64_t now)
{
    cu_watchdog_entry(u, b, lane, word);
}

static const struct { lane_step *step; bool entries; } messages[] = {
#define ROW(kind, step, entries) [KILO_##kind - KILO_READ_SET] = { step, entries }
    ROW(READ_SET, read_set, true), ROW(WRITE_SET, write_set, true), ROW(DONE_FILL, done_fill, false),
    ROW(SKIP, skip, false), ROW(PASS, final_pass, false), ROW(FAIL, final_fail, false),
    ROW(RESENT_READ, resent, true), ROW(RESENT_WRITE, resent, true), ROW(RESENT_DONE, resent_done, false),
    ROW(VALIDATE, check, true),
#undef ROW
};

bool cu_step_input(struct commit_unit *u, uint64_t now)
{
    if (!u->input.n)
        return false;
    struct cu_message *m = fifo_front(&u->input);
    u->read_group.n = 0;
    if (m->kind == KILO_CU_ALLOC) {
        allocate(u, m->batch, m->lanes);
        m->lanes = 0;
    }
    while (m->lanes) {
        unsigned lane = (unsigned)__builtin_ctzll(m->lanes);
        m->lanes &= m->lanes - 1;
        bool entries = messages[m->kind - KILO_READ_SET].entries;
        messages[m->kind - KILO_READ_SET].step(u, m->batch, lane, entries ? m->entry[lane] : KILO_VOID_ENTRY, now);
        if (!u->cfg.warps.parallel_input)
            break;
    }
    if (!m->lanes)
        fifo_pop(&u->input);
    return true;
}

static bool expected(enum kilo_kind kind)
{
    return kind == KILO_CU_ALLOC ||
           (kind >= KILO_READ_SET && kind <= KILO_VALIDATE && messages[kind - KILO_READ_SET].step);
}

static void keep(struct cu_message *m, enum kilo_kind kind, const struct kilo_payload *p)
{
    m->batch = p->batch;
    m->lanes = p->lanes;
    m->kind = kind;
    if (kind != KILO_CU_ALLOC && messages[kind - KILO_READ_SET].entries)
        memcpy(m->entry, p->entry, (64 - (unsigned)__builtin_clzll(p->lanes)) * sizeof *m->entry);
}

bool cu_take(struct commit_unit *u, enum kilo_kind kind, const struct kilo_payload *p, uint64_t now)
{
    if (u->input.n >= u->cfg.input) {
        cu_add(u, STAT_CU_INPUT_FULL, 1);
        return false;
    }
    if (!expected(kind))
        cu_protocol_error(u, p->batch->first_cid, "a message that is not for commit units");
    if (p->lanes)
        keep(fifo_push(&u->input), kind, p);
    return true;
}
