/*
 * Litmus tests: small programs of a few threads whose final registers and memory tell which memory orders are possible.
 * A test is read from a text in the format of herd and diy (Alglave, Maranget, Tautschnig: Herding cats, TOPLAS 2014)
 * into operations that are the same for all dialects. From these come
 *   - the PTX that runs (litmus_emit.c), many instances in one launch (litmus_run.c),
 *   - the outcomes that a memory model allows: SC and TSO by a search of the states of an abstract machine
 *     (litmus_operational.c), PTX by its axioms (litmus_axioms.c).
 * An outcome is the values of the test's observables: registers and locations of its condition and `locations` list.
 */
#ifndef FRONTEND_LITMUS_H
#define FRONTEND_LITMUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

enum {
    LITMUS_THREADS = 8, LITMUS_REGISTERS = 40, LITMUS_LOCATIONS = 16, LITMUS_OPS = 64, LITMUS_OBSERVED = 24,
    LITMUS_NODES = 128, LITMUS_NAME = 32
};

/* ---- operations ---- */

enum litmus_kind {
    LITMUS_NOP,                      /* a label's place */
    LITMUS_MOV,                      /* dst = a */
    LITMUS_ALU,                      /* dst = a fn b */
    LITMUS_LOAD,                     /* dst = [address] */
    LITMUS_STORE,                    /* [address] = a */
    LITMUS_RMW,                      /* dst = [address]; [address] = dst fn a; cas: if dst equals a, b */
    LITMUS_FENCE,
    LITMUS_BARRIER,                  /* of the threads of a block, by id */
    LITMUS_BRANCH                    /* to target if a fn b */
};

enum litmus_fn {
    LITMUS_ADD, LITMUS_SUB, LITMUS_AND, LITMUS_OR, LITMUS_XOR, LITMUS_MIN, LITMUS_MAX, LITMUS_EXCH, LITMUS_CAS,
    LITMUS_EQ, LITMUS_NE, LITMUS_LT, LITMUS_LE, LITMUS_GT, LITMUS_GE, LITMUS_ALWAYS
};

/* Order of the operation; WEAK_CG is weak and reads past L1. */
enum litmus_sem {
    LITMUS_WEAK, LITMUS_WEAK_CG, LITMUS_RELAXED, LITMUS_ACQUIRE, LITMUS_RELEASE, LITMUS_ACQ_REL, LITMUS_SC
};

enum litmus_scope { LITMUS_CTA, LITMUS_GPU, LITMUS_SYS };

struct litmus_operand {
    enum { LITMUS_NONE, LITMUS_REG, LITMUS_VALUE, LITMUS_LOC } kind;
    int index;                       /* of the register or location */
    int64_t value;
};

struct litmus_op {
    enum litmus_kind kind;
    enum litmus_fn fn;
    enum litmus_sem sem;
    enum litmus_scope scope;
    uint8_t size;                    /* bytes of an access, 4 or 8 */
    int dst;                         /* register, -1 = none */
    struct litmus_operand address, a, b;
    int target, id;
    int line, col;
};

/* ---- the test ---- */

enum litmus_arch { LITMUS_PTX, LITMUS_X86, LITMUS_X86_64, LITMUS_RISCV };

/* wide: 64 bits, for addresses and 8-byte values; else 32. hidden: no text can name it. size: bytes of the instructions
 * on it, where they tell; else 0. */
struct litmus_register { char name[LITMUS_NAME]; int64_t init; bool wide, hidden; uint8_t size; };

struct litmus_thread {
    struct litmus_register reg[LITMUS_REGISTERS];
    int nregs;
    struct litmus_op op[LITMUS_OPS];
    int nops;
    int cta, gpu;                    /* the threads with both equal are in one block */
};

struct litmus_location { char name[LITMUS_NAME]; int64_t init; uint8_t size; };

struct litmus_observed { int thread, index; };       /* thread -1: a location; else a register */

/* A node of the condition. Leaves compare two operands: an observable (VALUE with index), or a value. */
enum litmus_node_kind { LITMUS_TRUE, LITMUS_COMPARE, LITMUS_NOT, LITMUS_BOTH, LITMUS_EITHER };

struct litmus_node {
    enum litmus_node_kind kind;
    enum litmus_fn fn;
    int left, right;                 /* nodes; of COMPARE: observables, -1 = the value */
    int64_t left_value, right_value;
    int line, col;
};

