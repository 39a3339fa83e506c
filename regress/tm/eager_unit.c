/* The eager protocol at an L2 slice (eager.h): who owns which words. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "regress/tm/eager.h"
#include "tm/oracle/oracle.h"

enum { OWNERS = 1 << 16, PASSING = 256, KILL_MIN = 100, KILL_RANGE = 400 };

struct who { uint32_t attempt; uint16_t sm, slot; uint8_t lane; };
struct owner { uint64_t address; struct who who; bool writes; };
struct lane_state { uint32_t lost, writing; bool prepared, finishing; };     /* lost: number of an attempt; 0 = none */

struct eager_unit {
    struct engine_home home;
    const struct eager_shared *shared;
    struct oracle_events *note;
    struct owner owner[OWNERS];
    uint32_t owners;
    struct lane_state *lane;
    const struct packet *passing[PASSING];       /* plain accesses between their look-up and their performance */
    uint32_t npassing;
    struct packet_queue out;
    uint64_t seed, kill_at;          /* 0 = not decided */
    struct eager_seen seen;
};

static uint32_t rnd(struct eager_unit *u, uint32_t n)
{
    u->seed = u->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((u->seed >> 33) % n);
}

static uint32_t index_of(struct who w)
{
    return (w.sm * EAGER_SLOTS + w.slot) * TM_LANES + w.lane;
}

static struct lane_state *state_of(struct eager_unit *u, struct who w)
{
    return &u->lane[index_of(w)];
}

static void say(struct eager_unit *u, enum eager_kind kind, struct who to, uint64_t lanes, uint64_t lost,
                struct tm_load *load)
{
    struct packet *k = partition_packet(u->home.part, u->home.slice, kind, EAGER_NETWORK, 0, to.sm);
    struct eager_answer a = { load, lanes, lost, to.attempt, to.slot };
    memcpy(k->data, &a, sizeof a);
    packet_push(&u->out, k);
}

/* ---- owners ---- */

static void drop(struct eager_unit *u, struct who w)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < u->owners; i++)
        if (index_of(u->owner[i].who) != index_of(w))
            u->owner[n++] = u->owner[i];
    u->owners = n;
    state_of(u, w)->prepared = false;
}

static void lose(struct eager_unit *u, struct who w)
{
    drop(u, w);
    if (u->shared->bug == EAGER_FORGETS)
        return;
    state_of(u, w)->lost = w.attempt;
    u->seen.unasked++;
    say(u, EAGER_ABORT, w, UINT64_C(1) << w.lane, 0, NULL);
}

static bool plain_beside(const struct eager_unit *u, uint64_t address)
{
    for (uint32_t i = 0; i < u->npassing; i++)
        if (u->passing[i]->line == address / LINE_BYTES * LINE_BYTES)
            return true;
    return false;
}

static bool in_conflict(const struct eager_unit *u, const struct owner *o, struct who w, uint64_t address, bool writes)
{
    if (o->address != address || index_of(o->who) == index_of(w))
        return false;
    return o->writes || (writes && u->shared->bug != EAGER_BLIND);
}

/* The lane with the lower number wins, but for one that commits, which always does. False: w has lost. */
static bool beat_others(struct eager_unit *u, struct who w, uint64_t address, bool writes)
{
    for (uint32_t i = 0; i < u->owners; i++) {
        struct who o = u->owner[i].who;
        if (!in_conflict(u, &u->owner[i], w, address, writes))
            continue;
        if (state_of(u, o)->prepared || index_of(o) < index_of(w)) {
            lose(u, w);
            return false;
        }
        lose(u, o);
        i = UINT32_MAX;
    }
    return true;
}

static void claim(struct eager_unit *u, struct who w, uint64_t address, bool writes)
{
    struct owner *free_place = &u->owner[u->owners];
    if (state_of(u, w)->lost == w.attempt)
        return;
    if (plain_beside(u, address)) {
        lose(u, w);
        return;
    }
    if (!beat_others(u, w, address, writes))
        return;
    for (uint32_t i = 0; i < u->owners; i++)
        if (u->owner[i].address == address && index_of(u->owner[i].who) == index_of(w)) {
            u->owner[i].writes |= writes;
            return;
        }
    free_place = &u->owner[u->owners++];
    if (u->owners == OWNERS)
        abort();
    *free_place = (struct owner){ address, w, writes };
}

