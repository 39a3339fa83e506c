/*
 * Combining accesses. PTX is not machine code: NVIDIA's assembler combines accesses to neighbouring words of shared or
 * local memory into one access of 8 or 16 bytes, which takes fewer issue slots and fewer passes of the banks. The rules
 * were read from machine code of ptxas 13.0 for sm_75 and sm_90, of kernels that each test one rule:
 *
 * - Loads are combined with loads and stores with stores, with elements of 4 or 8 bytes. Accesses of 1 or 2 bytes stay
 *   as they are, and so do those to global memory or generic addresses.
 * - The address of the whole must be a multiple of its size, and the analysis must prove it: from the addresses of
 *   variables, and from shifts, products and masks by constants.
 * - The words may be loaded in any order and have other instructions between them, exchanges between lanes and accesses
 *   to other memory included. Not between them: an access of the other kind to the same memory, even elsewhere, an
 *   atomic, a barrier or a fence. All words are accessed in one basic block.
 *
 * In these points ptxas goes further: it loads four words where three are needed, and combines guarded accesses and
 * some of different blocks.
 *
 * A combined load stands at the place of the first one, a combined store at that of the last. An address is known as a
 * *root* (a variable, or the value of a register) and a distance from it; roots are numbered within a basic block.
 */
#include "ptx/program/combine_accesses.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/num.h"
#include "ptx/program/load_store.h"
#include "ptx/program/remove.h"
#include "ptx/program/schedule.h"

enum {
    NO_ROOT = 0,
    ALIGNED = 4,             /* addresses are known to be multiples of up to 1 << ALIGNED, 16 bytes */
    MEMBERS = 4              /* accesses that are combined into one */
};

struct root {
    const struct ptx_var *var;       /* a variable, else the value of a register */
    uint8_t zeros;                   /* the least significant bits that are 0, up to ALIGNED */
};

/* Where the root has 32 bits, the distance is a signed number of 32 bits. */
struct address { uint32_t root; int64_t distance; };

struct combiner {
    struct ptx_func *f;
    const struct flow *flow;
    uint8_t *zeros;                  /* by register: low bits that are 0 in every value that it is given */
    struct root *root;               /* of the block; NO_ROOT is not used */
    uint32_t nroots, roots_cap;
    struct address *value;           /* by register, if it has one in this block */
    uint32_t *value_block;           /* by register: the block of `value`, from 1 */
    struct address *at;              /* by instruction: what it accesses; NO_ROOT: unknown, or it may not be combined */
    bool *removed;                    /* by instruction: it is part of another one */
    uint32_t inst;                   /* the one that is being visited */
    uint32_t block;
    uint32_t reach;                  /* accesses up to so many instructions apart are combined */
    bool lowered;                    /* result of lower_zeros */
    struct arena *arena;             /* of what the function keeps */
};

/* ---- which low bits of a register are always 0 ---- */

static uint8_t zeros_of_number(int64_t n)
{
    return (uint8_t)(n ? num_least((uint32_t)__builtin_ctzll((uint64_t)n), ALIGNED) : ALIGNED);
}

static uint8_t least(uint8_t a, uint8_t b)
{
    return (uint8_t)num_least(a, b);
}

/* The frame of a function is placed later, at a multiple of what its variables need. */
static uint8_t zeros_of_var(const struct ptx_var *v)
{
    const struct ptx_var *def = v->def ? v->def : v;
    if (def->space == SP_SHARED)
        return zeros_of_number((int64_t)def->address);
    return def->space == SP_LOCAL ? zeros_of_number(def->align) : 0;
}

static uint8_t zeros_of(const struct combiner *c, const struct ptx_operand *o)
{
    switch (o->kind) {
    case OPD_REG: return o->negated ? 0 : c->zeros[o->reg->id];
    case OPD_IMM: return zeros_of_number(o->imm);
    case OPD_VAR: return least(zeros_of_var(o->var), zeros_of_number(o->imm));
    default: return 0;
    }
}

static uint8_t zeros_of_product(const struct combiner *c, const struct ptx_inst *in)
{
    return in->mod[PG_MULW] == MOD(MULW, HI) ? 0
         : least(ALIGNED, (uint8_t)(zeros_of(c, &in->opd[1]) + zeros_of(c, &in->opd[2])));
}

