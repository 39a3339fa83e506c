/*
 * `simtx litmus`: runs litmus tests in timing mode and compares the outcomes with those that the model of the ordering
 * policy allows.
 */
#include "frontend/cli/cmd.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "frontend/lib/config_load.h"
#include "frontend/litmus/litmus_report.h"
#include "frontend/session/atomic_file.h"

/* Crossbar cycles for which a packet is held back, at most; --set xbar.disturb=0 turns it off. */
enum { DISTURB = 3000 };
/* Core cycles after which a launch is aborted (sim.max_cycles), since its loops can keep each other from ending: ten
 * times the cycles of the longest launch that ends (sc-types with small tables). */
enum { LAUNCH_CYCLES = 50000000 };

static const char COMMAND[] = "simtx litmus";
static const char USAGE[] =
    "usage: simtx litmus FILE... [options]\n\n"
    "Runs litmus tests (.litmus files of the dialects PTX, X86, X86_64 and RISCV) in timing mode: many instances in a\n"
    "launch, many launches, each arranged and disturbed in another way. Prints the histogram of the outcomes, the\n"
    "verdict as herd does, and how many of the outcomes that the memory model allows were seen. Exit code: 0 no\n"
    "outcome is forbidden by the model, 1 one is, or an expectation of --expect does not hold, 2 invalid usage or a\n"
    "test that cannot be read or run.\n"
    "docs/litmus.md explains the translation to PTX and the models.\n";

enum { OPT_MODEL, OPT_POLICY, OPT_CONFIG, OPT_SET, OPT_RUNS, OPT_SEED, OPT_EXPECT, OPT_BRIEF, OPT_STATS, OPT_PTX };
static const struct cmd_option OPTIONS[] = {
    [OPT_MODEL] = { "--model", "sc|tso|ptx", "the model that judges (default: that of the policy)" },
    [OPT_POLICY] = { "--policy", "NAME", "ordering policy (order.policy)" },
    [OPT_CONFIG] = { "--config", "NAME|FILE", "configuration: a preset, a file, or several joined by + (gtx480-sc)" },
    [OPT_SET] = { "--set", "KEY=VALUE", "set one configuration key; may be repeated" },
    [OPT_RUNS] = { "--runs", "N", "outcomes of each test (100000); 0: only print what the model allows" },
    [OPT_SEED] = { "--seed", "N", "seed of arrangements and disturbances (1)" },
    [OPT_EXPECT] = { "--expect", "FILE", "lines NAME Never|Sometimes|Always|? [seen]: the model's verdict on a test" },
    [OPT_BRIEF] = { "--brief", NULL, "one line a test" },
    [OPT_STATS] = { "--stats", "FILE", "write all results as JSON" },
    [OPT_PTX] = { "--ptx", NULL, "print the PTX of the tests; run nothing" },
    { NULL, NULL, NULL }
};

struct litmus_command {
    const char *config, *policy, *model, *expect_file, *stats;
    char *sets, *expect;
    uint64_t runs, seed;
    bool brief, ptx;
    simtx_config *built;
    json_t *json;
    int tests, refused, forbidden, unexpected, weak, weak_seen;
};

/* The name; an unknown one ends the command with a message that names --policy. */
static const char *known_policy(const char *name)
{
    char *text = mem_format("order.policy=%s", name), *message = NULL;
    simtx_config *trial = simtx_config_new();
    if (simtx_config_assign(trial, text, "--policy", &message)) {
        fputs(message ? message : "", stderr);
        exit(CMD_USAGE);
    }
    simtx_config_free(trial);
    free(text);
    return name;
}

