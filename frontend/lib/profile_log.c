/* Sums the profiles of kernels and writes them. */
#include "frontend/lib/profile_log.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "frontend/lib/simtx.h"

struct profiled {
    const struct program *program;   /* NULL: freed, and `json` has the kernel */
    const struct ptx_func *kernel;
    uint64_t launches, cycles;
    struct profile *profile;
    json_t *json;
};

struct profile_log {
    FILE *file;
    char *path, *gpu;
    unsigned warp_size;
    struct profiled *kernel;         /* in the order of their first launches */
    uint32_t kernels, cap;
};

struct profile_log *profile_log_open(const char *path, const char *gpu, unsigned warp_size, char *error, size_t size)
{
    FILE *f = fopen(path, "we");
    if (!f) {
        snprintf(error, size, "cannot write the profile '%s': %s", path, strerror(errno));
        return NULL;
    }
    struct profile_log *l = mem_zero(1, sizeof *l, "a profile");
    *l = (struct profile_log){ .file = f, .path = mem_string(path), .gpu = mem_string(gpu), .warp_size = warp_size };
    return l;
}

static struct profiled *find_or_add(struct profile_log *l, const struct program *p, const struct ptx_func *kernel)
{
    for (uint32_t i = 0; i < l->kernels; i++)
        if (l->kernel[i].program == p && l->kernel[i].kernel == kernel)
            return &l->kernel[i];
    l->kernel = mem_grow(l->kernel, l->kernels, &l->cap, sizeof *l->kernel, "profiles");
    struct profiled *k = &l->kernel[l->kernels++];
    *k = (struct profiled){ .program = p, .kernel = kernel, .profile = mem_zero(1, sizeof *k->profile, "a profile") };
    profile_init(k->profile, p->nfuncs);
    return k;
}

struct profile *profile_log_kernel(struct profile_log *l, const struct program *p, const struct ptx_func *kernel)
{
    return find_or_add(l, p, kernel)->profile;
}

void profile_log_launch(struct profile_log *l, const struct program *p, const struct ptx_func *kernel, uint64_t cycles)
{
    struct profiled *k = find_or_add(l, p, kernel);
    k->launches++;
    k->cycles += cycles;
}

/* ---- JSON ---- */

/* A text that may not be UTF-8. */
static json_t *text_json(const char *text)
{
    char *clean = utf8_clean(text);
    json_t *o = json_string(clean);
    free(clean);
    return o;
}

static void add_figures(json_t *o, const uint64_t *row)
{
    for (int i = 0; i < PROFILE_FIGURES; i++)
        if (row[i])
            json_object_set_new(o, profile_table[i].name, json_integer((json_int_t)row[i]));
}

/* Where .loc says that the instruction comes from. */
static void add_source(json_t *o, const struct ptx_func *f, const struct ptx_inst *in)
{
    const struct ptx_module *m = f->module;
    if (!in->src_line || in->src_file >= m->nsrc_files || !m->src_files[in->src_file])
        return;
    json_object_set_new(o, "file", text_json(m->src_files[in->src_file]));
    json_object_set_new(o, "line", json_integer(in->src_line));
}

static json_t *instruction_json(const struct ptx_func *f, uint32_t i, const uint64_t *row)
{
    char text[400] = "(return at the end of the function)";
    json_t *o = json_object();
    if (i < f->ninsts) {
        const struct ptx_inst *in = &f->insts[i];
        ptx_print_inst(f, in, text, sizeof text);
        json_object_set_new(o, "ptx_line", json_integer(in->loc.line));
        add_source(o, f, in);
    }
    json_object_set_new(o, "ptx", text_json(text));
    add_figures(o, row);
    return o;
}

/* The implicit return after the last instruction is left out unless it was executed. */
static json_t *function_json(const struct ptx_func *f, const struct profile_function *p)
{
    json_t *instructions = json_array();
    for (uint32_t i = 0; i < p->rows; i++)
        if (i < f->ninsts || p->row[i][PROFILE_ISSUED])
            json_array_append_new(instructions, instruction_json(f, i, p->row[i]));
    return json_pack("{s:o, s:o, s:o}", "name", text_json(f->name), "ptx_file", text_json(f->module->file),
                     "instructions", instructions);
}

static json_t *kernel_json(const struct profiled *k)
{
    json_t *functions = json_array();
    for (uint32_t i = 0; i < k->profile->functions; i++)
        if (k->profile->function[i].row)
            json_array_append_new(functions, function_json(k->program->func_at[i], &k->profile->function[i]));
    return json_pack("{s:o, s:I, s:I, s:o}", "name", text_json(k->kernel->name), "launches", (json_int_t)k->launches,
                     "cycles", (json_int_t)k->cycles, "functions", functions);
}

static void complete(struct profiled *k)
{
    k->json = kernel_json(k);
    k->program = NULL;
    profile_end(k->profile);
    free(k->profile);
}

void profile_log_remove_program(struct profile_log *l, const struct program *p)
{
    for (uint32_t i = 0; i < l->kernels; i++)
        if (l->kernel[i].program == p)
            complete(&l->kernel[i]);
}

static json_t *figures_json(void)
{
    json_t *list = json_array();
    for (int i = 0; i < PROFILE_FIGURES; i++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "name", profile_table[i].name, "unit",
                                              profile_table[i].unit, "meaning", profile_table[i].meaning));
    return list;
}

static json_t *log_json(struct profile_log *l)
{
    json_t *kernels = json_array();
    for (uint32_t i = 0; i < l->kernels; i++) {
        if (l->kernel[i].program)
            complete(&l->kernel[i]);
        json_array_append_new(kernels, l->kernel[i].json);
    }
    return json_pack("{s:s, s:o, s:i, s:o, s:o}", "simtx", SIMTX_VERSION, "gpu", text_json(l->gpu), "warp_size",
                     (int)l->warp_size, "figures", figures_json(), "kernels", kernels);
}

bool profile_log_close(struct profile_log *l, char *error, size_t size)
{
    json_t *root = log_json(l);
    bool ok = !json_dumpf(root, l->file, JSON_INDENT(1)) && fputc('\n', l->file) != EOF;
    ok &= !fclose(l->file);
    if (!ok)
        snprintf(error, size, "the profile '%s' could not be written to its end", l->path);
    json_decref(root);
    free(l->kernel);
    free(l->path);
    free(l->gpu);
    free(l);
    return ok;
}
