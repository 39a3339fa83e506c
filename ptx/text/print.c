/*
 * Disassembly: an instruction as PTX text that parses to the same instruction. Modifiers are in the order of the ISA,
 * operands in that of the signature.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdarg.h>
#include <string.h>

#include "ptx/isa/ops_check.h"

struct out { char *buf; size_t size; int len; };

static void put(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void put(struct out *o, const char *fmt, ...)
{
    va_list ap;
    size_t room = (size_t)o->len < o->size ? o->size - (size_t)o->len : 0;
    va_start(ap, fmt);
    int n = vsnprintf(room ? o->buf + o->len : NULL, room, fmt, ap);
    va_end(ap);
    if (n > 0)
        o->len += n;
}

static void put_label(struct out *o, const struct ptx_func *f, uint32_t inst)
{
    uint32_t low = 0, high = f->nlabels;     /* labels are in the order of their instructions */
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (f->labels[mid].inst < inst)
            low = mid + 1;
        else
            high = mid;
    }
    if (low < f->nlabels && f->labels[low].inst == inst)
        put(o, "%s", f->labels[low].name);
    else
        put(o, "L%u", inst);
}

static void put_selector(struct out *o, const struct ptx_operand *v)
{
    if (!v->bytesel)
        return;
    if (v->bytesel < 5)
        put(o, ".b%d", v->bytesel - 1);
    else if (v->bytesel < 7)
        put(o, ".h%d", v->bytesel - 5);
    else
        put(o, ".%c%0*" PRIx64, v->bytesel == 7 ? 'h' : 'b', v->n, (uint64_t)v->imm);
}

static void put_sreg(struct out *o, const struct ptx_operand *v)
{
    enum ptx_sreg s = (enum ptx_sreg)v->sreg;
    if (s == SR_PM64)
        put(o, "%%pm%" PRId64 "_64", v->imm);
    else if (s == SR_PM || s == SR_ENVREG)
        put(o, "%%%s%" PRId64, ptx_sreg_name(s), v->imm);
    else
        put(o, "%%%s", ptx_sreg_name(s));
    if (v->comp)
        put(o, ".%c", "xyzw"[v->comp - 1]);
}

static void put_offset(struct out *o, int64_t imm)
{
    if (imm)
        put(o, "+%" PRId64, imm);
}

static void put_place(struct out *o, const struct ptx_operand *v)
{
    if (v->has_reg)
        put(o, "%s", v->reg->name);
    else if (v->has_var)
        put(o, "%s", v->var->name);
    else
        put(o, "%" PRId64, v->imm);
    if (v->has_reg || v->has_var)
        put_offset(o, v->imm);
}

static void put_address(struct out *o, const struct ptx_operand *v)
{
    put(o, "[");
    put_place(o, v);
    put(o, "]");
}

static void put_operand(struct out *o, const struct ptx_func *f, const struct ptx_operand *v)
{
    if (v->negated)
        put(o, "%s", v->kind == OPD_REG && v->reg->type == T_PRED ? "!" : "-");
    switch (v->kind) {
    case OPD_REG:
        put(o, "%s", v->reg->name);
        break;
    case OPD_IMM:
        put(o, "%" PRId64, v->imm);
        break;
    case OPD_FIMM:
        if (v->is_f32)
            put(o, "0f%08" PRIX64, (uint64_t)v->imm & 0xffffffffu);
        else
            put(o, "0d%016" PRIX64, (uint64_t)v->imm);
        break;
    case OPD_SREG:
        put_sreg(o, v);
        break;
    case OPD_VAR:
        put(o, "%s", v->var->name);
        put_offset(o, v->imm);
        break;
    case OPD_FUNC:
        put(o, "%s", v->func->name);
        break;
    case OPD_LABEL:
        put_label(o, f, v->label);
        break;
    case OPD_TABLE:
        put(o, "%s", v->table ? v->table->name : "?");
        break;
    case OPD_VEC:
        for (int i = 0; i < v->n; i++) {
            put(o, "%s", i ? ", " : "{");
            put_operand(o, f, &v->elem[i]);
        }
        put(o, "}");
        break;
    case OPD_MEM:
        put_address(o, v);
        break;
    case OPD_SINK:
        put(o, "_");
        break;
    default:
        break;
    }
    if (v->kind == OPD_REG || v->kind == OPD_IMM)
        put_selector(o, v);
}

/* Groups that the ISA writes after the others, just before the type. */
static bool late_group(int g)
{
    return g == PG_ATOM || g == PG_NOFTZ || g == PG_VEC || g == PG_L2HINT || g == PG_PREFSIZE ||
        g == PG_REDOP;
}

static void put_groups(struct out *o, const struct ptx_inst *in, bool done[PG_COUNT], bool late)
{
    for (int g = 0; g < PG_COUNT; g++) {
        bool implied = g == PG_SPACE && (in->mod[PG_PARAMSUB] || in->mod[PG_SHAREDSUB]);
        if (in->mod[g] && !done[g] && !implied && late_group(g) == late)
            put(o, ".%s", ptx_modifier_name(in->mod[g]));
    }
}

static void put_types(struct out *o, const struct ptx_inst *in)
{
    for (int i = 0; i < 4; i++)
        if (in->type[i])
            put(o, ".%s", ptx_type_name((enum ptx_type)in->type[i]));
}

