/* Builds the machine: SMs, crossbars, partitions and the ports between them. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/huge.h"
#include "memsys/coherence/coherence.h"
#include "timing/machine/machine_impl.h"

/* Instruction memory, from the start of device memory on: so far above it, and above the addresses of functions, that
 * no data has its addresses. Because the distance is fixed, the same program has the same channels and banks on every
 * device. Caches hold its lines without data. */
static const uint64_t CODE_OFFSET = 0x37ffe00000000000ull, CODE_SPAN = 0x0800000000000000ull;

enum { SLICES_MAX = 16 };            /* of a channel: the limit of l2.slices */

/* ---- components ---- */

static uint8_t *bytes_of(void *ctx, uint64_t mapped)
{
    const struct machine *m = ctx;
    if (mapped - (devmem_base(m->mem) + CODE_OFFSET) < CODE_SPAN)
        return NULL;
    return m->versions ? vmem_bytes(m->versions, mapped) : (uint8_t *)(uintptr_t)mapped;
}

static uint32_t perform_atomic(void *ctx, uint32_t slice, struct packet *p)
{
    struct machine *m = ctx;
    uint64_t line = p->mapped;
    if (m->versions) {
        mem_atomic_mask(p->atom, p->mask);
        line = (uint64_t)(uintptr_t)vmem_bytes(m->versions, line);
    }
    return mem_atomic_perform(&m->worker[slice], line, p->atom);
}

static uint64_t map_version(void *ctx, const struct packet *p)
{
    return vmem_map(((struct machine *)ctx)->versions, p);
}

static bool take_message(void *ctx, uint32_t slice, struct packet *p, uint64_t now)
{
    struct machine *m = ctx;
    uint32_t channel = slice / m->cfg.partition.slices;
    return m->cfg.sm.order->message(m->order[channel], m->partition[channel], slice, p, now);
}

static void build_ports(struct machine *m)
{
    const struct machine_cfg *c = &m->cfg;
    uint32_t n = 2 * (c->sms + c->slices), vns = c->xbars.vns;
    m->ports = mem_zero(n, sizeof *m->ports, "the ports of the machine");
    m->sm_out = m->ports;
    m->slice_in = m->sm_out + c->sms;
    m->slice_out = m->slice_in + c->slices;
    m->sm_in = m->slice_out + c->slices;
    for (uint32_t i = 0; i < n; i++)
        port_init(&m->ports[i], vns, &m->ports[i] >= m->sm_in ? c->xbars.output_flits : c->xbars.input_flits);
}

static void build_counters(struct machine *m)
{
    m->ncounters = MACHINE_XBARS + m->cfg.channels + m->cfg.sms;
    m->counters = huge_zero(m->ncounters, sizeof *m->counters, "counters");
    m->partition_counters = m->counters + MACHINE_XBARS;
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
        if (m->oracle)
            lsu_record_order(sm_lsu(m->sm[i]), order_oracle_history(m->oracle, i));
    }
}

/* The ordering oracle needs a protocol, under which accesses have one order at each line. */
static void build_oracle(struct machine *m)
{
    enum { BATCH = 16384 };              /* accesses of warps; about half a million of threads */
    const struct order_policy *p = m->cfg.sm.order;
    m->oracle = NULL;
    if (config_choice(m->config, KEY_ORDER_CHECK) != ORDER_CHECK_FULL || !m->cfg.lsu.l1.coherence)
        return;
    m->oracle = order_oracle_new(&(struct order_oracle_cfg){
        .policy = p->name, .protocol = m->cfg.lsu.l1.coherence->name,
        .configuration = config_text(m->config, KEY_GPU_NAME),
        .seed = (uint64_t)config_int(m->config, KEY_SIM_SEED), .sms = m->cfg.sms,
        .slices = m->cfg.slices, .batch = BATCH,
        .sequential = p->model == ORDER_MODEL_SC || p->model == ORDER_MODEL_SC_REORDERED,
        .causal = p->model == ORDER_MODEL_PTX });
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
    c.walk = m->cfg.sim.no_skip;
    c.versions = m->versions;
    c.calls = (struct partition_calls){
        .ctx = m, .atomic = perform_atomic, .bytes = bytes_of, .map = m->versions ? map_version : NULL,
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
        c.engine = &tm_slice_engine;
        c.engine_shared = m->tm;
        c.all_slices = m->cfg.slices;
    }
    m->partition[channel] = partition_new(&c, in, out, n->count, &n->hists);
    for (uint32_t i = 0; m->oracle && i < c.slices; i++)
        partition_record_order(m->partition[channel], i, order_oracle_slice(m->oracle, first + i));
}

