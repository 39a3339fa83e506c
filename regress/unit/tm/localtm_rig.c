/* See localtm_rig.h. */
#include <stdio.h>

#include "regress/unit/tm/localtm_rig.h"

static const uint32_t SLOT[RIG_WARPS] = { 2, 0, 3, 1 };  /* by warp of the block */

/* ---- the common part ---- */

uint64_t *tm_count(struct tm_core *c) { return c->count; }
const struct simtx_config *tm_config(const struct tm_core *c) { return c->config; }
uint32_t tm_warp_lanes(const struct tm_core *c) { return RIG_LANES; }
uint32_t tm_slots(const struct tm_core *c) { return RIG_WARPS; }
uint64_t tm_lanes_in(const struct tm_core *c, uint32_t slot) { return c->in[slot]; }
bool tm_committing(const struct tm_core *c, uint32_t slot) { return c->committing[slot]; }
uint32_t tm_attempt(const struct tm_core *c, uint32_t slot) { return 7 + slot; }
uint32_t tm_cycles_to_commit(const struct tm_core *c, uint32_t slot) { return c->to_commit; }
void tm_charge_begin(struct tm_core *c, uint32_t slot, uint32_t cycles) { }
void tm_charge_execution(struct tm_core *c, uint32_t slot, uint32_t cycles) { }
struct tm_lane *tm_lane(struct tm_core *c, uint32_t slot, unsigned lane) { return &c->lane[slot][lane]; }

void tm_abort(struct tm_core *c, uint32_t slot, uint64_t lanes, uint32_t attempt, enum tm_reason why, uint64_t now)
{
    assert_int_equal(attempt, 7 + slot);
    assert_int_equal(why, TM_SERIALISED);
    c->aborted[slot] |= lanes;
}

void tm_resume(struct tm_core *c, uint32_t slot, uint64_t now)
{
    assert_true(c->nresumed < sizeof c->resumed / sizeof *c->resumed);
    c->resumed[c->nresumed++] = slot;
}

void tm_run_at(struct tm_core *c, uint64_t at)
{
    c->run_at = clock_earlier(c->run_at, at);
}

/* ---- the rig ---- */

static void set(struct simtx_config *c, const char *setting)
{
    char key[100];
    struct diag d = { 0 };
    const char *equals = strchr(setting, '=');
    snprintf(key, sizeof key, "%.*s", (int)(equals - setting), setting);
    if (!config_set(c, key, equals + 1, "test", NULL, &d, 0))
        fail_msg("%s", d.text);
}

struct rig *rig_new(uint32_t bytes, const char *const *settings)
{
    struct rig *r = calloc(1, sizeof *r);
    assert_non_null(r);
    r->c.config = config_new();
    set(r->c.config, "gpu.warp_size=64");
    set(r->c.config, "localtm.base_cycles=10");
    for (; settings && *settings; settings++)
        set(r->c.config, *settings);
    r->k = tm_localtm.new_core(&r->c);
    r->c.run_at = NEVER;
    r->block.shared = (char *)r->shared;
    r->b = (struct tm_block){ .block = &r->block, .warps = RIG_WARPS, .bytes = bytes };
    memcpy(r->b.slot, SLOT, sizeof SLOT);
    r->words = (bytes + 4 * r->k->cfg.banks - 1) / (4 * r->k->cfg.banks) * r->k->cfg.banks;
    assert_true(r->words <= RIG_MAX_WORDS);
    tm_localtm.block_starts(r->k, &r->b);
    for (uint32_t i = 0; i < r->words; i++)
        *rig_word(r, i) = 1000 + i;
    return r;
}

void rig_free(struct rig *r)
{
    tm_localtm.block_ends(r->k, &r->b);
    tm_localtm.free_core(r->k);
    config_free(r->c.config);
    free(r);
}

uint32_t rig_slot(uint32_t thread)
{
    return SLOT[thread / RIG_LANES];
}

void rig_begin(struct rig *r)
{
    for (uint32_t i = 0; i < RIG_WARPS; i++) {
        r->c.in[i] = ~UINT64_C(0);
        tm_localtm.attempt(r->k, i, ~UINT64_C(0), true, 0);
    }
    memset(r->c.count, 0, sizeof r->c.count);
}

uint32_t *rig_word(struct rig *r, uint32_t word)
{
    return (uint32_t *)(void *)(r->shared + 4 * (size_t)word);
}

struct tm_access_result rig_access_lanes(struct rig *r, uint32_t slot, enum mem_op_kind kind, uint64_t lanes,
                                     const uint32_t *word, unsigned words)
{
    r->op.kind = (uint8_t)kind;
    r->op.width = (uint8_t)(4 * words);
    r->op.sm_slot = slot;
    for (uint64_t m = lanes; m; m &= m - 1)
        r->op.address[__builtin_ctzll(m)] = 4 * (uint64_t)word[__builtin_ctzll(m)];
    return tm_localtm.access(r->k, slot, &r->op, lanes, 0);
}

struct tm_access_result rig_access(struct rig *r, uint32_t thread, enum mem_op_kind kind, uint32_t word, unsigned words,
                               uint32_t value)
{
    uint32_t at[RIG_LANES];
    unsigned lane = thread % RIG_LANES;
    at[lane] = word;
    struct tm_access_result b = rig_access_lanes(r, rig_slot(thread), kind, UINT64_C(1) << lane, at, words);
    for (unsigned i = 0; kind != MOP_LOAD && !b.conflicts && i < words; i++)
        *rig_word(r, word + i) = value;
    return b;
}

void rig_commit(struct rig *r, uint32_t thread)
{
    tm_localtm.committed(r->k, rig_slot(thread), UINT64_C(1) << thread % RIG_LANES, 0);
}

void rig_abort(struct rig *r, uint32_t thread)
{
    tm_localtm.aborted(r->k, rig_slot(thread), UINT64_C(1) << thread % RIG_LANES, 0);
}
