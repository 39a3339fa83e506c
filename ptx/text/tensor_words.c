/*
 * The text of tensor copies (PTX ISA 9.7.9.25.5). The dimensions, the mode and the reduction stand between words of the
 * name. tensor_words() moves them after the name, so that the table has one name for all, and removes .tile, the
 * mode of those without another. tensor_operand() reads [map, {coordinates}].
 */
#include <string.h>

#include "ptx/text/parser.h"

static bool is_mode(const struct name *n)
{
    return !strncmp(n->s, ".tile", 5) || !strncmp(n->s, ".im2col", 7);
}

/* A word that is no part of the name. */
static bool is_apart(const struct name *n)
{
    return is_mode(n) || ptx_modifier_find(PG_GEOM, n->s + 1, (int)n->len - 1) ||
           ptx_modifier_find(PG_ATOM, n->s + 1, (int)n->len - 1);
}

void tensor_words(struct parser *p)
{
    struct name *apart[PARSE_MAX_INST_MODS];
    struct ptx_loc at[PARSE_MAX_INST_MODS];
    int from = 0, kept, napart = 0, tiles = 0;
    while (from < p->nmods && strcmp(p->mods[from]->s, ".tensor"))
        from++;
    kept = from;
    for (int i = from; i < p->nmods; i++) {
        if (is_apart(p->mods[i])) {
            apart[napart] = p->mods[i];
            at[napart] = p->mod_loc[i];
            napart += strcmp(p->mods[i]->s, ".tile") || tiles++;
            continue;
        }
        p->mod_loc[kept] = p->mod_loc[i];
        p->mods[kept++] = p->mods[i];
    }
    for (int i = 0; i < napart; i++) {
        p->mods[kept + i] = apart[i];
        p->mod_loc[kept + i] = at[i];
    }
    p->nmods = kept + napart;
}

/* A map is in .param, .const or .global memory: a generic address, or a variable that has one. */
static bool is_address(struct parser *p, const struct ptx_operand *o)
{
    bool var = o->has_var && (o->var->space == SP_GLOBAL || o->var->space == SP_CONST);
    if (o->imm) {
        diag_error(p->d, o->loc.line, o->loc.col, "the address of a tensor map has no offset here");
        return false;
    }
    if (var || (o->has_reg && ptx_type_size((enum ptx_type)o->reg->type) == 8 &&
                ptx_type_class((enum ptx_type)o->reg->type) != 'f'))
        return true;
    diag_error(p->d, o->loc.line, o->loc.col, "a tensor map is given by a register with a generic address, or "
               "a .global or .const variable");
    return false;
}

bool tensor_operand(struct parser *p, const struct ptx_inst *in, const struct node *n, struct ptx_operand *o)
{
    if (n->kind != NODE_MEM || n->n != 2 || n->first->next->kind != NODE_VEC)
        return operand_error(p, n, "[map, {coordinates}] is expected");
    struct node map = *n;
    map.n = 1;
    return operand_read(p, in, 'm', &map, &o[0]) && is_address(p, &o[0]) &&
           operand_simple(p, in, n->first->next, &o[1]);
}