static void take(struct litmus_command *c, int option, const char *value)
{
    switch (option) {
    case OPT_MODEL: c->model = value; break;
    case OPT_POLICY: c->policy = known_policy(value); break;
    case OPT_CONFIG: c->config = value; break;
    case OPT_SET: mem_append(&c->sets, "%s%s", c->sets ? "\n" : "", value); break;
    case OPT_RUNS: c->runs = cmd_number(COMMAND, "--runs", value, UINT64_MAX); break;
    case OPT_SEED: c->seed = cmd_number(COMMAND, "--seed", value, UINT64_MAX); break;
    case OPT_EXPECT: c->expect_file = value; break;
    case OPT_BRIEF: c->brief = true; break;
    case OPT_STATS: c->stats = value; break;
    case OPT_PTX: c->ptx = true; break;
    }
}

/* ---- configuration and model ---- */

static void build_config(struct litmus_command *c)
{
    char *message = NULL;
    char *sets = mem_format("xbar.disturb=%d\nsim.max_cycles=%d\n%s%s%s%s%s\nsim.mode=timing\nsim.seed=%llu",
                            DISTURB, LAUNCH_CYCLES, c->sets ? c->sets : "", c->sets ? "\n" : "",
                            c->policy ? "order.policy=" : "", c->policy ? c->policy : "", c->policy ? "\n" : "",
                            (unsigned long long)(c->seed & INT_MAX));
    c->built = simtx_config_new();
    if (simtx_config_build(c->built, c->config, sets, "--set", &message)) {
        fputs(message ? message : "", stderr);
        exit(CMD_USAGE);
    }
    free(message);
    free(sets);
}

/* By the name of the policy. *exact: the policy is meant to be the model, and not weaker than it. */
static enum litmus_model choose_model(const struct litmus_command *c, const char *policy, bool *exact)
{
    static const enum litmus_model models[] = { LITMUS_MODEL_SC, LITMUS_MODEL_TSO, LITMUS_MODEL_PTX };
    *exact = true;
    for (int i = 0; i < 3 && c->model; i++)
        if (!strcmp(c->model, litmus_model_name(models[i])))
            return models[i];
    if (c->model)
        cmd_usage_error(COMMAND, "--model %s: expected sc, tso or ptx", c->model);
    if (!strncmp(policy, "sc", 2))
        return LITMUS_MODEL_SC;
    if (!strncmp(policy, "tso", 3))
        return LITMUS_MODEL_TSO;
    *exact = !strcmp(policy, "rmo-ptx");
    if (strncmp(policy, "rmo", 3) != 0)
        cmd_usage_error(COMMAND, "no model is known for the policy %s: name one with --model", policy);
    return LITMUS_MODEL_PTX;
}

/* ---- expectations ---- */

static void read_expectations(struct litmus_command *c)
{
    size_t size;
    if (c->expect_file && !(c->expect = file_read(c->expect_file, &size)))
        cmd_usage_error(COMMAND, "%s: %s", c->expect_file, strerror(errno));
}

/* The words after the test's name in its line; false: there is no line. */
static bool find_expectation(const char *text, const char *name, char verdict[16], char seen[16])
{
    size_t n = strlen(name);
    for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        if (strncmp(line, name, n) != 0 || (line[n] != ' ' && line[n] != '\t'))
            continue;
        *verdict = *seen = 0;
        char rest[100];
        snprintf(rest, sizeof rest, "%.*s", (int)strcspn(line + n, "\n"), line + n);
        return sscanf(rest, "%15s %15s", verdict, seen) > 0;
    }
    return false;
}

static bool as_expected(const struct litmus_command *c, const struct litmus_result *r)
{
    char verdict[16], seen[16];
    struct litmus_figures f = litmus_figures(r);
    if (!c->expect)
        return true;
    if (!find_expectation(c->expect, r->t->name, verdict, seen)) {
        fprintf(stderr, "%s: %s has no line for %s\n", COMMAND, c->expect_file, r->t->name);
        return false;
    }
    if (strcmp(verdict, "?") != 0 && strcmp(verdict, f.expected) != 0) {
        fprintf(stderr, "%s: %s: the model %s says %s, %s expects %s\n", COMMAND, r->t->name,
                litmus_model_name(r->model), f.expected, c->expect_file, verdict);
        return false;
    }
    if (!strcmp(seen, "seen") && r->run.outcomes && !f.positive) {
        fprintf(stderr, "%s: %s: no outcome that satisfies the condition was seen\n", COMMAND, r->t->name);
        return false;
    }
    return true;
}

