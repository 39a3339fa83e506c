/* The lines of a kernel with the sums of their instructions; quotients of figures. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "frontend/profile_view/view.h"

enum { REASONS = PROFILE_FIGURES - PROFILE_STALL_ISSUE_WIDTH };

/* The name of a reason's figure is "stall.NAME". */
static const char *reason(int i)
{
    return profile_table[PROFILE_STALL_ISSUE_WIDTH + i].name + strlen("stall.");
}

/* ---- figures ---- */

const struct view_column_info view_columns[VIEW_COLUMNS] = {
#define NUMBER false
#define PERCENT true
#define COLUMN(id, head, decimals, kind, numerator, denominator, meaning) \
    [VIEW_##id] = { head, meaning, decimals, kind },
#include "frontend/profile_view/columns.def"
};

uint64_t view_stalls(const uint64_t *row)
{
    uint64_t n = 0;
    for (int i = 0; i < REASONS; i++)
        n += row[PROFILE_STALL_ISSUE_WIDTH + i];
    return n;
}

const char *view_cause(const uint64_t *row, uint64_t *cycles)
{
    int most = 0;
    for (int i = 1; i < REASONS; i++)
        if (row[PROFILE_STALL_ISSUE_WIDTH + i] > row[PROFILE_STALL_ISSUE_WIDTH + most])
            most = i;
    *cycles = row[PROFILE_STALL_ISSUE_WIDTH + most];
    return *cycles ? reason(most) : NULL;
}

/* Warp cycles without an issue. */
static uint64_t waits(const uint64_t *row)
{
    uint64_t n = 0;
    for (int i = PROFILE_WAIT_READY; i < PROFILE_STALL_ISSUE_WIDTH; i++)
        n += row[i];
    return n;
}

static double quotient(uint64_t numerator, uint64_t denominator)
{
    return denominator ? (double)numerator / (double)denominator : NAN;
}

double view_value(const uint64_t *row, enum view_column c)
{
#define F(id) row[PROFILE_##id]
#define WAITS waits(row)
#define L1_ACCESSES (F(L1_HITS) + F(L1_MISSES) + F(L1_MERGED) + F(L1_BYPASSED))
#define ONE (F(DIVERGED) > 0)                        /* no divergence: NaN, shown as a dash */
    switch (c) {
#define COLUMN(id, head, decimals, kind, numerator, denominator, meaning) \
    case VIEW_##id: return quotient(numerator, denominator);
#include "frontend/profile_view/columns.def"
    default: return NAN;
    }
}

/* ---- names ---- */

bool view_selects(const struct view_kernel *k, const char *part)
{
    return !part || strstr(k->name, part);
}

const char *view_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ---- lines ---- */

/* Files by name, those without a line last. */
static int by_place(const void *a, const void *b)
{
    const struct view_line *x = a, *y = b;
    int files = x->file && y->file ? strcmp(x->file, y->file) : (y->file != NULL) - (x->file != NULL);
    return files ? files : (x->line > y->line) - (x->line < y->line);
}

/* Instructions of one line in their order. */
static int by_place_and_order(const void *a, const void *b)
{
    const struct view_line *x = a, *y = b;
    int places = by_place(a, b);
    return places ? places : (x->inst[0] > y->inst[0]) - (x->inst[0] < y->inst[0]);
}

static struct view_line line_of(const struct view_kernel *k, const struct view_inst *in, enum view_by by)
{
    bool source = k->has_lines || by == VIEW_BY_INSTRUCTION;
    struct view_line l = { .file = source ? in->file : in->ptx_file, .line = source ? in->line : in->ptx_line };
    l.inst = mem_grow(l.inst, 0, &l.cap, sizeof *l.inst, "instructions of a line");
    l.inst[l.n++] = in;
    memcpy(l.row, in->row, sizeof l.row);
    return l;
}

/* Moves the one instruction of `from` to `to`. */
static void join(struct view_line *to, const struct view_line *from)
{
    to->inst = mem_grow(to->inst, to->n, &to->cap, sizeof *to->inst, "instructions of a line");
    to->inst[to->n++] = from->inst[0];
    for (int i = 0; i < PROFILE_FIGURES; i++)
        to->row[i] += from->row[i];
    free(from->inst);
}

struct view_lines view_lines_of(const struct view_kernel *k, enum view_by by)
{
    struct view_lines l = { .line = mem_zero(k->n, sizeof *l.line, "lines of a profile") };
    for (uint32_t i = 0; i < k->n; i++)
        l.line[i] = line_of(k, &k->inst[i], by);
    l.n = k->n;
    if (by == VIEW_BY_INSTRUCTION)
        return l;
    qsort(l.line, l.n, sizeof *l.line, by_place_and_order);
    l.n = 0;
    for (uint32_t i = 0; i < k->n; i++)
        if (l.n && !by_place(&l.line[l.n - 1], &l.line[i]))
            join(&l.line[l.n - 1], &l.line[i]);
        else
            l.line[l.n++] = l.line[i];
    return l;
}

/* Lines with as many stalls are in the order of their places. */
static int by_stalls(const void *a, const void *b)
{
    const struct view_line *x = *(const struct view_line *const *)a, *y = *(const struct view_line *const *)b;
    uint64_t m = view_stalls(x->row), n = view_stalls(y->row);
    return m != n ? (m < n) - (m > n) : (x > y) - (x < y);
}

const struct view_line **view_hottest(const struct view_lines *l)
{
    const struct view_line **hot = mem_alloc(l->n, sizeof *hot, "lines of a profile");
    for (uint32_t i = 0; i < l->n; i++)
        hot[i] = &l->line[i];
    qsort(hot, l->n, sizeof *hot, by_stalls);
    return hot;
}

void view_lines_free(struct view_lines *l)
{
    for (uint32_t i = 0; i < l->n; i++)
        free(l->line[i].inst);
    free(l->line);
}
