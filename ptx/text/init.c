/*
 * Initialisers (PTX ISA 5.4.4): the bytes of a variable from its list, zero padded, and a relocation for each
 * symbol's address in it. Lists may be shorter than their arrays, nested or flat.
 */
#include <string.h>

#include "ptx/text/parser.h"

enum { MAX_DIMS = 16 };

struct filler {
    struct parser *p;
    struct ptx_var *v;
    const uint64_t *dims;        /* vector elements are the last dimension */
    int ndims;
    int elem;                    /* bytes */
    struct ptx_reloc **relocs_end;
};

static bool put_number(struct filler *f, uint64_t offset, const struct node *n, struct value *v)
{
    struct parser *p = f->p;
    char class = ptx_type_class((enum ptx_type)f->v->type);
    uint8_t *at = f->v->init + offset;
    if (class == 'f') {
        double d = v->kind == VALUE_FLOAT ? v->f : v->is_unsigned ? (double)v->u : (double)(int64_t)v->u;
        float s = (float)d;
        if (f->elem < 4 || f->v->type == T_F16X2 || f->v->type == T_BF16X2 || f->v->type == T_TF32) {
            diag_error(p->d, n->loc.line, n->loc.col,
                       "variables of type .%s take no initialiser; declare them .b%d",
                       ptx_type_name((enum ptx_type)f->v->type), f->elem * 8);
            return false;
        }
        if (f->elem == 4 && v->is_f32)
            memcpy(at, &v->u, 4);
        else
            memcpy(at, f->elem == 4 ? (void *)&s : (void *)&d, (size_t)f->elem);
        return true;
    }
    if (v->kind == VALUE_FLOAT) {
        if (class != 'b' || !v->hex || f->elem != (v->is_f32 ? 4 : 8)) {
            diag_error(p->d, n->loc.line, n->loc.col, "a floating-point constant cannot initialise type .%s",
                       ptx_type_name((enum ptx_type)f->v->type));
            return false;
        }
    } else if (!check_fits_bits(v->u, f->elem * 8)) {
        diag_error(p->d, n->loc.line, n->loc.col, "value does not fit %d bits", f->elem * 8);
        return false;
    }
    if (f->elem == 16) {
        uint64_t high = !v->is_unsigned && (int64_t)v->u < 0 ? UINT64_MAX : 0;
        memcpy(at + 8, &high, 8);
    }
    memcpy(at, &v->u, f->elem > 8 ? 8 : (size_t)f->elem);
    return true;
}

static bool put_symbol(struct filler *f, uint64_t offset, const struct node *n, struct value *v)
{
    struct parser *p = f->p;
    int shift = 0;
    if (v->reg || (!v->var && !v->func)) {
        diag_error(p->d, n->loc.line, n->loc.col, "an initialiser is a constant or a symbol's address");
        return false;
    }
    if (v->mask) {
        while (!(v->mask >> shift & 1))
            shift++;
        if (v->mask >> shift != 0xff || f->elem != 1 || shift % 8) {
            diag_error(p->d, n->loc.line, n->loc.col,
                       "a mask takes one byte of the address, for a variable of bytes");
            return false;
        }
    } else if (f->elem < 4 || ptx_type_class((enum ptx_type)f->v->type) == 'f') {
        diag_error(p->d, n->loc.line, n->loc.col, "an address does not fit type .%s",
                   ptx_type_name((enum ptx_type)f->v->type));
        return false;
    }
    if (v->var && v->var->space != SP_GLOBAL && v->var->space != SP_CONST && v->var->space != SP_SHARED) {
        diag_error(p->d, n->loc.line, n->loc.col, "the address of '%s' is not a constant", v->var->name);
        return false;
    }
    struct ptx_reloc *r = arena_alloc(p->arena, sizeof *r);
    *r = (struct ptx_reloc){ .offset = offset, .size = f->elem > 8 ? 8 : f->elem, .shift = shift,
                             .var = v->var,
                             .func = v->func, .addend = (int64_t)v->u, .generic = v->generic };
    *f->relocs_end = r;
    f->relocs_end = &r->next;
    return true;
}

static bool put(struct filler *f, uint64_t offset, const struct node *n)
{
    if (offset + (uint64_t)f->elem > f->v->size) {
        diag_error(f->p->d, n->loc.line, n->loc.col, "more initialisers than '%s' has elements", f->v->name);
        return false;
    }
    struct value v = node_eval(f->p, n);
    switch (v.kind) {
    case VALUE_INT: case VALUE_FLOAT: return put_number(f, offset, n, &v);
    case VALUE_ADDR: return put_symbol(f, offset, n, &v);
    case VALUE_BAD: return false;
    default:
        diag_error(f->p->d, n->loc.line, n->loc.col, "an initialiser is a constant or a symbol's address");
        return false;
    }
}

static bool fill(struct filler *f, const struct node *n, int dim, uint64_t offset, uint64_t bytes)
{
    if (n->kind != NODE_VEC)
        return put(f, offset, n);
    uint64_t step = dim < f->ndims && f->dims[dim] ? bytes / f->dims[dim] : bytes;
    uint64_t at = offset;
    bool ok = true;
    for (const struct node *e = n->first; e; e = e->next) {
        if (e->kind == NODE_VEC && dim + 1 >= f->ndims && f->ndims > 0) {
            diag_error(f->p->d, e->loc.line, e->loc.col, "initialiser is nested deeper than '%s'",
                       f->v->name);
            return false;
        }
        if (at >= offset + bytes) {
            diag_error(f->p->d, e->loc.line, e->loc.col, "more initialisers than '%s' has elements",
                       f->v->name);
            return false;
        }
        ok &= fill(f, e, dim + 1, at, step);
        at += e->kind == NODE_VEC ? step : (uint64_t)f->elem;
    }
    return ok;
}

bool init_variable(struct parser *p, struct ptx_var *v, const uint64_t *dims, int ndims, struct node *init)
{
    uint64_t all[MAX_DIMS + 1];
    if (v->space != SP_GLOBAL && v->space != SP_CONST) {
        diag_error(p->d, init->loc.line, init->loc.col, "a variable in .%s takes no initialiser",
                   ptx_space_name((enum ptx_space)v->space));
        return false;
    }
    if (ptx_type_class((enum ptx_type)v->type) == 'o')
        return texture_init(p, v, init);
    p->init_bytes += v->size;
    if (p->init_bytes > 1ull << 30) {
        diag_error(p->d, init->loc.line, init->loc.col, "initialised variables take more than 1 GiB");
        return false;
    }
    v->init = arena_alloc(p->arena, v->size + !v->size);
    memcpy(all, dims, (size_t)ndims * sizeof *all);
    if (v->vec > 1)
        all[ndims++] = v->vec;
    struct filler f = { p, v, all, ndims, ptx_type_size((enum ptx_type)v->type), &v->relocs };
    if (init->kind != NODE_VEC && ndims > 0) {
        diag_error(p->d, init->loc.line, init->loc.col, "an array or vector needs a list { } as initialiser");
        return false;
    }
    return fill(&f, init, 0, 0, v->size);
}
