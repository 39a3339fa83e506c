/*
 * Detects and reports hangs. A run without events is a hang. A warp that spins in a loop, however, has events for ever.
 * So when nothing that a loop can wait for (memory, barriers, bulk copies, ended blocks) has changed for
 * sim.hang_cycles, the states of all warps are sampled. A warp that returns to an earlier state, while nothing has
 * changed, repeats this loop for ever. The earlier state is saved at sample numbers that double (Brent, BIT 20, 1980).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "timing/machine/machine_impl.h"

enum { SAMPLE_EVERY = 997,           /* core cycles between samples; prime, so that their loop positions differ */
       SAMPLE_SLOWER = 64,           /* or this fraction of the time without a change, if that is longer */
       REPORT_LINES = 200, REPORT_PER_COMPONENT = 40,
       INTERRUPT_LINES = 2, WHY_BYTES = 600 };

/* The saved state of a warp: saved at cycle `since` as sample `saved`; looping: the warp has returned to it. */
struct sample { uint64_t hash, instructions, since; uint32_t samples, saved; bool looping; };

struct hang_detector {
    struct machine *m;
    uint64_t next, unchanged;        /* cycle of the next check; cycle of the last check that found a change */
    uint64_t changes;
    bool sampling;
    struct sample *sample;           /* by SM and warp slot */
};

/* A number that grows with every change that a spinning loop may wait for. */
static uint64_t changes(const struct machine *m)
{
    uint64_t n = dispatcher_blocks_done(m->dispatcher);
    for (uint32_t i = 0; i < m->cfg.sms; i++) {
        const uint64_t *c = m->sm_counters[i].count;
        n += sm_changes(m->sm[i]);
        n += c[STAT_L1_LOCAL_STORE_HITS] + c[STAT_L1_LOCAL_STORE_MISSES] + c[STAT_L1_LOCAL_STORE_MERGED];
        n += c[STAT_BULK_PARTS];
    }
    for (uint32_t i = 0; i < m->cfg.slices; i++)
        n += m->worker[i].changes;
    for (uint32_t i = 0; i < m->cfg.channels; i++) {
        const uint64_t *c = m->partition_counters[i].count;
        n += c[STAT_L2_WRITE_HITS] + c[STAT_L2_WRITE_MISSES] + c[STAT_L2_WRITE_MERGED];
    }
    return n;
}

struct hang_detector *hang_detector_new(struct machine *m)
{
    struct hang_detector *w = mem_zero(1, sizeof *w, "the check for hangs");
    w->sample = mem_zero((size_t)m->cfg.sms * m->cfg.sm.warps, sizeof *w->sample, "the check for hangs");
    w->m = m;
    w->unchanged = m->now;
    w->next = m->cfg.sim.hang_cycles ? m->now + m->cfg.sim.hang_cycles : NEVER;
    w->changes = changes(m);
    return w;
}

void hang_detector_free(struct hang_detector *w)
{
    free(w->sample);
    free(w);
}

uint64_t hang_detector_next(const struct hang_detector *w)
{
    return w->next;
}

/* True if the warp loops, waits at a barrier, or executes nothing although it does not sleep. */
static bool is_stuck(const struct hang_detector *w, struct sample *s, const struct warp *warp, bool sleeps)
{
    uint64_t hash = warp_state(warp), now = w->m->now;
    if (warp->state == WARP_BARRIER)
        s->looping = true;
    else if (s->samples && hash == s->hash)
        s->looping |= warp->executed != s->instructions || (!sleeps && now - s->since > w->m->cfg.sim.hang_cycles);
    else if (s->samples++ == s->saved) {
        s->saved = 2 * s->saved + 1;
        s->hash = hash;
        s->instructions = warp->executed;
        s->since = now;
    }
    return s->looping;
}

static bool all_stuck(struct hang_detector *w)
{
    const struct machine *m = w->m;
    bool all = true;
    for (uint32_t i = 0; i < m->cfg.sms; i++)
        for (uint32_t slot = 0; slot < m->cfg.sm.warps; slot++) {
            const struct warp *warp = sm_warp(m->sm[i], slot);
            if (warp)
                all &= is_stuck(w, &w->sample[i * m->cfg.sm.warps + slot], warp, sm_sleeps(m->sm[i], slot));
        }
    return all;
}

