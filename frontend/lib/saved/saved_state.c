/* Header and memory of a saved state (saved_state.h). */
#include "frontend/lib/saved/saved_state.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/alloc.h"
#include "base/stats.h"
#include "frontend/lib/config_load.h"

enum { PAGE = 4096 };

/* ---- header ---- */

/* Functional mode depends on these keys: results, the order of blocks, what is reported to programs. */
static bool is_functional(enum config_key k)
{
    static const char *const groups[] = { "gpu.", "functional.", "check." };
    const char *name = config_keys[k].name;
    bool in = !strcmp(name, "tm.shared") || !strcmp(name, "stats.hash");
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        in |= !strncmp(name, groups[i], strlen(groups[i]));
    return in && config_keys[k].scope != CONFIG_HOST;
}

/* Counters are stored by their position in the table. */
static char *version_text(void)
{
    char *text = mem_format("simtx %s, statistics", SIMTX_VERSION);
    uint64_t h = 5381;
    for (int i = 0; i < STAT_END; i++)
        for (const char *p = stat_table[i].name; *p; p++)
            h = h * 33 + (unsigned char)*p;
    mem_append(&text, " %llx", (unsigned long long)h);
    return text;
}

/* Keys of kernels, such as kernel.NAME.registers, as one text. */
static char *kernel_keys(const simtx_config *c)
{
    char *all = mem_string("");
    const char *kernel, *text, *origin;
    enum kernel_key key;
    for (size_t i = 0; config_kernel_at(c, i, &kernel, &key, &text, &origin); i++)
        mem_append(&all, "kernel.%s.%s=%s ", kernel, config_kernel_keys[key].name, text);
    return all;
}

static bool write_text(struct saved_file *f, const char *text)
{
    char *copy = mem_string(text);
    bool ok = saved_text(f, &copy);
    free(copy);
    return ok;
}

bool saved_header_write(struct saved_file *f, const simtx_config *c)
{
    char *version = version_text(), *kernels = kernel_keys(c);
    bool ok = write_text(f, version) && write_text(f, kernels);
    for (int k = 0; k < KEY_COUNT && ok; k++)
        if (is_functional((enum config_key)k))
            ok = write_text(f, config_keys[k].name) && write_text(f, config_text(c, (enum config_key)k));
    free(version);
    free(kernels);
    return ok && write_text(f, "");
}

/* Reads a text and compares it. */
static bool same_text(struct saved_file *f, const char *now, const char *what, const char *path, char **message)
{
    char *text = NULL;
    bool ok = saved_text(f, &text);
    if (!ok)
        *message = mem_format("%s: the saved state ends in its header\n", path);
    else if (strcmp(text, now))
        *message = mem_format("%s: the state was saved with %s '%s', this run has '%s'\n", path, what, text, now);
    free(text);
    return !*message;
}

static bool same_key(struct saved_file *f, const simtx_config *c, const char *name, const char *path, char **message)
{
    enum config_key k = config_find(name);
    return same_text(f, k == KEY_NONE ? "" : config_text(c, k), name, path, message);
}

bool saved_header_read(struct saved_file *f, const simtx_config *c, const char *path, char **message)
{
    char *version = version_text(), *kernels = kernel_keys(c), *name = NULL;
    bool ok = same_text(f, version, "version", path, message) &&
              same_text(f, kernels, "keys of kernels", path, message);
    while (ok && (ok = saved_text(f, &name)) && *name) {
        ok = same_key(f, c, name, path, message);
        free(name);
        name = NULL;
    }
    free(name);
    free(version);
    free(kernels);
    if (!ok && !*message)
        *message = mem_format("%s: the saved state ends in its header\n", path);
    return ok;
}

/* ---- pages of host memory ---- */

struct saved_pages { uint32_t n, cap; struct copy { uint64_t lo, hi; char *bytes; } *copy; };

static bool host_reads(const struct mem_range *r)
{
    return r->kind == MEM_HOST || r->kind == MEM_MANAGED;
}

uint64_t saved_host_digest(const struct devmem *m)
{
    uint64_t h = 0;
    const struct mem_range *r;
    for (size_t i = 0; (r = devmem_at(m, i)) != NULL; i++)
        if (!r->freed && host_reads(r))
            h = h * 31 + crc32_z(0, (const void *)(uintptr_t)r->lo, r->hi - r->lo);
    return h;
}

struct saved_pages *saved_pages_new(const struct devmem *m)
{
    struct saved_pages *p = mem_zero(1, sizeof *p, "pages of a saved state");
    const struct mem_range *r;
    for (size_t i = 0; (r = devmem_at(m, i)) != NULL; i++) {
        if (r->freed || !host_reads(r))
            continue;
        p->copy = mem_grow(p->copy, p->n, &p->cap, sizeof *p->copy, "pages of a saved state");
        p->copy[p->n] = (struct copy){ r->lo, r->hi, mem_alloc(r->hi - r->lo, 1, "pages of a saved state") };
        memcpy(p->copy[p->n++].bytes, (const void *)(uintptr_t)r->lo, r->hi - r->lo);
    }
    return p;
}

