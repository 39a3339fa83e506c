/* Shared by the parser of litmus tests and its dialects. */
#ifndef FRONTEND_LITMUS_IMPL_H
#define FRONTEND_LITMUS_IMPL_H

#include <setjmp.h>

#include "frontend/litmus/litmus.h"

enum litmus_token_kind { LITMUS_T_END, LITMUS_T_WORD, LITMUS_T_NUMBER, LITMUS_T_STRING, LITMUS_T_SYMBOL };

struct litmus_token {
    enum litmus_token_kind kind;
    const char *at;
    int len, line, col;
    int64_t number;
};

/* The first error ends the parse: it jumps to `failed`. */
struct litmus_dialect;

struct litmus_parser {
    struct litmus_test *t;
    struct diag *d;
    const char *p, *end, *line_start;
    int line;
    struct litmus_token token;       /* the next one */
    jmp_buf failed;
    int thread;                      /* of the column that a dialect reads */
    struct litmus_label { char name[LITMUS_NAME]; int thread, at; } label[LITMUS_OPS];
    int nlabels;
    struct litmus_jump { struct litmus_token to; int thread, op; } jump[LITMUS_OPS];
    int njumps;
    /* For dialects: registers of each thread with what an earlier instruction has left (RISC-V: value of lr and its
     * address register, until an sc; x86: operands of cmp). -1 = nothing. */
    int kept[LITMUS_THREADS][2];
    /* Bits: locations and registers that have an initial value, and where; threads that have scopes. init_thread: the
     * largest thread of the initial state, -1 = none. */
    uint64_t location_set, register_set[LITMUS_THREADS];
    struct litmus_token location_at[LITMUS_LOCATIONS], register_at[LITMUS_THREADS][LITMUS_REGISTERS];
    uint32_t scoped;
    int init_thread;
    struct litmus_token init_at;     /* where it is named */
    const struct litmus_dialect *dialect;
};

_Noreturn void litmus_error(struct litmus_parser *p, const struct litmus_token *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The error "EXPECTED, found TOKEN". */
_Noreturn void litmus_expected(struct litmus_parser *p, const struct litmus_token *found, const char *expected);
void litmus_next(struct litmus_parser *p);
/* Is the next token this word or symbol? Words are compared without regard to case. */
bool litmus_is(const struct litmus_parser *p, const char *text);
/* If so, takes it. */
bool litmus_take(struct litmus_parser *p, const char *text);
void litmus_expect(struct litmus_parser *p, const char *text);
/* The token's text as a string; cut to the array. */
void litmus_text(const struct litmus_token *k, char out[LITMUS_NAME]);
int64_t litmus_number(struct litmus_parser *p);      /* an optional sign and a number */
int64_t litmus_negated(int64_t value);               /* modulo 2^64 */
/* A value of 4 bytes, which is written with or without a sign, and is kept signed. */
void litmus_fit(struct litmus_parser *p, const struct litmus_token *at, int64_t *value);
/* "a.b.c" as its parts, whose number is returned; they point into `buffer`. */
int litmus_split(struct litmus_parser *p, const struct litmus_token *k, char buffer[80], char *part[8]);

/* The register of this name of a thread, or the location; created if new. */
int litmus_register_at(struct litmus_parser *p, int thread, const char *name, const struct litmus_token *at);
int litmus_find_register(const struct litmus_thread *t, const char *name);
int litmus_location_at(struct litmus_parser *p, const char *name, const struct litmus_token *at);
int litmus_find_location(const struct litmus_test *t, const char *name);
/* A register that no text can name. */
int litmus_hidden_register(struct litmus_parser *p, const struct litmus_token *at);

struct litmus_op *litmus_add_op(struct litmus_parser *p, enum litmus_kind kind, const struct litmus_token *at);
/* A branch to the label that is the next token. */
void litmus_add_branch(struct litmus_parser *p, enum litmus_fn fn, struct litmus_operand a, struct litmus_operand b,
                       const struct litmus_token *at);
struct litmus_operand litmus_reg_operand(int reg);
struct litmus_operand litmus_value_operand(int64_t value);
struct litmus_operand litmus_loc_operand(int location);

/* For dialects: a register of their thread or a number; the register that an instruction writes, -1 = the zero one. */
struct litmus_operand litmus_reg_or_number(struct litmus_parser *p);
int litmus_destination(struct litmus_parser *p);

/* reg: the canonical name of a register; false = it is none. instruction: reads one; the next token is its first. */
struct litmus_dialect {
    const char *const *names;        /* of the header, NULL at the end */
    const char *zero;                /* canonical name of the register that is always 0; NULL = none */
    bool (*reg)(const char *name, char out[LITMUS_NAME]);
    void (*instruction)(struct litmus_parser *p);
};

extern const struct litmus_dialect litmus_ptx, litmus_x86, litmus_x86_64, litmus_riscv;

#endif
