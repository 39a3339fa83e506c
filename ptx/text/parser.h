/*
 * State of the scanner, the grammar and the parser while one PTX text is read. Every word is interned once; its struct
 * name has its meaning (opcode, type, modifier, special register) and its bindings in the open scopes, so a look-up is
 * one pointer. Expressions are small trees that live for one statement.
 */
#ifndef PTX_PARSER_H
#define PTX_PARSER_H

#include "ptx/program/ir.h"
#include "ptx/isa/ops_check.h"

enum {
    PARSE_MAX_SCOPES = 200,            /* nested { } in a function */
    PARSE_MAX_DEPTH = 200,             /* nested parentheses, braces, operators */
    PARSE_MAX_WORD_GROUPS = 6,         /* modifier groups that share a word */
    PARSE_MAX_INST_MODS = 24,          /* modifiers and types of one instruction */
    PARSE_MAX_REG_RANGE = 1 << 20,     /* %r<N> */
    PARSE_MAX_EXPANDED = 1 << 18       /* labels and variables declared by ranges, in all */
};

enum binding_kind { BIND_REG, BIND_VECREG, BIND_VAR, BIND_FUNC, BIND_TABLE };

struct binding {
    struct binding *outer;       /* of the same name, in an enclosing scope */
    struct binding *in_scope;    /* next of the same scope */
    struct name *name;
    uint8_t kind;
    int depth;
    struct ptx_loc loc;
    union {
        struct ptx_reg *reg;
        struct ptx_reg **vec;    /* BIND_VECREG: n registers, one a component */
        struct ptx_var *var;
        struct ptx_func *func;
        struct ptx_table *table;
    };
    int n;
};

/* `%r<21>`: a register (or .param variable) is created when it is first named. */
struct range {
    struct range *outer, *in_scope;
    struct name *name;
    int depth;
    uint32_t count;
    uint8_t type, vec;
    struct ptx_loc loc;
};

struct label {
    struct label *outer, *in_scope;
    struct name *name;
    int depth;
    uint32_t inst;
    struct ptx_loc loc;
};

/* A use of a label or table that may be defined later in the text. */
struct label_use {
    struct label_use *next;
    struct name *name;
    struct ptx_loc loc;
    uint32_t inst;               /* instruction of the function; its operand 0 (bra), 1 (brx) or call */
    enum { LABEL_USE_BRA, LABEL_USE_BRX, LABEL_USE_CALL, LABEL_USE_TABLE } how;
    struct ptx_table *table;     /* LABEL_USE_TABLE: labels[index] */
    int index;
};

struct scope {
    struct binding *bindings;
    struct range *ranges;
    struct label *labels;
    struct label_use *uses, *uses_tail;
    int line;
};

struct name {
    const char *s;
    uint32_t len, hash;
    uint16_t token;              /* words with a dot: the grammar's token */
    uint16_t op;
    bool begins_op;              /* it is the first word of an opcode with several */
    uint8_t sreg, sreg_index;
    uint8_t type, space, linkage, vec, comp;
    uint8_t nmod, mod[PARSE_MAX_WORD_GROUPS];
    struct binding *sym;
    struct range *range;
    struct label *label;
};

enum node_kind {
    NODE_BAD, NODE_NAME, NODE_INT, NODE_FLOAT, NODE_UNARY, NODE_BINARY, NODE_COND, NODE_CAST, NODE_LIST, NODE_VEC,
    NODE_MEM, NODE_SUBSCRIPT, NODE_APPLY, NODE_MASK, NODE_ASSIGN
};

/* operators of constant expressions that are longer than a character */
enum { NODE_OP_SHL = 256, NODE_OP_SHR, NODE_OP_LE, NODE_OP_GE, NODE_OP_EQ, NODE_OP_NE, NODE_OP_AND, NODE_OP_OR };

struct node {
    uint8_t kind;
    bool is_unsigned, is_f32, hex;   /* numbers; hex: 0f, 0d */
    uint16_t op;                 /* operator, or type of a cast */
    uint16_t depth;
    uint32_t n;                  /* elements of a list */
    struct ptx_loc loc;
    struct name *name, *suffix;  /* %tid .x */
    union {
        uint64_t u;              /* NODE_INT value, NODE_FLOAT bits */
        struct node *kid[3];
        struct node *first;      /* NODE_LIST, NODE_VEC, NODE_MEM ... */
    };
    uint64_t mask;               /* NODE_MASK */
    struct node *next;           /* in a list */
};

struct list { struct node *first, *last; uint32_t n; uint16_t depth; };
struct text { const char *s; uint32_t len; };

struct node_chunk { struct node_chunk *next; struct node nodes[256]; };