void saved_pages_free(struct saved_pages *p)
{
    for (uint32_t i = 0; p && i < p->n; i++)
        free(p->copy[i].bytes);
    if (p)
        free(p->copy);
    free(p);
}

/* Address, size, bytes. */
static bool write_page(struct saved_file *f, uint64_t at, uint64_t bytes)
{
    return saved_number(f, &at) && saved_number(f, &bytes) && saved_bytes(f, (void *)(uintptr_t)at, bytes);
}

static bool write_end(struct saved_file *f)
{
    uint64_t none = 0;
    return saved_number(f, &none);
}

static uint64_t page_bytes(uint64_t at, uint64_t hi)
{
    return hi - at < PAGE ? hi - at : PAGE;
}

static bool write_changed(struct saved_file *f, const struct copy *c)
{
    bool ok = true;
    for (uint64_t at = c->lo; at < c->hi && ok; at += PAGE)
        if (memcmp((const void *)(uintptr_t)at, c->bytes + (at - c->lo), page_bytes(at, c->hi)))
            ok = write_page(f, at, page_bytes(at, c->hi));
    return ok;
}

bool saved_pages_write(struct saved_file *f, struct saved_pages *p)
{
    bool ok = true;
    for (uint32_t i = 0; i < p->n && ok; i++)
        ok = write_changed(f, &p->copy[i]);
    saved_pages_free(p);
    return ok && write_end(f);
}

/* Reads a page into the range, which must hold it. */
static bool read_page(struct saved_file *f, const struct mem_range *r, uint64_t at, const char **other)
{
    uint64_t bytes;
    if (!saved_number(f, &bytes))
        return false;
    if (!r || at < r->lo || at >= r->hi || bytes > r->hi - at) {
        *other = "a page of the saved state lies outside the allocations";
        return true;
    }
    return saved_bytes(f, (void *)(uintptr_t)at, bytes);
}

static const struct mem_range *host_range(const struct devmem *m, uint64_t at)
{
    const struct mem_range *r = devmem_find(m, at);
    return r && host_reads(r) ? r : NULL;
}

bool saved_pages_read(struct saved_file *f, const struct devmem *m, const char **other)
{
    uint64_t at;
    bool ok;
    while ((ok = saved_number(f, &at)) && at && !*other)
        if (!read_page(f, host_range(m, at), at, other))
            return false;
    return ok;
}

/* ---- all memory ---- */

static bool is_zero(uint64_t at, uint64_t bytes)
{
    const char *p = (const char *)(uintptr_t)at;
    return !*p && !memcmp(p, p + 1, bytes - 1);
}

static bool write_contents(struct saved_file *f, const struct mem_range *r)
{
    bool ok = true;
    for (uint64_t at = r->lo; at < r->hi && ok; at += PAGE)
        if (!is_zero(at, page_bytes(at, r->hi)))
            ok = write_page(f, at, page_bytes(at, r->hi));
    return ok && write_end(f);
}

/* Reads the pages of a range, which is zero. */
static bool read_contents(struct saved_file *f, const struct mem_range *r, const char **other)
{
    uint64_t at;
    bool ok;
    while ((ok = saved_number(f, &at)) && at && !*other)
        if (!read_page(f, r, at, other))
            return false;
    return ok;
}

static bool transfer_contents(struct saved_file *f, struct devmem *m, const struct mem_range *r, const char **other)
{
    if (saved_file_writes(f))
        return write_contents(f, r);
    devmem_fill(m, (void *)(uintptr_t)r->lo, 0, r->hi - r->lo);
    return read_contents(f, r, other);
}

/* Writes or compares a number. */
static bool same_number(struct saved_file *f, uint64_t now, const char **other)
{
    uint64_t n = now;
    if (!saved_number(f, &n))
        return false;
    if (n != now)
        *other = "the allocations are not those when the state was saved";
    return true;
}

bool saved_memory(struct saved_file *f, struct devmem *m, const char **other)
{
    const struct mem_range *r;
    uint64_t freed = devmem_freed_hash(m);
    if (!saved_number(f, &freed))
        return false;
    for (size_t i = 0; (r = devmem_at(m, i)) != NULL && !*other; i++) {
        if (r->freed || r->kind == MEM_EXTERNAL)
            continue;
        if (!same_number(f, r->lo, other) || !same_number(f, r->hi, other) ||
            (!*other && !transfer_contents(f, m, r, other)))
            return false;
    }
    devmem_set_freed_hash(m, freed);
    return *other || same_number(f, 0, other);
}
