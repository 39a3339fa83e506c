/*
 * The unit and latency class in the instruction table and the operand types determine the pipeline, latency and
 * initiation interval of an instruction. Its registers get scoreboard numbers: by width class and by the allocated
 * register, then the predicates, and the carry flag last.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/num.h"
#include "memsys/xbar/packet.h"
#include "ptx/isa/ops_check.h"
#include "ptx/matrix/matrix.h"
#include "timing/core/combine.h"
#include "timing/core/exec_mask.h"
#include "timing/core/sm.h"

static const enum config_key latency_keys[] = {
#define CLASS(id, ...) KEY_LAT_##id,
#include "timing/core/classes.def"
};

/* The arithmetic domain; APPROX: single precision with .approx or .full, half precision with .approx. */
enum domain { N_INT, N_HALF, N_FP, N_APPROX, N_DP, DOMAINS };

static bool is_half(uint8_t type)
{
    return type == T_F16 || type == T_F16X2 || type == T_BF16 || type == T_BF16X2;
}

static enum domain domain_of_type(const struct ptx_inst *in, uint8_t type)
{
    if (type == T_F64)
        return N_DP;
    if (!type || ptx_type_class((enum ptx_type)type) != 'f')
        return N_INT;
    if (in->mod[PG_APPROX])
        return N_APPROX;
    return is_half(type) ? N_HALF : N_FP;
}

static bool is_matrix_product(const struct ptx_inst *in)
{
    return ptx_is_matrix_product((enum ptx_op)in->op) || ptx_is_warpgroup_product((enum ptx_op)in->op);
}

static enum domain domain_of(const struct ptx_inst *in)
{
    enum domain first = domain_of_type(in, in->type[0]), second = domain_of_type(in, in->type[1]);
    switch (ptx_ops[in->op].unit) {
    case PTX_UNIT_TYPED:
    case PTX_UNIT_SFU: return first;
    case PTX_UNIT_SOURCE: return second;
    case PTX_UNIT_CONVERT: return first > second ? first : second;
    case PTX_UNIT_TENSOR: return is_matrix_product(in) ? first : N_INT;
    default: return N_INT;
    }
}

/* By latency class and domain. Approximate division and square root are computed by the special-function unit. */
static const enum lat_class lat_classes[][DOMAINS] = {
    [PTX_LATENCY_SIMPLE] = { LC_LOGIC, LC_LOGIC, LC_LOGIC, LC_LOGIC, LC_DP_ADD },
    [PTX_LATENCY_BITS] = { LC_BITS, LC_BITS, LC_BITS, LC_BITS, LC_BITS },
    [PTX_LATENCY_ABS] = { LC_INT_MAX, LC_LOGIC, LC_LOGIC, LC_LOGIC, LC_DP_ADD },
    [PTX_LATENCY_ADD] = { LC_INT_ADD, LC_HALF, LC_FP_ADD, LC_FP_ADD, LC_DP_ADD },
    [PTX_LATENCY_MAX] = { LC_INT_MAX, LC_FP_MAX, LC_FP_MAX, LC_FP_MAX, LC_DP_MAX },
    [PTX_LATENCY_MUL] = { LC_INT_MUL, LC_HALF, LC_FP_MUL, LC_FP_MUL, LC_DP_MUL },
    [PTX_LATENCY_MAD] = { LC_INT_MAD, LC_HALF, LC_FP_MAD, LC_FP_MAD, LC_DP_MAD },
    [PTX_LATENCY_DIV] = { LC_INT_DIV, LC_FP_DIV, LC_FP_DIV, LC_SFU, LC_DP_DIV },
    [PTX_LATENCY_SQRT] = { LC_FP_SQRT, LC_FP_SQRT, LC_FP_SQRT, LC_SFU, LC_DP_DIV },
    [PTX_LATENCY_SPECIAL] = { LC_SFU, LC_SFU, LC_SFU, LC_SFU, LC_SFU },
    [PTX_LATENCY_CVT] = { LC_LOGIC, LC_CVT, LC_CVT, LC_CVT, LC_DP_CVT },
    [PTX_LATENCY_SHFL] = { LC_SHFL, LC_SHFL, LC_SHFL, LC_SHFL, LC_SHFL },
    [PTX_LATENCY_MATRIX] = { LC_INT_MAD, LC_HALF, LC_FP_MAD, LC_FP_MAD, LC_DP_MAD },     /* on other pipelines */
    [PTX_LATENCY_TENSOR] = { LC_TENSOR, LC_TENSOR, LC_TENSOR, LC_TENSOR, LC_TENSOR },
};