/* The qualifiers before the names of a declaration. */
struct quals {
    struct ptx_loc loc;
    uint8_t linkage, space, type, vec;
    bool is_reg, ptr, managed, bad;
    uint64_t align;
};

/* What a constant expression or operand evaluates to. */
enum value_kind { VALUE_BAD, VALUE_INT, VALUE_FLOAT, VALUE_ADDR, VALUE_SREG, VALUE_SINK, VALUE_VECREG, VALUE_TABLE };
struct value {
    enum value_kind kind;
    bool is_unsigned, is_f32, hex, generic;
    uint64_t u;                  /* VALUE_INT; VALUE_FLOAT bits as written; VALUE_ADDR: offset */
    double f;
    struct ptx_reg *reg;
    struct ptx_var *var;
    struct ptx_func *func;
    const struct binding *vec;
    struct ptx_table *table;
    uint8_t sreg, comp;
    uint64_t mask;               /* mask(sym), 0 = none */
};

struct parser {
    struct ptx_module *m;
    struct arena *arena;         /* the module's */
    struct arena *scratch;       /* lives as long as the parser */
    struct diag *d;
    void *scanner;

    struct name **names;         /* intern table */
    uint32_t names_cap, names_count;

    /* the header of a function, as the scanner sees it: has begun, has its name; the token after a ';' left out */
    struct header_scan {
        bool open, named, has_next;
        int parentheses, next;
        struct ptx_loc next_loc;
        void *next_value;
    } header;

    int line, col;               /* scanner position */
    int section_depth;           /* of { } in text that is skipped */
    bool skipping;
    struct ptx_loc section_loc;
    int last_token;
    const char *token_text;
    int token_len, token_line, line_before;    /* line_before: of the token before this */

    struct node_chunk *chunks, *chunk;
    uint32_t chunk_used;

    struct quals q;
    struct ptx_func *func;       /* being built, NULL at module scope */
    struct scope scopes[PARSE_MAX_SCOPES + 2];
    int depth;                   /* 0 = module */
    int nested_ranges;           /* live ranges below function level */
    bool too_deep;

    /* the instruction being read */
    struct name *opcode, *guard;
    bool guard_negated;
    struct ptx_loc inst_loc, guard_loc;
    struct name *mods[PARSE_MAX_INST_MODS];
    struct ptx_loc mod_loc[PARSE_MAX_INST_MODS];
    int nmods;
    struct call_result { struct call_result *next; struct ptx_inst inst; } *results;     /* after the call being read */
    int moved;                   /* elements of a vector move (mov.v2, mov.v4), 0 = none */

    /* the function being built; buffers are reused */
    struct ptx_inst *insts;
    size_t ninsts, insts_cap;
    struct ptx_reg **regs;
    size_t nregs, regs_cap;
    struct ptx_label *labels;
    size_t nlabels, labels_cap;
    struct lock_mark { struct ptx_loc loc; bool begin; } *marks;     /* in the text's order */
    uint32_t nmarks, marks_cap;
    struct ptx_var **vars_end;
    struct ptx_var **module_vars_end;
    struct module_reg *module_regs;  /* registers at module scope */
    struct ptx_func **funcs_end;
    /* parameters that were declared as registers: their values go through a .param variable */
    struct reg_param {
        struct reg_param *next;
        struct name *name;
        struct ptx_reg *reg[4];  /* one a component */
        struct ptx_var *var;
        bool is_return, is_predicate, declared;
    } *reg_params, *body_reg_params;
    uint32_t src_file, src_line;
    uint64_t init_bytes;
    uint64_t expanded;
    int warnings;

    struct ptx_var *plist, **plist_end;      /* parameter list being read */
    int nplist;
    struct ptx_var *rlist;                   /* return parameters of the header being read */
    int nrlist;
    uint8_t header_linkage;
    struct ptx_loc header_loc;
    struct func_attrs {
        uint32_t maxntid[3], reqntid[3], minnctapersm, maxnctapersm, maxnreg, cluster[3], max_cluster_rank;
        bool noreturn, explicit_cluster;
    } attrs;

    bool seen_version, seen_target;

    struct form_memo { uint16_t op; uint8_t type[4], mod[PG_COUNT]; bool used; } *memo;
};

/* ---- lexer.l ---- */
bool ptx_scanner_open(struct parser *p, const char *text, size_t len);
void ptx_scanner_close(struct parser *p);
void ptx_scanner_skip_block(struct parser *p, struct ptx_loc loc);

