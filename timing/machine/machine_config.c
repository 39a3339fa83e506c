/*
 * The configuration of the machine: those of its components, and the longest window that their latencies allow; and the
 * rules that the selected protocols and policies must keep.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "consistency/protocols.h"
#include "timing/machine/machine_impl.h"

void sim_configure(struct sim_cfg *c, const struct simtx_config *config)
{
#define CONFIG_ROWS "timing/machine/config.def"
#include "base/config/config_copy.h"
}

static void configure_clocks(struct machine_cfg *c, const struct simtx_config *config)
{
    struct clock_cfg mhz;
    clock_configure(&mhz, config);
    const uint64_t khz[CLK_COUNT] = {
        [CLK_CORE] = (uint64_t)config_int(config, KEY_GPU_CORE_MHZ) * 1000,
        [CLK_XBAR] = (uint64_t)llround(mhz.xbar_mhz * 1000),
        [CLK_L2] = (uint64_t)llround(mhz.l2_mhz * 1000),
        [CLK_MEM] = (uint64_t)llround(mhz.dram_mhz * 1000),
    };
    clocks_set(&c->clocks, khz);
}

static void configure_crossbars(struct machine_cfg *c, const struct simtx_config *config)
{
    const struct xbars_cfg *both = &c->xbars;
    struct xbar_cfg *request = &c->xbar[MACHINE_XBAR_REQUEST], *reply = &c->xbar[MACHINE_XBAR_REPLY];
    xbars_configure(&c->xbars, config);
    *request = *reply = (struct xbar_cfg){
        .flit_bytes = both->flit, .vns = both->vns, .latency_in = both->latency / 2,
        .latency_out = both->latency - both->latency / 2, .every_cycle = c->sim.no_skip,
        .fifo = both->input == XBAR_FIFO, .largest_packet = xbar_largest_packet(config), .disturb = both->disturb,
        .seed = (uint64_t)config_int(config, KEY_SIM_SEED),
    };
    request->sources = reply->destinations = c->sms;
    request->destinations = reply->sources = c->slices;
    request->in_share = reply->out_share = num_least(both->cluster, c->sms);
    request->out_share = reply->in_share = 1;
    request->source_clock = reply->destination_clock = CLK_CORE;
    request->destination_clock = CLK_L2;
    reply->source_clock = CLK_XBAR;          /* slices count credits in crossbar cycles */
    request->to_slices = true;
    c->xbar_ports = (c->sms + both->cluster - 1) / both->cluster;
}

static void configure_memory(struct machine_cfg *c, const struct simtx_config *config)
{
    lsu_configure(&c->lsu, config);
    c->lsu.request_latency = c->xbar[MACHINE_XBAR_REQUEST].latency_in;
    c->lsu.credit_latency = c->xbar[MACHINE_XBAR_REPLY].latency_out;
    c->lsu.largest_packet = c->partition.largest_packet = c->xbar[MACHINE_XBAR_REPLY].largest_packet;
    c->partition.slices = c->partition.l2.slices;
    c->partition.sms = c->sms;
    c->partition.flit_bytes = c->xbar[MACHINE_XBAR_REPLY].flit_bytes;
    c->partition.reply_latency = c->xbar[MACHINE_XBAR_REPLY].latency_in;
    c->partition.credit_latency = c->xbar[MACHINE_XBAR_REQUEST].latency_out;
}

static bool policy_is_relaxed(const struct order_policy *p)
{
    return (p->model == ORDER_MODEL_NONE || p->model == ORDER_MODEL_PTX) && !p->stage && !p->new_state;
}

/* Do only fences, releases and barriers wait for stores? Otherwise an ordering policy with a model, a coherence
 * protocol or transactions track stores by their warp's slot, which then cannot be reused before they have
 * performed. */
static bool stores_are_relaxed(const struct machine_cfg *c, const struct simtx_config *config,
                               const struct machine_plugins *plugins)
{
    bool transactions = plugins->tm || config_choice(config, KEY_TM_GLOBAL) || config_choice(config, KEY_TM_SHARED);
    return policy_is_relaxed(c->sm.order) && !c->lsu.l1.coherence && !transactions;
}

static void choose_protocols(struct machine_cfg *c, const struct simtx_config *config,
                             const struct machine_plugins *plugins)
{
    c->lsu.l1.coherence = coherence_of(config);
    if (plugins->coherence)
        c->lsu.l1.coherence = plugins->coherence;
    c->partition.coherence = c->lsu.l1.coherence;
    if (plugins->order)
        c->sm.order = plugins->order;
    c->partition.control_vns = coherence_control_vns(c->partition.coherence) | c->sm.order->control_vns;
    c->sm.exit_past_stores &= stores_are_relaxed(c, config, plugins);
}

