/*
 * A PTX module in memory, as the parser builds it. Registers, variables and labels are resolved to pointers and
 * indices, modifiers to one byte a group, operands to the positions of the opcode's signature. It is in the module's
 * arena.
 */
#ifndef PTX_IR_H
#define PTX_IR_H

#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/strmap.h"
#include "ptx/isa/ops.h"

struct ptx_loc { int line, col; };

enum ptx_linkage { LINK_LOCAL, LINK_VISIBLE, LINK_EXTERN, LINK_WEAK, LINK_COMMON };

struct ptx_reg {
    const char *name;
    uint8_t type;            /* enum ptx_type; T_PRED for predicates */
    int id;                  /* index in func->regs */
    bool shared;             /* declared at module scope (module_regs.c) */
    struct ptx_loc loc;
};

/* A symbol's address inside an initialiser: the bytes [offset, offset + size) are (address + addend) >> shift. */
struct ptx_reloc {
    struct ptx_reloc *next;
    size_t offset;
    int size, shift;
    struct ptx_var *var;     /* one of the two */
    struct ptx_func *func;
    int64_t addend;
    bool generic;            /* generic(sym): the generic address */
};

struct ptx_var {
    struct ptx_var *next;    /* in declaration order within its list */
    const char *name;
    struct ptx_loc loc;
    uint8_t space, type, linkage;
    uint8_t vec;             /* 1, 2, 4: elements of a vector type */
    bool is_array, unsized;  /* unsized: `x[]`, extern shared memory */
    bool managed;
    bool external;           /* it is in memory of the host program, whose contents stay at a later load */
    bool written;            /* external: its initialiser has been written by an earlier load */
    bool ptr;                /* .param .ptr attribute */
    bool used;               /* an instruction or an initialiser names it; set at load */
    uint32_t align;          /* bytes, explicit or natural */
    uint64_t size;           /* bytes; 0 when unsized */
    uint8_t *init;           /* size bytes (zero padded), NULL without initialiser */
    struct ptx_reloc *relocs;
    struct ptx_func *func;   /* function whose scope it belongs to; NULL at module scope */
    uint64_t address;        /* space-relative offset or device address; assigned at load */
    struct ptx_var *def;     /* after linking: the definition of an extern declaration */
};

enum ptx_operand_kind {
    OPD_NONE,                /* optional operand that was left out */
    OPD_REG, OPD_IMM, OPD_FIMM, OPD_SREG, OPD_VAR, OPD_FUNC, OPD_LABEL, OPD_VEC, OPD_MEM, OPD_SINK, OPD_TABLE
};

struct ptx_operand {
    uint8_t kind;
    bool negated;            /* !%p; -%r of vmad */
    uint8_t comp;            /* 0 none, 1..4 = .x .y .z .w of a special register */
    uint8_t bytesel;         /* video selectors: 0 none, 1..4 = .b0 .. .b3, 5, 6 = .h0 .h1 */
    uint8_t n;               /* OPD_VEC: number of elements */
    uint8_t sreg;            /* OPD_SREG: enum ptx_sreg */
    bool is_f32;             /* OPD_FIMM written 0f........: imm holds the 32 bits; else the bits of the double */
    struct ptx_loc loc;
    union {
        struct ptx_reg *reg;     /* OPD_REG, base of OPD_MEM when has_reg */
        struct ptx_var *var;     /* OPD_VAR, base of OPD_MEM when has_var */
        struct ptx_func *func;
        struct ptx_table *table;
        struct ptx_operand *elem;  /* OPD_VEC */
        uint32_t label;          /* OPD_LABEL: index of the instruction that it labels */
    };
    bool has_reg, has_var;   /* OPD_MEM: what the base is; neither = absolute address in imm */
    int64_t imm;             /* OPD_IMM value, OPD_FIMM bits, OPD_MEM and OPD_VAR byte offset; sreg index (%envreg7) */
};

/*
 * The parser has reduced these forms: a vector register is a scalar register for each component; a parameter declared
 * as a register is a .param variable with ld at the start and st at the end of the body; [symbol + register] is an
 * address computed by instructions before it; wmma instructions are loads, stores and mma (ptx/text/wmma.c). Every body
 * ends in an instruction that does not fall through, so labels are always < ninsts.
 */