static void build_memory(struct machine *m)
{
    const struct machine_cfg *c = &m->cfg;
    m->partition = mem_zero(c->channels, sizeof *m->partition, "the memory partitions of the machine");
    m->worker = mem_zero(c->slices, sizeof *m->worker, "workers of atomic units");
    m->order = mem_zero(c->channels, sizeof *m->order, "the memory partitions of the machine");
    for (int i = 0; i < MACHINE_XBARS; i++) {
        struct xbar_cfg x = c->xbar[i];
        x.clocks = &c->clocks;
        m->xbar[i] = xbar_new(&x, i == MACHINE_XBAR_REQUEST ? m->sm_out : m->slice_out,
                              i == MACHINE_XBAR_REQUEST ? m->slice_in : m->sm_in, m->counters[i].count);
    }
    for (uint32_t i = 0; i < c->channels; i++)
        build_partition(m, i);
}

void machine_build(struct machine *m)
{
    build_ports(m);
    build_counters(m);
    m->tm = tm_new(m->config, m->protocol, m->mem, m->cfg.sms, m->cfg.slices, m->cfg.sm.warps);
    build_oracle(m);
    m->tlb = m->cfg.lsu.tlb.l1.entries ? tlb_l2_new(&m->cfg.lsu.tlb.l2) : NULL;
    build_sms(m);
    build_memory(m);
    machine_give_words(m);
    m->dispatcher = dispatcher_new(&m->cfg.dispatch);
    m->barriers = cnet_barriers_new(&m->cfg.sm.cluster);
    m->pending = mem_zero(m->cfg.sms, sizeof *m->pending, "the SMs of the machine");
    m->now = 0;
}

void machine_dismantle(struct machine *m)
{
    const struct machine_cfg *c = &m->cfg;
    for (uint32_t i = 0; i < c->sms; i++)
        sm_free(m->sm[i]);
    for (int i = 0; i < MACHINE_XBARS; i++)
        xbar_free(m->xbar[i]);
    for (uint32_t i = 0; i < c->channels; i++) {
        partition_free(m->partition[i]);
        if (c->sm.order->free_partition)
            c->sm.order->free_partition(m->order[i]);
    }
    for (uint32_t i = 0; i < 2 * (c->sms + c->slices); i++)
        port_end(&m->ports[i]);
    order_oracle_free(m->oracle);
    tlb_l2_free(m->tlb);
    tm_free(m->tm);
    dispatcher_free(m->dispatcher);
    cnet_barriers_free(m->barriers);
    free(m->ports);
    free(m->sm);
    free(m->partition);
    free(m->worker);
    free(m->order);
    huge_free(m->counters);
    free(m->pending);
}

/* Messages of transactions may be in flight although no warp waits for them. */
static bool transactions_idle(const struct machine *m)
{
    for (uint32_t i = 0; i < 2 * (m->cfg.sms + m->cfg.slices); i++)
        if (!port_idle(&m->ports[i]))
            return false;
    return tm_idle(m->tm);
}

bool machine_idle(struct machine *m)
{
    for (uint32_t i = 0; i < m->cfg.sms; i++)
        if (!lsu_idle(sm_lsu(m->sm[i])) || !sm_cluster_idle(m->sm[i]))
            return false;
    for (uint32_t i = 0; i < m->cfg.channels; i++)
        if (!partition_idle(m->partition[i]))
            return false;
    if (m->transactions && !transactions_idle(m))
        return false;
    return xbar_empty(m->xbar[MACHINE_XBAR_REQUEST]) && xbar_empty(m->xbar[MACHINE_XBAR_REPLY]);
}

