/*
 * Texts of device code, and the modules of the driver API. An image may be PTX text, a fat binary or its wrapper; the
 * PTX in it is used. Machine code alone (a cubin) is rejected.
 */
#include "frontend/rt/rt.h"
#include "frontend/fatbin/fatbin.h"
#include "frontend/session/env.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

void (*rt_unload_images)(int device);
void (*rt_unload_references)(rt_module m);
bool (*rt_owns_function)(const struct CUfunc_st *f);
cudaError_t (*rt_find_registered)(const void *host_function, struct CUfunc_st **out);

/* ---- texts ---- */

/* Readable range of an image of unknown size: to the end of its segment; in other memory, the size in its header. */
static size_t readable_bytes(const void *data)
{
    size_t extent = fatbin_loaded_extent(data);
    struct fatbin_container_header h;
    if (extent)
        return extent;
    memcpy(&h, data, sizeof h.magic);
    if (h.magic != FATBIN_MAGIC)
        return strlen(data) + 1;
    memcpy(&h, data, sizeof h);
    return h.size > SIZE_MAX - h.header_size ? SIZE_MAX : (size_t)h.size + h.header_size;
}

static bool add_container(struct rt_texts *t, const void *container, size_t bytes, const char *name, char *why,
                          size_t why_size)
{
    if (t->n == RT_MAX_LINKED) {
        snprintf(why, why_size, "more than %d linked images", RT_MAX_LINKED);
        return false;
    }
    if (!strncmp(container, "\177ELF", 4)) {
        snprintf(why, why_size, "the image is machine code (a cubin) without PTX; simtx runs PTX");
        return false;
    }
    struct fatbin f = {container, bytes ? bytes : readable_bytes(container)};
    t->name[t->n] = name;
    t->text[t->n] = fatbin_ptx(&f, &t->length[t->n], why, why_size);
    return t->text[t->n] && ++t->n;
}

static bool add_wrapper(struct rt_texts *t, const struct fatbin_wrapper *w, const char *name, char *why, size_t size)
{
    if (w->version != FATBIN_WRAPPER_LINKED)
        return add_container(t, w->data, 0, name, why, size);
    for (const void *const *p = w->linked; p && *p; p++)
        if (!add_container(t, *p, 0, name, why, size))
            return false;
    if (!t->n)
        snprintf(why, size, "linked image is empty");
    return t->n > 0;
}

/* ---- the image that a link makes: a header, then length and bytes of each text, without pointers ---- */

#define LINKED_MAGIC 0x4b4c537fu
struct linked_header { uint32_t magic, texts; uint64_t size; };          /* size: of the image */

void *rt_pack_texts(const struct rt_texts *t, size_t *size)
{
    struct linked_header h = {LINKED_MAGIC, (uint32_t)t->n, sizeof h};
    for (int i = 0; i < t->n; i++)
        h.size += sizeof(uint64_t) + t->length[i];
    char *image = malloc(h.size), *at = image;
    if (!image)
        return NULL;
    memcpy(at, &h, sizeof h);
    at += sizeof h;
    for (int i = 0; i < t->n; i++) {
        uint64_t length = t->length[i];
        memcpy(at, &length, sizeof length);
        memcpy(at + sizeof length, t->text[i], length);
        at += sizeof length + length;
    }
    *size = h.size;
    return image;
}

/* Appends the text at *at to t and advances *at. */
static bool unpack_text(struct rt_texts *t, const char **at, const char *end, const char *name)
{
    uint64_t length;
    if ((size_t)(end - *at) < sizeof length)
        return false;
    memcpy(&length, *at, sizeof length);
    *at += sizeof length;
    char *text = length <= (size_t)(end - *at) ? malloc(length + 1) : NULL;
    if (!text)
        return false;
    memcpy(text, *at, length);
    text[length] = 0;
    *at += length;
    t->text[t->n] = text;
    t->length[t->n] = length;
    t->name[t->n++] = name;
    return true;
}

static bool add_linked(struct rt_texts *t, const char *image, size_t bytes, const char *name, char *why,
                       size_t why_size)
{
    struct linked_header h = {0};
    if (!bytes || bytes >= sizeof h)
        memcpy(&h, image, sizeof h);
    bool ok = h.size >= sizeof h && h.texts > 0 && (!bytes || h.size <= bytes);
    const char *at = image + sizeof h, *end = image + h.size;
    int before = t->n;
    if (ok && h.texts > (uint32_t)(RT_MAX_LINKED - t->n)) {
        snprintf(why, why_size, "more than %d linked images", RT_MAX_LINKED);
        return false;
    }
    for (uint32_t i = 0; ok && i < h.texts; i++)
        ok = unpack_text(t, &at, end, name);
    ok = ok && at == end;
    while (!ok && t->n > before)
        free(t->text[--t->n]);
    if (!ok)
        snprintf(why, why_size, "the image of a link (cuLinkComplete) is damaged or incomplete");
    return ok;
}

