/*
 * List scheduling. PTX is not machine code: on hardware an assembler orders the instructions. A warp issues in order,
 * and waits less if several loads are in flight. clang leaves each load directly before its use.
 *
 * The unit is a region: the instructions of a basic block between two that nothing may cross (branches, calls,
 * tx_begin, reads of the clock ...). A region is a graph of dependences. Instructions are taken from it one by one: of
 * those that wait for their operands the shortest time, the one with the longest path of latencies to the region's end.
 * The latencies are fixed, since an assembler does not know where in the memory hierarchy a load will hit.
 *
 * Registers are limited. Where more would be live than the limit, only an instruction that makes no further register
 * live is taken, or else the first of the text. An order that exceeds the limit all the same is discarded, and the next
 * one has a lower limit.
 */
#include "ptx/program/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/num.h"
#include "ptx/program/load_store.h"

enum {
    NOTHING = UINT32_MAX,
    WINDOW = 256,            /* the next instruction is one of so many, from the first without a place on */
    ACCESSES_MAX = 256,      /* after so many accesses, nothing crosses the next one */
    TRIES = 3                /* orders of a region, each with a lower limit of registers */
};

struct node {
    enum schedule_crossing crossing;
    uint32_t edges;          /* list: to those that must follow */
    uint32_t waits;          /* edges from those that must precede and have no place yet */
    uint32_t height;         /* the longest path of latencies to the region's end */
    uint32_t ready;          /* the cycle in which its operands are there */
    bool placed;             /* it has its place in the new order */
};

struct edge { uint32_t to, latency, next; };     /* next: in the list, or NOTHING */

/* A register within the region. */
struct use {
    uint32_t region;         /* the other fields are of this region */
    uint32_t writer;         /* instruction, or NOTHING */
    uint32_t readers;        /* list of the instructions that have read it since; the links are edges */
    uint32_t left;           /* accesses that have no place yet */
    bool enters, stays;      /* it is live at the region's start, at its end */
    bool live;
};

struct access {
    uint32_t inst;
    bool writes;
    uint8_t space;           /* INST_SPACE */
    const void *base;        /* register or variable, NULL = none */
    struct load_store_range range;   /* relative to the base */
};

struct scheduler {
    const struct ptx_func *f;
    const struct flow *flow;
    struct ptx_inst *insts;  /* of the region */
    uint32_t n, region;
    uint32_t *home;          /* by register: the only region that accesses it so far; NOTHING = none, or SEVERAL */
    struct use *use;         /* by register; the last one is the carry flag */
    struct node *node;
    struct edge *edge;
    uint32_t nedges, edge_cap;
    struct access *access;   /* since the last SCHEDULE_SYNC */
    uint32_t naccess, access_cap;
    uint32_t inst;           /* the one whose dependences are being found */
    int32_t entering;        /* of the registers that the region accesses: those live at its start; 32-bit ones */
    int32_t live;            /* of the same: those live after the last instruction that was placed */
    int32_t peak;            /* the most of `live` */
    int32_t unread;          /* those that are live only at the instruction that is being placed */
    int32_t growth;          /* result of growth_of */
    struct ptx_inst *ordered;
};

enum { SEVERAL = NOTHING - 1 };

/* ---- classes of instructions ---- */

static bool is_clock(enum ptx_sreg r)
{
    switch (r) {
    case SR_CLOCK:
    case SR_CLOCK_HI:
    case SR_CLOCK64:
    case SR_GLOBALTIMER:
    case SR_GLOBALTIMER_LO:
    case SR_GLOBALTIMER_HI:
    case SR_PM:
    case SR_PM64: return true;
    default: return false;
    }
}

static bool reads_clock(const struct ptx_operand *o, int n)
{
    for (int k = 0; k < n; k++)
        if ((o[k].kind == OPD_SREG && is_clock((enum ptx_sreg)o[k].sreg)) ||
            (o[k].kind == OPD_VEC && reads_clock(o[k].elem, o[k].n)))
            return true;
    return false;
}

static bool is_plain(const struct ptx_inst *in)
{
    uint8_t sem = in->mod[PG_SEM];
    return (in->op == OP_LD || in->op == OP_LDU || in->op == OP_ST) && (!sem || sem == MOD(SEM, WEAK));
}

