/*
 * wmma instructions are replaced by others, as an assembler of the hardware does: wmma.load and wmma.store by the loads
 * and stores of each lane, wmma.mma by one or two mma.sync. The ISA leaves open which lane holds which element. Here
 * fragments are those of mma.sync (ptx/matrix/matrix.h) for as many rows or columns as the matrix has: the layout of
 * GPUs since sm_75, on which wmma is executed as mma.sync (Jia et al., Dissecting the NVidia Turing T4 GPU via
 * Microbenchmarking, 2019, chapter 4). m8n32k16 is computed transposed, as m32n8k16: B' A' = (A B)'.
 *
 * A line of a matrix is a row of A, C and D, and a column of B. A lane has elements of line lane / 4 and of every
 * eighth line after it, from place E (lane % 4) of the line on. A layout stores the elements of a line beside each
 * other (`adjacent`), or at a distance of the stride.
 */
#include <stdio.h>
#include <string.h>

#include "ptx/matrix/matrix.h"
#include "ptx/text/parser.h"

enum { MAX_LINES = 32, MAX_REGISTERS = 8, MAX_STRIDE = 1 << 26 };

/* ---- emitting instructions ---- */

static struct ptx_operand emit_binary(struct parser *p, const struct ptx_inst *like, enum ptx_op op, enum ptx_type t,
                                      struct ptx_operand a, struct ptx_operand b)
{
    struct ptx_operand to = emit_register(p, like, T_B32);
    struct ptx_inst *in = emit_one(p, like, op, t, 3);
    in->opd[0] = to;
    in->opd[1] = a;
    in->opd[2] = b;
    return to;
}

static struct ptx_operand emit_move(struct parser *p, const struct ptx_inst *like, enum ptx_type t,
                                    struct ptx_operand from)
{
    struct ptx_operand to = emit_register(p, like, t);
    struct ptx_inst *in = emit_one(p, like, OP_MOV, t, 2);
    in->opd[0] = to;
    in->opd[1] = from;
    return to;
}

/* address + a * b, where a and b have 32 bits. */
static struct ptx_operand emit_address(struct parser *p, const struct ptx_inst *like, struct ptx_operand address,
                                       struct ptx_operand a, struct ptx_operand b)
{
    bool wide = ptx_type_size((enum ptx_type)address.reg->type) == 8;
    struct ptx_operand to = emit_register(p, like, wide ? T_B64 : T_B32);
    struct ptx_inst *in = emit_one(p, like, OP_MAD, T_U32, 4);
    in->mod[PG_MULW] = wide ? MOD(MULW, WIDE) : MOD(MULW, LO);
    in->opd[0] = to;
    in->opd[1] = a;
    in->opd[2] = b;
    in->opd[3] = address;
    return to;
}

/* ---- fragments ---- */

struct fragment {
    struct parser *p;
    const struct ptx_inst *in;
    enum wmma_matrix matrix;         /* after transposition */
    struct matrix_shape shape;
    int bits, run;                   /* of an element; elements of a lane that are beside each other: E */
    int used, per;                   /* registers with elements; elements of a register */
    bool adjacent;
    struct ptx_operand reg[MAX_REGISTERS];
};

static bool is_transposed(const struct ptx_inst *in)
{
    return in->mod[PG_SHAPE] == MOD(SHAPE, M8N32K16);
}

static struct fragment fragment_of(struct parser *p, const struct ptx_inst *in)
{
    bool turned = is_transposed(in), rows = in->mod[PG_ALAYOUT] == MOD(ALAYOUT, A_ROW);
    struct fragment f = { .p = p, .in = in, .matrix = wmma_matrix_at(in, 0), .shape = matrix_shape(in) };
    if (turned) {
        f.shape = (struct matrix_shape){ f.shape.n, f.shape.m, f.shape.k };
        f.matrix = f.matrix == WMMA_A ? WMMA_B : f.matrix == WMMA_B ? WMMA_A : f.matrix;
        rows = !rows;
    }
    bool factor = f.matrix == WMMA_A || f.matrix == WMMA_B;
    int elements = f.matrix == WMMA_A ? f.shape.m * f.shape.k : f.matrix == WMMA_B ? f.shape.k * f.shape.n
                                                                                   : f.shape.m * f.shape.n;
    f.bits = matrix_element_bits((enum ptx_type)in->type[0]);
    f.per = f.bits < 32 ? 32 / f.bits : 1;
    f.run = factor ? f.per : 2;
    f.used = elements / 32 / f.per;
    f.adjacent = rows == (f.matrix != WMMA_B);
    return f;
}

