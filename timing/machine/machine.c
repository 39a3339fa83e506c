/*
 * Building the machine from a configuration: clocks, address mapping, SMs, crossbars, partitions and the ports
 * between them; and the window of core cycles that their latencies allow.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/config.h"
#include "consistency/protocols.h"
#include "timing/machine/machine_parts.h"

/* Instruction memory: addresses that no data has, above those of functions. It has lines and tags but no bytes. */
static const uint64_t CODE_BASE = 0x3800000000000000ull;
static const uint64_t CODE_SPAN = 0x0800000000000000ull;

enum { SLICES_MAX = 16 };            /* of a channel: the key's limit */

static void error(struct diag *d, const char *text)
{
    diag_error(d, 0, 0, "%s", text);
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* ---- configuration ---- */

static void configure_clocks(struct machine_cfg *c, const struct simtx_config *config)
{
    uint64_t khz[CLK_COUNT] = {
        [CLK_CORE] = (uint64_t)config_int(config, KEY_GPU_CORE_MHZ) * 1000,
        [CLK_XBAR] = (uint64_t)llround(config_real(config, KEY_XBAR_MHZ) * 1000),
        [CLK_L2] = (uint64_t)llround(config_real(config, KEY_L2_MHZ) * 1000),
        [CLK_MEM] = (uint64_t)llround(config_real(config, KEY_DRAM_MHZ) * 1000),
    };
    clocks_set(&c->clocks, khz);
}

static void configure_crossbars(struct machine_cfg *c, const struct simtx_config *config)
{
    uint32_t latency = (uint32_t)config_int(config, KEY_XBAR_LATENCY);
    uint32_t cluster = (uint32_t)config_int(config, KEY_XBAR_CLUSTER);
    struct xbar_cfg x = {
        .flit_bytes = (uint32_t)config_int(config, KEY_XBAR_FLIT),
        .vns = (uint32_t)config_int(config, KEY_XBAR_VNS),
        .latency_in = latency / 2,
        .latency_out = latency - latency / 2,
        .every_cycle = c->every_cycle,
    };
    struct xbar_cfg *request = &c->xbar[XBAR_REQUEST], *reply = &c->xbar[XBAR_REPLY];
    *request = *reply = x;
    request->sources = reply->destinations = c->sms;
    request->destinations = reply->sources = c->slices;
    request->in_share = reply->out_share = least(cluster, c->sms);
    request->out_share = reply->in_share = 1;
    request->source_clock = reply->destination_clock = CLK_CORE;
    request->destination_clock = CLK_L2;
    reply->source_clock = CLK_XBAR;          /* slices count credits in crossbar cycles */
    request->to_slices = true;
    c->slice_flits = (uint32_t)config_int(config, KEY_XBAR_INPUT_FLITS);
    c->sm_flits = (uint32_t)config_int(config, KEY_XBAR_OUTPUT_FLITS);
    c->xbar_ports = (c->sms + cluster - 1) / cluster;
}

static void configure_dispatch(struct machine_cfg *c, const struct simtx_config *config)
{
    c->dispatch = (struct dispatch_cfg){
        .sms = c->sms,
        .per_cycle = (uint32_t)config_int(config, KEY_CORE_DISPATCH),
        .delay = c->window,
        .warp_size = c->sm.warp_size,
        .launch_cycles = (uint32_t)config_int(config, KEY_SIM_LAUNCH_CYCLES),
        .room = { c->sm.blocks, c->sm.warps, c->sm.warps * c->sm.warp_size,
                  (uint32_t)config_int(config, KEY_GPU_REGISTERS_PER_SM),
                  (uint32_t)config_int(config, KEY_GPU_SHARED_PER_SM) },
    };
}

static void configure_memory(struct machine_cfg *c, const struct simtx_config *config)
{
    lsu_configure(&c->lsu, config);
    c->lsu.request_latency = c->xbar[XBAR_REQUEST].latency_in;
    c->lsu.credit_latency = c->xbar[XBAR_REPLY].latency_out;
    l2_configure(&c->partition.l2, config);
    dram_configure(&c->partition.dram, config);
    c->partition.slices = c->slices / c->channels;
    c->partition.sms = c->sms;
    c->partition.flit_bytes = c->xbar[XBAR_REPLY].flit_bytes;
    c->partition.reply_latency = c->xbar[XBAR_REPLY].latency_in;
    c->partition.credit_latency = c->xbar[XBAR_REQUEST].latency_out;
}

/* False with a message when the address map is not usable. base: start of the device addresses. */
static bool configure(struct machine_cfg *c, const struct simtx_config *config, uint64_t base, char *text, size_t size)
{
    uint32_t slices = (uint32_t)config_int(config, KEY_L2_SLICES);
    memset(c, 0, sizeof *c);
    c->sms = (uint32_t)config_int(config, KEY_GPU_SMS);
    c->channels = (uint32_t)config_int(config, KEY_DRAM_CHANNELS);
    c->slices = c->channels * slices;
    c->threads = (uint32_t)config_int(config, KEY_SIM_THREADS);
    c->sync_window = (uint32_t)config_int(config, KEY_SIM_WINDOW);
    c->every_cycle = config_bool(config, KEY_SIM_NO_SKIP);
    c->checks = config_bool(config, KEY_SIM_CHECKS);
    c->flush = config_bool(config, KEY_SIM_FLUSH);
    c->hang_cycles = (uint64_t)config_int(config, KEY_SIM_HANG);
    configure_clocks(c, config);
    configure_crossbars(c, config);
    c->window = (uint32_t)clock_floor(&c->clocks, CLK_XBAR, CLK_CORE, c->xbar[XBAR_REQUEST].latency_in);
    sm_configure(&c->sm, config, 0);
    configure_dispatch(c, config);
    configure_memory(c, config);
    return addrmap_parse(&c->map, config_text(config, KEY_DRAM_MAP), c->channels, slices,
                         config_bool(config, KEY_DRAM_HASH), base, text, size);
}

static void choose_protocol(struct machine_cfg *c, const struct simtx_config *config,
                            const struct machine_plugins *plugins)
{
    c->lsu.coherence = coherence_of(config);
    if (plugins->coherence)
        c->lsu.coherence = plugins->coherence;
    c->partition.coherence = c->lsu.coherence;
    if (plugins->order)
        c->sm.order = plugins->order;
}

/* A protocol's lines lie in caches, and its messages in networks. */
static bool check_coherence(const struct machine_cfg *c, char *text, size_t size)
{
    const struct coherence *p = c->lsu.coherence;
    if (p && (!c->lsu.l1_exists || !c->partition.l2.sets)) {
        snprintf(text, size, "coherence.protocol: %s needs an L1 and an L2, l1.kb and l2.slice_kb more than 0",
                 p->name);
        return false;
    }
    return !p || coherence_check(p, c->xbar[0].vns, text, size);
}

/* All rules between keys that a part of the machine knows. */
static bool check(const struct machine_cfg *c, struct diag *d)
{
    char text[400];
    int before = d->errors;
    if (!c->window)
        error(d, "half of xbar.latency is less than a core cycle");
    if (!sm_check(&c->sm, text, sizeof text))
        error(d, text);
    if (!lsu_check(&c->lsu, text, sizeof text))
        error(d, text);
    if (c->sm.order->vns > c->xbar[0].vns)
        diag_error(d, 0, 0, "the order policy %s needs %u virtual networks, but xbar.vns = %u", c->sm.order->name,
                   c->sm.order->vns, c->xbar[0].vns);
    if (!check_coherence(c, text, sizeof text))
        error(d, text);
    if (!xbar_check(&c->xbar[XBAR_REQUEST], c->slice_flits, c->slice_flits, text, sizeof text) ||
        !xbar_check(&c->xbar[XBAR_REPLY], c->slice_flits, c->sm_flits, text, sizeof text))
        error(d, text);
    return d->errors == before;
}

static bool check_all(const struct simtx_config *config, const struct machine_plugins *plugins, struct diag *d)
{
    struct machine_cfg c;
    char text[400], error_text[400];
    int before = d->errors;
    bool ok = configure(&c, config, 0, text, sizeof text);
    if (!tm_check(config, plugins->tm, c.slices, error_text, sizeof error_text))
        error(d, error_text);
    choose_protocol(&c, config, plugins);
    if (!ok)
        error(d, text);
    return check(&c, d) && ok && d->errors == before;
}

bool machine_check(const struct simtx_config *config, struct diag *d)
{
    return check_all(config, &(struct machine_plugins){ 0 }, d);
}

/* ---- parts ---- */

static uint32_t perform_atomic(void *ctx, uint32_t slice, struct packet *p)
{
    struct machine *m = ctx;
    return mem_atomic_perform(&m->worker[slice], p->mapped, p->atom);
}

static bool take_message(void *ctx, uint32_t slice, struct packet *p, uint64_t now)
{
    struct machine *m = ctx;
    uint32_t channel = slice / m->cfg.partition.slices;
    return m->cfg.sm.order->message(m->order[channel], m->partition[channel], slice, p, now);
}

static bool has_bytes(void *ctx, uint64_t line)
{
    return line - CODE_BASE >= CODE_SPAN;
}

static void build_ports(struct machine *m)
{
    const struct machine_cfg *c = &m->cfg;
    uint32_t n = 2 * (c->sms + c->slices), vns = c->xbar[0].vns;
    m->ports = mem_zero(n, sizeof *m->ports, "the ports of the machine");
    m->sm_out = m->ports;
    m->slice_in = m->sm_out + c->sms;
    m->slice_out = m->slice_in + c->slices;
    m->sm_in = m->slice_out + c->slices;
    for (uint32_t i = 0; i < n; i++)
        port_init(&m->ports[i], vns, &m->ports[i] >= m->sm_in ? c->sm_flits : c->slice_flits);
}

static void build_counters(struct machine *m)
{
    m->ncounters = XBARS + m->cfg.channels + m->cfg.sms;
    m->counters = mem_zero(m->ncounters, sizeof *m->counters, "counters");
    m->partition_counters = m->counters + XBARS;
    m->sm_counters = m->partition_counters + m->cfg.channels;
}

static void build_sms(struct machine *m)
{
    m->sm = mem_zero(m->cfg.sms, sizeof *m->sm, "the SMs of the machine");
    for (uint32_t i = 0; i < m->cfg.sms; i++) {
        struct sm_cfg sm = m->cfg.sm;
        struct lsu_cfg lsu = m->cfg.lsu;
        sm.index = lsu.sm = (uint16_t)i;
        lsu.clocks = &m->cfg.clocks;
        lsu.map = &m->cfg.map;
        struct counters *n = &m->sm_counters[i];
        m->sm[i] = sm_new(&sm, &lsu, m->tm, &m->sm_out[i], &m->sm_in[i], n->count, &n->hists);
    }
}

static void build_partition(struct machine *m, uint32_t channel)
{
    struct partition_cfg c = m->cfg.partition;
    struct port *in[SLICES_MAX], *out[SLICES_MAX];
    struct counters *n = &m->partition_counters[channel];
    uint32_t first = channel * c.slices;
    c.clocks = &m->cfg.clocks;
    c.map = &m->cfg.map;
    c.channel = channel;
    c.walk = m->cfg.every_cycle;
    c.calls = (struct partition_calls){
        .ctx = m, .atomic = perform_atomic, .has_bytes = has_bytes,
        .message = m->cfg.sm.order->message ? take_message : NULL
    };
    if (m->cfg.sm.order->new_partition)
        m->order[channel] = m->cfg.sm.order->new_partition(&(struct order_site){
            .config = m->config, .count = n->count, .hists = &n->hists, .slices = c.slices });
    for (uint32_t i = 0; i < c.slices; i++) {
        in[i] = &m->slice_in[first + i];
        out[i] = &m->slice_out[first + i];
    }
    if (m->tm) {
        c.unit = &tm_slice_unit;
        c.unit_shared = m->tm;
        c.all_slices = m->cfg.slices;
    }
    m->partition[channel] = partition_new(&c, in, out, n->count, &n->hists);
}

static void build_memory(struct machine *m)
{
    const struct machine_cfg *c = &m->cfg;
    m->partition = mem_zero(c->channels, sizeof *m->partition, "the memory partitions of the machine");
    m->worker = mem_zero(c->slices, sizeof *m->worker, "workers of atomic units");
    m->order = mem_zero(c->channels, sizeof *m->order, "the memory partitions of the machine");
    for (int i = 0; i < XBARS; i++) {
        struct xbar_cfg x = c->xbar[i];
        x.clocks = &c->clocks;
        m->xbar[i] = xbar_new(&x, i == XBAR_REQUEST ? m->sm_out : m->slice_out,
                              i == XBAR_REQUEST ? m->slice_in : m->sm_in, m->counters[i].count);
    }
    for (uint32_t i = 0; i < c->channels; i++)
        build_partition(m, i);
}

void machine_build(struct machine *m)
{
    build_ports(m);
    build_counters(m);
    m->tm = tm_new(m->config, m->protocol, m->mem, m->cfg.sms, m->cfg.slices, m->cfg.sm.warps);
    build_sms(m);
    build_memory(m);
    m->dispatcher = dispatcher_new(&m->cfg.dispatch);
    m->news = mem_zero(m->cfg.sms, sizeof *m->news, "the SMs of the machine");
    m->now = m->until = 0;
}

void machine_dismantle(struct machine *m)
{
    const struct machine_cfg *c = &m->cfg;
    for (uint32_t i = 0; i < c->sms; i++)
        sm_free(m->sm[i]);
    for (int i = 0; i < XBARS; i++)
        xbar_free(m->xbar[i]);
    for (uint32_t i = 0; i < c->channels; i++) {
        partition_free(m->partition[i]);
        if (c->sm.order->free_partition)
            c->sm.order->free_partition(m->order[i]);
    }
    for (uint32_t i = 0; i < 2 * (c->sms + c->slices); i++)
        port_end(&m->ports[i]);
    tm_free(m->tm);
    dispatcher_free(m->dispatcher);
    free(m->ports);
    free(m->sm);
    free(m->partition);
    free(m->worker);
    free(m->order);
    free(m->counters);
    free(m->news);
}

/* Their messages may be on their way although nobody waits for them. */
static bool transactions_quiet(const struct machine *m)
{
    for (uint32_t i = 0; i < 2 * (m->cfg.sms + m->cfg.slices); i++)
        if (!port_idle(&m->ports[i]))
            return false;
    return tm_idle(m->tm);
}

bool machine_quiet(struct machine *m)
{
    for (uint32_t i = 0; i < m->cfg.sms; i++)
        if (!lsu_idle(sm_lsu(m->sm[i])))
            return false;
    for (uint32_t i = 0; i < m->cfg.channels; i++)
        if (!partition_idle(m->partition[i]))
            return false;
    if (m->transactions && !transactions_quiet(m))
        return false;
    return xbar_empty(m->xbar[XBAR_REQUEST]) && xbar_empty(m->xbar[XBAR_REPLY]);
}

/* ---- the machine as a whole ---- */

struct machine *machine_new(const struct simtx_config *config, const struct machine_plugins *plugins,
                            struct devmem *mem, struct diag *d)
{
    if (!check_all(config, plugins, d))
        return NULL;
    struct machine *m = mem_zero(1, sizeof *m, "the machine");
    char text[400];
    m->config = config;
    m->protocol = plugins->tm;
    m->mem = mem;
    m->code_next = CODE_BASE;
    configure(&m->cfg, config, devmem_base(mem), text, sizeof text);
    choose_protocol(&m->cfg, config, plugins);
    machine_build(m);
    return m;
}

void machine_free(struct machine *m)
{
    if (!m)
        return;
    machine_dismantle(m);
    for (uint32_t i = 0; i < m->nhomes; i++)
        tprogram_free(m->home[i].code);
    free(m->home);
    free(m->observer);
    free(m->report);
    free(m);
}

const char *machine_report(const struct machine *m)
{
    return m->report ? m->report : "";
}

/* ---- code ---- */

const struct tprogram *machine_code(struct machine *m, const struct program *p)
{
    enum { CODE_ALIGN = 4096 };
    for (uint32_t i = 0; i < m->nhomes; i++)
        if (m->home[i].program == p)
            return m->home[i].code;
    m->home = mem_resize(m->home, m->nhomes + 1, sizeof *m->home, "the list of programs");
    struct tprogram *t = tprogram_new(p, m->config, m->code_next);
    m->code_next += (tprogram_bytes(p, m->config) + CODE_ALIGN - 1) / CODE_ALIGN * CODE_ALIGN;
    m->home[m->nhomes++] = (struct code_home){ p, t };
    return t;
}

void machine_forget(struct machine *m, const struct program *p)
{
    for (uint32_t i = 0; i < m->nhomes; i++)
        if (m->home[i].program == p) {
            tprogram_free(m->home[i].code);
            m->home[i] = m->home[--m->nhomes];
            return;
        }
}