/* ---- a test ---- */

static bool stop_when_forbidden(void *ctx, struct litmus_run *run)
{
    struct litmus_result *r = ctx;
    r->run = *run;
    return !r->judged || !litmus_figures(r).forbidden;
}

/* Without a protocol a weak load may hit a stale line in L1, whatever the policy. */
static bool can_be_stale(const struct litmus_command *c, const struct litmus_test *t)
{
    const char *protocol = simtx_config_get(c->built, "coherence.protocol");
    for (int i = 0; i < t->nthreads && (!protocol || !strcmp(protocol, "none")); i++)
        for (const struct litmus_op *o = t->thread[i].op; o < t->thread[i].op + t->thread[i].nops; o++)
            if (o->kind == LITMUS_LOAD && o->sem == LITMUS_WEAK)
                return true;
    return false;
}

static void print_forbidden(const struct litmus_command *c, const struct litmus_result *r)
{
    char text[1000];
    fprintf(stderr, "%s: %s: %s forbids an outcome that was seen\n", COMMAND, r->file, litmus_model_name(r->model));
    for (uint32_t i = 0; i < r->run.seen.n; i++)
        if (litmus_forbidden(r, i)) {
            litmus_describe(r->t, r->run.seen.value + (size_t)i * (size_t)r->run.seen.width, text, sizeof text);
            fprintf(stderr, "    %s (%llu times)\n", text, (unsigned long long)r->run.seen.count[i]);
        }
    if (r->model != LITMUS_MODEL_PTX && can_be_stale(c, r->t))
        fputs("  its weak loads may hit stale lines in L1, but not with --set coherence.protocol=mesi "
              "--set xbar.vns=5\n", stderr);
    fprintf(stderr, "  again: simtx litmus %s --config %s", r->file, c->config);
    char *sets = mem_string(c->sets ? c->sets : ""), *rest = sets;
    for (char *set; (set = strsep(&rest, "\n"));)
        if (*set)
            fprintf(stderr, " --set '%s'", set);
    fprintf(stderr, " --policy %s --model %s --seed %llu --runs %llu\n", r->policy, litmus_model_name(r->model),
            (unsigned long long)c->seed, (unsigned long long)c->runs);
    free(sets);
}

static void report(struct litmus_command *c, const struct litmus_result *r)
{
    struct litmus_figures f = litmus_figures(r);
    if (c->brief)
        litmus_print_line(r);
    else
        litmus_print(r);
    if (c->json)
        json_array_append_new(c->json, litmus_json(r));
    fflush(stdout);
    if (f.forbidden && r->judged)
        print_forbidden(c, r);
    c->forbidden += f.forbidden && r->judged;
    c->unexpected += !as_expected(c, r);
    c->weak += (int)f.weak;
    c->weak_seen += (int)f.weak_seen;
    c->tests++;
}

/* Finds the outcomes that the models allow; false with an error. */
static bool enumerate(struct litmus_result *r, struct diag *d)
{
    if (!litmus_allowed(r->t, LITMUS_MODEL_SC, &r->sc, d) || !litmus_allowed(r->t, r->model, &r->allowed, d))
        return false;
    if (!r->allowed.n)
        diag_error(d, 0, 0, "no execution ends%s under the model %s, so nothing can be judged",
                   r->t->filter < 0 ? "" : " and satisfies the filter", litmus_model_name(r->model));
    return r->allowed.n;
}