/* .branchtargets / .calltargets / .callprototype */
struct ptx_table {
    const char *name;
    struct ptx_loc loc;
    enum { TABLE_BRANCH, TABLE_CALL, TABLE_PROTO } kind;
    uint32_t *labels;        /* TABLE_BRANCH: instruction indices */
    struct ptx_func **funcs; /* TABLE_CALL */
    int n;
    bool moved;              /* TABLE_BRANCH: the labels are those after module_regs.c */
    struct ptx_var *params, *rets;   /* TABLE_PROTO */
    int nparams, nrets;
};

/* Results and arguments of a call: registers, immediates or .param variables. */
struct ptx_call {
    struct ptx_operand *ret, *arg;
    int nret, narg;
    struct ptx_operand target;       /* OPD_FUNC or OPD_REG */
    struct ptx_table *table;         /* prototype or targets of an indirect call, else NULL */
};

enum { PTX_MAX_OPD = 10, PTX_MAX_ELEMENTS = 128 };    /* operands; elements of one, a fragment of wgmma */

struct ptx_inst {
    uint16_t op;             /* enum ptx_op */
    uint8_t type[4];         /* enum ptx_type, in the order written; a fourth one: matrices */
    uint8_t mod[PG_COUNT];   /* 0 or MOD(group, word) */
    struct ptx_reg *guard;   /* @%p, NULL when unguarded */
    bool guard_negated;
    bool guard_covers;       /* lanes that the guard excludes do not use the register of the result (if_convert.c) */
    bool tx;                 /* between tx_begin and tx_commit of this function, on some path */
    bool lock;               /* between simtx_lock_begin and simtx_lock_end (simtx_tm.h) of this function */
    uint16_t wgmma_n, wgmma_k;       /* of .m64nNkK, a word that is in no group; 0 = not written */
    uint8_t nopd;            /* positions of the signature, with those left out (OPD_NONE) */
    struct ptx_operand opd[PTX_MAX_OPD];   /* by position in the signature */
    struct ptx_call *call;
    struct ptx_loc loc;      /* of the opcode in the PTX text */
    uint32_t src_file, src_line;   /* from .loc: file number (0 = none) and line of the CUDA source */
};

#define INST_SPACE(in) ((in)->mod[PG_SPACE])     /* 0 = generic */

struct ptx_func {
    struct ptx_func *next;
    const char *name;
    struct ptx_loc loc;
    uint8_t linkage;
    bool is_entry, has_body, noreturn;
    struct ptx_var *params, *rets;   /* lists; in entry functions space is SP_PARAM, size is set */
    int nparams, nrets;
    struct ptx_var *vars;            /* .param .local .shared .global .const variables of the body */
    struct ptx_reg **regs;
    int nregs;
    struct ptx_inst *insts;
    uint32_t ninsts;
    struct ptx_label { const char *name; uint32_t inst; struct ptx_loc loc; } *labels;
    uint32_t nlabels;
    uint32_t maxntid[3], reqntid[3]; /* 0 = not given */
    uint32_t minnctapersm, maxnreg, maxnctapersm;
    uint32_t cluster[3];             /* .reqnctapercluster; 0 = not given */
    uint32_t max_cluster_rank;
    bool explicit_cluster;           /* it must be launched with clusters */
    struct ptx_module *module;
    struct ptx_func *def;            /* after linking: the function with the body */
    void *code;                      /* decoded form (struct code), in the program's arena */
    uint32_t index;                  /* position among the module's functions, from 0 */
};

struct ptx_module {
    struct arena *arena;
    struct ptx_module *next;         /* after linking: the other modules, owned by the first */
    const char *file;
    int version_major, version_minor;
    char target[32];
    int sm;                          /* 70 of sm_70 */
    int address_size;
    struct ptx_var *vars;            /* module scope, in order */
    struct ptx_func *funcs;
    int nfuncs;
    const char **src_files;          /* .file table by number; NULL where absent */
    uint32_t nsrc_files;
    struct strmap symbols;           /* name -> struct ptx_symbol */
};

struct ptx_symbol { enum { SYM_VAR, SYM_FUNC } kind; struct ptx_var *var; struct ptx_func *func; };

/*
 * Parses and checks PTX text (need not end in NUL). NULL on failure; `d` has every error with line and column, not only
 * the first. Warnings are no failure.
 */
struct ptx_module *ptx_parse(const char *text, size_t len, const char *file, struct diag *d);
void ptx_module_free(struct ptx_module *m);
struct ptx_func *ptx_find_func(const struct ptx_module *m, const char *name);
struct ptx_var *ptx_find_var(const struct ptx_module *m, const char *name);

/* Disassembly of one instruction into buf (without newline); returns the length. */
int ptx_print_inst(const struct ptx_func *f, const struct ptx_inst *in, char *buf, size_t size);

#endif
