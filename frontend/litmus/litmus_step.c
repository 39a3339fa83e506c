/* What the operations of litmus tests compute, outcomes and conditions. */
#include "frontend/litmus/litmus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

int litmus_location_of(const struct litmus_test *t, int64_t value)
{
    for (int i = 0; i < t->nlocations; i++)
        if (LITMUS_ADDRESS(i) == value)
            return i;
    return -1;
}

int64_t litmus_truncate(int64_t value, const struct litmus_op *o)
{
    return o->size == 8 ? value : (int64_t)(int32_t)value;
}

int64_t litmus_value(const struct litmus_operand *a, const int64_t *regs)
{
    return a->kind == LITMUS_REG ? regs[a->index] : a->value;
}

static bool compare(enum litmus_fn fn, int64_t a, int64_t b)
{
    switch (fn) {
    case LITMUS_EQ: return a == b;
    case LITMUS_NE: return a != b;
    case LITMUS_LT: return a < b;
    case LITMUS_LE: return a <= b;
    case LITMUS_GT: return a > b;
    case LITMUS_GE: return a >= b;
    default: return true;
    }
}

static int64_t alu(enum litmus_fn fn, int64_t a, int64_t b)
{
    switch (fn) {
    case LITMUS_ADD: return (int64_t)((uint64_t)a + (uint64_t)b);
    case LITMUS_SUB: return (int64_t)((uint64_t)a - (uint64_t)b);
    case LITMUS_AND: return a & b;
    case LITMUS_OR: return a | b;
    case LITMUS_XOR: return a ^ b;
    case LITMUS_MIN: return a < b ? a : b;
    case LITMUS_MAX: return a > b ? a : b;
    default: return compare(fn, a, b);
    }
}

bool litmus_branches(const struct litmus_op *o, const int64_t *regs)
{
    return compare(o->fn, litmus_value(&o->a, regs), litmus_value(&o->b, regs));
}

void litmus_compute(const struct litmus_thread *p, const struct litmus_op *o, int64_t *regs)
{
    int64_t v = litmus_value(&o->a, regs);
    if (o->kind == LITMUS_ALU)
        v = alu(o->fn, v, litmus_value(&o->b, regs));
    regs[o->dst] = p->reg[o->dst].wide ? v : (int64_t)(int32_t)v;
}

bool litmus_rmw(const struct litmus_op *o, const int64_t *regs, int64_t old, int64_t *written)
{
    int64_t a = litmus_value(&o->a, regs);
    if (o->fn == LITMUS_CAS && litmus_truncate(a, o) != old)
        return false;
    int64_t v = o->fn == LITMUS_EXCH  ? a
                : o->fn == LITMUS_CAS ? litmus_value(&o->b, regs)
                                      : alu(o->fn, old, a);
    *written = litmus_truncate(v, o);
    return true;
}

/* ---- conditions ---- */

static bool node_holds(const struct litmus_test *t, const int64_t *outcome, int i)
{
    const struct litmus_node *n = &t->node[i];
    switch (n->kind) {
    case LITMUS_TRUE: return true;
    case LITMUS_NOT: return !node_holds(t, outcome, n->left);
    case LITMUS_BOTH: return node_holds(t, outcome, n->left) && node_holds(t, outcome, n->right);
    case LITMUS_EITHER: return node_holds(t, outcome, n->left) || node_holds(t, outcome, n->right);
    default: break;
    }
    return compare(n->fn, n->left < 0 ? n->left_value : outcome[n->left],
                   n->right < 0 ? n->right_value : outcome[n->right]);
}

bool litmus_holds(const struct litmus_test *t, const int64_t *outcome)
{
    return node_holds(t, outcome, t->condition);
}

bool litmus_counts(const struct litmus_test *t, const int64_t *outcome)
{
    return t->filter < 0 || node_holds(t, outcome, t->filter);
}

void litmus_describe(const struct litmus_test *t, const int64_t *outcome, char *text, size_t size)
{
    size_t n = 0;
    *text = 0;
    for (int i = 0; i < t->nobserved && n < size; i++) {
        const struct litmus_observed *o = &t->observed[i];
        char value[LITMUS_NAME];
        int l = litmus_location_of(t, outcome[i]);
        if (l >= 0)
            snprintf(value, sizeof value, "%s", t->location[l].name);
        else
            snprintf(value, sizeof value, "%lld", (long long)outcome[i]);
        if (o->thread < 0)
            n += (size_t)snprintf(text + n, size - n, "%s[%s]=%s;", i ? " " : "", t->location[o->index].name, value);
        else
            n += (size_t)snprintf(text + n, size - n, "%s%d:%s=%s;", i ? " " : "", o->thread,
                                  t->thread[o->thread].reg[o->index].name, value);
    }
}

