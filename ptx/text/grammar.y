/*
 * The grammar (PTX ISA sections 4, 5, 6 and 11). It has no tokens for opcodes, types or modifiers, so a kernel may be
 * called `add`. Operands are expressions; operand.c interprets them by the signature of the opcode's row.
 */
%define api.pure full
%define api.prefix {ptx_yy}
%define parse.error custom
%define api.location.type {struct ptx_loc}
%locations
%param {struct parser *p}
%expect 0

%code requires {
#include "ptx/text/parser.h"
}

%code {
#include <stdio.h>
#include <string.h>

int ptx_scan(PTX_YYSTYPE *val, struct ptx_loc *loc, void *scanner);

static bool starts_item(int token)
{
    return token == LINKAGE || token == ENTRY || token == FUNC || token == SPACE || token == REG || token == 0;
}

/*
 * Before PTX 3 a declaration of a function needs no ';' at its end (PTX ISA 11.3, .func). In such texts this returns
 * one before the first token that begins something else.
 */
static bool ends_declaration(struct parser *p, int token)
{
    struct header_scan *h = &p->header;
    if (p->m->version_major >= 3 || p->depth > 0)
        return false;
    bool ends = h->open && h->parentheses == 0 && h->named && starts_item(token);
    h->parentheses += (token == '(') - (token == ')');
    if (token == WORD && h->parentheses == 0)
        h->named = true;
    if (token == FUNC)
        *h = (struct header_scan){ .open = true };
    if (ends && token != FUNC)
        h->open = false;
    if (token == '{' || token == ';')
        h->open = false;
    return ends;
}

static int ptx_yylex(PTX_YYSTYPE *val, struct ptx_loc *loc, struct parser *p)
{
    struct header_scan *h = &p->header;
    if (h->has_next) {
        h->has_next = false;
        *val = *(PTX_YYSTYPE *)h->next_value;
        *loc = h->next_loc;
        return h->next;
    }
    int token = ptx_scan(val, loc, p->scanner);
    p->line_before = p->token_line;
    p->token_line = loc->line;
    if (!ends_declaration(p, token))
        return token;
    if (!h->next_value)
        h->next_value = arena_alloc(p->scratch, sizeof(PTX_YYSTYPE));
    *(PTX_YYSTYPE *)h->next_value = *val;
    h->next = token;
    h->next_loc = *loc;
    h->has_next = true;
    return ';';
}

static void ptx_yyerror(struct ptx_loc *loc, struct parser *p, const char *msg)
{
    bool full = !strcmp(msg, "memory exhausted");        /* bison's message when its stack has YYMAXDEPTH entries */
    diag_error(p->d, loc->line, loc->col, "%s", full ? "parentheses, braces or operators are nested too deep" : msg);
}

#define YYLLOC_DEFAULT(cur, rhs, n) ((cur) = YYRHSLOC(rhs, (n) ? 1 : 0))
#define YYMAXDEPTH 20000
#define GIVE_UP_WHEN_FULL() do { if (diag_full(p->d)) YYABORT; } while (0)
}

%union {
    struct name *name;
    struct node *node;
    struct list list;
    struct text text;
}

%token <name> WORD "name"
%token <name> DOTWORD "modifier" TYPE "type" SPACE "state space" VEC "vector size" LINKAGE "linkage"
%token <name> VERSION ".version" TARGET ".target" ADDRESS_SIZE ".address_size" FILE_ ".file" LOC ".loc"
%token <name> PRAGMA ".pragma" ENTRY ".entry" FUNC ".func" REG ".reg" ALIGN ".align" PTR ".ptr"
%token <name> PERF "directive"
%token <name> ATTRIBUTE ".attribute" CALLPROTOTYPE ".callprototype" CALLTARGETS ".calltargets"
%token <name> BRANCHTARGETS ".branchtargets" ALIAS ".alias"
%token <node> INT "integer" FLOAT "floating-point constant"
%token <text> STRING "string"
%token SHL "<<" SHR ">>" LE "<=" GE ">=" EQ "==" NE "!=" LAND "&&" LOR "||"

%type <name> dot linkage opt_name
%type <node> expr element primary opt_init
%type <list> list opt_list operands dims ints words

%right '?' ':'
%left LOR
%left LAND
%left '|'
%left '^'
%left '&'
%left EQ NE
%left '<' '>' LE GE
%left SHL SHR
%left '+' '-'
%left '*' '/' '%'
%precedence UNARY

%%

module: items ;

items: %empty | items item ;

item: directive
    | variable
    | registers
    | function
    | ';'
    | error ';'          { yyerrok; module_recover(p); GIVE_UP_WHEN_FULL(); }
    | error '}'          { yyerrok; module_recover(p); GIVE_UP_WHEN_FULL(); }
    | error '{'          { ptx_scanner_skip_block(p, @2); }
      '}'                { yyerrok; module_recover(p); GIVE_UP_WHEN_FULL(); }
    ;

