/*
 * A function's frame: where each width class of registers starts, and where the variables in private memory lie.
 * Private memory has the parameters first, then return values, then the other variables, each at least 4-byte aligned,
 * so that every function of one prototype has its parameters at the same places. A kernel's frame begins with the
 * .local variables of module scope (PTX before 3.0), which have the same addresses in all functions.
 */
#include "ptx/program/decode.h"

uint32_t frame_place_registers(struct code *c)
{
    static const enum reg_class order[] = { RC_128, RC_64, RC_32, RC_16, RC_PRED };
    uint32_t at = 0;
    for (int i = 0; i < RC_COUNT; i++) {
        enum reg_class r = order[i];
        c->class_base[r] = at;
        at += c->flow->places[r] * (uint32_t)(r == RC_PRED ? 4 : ptx_reg_class_bytes(r) * LANES);
        at = (at + 63) & ~63u;
    }
    return at;
}

static uint64_t place(struct ptx_var *v, uint64_t at)
{
    uint32_t align = v->align < 4 ? 4 : v->align;
    v->address = (at + align - 1) / align * align;
    return v->address + ((v->size + 3) & ~3ull);
}

static uint64_t place_list(struct ptx_var *list, uint64_t at)
{
    for (struct ptx_var *v = list; v; v = v->next)
        if (v->space == SP_PARAM || v->space == SP_LOCAL || v->space == SP_REG)
            at = place(v, at);
    return at;
}

uint64_t frame_place_module(struct ptx_var *vars, uint64_t at)
{
    for (struct ptx_var *v = vars; v; v = v->next)
        if (v->space == SP_LOCAL)
            at = place(v, at);
    return (at + 15) & ~15ull;
}

/* A kernel's parameters lie in the launch's parameter block, at their natural alignment. */
static void place_kernel_parameters(struct ptx_func *f)
{
    uint64_t offset = 0;
    for (struct ptx_var *v = f->params; v; v = v->next) {
        offset = (offset + v->align - 1) / v->align * v->align;
        v->address = offset;
        offset += v->size;
    }
}

void frame_place_prototype(struct ptx_var *params, struct ptx_var *rets)
{
    place_list(rets, place_list(params, 0));
}

uint64_t code_place_private(struct ptx_func *f, uint64_t module_bytes)
{
    uint64_t at = f->is_entry ? module_bytes : 0;
    if (f->is_entry)
        place_kernel_parameters(f);
    else
        at = place_list(f->rets, place_list(f->params, 0));
    at = place_list(f->vars, at);
    return (at + 15) & ~15ull;
}

void frame_check_parameters(const struct ptx_func *f, struct diag *d)
{
    for (const struct ptx_var *v = f->params; v && f->is_entry; v = v->next)
        if (v->address + v->size > PARAM_MAX) {
            diag_error(d, v->loc.line, v->loc.col, "parameter '%s' lies beyond the %d bytes that a kernel's parameters "
                       "may take", v->name, PARAM_MAX);
            return;
        }
}

static void mark_list(struct code *c, const struct ptx_var *list)
{
    for (const struct ptx_var *v = list; v; v = v->next)
        for (uint64_t k = v->address / 4; v->space == SP_PARAM && k < (v->address + v->size + 3) / 4; k++)
            c->param_words[k / 32] |= 1u << k % 32;
}

void code_mark_params(struct program *p, struct code *c)
{
    c->param_words = arena_alloc(p->arena, (c->local_bytes / 128 + 1) * sizeof *c->param_words);
    if (!c->func->is_entry) {
        mark_list(c, c->func->params);
        mark_list(c, c->func->rets);
    }
    mark_list(c, c->func->vars);
}
