/*
 * Table 1 of the GPU-LocalTM paper, line by line, from the timeline of a run. A tracer writes what instructions, aborts
 * and attempts tell as the paper does, whose machine predicates: EXEC is the mask that branches leave, with the lanes
 * in it that the conflict mask TCM holds back, so a lane runs when EXEC has it and TCM has not (section 3.1); a side of
 * a branch that no lane takes is passed through with EXEC = 0.
 */
#include <jansson.h>
#include <unistd.h>

#include "regress/localtm/rig.h"

enum { ITEMS = 4, MAX_EVENTS = 400, MAX_LINES = 100, TEXT = 4096 };

/* In the order in which those of one cycle are taken. */
enum event_kind { ABORT, ISSUE, ATTEMPT };
struct event { uint64_t at; enum event_kind kind; int line; uint64_t mask; };

struct tracer {
    uint64_t attempt;                /* lanes that it began with, those that TCM holds back included; 0 = none so far */
    uint64_t exec, tcm, tcm_old, if_side, conflicts;
    int line;                        /* the last one told */
    bool retries;
    const char *mode;
    char text[TEXT];
};

/* ---- the paper's notation ---- */

/* Work-item 0 is leftmost. */
static const char *mask_text(uint64_t mask, char text[ITEMS + 1])
{
    for (int i = 0; i < ITEMS; i++)
        text[i] = mask >> i & 1 ? '1' : '0';
    text[ITEMS] = 0;
    return text;
}

static void tell(struct tracer *t, int line, uint64_t exec)
{
    char e[ITEMS + 1], c[ITEMS + 1], o[ITEMS + 1], row[100];
    const char *and = "";
    int n = snprintf(row, sizeof row, "%d %s %s %s %s ", line, mask_text(exec, e),
                     t->attempt ? mask_text(t->tcm, c) : "-", t->retries ? mask_text(t->tcm_old, o) : "-", t->mode);
    for (int i = 0; i < ITEMS; i++)
        if (t->conflicts >> i & 1) {
            n += snprintf(row + n, sizeof row - (size_t)n, "%sWI%d", and, i);
            and = " and ";
        }
    t->exec = exec;
    t->line = line;
    strcat(strcat(strcat(t->text, row), t->conflicts ? "" : "-"), "\n");
    t->conflicts = 0;
}

/* ---- from events to lines ---- */

/* Lines 13, 15 and 16, as far as nothing has told them. */
static void catch_up(struct tracer *t, int line)
{
    if (t->line == 10 && line >= 13)
        tell(t, 13, t->exec);
    if (t->line == 13 && line >= 15)
        tell(t, 15, t->attempt);
    if (t->line == 15 && line >= 16)
        tell(t, 16, t->tcm ? t->tcm : t->attempt);
}

static void begin(struct tracer *t, uint64_t lanes)
{
    if (!t->attempt) {
        t->attempt = lanes;
        t->tcm = 0;
    } else {
        catch_up(t, 16);
        t->retries = true;
        t->attempt = t->tcm_old = t->tcm;
        t->tcm = t->attempt & ~lanes;
    }
    t->mode = t->tcm ? "WF Serial." : "TX";
    tell(t, 2, t->attempt);
}

static void issue(struct tracer *t, int line, uint64_t lanes)
{
    switch (line) {
    case 1:
        t->mode = "NORMAL";
        tell(t, 1, lanes);
        return;
    case 5:
        t->if_side = lanes;
        tell(t, 5, lanes);
        return;
    case 10:
        tell(t, 10, t->attempt & ~t->if_side);
        break;
    case 15:
        catch_up(t, 15);
        break;
    }
    if (line == 8 || line >= 10)
        assert_int_equal(lanes, t->exec & ~t->tcm);
    if (line == 16)
        catch_up(t, 16);
}

static void follow(struct tracer *t, const struct event *e, int n)
{
    for (int i = 0; i < n; i++)
        switch (e[i].kind) {
        case ABORT:
            t->tcm |= e[i].mask;
            t->conflicts |= e[i].mask;
            break;
        case ATTEMPT:
            begin(t, e[i].mask);
            break;
        case ISSUE:
            issue(t, e[i].line, e[i].mask);
        }
    catch_up(t, 16);
}

/* ---- the timeline ---- */

static int compare(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    return x->at != y->at ? (x->at > y->at) - (x->at < y->at) : (int)x->kind - (int)y->kind;
}

/* Which line of the figure a line of the file is: its comment tells; 0 = none. */
static void lines_of(const char *file, int *line)
{
    char *text = rig_read(file), *at = text;
    for (int i = 1; *at; i++) {
        char *end = strchr(at, '\n'), *tag = strstr(at, "// line ");
        assert_true(i < MAX_LINES);
        line[i] = tag && tag < end ? atoi(tag + strlen("// line ")) : 0;
        at = end + 1;
    }
    free(text);
}

static bool event_of(const json_t *j, const int *line, struct event *e)
{
    const json_t *args = json_object_get(j, "args");
    const char *what = json_string_value(json_object_get(j, "cat")), *mask;
    const char *name = json_string_value(json_object_get(j, "name"));
    if (!what || !(mask = json_string_value(json_object_get(args, "mask"))))
        return false;
    *e = (struct event){ .at = (uint64_t)json_integer_value(json_object_get(j, "ts")) };
    e->mask = strtoull(mask, NULL, 16);
    if (!strcmp(what, "issue")) {
        e->kind = ISSUE;
        e->line = line[json_integer_value(json_object_get(args, "line"))];
        return e->line;
    }
    e->kind = strcmp(name, "attempt") ? ABORT : ATTEMPT;
    if (e->kind == ABORT)
        assert_string_equal(name, "abort: conflict");
    return true;
}