directive: VERSION FLOAT         {
            module_version(p, (struct text){ p->token_text, (uint32_t)p->token_len }, @2);
        }
    | TARGET targets
    | ADDRESS_SIZE INT           { module_address_size(p, $2); }
    | file
    | location
    | PRAGMA strings ';'
    | ALIAS WORD ',' WORD ';'    { module_alias(p, $2, $4, @2); }
    | ATTRIBUTE '(' attributes ')' ';'
    ;

targets: WORD                    { module_target(p, $1, @1); }
    | targets ',' WORD           { module_target(p, $3, @3); }
    ;

file: FILE_ INT STRING           { module_file(p, $2, $3); }
    | FILE_ INT STRING ',' INT ',' INT   { module_file(p, $2, $3); }
    ;

location: LOC INT INT INT location_parts   { module_loc(p, $2, $3); } ;

location_parts: %empty
    | location_parts ',' WORD WORD
    | location_parts ',' WORD WORD '+' INT
    | location_parts ',' WORD INT INT INT
    ;

strings: STRING | strings ',' STRING ;

/* ---- declarations ---- */

linkage: %empty                  { $$ = NULL; }
    | LINKAGE
    ;

variable: linkage SPACE          { decl_quals_start(p, $2, @2); p->q.linkage = $1 ? $1->linkage : LINK_LOCAL; }
      quals declarators ';'      { nodes_reset(p); }
    ;

quals: %empty
    | quals TYPE                 { decl_quals_word(p, $2, @2); }
    | quals VEC                  { decl_quals_word(p, $2, @2); }
    | quals SPACE                { decl_quals_word(p, $2, @2); }
    | quals PTR                  { decl_quals_word(p, $2, @2); }
    | quals DOTWORD              { decl_quals_word(p, $2, @2); }
    | quals ALIGN INT            { decl_quals_align(p, $3); }
    | quals ATTRIBUTE '(' attributes ')'
    ;

attributes: attribute | attributes ',' attribute ;

attribute: DOTWORD               { decl_quals_attribute(p, $1, @1); }
    | DOTWORD '(' list ')'       { decl_quals_attribute(p, $1, @1); }
    ;

declarators: declarator | declarators ',' declarator ;

declarator: WORD dims opt_init   { declare_var(p, $1, $2, $3, @1); }
    | WORD '<' INT '>'           { declare_var_range(p, $1, $3, @1); }
    ;

dims: %empty                     { $$ = (struct list){ 0 }; }
    | dims '[' ']'               { $$ = node_list_add($1, node_new(p, NODE_BAD, @2)); }
    | dims '[' expr ']'          { $$ = node_list_add($1, $3); }
    ;

opt_init: %empty                 { $$ = NULL; }
    | '=' expr                   { $$ = $2; }
    ;

registers: REG                   { decl_quals_start(p, $1, @1); }
      quals register_names ';'   { nodes_reset(p); }
    ;

register_names: register_name | register_names ',' register_name ;

register_name: WORD              { declare_reg(p, $1, NULL, @1); }
    | WORD '<' INT '>'           { declare_reg(p, $1, $3, @1); }
    ;

/* ---- functions ---- */

function: linkage ENTRY          { func_attrs_start(p); func_params_start(p); }
      attrs WORD opt_params      { func_header(p, true, $1 ? $1->linkage : LINK_LOCAL, $5, @5); }
      attrs rest
    | linkage FUNC               { func_attrs_start(p); func_params_start(p); }
      attrs opt_returns WORD     { func_returns_end(p); }
      opt_params                 { func_header(p, false, $1 ? $1->linkage : LINK_LOCAL, $6, @6); }
      attrs rest
    ;

rest: ';'                        { func_prototype(p); }
    | '{'                        { func_begin(p, @1); }
      body_end                   { func_end(p, @3); inst_abandon(p); nodes_reset(p); GIVE_UP_WHEN_FULL(); }
    ;

opt_returns: %empty | '(' params ')' | '(' error ')' { yyerrok; } ;

opt_params: %empty | '(' params ')' | '(' error ')' { yyerrok; } ;

params: %empty | param_list ;

param_list: param | param_list ',' param ;

param: param_start quals opt_name dims   { declare_param(p, $3, $4, $3 ? @3 : @1); } ;

param_start: SPACE               { decl_quals_start(p, $1, @1); }
    | REG                        { decl_quals_start(p, $1, @1); }
    ;

opt_name: %empty                 { $$ = NULL; }
    | WORD
    | WORD '<' INT '>'           { diag_error(p->d, @2.line, @2.col, "a parameter has no range"); $$ = $1; }
    ;

