/*
 * The rules between keys: what makes a configuration impossible, a row each where a row will do. All violations are
 * reported together, each with the keys, their values and the places that set them.
 */
#include "base/config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 128 };                 /* bytes of a line of L1 and L2 */

/* "l1.ways = 3 (gtx480.cfg:31)" */
static const char *said(const struct simtx_config *c, enum config_key k, char buf[160])
{
    const char *origin = config_origin(c, k);
    snprintf(buf, 160, "%s = %s (%s)", config_keys[k].name, config_text(c, k), origin ? origin : "default");
    return buf;
}

/* ---- rules of two keys ---- */

enum relation { AT_MOST, LESS_THAN, AT_LEAST_OR_0, MULTIPLE_OF };

static const struct relation_rule { enum config_key a; enum relation relation; enum config_key b; } relations[] = {
    { KEY_GPU_MAX_THREADS_PER_SM, MULTIPLE_OF, KEY_GPU_WARP_SIZE },
    { KEY_GPU_MAX_THREADS_PER_BLOCK, MULTIPLE_OF, KEY_GPU_WARP_SIZE },
    { KEY_GPU_MAX_THREADS_PER_BLOCK, AT_MOST, KEY_GPU_MAX_THREADS_PER_SM },
    { KEY_GPU_SHARED_PER_BLOCK, AT_MOST, KEY_GPU_SHARED_PER_BLOCK_OPTIN },
    { KEY_GPU_SHARED_PER_BLOCK_OPTIN, AT_MOST, KEY_GPU_SHARED_PER_SM },
    { KEY_GPU_HEAP_MB, LESS_THAN, KEY_GPU_MEMORY_MB },
    { KEY_INST_BYTES, AT_MOST, KEY_INST_LINE },
    { KEY_CORE_FETCH_WIDTH, AT_MOST, KEY_CORE_IBUFFER },
    { KEY_CORE_ISSUE, AT_MOST, KEY_CORE_IBUFFER },
    { KEY_DRAM_BANKS, MULTIPLE_OF, KEY_DRAM_GROUPS },
    { KEY_DRAM_BANKS, MULTIPLE_OF, KEY_L2_SLICES },
    { KEY_DRAM_BURST_CYCLES, AT_MOST, KEY_DRAM_TCCD },
    { KEY_DRAM_TCCDL, AT_LEAST_OR_0, KEY_DRAM_TCCD },
    { KEY_DRAM_TRRDL, AT_LEAST_OR_0, KEY_DRAM_TRRD },
    { KEY_DRAM_TRTPL, AT_LEAST_OR_0, KEY_DRAM_TRTP },
    { KEY_DRAM_TFAW, AT_LEAST_OR_0, KEY_DRAM_TRRD },
    { KEY_DRAM_TRCD, AT_MOST, KEY_DRAM_TRAS },
    { KEY_DRAM_TRFC, LESS_THAN, KEY_DRAM_TREFI },
    { KEY_TRACE_FROM, AT_MOST, KEY_TRACE_TO },
    { KEY_TRACE_SM, LESS_THAN, KEY_GPU_SMS },
};

static bool holds(enum relation r, int64_t a, int64_t b)
{
    switch (r) {
    case AT_MOST: return a <= b;
    case LESS_THAN: return a < b;
    case AT_LEAST_OR_0: return a == 0 || a >= b;
    default: return a % b == 0;
    }
}

static void check_relation(const struct simtx_config *c, enum config_key a, enum relation r, enum config_key b,
                           struct diag *d)
{
    static const char *const broken[] = { "is more than", "is not less than", "is neither 0 nor at least",
                                          "is no multiple of" };
    char sa[160], sb[160];
    if (!holds(r, config_int(c, a), config_int(c, b)))
        diag_error(d, 0, 0, "%s %s %s", said(c, a, sa), broken[r], said(c, b, sb));
}

/* An instruction's result cannot be there before its pipeline takes the next one: latency.X and interval.X. */
static void check_intervals(const struct simtx_config *c, struct diag *d)
{
    static const char latency[] = "latency.";
    for (int i = 0; i < KEY_COUNT; i++) {
        char name[80];
        if (strncmp(config_keys[i].name, latency, sizeof latency - 1))
            continue;
        snprintf(name, sizeof name, "interval.%s", config_keys[i].name + sizeof latency - 1);
        check_relation(c, config_find(name), AT_MOST, (enum config_key)i, d);
    }
}