static enum lat_class lat_class_of(const struct ptx_inst *in)
{
    return lat_classes[ptx_ops[in->op].latency][domain_of(in)];
}

static enum pipe pipe_of(const struct ptx_inst *in)
{
    static const enum pipe pipes[DOMAINS] = { PIPE_INT, PIPE_SP, PIPE_SP, PIPE_SP, PIPE_DP };
    enum ptx_unit unit = ptx_ops[in->op].unit;
    enum domain n = domain_of(in);
    if (unit == PTX_UNIT_TENSOR)
        return PIPE_TENSOR;
    return unit == PTX_UNIT_SFU && n != N_DP ? PIPE_SFU : pipes[n];
}

/* The pipeline that does the work of one that the machine does not have. */
static enum pipe pipe_there(enum pipe p, const struct sm_cfg *c)
{
    if (p == PIPE_TENSOR && !c->tensor_units)
        p = PIPE_INT;
    if (p == PIPE_DP && !c->dp_units)
        p = PIPE_SFU;
    if (p == PIPE_INT && !c->int_units)
        p = PIPE_SP;
    return p;
}

static uint32_t lanes_of(enum pipe p, const struct sm_cfg *c)
{
    uint32_t width = c->warp_size;
    switch (p) {
    case PIPE_SP:
    case PIPE_INT:
    case PIPE_TENSOR: width = c->simd_width; break;
    case PIPE_SFU: width = c->sfu_width; break;
    case PIPE_DP: width = c->dp_width; break;
    default: break;
    }
    return (c->warp_size + width - 1) / width;
}

struct tinst_class tinst_class(const struct ptx_inst *in)
{
    bool matrix = is_matrix_product(in);
    return (struct tinst_class){ pipe_of(in), latency_keys[matrix ? LC_MATRIX : lat_class_of(in)] };
}

static void set_pipe(struct tinst *t, enum pipe pipe)
{
    t->pipe = (uint8_t)pipe;
    t->issued = (uint16_t)pipe_table[pipe].issued;
    t->lanes = (uint16_t)pipe_table[pipe].lanes;
}

/* A matrix instruction occupies its pipeline for all its products; without tensor pipelines they are multiply-adds. */
static void set_matrix(struct tinst *t, const struct ptx_inst *in, const struct sm_cfg *c)
{
    static const enum pipe pipes[DOMAINS] = { PIPE_INT, PIPE_SP, PIPE_SP, PIPE_SP, PIPE_DP };
    enum lat_class l = c->tensor_units ? LC_MATRIX : lat_class_of(in);
    set_pipe(t, c->tensor_units ? PIPE_TENSOR : pipe_there(pipes[domain_of(in)], c));
    t->lane_cycles = (uint16_t)lanes_of((enum pipe)t->pipe, c);
    if (c->tensor_units)
        t->interval = (matrix_work(in) + c->tensor_products - 1) / c->tensor_products;
    else
        t->interval = matrix_products(in) / LANES * t->lane_cycles * c->class[l].interval;
    if (t->interval < t->lane_cycles)
        t->interval = t->lane_cycles;
    t->latency = c->class[l].latency + t->interval - 1;
    t->queued = ptx_is_warpgroup_product((enum ptx_op)in->op);
    if (t->queued) {
        t->queue = t->pipe;
        t->pipe = PIPE_CTRL;
    }
}

/* Each instruction of a sequence needs the result of the one before: they issue evenly over its latency. */
static void set_sequence(struct tinst *t, const struct ptx_inst *in, const struct sm_cfg *c)
{
    enum sequence q = sequence_of(in);
    t->slots = q == SEQ_NONE ? 1 : (uint16_t)c->slots[q];
    if (q != SEQ_NONE && c->chain[q])
        t->latency = c->chain[q] + t->lane_cycles - 1;
    uint32_t gap = (t->latency + c->stages) / t->slots;
    t->slot_gap = (uint16_t)num_least(gap ? gap : 1, UINT16_MAX);
}