attrs: %empty
    | attrs PERF ints            { func_attr_add(p, $2, $3, @2); }
    | attrs PRAGMA strings ';'
    | attrs file
    | attrs location
    | attrs ATTRIBUTE '(' attributes ')'
    ;

ints: %empty                     { $$ = (struct list){ 0 }; }
    | INT                        { $$ = node_list_add((struct list){ 0 }, $1); }
    | ints ',' INT               { $$ = node_list_add($1, $3); }
    ;

/* ---- bodies ---- */

body_end: statements '}'
    | statements error '}'       { yyerrok; inst_abandon(p); }
    ;

statements: %empty | statements statement ;

statement: registers
    | variable
    | file
    | location
    | PRAGMA pragmas ';'
    | block
    | label
    | instruction                { GIVE_UP_WHEN_FULL(); }
    | ';'
    | error ';'                  { yyerrok; inst_abandon(p); nodes_reset(p); GIVE_UP_WHEN_FULL(); }
    ;

pragmas: STRING                  { func_pragma(p, $1, @1); }
    | pragmas ',' STRING         { func_pragma(p, $3, @3); }
    ;

block: '{'                       { scope_open(p, @1); if (p->too_deep) YYABORT; }
      body_end                   { scope_close(p); }
    ;

label: WORD ':'                  { label_define(p, $1, @1); }
    | WORD ':' BRANCHTARGETS words ';'   { table_list(p, $1, false, $4, @1); nodes_reset(p); }
    | WORD ':' CALLTARGETS words ';'     { table_list(p, $1, true, $4, @1); nodes_reset(p); }
    | WORD ':' CALLPROTOTYPE     { table_proto_start(p); func_params_start(p); }
      opt_returns WORD           { func_returns_end(p); }
      opt_params attrs ';'       { table_proto(p, $1, @1); }
    ;

words: WORD                      {
            $$ = node_list_add((struct list){ 0 }, node_new(p, NODE_NAME, @1));
            $$.last->name = $1;
        }
    | WORD '<' INT '>'           {
            struct node *n = node_new(p, NODE_NAME, @1);
            n->name = $1;
            n->is_unsigned = true;
            n->u = $3->u;
            $$ = node_list_add((struct list){ 0 }, n);
        }
    | words ',' WORD             { $$ = node_list_add($1, node_new(p, NODE_NAME, @3)); $$.last->name = $3; }
    ;

instruction: opcode mods operands ';'     { inst_end(p, $3); nodes_reset(p); }
    | guard opcode mods operands ';'      { inst_end(p, $4); nodes_reset(p); }
    ;

guard: '@' WORD                   { inst_guard(p, $2, false, @2); }
    | '@' '!' WORD               { inst_guard(p, $3, true, @3); }
    ;

opcode: WORD                     { inst_begin(p, $1, @1); } ;

mods: %empty
    | mods dot                   { inst_mod(p, $2, @2); }
    ;

dot: DOTWORD | TYPE | SPACE | VEC | LINKAGE | REG | ENTRY | FUNC | ALIGN | PTR | PERF | FILE_ | LOC | ALIAS ;

operands: %empty                 { $$ = (struct list){ 0 }; }
    | list
    ;

/* ---- expressions ---- */

opt_list: %empty                 { $$ = (struct list){ 0 }; }
    | list
    | list ','
    ;

list: element                    { $$ = node_list_add((struct list){ 0 }, $1); }
    | list ',' element           { $$ = node_list_add($1, $3); }
    ;

element: expr
    | WORD '=' expr              { $$ = node_op(p, '=', $3, NULL, @1); $$->kind = NODE_ASSIGN; $$->name = $1; }
    ;