static void trace(struct tracer *t, const char *file, const char *timeline)
{
    struct event event[MAX_EVENTS];
    int n = 0, line[MAX_LINES];
    size_t i;
    json_t *all = json_load_file(timeline, 0, NULL), *j;
    lines_of(file, line);
    json_array_foreach(json_object_get(all, "traceEvents"), i, j)
        if (event_of(j, line, &event[n]))
            assert_true(++n < MAX_EVENTS);
    json_decref(all);
    qsort(event, (size_t)n, sizeof *event, compare);
    *t = (struct tracer){ 0 };
    follow(t, event, n);
}

/* Runs a kernel of four work-items and traces it. */
static void traced(struct rig *r, const char *presets, const char *setting, const char *kernel, struct tracer *t)
{
    char name[] = "/tmp/table1.XXXXXX", file[50];
    const char *settings[] = { file, setting, NULL };
    int fd = mkstemp(name);
    assert_true(fd >= 0);
    close(fd);
    snprintf(file, sizeof file, "trace.file=%s", name);
    rig_open(r, presets, settings, "table1.ptx", NULL);
    rig_run(r, kernel, 1, ITEMS);
    assert_int_equal(simtx_close_files(r->gpu), SIMTX_OK);
    trace(t, "regress/localtm/table1.ptx", name);
    unlink(name);
}

/* ---- tests ---- */

/* Instr, EXEC, TCM, TCM_OLD, Mode, Conflicts. */
static const char table_1[] =
    "1 1111 - - NORMAL -\n"
    "2 1111 0000 - TX -\n"
    "5 1100 0000 - TX -\n"
    "10 0011 0000 - TX -\n"
    "13 0011 0011 - TX WI2 and WI3\n"
    "15 1111 0011 - TX -\n"
    "16 0011 0011 - TX -\n"

    "2 0011 0000 0011 TX -\n"
    "5 0000 0000 0011 TX -\n"
    "10 0011 0000 0011 TX -\n"
    "13 0011 0011 0011 TX WI2 and WI3\n"
    "15 0011 0011 0011 TX -\n"
    "16 0011 0011 0011 TX -\n"

    "2 0011 0001 0011 WF Serial. -\n"
    "5 0000 0001 0011 WF Serial. -\n"
    "10 0011 0001 0011 WF Serial. -\n"
    "13 0011 0001 0011 WF Serial. -\n"
    "15 0011 0001 0011 WF Serial. -\n"
    "16 0001 0001 0011 WF Serial. -\n"

    "2 0001 0000 0001 TX -\n"
    "5 0000 0000 0001 TX -\n"
    "10 0001 0000 0001 TX -\n"
    "13 0001 0000 0001 TX -\n"
    "15 0001 0000 0001 TX -\n"
    "16 0001 0000 0001 TX -\n";

/* The same program when work-item 3 takes the words in the order in which work-item 2 does. */
static const char in_order[] =
    "1 1111 - - NORMAL -\n"
    "2 1111 0000 - TX -\n"
    "5 1100 0000 - TX -\n"
    "10 0011 0000 - TX -\n"
    "13 0011 0001 - TX WI3\n"
    "15 1111 0001 - TX -\n"
    "16 0001 0001 - TX -\n"

    "2 0001 0000 0001 TX -\n"
    "5 0000 0000 0001 TX -\n"
    "10 0001 0000 0001 TX -\n"
    "13 0001 0000 0001 TX -\n"
    "15 0001 0000 0001 TX -\n"
    "16 0001 0000 0001 TX -\n";

static const struct { const char *presets, *setting; } machines[] = {
    { "localtm", "gpu.warp_size=64" }, { "localtm", "gpu.warp_size=32" }, { "localtm", "localtm.step_on=true" },
    { "localtm+localtm-es", NULL }, { "localtm+localtm-perfect", NULL }, { "localtm+localtm-rw", NULL },
    { "localtm+multi2sim", NULL }, { "gtx480+tm-localtm", NULL }, { "kilotm+tm-localtm", NULL }
};

static void on_all_machines(const char *kernel, const char *expected, uint64_t runs, uint64_t serial)
{
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        struct rig r;
        struct tracer t;
        traced(&r, machines[i].presets, machines[i].setting, kernel, &t);
        print_message("%s %s\n", machines[i].presets, machines[i].setting ? machines[i].setting : "");
        assert_string_equal(t.text, expected);
        assert_int_equal(rig_count(&r, STAT_LOCALTM_RUNS), runs);
        assert_int_equal(rig_count(&r, STAT_LOCALTM_SERIAL), serial);
        assert_int_equal(rig_count(&r, STAT_LOCALTM_GROUP), 0);
        assert_int_equal(r.words[0], 103);
        assert_int_equal(r.words[1], 103);
        assert_int_equal(r.words[4], 100);
        assert_int_equal(r.words[5], 101);
        rig_close(&r);
    }
}

static void lanes_that_cross_are_serialised(void **state)
{
    on_all_machines("crosswise", table_1, 4, 1);
}

static void a_lane_that_loses_goes_on_alone(void **state)
{
    on_all_machines("in_order", in_order, 2, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_that_cross_are_serialised),
        cmocka_unit_test(a_lane_that_loses_goes_on_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