/* ---- messages ---- */

static uint64_t lost_of(struct eager_unit *u, struct who w, uint64_t lanes, bool prepare)
{
    uint64_t lost = 0;
    for (uint64_t m = lanes; m; m &= m - 1) {
        w.lane = (uint8_t)__builtin_ctzll(m);
        if (state_of(u, w)->lost == w.attempt)
            lost |= m & -m;
        else if (prepare)
            state_of(u, w)->prepared = true;
    }
    return lost;
}

static void write_word(struct eager_unit *u, const struct eager_payload *x, struct who w, uint64_t now)
{
    uint64_t at = x->address[w.lane], line = at / LINE_BYTES * LINE_BYTES;
    unsigned offset = (unsigned)(at - line);
    struct packet *k = engine_packet(&u->home, true, line, (uint8_t)(1u << offset / SECTOR_BYTES));
    k->token = index_of(w);
    k->stamp[STAMP_FILL] = x->attempt;
    k->reply_bytes = (uint16_t)offset;
    k->mask[offset / 64] = (uint64_t)x->bytes << offset % 64;
    memcpy(k->data + offset, &x->value, 4);
    state_of(u, w)->writing++;
    engine_access(&u->home, k, now);
}

static void end_if_written(struct eager_unit *u, struct who w)
{
    struct lane_state *s = state_of(u, w);
    if (!s->finishing || s->writing)
        return;
    s->finishing = false;
    drop(u, w);
    say(u, EAGER_DONE, w, UINT64_C(1) << w.lane, 0, NULL);
}

static void take_lane(struct eager_unit *u, unsigned kind, const struct eager_payload *x, struct who w, uint64_t now)
{
    switch (kind) {
    case EAGER_READ:
    case EAGER_WRITE: claim(u, w, x->address[w.lane], kind == EAGER_WRITE); break;
    case EAGER_VALUE: write_word(u, x, w, now); break;
    case EAGER_RELEASE: drop(u, w); break;
    case EAGER_FINISH:
        state_of(u, w)->finishing = true;
        end_if_written(u, w);
        break;
    }
}

static bool take(void *unit, struct packet *k, uint64_t now)
{
    struct eager_unit *u = unit;
    const struct eager_payload *x = k->payload;
    struct who w = { .attempt = x->attempt, .sm = k->sm, .slot = x->slot };
    if (k->kind == EAGER_PREPARE || k->kind == EAGER_CHECK)
        say(u, EAGER_VOTE, w, x->lanes, lost_of(u, w, x->lanes, k->kind == EAGER_PREPARE), NULL);
    else
        for (uint64_t m = x->lanes; m; m &= m - 1) {
            w.lane = (uint8_t)__builtin_ctzll(m);
            take_lane(u, k->kind, x, w, now);
        }
    if (k->kind == EAGER_READ)
        say(u, EAGER_GRANT, w, x->lanes, 0, x->load);
    packet_return(k);
    return true;
}

/* ---- the slice ---- */

static void performed(void *unit, struct packet *k, uint64_t now)
{
    struct eager_unit *u = unit;
    struct who w = { .attempt = (uint32_t)k->stamp[STAMP_FILL], .sm = (uint16_t)(k->token / TM_LANES / EAGER_SLOTS),
                     .slot = (uint16_t)(k->token / TM_LANES % EAGER_SLOTS), .lane = (uint8_t)(k->token % TM_LANES) };
    packet_return(k);
    state_of(u, w)->writing--;
    end_if_written(u, w);
}

static bool is_passing(const struct eager_unit *u, const struct packet *k)
{
    for (uint32_t i = 0; i < u->npassing; i++)
        if (u->passing[i] == k)
            return true;
    return false;
}

