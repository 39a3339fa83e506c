/* simtx_run_ptx: runs a kernel of a PTX text on a GPU that exists for this launch only. */
#include <stdlib.h>
#include <string.h>

#include "frontend/lib/gpu.h"

static simtx_status copy_in(simtx_gpu *g, const simtx_arg *args, int n, void **device, const void **pointers)
{
    for (int i = 0; i < n; i++) {
        pointers[i] = args[i].kind == SIMTX_ARG_VALUE ? args[i].data : &device[i];
        if (args[i].kind == SIMTX_ARG_VALUE)
            continue;
        simtx_status s = simtx_malloc(g, args[i].bytes, SIMTX_MEM_DEVICE, &device[i]);
        if (s)
            return s;
        if (args[i].kind == SIMTX_ARG_OUT)
            continue;
        memcpy(device[i], args[i].data, args[i].bytes);
        s = simtx_after_copy_to_device(g, device[i], args[i].bytes);
        if (s)
            return s;
    }
    return SIMTX_OK;
}

static simtx_status check_args(simtx_gpu *g, const simtx_kernel *k, const simtx_arg *args, int n)
{
    if ((uint32_t)n != k->nparams)
        return gpu_fail(g, SIMTX_INVALID_LAUNCH, "%s takes %u arguments, %d were given", k->func->name, k->nparams, n);
    for (int i = 0; i < n; i++) {
        size_t have = args[i].kind == SIMTX_ARG_VALUE ? args[i].bytes : sizeof(void *);
        if (have != k->params[i].size)
            return gpu_fail(g, SIMTX_INVALID_LAUNCH, "%s: argument %d has %zu bytes, the parameter %u", k->func->name,
                            i, have, k->params[i].size);
    }
    return SIMTX_OK;
}

static simtx_status run_in(simtx_gpu *g, const char *ptx, const char *kernel, const simtx_launch_params *shape,
                           const simtx_arg *args, int nargs, simtx_launch_stats *stats)
{
    simtx_module *m;
    simtx_status s = simtx_module_load(g, ptx, strlen(ptx), "<ptx>", &m);
    if (s)
        return s;
    simtx_kernel *k = simtx_module_kernel(m, kernel);
    if (!k)
        return gpu_fail(g, SIMTX_NOT_FOUND, "the module has no kernel '%s'", kernel);
    void **device = calloc((size_t)nargs + 1, sizeof *device);
    const void **pointers = calloc((size_t)nargs + 1, sizeof *pointers);
    s = device && pointers ? check_args(g, k, args, nargs) : SIMTX_OUT_OF_MEMORY;
    if (!s)
        s = copy_in(g, args, nargs, device, pointers);
    if (!s) {
        simtx_launch_params p = *shape;
        p.args = pointers;
        s = simtx_launch(k, &p, stats, NULL);
    }
    for (int i = 0; i < nargs && !s; i++)
        if (args[i].kind == SIMTX_ARG_OUT || args[i].kind == SIMTX_ARG_INOUT)
            memcpy(args[i].data, device[i], args[i].bytes);
    free(device);
    free(pointers);
    return s;
}

simtx_status simtx_run_ptx(const simtx_config *config, const char *ptx, const char *kernel, simtx_dim3 grid,
                           simtx_dim3 block, size_t dynamic_shared, const simtx_arg *args, int nargs,
                           simtx_launch_stats *stats, char **message)
{
    simtx_config *own = config ? NULL : simtx_config_new();
    simtx_gpu *g = NULL;
    for (int i = 15; i >= 0 && !g; i--) {
        if (message) {
            free(*message);
            *message = NULL;
        }
        g = simtx_gpu_new(config ? config : own, i, message);
    }
    simtx_status s = SIMTX_OUT_OF_MEMORY;
    if (g) {
        simtx_launch_params shape = { .grid = grid, .block = block, .dynamic_shared = dynamic_shared };
        s = run_in(g, ptx, kernel, &shape, args, nargs, stats);
        if (s && message)
            *message = strdup(simtx_last_message(g));
        simtx_gpu_free(g);
    }
    simtx_config_free(own);
    return s;
}
