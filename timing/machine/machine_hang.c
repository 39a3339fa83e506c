/*
 * Hangs. When no event is left, nothing will ever move. But a warp that waits in a loop issues instructions for ever:
 * so from time to time, when nothing that a loop may wait for has changed for sim.hang_cycles (memory, barriers, ends
 * of blocks), the state of every warp is looked at, more often from then on. A warp that is found in a state that it
 * was in before, while nothing changed, will come round to it again and again (the saved state is renewed at
 * distances that double: Brent, BIT 20, 1980).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "timing/machine/machine_impl.h"

enum { LOOK_EVERY = 997,             /* core cycles between looks at the states: loops are met at all their places */
       LOOK_SLOWER = 64,             /* this part of the time without change, when that is more */
       REPORT_LINES = 200, REPORT_PER_PART = 40 };

struct seen { uint64_t hash, instructions, since; uint32_t looks, renew; bool back; };

struct hang_watch {
    struct machine *m;
    uint64_t next, calm;             /* cycle of the next look; nothing changed since */
    uint64_t changes;
    bool close;                      /* looks at the states */
    struct seen *seen;               /* by SM and warp slot */
};

static uint64_t changes(const struct machine *m)
{
    uint64_t n = dispatcher_blocks_done(m->dispatcher);
    for (uint32_t i = 0; i < m->cfg.sms; i++) {
        const uint64_t *c = m->sm_counters[i].count;
        n += sm_changes(m->sm[i]);
        n += c[STAT_L1_LOCAL_STORE_HITS] + c[STAT_L1_LOCAL_STORE_MISSES] + c[STAT_L1_LOCAL_STORE_MERGED];
    }
    for (uint32_t i = 0; i < m->cfg.slices; i++)
        n += m->worker[i].changes;
    for (uint32_t i = 0; i < m->cfg.channels; i++) {
        const uint64_t *c = m->partition_counters[i].count;
        n += c[STAT_L2_WRITE_HITS] + c[STAT_L2_WRITE_MISSES] + c[STAT_L2_WRITE_MERGED];
    }
    return n;
}

struct hang_watch *hang_watch_new(struct machine *m)
{
    struct hang_watch *w = mem_zero(1, sizeof *w, "the check for hangs");
    w->seen = mem_zero((size_t)m->cfg.sms * m->cfg.sm.warps, sizeof *w->seen, "the check for hangs");
    w->m = m;
    w->calm = m->now;
    w->next = m->cfg.sim.hang_cycles ? m->now + m->cfg.sim.hang_cycles : NEVER;
    w->changes = changes(m);
    return w;
}

void hang_watch_free(struct hang_watch *w)
{
    free(w->seen);
    free(w);
}

uint64_t hang_watch_next(const struct hang_watch *w)
{
    return w->next;
}

/* Is the warp in a loop, or does it stand still, and not because it sleeps? One at a barrier waits for others. */
static bool comes_back(const struct hang_watch *w, struct seen *s, const struct warp *warp, bool sleeps)
{
    uint64_t hash = warp_state(warp), now = w->m->now;
    if (warp->state == WARP_BARRIER)
        s->back = true;
    else if (s->looks && hash == s->hash)
        s->back |= warp->executed != s->instructions || (!sleeps && now - s->since > w->m->cfg.sim.hang_cycles);
    else if (s->looks++ == s->renew) {
        s->renew = 2 * s->renew + 1;
        s->hash = hash;
        s->instructions = warp->executed;
        s->since = now;
    }
    return s->back;
}

static bool all_come_back(struct hang_watch *w)
{
    const struct machine *m = w->m;
    bool all = true;
    for (uint32_t i = 0; i < m->cfg.sms; i++)
        for (uint32_t slot = 0; slot < m->cfg.sm.warps; slot++) {
            const struct warp *warp = sm_warp(m->sm[i], slot);
            if (warp)
                all &= comes_back(w, &w->seen[i * m->cfg.sm.warps + slot], warp, sm_sleeps(m->sm[i], slot));
        }
    return all;
}

