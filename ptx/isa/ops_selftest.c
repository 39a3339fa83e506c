/* Every legal combination of types and modifiers of an opcode with lane functions has one: the table against them. */
#include <stdio.h>
#include <string.h>

#include "ptx/lanes/lanes.h"
#include "ptx/isa/ops_check.h"

struct walk {
    struct ptx_inst in;
    const struct ptx_form *form;
    bool (*visit)(const struct ptx_inst *in, void *arg);
    void *arg;
    int count;
    bool stopped;
};

/* Conversions have one to three sources, other opcodes do not care. */
static void check(struct walk *w)
{
    const char *why;
    w->in.nopd = 4;
    while (!ptx_form_ok(&w->in, &why))
        if (--w->in.nopd < 2)
            return;
    w->in.nopd = PTX_MAX_OPD;
    w->count++;
    w->stopped = !w->visit(&w->in, w->arg);
}

/* All words of the form's groups from `group` on, and none. */
static void walk_groups(struct walk *w, int group)
{
    if (w->stopped)
        return;
    while (group < PG_COUNT && !(w->form->groups >> group & 1))
        group++;
    if (group == PG_COUNT) {
        check(w);
        return;
    }
    walk_groups(w, group + 1);
    for (int m = 1; m <= PTX_MODIFIER_COUNT; m++) {
        const char *word = ptx_modifier_name((uint8_t)m);
        if (ptx_modifier_find((enum ptx_group)group, word, (int)strlen(word)) != m)
            continue;
        w->in.mod[group] = (uint8_t)m;
        walk_groups(w, group + 1);
    }
    w->in.mod[group] = 0;
}

static void walk_types(struct walk *w, int position)
{
    if (position == 3) {
        walk_groups(w, 0);
        return;
    }
    if (!w->form->type[position]) {
        w->in.type[position] = T_NONE;
        walk_types(w, position + 1);
        return;
    }
    for (int t = 1; t < T_COUNT; t++) {
        if (!(w->form->type[position] >> t & 1))
            continue;
        w->in.type[position] = (uint8_t)t;
        walk_types(w, position + 1);
    }
}

int ptx_table_walk(bool (*visit)(const struct ptx_inst *in, void *arg), void *arg)
{
    struct walk w = { .visit = visit, .arg = arg };
    for (int f = 0; f < ptx_form_count && !w.stopped; f++) {
        if (!ptx_has_lane_functions((enum ptx_op)ptx_forms[f].op))
            continue;
        w.form = &ptx_forms[f];
        memset(&w.in, 0, sizeof w.in);
        w.in.op = ptx_forms[f].op;
        for (int i = 0; i < PTX_MAX_OPD; i++)
            w.in.opd[i].kind = OPD_REG;
        walk_types(&w, 0);
    }
    return w.count;
}

struct missing { char *why; size_t n; bool found; };

static void describe(const struct ptx_inst *in, enum lanes_isa isa, char *why, size_t n)
{
    size_t at = (size_t)snprintf(why, n, "no function (%s): %s", lanes_isa_name(isa), ptx_ops[in->op].text);
    for (int g = 0; g < PG_COUNT && at < n; g++)
        if (in->mod[g])
            at += (size_t)snprintf(why + at, n - at, ".%s", ptx_modifier_name(in->mod[g]));
    for (int t = 0; t < 3 && at < n; t++)
        if (in->type[t])
            at += (size_t)snprintf(why + at, n - at, ".%s", ptx_type_name(in->type[t]));
}

static bool has_function(const struct ptx_inst *in, void *arg)
{
    struct missing *c = arg;
    for (int i = 0; i < ISA_COUNT && !c->found; i++) {
        struct dinst d = { 0 };
        if (lanes_isa_find(lanes_isa_name((enum lanes_isa)i)) == ISA_COUNT)
            continue;
        if (!lanes_select((enum lanes_isa)i, in, &d)) {
            describe(in, (enum lanes_isa)i, c->why, c->n);
            c->found = true;
        }
    }
    return !c->found;
}

int ptx_table_selftest(char *why, size_t n)
{
    struct missing c = { why, n, false };
    int count = ptx_table_walk(has_function, &c);
    return c.found ? -1 : count;
}
