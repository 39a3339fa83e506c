/*
 * Snapshot isolation as a protocol: keys and their rules, life, the serial step, the end of a kernel. At the end of a
 * kernel the newest version is copied to slot 0, which is device memory.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "memsys/versions/vmem.h"
#include "tm/sitm/sitm.h"

void sitm_configure(struct sitm_cfg *c, const struct simtx_config *config)
{
#define CONFIG_ROWS "tm/sitm/config.def"
#include "base/config/config_copy.h"
}

static uint32_t share(uint32_t entries, uint32_t slices)
{
    return entries ? (entries + slices - 1) / slices : UINT32_MAX;
}

/* Enumerators of keys are in the order of those of the rules. */
static struct sitm_rules rules_of(const struct simtx_config *config, uint32_t slices)
{
    struct sitm_cfg c;
    struct vmem_cfg v;
    sitm_configure(&c, config);
    vmem_configure(&v, config);
    struct sitm_rules r = sitm_rules_default();
    r.retain = c.retain;
    r.fcw = c.fcw;
    r.postdating = c.postdating;
    r.floor = c.floor;
    r.prevts = c.prevts;
    r.unreference = c.unreference;
    r.batch = c.batch;
    r.edges = c.edges && c.decision == SITM_KEY_DECISION_RULES;
    r.slices = slices;
    r.slots = v.slots;
    r.groups = c.groups;
    r.writer_entries = share(c.writer_entries, slices);
    r.reader_entries = share(c.reader_entries, slices);
    r.delta = c.delta;
    r.stamp_bits = c.stamp_bits;
    r.version_bits = c.version_bits;
    r.precedence_after = c.precedence_after;
    r.exclusive_after = c.exclusive_after;
    return r;
}

/* A traversal of a crossbar, and the longest window of the simulation, in core cycles. */
static uint64_t traversal(const struct simtx_config *c, bool half)
{
    uint64_t cycles = (uint64_t)config_int(c, KEY_XBAR_LATENCY);
    double ratio = (double)config_int(c, KEY_GPU_CORE_MHZ) / config_real(c, KEY_XBAR_MHZ);
    return (uint64_t)((double)(half ? cycles / 2 : cycles) * ratio + (half ? 0 : 0.999999));
}

static uint32_t link_of(const struct simtx_config *config)
{
    struct sitm_cfg c;
    sitm_configure(&c, config);
    return c.link_latency ? c.link_latency : (uint32_t)traversal(config, false);
}

/* ---- checks ---- */

static bool instant(const struct simtx_config *c)
{
    struct sitm_cfg s;
    sitm_configure(&s, c);
    return s.instant;
}

static bool exact(const struct simtx_config *c)
{
    struct sitm_cfg s;
    sitm_configure(&s, c);
    return s.decision == SITM_KEY_DECISION_EXACT;
}

static bool check_machine(const struct simtx_config *c, const struct sitm_rules *r, char *error, size_t size)
{
    if (config_int(c, KEY_GPU_WARP_SIZE) != SITM_LANES)
        snprintf(error, size, "%s: tm.global = sitm needs %d: transaction IDs have 5 bits for the lane",
                 config_setting(c, KEY_GPU_WARP_SIZE).text, SITM_LANES);
    else if (!r->slots)
        snprintf(error, size, "%s: tm.global = sitm needs versioned memory, version.slots of at least 2; "
                 "the overlay tm-sitm sets both",
                 config_setting(c, KEY_VERSION_SLOTS).text);
    else if (instant(c) && !exact(c))
        snprintf(error, size, "%s needs sitm.decision = exact, not %s: tables and dependencies take time",
                 config_setting(c, KEY_SITM_INSTANT).text, config_setting(c, KEY_SITM_DECISION).text);
    else if (exact(c) && config_choice(c, KEY_TM_SHARED) &&
             (config_int(c, KEY_GPU_SMS) > 512 || config_int(c, KEY_GPU_MAX_BLOCKS_PER_SM) > 64 ||
              config_int(c, KEY_GPU_SHARED_PER_SM) > 1 << 18))
        snprintf(error, size, "%s, %s, %s: sitm.decision = exact with tm.shared needs at most 512, 64 and 262144 "
                 "of them",
                 config_setting(c, KEY_GPU_SMS).text, config_setting(c, KEY_GPU_MAX_BLOCKS_PER_SM).text,
                 config_setting(c, KEY_GPU_SHARED_PER_SM).text);
    else if (link_of(c) < traversal(c, true))
        snprintf(error, size, "%s: at least half of a traversal of a crossbar, %u core cycles, is needed",
                 config_setting(c, KEY_SITM_LINK).text, (unsigned)traversal(c, true));
    else
        return true;
    return false;
}