bool schedule_is_arithmetic(const struct ptx_inst *in)
{
    if (ptx_uses_stack((enum ptx_op)in->op))
        return false;
    switch (ptx_ops[in->op].unit) {
    case PTX_UNIT_INT:
    case PTX_UNIT_TYPED:
    case PTX_UNIT_SOURCE:
    case PTX_UNIT_CONVERT:
    case PTX_UNIT_SFU: return true;
    default: return false;
    }
}

enum schedule_crossing schedule_crossing(const struct ptx_inst *in)
{
    if (reads_clock(in->opd, in->nopd))
        return SCHEDULE_NEVER;
    if (schedule_is_arithmetic(in))
        return SCHEDULE_FREE;
    if (is_plain(in))
        return SCHEDULE_ACCESS;
    if (ptx_is_warpgroup((enum ptx_op)in->op))
        return in->op == OP_WGMMA_WAIT ? SCHEDULE_NEVER : SCHEDULE_SYNC;
    switch (ptx_ops[in->op].unit) {
    case PTX_UNIT_WARP: return SCHEDULE_LANES;
    case PTX_UNIT_TENSOR: return ptx_has_lane_functions((enum ptx_op)in->op) ? SCHEDULE_FREE : SCHEDULE_LANES;
    case PTX_UNIT_LDST: return in->op == OP_TEX || in->op == OP_TLD4 ? SCHEDULE_FREE : SCHEDULE_SYNC;
    case PTX_UNIT_FENCE:
    case PTX_UNIT_COPY: return SCHEDULE_SYNC;
    case PTX_UNIT_BARRIER: return in->mod[PG_BAROP] == MOD(BAROP, WARP) ? SCHEDULE_NEVER : SCHEDULE_SYNC;
    default: return SCHEDULE_NEVER;
    }
}

/* Cycles until the result is available, in the order of magnitude of GPUs since Volta. */
static uint32_t latency_of(const struct ptx_inst *in)
{
    enum { SIMPLE = 4, DOUBLE = 8, LONG = 16, NEAR = 24, FAR = 200 };
    uint8_t space = INST_SPACE(in);
    if (ptx_ops[in->op].unit == PTX_UNIT_LDST)
        return !space || space == MOD(SPACE, GLOBAL) || space == MOD(SPACE, LOCAL) ? FAR : NEAR;
    switch (ptx_ops[in->op].latency) {
    case PTX_LATENCY_DIV:
    case PTX_LATENCY_SQRT:
    case PTX_LATENCY_SPECIAL:
    case PTX_LATENCY_CVT:
    case PTX_LATENCY_BITS:
    case PTX_LATENCY_TENSOR: return LONG;
    case PTX_LATENCY_SHFL: return NEAR;
    default: return in->type[0] == T_F64 ? DOUBLE : SIMPLE;
    }
}

/* ---- dependences ---- */

static void add_edge(struct scheduler *s, uint32_t from, uint32_t to, uint32_t latency)
{
    if (from == to)
        return;
    s->edge = mem_grow(s->edge, s->nedges, &s->edge_cap, sizeof *s->edge, "instruction scheduling");
    s->edge[s->nedges] = (struct edge){ to, latency, s->node[from].edges };
    s->node[from].edges = s->nedges++;
}

static struct use *use_of(struct scheduler *s, uint32_t reg)
{
    struct use *u = &s->use[reg];
    if (u->region != s->region)
        *u = (struct use){ .region = s->region, .writer = NOTHING, .readers = NOTHING };
    return u;
}

static void depend_read(struct scheduler *s, struct use *u)
{
    if (u->writer != NOTHING)
        add_edge(s, u->writer, s->inst, latency_of(&s->insts[u->writer]));
    s->edge = mem_grow(s->edge, s->nedges, &s->edge_cap, sizeof *s->edge, "instruction scheduling");
    s->edge[s->nedges] = (struct edge){ s->inst, 0, u->readers };
    u->readers = s->nedges++;
}

static void depend_write(struct scheduler *s, struct use *u)
{
    for (uint32_t e = u->readers; e != NOTHING; e = s->edge[e].next)
        add_edge(s, s->edge[e].to, s->inst, 1);
    if (u->writer != NOTHING)
        add_edge(s, u->writer, s->inst, 1);
    u->writer = s->inst;
    u->readers = NOTHING;
}