static uint8_t zeros_of_result(const struct combiner *c, const struct ptx_inst *in)
{
    const struct ptx_operand *o = in->opd;
    if (o[0].kind != OPD_REG || ptx_type_class((enum ptx_type)in->type[0]) == 'f' || in->mod[PG_SAT])
        return 0;
    switch (in->op) {
    case OP_MOV:
    case OP_CVTA:
    case OP_NEG: return zeros_of(c, &o[1]);
    case OP_CVT: return ptx_type_class((enum ptx_type)in->type[1]) == 'f' ? 0 : zeros_of(c, &o[1]);
    case OP_ADD:
    case OP_SUB:
    case OP_MIN:
    case OP_MAX:
    case OP_OR:
    case OP_XOR:
    case OP_SELP: return least(zeros_of(c, &o[1]), zeros_of(c, &o[2]));
    case OP_AND: return (uint8_t)num_most(zeros_of(c, &o[1]), zeros_of(c, &o[2]));
    case OP_MUL: return zeros_of_product(c, in);
    case OP_MAD: return least(zeros_of_product(c, in), zeros_of(c, &o[3]));
    case OP_SHL: return o[2].kind != OPD_IMM || o[2].imm < 0 ? zeros_of(c, &o[1])
                      : least(ALIGNED, (uint8_t)(zeros_of(c, &o[1]) + num_least((uint32_t)o[2].imm, ALIGNED)));
    default: return 0;
    }
}

static void lower_zeros(void *ctx, struct ptx_reg *r, bool write)
{
    struct combiner *c = ctx;
    uint8_t zeros = write ? zeros_of_result(c, &c->f->insts[c->inst]) : ALIGNED;
    if (zeros < c->zeros[r->id]) {
        c->zeros[r->id] = zeros;
        c->lowered = true;
    }
}

/* From the maximum down to a fixed point, so that increments in loops that keep the alignment do not lower it. */
static void find_zeros(struct combiner *c)
{
    memset(c->zeros, ALIGNED, (size_t)c->f->nregs);
    do {
        c->lowered = false;
        for (c->inst = 0; c->inst < c->f->ninsts; c->inst++)
            ptx_inst_visit_regs(&c->f->insts[c->inst], lower_zeros, c);
    } while (c->lowered);
}

/* ---- addresses ---- */

static uint32_t new_root(struct combiner *c, const struct ptx_var *var, uint8_t zeros)
{
    c->root = mem_grow(c->root, c->nroots, &c->roots_cap, sizeof *c->root, "combining accesses");
    c->root[c->nroots] = (struct root){ var, zeros };
    return c->nroots++;
}

static struct address address_of_var(struct combiner *c, const struct ptx_var *v, int64_t distance)
{
    for (uint32_t r = NO_ROOT + 1; r < c->nroots; r++)
        if (c->root[r].var == v)
            return (struct address){ r, distance };
    return (struct address){ new_root(c, v, zeros_of_var(v)), distance };
}

static struct address value_of(struct combiner *c, const struct ptx_reg *r)
{
    if (c->value_block[r->id] != c->block + 1) {
        c->value_block[r->id] = c->block + 1;
        c->value[r->id] = (struct address){ new_root(c, NULL, c->zeros[r->id]), 0 };
    }
    return c->value[r->id];
}

/* In the width of the register that holds an address. */
static int64_t sum_of(int64_t distance, uint64_t number, const struct ptx_reg *r)
{
    uint64_t sum = (uint64_t)distance + number;
    return ptx_reg_words(r) == 1 ? (int64_t)(int32_t)(uint32_t)sum : (int64_t)sum;
}

static bool is_address_type(enum ptx_type t)
{
    return t == T_B32 || t == T_U32 || t == T_S32 || t == T_B64 || t == T_U64 || t == T_S64;
}