static bool check(const struct simtx_config *c, uint32_t slices, char *error, size_t size)
{
    struct sitm_rules r = rules_of(c, slices);
    const char *wrong = NULL;
    if (!kilo_check(c, slices, "sitm", error, size) || !check_machine(c, &r, error, size))
        return false;
    if ((wrong = sitm_rules_check(&r)))
        snprintf(error, size, "%s, %s: %s", config_setting(c, KEY_SITM_DELTA).text,
                 config_setting(c, KEY_SITM_STAMP_BITS).text, wrong);
    return !wrong;
}

static bool coherent(const struct simtx_config *c, char *why, size_t size)
{
    snprintf(why, size, "a line of versioned memory has a state for each of its slots");
    return false;
}

static enum tm_isolation isolation(const struct simtx_config *c)
{
    struct sitm_cfg s;
    sitm_configure(&s, c);
    return s.edges || exact(c) ? TM_SERIALISABLE_SNAPSHOT : TM_SNAPSHOT;
}

/* ---- life ---- */

static void *new_gpu_state(struct tm_gpu *t, const struct simtx_config *c)
{
    struct kilo_gpu *s = kilo_new_gpu_state(t, c);
    struct sitm_gpu *g = mem_zero(1, sizeof *g, "snapshot isolation");
    *g = (struct sitm_gpu){
        .config = c, .rules = rules_of(c, s->slices), .kilo = s, .tm = t, .slices = s->slices, .link = link_of(c),
        .slots = tm_gpu_warps(t), .unit = mem_zero(s->slices, sizeof *g->unit, "snapshot isolation"),
        .warps = tm_gpu_warps(t) * (uint32_t)config_int(c, KEY_GPU_SMS)
    };
    sitm_configure(&g->cfg, c);
    g->core = mem_zero((size_t)config_int(c, KEY_GPU_SMS), sizeof *g->core, "snapshot isolation");
    g->exact = g->cfg.decision == SITM_KEY_DECISION_EXACT ? sitm_exact_new(g) : NULL;
    g->loops = g->cfg.count_loops ? sitm_loops_new(g) : NULL;
    g->floor = mem_alloc(g->warps, sizeof *g->floor, "snapshot isolation");
    for (uint32_t i = 0; i < g->warps; i++)
        g->floor[i] = UINT64_MAX;
    s->own = g;
    return s;
}

static void free_gpu_state(void *gpu_state)
{
    struct kilo_gpu *s = gpu_state;
    struct sitm_gpu *g = s->own;
    sitm_exact_free(g->exact);
    sitm_loops_free(g->loops);
    free(g->core);
    free(g->unit);
    free(g->floor);
    free(g);
    kilo_free_gpu_state(s);
}

static void *new_core(struct tm_core *tm, void *gpu_state)
{
    struct kilo_core *k = kilo_new_core(tm, gpu_state);
    struct sitm_core *x = arena_alloc(k->arena, sizeof *x);
    *x = (struct sitm_core){ .kilo = k, .tm = tm, .gpu = k->gpu->own };
    x->warp = arena_alloc(k->arena, k->slots * sizeof *x->warp);
    for (uint32_t i = 0; i < k->slots; i++) {
        x->warp[i].a.warp = tm_sm(tm) * x->gpu->slots + i;
        x->warp[i].a.group = SITM_NO_GROUP;
    }
    fifo_init(&x->requests, sizeof(struct sitm_message), "requests to the manager");
    x->gpu->core[tm_sm(tm)] = x;
    k->own = x;
    k->no_skip = true;
    k->filled = sitm_filled;
    return k;
}

static void free_core(void *core)
{
    struct sitm_core *x = sitm_core(core);
    free(x->empty_load);
    free(x->loops.event);
    fifo_end(&x->requests);
    kilo_free_core(core);
}

static uint64_t run(void *core, uint64_t now)
{
    sitm_finish_empty_loads(sitm_core(core), now);
    return kilo_transfer_run(core, now);
}

static bool idle(const void *core)
{
    const struct kilo_core *k = core;
    const struct sitm_core *x = sitm_core(k);
    return kilo_idle(core) && !x->replies && !x->empty_loads && !x->requests.n;
}

/* Snapshots are consistent, so validation dooms no attempt beyond those that the rules doom. */
static void validate(void *core, uint32_t slot, uint64_t lanes, uint64_t now)
{
    tm_validated(((struct kilo_core *)core)->tm, slot, lanes, 0, now);
}

/* ---- the serial step ---- */

/* The least place in the order of commits that a commit reported from now on can have. */
static uint64_t settled_order(const struct sitm_gpu *g)
{
    const struct sitm_manager *m = g->manager;
    uint64_t least = (uint64_t)m->epoch << 32 | m->slots.slot[m->slots.newest].floor;
    for (uint32_t i = 0; i < g->warps; i++)
        least = g->floor[i] < least ? g->floor[i] : least;
    return least;
}