bool hang_look(struct hang_watch *w)
{
    const struct machine *m = w->m;
    uint64_t now = changes(m);
    if (now != w->changes) {
        w->changes = now;
        w->calm = m->now;
        w->next = m->now + m->cfg.sim.hang_cycles;
        w->close = false;
        return false;
    }
    if (!w->close)
        memset(w->seen, 0, (size_t)m->cfg.sms * m->cfg.sm.warps * sizeof *w->seen);
    w->close = true;
    uint64_t distance = (m->now - w->calm) / LOOK_SLOWER;
    w->next = m->now + (distance > LOOK_EVERY ? distance : LOOK_EVERY);
    return all_come_back(w);
}

uint64_t hang_still(const struct hang_watch *w, uint32_t sm, uint32_t slot)
{
    const struct machine *m = w->m;
    const struct seen *s = &w->seen[sm * m->cfg.sm.warps + slot];
    const struct warp *warp = sm_warp(m->sm[sm], slot);
    return warp && s->looks && warp->executed == s->instructions ? m->now - s->since : 0;
}

/* ---- the report ---- */

struct lines { struct machine *m; uint32_t of_part, all, left_out; };

static void take_line(void *ctx, const char *text)
{
    struct lines *l = ctx;
    if (l->of_part++ < REPORT_PER_PART && l->all < REPORT_LINES) {
        report_add(l->m, "    %s", text);
        l->all++;
    } else
        l->left_out++;
}

static void report_sm(struct machine *m, struct lines *l, uint32_t i)
{
    bool warps = false;
    for (uint32_t slot = 0; slot < m->cfg.sm.warps && !warps; slot++)
        warps = sm_warp(m->sm[i], slot);
    l->of_part = 0;
    if (!warps && lsu_idle(sm_lsu(m->sm[i])))
        return;
    if (l->all < REPORT_LINES)
        report_add(m, "  SM %u", i);
    sm_dump(m->sm[i], take_line, l);
    lsu_dump(sm_lsu(m->sm[i]), take_line, l);
    if (sm_tm(m->sm[i]))
        tm_core_dump(sm_tm(m->sm[i]), take_line, l);
}

static void report_memory(struct machine *m, struct lines *l)
{
    static const char *const names[XBARS] = { "crossbar to L2", "crossbar to the SMs" };
    for (int i = 0; i < XBARS; i++) {
        l->of_part = 0;
        if (!xbar_empty(m->xbar[i])) {
            report_add(m, "  %s", names[i]);
            xbar_dump(m->xbar[i], take_line, l);
        }
    }
    for (uint32_t i = 0; i < m->cfg.channels; i++) {
        l->of_part = 0;
        if (!partition_idle(m->partition[i])) {
            report_add(m, "  memory partition %u", i);
            partition_dump(m->partition[i], take_line, l);
        }
    }
}

void hang_report(struct machine *m, const struct hang_watch *w)
{
    struct lines l = { .m = m };
    uint64_t started = 0, blocks = 0;
    for (uint32_t i = 0; i < m->ngrids; i++) {
        started += m->grids[i].next_block;
        blocks += m->grids[i].launch.nblocks;
    }
    free(m->report);
    m->report = NULL;
    report_add(m, "simtx: hang in kernel %s at core cycle %" PRIu64 ": %s", m->grids[0].launch.code->func->name, m->now,
               m->dead ? "nothing is under way and no warp can go on"
                       : "warps only go round in loops that wait for something, and nothing changes");
    report_add(m, "  %" PRIu64 " of %" PRIu64 " blocks have ended, %" PRIu64 " have started%s",
               dispatcher_blocks_done(m->dispatcher), blocks, started,
               started < blocks ? "; the others find no room on an SM until one of those ends" : "");
    hang_explain(m, w);
    for (uint32_t i = 0; i < m->cfg.sms; i++)
        report_sm(m, &l, i);
    report_memory(m, &l);
    if (l.left_out)
        report_add(m, "  %u lines more are left out", l.left_out);
}