/* The address in the result of a copy, or of the sum of a register and a number; NO_ROOT: another instruction. */
static struct address result_of(struct combiner *c, const struct ptx_inst *in)
{
    const struct ptx_operand *o = in->opd;
    struct address a = { NO_ROOT, 0 };
    bool sum = in->op == OP_ADD || in->op == OP_SUB;
    if (in->guard || !is_address_type((enum ptx_type)in->type[0]) || in->mod[PG_SAT] || o[0].kind != OPD_REG)
        return a;
    if (in->op == OP_MOV && o[1].kind == OPD_VAR)
        return address_of_var(c, o[1].var, o[1].imm);
    if ((in->op == OP_MOV || (sum && o[2].kind == OPD_IMM)) && o[1].kind == OPD_REG && !o[1].negated)
        a = value_of(c, o[1].reg);
    uint64_t number = sum ? (uint64_t)o[2].imm : 0;
    a.distance = sum_of(a.distance, in->op == OP_SUB ? -number : number, o[0].reg);
    return a;
}

static void invalidate_value(void *ctx, struct ptx_reg *r, bool write)
{
    struct combiner *c = ctx;
    if (write)
        c->value_block[r->id] = 0;
}

static struct address address_of_access(struct combiner *c, const struct ptx_inst *in)
{
    const struct ptx_operand *m = &in->opd[load_store_address(in)];
    struct address a = { NO_ROOT, 0 };
    if (m->has_reg) {
        a = value_of(c, m->reg);
        a.distance = sum_of(a.distance, (uint64_t)m->imm, m->reg);
    } else if (m->has_var) {
        a = address_of_var(c, m->var, m->imm);
    }
    return a;
}

static uint32_t element_bytes(const struct ptx_inst *in)
{
    return (uint32_t)ptx_type_size((enum ptx_type)in->type[0]);
}

static const struct ptx_operand *element(const struct ptx_inst *in, int k)
{
    const struct ptx_operand *d = &in->opd[load_store_data(in)];
    return d->kind == OPD_VEC ? &d->elem[k] : d;
}

/* Every element is a register as wide as the type, so that the type of the whole does not matter. */
static bool has_plain_elements(struct ptx_inst *in)
{
    for (int k = 0; k < load_store_elements(in); k++)
        if (element(in, k)->kind != OPD_REG || 4 * ptx_reg_words(element(in, k)->reg) != (int)element_bytes(in))
            return false;
    return true;
}

static bool in_space(const struct ptx_inst *in, uint8_t space)
{
    return schedule_crossing(in) == SCHEDULE_ACCESS && INST_SPACE(in) == space;
}

/* Numbers the values of a block and the addresses of its accesses to shared and local memory. */
static void find_addresses(struct combiner *c, const struct flow_block *b)
{
    c->nroots = NO_ROOT;
    new_root(c, NULL, 0);
    for (uint32_t i = b->first; i < b->end; i++) {
        const struct ptx_inst *in = &c->f->insts[i];
        if (in_space(in, MOD(SPACE, SHARED)) || in_space(in, MOD(SPACE, LOCAL)))
            c->at[i] = address_of_access(c, in);
        struct address result = result_of(c, in);
        ptx_inst_visit_regs(in, invalidate_value, c);
        if (result.root != NO_ROOT) {
            c->value_block[in->opd[0].reg->id] = c->block + 1;
            c->value[in->opd[0].reg->id] = result;
        }
    }
}

/* ---- groups ---- */

struct group {
    uint32_t member[MEMBERS];        /* instructions, in the order of the text */
    int n;
    int64_t from;                    /* distance of the whole from the root */
    uint32_t bytes;                  /* of the whole, 8 or 16 */
    uint32_t words;                  /* bit k: its element k is accessed */
};

static bool may_be_member(struct combiner *c, uint32_t i)
{
    struct ptx_inst *in = &c->f->insts[i];
    uint32_t bytes = element_bytes(in);
    return !c->removed[i] && c->at[i].root != NO_ROOT && !in->guard && !in->tx && (bytes == 4 || bytes == 8) &&
           has_plain_elements(in);
}

/* The same instruction, but for its address, its elements and their type. Neither has a cache policy. */
static bool differ_in_address_only(const struct ptx_inst *a, const struct ptx_inst *b)
{
    for (int g = 0; g < PG_COUNT; g++)
        if (g != PG_VEC && a->mod[g] != b->mod[g])
            return false;
    return a->op == b->op && element_bytes(a) == element_bytes(b) && a->opd[2].kind == OPD_NONE &&
           b->opd[2].kind == OPD_NONE;
}