static void step(void *gpu_state, void *const *cores, uint32_t n, uint64_t now)
{
    enum { EACH = 64 };
    struct sitm_gpu *g = ((struct kilo_gpu *)gpu_state)->own;
    if (g->cfg.instant)
        sitm_instant_step(g, cores, n, now);
    else
        sitm_links_step(g);
    if (g->loops)
        sitm_loops_step(g->loops, cores, n);
    if (g->exact)
        sitm_exact_report(g->exact, false);
    else if (g->steps++ % EACH == 0)
        tm_order_settled(g->tm, settled_order(g));
}

/* ---- the end of a kernel ---- */

static void copy_home(struct sitm_gpu *g, uint32_t newest, uint64_t now)
{
    const struct sitm_message m = { .kind = SITM_COPY, .from = newest, .slot = 0 };
    for (uint32_t s = 0; s < g->slices; s++) {
        sitm_mail_add(&g->unit[s]->in, &m, now + g->link, 0, true);
        sitm_wake(g, s, now + g->link);
    }
    g->ending = true;
    g->end_from = now;
}

static bool all_ended(struct sitm_gpu *g)
{
    for (uint32_t s = 0; s < g->slices; s++)
        if (!g->unit[s]->ended)
            return false;
    return true;
}

/* False: something is left, or a slice has an error. Then the state is kept, and `consistent` reports it. */
static bool clean(const struct sitm_gpu *g)
{
    bool empty = sitm_manager_quiet(g->manager);
    for (uint32_t s = 0; s < g->slices; s++)
        empty = empty && sitm_slice_empty(&g->unit[s]->rules) && !g->unit[s]->entries && !g->unit[s]->error[0];
    return empty;
}

static bool end(void *gpu_state, uint64_t now)
{
    struct sitm_gpu *g = ((struct kilo_gpu *)gpu_state)->own;
    uint32_t newest = g->manager->slots.newest;
    if (!clean(g))
        return true;
    if (newest && !g->ending)
        copy_home(g, newest, now);
    if (g->exact)
        sitm_exact_report(g->exact, true);
    if (g->ending && !all_ended(g))
        return false;
    g->end_cycles = g->ending ? now - g->end_from : 0;
    g->ending = false;
    g->possible_loops = g->loops ? sitm_loops_end_kernel(g->loops) : 0;
    for (uint32_t s = 0; s < g->slices; s++)
        sitm_unit_end_kernel(g->unit[s]);
    sitm_manager_restart(g->unit[0]->manager);
    return true;
}

static void totals(void *gpu_state, uint64_t *count)
{
    const struct sitm_gpu *g = ((struct kilo_gpu *)gpu_state)->own;
    count[STAT_SITM_END_CYCLES] = g->end_cycles;
    count[STAT_SITM_POSSIBLE_LOOPS] = g->possible_loops;
}

static bool consistent(void *gpu_state, const uint64_t *count, char *error, size_t size)
{
    const struct sitm_gpu *g = ((struct kilo_gpu *)gpu_state)->own;
    char manager[600] = "";
    for (uint32_t s = 0; s < g->slices; s++)
        if (g->unit[s]->error[0]) {
            snprintf(error, size, "  %s", g->unit[s]->error);
            return false;
        }
    if (clean(g))
        return true;
    sitm_manager_describe(g->manager, manager, sizeof manager);
    int n = snprintf(error, size, "  at the end of the kernel the manager has: %s; entries of slices (writers, "
                     "readers, words):", manager);
    for (uint32_t s = 0; s < g->slices && n > 0 && (size_t)n < size; s++)
        n += snprintf(error + n, size - (size_t)n, " %u %u %u;", g->unit[s]->rules.writers.n,
                      g->unit[s]->rules.readers.n, g->unit[s]->entries);
    return false;
}

const struct tm_protocol tm_sitm = {
    .name = "sitm", .begin_waits = true, .global_step = instant, .payload = sizeof(union sitm_payload),
    .check = check, .coherent = coherent,
    .isolation = isolation, .new_gpu_state = new_gpu_state, .free_gpu_state = free_gpu_state,
    .private_words = kilo_private_words, .engine = &sitm_engine, .new_core = new_core, .free_core = free_core,
    .may_issue = sitm_may_issue, .attempt = sitm_attempt_wanted,
    .may_run = sitm_may_run, .snapshot = sitm_snapshot, .load = sitm_load, .store = sitm_store,
    .done = kilo_log_done, .commit = sitm_commit, .aborted = sitm_lanes_aborted, .validate = validate,
    .message = sitm_receive, .run = run, .idle = idle, .describe = sitm_describe, .dump = sitm_dump, .end = end,
    .totals = totals, .consistent = consistent, .step = step
};