enum litmus_quantifier { LITMUS_EXISTS, LITMUS_NOT_EXISTS, LITMUS_FORALL };

struct litmus_test {
    enum litmus_arch arch;
    char name[128];
    struct litmus_thread thread[LITMUS_THREADS];
    int nthreads;
    struct litmus_location location[LITMUS_LOCATIONS];
    int nlocations;
    struct litmus_observed observed[LITMUS_OBSERVED];
    int nobserved;
    enum litmus_quantifier quantifier;
    struct litmus_node node[LITMUS_NODES];
    int nnodes, condition;           /* the root */
    int filter;                      /* root of what every outcome must satisfy, -1 = nothing */
    char *condition_text;
    bool loops;                      /* a branch goes back */
};

/* The value of a register that holds a location's address, in models and in outcomes. */
#define LITMUS_ADDRESS(l) (((int64_t)1 << 48) + ((int64_t)(l) << 16))
/* The location of such a value; -1 = it is none. */
int litmus_location_of(const struct litmus_test *t, int64_t value);

/* Reads a test. NULL with an error in d, which can have warnings in any case. */
struct litmus_test *litmus_parse(const char *text, size_t len, struct diag *d);
void litmus_free(struct litmus_test *t);

bool litmus_holds(const struct litmus_test *t, const int64_t *outcome);
/* Does the outcome count? One that the filter rejects does not. */
bool litmus_counts(const struct litmus_test *t, const int64_t *outcome);
/* "0:EAX=1; x=2;" */
void litmus_describe(const struct litmus_test *t, const int64_t *outcome, char *text, size_t size);

/* ---- meaning of the operations, shared by the models ---- */

/* The value as an access of this size keeps it: 4 bytes are signed. */
int64_t litmus_truncate(int64_t value, const struct litmus_op *o);
int64_t litmus_value(const struct litmus_operand *a, const int64_t *regs);
bool litmus_branches(const struct litmus_op *o, const int64_t *regs);
/* Executes MOV and ALU. */
void litmus_compute(const struct litmus_thread *p, const struct litmus_op *o, int64_t *regs);
/* What an RMW that has read `old` writes; false: nothing. */
bool litmus_rmw(const struct litmus_op *o, const int64_t *regs, int64_t old, int64_t *written);

/* ---- outcomes ---- */

struct litmus_outcomes {
    int64_t *value;                  /* n rows of `width` */
    uint64_t *count;
    uint32_t n, cap, *table, table_size;
    int width;
};

void litmus_outcomes_init(struct litmus_outcomes *s, int width);
void litmus_outcomes_free(struct litmus_outcomes *s);
void litmus_outcomes_add(struct litmus_outcomes *s, const int64_t *outcome, uint64_t count);
/* The index of the outcome, -1 = it is not in the set. */
int litmus_outcomes_find(const struct litmus_outcomes *s, const int64_t *outcome);
void litmus_outcomes_sort(struct litmus_outcomes *s);

/* ---- models ---- */

enum litmus_model { LITMUS_MODEL_SC, LITMUS_MODEL_TSO, LITMUS_MODEL_PTX };

/* All outcomes that the model allows. False with an error when the test is too large for the
 * model or accesses an address that is no location. `d` must have no error before the call. */
bool litmus_allowed(const struct litmus_test *t, enum litmus_model m, struct litmus_outcomes *out, struct diag *d);
bool litmus_operational(const struct litmus_test *t, bool tso, struct litmus_outcomes *out, struct diag *d);
const char *litmus_model_name(enum litmus_model m);

/* Never, Sometimes or Always: how many of the outcomes, each with its count, satisfy the condition. */
const char *litmus_observation(const struct litmus_test *t, const struct litmus_outcomes *s, uint64_t *positive,
                               uint64_t *negative);

/* ---- PTX and its runs ---- */

/* The kernel as PTX text (malloc'ed). */
char *litmus_emit(const struct litmus_test *t);

struct simtx_config;

struct litmus_run {
    const struct simtx_config *config;
    uint64_t seed, runs;             /* runs: outcomes wanted */
    uint64_t outcomes, launches, cycles;     /* results */
    double seconds;                  /* processor time of the host in launches */
    struct litmus_outcomes seen;
    /* Called after each launch; false ends the run. */
    bool (*progress)(void *ctx, struct litmus_run *r);
    void *ctx;
};

/* Runs the test in timing mode. False with a message (malloc'ed). */
bool litmus_run(const struct litmus_test *t, struct litmus_run *r, char **message);

#endif
