/* Running the behaviour tests: see behave.h. */
#include "regress/conformance/behave/behave.h"

#include <stdlib.h>
#include <string.h>

#include "ptx/isa/ops_check.h"

enum { MAX_THREADS = 2048, TEXT_MAX = 1 << 16 };

struct behave_ctx {
    const struct device *dev;
    int ndev;
    bool *covered;
    struct behave_count count;
    int part, parts, tests;                      /* tests: those seen so far */
    char printed[8192];
    size_t nprinted;
    const uint64_t *table;
    uint32_t table_mask;
};

unsigned char behave_fill(uint32_t at) { return (unsigned char)((at * 2654435761u) >> 13 ^ at * 7); }

static char *make_text(const struct behave_test *t)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    fprintf(f, ".version 8.6\n.target sm_90\n.address_size 64\n%s\n", t->module ? t->module : "");
    fprintf(
        f,
        ".visible .entry t(.param .u64 t_out, .param .u64 t_buf)\n{\n"
        "  .reg .b16 %%h<64>; .reg .b32 %%r<64>, %%i, %%t; .reg .b64 %%d<64>, %%o, %%b; .reg .f32 %%f<64>;\n"
        "  .reg .f64 %%e<64>; .reg .pred %%p<64>;\n  mov.u32 %%t, %%tid.x;\n  mov.u32 %%r0, %%ctaid.x;\n"
        "  mov.u32 %%r1, %%ntid.x;\n  mad.lo.u32 %%i, %%r0, %%r1, %%t;\n  ld.param.u64 %%o, [t_out];\n"
        "  mul.wide.u32 %%d0, %%i, %d;\n  add.u64 %%o, %%o, %%d0;\n  ld.param.u64 %%b, [t_buf];\n%s\n"
        "  ret;\n}\n",
        8 * BEHAVE_WORDS, t->body);
    fclose(f);
    return text;
}

static void mark_form(struct behave_ctx *x, const struct ptx_inst *in)
{
    const struct ptx_form *form = ptx_form_find(in);
    if (form)
        x->covered[form - ptx_forms] = true;
}

/* A modifier goes to the first group of the opcode that has it and has none yet, as in the parser. */
static void add_word(struct ptx_inst *in, int *types, const char *word, int len)
{
    enum ptx_type t = ptx_type_find(word, len);
    if (t && *types < 4)
        in->type[(*types)++] = (uint8_t)t;
    for (int g = 0; g < PG_COUNT && !t; g++)
        if (ptx_ops[in->op].groups >> g & 1 && !in->mod[g] &&
            (in->mod[g] = ptx_modifier_find((enum ptx_group)g, word, len)))
            break;
}

/* An instruction that the parser replaces by others: by its text. */
static void mark_reduced(struct behave_ctx *x, const char *name)
{
    struct ptx_inst in = { 0 };
    int types = 0, end = (int)strcspn(name, " "), len = end;
    while (len && !(in.op = (uint16_t)ptx_op_find(name, len)))
        len--;
    while (len < end) {
        int n = (int)strcspn(name + len + 1, ". ");
        add_word(&in, &types, name + len + 1, n);
        len += n + 1;
    }
    mark_form(x, &in);
}

static void mark_rows(struct behave_ctx *x, const char *text)
{
    struct diag d = { 0 };
    struct ptx_module *m = ptx_parse(text, strlen(text), "behave", &d);
    for (struct ptx_func *f = m ? m->funcs : NULL; f; f = f->next)
        for (uint32_t i = 0; i < f->ninsts; i++)
            mark_form(x, &f->insts[i]);
    static const char *const reduced[] = { "  wmma.", "  tensormap." };
    for (int i = 0; i < 2; i++)
        for (const char *at = m ? strstr(text, reduced[i]) : NULL; at; at = strstr(at + 1, reduced[i]))
            mark_reduced(x, at + 2);
    if (m)
        ptx_module_free(m);
    diag_free(&d);
}

static void collect(void *ctx, const char *text, size_t len)
{
    struct behave_ctx *x = ctx;
    if (x->nprinted + len < sizeof x->printed) {
        memcpy(x->printed + x->nprinted, text, len);
        x->nprinted += len;
    }
}

static bool complain(const struct behave_test *t, const struct device *dev, const char *what)
{
    printf("FAILED (%s, %d lanes, %s): %s: %s\n", dev->isa, dev->warp_size, dev->simt, t->name, what);
    return false;
}

static bool expected_word(struct behave_ctx *x, const struct behave_test *t, uint32_t i, uint32_t k,
                          uint64_t *want)
{
    if (!x->table)
        return t->expect(i, k, want);
    *want = x->table[i * BEHAVE_WORDS + k];
    return x->table_mask >> k & 1;
}

