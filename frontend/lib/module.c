/* Modules: parses, links, places and decodes PTX; finds its kernels and symbols. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/num.h"
#include "frontend/lib/gpu.h"
#include "frontend/lib/profile_log.h"
#include "frontend/lib/saved/saved.h"
#include "timing/machine/machine.h"

/* Makes the collected diagnostics the message of the GPU. */
static simtx_status fail_with(simtx_gpu *g, simtx_status s, struct diag *d)
{
    gpu_fail(g, s, "%s", d->text ? d->text : "invalid PTX");
    diag_free(d);
    return s;
}

static void describe_params(struct simtx_kernel *k)
{
    const struct ptx_func *f = k->func;
    k->nparams = (uint32_t)f->nparams;
    k->params = mem_zero((size_t)f->nparams + 1, sizeof *k->params, "the parameters of a kernel");
    uint32_t i = 0;
    for (const struct ptx_var *v = f->params; v; v = v->next, i++) {
        k->params[i] = (simtx_param_info){ (uint32_t)v->address, (uint32_t)v->size, v->align,
                                           v->is_array ? "bytes" : ptx_type_name((enum ptx_type)v->type) };
        k->param_bytes = (uint32_t)(v->address + v->size);
    }
}

static void collect_kernels(struct simtx_module *m)
{
    struct program *p = m->program;
    for (uint32_t i = 0; i < p->nfuncs; i++)
        m->nkernels += p->func_at[i]->is_entry;
    m->kernels = mem_zero(m->nkernels + 1, sizeof *m->kernels, "the kernels of a module");
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->nfuncs; i++) {
        if (!p->func_at[i]->is_entry)
            continue;
        struct simtx_kernel *k = &m->kernels[n++];
        k->module = m;
        k->func = p->func_at[i];
        k->code = k->func->code;
        k->carveout = SIMTX_CARVEOUT_AUTO;
        k->cluster = (simtx_dim3){ k->func->cluster[0], k->func->cluster[1], k->func->cluster[2] };
        describe_params(k);
    }
    for (struct ptx_module *q = p->module; q; q = q->next)
        for (const struct ptx_var *v = q->vars; v; v = v->next)
            if (v->space == SP_CONST && (!v->def || v->def == v))
                m->const_bytes += (uint32_t)v->size;
}

simtx_status simtx_module_load_many(simtx_gpu *g, const char *const *ptx, const size_t *len, const char *const *name,
                                    int n, simtx_module **out)
{
    struct diag d = { 0 };
    struct ptx_module **parsed = calloc((size_t)n + 1, sizeof *parsed), *linked = NULL;
    if (!parsed)
        return gpu_fail(g, SIMTX_OUT_OF_MEMORY, "out of memory");
    for (int i = 0; i < n; i++) {
        d.file = name[i];
        d.source = ptx[i];
        d.source_len = len[i];
        parsed[i] = ptx_parse(ptx[i], len[i], name[i], &d);
    }
    if (!d.errors)
        linked = ptx_link(parsed, n, &d);
    else
        for (int i = 0; i < n; i++)
            ptx_module_free(parsed[i]);
    free(parsed);
    if (!linked)
        return fail_with(g, SIMTX_INVALID_PTX, &d);
    struct program_options o = {
        .place = g->place, .place_ctx = g->place_ctx, .isa = g->isa, .independent = g->gpu.simt == SIMT_INDEPENDENT,
        .inverted_carry = g->gpu.sub_carry == SUB_CARRY_INVERTED, .warp_size = g->info.warp_size,
        .param_address = (uint64_t)(uintptr_t)g->param_buffer, .const_max = g->info.const_bytes,
        .watched = gpu_watches(g),
        .combined = g->gpu.combine_accesses,
        .if_converted = g->gpu.if_conversion,
        .scheduled = g->gpu.instruction_order == ORDER_SCHEDULED,
        .free_registers = num_least(g->gpu.registers_per_sm / g->gpu.max_threads_per_block,
                                    g->gpu.registers_per_thread),
        .resident_registers = g->gpu.registers_per_sm / g->gpu.max_threads_per_sm
    };
    struct program *p = program_load(linked, g->mem, &o, &d);
    if (!p)
        return fail_with(g, SIMTX_INVALID_PTX, &d);
    diag_free(&d);
    struct simtx_module *m = mem_zero(1, sizeof *m, "a module");
    m->gpu = g;
    m->program = p;
    m->next = g->modules;
    g->modules = m;
    collect_kernels(m);
    *out = m;
    saved_loaded(g, ptx, len, n);
    return SIMTX_OK;
}

void simtx_module_place(simtx_gpu *g, simtx_place_fn *place, void *ctx)
{
    g->place = place;
    g->place_ctx = ctx;
}

simtx_status simtx_module_load(simtx_gpu *g, const char *ptx, size_t len, const char *name, simtx_module **out)
{
    return simtx_module_load_many(g, &ptx, &len, &name, 1, out);
}

void simtx_module_unload(simtx_module *m)
{
    if (!m)
        return;
    timed_flush(m->gpu, NULL, NULL);
    saved_unloaded(m->gpu);
    if (m->gpu->machine)
        machine_remove_program(m->gpu->machine, m->program);
    if (m->gpu->profile)
        profile_log_remove_program(m->gpu->profile, m->program);
    for (struct simtx_module **p = &m->gpu->modules; *p; p = &(*p)->next)
        if (*p == m) {
            *p = m->next;
            break;
        }
    for (uint32_t i = 0; i < m->nkernels; i++)
        free(m->kernels[i].params);
    free(m->kernels);
    check_log_remove(m->gpu->checks, m->program);
    program_free(m->program, m->gpu->mem);
    free(m);
}

simtx_kernel *simtx_module_kernel(simtx_module *m, const char *name)
{
    for (uint32_t i = 0; i < m->nkernels; i++)
        if (!strcmp(m->kernels[i].func->name, name))
            return &m->kernels[i];
    return NULL;
}

simtx_kernel *simtx_module_kernel_at(simtx_module *m, int i)
{
    return i >= 0 && (uint32_t)i < m->nkernels ? &m->kernels[i] : NULL;
}

bool simtx_module_symbol(simtx_module *m, const char *name, void **addr, size_t *bytes)
{
    for (struct ptx_module *q = m->program->module; q; q = q->next) {
        const struct ptx_var *v = ptx_find_var(q, name);
        if (!v || (v->space != SP_GLOBAL && v->space != SP_CONST))
            continue;
        v = v->def ? v->def : v;
        if (addr)
            *addr = (void *)(uintptr_t)v->address;
        if (bytes)
            *bytes = v->size;
        return true;
    }
    return false;
}