static void set_alu(struct tinst *t, const struct ptx_inst *in, const struct sm_cfg *c)
{
    enum lat_class l = lat_class_of(in);
    if (is_matrix_product(in)) {
        set_matrix(t, in, c);
        return;
    }
    set_pipe(t, pipe_there(pipe_of(in), c));
    t->lane_cycles = (uint16_t)lanes_of((enum pipe)t->pipe, c);
    t->interval = t->lane_cycles * c->class[l].interval;
    t->latency = c->class[l].latency + t->lane_cycles - 1;
    set_sequence(t, in, c);
}

/* ---- kinds ---- */

/* bar.warp.sync is executed by the SIMT stack, not by the barrier unit. */
static bool is_warp_barrier(const struct ptx_inst *in)
{
    return in->mod[PG_BAROP] == MOD(BAROP, WARP);
}

static enum tinst_kind kind_of(const struct ptx_inst *in, const struct call_site *site, bool kernel)
{
    if (is_warp_barrier(in))
        return TINST_ALU;
    switch (ptx_ops[in->op].unit) {
    case PTX_UNIT_LDST: return TINST_MEMORY;
    case PTX_UNIT_FENCE: return TINST_FENCE;
    case PTX_UNIT_BARRIER: return in->op == OP_CLUSTER_ARRIVE || in->op == OP_CLUSTER_WAIT ? TINST_CLUSTER
                                                                                           : TINST_BARRIER;
    case PTX_UNIT_BRANCH: return TINST_BRANCH;
    case PTX_UNIT_CALL: return site && site->builtin ? TINST_HOST : TINST_CALL;
    case PTX_UNIT_RETURN: return kernel ? TINST_EXIT : TINST_CALL;
    case PTX_UNIT_EXIT: return TINST_EXIT;
    case PTX_UNIT_SLEEP: return TINST_SLEEP;
    case PTX_UNIT_TM: return TINST_TX;
    case PTX_UNIT_COPY: return TINST_COPY;
    default: return TINST_ALU;
    }
}

/* The order policy treats generic accesses as global ones: their space is known only when they issue. */
static void set_access(struct tinst *t, const struct ptx_inst *in)
{
    static const uint8_t kinds[] = { [MOP_LOAD] = ORDER_LOAD, [MOP_STORE] = ORDER_STORE, [MOP_ATOM] = ORDER_ATOMIC,
                                     [MOP_RED] = ORDER_ATOMIC, [MOP_PREFETCH] = ORDER_STORE,
                                     [MOP_BULK] = ORDER_STORE };
    uint8_t space = INST_SPACE(in), sem = ptx_inst_sem(in);
    bool shared = space == MOD(SPACE, SHARED) || ptx_is_mbarrier((enum ptx_op)in->op) ||
                  ptx_is_async_store((enum ptx_op)in->op);
    bool apart = space && !shared && space != MOD(SPACE, GLOBAL);
    t->fetch = in->op == OP_TEX || in->op == OP_TLD4;
    apart |= t->fetch;
    enum mem_op_kind kind = ptx_mem_kind(in->op);
    t->ordered = !apart && kind != MOP_PREFETCH && kind != MOP_BULK;
    t->copies = in->op == OP_CP_ASYNC || kind == MOP_BULK;
    t->access.kind = shared ? ORDER_SHARED : kinds[kind];
    t->access.reads = kind != MOP_STORE;
    t->access.writes = kind != MOP_LOAD;
    t->access.acquire = sem == MOD(SEM, ACQUIRE) || sem == MOD(SEM, ACQ_REL);
    t->access.release = sem == MOD(SEM, RELEASE) || sem == MOD(SEM, ACQ_REL);
}

/*
 * A proxy fence orders accesses of its thread with bulk copies. It acquires no writes of other threads: bulk copies
 * read global memory past L1, and their writes update the L1. One that names shared memory does not wait: copies begin
 * after all earlier accesses of the SM to shared memory.
 */
