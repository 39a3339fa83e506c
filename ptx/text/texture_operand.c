/*
 * Operands of texture and surface instructions (PTX ISA, Texture Instructions): the address [a, {coordinates}] or
 * [a, b, {coordinates}], levels, gradients and offsets; and the initialisers of .samplerref variables.
 */
#include <string.h>

#include "ptx/text/parser.h"
#include "ptx/texture/texture.h"

static bool error_at(struct parser *p, struct ptx_loc l, const char *msg)
{
    diag_error(p->d, l.line, l.col, "%s", msg);
    return false;
}

/* ---- parts that are rejected by name ---- */

static bool is_fetch(uint16_t op)
{
    return op == OP_TEX || op == OP_TLD4;
}

bool texture_unsupported(struct parser *p, struct list operands)
{
    const struct node *d = operands.first;
    if (!is_fetch(p->opcode->op) || !d || d->kind != NODE_BINARY || d->op != '|')
        return false;
    diag_error(p->d, d->loc.line, d->loc.col, "the residency predicate of '%s' is not supported", p->opcode->s);
    return true;
}

/* ---- the image and the sampler ---- */

static bool is_surface(const struct ptx_inst *in)
{
    return in->op >= OP_SULD && in->op <= OP_SUQ;
}

static bool fits_variable(const struct ptx_inst *in, const struct ptx_var *v, bool sampler)
{
    bool query = in->op == OP_TXQ && v->type == T_SAMPLERREF;
    return v->type == (sampler ? T_SAMPLERREF : is_surface(in) ? T_SURFREF : T_TEXREF) || query;
}

/* A variable, or a register with the handle of an object or the address of a variable. */
static bool check_object(struct parser *p, const struct ptx_inst *in, const struct ptx_operand *o, bool sampler)
{
    if (o->kind == OPD_REG && ptx_type_size((enum ptx_type)o->reg->type) == 8 &&
        ptx_type_class((enum ptx_type)o->reg->type) != 'f')
        return true;
    if (o->kind == OPD_VAR && o->var->space == SP_PARAM)
        return error_at(p, o->loc, "a texture or surface that is a parameter is a .u64 in a register");
    if (o->kind == OPD_VAR && !o->imm && fits_variable(in, o->var, sampler))
        return true;
    diag_error(p->d, o->loc.line, o->loc.col, "'%s' needs a .%s or a register of 64 bits here", ptx_ops[in->op].text,
               sampler ? "samplerref" : is_surface(in) ? "surfref" : "texref");
    return false;
}

/* ---- coordinates ---- */

static unsigned coordinates_of(const struct ptx_inst *in)
{
    switch (in->mod[PG_GEOM]) {
    case MOD(GEOM, 1D): return 1;
    case MOD(GEOM, 2D):
    case MOD(GEOM, A1D): return 2;
    case MOD(GEOM, 3D):
    case MOD(GEOM, A2D):
    case MOD(GEOM, CUBE): return 3;
    case MOD(GEOM, ACUBE): return 4;
    default: return 0;
    }
}

static bool word_fits(struct parser *p, const struct ptx_operand *o, bool real)
{
    if (o->kind == OPD_REG) {
        char class = ptx_type_class((enum ptx_type)o->reg->type);
        bool fits = class == 'b' || (class == 'f') == real;
        if (class != 'p' && ptx_type_size((enum ptx_type)o->reg->type) == 4 && fits)
            return true;
        diag_error(p->d, o->loc.line, o->loc.col, "register '%s' is .%s, but .%s is needed here", o->reg->name,
                   ptx_type_name((enum ptx_type)o->reg->type), real ? "f32" : "b32");
        return false;
    }
    bool constant = o->kind == OPD_FIMM ? real : o->kind == OPD_IMM || o->kind == OPD_SREG;
    return constant || error_at(p, o->loc, "a register of 32 bits or a constant is expected");
}

/* Constants of double precision are written without a suffix; coordinates are single. */
static void to_single(struct ptx_operand *o)
{
    double d;
    float f;
    uint32_t bits;
    if (o->kind != OPD_FIMM || o->is_f32)
        return;
    memcpy(&d, &o->imm, sizeof d);
    f = (float)d;
    memcpy(&bits, &f, sizeof bits);
    o->imm = bits;
    o->is_f32 = true;
}

/* The layer comes first and is an integer; a vector of four may have more elements than are read. */
static bool check_coordinates(struct parser *p, const struct ptx_inst *in, struct ptx_operand *at, unsigned n)
{
    unsigned want = coordinates_of(in);
    uint8_t g = in->mod[PG_GEOM];
    bool layered = g == MOD(GEOM, A1D) || g == MOD(GEOM, A2D) || g == MOD(GEOM, ACUBE), ok = true;
    if (n != want && !(n == 4 && want == 3)) {
        diag_error(p->d, p->inst_loc.line, p->inst_loc.col, "'%s' takes %u coordinate%s here, not %u", p->opcode->s,
                   want, want == 1 ? "" : "s", n);
        return false;
    }
    for (unsigned i = 0; i < want; i++) {
        bool real = is_fetch(in->op) && in->type[1] == T_F32 && !(layered && i == 0);
        ok &= word_fits(p, &at[i], real);
        to_single(&at[i]);
    }
    return ok;
}

static const struct node *unwrap(const struct node *n, unsigned *count)
{
    bool vector = n && n->kind == NODE_VEC;
    *count = vector ? n->n : n != NULL;
    return vector ? n->first : n;
}