/*
 * At the first access of a register in the region. If a register is live at the end of a block, its lifetime ends at
 * the block's last instruction or later.
 */
static void find_lifetime(struct scheduler *s, struct use *u, const struct ptx_reg *r, bool write)
{
    bool sets = write && ptx_inst_overwrites(&s->insts[s->inst]), several = s->home[r->id] == SEVERAL;
    uint32_t first = (uint32_t)(s->insts - s->f->insts), last = first + s->n - 1;
    bool ends_block = last + 1 == s->flow->blocks[s->flow->block_of[last]].end;
    u->enters = !sets || (several && s->flow->live_from[r->id] < first);
    u->stays = (several || !sets) && s->flow->live_to[r->id] + ends_block > last;
    u->live = u->enters;
    s->entering += u->enters ? ptx_reg_words(r) : 0;
}

static void depend(void *ctx, struct ptx_reg *r, bool write)
{
    struct scheduler *s = ctx;
    struct use *u = use_of(s, (uint32_t)r->id);
    if (!u->left)
        find_lifetime(s, u, r, write);
    u->left++;
    if (write)
        depend_write(s, u);
    else
        depend_read(s, u);
}

static void depend_on_registers(struct scheduler *s, const struct ptx_inst *in)
{
    ptx_inst_visit_regs(in, depend, s);
    struct use *carry = use_of(s, (uint32_t)s->f->nregs);
    if (in->op == OP_ADDC || in->op == OP_SUBC || in->op == OP_MADC)
        depend_read(s, carry);
    if (in->mod[PG_CC])
        depend_write(s, carry);
}

static struct access access_of(struct scheduler *s, const struct ptx_inst *in)
{
    const struct ptx_operand *at = &in->opd[load_store_address(in)];
    struct access a = { .inst = s->inst, .writes = in->op == OP_ST, .space = INST_SPACE(in) };
    a.range = load_store_range(in, at->imm);
    if (at->has_reg)
        a.base = at->reg;
    else if (at->has_var)
        a.base = at->var;
    return a;
}

/* Equal bases are equal addresses: accesses before and after a write of the register are ordered by the register. */
static bool may_overlap(const struct access *a, const struct access *b)
{
    if (!a->writes && !b->writes)
        return false;
    if (!load_store_same_memory(a->space, b->space))
        return false;
    return a->base != b->base || load_store_overlap(a->range, b->range);
}

/* The list `access` has exchanges too. An exchange stays in order with every exchange, and crosses plain accesses. */
static void depend_on_memory(struct scheduler *s, const struct ptx_inst *in, enum schedule_crossing c)
{
    struct access a = { .inst = s->inst };
    if (c == SCHEDULE_ACCESS)
        a = access_of(s, in);
    for (uint32_t i = 0; i < s->naccess; i++) {
        const struct access *b = &s->access[i];
        enum schedule_crossing before = s->node[b->inst].crossing;
        bool ordered = c == before && (c == SCHEDULE_LANES || may_overlap(b, &a));
        if (ordered || c == SCHEDULE_SYNC || before == SCHEDULE_SYNC)
            add_edge(s, b->inst, s->inst, 1);
    }
    if (c == SCHEDULE_SYNC)
        s->naccess = 0;
    s->access = mem_grow(s->access, s->naccess, &s->access_cap, sizeof *s->access, "instruction scheduling");
    s->access[s->naccess++] = a;
}

static void build_graph(struct scheduler *s)
{
    s->nedges = s->naccess = 0;
    s->entering = 0;
    memset(s->node, 0, s->n * sizeof *s->node);
    for (s->inst = 0; s->inst < s->n; s->inst++) {
        const struct ptx_inst *in = &s->insts[s->inst];
        struct node *d = &s->node[s->inst];
        d->edges = NOTHING;
        d->crossing = schedule_crossing(in);
        if (d->crossing != SCHEDULE_FREE && s->naccess == ACCESSES_MAX)
            d->crossing = SCHEDULE_SYNC;
        if (d->crossing != SCHEDULE_FREE)
            depend_on_memory(s, in, d->crossing);
        depend_on_registers(s, in);
    }
    for (uint32_t i = s->n; i-- > 0;) {
        s->node[i].height = latency_of(&s->insts[i]);
        for (uint32_t e = s->node[i].edges; e != NOTHING; e = s->edge[e].next) {
            uint32_t height = s->node[s->edge[e].to].height + s->edge[e].latency;
            if (s->node[i].height < height)
                s->node[i].height = height;
        }
    }
}