/* ---- names.c: interning and scopes ---- */
void names_init(struct parser *p);
struct name *name_intern(struct parser *p, const char *s, size_t len);
struct name *name_find(const struct parser *p, const char *s, size_t len);
uint8_t modifier_group(uint8_t mod);             /* enum ptx_group of a MOD value */
void scope_open(struct parser *p, struct ptx_loc loc);
void scope_close(struct parser *p);
struct binding *name_bind(struct parser *p, struct name *n, enum binding_kind kind, struct ptx_loc loc);
struct binding *name_lookup(struct parser *p, struct name *n);   /* creates registers of ranges; NULL if unbound */
struct ptx_reg *reg_new(struct parser *p, const char *name, enum ptx_type type, struct ptx_loc loc);
void label_define(struct parser *p, struct name *n, struct ptx_loc loc);
void label_use_add(struct parser *p, struct label_use use);
const char *name_nearest_dotted(struct parser *p, const char *word, bool types);
const char *name_nearest(struct parser *p, const char *word, bool labels);
/* The end of a message about an undefined name. */
const char *name_hint(struct parser *p, const struct name *n, char *text, size_t size);

/* ---- constexpr.c: nodes and constant expressions ---- */
struct node *node_new(struct parser *p, enum node_kind kind, struct ptx_loc loc);
struct node *node_op(struct parser *p, int op, struct node *a, struct node *b, struct ptx_loc loc);
struct node *node_list(struct parser *p, enum node_kind kind, struct list l, struct ptx_loc loc);
struct list node_list_add(struct list l, struct node *n);
void nodes_reset(struct parser *p);
struct value node_eval(struct parser *p, const struct node *n);        /* VALUE_BAD after a report */
bool node_eval_int(struct parser *p, const struct node *n, int64_t *out, const char *what);

/* ---- parse.c: directives and functions; declare.c: registers and variables ---- */
void module_version(struct parser *p, struct text t, struct ptx_loc loc);
void module_target(struct parser *p, struct name *n, struct ptx_loc loc);
void module_address_size(struct parser *p, struct node *n);
void module_file(struct parser *p, struct node *number, struct text t);
void module_loc(struct parser *p, struct node *file, struct node *line);
void module_alias(struct parser *p, struct name *a, struct name *b, struct ptx_loc loc);
void decl_quals_start(struct parser *p, struct name *space, struct ptx_loc loc);
void decl_quals_word(struct parser *p, struct name *n, struct ptx_loc loc);
void decl_quals_align(struct parser *p, struct node *n);
void decl_quals_attribute(struct parser *p, struct name *n, struct ptx_loc loc);
void declare_reg(struct parser *p, struct name *n, struct node *range, struct ptx_loc loc);
void declare_var(struct parser *p, struct name *n, struct list dims, struct node *init, struct ptx_loc loc);
void declare_var_range(struct parser *p, struct name *n, struct node *range, struct ptx_loc loc);
void func_params_start(struct parser *p);
void func_returns_end(struct parser *p);
void declare_param(struct parser *p, struct name *n, struct list dims, struct ptx_loc loc);
void declare_reg_param(struct parser *p, struct reg_param *r);
void func_attrs_start(struct parser *p);
void func_attr_add(struct parser *p, struct name *n, struct list values, struct ptx_loc loc);
void func_pragma(struct parser *p, struct text string, struct ptx_loc loc);
void func_header(struct parser *p, bool entry, uint8_t linkage, struct name *n, struct ptx_loc loc);
void module_recover(struct parser *p);
void func_prototype(struct parser *p);
void func_begin(struct parser *p, struct ptx_loc loc);
void func_end(struct parser *p, struct ptx_loc loc);
void table_proto_start(struct parser *p);
void table_proto(struct parser *p, struct name *n, struct ptx_loc loc);
void table_list(struct parser *p, struct name *n, bool calls, struct list l, struct ptx_loc loc);

/* ---- module_regs.c: registers at module scope ---- */
void module_reg_declare(struct parser *p, struct name *n, struct node *range, struct ptx_loc loc);
void module_regs_open(struct parser *p, struct ptx_loc loc);       /* declares them for a function */
void module_regs_share(struct parser *p);                          /* a body is complete: their values survive calls */

/* ---- init.c: initialisers of variables ---- */
bool init_variable(struct parser *p, struct ptx_var *v, const uint64_t *dims, int ndims, struct node *init);

/* ---- inst.c: instructions ---- */
void inst_guard(struct parser *p, struct name *n, bool negated, struct ptx_loc loc);
void inst_begin(struct parser *p, struct name *n, struct ptx_loc loc);
void inst_mod(struct parser *p, struct name *n, struct ptx_loc loc);
void inst_end(struct parser *p, struct list operands);
void inst_abandon(struct parser *p);
struct ptx_inst *inst_append(struct parser *p);