static bool before(void *unit, const struct packet *k, uint64_t now)
{
    struct eager_unit *u = unit;
    if ((k->type != ACCESS_GLOBAL_STORE && k->type != ACCESS_ATOMIC) || is_passing(u, k) ||
        u->shared->bug == EAGER_PLAIN_PASSES)
        return true;
    for (uint32_t i = 0; i < u->owners; i++)
        if (u->owner[i].address / LINE_BYTES * LINE_BYTES == k->line && state_of(u, u->owner[i].who)->prepared) {
            u->seen.held_back++;
            return false;
        }
    for (uint32_t i = 0; i < u->owners; i++)
        if (u->owner[i].address / LINE_BYTES * LINE_BYTES == k->line) {
            lose(u, u->owner[i].who);
            engine_runs(&u->home, now + 1);
            i = UINT32_MAX;
        }
    if (u->npassing == PASSING)
        abort();
    u->passing[u->npassing++] = k;
    return true;
}

static void accessed(void *unit, const struct packet *k, uint64_t now)
{
    struct eager_unit *u = unit;
    uint32_t old;
    for (uint32_t i = 0; i < u->npassing; i++)
        if (u->passing[i] == k) {
            u->passing[i] = u->passing[--u->npassing];
            u->seen.plain++;
        }
    if (!k->own)
        return;
    memcpy(&old, (const void *)(uintptr_t)(k->line + k->reply_bytes), 4);
    if (u->note)
        oracle_tx_write(u->note, k->line + k->reply_bytes, old, clock_convert(u->home.clocks, CLK_L2, CLK_CORE, now));
}

/* Somebody at random is aborted. */
static void kill_one(struct eager_unit *u, uint64_t now)
{
    if (u->kill_at && now >= u->kill_at) {
        struct who w = u->owner[rnd(u, u->owners)].who;
        if (!state_of(u, w)->prepared && u->shared->bug != EAGER_FORGETS) {
            u->seen.killed++;
            lose(u, w);
        }
        u->kill_at = 0;
    }
    if (!u->owners)
        u->kill_at = 0;
    else if (!u->kill_at)
        u->kill_at = now + KILL_MIN + rnd(u, KILL_RANGE);
}

static uint64_t run(void *unit, uint64_t now)
{
    struct eager_unit *u = unit;
    if (!u->owners)
        u->kill_at = 0;
    kill_one(u, now);
    while (u->out.n) {
        struct packet *k = packet_pop(&u->out);
        if (!partition_send(u->home.part, u->home.slice, k, now)) {
            packet_push_front(&u->out, k);
            return now + 1;
        }
    }
    return u->kill_at ? u->kill_at : UINT64_MAX;
}

static bool idle(const void *unit)
{
    const struct eager_unit *u = unit;
    return !u->out.n && !u->npassing;
}

bool eager_unit_empty(const struct eager_unit *u)
{
    return !u->owners;
}

static void *new_engine(void *shared, const struct engine_home *home)
{
    struct eager_unit *u = mem_zero(1, sizeof *u, "a unit");
    struct eager_shared *s = tm_gpu_state(shared);
    u->home = *home;
    u->shared = s;
    u->note = tm_slice_events(shared, home->slice);
    u->seed = home->slice + 1;
    u->lane = mem_zero((size_t)s->sms * EAGER_SLOTS * TM_LANES, sizeof *u->lane, "a unit");
    s->unit[home->slice] = u;
    return u;
}

static void free_engine(void *unit)
{
    struct eager_unit *u = unit;
    eager_seen.unasked += u->seen.unasked;
    eager_seen.killed += u->seen.killed;
    eager_seen.held_back += u->seen.held_back;
    eager_seen.plain += u->seen.plain;
    free(u->lane);
    free(u);
}

const struct engine_kind eager_unit = {
    .new_engine = new_engine, .free_engine = free_engine, .take = take, .performed = performed, .run = run,
    .before = before, .accessed = accessed, .idle = idle
};
