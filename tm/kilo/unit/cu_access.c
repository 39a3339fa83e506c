/*
 * Accesses to memory. Each cycle issues at most one read and one write of the queues. They reach the slice after the
 * configured delay; ideal ones are performed without the cache after a fixed time. The token of an access is its index
 * in a table.
 */
#include "base/alloc.h"
#include "tm/kilo/unit/cu_state.h"

static uint32_t new_access(struct commit_unit *u)
{
    if (u->free_access == UINT32_MAX)
        u->access = mem_grow_linked(u->access, &u->accesses, &u->free_access, sizeof *u->access,
                                    offsetof(struct cu_access, next), "accesses of a commit unit");
    uint32_t token = u->free_access;
    u->free_access = u->access[token].next;
    return token;
}

static uint32_t read_of(struct commit_unit *u, enum cu_access_kind kind, uint64_t owner, struct kilo_entry word)
{
    uint32_t token = new_access(u);
    if (kind == CU_ACCESS_READ)
        cu_entry(u, owner)->reading++;
    u->access[token] = (struct cu_access){ .owner = owner, .address = word.address & ~UINT32_C(3), .value = word.value,
                                           .kind = (uint8_t)kind, .bytes = 15, .next = CU_NO_ACCESS };
    return token;
}

static uint32_t write_of(struct commit_unit *u, uint64_t cid, struct kilo_entry word)
{
    uint32_t value, token = new_access(u);
    unsigned bytes = kilo_bytes(word, &value);
    u->access[token] = (struct cu_access){ .owner = cid, .address = word.address & ~UINT32_C(3), .value = value,
                                           .kind = CU_ACCESS_WRITE, .bytes = (uint8_t)bytes, .next = CU_NO_ACCESS };
    return token;
}

void cu_queue_read(struct commit_unit *u, enum cu_access_kind kind, uint64_t owner, struct kilo_entry word)
{
    uint32_t token = read_of(u, kind, owner, word);
    *(uint32_t *)fifo_push(&u->reads) = token;
}

void cu_queue_write(struct commit_unit *u, uint64_t cid, struct kilo_entry word)
{
    uint32_t token = write_of(u, cid, word);
    *(uint32_t *)fifo_push(&u->writes) = token;
}

/* ---- merged accesses ---- */

/* Appends the access to one of the group in the same block; false: there is none. */
static bool join(struct commit_unit *u, struct cu_group *g, uint32_t token)
{
    uint32_t block = u->access[token].address / u->cfg.warps.access_bytes;
    for (uint32_t i = 0; i < g->n; i++)
        if (u->access[g->first[i]].address / u->cfg.warps.access_bytes == block) {
            u->access[g->last[i]].next = token;
            g->last[i] = token;
            return true;
        }
    return false;
}

static void add_first(struct cu_group *g, uint32_t token)
{
    g->first[g->n] = g->last[g->n] = token;
    g->n++;
}

void cu_merge_read(struct commit_unit *u, uint64_t cid, struct kilo_entry word)
{
    uint32_t token = read_of(u, CU_ACCESS_READ, cid, word);
    if (join(u, &u->read_group, token))
        return;
    *(uint32_t *)fifo_push(&u->reads) = token;
    if (u->read_group.n < CU_GROUP)
        add_first(&u->read_group, token);
}

void cu_merge_write(struct commit_unit *u, uint64_t cid, struct kilo_entry word)
{
    uint32_t token = write_of(u, cid, word);
    if (join(u, &u->write_group, token))
        return;
    if (u->write_group.n == CU_GROUP)
        cu_queue_merged(u);
    add_first(&u->write_group, token);
}

void cu_queue_merged(struct commit_unit *u)
{
    for (uint32_t i = 0; i < u->write_group.n; i++)
        *(uint32_t *)fifo_push(&u->writes) = u->write_group.first[i];
    u->write_group.n = 0;
}

/* ---- issue ---- */

uint64_t cu_access_cid(const struct commit_unit *u, uint32_t token)
{
    return u->access[token].owner;
}