static void put_modifiers(struct out *o, const struct ptx_inst *in)
{
    static const uint8_t first[] = { PG_BAROP, PG_VOTE, PG_MATCH, PG_SHFL, PG_TO, PG_APPROX, PG_CMP };
    bool done[PG_COUNT] = { false };
    bool video = in->op >= OP_VADD && in->op <= OP_VSET4;
    if (video)
        put_types(o, in);
    for (size_t i = 0; i < sizeof first; i++)
        if (in->mod[first[i]]) {
            put(o, ".%s", ptx_modifier_name(in->mod[first[i]]));
            done[first[i]] = true;
        }
    done[PG_BOUND] = true;
    put_groups(o, in, done, false);
    put_groups(o, in, done, true);
    if (in->wgmma_n)
        put(o, ".m64n%dk%d", in->wgmma_n, in->wgmma_k);
    if (!video)
        put_types(o, in);
    if (in->mod[PG_BOUND])
        put(o, ".%s", ptx_modifier_name(in->mod[PG_BOUND]));
}

static void put_list(struct out *o, const struct ptx_func *f, const struct ptx_operand *v, int n)
{
    put(o, "(");
    for (int i = 0; i < n; i++) {
        put(o, "%s", i ? ", " : "");
        put_operand(o, f, &v[i]);
    }
    put(o, ")");
}

static void put_call(struct out *o, const struct ptx_func *f, const struct ptx_call *c)
{
    put(o, " ");
    if (c->nret) {
        put_list(o, f, c->ret, c->nret);
        put(o, ", ");
    }
    put_operand(o, f, &c->target);
    if (c->narg || c->table) {
        put(o, ", ");
        put_list(o, f, c->arg, c->narg);
    }
    if (c->table)
        put(o, ", %s", c->table->name);
}

/* [a, b, {coordinates}] */
static void put_texture(struct out *o, const struct ptx_func *f, const struct ptx_operand *v)
{
    put(o, "[");
    put_operand(o, f, &v->elem[0]);
    if (v->elem[1].kind != OPD_NONE) {
        put(o, ", ");
        put_operand(o, f, &v->elem[1]);
    }
    for (int i = 2; i < v->n; i++) {
        put(o, "%s", i > 2 ? ", " : ", {");
        put_operand(o, f, &v->elem[i]);
    }
    put(o, v->n > 2 ? "}]" : "]");
}

/* The map and its coordinates. */
static void put_tensor(struct out *o, const struct ptx_func *f, const struct ptx_operand *v)
{
    put(o, "[");
    put_place(o, &v[0]);
    put(o, ", ");
    put_operand(o, f, &v[1]);
    put(o, "]");
}

/* The words of a tensor copy: its name with the dimensions, the reduction and the mode (tensor_words.c). */
static void put_tensor_words(struct out *o, const struct ptx_inst *in)
{
    const char *text = ptx_ops[in->op].text, *rest = strstr(text, "tensor") + strlen("tensor");
    const char *ends = strstr(rest, ".mbarrier") ? strstr(rest, ".mbarrier") : strstr(rest, ".bulk_group");
    ends = ends ? ends : rest + strlen(rest);
    put(o, "%.*s.%s%.*s", (int)(rest - text), text, ptx_modifier_name(in->mod[PG_GEOM]), (int)(ends - rest), rest);
    if (in->mod[PG_ATOM])
        put(o, ".%s", ptx_modifier_name(in->mod[PG_ATOM]));
    put(o, ".%s%s", in->mod[PG_LOD] ? ptx_modifier_name(in->mod[PG_LOD]) : "tile", ends);
    if (in->mod[PG_L2HINT])
        put(o, ".%s", ptx_modifier_name(in->mod[PG_L2HINT]));
}

static void put_operands(struct out *o, const struct ptx_func *f, const struct ptx_inst *in)
{
    const char *sig = ptx_sig((enum ptx_op)in->op, in->mod);
    bool any = false;
    int k = 0;
    for (; *sig && k < in->nopd; sig++) {
        if (*sig == ',' || *sig == '?')
            continue;
        bool second = *sig == '|';
        sig += second;
        if (*sig == 'w')
            continue;
        if (in->opd[k].kind != OPD_NONE) {
            put(o, "%s", second ? "|" : any ? ", " : " ");
            if (*sig == 't')
                put_texture(o, f, &in->opd[k]);
            else if (*sig == 'y')
                put_tensor(o, f, &in->opd[k++]);
            else
                put_operand(o, f, &in->opd[k]);
            any = true;
        }
        k++;
    }
}

int ptx_print_inst(const struct ptx_func *f, const struct ptx_inst *in, char *buf, size_t size)
{
    struct out o = { buf, size, 0 };
    if (size)
        buf[0] = 0;
    if (in->guard)
        put(&o, "@%s%s ", in->guard_negated ? "!" : "", in->guard->name);
    if (ptx_is_tensor_copy((enum ptx_op)in->op))
        put_tensor_words(&o, in);
    else {
        put(&o, "%s", ptx_ops[in->op].text);
        put_modifiers(&o, in);
    }
    if (in->op == OP_CALL)
        put_call(&o, f, in->call);
    else
        put_operands(&o, f, in);
    put(&o, ";");
    return o.len;
}
