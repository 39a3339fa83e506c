/* Counters of a warp attempt in the SM, and the messages that they permit. */
#include "tm/sitm/rules/attempt.h"

/* The lowest lane that has failed at least `times` times, as a mask; 0 = none, or times = 0. */
static uint32_t failed(const struct sitm_attempt *a, uint32_t lanes, uint32_t times)
{
    while (lanes && times) {
        uint32_t lane = sitm_lane(&lanes);
        if (a->failures[lane] >= times)
            return (uint32_t)1 << lane;
    }
    return 0;
}

/* Has another warp committed since the last SNAPSHOT? Then there are more COMMIT_OKs than this warp's own one. */
static bool progress(const struct sitm_attempt *a, const struct sitm_message *snapshot)
{
    return (uint8_t)(snapshot->commits - a->commits) > (a->committed != 0);
}

void sitm_attempt_begin(struct sitm_attempt *a, const struct sitm_message *snapshot)
{
    bool repeated = failed(a, snapshot->lanes, 1) && !progress(a, snapshot);
    uint16_t failures[SITM_LANES];
    for (uint32_t i = 0; i < SITM_LANES; i++)
        failures[i] = a->failures[i];
    *a = (struct sitm_attempt){ .warp = snapshot->warp, .group = snapshot->group, .snapshot = snapshot->version,
                                .slot = snapshot->slot, .epoch = snapshot->epoch, .lanes = snapshot->lanes,
                                .exclusive = snapshot->exclusive, .commits = snapshot->commits,
                                .repetitions = repeated ? a->repetitions + 1 : 0 };
    for (uint32_t i = 0; i < SITM_LANES; i++)
        a->failures[i] = failures[i];
}

static void update(struct sitm_attempt *a, uint32_t lane)
{
    uint32_t bit = (uint32_t)1 << lane;
    a->outstanding = a->accesses[lane] || a->edges[lane] ? a->outstanding | bit : a->outstanding & ~bit;
}

void sitm_attempt_doom(struct sitm_attempt *a, uint32_t lanes, enum sitm_reason reason)
{
    a->refused[reason] |= lanes & ~a->doomed;
    a->doomed |= lanes;
}

void sitm_attempt_send(struct sitm_attempt *a, uint32_t lanes)
{
    a->outstanding |= lanes;
    while (lanes)
        a->accesses[sitm_lane(&lanes)]++;
}

void sitm_attempt_reply(struct sitm_attempt *a, const struct sitm_reply *r)
{
    for (uint32_t lanes = r->lanes; lanes;) {
        uint32_t lane = sitm_lane(&lanes);
        a->accesses[lane]--;
        a->edges[lane] += r->edges[lane];
        update(a, lane);
    }
    sitm_attempt_doom(a, r->refused_write, SITM_WRITE);
    sitm_attempt_doom(a, r->refused_table, SITM_TABLE);
}

void sitm_attempt_edges(struct sitm_attempt *a, const struct sitm_message *edge_ack)
{
    for (uint32_t lanes = edge_ack->lanes; lanes;) {
        uint32_t lane = sitm_lane(&lanes);
        a->edges[lane] -= edge_ack->done[lane];
        update(a, lane);
    }
    sitm_attempt_doom(a, edge_ack->loops, SITM_LOOP);
    sitm_attempt_doom(a, edge_ack->overflows, SITM_STAMPS);
}

static void count_failures(struct sitm_attempt *a, uint32_t lanes)
{
    while (lanes) {
        uint32_t lane = sitm_lane(&lanes);
        if (a->failures[lane] < UINT16_MAX)
            a->failures[lane]++;
    }
}

bool sitm_attempt_aborted(struct sitm_attempt *a, struct sitm_message *m)
{
    uint32_t ready = a->doomed & ~a->aborted & ~a->outstanding;
    for (uint32_t reason = 0; reason < SITM_REASONS; reason++)
        if (ready & a->refused[reason]) {
            uint32_t lanes = ready & a->refused[reason];
            a->aborted |= lanes;
            count_failures(a, lanes);
            *m = (struct sitm_message){ .kind = SITM_ABORTED, .warp = a->warp, .group = a->group, .lanes = lanes,
                                        .reason = (uint8_t)reason };
            return true;
        }
    return false;
}

bool sitm_attempt_may_commit(const struct sitm_attempt *a, uint32_t at_commit)
{
    return !a->outstanding && a->doomed == a->aborted && a->aborted != a->lanes &&
           !(a->lanes & ~(at_commit | a->aborted));
}

void sitm_attempt_commit(const struct sitm_attempt *a, uint32_t writers, struct sitm_message *m)
{
    uint32_t lanes = a->lanes & ~a->aborted;
    *m = (struct sitm_message){ .kind = SITM_COMMIT_REQ, .warp = a->warp, .group = a->group, .lanes = lanes,
                                .writers = writers & lanes };
}

void sitm_attempt_committed(struct sitm_attempt *a, uint32_t lanes)
{
    a->committed |= lanes;
    while (lanes)
        a->failures[sitm_lane(&lanes)] = 0;
}

void sitm_attempt_refused(struct sitm_attempt *a, uint32_t lanes)
{
    count_failures(a, lanes);
}

/* Attempts have aborted lanes without progress, and this many of them give precedence. */
static bool starves(const struct sitm_attempt *a, const struct sitm_rules *r)
{
    return a->repetitions + 1 >= r->precedence_after;
}

/* No lane of the last attempt committed, and these lanes aborted because of a conflict, not because of a full table. */
static bool blocked(const struct sitm_attempt *a, uint32_t lanes)
{
    return !a->committed && (a->refused[SITM_WRITE] | a->refused[SITM_LOOP]) & lanes;
}

void sitm_attempt_next(const struct sitm_attempt *a, uint32_t lanes, const struct sitm_rules *r,
                       struct sitm_message *m)
{
    uint32_t alone = failed(a, lanes, r->exclusive_after);
    uint32_t lane = alone || !r->precedence_after ? 0 : failed(a, lanes, 1);
    *m = (struct sitm_message){ .kind = SITM_BEGIN, .warp = a->warp, .lanes = alone ? alone : lanes,
                                .group = a->lanes & ~a->committed ? a->group : SITM_NO_GROUP, .exclusive = alone != 0,
                                .starving = starves(a, r) ? lane : 0, .first = blocked(a, lane) ? lane : 0 };
}