/* The bits of `words` that the access covers, 0 if it is not within the group. */
static uint32_t words_of(struct combiner *c, const struct group *g, uint32_t i)
{
    struct ptx_inst *in = &c->f->insts[i];
    int64_t first = c->at[i].distance - g->from, size = element_bytes(in), n = load_store_elements(in);
    if (first < 0 || first % size || first + n * size > g->bytes)
        return 0;
    return ((1u << n) - 1) << first / size;
}

/* The group of `bytes` at the address of instruction i. False if one of its words is not accessed. */
static bool find_group(struct combiner *c, uint32_t i, uint32_t end, uint32_t bytes, struct group *g)
{
    struct ptx_inst *first = &c->f->insts[i];
    int64_t distance = c->at[i].distance, over = (distance % bytes + bytes) % bytes;
    *g = (struct group){ .from = distance - over, .bytes = bytes };
    uint32_t all = (1u << bytes / element_bytes(first)) - 1;
    if (c->root[c->at[i].root].zeros < __builtin_ctz(bytes))
        return false;
    for (uint32_t k = i; k < num_least(end, i + c->reach) && g->words != all; k++) {
        if (!may_be_member(c, k) || c->at[k].root != c->at[i].root || !differ_in_address_only(first, &c->f->insts[k]))
            continue;
        uint32_t words = words_of(c, g, k);
        if (!words || (words & g->words))
            continue;
        g->words |= words;
        g->member[g->n++] = k;
    }
    return g->words == all && g->n > 1;
}

/* Does an instruction in [from, to) write the register, or (unless writes_only) read it? */
static bool uses_register(const struct combiner *c, uint32_t from, uint32_t to, const struct ptx_reg *r,
                          bool writes_only)
{
    for (uint32_t i = from; i < to; i++) {
        const struct ptx_inst *in = &c->f->insts[i];
        if (!c->removed[i] && (ptx_inst_writes(in, r) || (!writes_only && ptx_inst_reads(in, r))))
            return true;
    }
    return false;
}

/* May a load be performed at the place of the first member? */
static bool moves_up(struct combiner *c, uint32_t first, uint32_t i)
{
    for (int k = 0; k < load_store_elements(&c->f->insts[i]); k++) {
        const struct ptx_reg *r = element(&c->f->insts[i], k)->reg;
        if (uses_register(c, first + 1, i, r, false) || uses_register(c, first, first + 1, r, true))
            return false;
    }
    return true;
}

static struct load_store_range range_of(const struct combiner *c, uint32_t i)
{
    return load_store_range(&c->f->insts[i], c->at[i].distance);
}

/* May a store be performed at the place of the last member? */
static bool moves_down(struct combiner *c, uint32_t i, uint32_t last)
{
    const struct ptx_inst *in = &c->f->insts[i];
    for (int k = 0; k < load_store_elements(in); k++)
        if (uses_register(c, i + 1, last, element(in, k)->reg, true))
            return false;
    for (uint32_t j = i + 1; j < last; j++) {
        if (c->removed[j] || !in_space(&c->f->insts[j], INST_SPACE(in)))
            continue;
        if (c->at[j].root != c->at[i].root || load_store_overlap(range_of(c, j), range_of(c, i)))
            return false;
    }
    return true;
}

static bool may_combine(struct combiner *c, const struct group *g)
{
    uint32_t first = g->member[0], last = g->member[g->n - 1];
    bool load = c->f->insts[first].op != OP_ST;
    for (int k = 0; k < g->n; k++)
        if (load ? k > 0 && !moves_up(c, first, g->member[k]) : !moves_down(c, g->member[k], last))
            return false;
    return true;
}