/* ---- sets of outcomes: rows in order of arrival, found by a hash table of their numbers + 1 ---- */

void litmus_outcomes_init(struct litmus_outcomes *s, int width)
{
    *s = (struct litmus_outcomes){ .width = width, .cap = 16, .table_size = 64 };
    s->value = mem_alloc(s->cap * (size_t)(width + 1), sizeof *s->value, "outcomes");
    s->count = mem_alloc(s->cap, sizeof *s->count, "outcomes");
    s->table = mem_zero(s->table_size, sizeof *s->table, "outcomes");
}

void litmus_outcomes_free(struct litmus_outcomes *s)
{
    free(s->value);
    free(s->count);
    free(s->table);
    *s = (struct litmus_outcomes){ 0 };
}

static uint32_t hash(const int64_t *v, int n)
{
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (int i = 0; i < n; i++)
        h = (h ^ (uint64_t)v[i]) * 0xff51afd7ed558ccdu ^ h >> 29;
    return (uint32_t)(h >> 32 ^ h);
}

/* The place of the outcome in the table, or the free one where it belongs. */
static uint32_t place(const struct litmus_outcomes *s, const int64_t *outcome)
{
    uint32_t i = hash(outcome, s->width) & (s->table_size - 1);
    size_t bytes = (size_t)s->width * sizeof *outcome;
    while (s->table[i] && memcmp(s->value + (size_t)(s->table[i] - 1) * (size_t)s->width, outcome, bytes) != 0)
        i = (i + 1) & (s->table_size - 1);
    return i;
}

static void rehash(struct litmus_outcomes *s)
{
    memset(s->table, 0, s->table_size * sizeof *s->table);
    for (uint32_t i = 0; i < s->n; i++)
        s->table[place(s, s->value + (size_t)i * (size_t)s->width)] = i + 1;
}

static void grow(struct litmus_outcomes *s)
{
    s->cap *= 2;
    s->table_size *= 2;
    s->value = mem_resize(s->value, s->cap * (size_t)(s->width + 1), sizeof *s->value, "outcomes");
    s->count = mem_resize(s->count, s->cap, sizeof *s->count, "outcomes");
    s->table = mem_resize(s->table, s->table_size, sizeof *s->table, "outcomes");
    rehash(s);
}

void litmus_outcomes_add(struct litmus_outcomes *s, const int64_t *outcome, uint64_t count)
{
    uint32_t i = place(s, outcome);
    if (s->table[i]) {
        s->count[s->table[i] - 1] += count;
        return;
    }
    if (s->n == s->cap) {
        grow(s);
        i = place(s, outcome);
    }
    memcpy(s->value + (size_t)s->n * (size_t)s->width, outcome, (size_t)s->width * sizeof *outcome);
    s->count[s->n++] = count;
    s->table[i] = s->n;
}

int litmus_outcomes_find(const struct litmus_outcomes *s, const int64_t *outcome)
{
    return (int)s->table[place(s, outcome)] - 1;
}

static bool before(const struct litmus_outcomes *s, uint32_t a, uint32_t b)
{
    for (int i = 0; i < s->width; i++) {
        int64_t x = s->value[(size_t)a * (size_t)s->width + (size_t)i];
        int64_t y = s->value[(size_t)b * (size_t)s->width + (size_t)i];
        if (x != y)
            return x < y;
    }
    return false;
}

/* By insertion: a test has few outcomes. */
void litmus_outcomes_sort(struct litmus_outcomes *s)
{
    for (uint32_t i = 1; i < s->n; i++)
        for (uint32_t k = i; k && before(s, k, k - 1); k--) {
            for (int w = 0; w < s->width; w++) {
                int64_t *x = &s->value[(size_t)k * (size_t)s->width + (size_t)w], *y = x - s->width, keep = *x;
                *x = *y;
                *y = keep;
            }
            uint64_t count = s->count[k];
            s->count[k] = s->count[k - 1];
            s->count[k - 1] = count;
        }
    rehash(s);
}

const char *litmus_observation(const struct litmus_test *t, const struct litmus_outcomes *s, uint64_t *positive,
                               uint64_t *negative)
{
    *positive = *negative = 0;
    for (uint32_t i = 0; i < s->n; i++)
        *(litmus_holds(t, s->value + (size_t)i * (size_t)s->width) ? positive : negative) += s->count[i];
    return !*positive ? "Never" : *negative ? "Sometimes" : "Always";
}