/* ---- live registers ---- */

static void reset_register(void *ctx, struct ptx_reg *r, bool write)
{
    struct scheduler *s = ctx;
    struct use *u = &s->use[r->id];
    (void)write;
    u->left++;
    u->live = u->enters;
}

static void place_register(void *ctx, struct ptx_reg *r, bool write)
{
    struct scheduler *s = ctx;
    struct use *u = &s->use[r->id];
    (void)write;
    int32_t words = ptx_reg_words(r);
    bool starts = !u->live, ends = --u->left == 0 && !u->stays;
    u->live = true;
    s->live += starts ? words : 0;
    s->unread += starts && ends ? words : 0;
    s->live -= !starts && ends ? words : 0;
}

static void place_registers(struct scheduler *s, const struct ptx_inst *in)
{
    ptx_inst_visit_regs(in, place_register, s);
    s->peak = s->live > s->peak ? s->live : s->peak;
    s->live -= s->unread;
    s->unread = 0;
}

static void count_growth(void *ctx, struct ptx_reg *r, bool write)
{
    struct scheduler *s = ctx;
    const struct use *u = &s->use[r->id];
    (void)write;
    if (!u->live)
        s->growth += ptx_reg_words(r);
    else if (u->left == 1 && !u->stays)
        s->growth -= ptx_reg_words(r);
}

/* By how much the instruction would change `live`. */
static int32_t growth_of(struct scheduler *s, uint32_t i)
{
    s->growth = 0;
    ptx_inst_visit_regs(&s->insts[i], count_growth, s);
    return s->growth;
}

/* After all instructions have been placed once: before the first is placed again. */
static void reset_registers(struct scheduler *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        ptx_inst_visit_regs(&s->insts[i], reset_register, s);
    s->live = s->entering;
    s->peak = 0;
}

/* The most registers live at once in the order of the text. */
static int32_t text_peak(struct scheduler *s)
{
    s->live = s->entering;
    s->peak = 0;
    for (uint32_t i = 0; i < s->n; i++)
        place_registers(s, &s->insts[i]);
    return s->peak;
}

/* ---- the order ---- */

static void reset_nodes(struct scheduler *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        s->node[i].ready = s->node[i].waits = 0;
        s->node[i].placed = false;
    }
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t e = s->node[i].edges; e != NOTHING; e = s->edge[e].next)
            s->node[s->edge[e].to].waits++;
}

/* Less to wait for; of equals, the longer path to the region's end. */
static bool better(const struct node *a, const struct node *b, uint32_t now)
{
    uint32_t wait_a = a->ready > now ? a->ready - now : 0, wait_b = b->ready > now ? b->ready - now : 0;
    return wait_a != wait_b ? wait_a < wait_b : a->height > b->height;
}

/* The next instruction, of those from `first` on, which is the first without a place. */
static uint32_t choose(struct scheduler *s, uint32_t first, uint32_t now, int32_t limit)
{
    uint32_t best = NOTHING, in_text = NOTHING, end = s->n - first > WINDOW ? first + WINDOW : s->n;
    for (uint32_t i = first; i < end; i++) {
        const struct node *d = &s->node[i];
        if (d->placed || d->waits)
            continue;
        if (in_text == NOTHING)
            in_text = i;
        if (best != NOTHING && !better(d, &s->node[best], now))
            continue;
        int32_t growth = growth_of(s, i);
        if (growth <= 0 || s->live + growth <= limit)
            best = i;
    }
    return best != NOTHING ? best : in_text;
}

static void place(struct scheduler *s, uint32_t i, uint32_t now)
{
    s->node[i].placed = true;
    place_registers(s, &s->insts[i]);
    for (uint32_t e = s->node[i].edges; e != NOTHING; e = s->edge[e].next) {
        struct node *to = &s->node[s->edge[e].to];
        to->waits--;
        if (to->ready < now + s->edge[e].latency)
            to->ready = now + s->edge[e].latency;
    }
}