static void set_fence(struct tinst *t, const struct ptx_inst *in, bool block)
{
    bool proxy = ptx_is_proxy_fence((enum ptx_op)in->op);
    bool shared = in->op == OP_FENCE_PROXY_ACQUIRE || in->op == OP_FENCE_PROXY_RELEASE || in->mod[PG_SHAREDSUB];
    t->ordered = !(proxy && shared);
    t->access = (struct order_access){ block ? ORDER_FENCE_CTA : ORDER_FENCE, .acquire = !proxy, .release = !proxy };
}

static void set_order(struct tinst *t, const struct ptx_inst *in)
{
    bool block = ptx_inst_of_block(in);
    if (t->kind == TINST_MEMORY)
        set_access(t, in);
    else if (t->kind == TINST_FENCE)
        set_fence(t, in, block);
    else if (in->op == OP_CLUSTER_ARRIVE) {
        t->ordered = t->waits_for_shared = in->mod[PG_SEM] != MOD(SEM, RELAXED);
        t->access = (struct order_access){ ORDER_FENCE, .release = true };
    } else if (t->kind == TINST_BARRIER || t->kind == TINST_EXIT) {
        t->ordered = true;
        t->access.kind = t->kind == TINST_EXIT ? ORDER_EXIT : ORDER_BARRIER;
    }
    t->access.block = block;
    t->acquires = t->access.acquire && !block;
}

/* ---- registers ---- */

struct numbering {
    const struct flow *flow;
    uint32_t base[RC_COUNT], carry;
    uint32_t src[64], dst[64], nsrc, ndst;       /* of the current instruction; no tinst has more than 64 */
    uint32_t read_words, written_words;          /* the 32-bit registers of these; predicates are apart */
    uint64_t *wide;                              /* of the current instruction, if it is `queued` */
};

static void set_numbering(struct numbering *n, const struct flow *flow)
{
    n->flow = flow;
    uint32_t next = 0;
    for (int c = 0; c < RC_COUNT; c++) {
        n->base[c] = next;
        next += flow->slots[c];
    }
    n->carry = next < UINT16_MAX ? next : UINT16_MAX;
}

/* False: the list has it already. */
static bool note(uint32_t *list, uint32_t *n, uint32_t reg)
{
    for (uint32_t i = 0; i < *n; i++)
        if (list[i] == reg)
            return false;
    if (*n < 64)
        list[(*n)++] = reg;
    return true;
}

/* With more than 65536 registers, two may share a number. This is safe: the instruction waits for both. */
static uint16_t number_in(const struct numbering *n, const struct ptx_reg *r)
{
    return (uint16_t)(n->base[ptx_reg_class(r)] + n->flow->slot[r->id]);
}

static void note_register(void *ctx, struct ptx_reg *r, bool write)
{
    struct numbering *n = ctx;
    if (n->flow->slot[r->id] == FLOW_NONE)
        return;
    uint32_t reg = number_in(n, r);
    if (write)
        n->written_words += note(n->dst, &n->ndst, reg) ? (uint32_t)ptx_reg_words(r) : 0;
    else
        n->read_words += note(n->src, &n->nsrc, reg) ? (uint32_t)ptx_reg_words(r) : 0;
}

/* 1 + the number of a predicate among the predicates; 0 = it is none, or one of too many. */
static uint16_t predicate_in(const struct numbering *n, uint32_t reg)
{
    uint32_t first = n->base[RC_PRED], number = reg - first + 1;
    return reg >= first && reg < n->carry && number <= UINT16_MAX ? (uint16_t)number : 0;
}

/* Memory instructions that write a predicate (mbarrier.try_wait) have no fixed latency: guards see it with its end. */
static void set_guards(struct tinst *t, const struct ptx_inst *in, const struct numbering *n)
{
    uint32_t written = 0;
    if (in->guard && n->flow->slot[in->guard->id] != FLOW_NONE)
        t->guard = predicate_in(n, number_in(n, in->guard));
    for (uint32_t i = 0; t->kind == TINST_ALU && i < n->ndst && written < 2; i++)
        if (predicate_in(n, n->dst[i]))
            t->predicate[written++] = predicate_in(n, n->dst[i]);
}