void machine_configure(struct machine_cfg *c, const struct simtx_config *config, const struct machine_plugins *plugins,
                       uint64_t base)
{
    const struct dram_cfg *dram = &c->partition.dram;
    char text[400];
    memset(c, 0, sizeof *c);
    sim_configure(&c->sim, config);
    tm_configure(&c->tm, config);
    l2_configure(&c->partition.l2, config);
    dram_configure(&c->partition.dram, config);
    vmem_configure(&c->versions, config);
    c->sms = (uint32_t)config_int(config, KEY_GPU_SMS);
    c->channels = dram->channels;
    c->slices = c->channels * c->partition.l2.slices;
    configure_clocks(c, config);
    configure_crossbars(c, config);
    c->step = (uint32_t)clock_floor(&c->clocks, CLK_XBAR, CLK_CORE, c->xbar[MACHINE_XBAR_REQUEST].latency_in);
    c->longest = 12 * (uint32_t)clock_floor(&c->clocks, CLK_XBAR, CLK_CORE, (uint64_t)c->xbars.latency);
    sm_configure(&c->sm, config, 0);
    dispatch_configure(&c->dispatch, config);
    c->dispatch.sms = c->sms;
    c->dispatch.delay = c->step;
    c->dispatch.launch_cycles = c->sim.launch_cycles;
    carveouts_configure(&c->carveouts, config);
    configure_memory(c, config);
    choose_protocols(c, config, plugins);
    if (!addrmap_parse(&c->map, dram->map, c->channels, c->partition.l2.slices, dram->hash, base, text, sizeof text))
        abort();                             /* config_check accepts only valid maps */
}

/* Transactional memory must send the messages of the coherence protocol. */
static bool check_transactions(const struct machine_cfg *c, const struct simtx_config *config,
                               const struct tm_protocol *tm, char *text, size_t size)
{
    char why[200] = "it accesses memory without messages";
    if (!c->lsu.l1.coherence || !tm || (tm->coherent && tm->coherent(config, why, sizeof why)))
        return true;
    snprintf(text, size, "coherence.protocol: %s does not work with the transactional memory %s: %s",
             c->lsu.l1.coherence->name, tm->name, why);
    return false;
}

/* A coherence protocol needs caches for its lines and virtual networks for its messages. */
static bool check_coherence(const struct machine_cfg *c, char *text, size_t size)
{
    const struct coherence *p = c->lsu.l1.coherence;
    if (p && (!c->lsu.l1.sets || !c->partition.l2.sets)) {
        snprintf(text, size, "coherence.protocol: %s needs an L1 and an L2, l1.kb and l2.slice_kb more than 0",
                 p->name);
        return false;
    }
    if (p && c->partition.l2.copies) {
        snprintf(text, size, "coherence.protocol: %s has no message for copies by the host that stay in L2 (l2.copies)",
                 p->name);
        return false;
    }
    if (p && c->versions.slots) {
        snprintf(text, size, "coherence.protocol: %s does not work with versioned memory (version.slots): it has one "
                 "state for all versions of a line", p->name);
        return false;
    }
    return !p || coherence_check(p, c->xbars.vns, text, size);
}

bool machine_check(const struct simtx_config *config, const struct machine_plugins *plugins, struct diag *d)
{
    struct machine_cfg c;
    char text[800];
    int before = d->errors;
    machine_configure(&c, config, plugins, 0);
    if (!tm_check(config, plugins->tm, c.slices, text, sizeof text))
        diag_error(d, 0, 0, "%s", text);
    if (c.sm.order->vns > c.xbars.vns)
        diag_error(d, 0, 0, "the order policy %s needs %u virtual networks, but xbar.vns = %u", c.sm.order->name,
                   c.sm.order->vns, c.xbars.vns);
    if (c.lsu.l1.stages && (c.lsu.l1.coherence || c.sm.order->stage))
        diag_error(d, 0, 0, "l1.pipelined: coherence protocols and policies with a stage look lines up in their order");
    const struct tm_protocol *tm = plugins->tm ? plugins->tm : tm_protocols[config_choice(config, KEY_TM_GLOBAL)];
    if (!check_coherence(&c, text, sizeof text) || !check_transactions(&c, config, tm, text, sizeof text))
        diag_error(d, 0, 0, "%s", text);
    return d->errors == before;
}

/* A window is as long as a flit takes for half its path through a crossbar; it must be at least a core cycle. */
void machine_check_window(const struct simtx_config *config, struct diag *d)
{
    double half = (double)(config_int(config, KEY_XBAR_LATENCY) / 2);
    if (half * (double)config_int(config, KEY_GPU_CORE_MHZ) < config_real(config, KEY_XBAR_MHZ))
        diag_error(d, 0, 0, "half of %s is less than a core cycle with %s and %s",
                   config_setting(config, KEY_XBAR_LATENCY).text, config_setting(config, KEY_XBAR_MHZ).text,
                   config_setting(config, KEY_GPU_CORE_MHZ).text);
}

/* Warps end before their stores have performed only where stores are relaxed. */
void machine_warn(const struct simtx_config *config, struct diag *d)
{
    static const enum config_key without[] = { KEY_COHERENCE_PROTOCOL, KEY_TM_GLOBAL, KEY_TM_SHARED };
    enum config_key because = policy_is_relaxed(order_policy_of(config)) ? KEY_NONE : KEY_ORDER_POLICY;
    for (size_t i = 0; i < sizeof without / sizeof *without && because == KEY_NONE; i++)
        if (config_choice(config, without[i]))
            because = without[i];
    if (because != KEY_NONE && config_bool(config, KEY_CORE_EXIT_PAST_STORES))
        config_warn_unused(config, KEY_CORE_EXIT_PAST_STORES, because, d);
}