/* Puts the region's instructions into `ordered`. The most registers live at once, which can be more than the limit. */
static int32_t order_within(struct scheduler *s, int32_t limit)
{
    for (uint32_t first = 0, done = 0, now = 0; done < s->n; done++) {
        uint32_t i = choose(s, first, now, limit);
        now = s->node[i].ready > now ? s->node[i].ready : now;
        place(s, i, now++);
        s->ordered[done] = s->insts[i];
        while (first < s->n && s->node[first].placed)
            first++;
    }
    return s->peak;
}

/* most: 32-bit registers that may be live. If every order needs more, the region keeps that of the text. */
static void order_region(struct scheduler *s, uint32_t most)
{
    uint32_t text = 0, first_inst = (uint32_t)(s->insts - s->f->insts);
    if (s->n == 1)
        return;
    for (uint32_t i = 0; i < s->n; i++)
        text = num_most(text, s->flow->live[first_inst + i]);
    build_graph(s);
    int32_t allowed = text_peak(s) + (most > text ? (int32_t)(most - text) : 0), limit = allowed;
    for (int k = 0; k < TRIES; k++) {
        reset_nodes(s);
        reset_registers(s);
        int32_t needed = order_within(s, limit);
        if (needed <= allowed) {
            memcpy(s->insts, s->ordered, s->n * sizeof *s->insts);
            return;
        }
        limit -= needed - allowed;
    }
}

/* ---- regions ---- */

static void note_home(void *ctx, struct ptx_reg *r, bool write)
{
    struct scheduler *s = ctx;
    uint32_t *home = &s->home[r->id];
    (void)write;
    *home = *home == NOTHING || *home == s->region ? s->region : SEVERAL;
}

static void note_region(struct scheduler *s, uint32_t most)
{
    (void)most;
    for (uint32_t i = 0; i < s->n; i++)
        ptx_inst_visit_regs(&s->insts[i], note_home, s);
}

/*
 * Calls `each` for every region; an instruction that nothing may cross is a region of its own. Lock loops are regions
 * apart, since timing mode counts the time in them from instruction to instruction.
 */
static void for_each_region(struct scheduler *s, void (*each)(struct scheduler *, uint32_t), uint32_t most)
{
    s->region = 0;
    for (uint32_t b = 0; b < s->flow->nblocks; b++)
        for (uint32_t i = s->flow->blocks[b].first, end = s->flow->blocks[b].end; i < end; i += s->n) {
            s->insts = s->f->insts + i;
            s->n = 0;
            while (i + s->n < end && schedule_crossing(&s->insts[s->n]) != SCHEDULE_NEVER &&
                   s->insts[s->n].lock == s->insts->lock)
                s->n++;
            s->n += s->n == 0;
            s->region++;
            each(s, most);
        }
}

uint32_t schedule_register_limit(const struct ptx_func *f, uint32_t needed, uint32_t allowed_registers)
{
    uint32_t most = num_most((needed + 7) / 8 * 8, allowed_registers);
    return f->maxnreg ? num_most(needed, num_least(most, f->maxnreg)) : most;
}

void schedule_function(struct ptx_func *f, uint32_t allowed_registers)
{
    if (!f->ninsts)
        return;
    struct arena *scratch = arena_new();
    struct scheduler s = { .f = f, .flow = flow_analyse(f, scratch) };
    uint32_t most = schedule_register_limit(f, s.flow->registers, allowed_registers);
    uint32_t regs = (uint32_t)f->nregs + 1;
    s.home = mem_zero(regs, sizeof *s.home, "instruction scheduling");
    memset(s.home, 0xff, regs * sizeof *s.home);
    s.use = mem_zero(regs, sizeof *s.use, "instruction scheduling");
    s.node = mem_zero(f->ninsts, sizeof *s.node, "instruction scheduling");
    s.ordered = mem_zero(f->ninsts, sizeof *s.ordered, "instruction scheduling");
    for_each_region(&s, note_region, most);
    for_each_region(&s, order_region, most);
    free(s.home);
    free(s.use);
    free(s.node);
    free(s.ordered);
    free(s.edge);
    free(s.access);
    arena_free(scratch);
}