/* Register accesses of an instruction: 32 lanes are one access. */
static uint8_t accesses(uint32_t words, const struct sm_cfg *c)
{
    return (uint8_t)num_least(words * (c->warp_size / LANES), UINT8_MAX);
}

static void note_wide(void *ctx, struct ptx_reg *r, bool write)
{
    struct numbering *n = ctx;
    (void)write;
    if (n->flow->slot[r->id] != FLOW_NONE)
        n->wide[number_in(n, r) / 64] |= UINT64_C(1) << number_in(n, r) % 64;
}

/* More registers than the lists hold. Its results are available at once: only reading them early would be an error. */
static void set_wide_registers(struct tinst *t, const struct ptx_inst *in, struct numbering *n)
{
    t->nwide = (uint16_t)(n->carry / 64 + 1);
    t->wide = n->wide = mem_zero(t->nwide, sizeof *t->wide, "the registers of a product");
    ptx_inst_visit_regs(in, note_wide, n);
}

static void set_registers(struct tinst *t, const struct ptx_inst *in, struct numbering *n, const struct sm_cfg *c)
{
    n->nsrc = n->ndst = n->read_words = n->written_words = 0;
    ptx_inst_visit_regs(in, note_register, n);
    t->register_reads = accesses(n->read_words, c);
    t->register_writes = accesses(n->written_words, c);
    if (c->guard_latency)
        set_guards(t, in, n);
    if (in->mod[PG_CC])
        note(n->dst, &n->ndst, n->carry);
    if (in->op == OP_ADDC || in->op == OP_SUBC || in->op == OP_MADC)
        note(n->src, &n->nsrc, n->carry);
    if (t->kind == TINST_CALL || t->kind == TINST_HOST) {
        t->all_regs = true;                      /* results are copied when the callee returns */
        return;
    }
    if (t->queued) {
        set_wide_registers(t, in, n);
        return;
    }
    t->all_regs = t->kind == TINST_TX || n->nsrc + n->ndst > TINST_REGS;   /* TX: all are saved and restored */
    t->nsrc = t->all_regs ? 0 : (uint8_t)n->nsrc;
    t->ndst = (uint8_t)(n->ndst < TINST_REGS ? n->ndst : TINST_REGS);
    for (uint32_t i = 0; i < t->nsrc; i++)
        t->reg[i] = (uint16_t)n->src[i];
    for (uint32_t i = 0; i < t->ndst; i++)
        t->reg[t->nsrc + i] = (uint16_t)n->dst[i];
    for (uint32_t i = 0; i < (uint32_t)t->nsrc + t->ndst; i++) {
        uint32_t word = t->reg[i] / 64;
        uint64_t bit = UINT64_C(1) << t->reg[i] % 64;
        t->far_regs |= word >= TINST_WORDS;
        if (word < TINST_WORDS) {
            t->uses[word] |= bit;
            t->writes[word] |= i < t->nsrc ? 0 : bit;
        }
    }
}

/* ---- functions and programs ---- */

static bool has_private_variables(const struct ptx_func *f)
{
    for (const struct ptx_var *v = f->vars; v; v = v->next)
        if (v->space == SP_LOCAL)
            return true;
    return false;
}

static void set_copy(struct tinst *t, const struct ptx_inst *in)
{
    bool waits = ptx_waits_for_groups((enum ptx_op)in->op);
    t->copy_ring = in->op == OP_BULK_WAIT_READ                          ? SM_COPY_BULK_READ
                   : in->op == OP_BULK_WAIT || in->op == OP_BULK_COMMIT ? SM_COPY_BULK
                   : ptx_is_warpgroup((enum ptx_op)in->op)              ? SM_COPY_PRODUCT
                                                                        : SM_COPY_ASYNC;
    t->copy_commits = !waits;
    t->copy_waits = in->op != OP_CP_COMMIT && in->op != OP_BULK_COMMIT && in->op != OP_WGMMA_COMMIT;
    t->copy_left = waits ? (uint32_t)num_least((uint64_t)in->opd[0].imm, UINT32_MAX) : 0;
}

