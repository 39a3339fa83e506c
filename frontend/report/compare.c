/* Compares two trees of figures (compare.h). */
#include "frontend/report/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* Is this figure, of the total or of a launch, in the list or in a group of the list? */
static bool is_selected(const char *only, const char *name)
{
    if (!strncmp(name, "kernels.", 8))
        name += 8 + strcspn(name + 8, ".") + 1;
    while (only) {
        size_t n = strcspn(only, ",");
        if (!strncmp(only, name, n) && (!name[n] || name[n] == '.'))
            return true;
        only = only[n] ? only + n + 1 : NULL;
    }
    return false;
}

/* Or true or false, which are 1 and 0. */
static bool is_number(const json_t *v)
{
    return json_is_number(v) || json_is_boolean(v);
}

static double number(const json_t *v)
{
    return json_is_number(v) ? json_number_value(v) : json_is_true(v);
}

static void compare_leaf(struct comparison *c, const char *name, const json_t *a, const json_t *b)
{
    if (c->only && !is_selected(c->only, name))
        return;
    c->compared++;
    if (a && b && json_equal(a, b))
        return;
    struct compare_figure f = { NULL, a, b, 1, true };
    if (is_number(a) && is_number(b)) {
        double x = number(a), y = number(b), difference = fabs(y - x);
        if (difference == 0)
            return;
        f.share = difference / fmax(fabs(x), fabs(y));
        f.beyond = difference > c->tolerance * fabs(x);
    }
    f.name = mem_string(name);
    c->beyond += f.beyond;
    c->figure = mem_grow(c->figure, c->n, &c->cap, sizeof *c->figure, "a comparison");
    c->figure[c->n++] = f;
}

static bool is_tree(const json_t *v)
{
    return json_is_object(v) || json_is_array(v);
}

static void compare_tree(struct comparison *c, const char *name, const json_t *a, const json_t *b);

static void compare_member(struct comparison *c, const char *group, const char *member, const json_t *a,
                           const json_t *b)
{
    char name[1000];
    snprintf(name, sizeof name, "%s%s%s", group, *group ? "." : "", member);
    if (strcmp(member, "host") && strcmp(member, "buckets"))
        compare_tree(c, name, a, b);
}

/* Members of both trees, or of one; then a leaf. A tree beside a leaf counts as one figure. */
static void compare_tree(struct comparison *c, const char *name, const json_t *a, const json_t *b)
{
    const char *key;
    json_t *v;
    if ((a && !is_tree(a)) || (b && !is_tree(b)) || json_is_object(a ? a : b) != json_is_object(b ? b : a)) {
        compare_leaf(c, name, a, b);
        return;
    }
    for (size_t i = 0, n = fmax(json_array_size(a), json_array_size(b)); i < n; i++) {
        char index[24];
        snprintf(index, sizeof index, "%zu", i);
        compare_member(c, name, index, json_array_get(a, i), json_array_get(b, i));
    }
    json_object_foreach((json_t *)a, key, v)
        compare_member(c, name, key, v, json_object_get(b, key));
    json_object_foreach((json_t *)b, key, v)
        if (!json_object_get(a, key))
            compare_member(c, name, key, NULL, v);
}

/* Those beyond the tolerance first, then the largest share. */
static int by_share(const void *a, const void *b)
{
    const struct compare_figure *x = a, *y = b;
    if (x->beyond != y->beyond)
        return y->beyond - x->beyond;
    return x->share < y->share ? 1 : x->share > y->share ? -1 : strcmp(x->name, y->name);
}

void compare_trees(struct comparison *c, const char *name, const json_t *a, const json_t *b)
{
    compare_tree(c, name, a, b);
    if (c->n)
        qsort(c->figure, c->n, sizeof *c->figure, by_share);
}

double compare_percent(const struct compare_figure *f)
{
    if (!is_number(f->a) || !is_number(f->b) || number(f->a) == 0)
        return NAN;
    return 100 * (number(f->b) - number(f->a)) / fabs(number(f->a));
}

void compare_free(struct comparison *c)
{
    for (uint32_t i = 0; i < c->n; i++)
        free(c->figure[i].name);
    free(c->figure);
}