bool hang_detector_check(struct hang_detector *w)
{
    const struct machine *m = w->m;
    uint64_t now = changes(m);
    if (now != w->changes) {
        w->changes = now;
        w->unchanged = m->now;
        w->next = m->now + m->cfg.sim.hang_cycles;
        w->sampling = false;
        return false;
    }
    if (!w->sampling)
        memset(w->sample, 0, (size_t)m->cfg.sms * m->cfg.sm.warps * sizeof *w->sample);
    w->sampling = true;
    uint64_t distance = (m->now - w->unchanged) / SAMPLE_SLOWER;
    w->next = m->now + (distance > SAMPLE_EVERY ? distance : SAMPLE_EVERY);
    return all_stuck(w);
}

uint64_t hang_detector_stalled(const struct hang_detector *w, uint32_t sm, uint32_t slot)
{
    const struct machine *m = w->m;
    const struct sample *s = &w->sample[sm * m->cfg.sm.warps + slot];
    const struct warp *warp = sm_warp(m->sm[sm], slot);
    return warp && s->samples && warp->executed == s->instructions ? m->now - s->since : 0;
}

/* ---- the report ---- */

struct lines {
    struct machine *m;
    uint32_t of_component, all, omitted;
    struct sm_told told;
    char *sm, *last;                     /* the text of an SM; that of the last SM in the report */
    uint32_t last_sm, same;              /* the last SM in the report; SMs after it with the same text */
};

static void take_line(void *ctx, const char *text)
{
    struct lines *l = ctx;
    if (l->of_component++ < REPORT_PER_COMPONENT && l->all < REPORT_LINES) {
        machine_report_add(l->m, "    %s", text);
        l->all++;
    } else
        l->omitted++;
}

static void take_sm_line(void *ctx, const char *text)
{
    struct lines *l = ctx;
    mem_append(&l->sm, "%s\n", text);
}

static void report_same_sms(struct lines *l)
{
    if (l->same)
        machine_report_add(l->m, "  %u more SM%s in the same state as SM %u", l->same, l->same == 1 ? " is" : "s are",
                           l->last_sm);
    l->same = 0;
}

/* Takes over l->sm, the text of SM i. */
static void report_sm_text(struct machine *m, struct lines *l, uint32_t i)
{
    char *next, *text = l->sm;
    if (l->last && !strcmp(l->last, text)) {
        l->same++;
        free(text);
        l->sm = NULL;
        return;
    }
    report_same_sms(l);
    free(l->last);
    l->last = mem_string(text);
    l->last_sm = i;
    if (l->all < REPORT_LINES)
        machine_report_add(m, "  SM %u", i);
    for (char *line = strtok_r(text, "\n", &next); line; line = strtok_r(NULL, "\n", &next))
        take_line(l, line);
    free(text);
    l->sm = NULL;
}

static void report_sm(struct machine *m, struct lines *l, uint32_t i)
{
    bool warps = false;
    for (uint32_t slot = 0; slot < m->cfg.sm.warps && !warps; slot++)
        warps = sm_warp(m->sm[i], slot);
    l->of_component = 0;
    if (!warps && lsu_idle(sm_lsu(m->sm[i])))
        return;
    sm_dump(m->sm[i], &l->told, take_sm_line, l);
    lsu_dump(sm_lsu(m->sm[i]), take_sm_line, l);
    if (sm_tm(m->sm[i]))
        tm_core_dump(sm_tm(m->sm[i]), take_sm_line, l);
    report_sm_text(m, l, i);
}