/* Collects the outcomes of the machine; false after printing a message. */
static bool execute(const struct litmus_command *c, struct litmus_result *r)
{
    struct litmus_run run = { .config = c->built, .seed = c->seed, .runs = c->runs,
                              .progress = stop_when_forbidden, .ctx = r };
    char *message = NULL;
    bool ok = true;
    if (c->runs)
        ok = litmus_run(r->t, &run, &message);
    else
        litmus_outcomes_init(&run.seen, r->t->nobserved);
    r->run = run;
    if (!ok) {
        fflush(stdout);
        fprintf(stderr, "%s: error: %s\n", r->file, message ? message : "failed");
    }
    free(message);
    return ok;
}

static bool do_test(struct litmus_command *c, const char *file, const struct litmus_test *t, struct diag *d)
{
    const char *policy = simtx_config_get(c->built, "order.policy");
    char *policy_name = mem_string(policy ? policy : "");
    struct litmus_result r = { .t = t, .file = file, .policy = policy_name };
    r.model = choose_model(c, policy_name, &r.judged);
    bool ok = enumerate(&r, d) && execute(c, &r);
    if (ok)
        report(c, &r);
    litmus_outcomes_free(&r.sc);
    litmus_outcomes_free(&r.allowed);
    litmus_outcomes_free(&r.run.seen);
    free(policy_name);
    return ok;
}

static void print_ptx(const struct litmus_test *t)
{
    char *text = litmus_emit(t);
    fputs(text, stdout);
    free(text);
}

static void do_file(struct litmus_command *c, const char *file)
{
    size_t size;
    char *text = file_read(file, &size);
    if (!text)
        cmd_usage_error(COMMAND, "%s: %s", file, strerror(errno));
    struct diag d = { .file = file, .source = text, .source_len = size };
    struct litmus_test *t = litmus_parse(text, size, &d);
    if (t && c->ptx)
        print_ptx(t);
    else if (!t || !do_test(c, file, t, &d))
        c->refused++;
    if (d.text) {
        fflush(stdout);
        fputs(d.text, stderr);
    }
    litmus_free(t);
    diag_free(&d);
    free(text);
}

static bool write_json(const struct litmus_command *c)
{
    struct atomic_file f;
    bool ok = atomic_file_open(&f, c->stats);
    if (ok)
        ok = atomic_file_close(&f, !json_dumpf(c->json, f.file, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) &&
                                       fputc('\n', f.file) != EOF);
    if (!ok)
        fprintf(stderr, "%s: cannot write %s: %s\n", COMMAND, c->stats, strerror(errno));
    return ok;
}

static int finish(struct litmus_command *c)
{
    if (c->tests + c->refused > 1 && c->refused)
        fprintf(stderr, "%s: %d of %d tests cannot be read or run\n", COMMAND, c->refused, c->tests + c->refused);
    if (c->tests > 1)
        printf("%d tests, %d with forbidden outcomes, %d unexpected; weak outcomes seen: %d of %d\n", c->tests,
               c->forbidden, c->unexpected, c->weak_seen, c->weak);
    bool written = !c->json || write_json(c);
    json_decref(c->json);
    simtx_config_free(c->built);
    free(c->sets);
    free(c->expect);
    return c->forbidden || c->unexpected || !written ? CMD_FAILED : c->refused ? CMD_USAGE : CMD_OK;
}

int cmd_litmus(int argc, char **argv)
{
    struct cmd_args a = { COMMAND, USAGE, OPTIONS, false, false, argc, 1, argv, NULL };
    struct litmus_command c = { .config = "gtx480-sc", .runs = 100000, .seed = 1 };
    const char **files = mem_alloc((size_t)argc, sizeof *files, "names of files");
    int which, n = 0;
    while ((which = cmd_args_next(&a)) != CMD_ARG_END) {
        if (which == CMD_ARG_WORD)
            files[n++] = a.value;
        else
            take(&c, which, a.value);
    }
    if (!n)
        cmd_usage_error(COMMAND, "no file given");
    build_config(&c);
    read_expectations(&c);
    c.json = c.stats ? json_array() : NULL;
    for (int i = 0; i < n; i++)
        do_file(&c, files[i]);
    free(files);
    return finish(&c);
}