/* The element e of register r in lane 0. */
struct place { int line, at; };

static struct place place_of(const struct fragment *f, int r, int e)
{
    int lines = f->matrix == WMMA_B ? 1 : f->shape.m / 8, across = f->shape.k / (4 * f->run), i = r * f->per + e;
    switch (f->matrix) {
    case WMMA_A: return (struct place){ 8 * (r % lines), 4 * f->run * (r / lines) + e };
    case WMMA_B: return (struct place){ 8 * (r / across), 4 * f->run * (r % across) + e };
    default: return (struct place){ 8 * (i / 2 % lines), 8 * (i / 2 / lines) + i % 2 };
    }
}

/* The fragment's registers. A constant to store is copied to a new register; `_` becomes one that is never read. */
static void find_registers(struct fragment *f, const struct ptx_operand *o, bool store, int n)
{
    for (int i = 0; i < n; i++) {
        f->reg[i] = o->kind == OPD_VEC ? o->elem[i] : *o;
        enum ptx_type t = f->bits == 64 ? T_B64 : T_B32;
        if (f->reg[i].kind != OPD_REG)
            f->reg[i] = store ? emit_move(f->p, f->in, t, f->reg[i]) : emit_register(f->p, f->in, t);
    }
}

/* ---- addresses ---- */

/* From one line to the next, or from one place to the next if lines are not adjacent. In elements, or a register with
 * bytes / unit. */
struct stride { bool fixed; int64_t elements; struct ptx_operand reg; int unit; };

struct addresses { struct stride stride; struct ptx_operand at[MAX_LINES]; bool known[MAX_LINES]; int64_t offset; };

static int default_stride(const struct fragment *f)
{
    struct matrix_shape s = f->shape;
    int along = f->matrix == WMMA_A || f->matrix == WMMA_B ? s.k : s.n;
    return f->adjacent ? along : f->matrix == WMMA_B ? s.n : s.m;
}

static struct stride stride_of(const struct fragment *f)
{
    const struct ptx_operand *o = &f->in->opd[2];
    struct stride s = { .fixed = o->kind == OPD_NONE || o->kind == OPD_IMM, .unit = f->bits < 8 ? 1 : f->bits / 8 };
    s.elements = o->kind == OPD_NONE ? default_stride(f) : o->imm;
    if (s.fixed)
        return s;
    s.reg = o->kind == OPD_REG ? *o : emit_move(f->p, f->in, T_B32, *o);
    if (f->bits < 8)
        s.reg = emit_binary(f->p, f->in, OP_SHR, T_U32, s.reg, emit_constant(f->bits == 4 ? 1 : 3));
    return s;
}

static struct ptx_operand base_address(struct parser *p, const struct ptx_inst *in, const struct ptx_operand *o)
{
    enum ptx_type t = p->m->address_size == 32 ? T_B32 : T_B64;
    if (o->has_reg)
        return (struct ptx_operand){ .kind = OPD_REG, .reg = o->reg, .loc = o->loc };
    struct ptx_operand from = emit_constant(0);
    if (o->has_var)
        from = (struct ptx_operand){ .kind = OPD_VAR, .var = o->var, .loc = o->loc };
    return emit_move(p, in, t, from);
}

