/*
 * tensormap.replace and tensormap.cp_fenceproxy (PTX ISA 9.7.9.27, 9.7.13.17) are replaced by stores of the field, and
 * by loads and stores of the map and a fence. The layout of a map is simtx's own (ptx/memory/tensor_map.h). A field may
 * be narrower than the value of the instruction; the upper bits are then lost.
 */
#include <stddef.h>

#include "ptx/memory/tensor_map.h"
#include "ptx/text/parser.h"

static const struct field {
    uint8_t offset, bytes;
    bool dimensions;                 /* a field for each; their number is the first operand */
    int8_t more;                     /* what is added to the value */
} fields[] = {
#define FIELD(member, bytes, dimensions, more) { offsetof(struct tensor_map, member), bytes, dimensions, more }
    [OP_MAP_ADDRESS - OP_MAP_ADDRESS] = FIELD(address, 8, false, 0),
    [OP_MAP_RANK - OP_MAP_ADDRESS] = FIELD(rank, 1, false, 1),
    [OP_MAP_BOX - OP_MAP_ADDRESS] = FIELD(box, 2, true, 0),
    [OP_MAP_SIZE - OP_MAP_ADDRESS] = FIELD(last, 4, true, -1),
    [OP_MAP_STRIDE - OP_MAP_ADDRESS] = FIELD(stride, 8, true, 0),
    [OP_MAP_STEP - OP_MAP_ADDRESS] = FIELD(step, 1, true, 0),
    [OP_MAP_TYPE - OP_MAP_ADDRESS] = FIELD(type, 1, false, 0),
    [OP_MAP_INTERLEAVE - OP_MAP_ADDRESS] = FIELD(interleave, 1, false, 0),
    [OP_MAP_SWIZZLE - OP_MAP_ADDRESS] = FIELD(span, 1, false, 0),
    [OP_MAP_FILL - OP_MAP_ADDRESS] = FIELD(nan, 1, false, 0),
#undef FIELD
};

/* The numbers of element types are not those of the driver API; the span of a swizzle is in bytes. */
static int64_t stored(uint16_t op, int64_t v)
{
    static const uint8_t types[] = {
        TENSOR_U8, TENSOR_U16, TENSOR_U32, TENSOR_S32, TENSOR_U64, TENSOR_S64, TENSOR_F16, TENSOR_F32, TENSOR_F32_FTZ,
        TENSOR_F64, TENSOR_BF16, TENSOR_TF32, TENSOR_TF32_FTZ,
    };
    static const uint8_t spans[] = { 0, 32, 64, 128 };
    return op == OP_MAP_TYPE ? types[v] : op == OP_MAP_SWIZZLE ? spans[v] : v;
}

static struct ptx_operand value_of(struct parser *p, const struct ptx_inst *in, const struct field *f,
                                   const struct ptx_operand *o)
{
    if (o->kind == OPD_IMM) {
        uint64_t v = (uint64_t)(stored(in->op, o->imm) + f->more);
        return emit_constant((int64_t)(f->bytes == 8 ? v : v & ((UINT64_C(1) << 8 * f->bytes) - 1)));
    }
    if (!f->more)
        return *o;
    struct ptx_operand sum = emit_register(p, in, T_B32);
    struct ptx_inst *add = emit_one(p, in, OP_ADD, T_S32, 3);
    add->opd[0] = sum;
    add->opd[1] = *o;
    add->opd[2] = emit_constant(f->more);
    return sum;
}

void reduce_map_field(struct parser *p, const struct ptx_inst *in)
{
    static const enum ptx_type types[] = { [1] = T_B8, [2] = T_B16, [4] = T_B32, [8] = T_B64 };
    const struct field *f = &fields[in->op - OP_MAP_ADDRESS];
    struct ptx_operand value = value_of(p, in, f, &in->opd[f->dimensions ? 2 : 1]);
    struct ptx_operand address = in->opd[0];
    address.imm += f->offset + (f->dimensions ? in->opd[1].imm * f->bytes : 0);
    struct ptx_inst *st = emit_access(p, in, true, types[f->bytes], value, address);
    st->mod[PG_SPACE] = in->mod[PG_SPACE];
    st->mod[PG_SHAREDSUB] = in->mod[PG_SHAREDSUB];
}

void tensor_check_field(struct parser *p, const struct ptx_inst *in)
{
    const struct ptx_operand *o = &in->opd[1];
    int64_t most = in->op == OP_MAP_STRIDE ? TENSOR_DIMS - 2 : in->op == OP_MAP_TYPE ? TENSOR_TYPE_COUNT - 1
                   : in->op == OP_MAP_SWIZZLE ? 3 : in->op == OP_MAP_FILL ? 1 : TENSOR_DIMS - 1;
    bool constant = in->op != OP_MAP_ADDRESS && in->op != OP_MAP_RANK;
    if (in->op == OP_MAP_INTERLEAVE && o->imm)
        diag_error(p->d, o->loc.line, o->loc.col, "interleaved layouts of tensors are not supported: it must be 0");
    else if (constant && (o->imm < 0 || o->imm > most))
        diag_error(p->d, o->loc.line, o->loc.col, "this value must be 0 to %d", (int)most);
}

/* ---- tensormap.cp_fenceproxy ---- */

enum { VECTOR = 16, WORDS = VECTOR / 4 };

/* Operand 0 of the instruction is the map in global memory, operand 1 the one in shared memory. */
static void access_map(struct parser *p, const struct ptx_inst *in, bool store, uint32_t at, struct ptx_operand data)
{
    struct ptx_operand address = in->opd[store ? 0 : 1];
    address.imm += at;
    struct ptx_inst *access = emit_access(p, in, store, T_B32, data, address);
    access->mod[PG_SPACE] = store ? MOD(SPACE, GLOBAL) : MOD(SPACE, SHARED);
    access->mod[PG_SHAREDSUB] = store ? 0 : MOD(SHAREDSUB, SHARED_CTA);
}

/* Every lane copies the map: the lanes of a warp have the same operands, so they read and write the same bytes. */
void reduce_map_copy(struct parser *p, const struct ptx_inst *in)
{
    struct ptx_operand word[WORDS], data[sizeof(struct tensor_map) / VECTOR];
    for (uint32_t i = 0; i < sizeof data / sizeof *data; i++) {
        for (int k = 0; k < WORDS; k++)
            word[k] = emit_register(p, in, T_B32);
        data[i] = emit_vector(p, word, WORDS);
        access_map(p, in, false, i * VECTOR, data[i]);
    }
    for (uint32_t i = 0; i < sizeof data / sizeof *data; i++)
        access_map(p, in, true, i * VECTOR, data[i]);
    emit_guarded(p, in, OP_FENCE_PROXY_MAP_RELEASE, T_NONE, 0)->mod[PG_SCOPE] = in->mod[PG_SCOPE];
}