static void set_instruction(struct tinst *t, const struct ptx_inst *in, const struct call_site *site, bool kernel,
                            const struct sm_cfg *c)
{
    t->kind = (uint8_t)kind_of(in, site, kernel);
    t->stops = in->op == OP_ATOM && c->atomic_stops;
    t->copy_arrives = ptx_is_copies_arrive(in->op);
    t->lane_cycles = 1;
    t->interval = t->latency = 1;
    t->slots = 1;
    set_order(t, in);
    if (t->kind == TINST_COPY)
        set_copy(t, in);
    if (t->kind == TINST_MEMORY)
        set_pipe(t, PIPE_MEM);
    else if (ptx_ops[in->op].unit < PTX_UNIT_LDST)
        set_alu(t, in, c);
    else {
        set_pipe(t, PIPE_CTRL);
        if (ptx_ops[in->op].latency == PTX_LATENCY_CTRL && !is_warp_barrier(in))
            t->latency = t->kind == TINST_BARRIER ? c->barrier_latency : c->class[LC_CTRL].latency;
    }
}

/* A fetch ends with its line, and with the function. */
static void set_fetched(struct tcode *t, const struct sm_cfg *c)
{
    uint32_t line = c->inst_line / c->inst_bytes, most = num_least(c->fetch_width, c->ibuffer);
    for (uint32_t i = 0; i <= t->ninsts; i++)
        t->inst[i].fetched = (uint16_t)num_least(num_least(most, t->ninsts + 1 - i), line - i % line);
}

/* ---- the shortest way to the end of a warp ---- */

/* Cycles between the issue of an instruction and that of the next one of its warp. */
static uint32_t least_cycles(const struct tinst *t, const struct sm_cfg *c)
{
    bool holds = t->kind == TINST_BRANCH || t->kind == TINST_CALL || t->kind == TINST_HOST;
    uint32_t next = c->issue > 1 ? 0 : c->issue_interval;
    return holds && t->latency > next ? t->latency : next;
}

/* From instruction i on: 0 where the warp may end. A callee may end it, too. */
static uint32_t way_from(const struct tcode *t, const struct ptx_func *f, uint32_t i, const struct sm_cfg *c)
{
    const struct ptx_inst *in = &f->insts[i];
    bool branch = in->op == OP_BRA || in->op == OP_BRX;
    uint32_t rest = branch && !in->guard ? UINT16_MAX : t->inst[i + 1].to_end;
    if (in->op == OP_RET || in->op == OP_EXIT || in->op == OP_CALL || in->op == OP_TRAP)
        return 0;
    if (in->op == OP_BRA)
        rest = num_least(rest, t->inst[in->opd[0].label].to_end);
    for (int k = 0; in->op == OP_BRX && in->opd[1].table && k < in->opd[1].table->n; k++)
        rest = num_least(rest, t->inst[in->opd[1].table->labels[k]].to_end);
    return num_least(rest + least_cycles(&t->inst[i], c), UINT16_MAX);
}

/* Backward, until nothing becomes shorter. */
static void set_ways_to_end(struct tcode *t, const struct ptx_func *f, const struct sm_cfg *c)
{
    bool changed = true;
    for (uint32_t i = 0; i < f->ninsts; i++)
        t->inst[i].to_end = UINT16_MAX;
    while (changed) {
        changed = false;
        for (uint32_t i = f->ninsts; i-- > 0;) {
            uint32_t mine = way_from(t, f, i, c);
            bool shorter = mine < t->inst[i].to_end;
            t->inst[i].to_end = shorter ? (uint16_t)mine : t->inst[i].to_end;
            changed |= shorter;
        }
    }
}

static const struct call_site *site_of(const struct code *code, uint32_t i)
{
    const struct dinst *d = &code->insts[code->of_inst[i]];
    while (!d->counts)
        d++;
    return d->in && d->in->op == OP_CALL ? d->extra : NULL;
}

static bool has_warpgroup_products(const struct program *p)
{
    for (uint32_t i = 0; i < p->nfuncs; i++)
        for (uint32_t k = 0; p->func_at[i]->has_body && k < p->func_at[i]->ninsts; k++)
            if (ptx_is_warpgroup_product((enum ptx_op)p->func_at[i]->insts[k].op))
                return true;
    return false;
}