/* The address of the lane's first element, where the multiple of the stride is 0. */
static void set_lane_address(const struct fragment *f, struct addresses *a, const struct ptx_operand *o)
{
    struct parser *p = f->p;
    const struct ptx_inst *in = f->in;
    struct ptx_operand base = base_address(p, in, o), lane = { .kind = OPD_SREG, .sreg = SR_LANEID };
    lane = emit_move(p, in, T_U32, lane);
    struct ptx_operand group = emit_binary(p, in, OP_SHR, T_U32, lane, emit_constant(2));
    group = emit_binary(p, in, OP_AND, T_B32, group, emit_constant(7));
    struct ptx_operand member = emit_binary(p, in, OP_AND, T_B32, lane, emit_constant(3));
    struct ptx_operand strided = f->adjacent ? group : member, rest = f->adjacent ? member : group;
    int times = f->adjacent ? 1 : f->run, bytes = (f->adjacent ? f->run : 1) * f->bits / 8;
    struct ptx_operand by = a->stride.fixed ? emit_constant(times * a->stride.elements * f->bits / 8) : a->stride.reg;
    if (!a->stride.fixed && times * a->stride.unit > 1) {
        strided = emit_binary(p, in, OP_MUL, T_U32, strided, emit_constant(times * a->stride.unit));
        p->insts[p->ninsts - 1].mod[PG_MULW] = MOD(MULW, LO);
    }
    base = emit_address(p, in, base, strided, by);
    a->at[0] = emit_address(p, in, base, rest, emit_constant(bytes));
    a->known[0] = true;
    a->offset = o->imm;
}

/* The memory operand of an element; its address register is made when it is first needed. */
static struct ptx_operand element_address(const struct fragment *f, struct addresses *a, int r, int e)
{
    struct place at = place_of(f, r, e);
    int times = f->adjacent ? at.line : at.at, rest = f->adjacent ? at.at : at.line;
    struct ptx_operand m = { .kind = OPD_MEM, .has_reg = true, .loc = f->in->loc };
    m.imm = a->offset + rest * f->bits / 8;
    if (a->stride.fixed) {
        m.imm += times * a->stride.elements * f->bits / 8;
        times = 0;
    } else if (!a->known[times]) {
        a->at[times] = emit_address(f->p, f->in, a->at[0], a->stride.reg, emit_constant(times * a->stride.unit));
        a->known[times] = true;
    }
    m.reg = a->at[times].reg;
    return m;
}

/* All addresses are computed before the first load, which may overwrite the registers that they come from. */
static void set_addresses(const struct fragment *f, struct addresses *a, const struct ptx_operand *o)
{
    a->stride = stride_of(f);
    set_lane_address(f, a, o);
    for (int r = 0; r < f->used; r++)
        for (int e = 0; e < f->per; e++)
            element_address(f, a, r, e);
}

/* ---- loads and stores ---- */

static void access_matrix(const struct fragment *f, bool store, enum ptx_type t, struct ptx_operand data,
                          struct ptx_operand address)
{
    emit_access(f->p, f->in, store, t, data, address)->mod[PG_SPACE] = INST_SPACE(f->in);
}

/* Elements beside each other in memory: a register, or two of whole elements. */
static void access_runs(const struct fragment *f, struct addresses *a, bool store)
{
    bool pairs = f->per < f->run;
    for (int r = 0; r < f->used; r += pairs ? 2 : 1)
        access_matrix(f, store, f->bits == 64 ? T_B64 : T_B32, pairs ? emit_vector(f->p, &f->reg[r], 2) : f->reg[r],
                      element_address(f, a, r, 0));
}

static void move_between(const struct fragment *f, struct ptx_operand to, struct ptx_operand from)
{
    struct ptx_inst *in = emit_guarded(f->p, f->in, OP_MOV, T_B32, 2);
    in->opd[0] = to;
    in->opd[1] = from;
}

static struct ptx_operand permuted(const struct fragment *f, struct ptx_operand a, struct ptx_operand b)
{
    struct ptx_operand to = emit_binary(f->p, f->in, OP_PRMT, T_B32, a, b);
    struct ptx_inst *in = &f->p->insts[f->p->ninsts - 1];
    in->nopd = 4;
    in->opd[3] = emit_constant(0x40);
    return to;
}

/* A register of elements that were loaded one by one. */
static void pack(const struct fragment *f, int r, const struct ptx_operand *parts)
{
    if (f->per == 2) {
        move_between(f, f->reg[r], emit_vector(f->p, parts, 2));
        return;
    }
    struct ptx_operand low = permuted(f, parts[0], parts[1]), high = permuted(f, parts[2], parts[3]);
    struct ptx_inst *in = emit_guarded(f->p, f->in, OP_PRMT, T_B32, 4);
    in->opd[0] = f->reg[r];
    in->opd[1] = low;
    in->opd[2] = high;
    in->opd[3] = emit_constant(0x5410);
}