expr: primary
    | expr '+' expr              { $$ = node_op(p, '+', $1, $3, @1); }
    | expr '-' expr              { $$ = node_op(p, '-', $1, $3, @1); }
    | expr '*' expr              { $$ = node_op(p, '*', $1, $3, @1); }
    | expr '/' expr              { $$ = node_op(p, '/', $1, $3, @1); }
    | expr '%' expr              { $$ = node_op(p, '%', $1, $3, @1); }
    | expr '&' expr              { $$ = node_op(p, '&', $1, $3, @1); }
    | expr '|' expr              { $$ = node_op(p, '|', $1, $3, @1); }
    | expr '^' expr              { $$ = node_op(p, '^', $1, $3, @1); }
    | expr '<' expr              { $$ = node_op(p, '<', $1, $3, @1); }
    | expr '>' expr              { $$ = node_op(p, '>', $1, $3, @1); }
    | expr LE expr               { $$ = node_op(p, NODE_OP_LE, $1, $3, @1); }
    | expr GE expr               { $$ = node_op(p, NODE_OP_GE, $1, $3, @1); }
    | expr EQ expr               { $$ = node_op(p, NODE_OP_EQ, $1, $3, @1); }
    | expr NE expr               { $$ = node_op(p, NODE_OP_NE, $1, $3, @1); }
    | expr SHL expr              { $$ = node_op(p, NODE_OP_SHL, $1, $3, @1); }
    | expr SHR expr              { $$ = node_op(p, NODE_OP_SHR, $1, $3, @1); }
    | expr LAND expr             { $$ = node_op(p, NODE_OP_AND, $1, $3, @1); }
    | expr LOR expr              { $$ = node_op(p, NODE_OP_OR, $1, $3, @1); }
    | expr '?' expr ':' expr     { $$ = node_op(p, '?', $1, $3, @1); $$->kind = NODE_COND; $$->kid[2] = $5;
                                   if ($5->depth >= $$->depth) $$->depth = $5->depth + 1; }
    | '-' expr %prec UNARY       { $$ = node_op(p, '-', $2, NULL, @1); }
    | '+' expr %prec UNARY       { $$ = node_op(p, '+', $2, NULL, @1); }
    | '!' expr %prec UNARY       { $$ = node_op(p, '!', $2, NULL, @1); }
    | '~' expr %prec UNARY       { $$ = node_op(p, '~', $2, NULL, @1); }
    | '(' TYPE ')' expr %prec UNARY   { $$ = node_op(p, $2->type, $4, NULL, @1); $$->kind = NODE_CAST; }
    ;

primary: WORD                    { $$ = node_new(p, NODE_NAME, @1); $$->name = $1; }
    | WORD dot                   { $$ = node_new(p, NODE_NAME, @1); $$->name = $1; $$->suffix = $2; }
    | WORD '[' list ']'          { $$ = node_list(p, NODE_SUBSCRIPT, $3, @1); $$->name = $1; }
    | WORD '(' list ')'          { $$ = node_list(p, NODE_APPLY, $3, @1); $$->name = $1; }
    | INT
    | INT '(' list ')'           { uint64_t mask = $1->u; $$ = node_list(p, NODE_MASK, $3, @1);
                                   $$->name = NULL; $$->suffix = NULL; $$->next = NULL;
                                   $$->mask = mask; }
    | FLOAT
    | '(' opt_list ')'           { $$ = node_list(p, NODE_LIST, $2, @1); }
    | '{' opt_list '}'           { $$ = node_list(p, NODE_VEC, $2, @1); }
    | '[' list ']'               { $$ = node_list(p, NODE_MEM, $2, @1); }
    ;

%%

/* What could stand at the place of the wrong token. After an operand bison expects only the end of the list, because
 * it has reduced the list before it looks at the token; a comma could continue it. */
static void describe_expected(const yypcontext_t *ctx, const struct parser *p, char *text, size_t size)
{
    enum { MAX_EXPECTED = 5 };
    yysymbol_kind_t expected[MAX_EXPECTED];
    int n = yypcontext_expected_tokens(ctx, expected, MAX_EXPECTED);
    bool ends_list = n == 1 && strchr(";)]}", yysymbol_name(expected[0])[1]);
    *text = 0;
    if (ends_list && yysymbol_name(expected[0])[1] == ';' && p->line_before < yypcontext_location(ctx)->line)
        snprintf(text, size, "; is ';' missing at the end of line %d?", p->line_before);
    else if (n > 0 && n <= 3)
        for (int i = 0; i < n; i++)
            snprintf(text + strlen(text), size - strlen(text), "%s%s",
                     i ? " or " : ends_list ? ", expected ',' or " : ", expected ", yysymbol_name(expected[i]));
}

static int yyreport_syntax_error(const yypcontext_t *ctx, struct parser *p)
{
    const struct ptx_loc *loc = yypcontext_location(ctx);
    char text[200], hint[100];
    bool end = yypcontext_token(ctx) == YYSYMBOL_YYEOF;
    if (end)
        snprintf(text, sizeof text, "unexpected end of text");
    else
        snprintf(text, sizeof text, "unexpected '%.*s'", p->token_len > 60 ? 60 : p->token_len,
                 p->token_text);
    if (yypcontext_token(ctx) == YYSYMBOL_DOTWORD) {
        const struct name *word = name_find(p, p->token_text, (size_t)p->token_len);
        const char *near = word ? name_nearest_dotted(p, word->s, false) : NULL;
        if (near) {
            diag_error(p->d, loc->line, loc->col, "%s; did you mean '%s'?", text, near);
            return 0;
        }
    }
    if (end && p->depth > 0)
        snprintf(hint, sizeof hint, "; the block of line %d has no '}'", p->scopes[p->depth].line);
    else
        describe_expected(ctx, p, hint, sizeof hint);
    diag_error(p->d, loc->line, loc->col, "%s%s", text, hint);
    return 0;
}