static struct tcode *tcode_new(const struct code *code, const struct sm_cfg *c, uint64_t address, bool products)
{
    const struct ptx_func *f = code->func;
    struct tcode *t = mem_zero(1, sizeof *t, "the instructions of a function");
    struct numbering n;
    bool private = has_private_variables(f);     /* perhaps with a copy of a tensor map */
    t->inst = mem_zero(f->ninsts + 1, sizeof *t->inst, "the instructions of a function");
    set_numbering(&n, code->flow);
    t->code = code;
    t->address = address;
    t->ninsts = f->ninsts;
    t->nregs = n.carry + 1;
    t->npredicates = code->flow->slots[RC_PRED];
    for (uint32_t i = 0; i < f->ninsts; i++) {
        set_instruction(&t->inst[i], &f->insts[i], site_of(code, i), f->is_entry, c);
        set_registers(&t->inst[i], &f->insts[i], &n, c);
        t->inst[i].drains = t->inst[i].kind == TINST_HOST ||
                            (private && ptx_is_tensor_copy((enum ptx_op)f->insts[i].op));
        t->inst[i].waits_for_shared |= products && ptx_is_proxy_fence((enum ptx_op)f->insts[i].op);
    }
    const struct ptx_inst end = { .op = OP_RET };
    set_instruction(&t->inst[f->ninsts], &end, NULL, f->is_entry, c);
    set_registers(&t->inst[f->ninsts], &end, &n, c);
    if (c->exec_mask)
        exec_mask_set(t->inst, f, code->flow);
    if (c->combine_atomics)
        combine_set(t->inst, f, code->flow, c);
    set_ways_to_end(t, f, c);
    set_fetched(t, c);
    return t;
}

struct name_search { struct numbering numbering; uint16_t reg; const char *name; };

static void note_name(void *ctx, struct ptx_reg *r, bool write)
{
    struct name_search *x = ctx;
    (void)write;
    if (number_in(&x->numbering, r) == x->reg)
        x->name = r->name;
}

const char *tcode_register(const struct tcode *t, const struct ptx_inst *in, uint16_t reg)
{
    struct name_search x = { .reg = reg };
    set_numbering(&x.numbering, t->code->flow);
    ptx_inst_visit_regs(in, note_name, &x);
    return !x.name && reg == x.numbering.carry ? "the carry flag" : x.name;
}

static void tcode_free(struct tcode *t)
{
    for (uint32_t i = 0; t && i < t->ninsts; i++)
        free(t->inst[i].wide);
    if (t)
        free(t->inst);
    free(t);
}

static uint64_t function_bytes(const struct ptx_func *f, const struct sm_cfg *c)
{
    uint64_t bytes = ((uint64_t)f->ninsts + 1) * c->inst_bytes;
    return (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
}

uint64_t tprogram_bytes(const struct program *p, const struct sm_cfg *c)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < p->nfuncs; i++)
        if (p->func_at[i]->has_body && p->func_at[i]->code)
            bytes += function_bytes(p->func_at[i], c);
    return bytes;
}

struct tprogram *tprogram_new(const struct program *p, const struct sm_cfg *c, uint64_t address)
{
    struct tprogram *t = mem_zero(1, sizeof *t, "the instructions of a program");
    t->of_func = mem_zero(p->nfuncs + 1, sizeof *t->of_func, "the instructions of a program");
    t->nfuncs = p->nfuncs;
    bool products = has_warpgroup_products(p);
    for (uint32_t i = 0; i < p->nfuncs; i++) {
        struct ptx_func *f = p->func_at[i];
        if (!f->has_body || !f->code)
            continue;
        t->of_func[i] = tcode_new(f->code, c, address, products);
        t->max_regs = t->of_func[i]->nregs > t->max_regs ? t->of_func[i]->nregs : t->max_regs;
        t->max_predicates = num_most(t->max_predicates, t->of_func[i]->npredicates);
        address += function_bytes(f, c);
    }
    return t;
}

void tprogram_free(struct tprogram *t)
{
    if (!t)
        return;
    for (uint32_t i = 0; i < t->nfuncs; i++)
        tcode_free(t->of_func[i]);
    free(t->of_func);
    free(t);
}