/* Elements of 8 and 16 bits share registers; all loads are emitted before the first instruction that waits for one. */
static void load_elements(const struct fragment *f, struct addresses *a)
{
    static const enum ptx_type memory[] = { T_B64, T_B32, T_B16, T_B16, T_U8 };
    struct ptx_operand part[MAX_REGISTERS][4];
    enum ptx_type t = f->bits == 64 ? memory[0] : memory[f->per];
    for (int r = 0; r < f->used; r++)
        for (int e = 0; e < f->per; e++) {
            part[r][e] = f->per == 1 ? f->reg[r] : emit_register(f->p, f->in, f->per == 2 ? T_B16 : T_B32);
            access_matrix(f, false, t, part[r][e], element_address(f, a, r, e));
        }
    for (int r = 0; r < f->used && f->per > 1; r++)
        pack(f, r, part[r]);
}

/* Of C and D: whole registers, or halves of one. */
static void store_elements(const struct fragment *f, struct addresses *a)
{
    for (int r = 0; r < f->used; r++) {
        struct ptx_operand part[2] = { f->reg[r], f->reg[r] };
        if (f->per == 2) {
            part[0] = emit_register(f->p, f->in, T_B16);
            part[1] = emit_register(f->p, f->in, T_B16);
            move_between(f, emit_vector(f->p, part, 2), f->reg[r]);
        }
        for (int e = 0; e < f->per; e++)
            access_matrix(f, true, f->bits == 64 ? T_B64 : f->per == 2 ? T_B16 : T_B32, part[e],
                          element_address(f, a, r, e));
    }
}

/* A barrier of the warp's lanes. */
static void emit_warp_barrier(struct parser *p, const struct ptx_inst *like)
{
    struct ptx_inst *in = emit_guarded(p, like, OP_BAR, T_NONE, 1);
    in->mod[PG_BAROP] = MOD(BAROP, WARP);
    in->mod[PG_SYNC] = MOD(SYNC, SYNC);
    in->opd[0] = emit_constant(UINT32_MAX);
}

void reduce_wmma_access(struct parser *p, const struct ptx_inst *in)
{
    bool store = in->op == OP_WMMA_STORE_D;
    struct fragment f = fragment_of(p, in);
    struct addresses a = { .offset = 0 };
    int n = wmma_registers(in, store).n;
    find_registers(&f, &in->opd[store], store, n);
    set_addresses(&f, &a, &in->opd[!store]);
    emit_warp_barrier(p, in);
    if (f.adjacent)
        access_runs(&f, &a, store);
    else if (store)
        store_elements(&f, &a);
    else
        load_elements(&f, &a);
    for (int r = f.used; r < n; r++)
        move_between(&f, f.reg[r], emit_constant(0));
}

/*
 * CUDA requires rows of 16 bytes, the ISA rows of the size of a fragment (PTX ISA, "Matrix Storage for WMMA"): programs
 * keep the weaker of both.
 */
bool wmma_check_stride(struct parser *p, const struct ptx_inst *in)
{
    const struct ptx_operand *o = &in->opd[2];
    struct fragment f = fragment_of(p, in);
    int least = default_stride(&f), bytes = wmma_registers(in, in->op == OP_WMMA_STORE_D).n * (f.bits == 64 ? 8 : 4);
    int unit = (bytes < 16 ? bytes : 16) * 8 / f.bits;
    if (o->kind != OPD_IMM || (o->imm >= least && o->imm <= MAX_STRIDE && o->imm % unit == 0))
        return true;
    diag_error(p->d, o->loc.line, o->loc.col,
               "the stride of this matrix must be a multiple of %d elements, from %d to %d", unit > 0 ? unit : 1, least,
               MAX_STRIDE);
    return false;
}

/* ---- products ---- */

struct piece {
    struct ptx_operand d[MAX_REGISTERS], a[MAX_REGISTERS], b[MAX_REGISTERS], c[MAX_REGISTERS];
    int nd, na, nb, nc;
};

static uint8_t piece_shape(const struct ptx_inst *in)
{
    switch (in->mod[PG_SHAPE]) {
    case MOD(SHAPE, M16N16K8): return MOD(SHAPE, M16N8K8);
    case MOD(SHAPE, M16N16K16): case MOD(SHAPE, M32N8K16): case MOD(SHAPE, M8N32K16): return MOD(SHAPE, M16N8K16);
    default: return in->mod[PG_SHAPE];
    }
}