/* A scheduler's warps are a word of bits. */
static void check_schedulers(const struct simtx_config *c, struct diag *d)
{
    enum { WARPS = 64 };
    int64_t warps = config_int(c, KEY_GPU_MAX_THREADS_PER_SM) / config_int(c, KEY_GPU_WARP_SIZE);
    char threads[160], size[160], schedulers[160];
    if (warps > WARPS * config_int(c, KEY_CORE_SCHEDULERS))
        diag_error(d, 0, 0, "%s and %s make %lld warps, more than %d for each of %s",
                   said(c, KEY_GPU_MAX_THREADS_PER_SM, threads), said(c, KEY_GPU_WARP_SIZE, size), (long long)warps,
                   WARPS, said(c, KEY_CORE_SCHEDULERS, schedulers));
}

/* ---- rules of one key ---- */

static const enum config_key powers_of_two[] = {
    KEY_GPU_WARP_SIZE, KEY_COALESCER_LANES, KEY_COALESCER_SEGMENT, KEY_SHARED_LANES, KEY_CONST_LINE, KEY_TEXTURE_LINE,
    KEY_INST_LINE, KEY_INST_BYTES, KEY_DRAM_BURST_BYTES, KEY_CORE_SIMD_WIDTH, KEY_CORE_SFU_WIDTH, KEY_CORE_DP_WIDTH,
    KEY_CORE_LDST_WIDTH,
};

static void check_power_of_two(const struct simtx_config *c, enum config_key k, struct diag *d)
{
    const struct config_key_info *info = &config_keys[k];
    int64_t v = config_int(c, k);
    char text[160], choices[160] = "";
    size_t n = 0;
    if ((v & (v - 1)) == 0)
        return;
    for (int64_t p = (int64_t)info->min; p <= (int64_t)info->max; p *= 2)
        n += (size_t)snprintf(choices + n, sizeof choices - n, "%s%lld", !n ? "" : p * 2 > info->max ? " or " : ", ",
                              (long long)p);
    diag_error(d, 0, 0, "%s: must be %s", said(c, k, text), choices);
}

/* ---- caches ---- */

static const struct cache_rule { enum config_key kb, ways, line; } caches[] = {   /* KEY_NONE: 128 bytes */
    { KEY_L1_KB, KEY_L1_WAYS, KEY_NONE },
    { KEY_CONST_KB, KEY_CONST_WAYS, KEY_CONST_LINE },
    { KEY_TEXTURE_KB, KEY_TEXTURE_WAYS, KEY_TEXTURE_LINE },
    { KEY_INST_KB, KEY_INST_WAYS, KEY_INST_LINE },
    { KEY_L2_SLICE_KB, KEY_L2_WAYS, KEY_NONE },
};

static void check_cache(const struct simtx_config *c, const struct cache_rule *r, struct diag *d)
{
    int64_t line = r->line == KEY_NONE ? LINE : config_int(c, r->line);
    int64_t set = config_int(c, r->ways) * line, bytes = config_int(c, r->kb) * 1024;
    char kb[160], ways[160], size[160];
    if (bytes % set)
        diag_error(d, 0, 0, "%s does not divide into sets of %s and %s bytes a line", said(c, r->kb, kb),
                   said(c, r->ways, ways), r->line == KEY_NONE ? "128" : said(c, r->line, size));
}

/* The simulator keeps the bytes of all L1 caches. */
static void check_l1_memory(const struct simtx_config *c, struct diag *d)
{
    enum { MOST_MB = 2048 };
    int64_t mb = config_int(c, KEY_GPU_SMS) * config_int(c, KEY_L1_KB) / 1024;
    char sms[160], kb[160];
    if (mb > MOST_MB)
        diag_error(d, 0, 0, "%s and %s make %lld MiB of L1 in all, more than %d", said(c, KEY_GPU_SMS, sms),
                   said(c, KEY_L1_KB, kb), (long long)mb, MOST_MB);
}

/* ---- DRAM ---- */

/* A row is opened and closed before the next of its bank. */
static void check_row_cycle(const struct simtx_config *c, struct diag *d)
{
    int64_t cycle = config_int(c, KEY_DRAM_TRC), least = config_int(c, KEY_DRAM_TRAS) + config_int(c, KEY_DRAM_TRP);
    char rc[160], ras[160], rp[160];
    if (cycle && cycle < least)
        diag_error(d, 0, 0, "%s is less than the sum of %s and %s", said(c, KEY_DRAM_TRC, rc),
                   said(c, KEY_DRAM_TRAS, ras), said(c, KEY_DRAM_TRP, rp));
}

/* Written data must not meet read data on the bus. */
static void check_turnaround(const struct simtx_config *c, struct diag *d)
{
    int64_t least = config_int(c, KEY_DRAM_TCL) + config_int(c, KEY_DRAM_BURST_CYCLES) - config_int(c, KEY_DRAM_TWL);
    char rtw[160], cl[160], burst[160], wl[160];
    if (config_int(c, KEY_DRAM_TRTW) && config_int(c, KEY_DRAM_TRTW) < least)
        diag_error(d, 0, 0, "%s is neither 0 nor at least %s + %s - %s", said(c, KEY_DRAM_TRTW, rtw),
                   said(c, KEY_DRAM_TCL, cl), said(c, KEY_DRAM_BURST_CYCLES, burst), said(c, KEY_DRAM_TWL, wl));
}