/* ---- call_operand.c: calls, values that .param variables carry ---- */
void inst_emit_param_move(struct parser *p, const struct reg_param *r, const struct ptx_inst *like);
/* The ld or st between a register and a variable, before or after instruction `like`. */
void inst_emit_move(struct parser *p, struct ptx_reg *r, struct ptx_var *v, bool store, const struct ptx_inst *like);
void inst_emit_return_values(struct parser *p, const struct ptx_inst *like);

bool call_operands(struct parser *p, struct ptx_inst *in, struct list l);
/* Moves the results of the call `like` from the variables that carry them. */
void call_emit_results(struct parser *p, const struct ptx_inst *like);

/* ---- emit.c: instructions in place of `like` ---- */
/* Without its guard: for new registers. The result is valid until the next one is emitted. */
struct ptx_inst *emit_one(struct parser *p, const struct ptx_inst *like, enum ptx_op op, enum ptx_type t, int operands);
struct ptx_inst *emit_guarded(struct parser *p, const struct ptx_inst *like, enum ptx_op op, enum ptx_type t,
                              int operands);
struct ptx_operand emit_constant(int64_t v);
struct ptx_operand emit_register(struct parser *p, const struct ptx_inst *like, enum ptx_type t);
struct ptx_operand emit_vector(struct parser *p, const struct ptx_operand *from, int n);
/* A load or store of a register, or of a vector of 2 or 4; the caller sets the space. */
struct ptx_inst *emit_access(struct parser *p, const struct ptx_inst *like, bool store, enum ptx_type t,
                             struct ptx_operand data, struct ptx_operand address);

/* ---- wmma.c ---- */
/* The instructions that do the same (REDUCED rows of ops.def). */
void reduce_wmma_access(struct parser *p, const struct ptx_inst *in);
void reduce_wmma_multiply(struct parser *p, const struct ptx_inst *in);
/* The constant stride of a wmma.load or wmma.store. */
bool wmma_check_stride(struct parser *p, const struct ptx_inst *in);

/* ---- operand.c ---- */
/* An operand at a position of the signature with this letter. */
bool operand_read(struct parser *p, const struct ptx_inst *in, char letter, const struct node *n,
                  struct ptx_operand *o);
bool operand_error(struct parser *p, const struct node *n, const char *msg);     /* reports and returns false */
/* Is the node a sum, which is computed in a new register, or a vector with one? */
bool node_has_sum(const struct node *n);
/* Registers, constants, symbols, vectors of them. */
bool operand_simple(struct parser *p, const struct ptx_inst *in, const struct node *n, struct ptx_operand *o);

/* ---- texture_operand.c ---- */
bool texture_operand(struct parser *p, const struct ptx_inst *in, const struct node *n, struct ptx_operand *o);
/* A level, gradient or offset, or the reference value of a depth comparison, which is rejected. */
bool texture_check_extra(struct parser *p, const struct ptx_inst *in, struct ptx_operand *o);
bool texture_unsupported(struct parser *p, struct list operands);         /* reports and returns true */
bool texture_init(struct parser *p, struct ptx_var *v, const struct node *init);      /* of a .samplerref ... */

/* ---- tensor_words.c ---- */
/* Moves the dimensions, the mode and the reduction of the current instruction after its name, and removes .tile. */
void tensor_words(struct parser *p);
/* Reads [map, {coordinates}] into two operands: the map and its coordinates. */
bool tensor_operand(struct parser *p, const struct ptx_inst *in, const struct node *n, struct ptx_operand *o);

/* ---- tensor_fields.c ---- */
void reduce_map_field(struct parser *p, const struct ptx_inst *in);
void reduce_map_copy(struct parser *p, const struct ptx_inst *in);
/* Constants of tensormap.replace. */
void tensor_check_field(struct parser *p, const struct ptx_inst *in);

/* ---- check_inst.c: legality ---- */
bool check_modifiers(struct parser *p, struct ptx_inst *in);      /* the FORM rows */
void check_rules(struct parser *p, struct ptx_inst *in);          /* after the operands are known */
bool check_operand(struct parser *p, const struct ptx_inst *in, char letter, struct ptx_operand *o);
void check_function(struct parser *p, struct ptx_func *f);
/* ---- regions.c: transactions and marked lock loops ---- */
void region_mark(struct parser *p, bool begin, struct ptx_loc loc);      /* a marker of a lock loop */
void regions_find(struct parser *p, struct ptx_func *f);
/* ---- unsupported_ops.c ---- */
bool inst_unsupported(struct parser *p);                   /* reports and returns true */
bool check_fits_bits(uint64_t v, int bits);

#endif