static const struct ptx_operand *elements(const struct ptx_operand *o)
{
    return o->kind == OPD_VEC ? o->elem : o;
}

/* Piece q of the product: a half of the columns of a matrix of 16, of the rows of a matrix of 32, or all of it. */
static struct piece piece_of(const struct ptx_inst *in, int q)
{
    bool turned = is_transposed(in), tall = turned || in->mod[PG_SHAPE] == MOD(SHAPE, M32N8K16);
    const struct ptx_operand *a = elements(&in->opd[turned ? 2 : 1]), *b = elements(&in->opd[turned ? 1 : 2]);
    struct ptx_inst part = { .op = OP_MMA };
    part.mod[PG_SHAPE] = piece_shape(in);
    for (int i = 0; i < 4; i++)
        part.type[i] = (uint8_t)wmma_type(in, wmma_matrix_at(in, i));
    struct piece x = { .nd = matrix_registers(&part, 0).n, .na = matrix_registers(&part, 1).n,
                       .nb = matrix_registers(&part, 2).n, .nc = matrix_registers(&part, 3).n };
    for (int i = 0; i < x.na; i++)
        x.a[i] = a[tall ? i / 2 * 4 + i % 2 + 2 * q : i];
    for (int i = 0; i < x.nb; i++)
        x.b[i] = b[tall ? i : i + q * x.nb];
    for (int i = 0; i < x.nc; i++)
        x.c[i] = elements(&in->opd[3])[i + q * x.nc];
    for (int i = 0; i < x.nd; i++)
        x.d[i] = elements(&in->opd[0])[i + q * x.nd];
    return x;
}

/* Sources that the piece before has overwritten are copied before it. */
static void save_sources(struct parser *p, const struct ptx_inst *in, struct ptx_operand *from, int n,
                         const struct piece *before)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < before->nd; k++)
            if (from[i].kind == OPD_REG && before->d[k].kind == OPD_REG && from[i].reg == before->d[k].reg) {
                from[i] = emit_move(p, in, (enum ptx_type)from[i].reg->type, from[i]);
                break;
            }
}

static void emit_product(struct parser *p, const struct ptx_inst *like, const struct piece *x)
{
    struct ptx_operand d = emit_vector(p, x->d, x->nd), a = emit_vector(p, x->a, x->na);
    struct ptx_operand b = emit_vector(p, x->b, x->nb);
    struct ptx_operand c = emit_vector(p, x->c, x->nc);
    struct ptx_inst *in = emit_guarded(p, like, OP_MMA, wmma_type(like, WMMA_D), 4);
    in->type[1] = (uint8_t)wmma_type(like, WMMA_A);
    in->type[2] = (uint8_t)wmma_type(like, WMMA_B);
    in->type[3] = (uint8_t)wmma_type(like, WMMA_C);
    in->mod[PG_SYNC] = MOD(SYNC, SYNC);
    in->mod[PG_ALIGNED] = MOD(ALIGNED, ALIGNED);
    in->mod[PG_SHAPE] = piece_shape(like);
    in->mod[PG_ALAYOUT] = MOD(ALAYOUT, A_ROW);
    in->mod[PG_BLAYOUT] = MOD(BLAYOUT, B_COL);
    in->mod[PG_SATF] = like->mod[PG_SATF];
    in->mod[PG_BOOL] = like->mod[PG_BOOL];
    in->mod[PG_REDOP] = like->mod[PG_REDOP];
    in->opd[0] = d;
    in->opd[1] = a;
    in->opd[2] = b;
    in->opd[3] = c;
}

void reduce_wmma_multiply(struct parser *p, const struct ptx_inst *in)
{
    bool two = piece_shape(in) != in->mod[PG_SHAPE];
    struct piece first = piece_of(in, 0), second = two ? piece_of(in, 1) : first;
    if (two) {
        save_sources(p, in, second.a, second.na, &first);
        save_sources(p, in, second.b, second.nb, &first);
        save_sources(p, in, second.c, second.nc, &first);
    }
    emit_product(p, in, &first);
    if (two)
        emit_product(p, in, &second);
}