/* ---- crossbars ---- */

/* A packet starts only when there is room for all of it. The largest is the compare-and-swap of 16-byte words by a
 * whole warp: two operands a lane behind a header of 8 bytes. */
static void check_buffer(const struct simtx_config *c, enum config_key k, struct diag *d)
{
    int64_t bytes = 8 + config_int(c, KEY_GPU_WARP_SIZE) * 2 * 16, flit = config_int(c, KEY_XBAR_FLIT);
    int64_t flits = (bytes + flit - 1) / flit;
    char buffer[160], width[160], warp[160];
    if (config_int(c, k) < flits)
        diag_error(d, 0, 0, "%s is less than the largest packet, an atomic of %lld flits with %s and %s",
                   said(c, k, buffer), (long long)flits, said(c, KEY_XBAR_FLIT, width),
                   said(c, KEY_GPU_WARP_SIZE, warp));
}

/* The sides of the machine are simulated apart for as long as a flit takes half-way: at least a core cycle. */
static void check_window(const struct simtx_config *c, struct diag *d)
{
    double half = (double)(config_int(c, KEY_XBAR_LATENCY) / 2);
    char latency[160], xbar[160], core[160];
    if (half * (double)config_int(c, KEY_GPU_CORE_MHZ) < config_real(c, KEY_XBAR_MHZ))
        diag_error(d, 0, 0, "half of %s is less than a core cycle with %s and %s", said(c, KEY_XBAR_LATENCY, latency),
                   said(c, KEY_XBAR_MHZ, xbar), said(c, KEY_GPU_CORE_MHZ, core));
}

bool config_check(const struct simtx_config *c, struct diag *d)
{
    int before = d->errors;
    for (size_t i = 0; i < sizeof powers_of_two / sizeof *powers_of_two; i++)
        check_power_of_two(c, powers_of_two[i], d);
    for (size_t i = 0; i < sizeof relations / sizeof *relations; i++)
        check_relation(c, relations[i].a, relations[i].relation, relations[i].b, d);
    check_intervals(c, d);
    check_schedulers(c, d);
    for (size_t i = 0; i < sizeof caches / sizeof *caches; i++)
        check_cache(c, &caches[i], d);
    check_l1_memory(c, d);
    check_row_cycle(c, d);
    check_turnaround(c, d);
    check_buffer(c, KEY_XBAR_INPUT_FLITS, d);
    check_buffer(c, KEY_XBAR_OUTPUT_FLITS, d);
    check_window(c, d);
    return d->errors == before;
}

/* ---- doubts ---- */

static void doubt_l2(const struct simtx_config *c, struct diag *d)
{
    int64_t slices = config_int(c, KEY_DRAM_CHANNELS) * config_int(c, KEY_L2_SLICES);
    int64_t kb = slices * config_int(c, KEY_L2_SLICE_KB);
    char told[160], slice[160];
    if (config_int(c, KEY_GPU_L2_KB) != kb)
        diag_warn(d, 0, 0, "programs are told %s, simulated are %lld KiB: %lld slices with %s",
                  said(c, KEY_GPU_L2_KB, told), (long long)kb, (long long)slices, said(c, KEY_L2_SLICE_KB, slice));
}

/* Programs compute the bandwidth as two transfers a memory clock over the width of the bus. */
static void doubt_bandwidth(const struct simtx_config *c, struct diag *d)
{
    double bytes = (double)config_int(c, KEY_GPU_MEMORY_BUS_BITS) / 8;
    double told = 2e6 * (double)config_int(c, KEY_GPU_MEMORY_MHZ) * bytes;
    double burst = (double)config_int(c, KEY_DRAM_BURST_BYTES) / (double)config_int(c, KEY_DRAM_BURST_CYCLES);
    double is = 1e6 * config_real(c, KEY_DRAM_MHZ) * burst * (double)config_int(c, KEY_DRAM_CHANNELS);
    char mhz[160], bits[160];
    if (fabs(told - is) > 0.03 * is)
        diag_warn(d, 0, 0, "programs are told %.0f GB/s, %s and %s; simulated are %.0f GB/s: dram.channels x dram.mhz "
                  "x dram.burst_bytes / dram.burst_cycles", told / 1e9, said(c, KEY_GPU_MEMORY_MHZ, mhz),
                  said(c, KEY_GPU_MEMORY_BUS_BITS, bits), is / 1e9);
}

void config_doubts(const struct simtx_config *c, struct diag *d)
{
    doubt_l2(c, d);
    doubt_bandwidth(c, d);
}
