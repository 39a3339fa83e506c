/* Descriptions of PTX without a GPU: check, kernels, disassembly with reconvergence points, and the table of
 * instructions. They come from the module, its decoded code and the instruction table. */
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "frontend/lib/simtx.h"
#include "ptx/isa/ops_check.h"
#include "ptx/program/program.h"

/* Of the default GPU: 65536 registers for 1024 threads of a block, 2048 of an SM. */
enum { CONST_MAX = 65536, FREE_REGISTERS = 64, RESIDENT_REGISTERS = 32 };

/* Parsed, linked and decoded for the widest vectors of this machine; NULL with the problems in d. */
static struct program *load(const char *ptx, size_t len, const char *name, unsigned changes, struct diag *d)
{
    struct program_options o = { .isa = lanes_best_isa(), .warp_size = LANES, .const_max = CONST_MAX,
                                 .combined = changes & SIMTX_PTX_COMBINED,
                                 .if_converted = changes & SIMTX_PTX_IF_CONVERTED,
                                 .scheduled = changes & SIMTX_PTX_SCHEDULED, .free_registers = FREE_REGISTERS,
                                 .resident_registers = RESIDENT_REGISTERS };
    d->file = name;
    d->source = ptx;
    d->source_len = len;
    struct ptx_module *m = ptx_parse(ptx, len, name, d);
    struct ptx_module *linked = m ? ptx_link(&m, 1, d) : NULL;
    return linked ? program_load(linked, NULL, &o, d) : NULL;
}

/* Passes the messages to the caller, or frees them if message is NULL. */
static void give_message(struct diag *d, char **message)
{
    if (message)
        *message = d->text;
    else
        diag_free(d);
}

simtx_status simtx_ptx_check(const char *ptx, size_t len, const char *name, char **message)
{
    struct diag d = { 0 };
    struct program *p = load(ptx, len, name, 0, &d);
    if (p)
        program_free(p, NULL);
    give_message(&d, message);
    return p ? SIMTX_OK : SIMTX_INVALID_PTX;
}

simtx_status simtx_ptx_check_part(const char *ptx, size_t len, const char *name, char **message)
{
    struct diag d = { .file = name, .source = ptx, .source_len = len };
    struct ptx_module *m = ptx_parse(ptx, len, name, &d);
    if (m)
        ptx_module_free(m);
    give_message(&d, message);
    return m ? SIMTX_OK : SIMTX_INVALID_PTX;
}

/* ---- info ---- */

static const char *param_type(const struct ptx_var *v)
{
    return v->is_array ? "bytes" : ptx_type_name((enum ptx_type)v->type);
}

static uint32_t param_bytes(const struct ptx_func *f)
{
    uint32_t end = 0;
    for (const struct ptx_var *v = f->params; v; v = v->next)
        end = (uint32_t)(v->address + v->size);
    return end;
}

static json_t *kernel_json(const struct ptx_func *f)
{
    const struct code *c = func_code(f);
    json_t *params = json_array();
    for (const struct ptx_var *v = f->params; v; v = v->next)
        json_array_append_new(params, json_pack("{s:s, s:s, s:I, s:I, s:i}", "name", v->name, "type",
                                                param_type(v),
                                                "offset", (json_int_t)v->address, "size", (json_int_t)v->size,
                                                "align", (int)v->align));
    return json_pack("{s:s, s:i, s:i, s:i, s:b, s:i, s:b, s:b, s:i, s:i, s:b, s:o}", "name", f->name, "line",
                     f->loc.line,
                     "registers", (int)c->registers, "shared_bytes", (int)c->shared_static, "dynamic_shared",
                     (int)c->uses_dynamic, "local_bytes", (int)c->local_total, "unbounded_calls",
                     (int)(c->recursive || c->indirect), "alloca", (int)c->stack, "param_bytes",
                     (int)param_bytes(f), "instructions", (int)f->ninsts, "serial", (int)c->serial, "params", params);
}