static bool check_words(struct behave_ctx *x, const struct behave_test *t, const struct device *dev,
                        const uint64_t *out, uint32_t threads)
{
    for (uint32_t i = 0; i < threads && (t->expect || x->table); i++)
        for (uint32_t k = 0; k < BEHAVE_WORDS; k++) {
            uint64_t want = 0, got = out[i * BEHAVE_WORDS + k];
            if (!expected_word(x, t, i, k, &want) || want == got)
                continue;
            char what[128];
            snprintf(what, sizeof what, "thread %u word %u is 0x%llx, expected 0x%llx", i, k,
                     (unsigned long long)got, (unsigned long long)want);
            return complain(t, dev, what);
        }
    return true;
}

static bool check_status(const struct behave_test *t, const struct device *dev, simtx_status s,
                         const simtx_fault *fault)
{
    if (t->fault == SIMTX_FAULT_NONE)
        return s ? complain(t, dev, simtx_last_message(dev->gpu)) : true;
    return s == SIMTX_FAULT && fault->kind == t->fault ? true
                                                       : complain(t, dev, "the expected fault did not come");
}

static bool run_on(struct behave_ctx *x, const struct behave_test *t, const struct device *dev,
                   const char *text)
{
    simtx_module *m = NULL;
    void *out = NULL, *buf = NULL;
    uint32_t block = t->block ? t->block : 64, grid = t->grid ? t->grid : 1, threads = block * grid;
    size_t bytes = (size_t)threads * BEHAVE_WORDS * 8;
    simtx_fault fault;
    bool ok = true;
    if (simtx_module_load(dev->gpu, text, strlen(text), t->name, &m))
        return t->refused && strstr(simtx_last_message(dev->gpu), t->refused)
            ? true : complain(t, dev, simtx_last_message(dev->gpu));
    if (t->refused)
        ok = complain(t, dev, "it was not refused");
    if (simtx_malloc(dev->gpu, bytes, SIMTX_MEM_DEVICE, &out) ||
        simtx_malloc(dev->gpu, BEHAVE_BUFFER, SIMTX_MEM_DEVICE, &buf))
        ok = complain(t, dev, "no memory");
    if (ok) {
        for (uint32_t i = 0; i < BEHAVE_BUFFER; i++)
            ((unsigned char *)buf)[i] = behave_fill(i);
        x->nprinted = 0;
        simtx_set_printf(dev->gpu, collect, x);
        const void *args[] = { &out, &buf };
        simtx_launch_params p = { { grid, 1, 1 }, { block, 1, 1 }, t->dynamic_shared, args, NULL, 0, 0,
                                  { t->cluster, t->cluster != 0, t->cluster != 0 } };
        if (t->prepare)
            t->prepare(dev->gpu, m, buf, false);
        simtx_status s = simtx_launch(simtx_module_kernel(m, "t"), &p, NULL, &fault);
        simtx_set_printf(dev->gpu, NULL, NULL);
        if (t->prepare)
            t->prepare(dev->gpu, m, buf, true);
        x->printed[x->nprinted] = 0;
        ok = check_status(t, dev, s, &fault) && check_words(x, t, dev, out, threads);
        if (ok && t->printed && strcmp(t->printed, x->printed))
            ok = complain(t, dev, x->printed);
        if (ok && t->check_buffer) {
            t->check_buffer(buf, &ok);
            ok = ok || complain(t, dev, "the buffer has other contents");
        }
    }
    simtx_module_unload(m);
    simtx_free(dev->gpu, out);
    simtx_free(dev->gpu, buf);
    return ok;
}

void behave_one(struct behave_ctx *x, const struct behave_test *t)
{
    if (x->tests++ % x->parts != x->part)
        return;
    if (x->dev->real && (t->fault || t->refused || t->printed || t->simulated)) {
        x->count.skipped++;
        return;
    }
    char *text = make_text(t);
    bool ok = true;
    for (int d = 0; d < x->ndev && ok; d++)
        if (!x->dev[d].timed || (t->cluster && !t->functional))
            ok = run_on(x, t, &x->dev[d], text);
    if (ok)
        mark_rows(x, text);
    else if (getenv("CONFORMANCE_SHOW"))
        fputs(text, stdout);
    x->count.passed += ok;
    x->count.failed += !ok;
    free(text);
}

void behave_table(struct behave_ctx *x, const char *name, const char *module, const char *body,
                  uint32_t threads, const uint64_t *words, uint32_t mask)
{
    struct behave_test t = { .name = name, .module = module, .body = body, .block = threads };
    x->table = words;
    x->table_mask = mask;
    behave_one(x, &t);
    x->table = NULL;
}

struct behave_count behave_run(const struct device *dev, int ndev, bool *form_covered, int part, int parts)
{
    struct behave_ctx x = { .dev = dev, .ndev = ndev, .covered = form_covered, .part = part, .parts = parts };
    behave_memory(&x);
    behave_atomics(&x);
    behave_wide(&x);
    behave_warp(&x);
    behave_control(&x);
    behave_system(&x);
    behave_texture(&x);
    behave_pairs(&x);
    behave_matrix(&x);
    behave_gemm(&x);
    behave_sparse(&x);
    behave_warpgroup(&x);
    behave_cluster(&x);
    behave_bulk(&x);
    return x.count;
}