static void begin(struct commit_unit *u, uint32_t token, uint64_t now)
{
    const struct cu_access *a = &u->access[token];
    bool write = a->kind == CU_ACCESS_WRITE;
    u->calls.access(u->calls.ctx, write, a->address, a->bytes, write ? a->value : 0, token, now);
}

static void wait_in(struct fifo *f, uint64_t at, uint32_t token)
{
    *(struct cu_due *)fifo_push(f) = (struct cu_due){ at, token };
}

static void issue(struct commit_unit *u, uint32_t token, uint64_t now)
{
    bool ideal = u->access[token].kind == CU_ACCESS_WRITE ? u->cfg.ideal_commit : u->cfg.ideal_validation;
    if (ideal)
        wait_in(&u->ideal, now + u->cfg.ideal_latency, token);
    else if (u->cfg.latency)
        wait_in(&u->delayed, now + u->cfg.latency, token);
    else
        begin(u, token, now);
}

bool cu_step_issue(struct commit_unit *u, struct fifo *queue, uint64_t now)
{
    if (!queue->n)
        return false;
    uint32_t token = *(uint32_t *)fifo_front(queue), next;
    fifo_pop(queue);
    for (; token != CU_NO_ACCESS; token = next) {
        next = u->access[token].next;
        issue(u, token, now);
    }
    return true;
}

/* The next token of a queue whose delay is over. */
static bool take_due(struct fifo *f, uint64_t now, uint32_t *token)
{
    const struct cu_due *d = f->n ? fifo_front(f) : NULL;
    if (!d || d->at > now)
        return false;
    *token = d->token;
    fifo_pop(f);
    return true;
}

void cu_run_delayed(struct commit_unit *u, uint64_t now)
{
    uint32_t token;
    while (take_due(&u->delayed, now, &token))
        begin(u, token, now);
}

void cu_run_ideal(struct commit_unit *u, uint64_t now)
{
    uint32_t token;
    while (take_due(&u->ideal, now, &token)) {
        const struct cu_access *a = &u->access[token];
        uint32_t value = u->calls.peek(u->calls.ctx, a->address);
        if (a->kind == CU_ACCESS_WRITE)
            u->calls.poke(u->calls.ctx, a->address, a->bytes, a->value, now);
        cu_performed(u, token, value, CU_FOUND_HIT, now);
    }
}

static void read_performed(struct commit_unit *u, const struct cu_access *a, bool same, unsigned found)
{
    struct cu_entry *e = cu_entry(u, a->owner);
    cu_add(u, STAT_CU_VALIDATIONS, 1);
    cu_add(u, STAT_CU_VALIDATION_HITS, found == CU_FOUND_HIT);
    cu_add(u, STAT_CU_VALIDATION_PENDING, found == CU_FOUND_PENDING);
    cu_add(u, STAT_CU_VALIDATION_MISSES, found == CU_FOUND_MISS);
    e->reading--;
    e->stale |= !same;
    cu_validated(u, e, a->owner);
}

static void write_performed(struct commit_unit *u, const struct cu_access *a, uint32_t before, unsigned found)
{
    struct cu_entry *e = cu_entry(u, a->owner);
    cu_add(u, STAT_CU_WRITES, 1);
    cu_add(u, STAT_CU_WRITE_HITS, found == CU_FOUND_HIT);
    if (u->calls.written)
        u->calls.written(u->calls.ctx, a->owner, a->address, before);
    e->writing--;
    cu_written(u, e);
}

void cu_performed(struct commit_unit *u, uint32_t token, uint32_t value, unsigned found, uint64_t now)
{
    struct cu_access a = u->access[token];
    cu_settle(u, now);
    u->access[token].next = u->free_access;
    u->free_access = token;
    if (a.kind == CU_ACCESS_READ)
        read_performed(u, &a, value == a.value, found);
    else if (a.kind == CU_ACCESS_WRITE)
        write_performed(u, &a, value, found);
    else
        cu_watchdog_performed(u, a.owner, value == a.value);
}