/* ---- the machine as a whole ---- */

struct machine *machine_new(const struct simtx_config *config, const struct machine_plugins *plugins,
                            struct devmem *mem, struct diag *d)
{
    if (!machine_check(config, plugins, d))
        return NULL;
    struct machine *m = mem_zero(1, sizeof *m, "the machine");
    m->config = config;
    m->protocol = plugins->tm;
    m->mem = mem;
    m->code_next = devmem_base(mem) + CODE_OFFSET;
    machine_configure(&m->cfg, config, plugins, devmem_base(mem));
    m->versions = vmem_new(&m->cfg.versions, &m->cfg.map, mem, &m->cfg.partition.dram);
    machine_build(m);
    return m;
}

void machine_free(struct machine *m)
{
    if (!m)
        return;
    machine_dismantle(m);
    vmem_free(m->versions);
    for (uint32_t i = 0; i < m->ncode; i++)
        tprogram_free(m->code[i].timed);
    free(m->code);
    free(m->sm_trace);
    free(m->memory_trace);
    free(m->report);
    free(m);
}

void machine_set_fetch(struct machine *m, uint32_t bytes)
{
    for (uint32_t i = 0; i < m->cfg.channels; i++)
        partition_set_fetch(m->partition[i], bytes);
}

/* Sector by sector, as lines lie in different slices. */
static void allocate_in_l2(struct machine *m, uint64_t address, uint64_t bytes)
{
    uint64_t end = address + bytes;
    for (uint64_t at = address / SECTOR_BYTES * SECTOR_BYTES; at < end; at += SECTOR_BYTES) {
        uint64_t line = at / LINE_BYTES * LINE_BYTES;
        uint32_t slice = addrmap_slice(&m->cfg.map, line);
        partition_copied(m->partition[slice / m->cfg.partition.slices], slice, line,
                         (uint8_t)(1u << (at - line) / SECTOR_BYTES));
    }
}

void machine_copied(struct machine *m, uint64_t address, uint64_t bytes)
{
    if (m->cfg.partition.l2.copies)
        allocate_in_l2(m, address, bytes);
}

/* Whole lines: beside the parameters, the front end writes what the constant bank has around them. */
void machine_write_parameters(struct machine *m, const struct launch *la)
{
    uint64_t first = (uint64_t)(uintptr_t)la->param / LINE_BYTES * LINE_BYTES;
    uint64_t end = (uint64_t)(uintptr_t)la->param + la->param_bytes;
    if (m->cfg.partition.l2.parameters)
        allocate_in_l2(m, first, (end - first + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES);
}

void machine_overwritten(struct machine *m, uint64_t address, uint64_t bytes)
{
    for (uint64_t line = address / LINE_BYTES * LINE_BYTES; line < address + bytes; line += LINE_BYTES) {
        uint32_t slice = addrmap_slice(&m->cfg.map, line);
        partition_forget(m->partition[slice / m->cfg.partition.slices], slice, line);
    }
}

const char *machine_report(const struct machine *m)
{
    return m->report ? m->report : "";
}

/* ---- code ---- */

const struct tprogram *machine_code(struct machine *m, const struct program *p)
{
    enum { CODE_ALIGN = 4096 };
    for (uint32_t i = 0; i < m->ncode; i++)
        if (m->code[i].program == p)
            return m->code[i].timed;
    m->code = mem_resize(m->code, m->ncode + 1, sizeof *m->code, "the list of programs");
    struct tprogram *t = tprogram_new(p, &m->cfg.sm, m->code_next);
    m->code_next += (tprogram_bytes(p, &m->cfg.sm) + CODE_ALIGN - 1) / CODE_ALIGN * CODE_ALIGN;
    m->code[m->ncode++] = (struct machine_code){ p, t };
    return t;
}

void machine_remove_program(struct machine *m, const struct program *p)
{
    for (uint32_t i = 0; i < m->ncode; i++)
        if (m->code[i].program == p) {
            tprogram_free(m->code[i].timed);
            m->code[i] = m->code[--m->ncode];
            return;
        }
}