static void combine(struct combiner *c, const struct group *g)
{
    struct ptx_inst *first = &c->f->insts[g->member[0]];
    uint32_t size = element_bytes(first), n = g->bytes / size;
    bool store = first->op == OP_ST;
    uint32_t place = g->member[store ? g->n - 1 : 0];
    struct ptx_operand *elem = arena_alloc(c->arena, n * sizeof *elem);
    uint8_t type = first->type[0];
    for (int k = 0; k < g->n; k++) {
        struct ptx_inst *in = &c->f->insts[g->member[k]];
        for (int e = 0; e < load_store_elements(in); e++)
            elem[(c->at[g->member[k]].distance - g->from) / size + e] = *element(in, e);
        if (in->type[0] != type)
            type = size == 4 ? T_B32 : T_B64;
        c->removed[g->member[k]] = g->member[k] != place;
    }
    struct ptx_inst *in = &c->f->insts[place];
    in->opd[load_store_address(in)].imm += g->from - c->at[place].distance;
    in->opd[load_store_data(in)] =
        (struct ptx_operand){ .kind = OPD_VEC, .n = (uint8_t)n, .loc = elem[0].loc, .elem = elem };
    in->mod[PG_VEC] = n == 2 ? MOD(VEC, V2) : MOD(VEC, V4);
    in->type[0] = type;
    c->at[place].distance = g->from;
}

/* ---- runs: between two instructions that no access of one kind to one memory may cross ---- */

static bool ends_run(const struct ptx_inst *in, uint8_t space, bool stores)
{
    if (schedule_crossing(in) != SCHEDULE_ACCESS)
        return schedule_crossing(in) == SCHEDULE_SYNC || schedule_crossing(in) == SCHEDULE_NEVER;
    uint8_t other = INST_SPACE(in);
    return load_store_same_memory(other, space) && ((in->op == OP_ST) != stores || (stores && other != space));
}

static void combine_run(struct combiner *c, uint32_t from, uint32_t to, uint8_t space, bool stores)
{
    struct group g;
    for (uint32_t i = from; i < to; i++)
        for (uint32_t bytes = 16; bytes >= 8; bytes /= 2) {
            const struct ptx_inst *in = &c->f->insts[i];
            if (in_space(in, space) && (in->op == OP_ST) == stores && may_be_member(c, i) &&
                find_group(c, i, to, bytes, &g) && may_combine(c, &g))
                combine(c, &g);
        }
}

static void combine_in_block(struct combiner *c, const struct flow_block *b, uint8_t space, bool stores)
{
    uint32_t from = b->first;
    for (uint32_t i = b->first; i < b->end; i++)
        if (ends_run(&c->f->insts[i], space, stores) || c->f->insts[i].lock != c->f->insts[from].lock) {
            combine_run(c, from, i, space, stores);
            from = i;
        }
    combine_run(c, from, b->end, space, stores);
}

static void combine_all(void *ctx, uint32_t reach, bool *removed)
{
    struct combiner *c = ctx;
    c->reach = reach;
    c->removed = removed;
    memset(c->at, 0, c->f->ninsts * sizeof *c->at);
    memset(c->value_block, 0, (size_t)c->f->nregs * sizeof *c->value_block);
    for (c->block = 0; c->block < c->flow->nblocks; c->block++) {
        const struct flow_block *b = &c->flow->blocks[c->block];
        find_addresses(c, b);
        for (int stores = 0; stores < 2; stores++) {
            combine_in_block(c, b, MOD(SPACE, SHARED), stores);
            combine_in_block(c, b, MOD(SPACE, LOCAL), stores);
        }
    }
}

static bool has_accesses(const struct ptx_func *f)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->ninsts; i++)
        n += in_space(&f->insts[i], MOD(SPACE, SHARED)) || in_space(&f->insts[i], MOD(SPACE, LOCAL));
    return n > 1;
}

void combine_accesses(struct ptx_func *f, uint32_t allowed_registers, struct arena *arena)
{
    static const uint32_t reach[] = { 256, 64, 16, 0 };
    if (!has_accesses(f))
        return;
    struct arena *scratch = arena_new();
    struct combiner c = { .f = f, .flow = flow_analyse(f, scratch), .arena = arena };
    struct remove_pass pass = { combine_all, &c, reach };
    size_t regs = (size_t)f->nregs + 1;
    c.zeros = arena_alloc(scratch, regs * sizeof *c.zeros);
    c.value = arena_alloc(scratch, regs * sizeof *c.value);
    c.value_block = arena_alloc(scratch, regs * sizeof *c.value_block);
    c.at = arena_alloc(scratch, f->ninsts * sizeof *c.at);
    find_zeros(&c);
    remove_by_pass(f, &pass, schedule_register_limit(f, c.flow->registers, allowed_registers));
    free(c.root);
    arena_free(scratch);
}
