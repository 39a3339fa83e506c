/* Construction of a commit unit, and its cycle. */
#include "base/alloc.h"
#include "tm/kilo/unit/cu_state.h"

enum { FIRST_RING = 256 };

static uint64_t first_ring(const struct cu_cfg *c)
{
    uint64_t n = FIRST_RING;
    while (n < c->ring)
        n *= 2;
    return n;
}

static void new_histories(struct commit_unit *u)
{
    const struct cu_cfg *c = &u->cfg;
    u->line_shift = (unsigned)__builtin_ctz(c->granularity);
    exact_init(&u->exact);
    if (c->hazards == CU_HAZARDS_LWH)
        lwh_init(&u->lwh, c->lwh_sets, c->lwh_ways, c->lwh_buckets, c->lwh_arrays, c->seed);
    if (c->hazards == CU_HAZARDS_BF_ARRAY)
        bf_init(&u->bf, c->bf_bits, c->bf_functions, (uint32_t)u->ring_size, c->seed);
}

struct commit_unit *cu_new(const struct cu_cfg *c, const struct cu_calls *calls, uint64_t *count, struct hists *hists)
{
    struct commit_unit *u = mem_zero(1, sizeof *u, "a commit unit");
    *u = (struct commit_unit){ .cfg = *c, .calls = *calls, .count = count, .hists = hists, .ring_size = first_ring(c),
                               .free_chunk = CU_NO_CHUNK, .free_access = UINT32_MAX };
    u->retire = u->commit = u->pass = u->hazard = u->head = u->checked = 1;
    u->ring = mem_zero(u->ring_size, sizeof *u->ring, "the ring of a commit unit");
    fifo_init(&u->input, sizeof(struct cu_message), "a queue of a commit unit");
    fifo_init(&u->replies, sizeof(struct cu_reply), "a queue of a commit unit");
    fifo_init(&u->reads, sizeof(uint32_t), "a queue of a commit unit");
    fifo_init(&u->writes, sizeof(uint32_t), "a queue of a commit unit");
    fifo_init(&u->delayed, sizeof(struct cu_due), "a queue of a commit unit");
    fifo_init(&u->ideal, sizeof(struct cu_due), "a queue of a commit unit");
    fifo_init(&u->waiting, sizeof(uint64_t), "a queue of a commit unit");
    new_histories(u);
    u->at.set = cu_first_set(u);
    return u;
}

void cu_free(struct commit_unit *u)
{
    if (!u)
        return;
    struct fifo *fifos[] = { &u->input, &u->replies, &u->reads, &u->writes, &u->delayed, &u->ideal, &u->waiting };
    for (size_t i = 0; i < sizeof fifos / sizeof *fifos; i++)
        fifo_end(fifos[i]);
    lwh_end(&u->lwh);
    exact_end(&u->exact);
    bf_end(&u->bf);
    free(u->ring);
    free(u->chunk);
    free(u->access);
    free(u->watchdog);
    free(u);
}

static uint64_t next_due(const struct fifo *f)
{
    return f->n ? ((const struct cu_due *)fifo_front(f))->at : NEVER;
}

uint64_t cu_run(struct commit_unit *u, uint64_t now)
{
    cu_settle(u, now);
    u->stall = 0;
    cu_run_delayed(u, now);
    cu_run_ideal(u, now);
    bool acted = cu_step_reply(u, now);
    acted |= cu_step_issue(u, &u->writes, now);
    acted |= cu_step_issue(u, &u->reads, now);
    acted |= cu_step_hazard(u, now);
    acted |= cu_step_waiting(u, now);
    acted |= cu_step_pass(u, now);
    acted |= cu_step_commit(u);
    acted |= cu_step_retire(u);
    acted |= cu_step_input(u, now);
    if (acted || u->replies.n || u->reads.n || u->writes.n)
        return now + 1;
    uint64_t a = next_due(&u->delayed), b = next_due(&u->ideal);
    return a < b ? a : b;
}

uint64_t cu_oldest(const struct commit_unit *u)
{
    return u->retire;
}

uint64_t cu_youngest(const struct commit_unit *u)
{
    return u->head - 1;
}

bool cu_idle(const struct commit_unit *u)
{
    return u->retire == u->head && !u->input.n && !u->replies.n && !u->watchdog_lanes;
}