bool rt_add_text(struct rt_texts *t, const void *image, size_t bytes, const char *name, char *why, size_t size)
{
    uint32_t magic = 0;
    memcpy(&magic, image, strnlen(image, sizeof magic));     /* a text may be shorter; the magic number has no 0 */
    if (magic == LINKED_MAGIC)
        return add_linked(t, image, bytes, name, why, size);
    return magic == FATBIN_WRAPPER_MAGIC && !bytes ? add_wrapper(t, image, name, why, size)
                                                   : add_container(t, image, bytes, name, why, size);
}

bool rt_read_text(struct rt_texts *t, const char *path, char *why, size_t size)
{
    t->text[0] = file_read(path, &t->length[0]);
    if (!t->text[0])
        snprintf(why, size, "%s: %s", path, strerror(errno));
    t->name[0] = path;
    t->n = t->text[0] != NULL;
    return t->n;
}

void rt_free_texts(struct rt_texts *t)
{
    for (int i = 0; i < t->n; i++)
        free(t->text[i]);
    t->n = 0;
}

simtx_status rt_load_texts(const struct rt_texts *t, simtx_gpu *gpu, simtx_module **out)
{
    return t->n == 1 ? simtx_module_load(gpu, t->text[0], t->length[0], t->name[0], out)
                     : simtx_module_load_many(gpu, (const char *const *)t->text, t->length, t->name, t->n, out);
}

/* ---- modules ---- */

bool rt_module_ok(rt_module m)
{
    for (rt_module i = rt.modules; i; i = i->next)
        if (i == m)
            return true;
    return false;
}

static int count_kernels(simtx_module *m)
{
    int n = 0;
    while (simtx_module_kernel_at(m, n))
        n++;
    return n;
}

static bool list_functions(rt_module m)
{
    m->count = count_kernels(m->module);
    m->functions = calloc((size_t)m->count + 1, sizeof *m->functions);
    for (int i = 0; m->functions && i < m->count; i++)
        m->functions[i] = (struct CUfunc_st){.kernel = simtx_module_kernel_at(m->module, i), .module = m,
                                             .device = m->context->device, .carveout = cudaSharedmemCarveoutDefault};
    return m->functions != NULL;
}

cudaError_t rt_module_load(rt_module *out, const struct rt_texts *t)
{
    rt_module m = calloc(1, sizeof *m);
    if (!m)
        return cudaErrorMemoryAllocation;
    m->context = rt_context_current();
    cudaError_t e = rt_status_error(rt_load_texts(t, rt_current()->gpu, &m->module));
    if (!e && !list_functions(m)) {
        simtx_module_unload(m->module);
        e = cudaErrorMemoryAllocation;
    }
    if (e) {
        free(m);
        return e;
    }
    m->next = rt.modules;
    rt.modules = m;
    *out = m;
    return cudaSuccess;
}

cudaError_t rt_module_function(rt_module m, const char *name, struct CUfunc_st **out)
{
    for (int i = 0; i < m->count; i++) {
        simtx_kernel_info k;
        simtx_kernel_get_info(m->functions[i].kernel, &k);
        if (strcmp(k.name, name))
            continue;
        *out = &m->functions[i];
        return cudaSuccess;
    }
    return cudaErrorSymbolNotFound;
}

cudaError_t rt_module_unload(rt_module m)
{
    for (rt_module *p = &rt.modules; *p; p = &(*p)->next) {
        if (*p != m)
            continue;
        *p = m->next;
        if (rt_unload_references)
            rt_unload_references(m);
        simtx_module_unload(m->module);
        for (int i = 0; i < m->count; i++)
            free(m->functions[i].old);
        free(m->functions);
        free(m);
        return cudaSuccess;
    }
    return cudaErrorInvalidResourceHandle;
}

void rt_unload_modules(int device, rt_context c)
{
    for (rt_module m = rt.modules, next; m; m = next) {
        next = m->next;
        if (rt_belongs(m->context, device, c))
            rt_module_unload(m);
    }
}

bool rt_function_ok(const struct CUfunc_st *f)
{
    for (rt_module m = rt.modules; m; m = m->next)
        if (f >= m->functions && f < m->functions + m->count)
            return true;
    return f && rt_owns_function && rt_owns_function(f);
}
