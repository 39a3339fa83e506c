/*
 * Random kernels of transactions (gen.h) in timing mode, each in some of many configurations of transactional memory
 * (machines.h), with the oracle. A kernel that goes wrong is printed with its seed.
 *
 *   random [--memory global|shared|both] [--seed N] [--count N] [--each N] [--all] [--only TEXT]
 *
 * --each: configurations for every kernel, one after the other in turn; --all: every one; --only: of those whose
 * presets contain the text.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "regress/tm/random/machines.h"

struct options { enum memory memory; uint64_t seed, count, each; const char *only; };
struct score { unsigned long long passed, failed; long long checked; };

static void run_on(struct random_machine *m, const struct kernel *k, uint64_t seed, struct score *s)
{
    char what[MACHINE_LINE];
    if (machine_runs(m, k, what)) {
        s->passed++;
        return;
    }
    s->failed++;
    printf("FAILED: seed %llu on %s %s, grid %u, block %u: %s\n%s", (unsigned long long)seed, m->presets, m->keys,
           k->grid, k->block, what, k->text);
}

/* Does the seed's kernel run on this machine? */
static bool is_in_turn(const struct options *o, uint64_t seed, uint64_t machine)
{
    uint64_t machines = (uint64_t)machines_of(o->memory), first = seed * o->each % machines;
    return !o->each || (machine + machines - first) % machines < o->each;
}

static void check_statistics(struct random_machine *m, struct score *s)
{
    char what[MACHINE_LINE];
    if (machine_is_right(m, &s->checked, what))
        return;
    s->failed++;
    printf("FAILED: %s %s: %s\n", m->presets, m->keys, what);
}

/* All kernels of a machine, and of the one that is as it. */
static void run_machine(const struct options *o, struct random_machine *m, uint64_t number, struct score *s)
{
    static struct kernel k;
    int machines = 1 + m[1].as_before;
    for (uint64_t seed = o->seed; seed < o->seed + o->count; seed++) {
        if (!is_in_turn(o, seed, number))
            continue;
        gen_kernel(&k, o->memory, seed);
        for (int i = 0; i < machines; i++)
            run_on(&m[i], &k, seed, s);
    }
    for (int i = 0; i < machines && !s->failed; i++)
        check_statistics(&m[i], s);
    for (int i = 0; i < machines; i++)
        machine_close(&m[i]);
}

static enum memory memory_of(const char *name)
{
    return !strcmp(name, "shared") ? SHARED : !strcmp(name, "both") ? BOTH : GLOBAL;
}

static struct options options_of(int argc, char **argv)
{
    struct options o = { .memory = GLOBAL, .seed = 1, .count = 50, .each = 5, .only = "" };
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "0";
        if (!strcmp(argv[i], "--all"))
            o.each = 0;
        else if (!strcmp(argv[i], "--memory"))
            o.memory = memory_of(value);
        else if (!strcmp(argv[i], "--seed"))
            o.seed = strtoull(value, NULL, 0);
        else if (!strcmp(argv[i], "--count"))
            o.count = strtoull(value, NULL, 0);
        else if (!strcmp(argv[i], "--each"))
            o.each = strtoull(value, NULL, 0);
        else if (!strcmp(argv[i], "--only"))
            o.only = value;
    }
    return o;
}

int main(int argc, char **argv)
{
    static const char *const names[MEMORIES] = { "", "-shared", "-both" };
    struct options o = options_of(argc, argv);
    struct random_machine *m = random_machines[o.memory];
    struct score s = { 0 };
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 0; i < machines_of(o.memory); i++)
        if (!m[i].as_before && strstr(m[i].presets, o.only))
            run_machine(&o, &m[i], (uint64_t)i, &s);
    printf("%lld transactions checked\n", s.checked);
    printf("random-tm%s: %llu passed, %llu failed\n", names[o.memory], s.passed, s.failed);
    return s.failed != 0;
}