static void report_memory(struct machine *m, struct lines *l)
{
    static const char *const names[MACHINE_XBARS] = { "crossbar to L2", "crossbar to the SMs" };
    for (int i = 0; i < MACHINE_XBARS; i++) {
        l->of_component = 0;
        if (!xbar_empty(m->xbar[i])) {
            machine_report_add(m, "  %s", names[i]);
            xbar_dump(m->xbar[i], take_line, l);
        }
    }
    for (uint32_t i = 0; i < m->cfg.channels; i++) {
        l->of_component = 0;
        if (!partition_idle(m->partition[i])) {
            machine_report_add(m, "  memory partition %u", i);
            partition_dump(m->partition[i], take_line, l);
        }
    }
}

static const char *reason(const struct machine *m, const struct hang_detector *w)
{
    if (!w)
        return "its blocks have ended, but the write-back of caches or the end of transactions does not complete";
    if (m->dead)
        return "nothing is in flight and no warp can continue";
    return machine_overdue(m) ? "it runs longer than sim.max_cycles"
                              : "all warps wait or spin in loops, and nothing changes";
}

void hang_report(struct machine *m, const struct hang_detector *w)
{
    struct lines l = { .m = m };
    uint64_t started = 0, blocks = 0;
    for (uint32_t i = 0; i < m->ngrids; i++) {
        started += m->grids[i].next_block;
        blocks += m->grids[i].launch.nblocks;
    }
    free(m->report);
    m->report = NULL;
    machine_report_add(m, "simtx: hang in kernel %s at core cycle %" PRIu64 ": %s",
                       m->grids[0].launch.code->func->name, m->now, reason(m, w));
    machine_report_add(m, "  %" PRIu64 " of %" PRIu64 " blocks have ended, %" PRIu64 " have started%s",
                       dispatcher_blocks_done(m->dispatcher), blocks, started,
                       started < blocks ? "; the others wait for space on an SM" : "");
    hang_explain(m, w);
    for (uint32_t i = 0; i < m->cfg.sms; i++)
        report_sm(m, &l, i);
    report_same_sms(&l);
    free(l.last);
    report_memory(m, &l);
    if (l.omitted)
        machine_report_add(m, "  %u more lines are omitted", l.omitted);
}

/* ---- an interrupted run ---- */

/* A position and what warps there wait for, by the first such warp; warps: their number. */
struct position { uint64_t hash; uint32_t sm, slot, warps; };

static uint32_t find_positions(const struct machine *m, struct position *of, uint32_t *warps)
{
    char why[WHY_BYTES];
    const struct code *code;
    const struct dinst *at;
    uint32_t n = 0, k;
    *warps = 0;
    for (uint32_t i = 0; i < m->cfg.sms; i++)
        for (uint32_t slot = 0; slot < m->cfg.sm.warps; slot++) {
            if (!sm_position(m->sm[i], slot, &code, &at, why, sizeof why))
                continue;
            uint64_t hash = hash_bytes(hash_bytes(HASH_START, &at, sizeof at), why, strlen(why));
            for (k = 0; k < n && of[k].hash != hash; k++)
                ;
            if (k == n)
                of[n++] = (struct position){ .hash = hash, .sm = i, .slot = slot };
            of[k].warps++;
            ++*warps;
        }
    return n;
}

static int by_warps(const void *a, const void *b)
{
    const struct position *x = a, *y = b;
    if (x->warps != y->warps)
        return x->warps < y->warps ? 1 : -1;
    return x->sm != y->sm ? (x->sm > y->sm) - (x->sm < y->sm) : (x->slot > y->slot) - (x->slot < y->slot);
}

void interrupt_report(struct machine *m)
{
    char why[WHY_BYTES], place[400];
    const struct code *code;
    const struct dinst *at;
    uint32_t warps;
    struct position *of = mem_zero((size_t)m->cfg.sms * m->cfg.sm.warps, sizeof *of, "the positions of warps");
    uint32_t n = find_positions(m, of, &warps);
    qsort(of, n, sizeof *of, by_warps);
    for (uint32_t i = 0; i < n && i < INTERRUPT_LINES; i++) {
        sm_position(m->sm[of[i].sm], of[i].slot, &code, &at, why, sizeof why);
        fault_describe(code, at, place, sizeof place);
        machine_report_add(m, "  %u of %u warps at %s, waiting for: %s", of[i].warps, warps, place, why);
    }
    free(of);
}
