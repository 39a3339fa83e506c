/*
 * Deliberate faults of KILO TM (base/mutants.def, tm/kilotm/faults.def), one at a time, on the machine: which check
 * finds each, and within how many transactions? A fault may crash or hang the simulator, so each run is a process of
 * its own. With an argument: every n-th fault only. Writes the table of docs/tm-mutants.md; fails when a fault that is not
 * known to survive here does. MUTANTS_VERBOSE in the environment: the messages, too.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <setjmp.h>
#include <cmocka.h>

#include "base/mutate.h"
#include "regress/tm/programs.h"
#include "tm/kilotm/mutate.h"

enum core_fault core_fault;
const void *unit_fault;

enum { SECONDS = 5, TEXT = 120 };

struct mutant { const char *name, *what, *where; bool survives; };

static const struct mutant core_faults[] = {
#define CORE_FAULT(id, what) { #id, what, "core", false },
#include "base/mutants.def"
};
/* STALE_CLEARED: what is read again is current, so the outcomes are serial executions too; the tests of the commit
 * unit's rules find it. */
static const struct mutant unit_faults[] = {
#define FAULT(id, what) { #id, what, "commit unit", \
                          FAULT_##id == FAULT_STALE_CLEARED },
#include "tm/kilotm/faults.def"
};
enum { CORE = sizeof core_faults / sizeof *core_faults, UNIT = sizeof unit_faults / sizeof *unit_faults };

static const struct { uint32_t blocks, times; } sizes[] = {
    { 1, 1 }, { 2, 1 }, { 4, 1 }, { 8, 1 }, { 16, 2 }
};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* As published; histories in which everything is an alias, and buffers of two words; exact histories. */
static const char *const setups[][6] = {
    { "kilotm.input=64" },
    { "kilotm.lwh_sets=2", "kilotm.lwh_ways=1", "kilotm.lwh_buckets=16", "kilotm.lwh_arrays=2", "kilotm.read_buffer=2",
      "kilotm.write_buffer=2" },
    { "kilotm.hazards=perfect", "kilotm.pass_waiting=true" },
};
enum { SETUPS = sizeof setups / sizeof *setups };

/* ---- one run ---- */

static const char *kind_of(const char *message)
{
    static const struct { const char *words, *kind; } KINDS[] = {
        { "replay", "oracle" }, { "oracle", "oracle" }, { "hang", "hang" }, { "nothing moves", "hang" },
        { "no progress", "hang" }, { "commit unit", "commit unit's check at rest" },
        { "internal error", "conservation check" }, { "conservation", "conservation check" }
    };
    for (unsigned i = 0; i < sizeof KINDS / sizeof *KINDS; i++)
        if (strstr(message, KINDS[i].words))
            return KINDS[i].kind;
    return "fault of the kernel";
}

static void child(int out, enum tx_program p, unsigned size, unsigned setup)
{
    const char *all[12] = { "tm.global=kilotm", "l1.local_writeback=true", "tm.watchdog=3000",
                            "sim.hang_cycles=200000" };
    unsigned n = 4;
    char text[TEXT] = "";
    struct lab l;
    setitimer(ITIMER_VIRTUAL, &(struct itimerval){ .it_value.tv_sec = SECONDS }, NULL);
    for (unsigned i = 0; i < 6 && setups[setup][i]; i++)
        all[n++] = setups[setup][i];
    lab_open(&l, tx_programs, all, NULL);
    const char *message = tx_run(&l, p, sizes[size].blocks, sizes[size].times);
    if (message && getenv("MUTANTS_VERBOSE"))
        dprintf(2, "%s %s\n", tx_names[p], message);
    if (message)
        snprintf(text, sizeof text, "%s", kind_of(message));
    else if (!tx_is_right(&l, p, sizes[size].blocks, sizes[size].times))
        snprintf(text, sizeof text, "the program's result");
    if (write(out, text, sizeof text) != sizeof text)
        _exit(2);
    _exit(0);
}

static const char *how_it_died(int status)
{
    int s = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return s == SIGVTALRM ? "hang (time limit)" : s == SIGABRT ? "commit unit's own check" : s ? "crash"
                                                                                             : "exit of the process";
}

/* What has found the fault in a run; false: nothing has. */
static bool found(enum tx_program p, unsigned size, unsigned setup, char text[TEXT])
{
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    fflush(stdout);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (!pid) {
        if (!getenv("MUTANTS_VERBOSE") && !freopen("/dev/null", "w", stderr))
            _exit(2);
        child(ends[1], p, size, setup);
    }
    close(ends[1]);
    bool told = read(ends[0], text, TEXT) == TEXT;
    close(ends[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (!told)
        snprintf(text, TEXT, "%s", how_it_died(status));
    return text[0];
}

/* ---- all of them ---- */

static unsigned survivors, unexpected, done;

static bool search(char text[TEXT], unsigned *transactions, const char **program, unsigned *setup)
{
    for (unsigned size = 0; size < SIZES; size++)
        for (*setup = 0; *setup < SETUPS; ++*setup)
            for (enum tx_program p = 0; p < TX_MIXED; p++)
                if (found(p, size, *setup, text)) {
                    *transactions = sizes[size].blocks * 32 * sizes[size].times;
                    *program = tx_names[p];
                    return true;
                }
    return false;
}

static void report(const struct mutant *f)
{
    char text[TEXT];
    unsigned transactions, setup;
    const char *program;
    done++;
    if (search(text, &transactions, &program, &setup)) {
        static const char *const names[SETUPS] = { "", ", narrow", ", exact history" };
        printf("| %s | %s | %s | %s%s | %u |\n", f->where, f->what, text, program, names[setup], transactions);
        return;
    }
    survivors++;
    unexpected += !f->survives;
    printf("| %s | %s | survives | | |\n", f->where, f->what);
}

static bool nothing_is_found_without(void)
{
    char text[TEXT];
    for (unsigned setup = 0; setup < SETUPS; setup++)
        for (enum tx_program p = 0; p < TX_MIXED; p++)
            for (unsigned size = 0; size < SIZES; size++)
                if (found(p, size, setup, text)) {
                    printf("without any fault: %s, %s, setup %u, size %u\n", text, tx_names[p], setup, size);
                    return false;
                }
    return true;
}

int main(int argc, char **argv)
{
    unsigned each = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    if (!each || !nothing_is_found_without())
        return 1;
    printf("| part | fault | found by | program | transactions |\n|---|---|---|---|---|\n");
    for (unsigned i = 0; i < CORE; i += each) {
        core_fault = (enum core_fault)(i + 1);
        report(&core_faults[i]);
    }
    core_fault = CORE_FAULT_NONE;
    for (unsigned i = 0; i < UNIT; i += each) {
        struct cu_fault f = { (enum cu_fault_kind)(i + 1) };
        unit_fault = &f;
        report(&unit_faults[i]);
    }
    printf("\n%u faults, %u found, %u survive.\n", done, done - survivors, survivors);
    fprintf(stderr, "mutants: %u passed, %u failed\n", done - unexpected, unexpected);
    return unexpected != 0;
}
