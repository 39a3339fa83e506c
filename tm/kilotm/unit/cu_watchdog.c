/*
 * Validation without a commit ID: the read log of a lane that runs for long, or that has met a fault, is compared with
 * memory. The lane's entries come in KILO_VALIDATE messages, the last of which carries KILO_VOID_ENTRY.
 */
#include "base/alloc.h"
#include "tm/kilotm/unit/cu_state.h"

static uint32_t new_check(struct commit_unit *u)
{
    uint32_t i = 0;
    while (i < u->checks && u->check[i].used)
        i++;
    if (i == u->checks) {
        u->checks = u->checks ? 2 * u->checks : 16;
        u->check = mem_resize(u->check, u->checks, sizeof *u->check, "checks of a commit unit");
        memset(u->check + i, 0, (u->checks - i) * sizeof *u->check);
    }
    u->checks_used++;
    return i;
}

static uint32_t check_of(struct commit_unit *u, const struct kilo_batch *b, unsigned lane)
{
    for (uint32_t i = 0; u->checks_used && i < u->checks; i++)
        if (u->check[i].used && u->check[i].batch == b && u->check[i].lane == lane)
            return i;
    uint32_t i = new_check(u);
    u->check[i] = (struct cu_check){ .batch = b, .lane = (uint8_t)lane, .used = true };
    return i;
}

static void answer_if_done(struct commit_unit *u, struct cu_check *c)
{
    if (!c->all || c->reading)
        return;
    cu_reply(u, c->stale ? KILO_STALE : KILO_VALID, c->batch, UINT64_C(1) << c->lane);
    c->used = false;
    u->checks_used--;
}

void cu_check_entry(struct commit_unit *u, const struct kilo_batch *b, unsigned lane, struct kilo_entry word)
{
    uint32_t i = check_of(u, b, lane);
    if (kilo_size(word) != KILO_VOID) {
        u->check[i].reading++;
        cu_queue_read(u, ACCESS_CHECK, i, word);
        return;
    }
    u->check[i].all = true;
    answer_if_done(u, &u->check[i]);
}

void cu_check_performed(struct commit_unit *u, uint64_t place, bool same)
{
    struct cu_check *c = &u->check[place];
    c->reading--;
    c->stale |= !same;
    answer_if_done(u, c);
}