bool texture_operand(struct parser *p, const struct ptx_inst *in, const struct node *n, struct ptx_operand *o)
{
    bool query = in->op == OP_TXQ || in->op == OP_SUQ;
    unsigned parts = n->kind == NODE_MEM ? n->n : 0, count = 0;
    o->loc = n->loc;
    if (parts < (query ? 1u : 2u) || parts > (query ? 1u : is_fetch(in->op) ? 3u : 2u))
        return error_at(p, n->loc, query ? "[a] is expected: a texture, surface or sampler"
                                         : "[a, {coordinates}] is expected: a texture or surface, and the place");
    const struct node *sampler = parts == 3 ? n->first->next : NULL;
    const struct node *at = unwrap(query ? NULL : (sampler ? sampler : n->first)->next, &count);
    if (count > 4)
        return error_at(p, n->loc, "a vector of coordinates has 1 to 4 elements");
    o->kind = OPD_VEC;
    o->n = (uint8_t)(2 + count);
    o->elem = arena_alloc(p->arena, o->n * sizeof *o->elem);
    bool ok = operand_simple(p, in, n->first, &o->elem[0]) && check_object(p, in, &o->elem[0], false);
    if (sampler)
        ok &= operand_simple(p, in, sampler, &o->elem[1]) && check_object(p, in, &o->elem[1], true);
    for (unsigned i = 0; i < count; i++, at = at->next)
        ok &= operand_simple(p, in, at, &o->elem[2 + i]);
    return ok && (query || check_coordinates(p, in, o->elem + 2, count));
}

/* ---- levels, gradients, offsets ---- */

static bool is_real(const struct ptx_operand *o)
{
    const struct ptx_operand *e = o->kind == OPD_VEC ? o->elem : o;
    return e->kind == OPD_FIMM || (e->kind == OPD_REG && ptx_type_class((enum ptx_type)e->reg->type) == 'f');
}

bool texture_check_extra(struct parser *p, const struct ptx_inst *in, struct ptx_operand *o)
{
    unsigned k = (unsigned)(o - in->opd);
    unsigned levels = in->mod[PG_LOD] == MOD(LOD, LEVEL) ? 1 : in->mod[PG_LOD] == MOD(LOD, GRAD) ? 2 : 0;
    bool offset = k >= 2 + levels, ok = true;
    if (offset && (k > 2 + levels || (o->kind != OPD_VEC && is_real(o))))
        return error_at(p, o->loc, "the comparison with a depth is not supported");
    struct ptx_operand *e = o->kind == OPD_VEC ? o->elem : o;
    unsigned n = o->kind == OPD_VEC ? o->n : 1, layered = in->mod[PG_GEOM] == MOD(GEOM, A1D) ||
                                            in->mod[PG_GEOM] == MOD(GEOM, A2D) || in->mod[PG_GEOM] == MOD(GEOM, ACUBE);
    unsigned want = !offset && levels == 1 ? 1 : coordinates_of(in) - layered;
    if (n < want)
        return error_at(p, o->loc, "the vector has fewer elements than the texture has dimensions");
    for (unsigned i = 0; i < want; i++) {
        ok &= word_fits(p, &e[i], !offset);
        to_single(&e[i]);
    }
    return ok;
}

/* ---- initialisers ---- */

static bool find_mode(const char *word, uint8_t *mode)
{
    static const struct { const char *word; uint8_t mode; } modes[] = {
        { "wrap", TEX_WRAP }, { "mirror", TEX_MIRROR }, { "clamp_ogl", TEX_CLAMP }, { "clamp_to_edge", TEX_CLAMP },
        { "clamp_to_border", TEX_BORDER },
    };
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (!strcmp(modes[i].word, word)) {
            *mode = modes[i].mode;
            return true;
        }
    return false;
}

/* Fields of images are set when the reference is bound. */
static bool is_image_field(const char *field)
{
    static const char *const fields[] = { "width", "height", "depth", "channel_data_type", "channel_order",
                                          "normalized_coords", "array_size", "num_mipmap_levels", "num_samples",
                                          "memory_layout" };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (!strcmp(fields[i], field))
            return true;
    return false;
}

static bool set_field(struct tex_sampler_state *s, const char *field, const struct node *value)
{
    const char *word = value->kind == NODE_NAME ? value->name->s : "";
    bool number = value->kind == NODE_INT;
    if (!strncmp(field, "addr_mode_", 10) && field[10] >= '0' && field[10] <= '2' && !field[11])
        return find_mode(word, &s->wrap[field[10] - '0']);
    if (!strcmp(field, "filter_mode")) {
        s->linear = !strcmp(word, "linear");
        return s->linear || !strcmp(word, "nearest");
    }
    if (!strcmp(field, "force_unnormalized_coords")) {
        s->unnormalized = number && value->u;
        return number;
    }
    return is_image_field(field);
}

bool texture_init(struct parser *p, struct ptx_var *v, const struct node *init)
{
    struct tex_sampler_state s = { .wrap = { TEX_CLAMP, TEX_CLAMP, TEX_CLAMP } };
    bool ok = init->kind == NODE_VEC && v->size == 8;
    for (const struct node *e = ok ? init->first : NULL; ok && e; e = e->next)
        ok = e->kind == NODE_ASSIGN && set_field(&s, e->name->s, e->kid[0]);
    if (!ok)
        return error_at(p, init->loc,
                        "the initialiser of a texture or sampler is a list of its fields: { field = value }");
    if (v->type != T_SAMPLERREF)
        return true;
    uint64_t state = tex_sampler_encode(&s);
    v->init = arena_alloc(p->arena, sizeof state);
    memcpy(v->init, &state, sizeof state);
    return true;
}
