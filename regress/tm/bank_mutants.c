/*
 * Deliberate faults of transactions on shared memory (tm/localtm/faults.def, base/bank_mutants.def), one at a time:
 * which check finds each, in which configuration, and within how many random kernels (random/gen.h)? A fault may crash
 * or hang the simulator, so the kernels of a fault run in a process of their own, which tells where it is. With an
 * argument: every n-th fault only. Writes the table of docs/tm-mutants.md; fails when a fault survives that is not
 * known to. MUTANTS_VERBOSE in the environment: messages, too.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mutate.h"
#include "regress/tm/random/machines.h"

enum core_fault core_fault;
const void *unit_fault;

enum { SECONDS = 4, PROGRAMS = 240, OPEN = 8, KIND = 60 };

struct mutant { const char *what, *where; enum core_fault fault; bool survives; };   /* survives: is known to */

/* PUT_BACK_ACCESSES: the abort puts back what it has changed; only the warp that runs alone may lose by it. */
static const struct mutant mutants[] = {
#define LOCAL_FAULT(id, what) { what, "GPU-LocalTM", CORE_FAULT_LOCAL_##id, \
                                CORE_FAULT_LOCAL_##id == CORE_FAULT_LOCAL_PUT_BACK_ACCESSES },
#include "tm/localtm/faults.def"
#define BANKS_FAULT(id, what) { what, "core", CORE_FAULT_BANKS_##id, false },
#include "base/bank_mutants.def"
};
enum { MUTANTS = sizeof mutants / sizeof *mutants };

/* What the process of a fault tells. */
struct progress {
    enum memory memory;
    int machine;
    unsigned programs;               /* begun */
    unsigned long long transactions;
    char kind[KIND];                 /* what has found it; "" = nothing has */
};

static struct progress *told;

static const char *kind_of(const char *message)
{
    static const struct { const char *words, *kind; } KINDS[] = {
        { "the keys are no order", "oracle: order of keys" }, { "replay", "oracle" }, { "hang", "hang" },
        { "nothing moves", "hang" }, { "commit unit", "commit unit's check at rest" },
        { "ended with another number", "conservation check" }, { "expected", "the program's result" },
        { "counters", "the program's result" }, { "lost count", "the program's result" }
    };
    for (unsigned i = 0; i < sizeof KINDS / sizeof *KINDS; i++)
        if (strstr(message, KINDS[i].words))
            return KINDS[i].kind;
    return "fault of the kernel";
}

static bool found_in(enum memory memory, int machine, unsigned seed)
{
    static struct kernel k;
    char what[MACHINE_LINE];
    gen_kernel(&k, memory, seed);
    told->memory = memory;
    told->machine = machine;
    told->programs++;
    told->transactions += k.transactions;
    setitimer(ITIMER_VIRTUAL, &(struct itimerval){ .it_value.tv_sec = SECONDS }, NULL);
    if (machine_runs(&random_machines[memory][machine], &k, what))
        return false;
    if (getenv("MUTANTS_VERBOSE"))
        fprintf(stderr, "seed %u: %s\n", seed, what);
    snprintf(told->kind, KIND, "%s", kind_of(what));
    return true;
}

/* Half of the programs reach shared memory only. Machine 0 is functional. */
static void child(unsigned programs)
{
    if (!getenv("MUTANTS_VERBOSE") && !freopen("/dev/null", "w", stderr))
        _exit(2);
    for (unsigned i = 0; i < programs / 2; i++)
        for (enum memory m = SHARED; m < MEMORIES; m++)
            if (found_in(m, 1 + (int)(i % OPEN), i))
                _exit(0);
    _exit(0);
}

static const char *how_it_died(int status)
{
    int s = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return s == SIGVTALRM ? "hang (time limit)" : s == SIGABRT ? "the simulator's own check" : s ? "crash" : "exit";
}

/* Does anything find the fault? `told` has what and where. */
static bool found(enum core_fault fault, unsigned programs)
{
    int status;
    *told = (struct progress){ 0 };
    fflush(stdout);
    core_fault = fault;
    pid_t pid = fork();
    if (!pid)
        child(programs);
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        abort();
    if (status)
        snprintf(told->kind, KIND, "%s", how_it_died(status));
    return told->kind[0];
}

static void print_row(const struct mutant *f)
{
    const struct random_machine *m = &random_machines[told->memory][told->machine];
    if (told->kind[0])
        printf("| %s | %s | %s | %s%s%s | %u | %llu |\n", f->where, f->what, told->kind, m->presets,
               *m->keys ? ", " : "", m->keys, told->programs, told->transactions);
    else
        printf("| %s | %s | survives | | %u | %llu |\n", f->where, f->what, told->programs, told->transactions);
}

int main(int argc, char **argv)
{
    unsigned each = argc > 1 ? (unsigned)atoi(argv[1]) : 1, done = 0, survivors = 0, unexpected = 0;
    told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!each || told == MAP_FAILED)
        return 2;
    if (found(CORE_FAULT_NONE, PROGRAMS / each)) {
        printf("without any fault: %s in %s\n", told->kind, random_machines[told->memory][told->machine].keys);
        return 1;
    }
    printf("| part | fault | found by | configuration | programs | transactions |\n|---|---|---|---|---|---|\n");
    for (unsigned i = 0; i < MUTANTS; i += each, done++) {
        bool survives = !found(mutants[i].fault, PROGRAMS);
        print_row(&mutants[i]);
        survivors += survives;
        unexpected += survives && !mutants[i].survives;
    }
    printf("\n%u faults, %u found, %u survive.\n", done, done - survivors, survivors);
    fprintf(stderr, "bank-mutants: %u passed, %u failed\n", done - unexpected, unexpected);
    return unexpected != 0;
}