static char *info_json(const struct ptx_module *m)
{
    json_t *kernels = json_array(), *variables = json_array();
    for (const struct ptx_func *f = m->funcs; f; f = f->next)
        if (f->is_entry && func_code(f))
            json_array_append_new(kernels, kernel_json(f));
    for (const struct ptx_var *v = m->vars; v; v = v->next)
        json_array_append_new(variables, json_pack("{s:s, s:s, s:I}", "name", v->name, "space",
                                                   ptx_space_name((enum ptx_space)v->space), "bytes",
                                                   (json_int_t)v->size));
    json_t *root = json_pack("{s:s, s:s, s:i, s:i, s:o, s:o}", "file", m->file ? m->file : "", "target",
                             m->target,
                             "version_major", m->version_major, "version_minor", m->version_minor, "kernels",
                             kernels, "variables", variables);
    char *text = root ? json_dumps(root, JSON_INDENT(2)) : NULL;
    json_decref(root);
    return text;
}

static void print_kernel(FILE *o, const struct ptx_func *f)
{
    const struct code *c = func_code(f);
    fprintf(o, "kernel %s (line %d)\n", f->name, f->loc.line);
    fprintf(o, "    registers   %u per thread\n", c->registers);
    fprintf(o, "    shared      %u bytes per block%s\n", c->shared_static,
            c->uses_dynamic ? ", and dynamic" : "");
    fprintf(o, "    local       %u bytes per thread%s\n", c->local_total,
            code_local_is_known(c) ? "" : ", and gpu.stack_limit for calls of unknown depth and alloca");
    fprintf(o, "    parameters  %u bytes\n", param_bytes(f));
    for (const struct ptx_var *v = f->params; v; v = v->next)
        fprintf(o, "        +%-5llu %-6s %6llu bytes  %s\n", (unsigned long long)v->address, param_type(v),
                (unsigned long long)v->size, v->name);
    fprintf(o, "    instructions %u\n", f->ninsts);
    if (f->maxntid[0])
        fprintf(o, "    .maxntid    %u, %u, %u\n", f->maxntid[0], f->maxntid[1], f->maxntid[2]);
    if (f->reqntid[0])
        fprintf(o, "    .reqntid    %u, %u, %u\n", f->reqntid[0], f->reqntid[1], f->reqntid[2]);
    if (f->cluster[0])
        fprintf(o, "    .reqnctapercluster %u, %u, %u\n", f->cluster[0], f->cluster[1], f->cluster[2]);
    if (f->explicit_cluster)
        fprintf(o, "    .explicitcluster\n");
    if (f->max_cluster_rank)
        fprintf(o, "    .maxclusterrank %u\n", f->max_cluster_rank);
    if (c->serial)
        fprintf(o, "    blocks may communicate: they run in the one-thread order\n");
}

static char *info_text(const struct ptx_module *m)
{
    char *text = NULL;
    size_t size = 0;
    int kernels = 0;
    FILE *o = open_memstream(&text, &size);
    if (!o)
        return NULL;
    fprintf(o, "%s: PTX %d.%d, target %s\n", m->file ? m->file : "module", m->version_major, m->version_minor,
            m->target);
    for (const struct ptx_func *f = m->funcs; f; f = f->next)
        if (f->is_entry && func_code(f)) {
            print_kernel(o, f);
            kernels++;
        }
    for (const struct ptx_var *v = m->vars; v; v = v->next)
        fprintf(o, "variable %s: .%s, %llu bytes\n", v->name, ptx_space_name((enum ptx_space)v->space),
                (unsigned long long)v->size);
    if (!kernels)
        fprintf(o, "no kernels\n");
    fclose(o);
    return text;
}

char *simtx_ptx_info(const char *ptx, size_t len, const char *name, unsigned changes, bool json, char **message)
{
    struct diag d = { 0 };
    struct program *p = load(ptx, len, name, changes, &d);
    char *text = p ? json ? info_json(p->module) : info_text(p->module) : NULL;
    if (p)
        program_free(p, NULL);
    give_message(&d, message);
    return text;
}

/* ---- list ---- */

static void print_place(FILE *o, const struct ptx_func *f, uint32_t inst)
{
    if (inst == FLOW_NONE || inst >= f->ninsts)
        fprintf(o, "the end");
    else
        fprintf(o, "line %d", f->insts[inst].loc.line);
}

static bool can_diverge(const struct ptx_inst *in)
{
    return (in->op == OP_BRA && in->guard && !in->mod[PG_UNI]) || (in->op == OP_BRX && !in->mod[PG_UNI]);
}

static void print_labels(FILE *o, const struct ptx_func *f, uint32_t *next, uint32_t inst)
{
    for (; *next < f->nlabels && f->labels[*next].inst <= inst; ++*next)
        fprintf(o, "%s:\n", f->labels[*next].name);
}

static void print_body(FILE *o, const struct ptx_func *f, const struct flow *fl)
{
    uint32_t label = 0;
    for (uint32_t i = 0; i < f->ninsts; i++) {
        char text[2048];
        const struct flow_block *b = &fl->blocks[fl->block_of[i]];
        print_labels(o, f, &label, i);
        if (b->joins && b->first == i)
            fprintf(o, "        // reconvergence point\n");
        ptx_print_inst(f, &f->insts[i], text, sizeof text);
        fprintf(o, "%6d  %s", f->insts[i].loc.line, text);
        if (can_diverge(&f->insts[i])) {
            fprintf(o, "    // reconverges at ");
            print_place(o, f, flow_reconvergence(fl, i));
        }
        fputc('\n', o);
    }
    print_labels(o, f, &label, f->ninsts);
}

char *simtx_ptx_list(const char *ptx, size_t len, const char *name, unsigned changes, char **message)
{
    struct diag d = { 0 };
    struct program *p = load(ptx, len, name, changes, &d);
    char *text = NULL;
    size_t size = 0;
    FILE *o = p ? open_memstream(&text, &size) : NULL;
    for (const struct ptx_func *f = o ? p->module->funcs : NULL; f; f = f->next) {
        const struct code *c = func_code(f);
        if (!f->has_body || !c)
            continue;
        fprintf(o, "%s %s    // line %d, %u registers\n", f->is_entry ? ".entry" : ".func", f->name,
                f->loc.line,
                c->registers);
        print_body(o, f, c->flow);
        fputc('\n', o);
    }
    if (o)
        fclose(o);
    if (p)
        program_free(p, NULL);
    give_message(&d, message);
    return text;
}

/* ---- ops ---- */

static const struct { enum ptx_group group; const char *word; uint8_t mod; } words[] = {
#define X(g, e, s) { PG_##g, s, MOD(g, e) },
    PTX_MODIFIERS(X)
#undef X
};

/* Does a form with these rounding bits accept this rounding modifier? */
static bool takes_rounding(uint16_t rnd, const char *word)
{
    static const struct { const char *word; int bit; } bits[] = {
        { "rn", R_RN }, { "rz", R_RZ }, { "rm", R_RM }, { "rp", R_RP }, { "rna", R_RNA },
        { "rni", R_RNI }, { "rzi", R_RZI }, { "rmi", R_RMI }, { "rpi", R_RPI }
    };
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
        if (!strcmp(bits[i].word, word))
            return rnd & bits[i].bit;
    return false;
}

/* Does the opcode have this atomic operation for one of the form's types? It may need .noftz, or be for vectors only; a
 * surface has a unit, a geometry and a mode for addresses out of bounds. */
static bool takes_operation(const struct ptx_form *f, uint8_t mod)
{
    const char *why;
    for (int t = 1; t < T_COUNT; t++)
        for (int more = 0; more < 4; more++) {
            struct ptx_inst in = { .op = f->op, .type = { (uint8_t)t } };
            in.mod[PG_ATOM] = mod;
            in.mod[PG_NOFTZ] = more & 1 ? MOD(NOFTZ, NOFTZ) : 0;
            in.mod[PG_VEC] = more & 2 ? MOD(VEC, V2) : 0;
            if (f->groups & G(SURF)) {
                in.mod[PG_SURF] = MOD(SURF, B);
                in.mod[PG_GEOM] = MOD(GEOM, 1D);
                in.mod[PG_BOUND] = MOD(BOUND, TRAP);
            }
            if (f->type[0] >> t & 1 && ptx_form_ok(&in, &why))
                return true;
        }
    return false;
}

static bool takes_word(const struct ptx_form *f, size_t i)
{
    if (!ptx_takes_word((enum ptx_op)f->op, (uint8_t)(i + 1)))
        return false;
    if (words[i].group == PG_RND && f->rnd)
        return takes_rounding(f->rnd, words[i].word);
    return words[i].group != PG_ATOM || takes_operation(f, words[i].mod);
}

/* .{a|b} for required modifiers, [.a|.b] for optional ones. */
static void print_group(FILE *o, const struct ptx_form *f, enum ptx_group g)
{
    bool must = f->need == ((ptx_groupset)1 << g);
    const char *sep = must ? ".{" : "[.";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (words[i].group != g || !takes_word(f, i))
            continue;
        fprintf(o, "%s%s", sep, words[i].word);
        sep = must ? "|" : "|.";
    }
    if (sep[0] == '|')
        fputs(must ? "}" : "]", o);
}

static void print_types(FILE *o, ptx_typeset set)
{
    const char *sep = ".{";
    if (!set)
        return;
    for (int t = 1; t < T_COUNT; t++)
        if (set >> t & 1) {
            fprintf(o, "%s%s", sep, ptx_type_name((enum ptx_type)t));
            sep = "|";
        }
    fputc('}', o);
}

static void print_form(FILE *o, const struct ptx_form *f)
{
    fputs(ptx_ops[f->op].text, o);
    for (int g = 0; g < PG_COUNT; g++)
        if (f->groups >> g & 1)
            print_group(o, f, (enum ptx_group)g);
    for (int i = 0; i < 3; i++)
        print_types(o, f->type[i]);
}

/* Prints operands by their role: d destination, a b c sources, p and q predicates, [m] memory. */
static void print_operands(FILE *o, const char *sig)
{
    static const char sources[] = "abcefgh";
    int next = 0;
    for (const char *s = sig; *s; s++) {
        switch (*s) {
        case ',': fputs(", ", o); break;
        case '?': fputs("?", o); break;
        case '|': fputs("|", o); break;
        case 'd': case 'D': case 'V': case 'e': fputs("d", o); break;
        case 'p': fputs("p", o); break;
        case 'q': fputs("q", o); break;
        case 'm': fputs("[m]", o); break;
        case 'l': fputs("label", o); break;
        case 'f': fputs("function", o); break;
        case 'i': fputs("imm", o); break;
        case 'y':                        /* and the coordinates, |w */
            fputs("[map, {coordinates}]", o);
            s += 2;
            break;
        default: fputc(next < (int)sizeof sources - 1 ? sources[next++] : 'x', o); break;
        }
    }
}

static void print_op(FILE *o, int op, bool markdown)
{
    fprintf(o, markdown ? "| `%s` | `" : "%-12s ", ptx_ops[op].text);
    print_operands(o, ptx_ops[op].sig);
    fprintf(o, markdown ? "` | %s | " : "\n        %s\n", ptx_ops[op].doc);
    const char *sep = "";
    for (int i = 0; i < ptx_form_count; i++) {
        if (ptx_forms[i].op != op)
            continue;
        fputs(markdown ? sep : "    ", o);
        fputs(markdown ? "<code>" : "", o);
        char *form = NULL;
        size_t size = 0;
        FILE *f = mem_file(&form, &size);
        print_form(f, &ptx_forms[i]);
        fclose(f);
        for (const char *c = form; *c; c++)
            fputs(markdown && *c == '|' ? "&#124;" : (char[]){ *c, 0 }, o);
        free(form);
        fputs(markdown ? "</code>" : "\n", o);
        sep = "<br>";
    }
    fputs(markdown ? " |\n" : "\n", o);
}

char *simtx_ptx_ops(bool markdown)
{
    char *text = NULL;
    size_t size = 0;
    FILE *o = open_memstream(&text, &size);
    if (!o)
        return NULL;
    if (markdown)
        fputs("| opcode | operands | what it computes | forms |\n|---|---|---|---|\n", o);
    for (int op = 1; op < OP_COUNT; op++)
        print_op(o, op, markdown);
    if (!markdown)
        fprintf(o, "%d opcodes. .{a|b} must be written, [.a|.b] may be; operand? may be left out.\n",
                OP_COUNT - 1);
    fclose(o);
    return text;
}
