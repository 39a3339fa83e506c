/* Reads fat binary containers (fatbin.h). Every length is checked against the size of the image. */
#include "frontend/fatbin/fatbin.h"

#include <ctype.h>
#include <link.h>
#include <lz4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define LARGEST_PTX ((size_t)1 << 30)

static int damaged(char *why, size_t why_size, const char *text)
{
    snprintf(why, why_size, "%s; the device code is damaged: build it again", text);
    return -1;
}

static int open_container(const struct fatbin *f, struct fatbin_container_header *h, char *why,
                          size_t why_size)
{
    uint32_t magic = 0;
    if (f->size < sizeof *h)
        return damaged(why, why_size, "fat binary is shorter than its header");
    memcpy(&magic, f->data, strnlen((const char *)f->data, sizeof magic));    /* a text may end before size */
    if (magic != FATBIN_MAGIC)
        return damaged(why, why_size, "neither PTX nor a fat binary (wrong magic number)");
    memcpy(h, f->data, sizeof *h);
    if (h->version != 1)
        return damaged(why, why_size, "fat binary of an unknown version");
    if (h->header_size < sizeof *h || h->header_size > f->size)
        return damaged(why, why_size, "fat binary has an impossible header size");
    if (h->size > f->size - h->header_size)
        return damaged(why, why_size, "fat binary is truncated");
    return 0;
}

int fatbin_next(const struct fatbin *f, size_t *offset, struct fatbin_entry *e, char *why, size_t why_size)
{
    struct fatbin_container_header h;
    if (open_container(f, &h, why, why_size) < 0)
        return -1;
    size_t end = h.header_size + (size_t)h.size;
    size_t at = *offset ? *offset : h.header_size;
    if (at >= end)
        return 0;
    if (end - at < sizeof e->head)
        return damaged(why, why_size, "fat binary entry is truncated");
    memcpy(&e->head, f->data + at, sizeof e->head);
    if (e->head.header_size < sizeof e->head || e->head.header_size > end - at)
        return damaged(why, why_size, "fat binary entry has an impossible header size");
    at += e->head.header_size;
    if (e->head.size > end - at)
        return damaged(why, why_size, "fat binary entry is longer than its container");
    e->payload = f->data + at;
    e->payload_size = (size_t)e->head.size;
    *offset = at + e->payload_size;
    return 1;
}

static char *unpack_lz4(const struct fatbin_entry *e, char *out, size_t size, char *why, size_t why_size)
{
    int n = LZ4_decompress_safe((const char *)e->payload, out, (int)e->head.compressed_size, (int)size);
    if (n >= 0 && (size_t)n == size)
        return out;
    snprintf(why, why_size, "LZ4 data in the fat binary does not decompress");
    return NULL;
}

static char *unpack_zstd(const struct fatbin_entry *e, char *out, size_t size, char *why, size_t why_size)
{
    size_t n = ZSTD_decompress(out, size, e->payload, e->head.compressed_size);
    if (!ZSTD_isError(n) && n == size)
        return out;
    snprintf(why, why_size, "zstd data in the fat binary does not decompress%s%s",
             ZSTD_isError(n) ? ": " : "", ZSTD_isError(n) ? ZSTD_getErrorName(n) : "");
    return NULL;
}

/* The size of the decompressed payload, or 0 with `why`. Impossible sizes are rejected before memory is allocated. */
static size_t unpacked_size(const struct fatbin_entry *e, char *why, size_t why_size)
{
    uint64_t packed = e->head.compressed_size, size = e->head.uncompressed_size;
    bool lz4 = e->head.flags & FATBIN_FLAG_LZ4;
    if (e->head.flags & FATBIN_FLAG_ZLIB_LIKE)
        snprintf(why, why_size, "fat binary uses an old compression that is not supported; "
                                "rebuild with -Xfatbinary -compress=false");
    else if (!lz4 && !(e->head.flags & FATBIN_FLAG_ZSTD))
        damaged(why, why_size, "fat binary uses an unknown compression");
    else if (packed > e->payload_size)
        damaged(why, why_size, "compressed data in the fat binary is truncated");
    else if (size == 0 || size > LARGEST_PTX || (lz4 && size / 256 > packed))
        damaged(why, why_size, "fat binary gives an impossible uncompressed size");
    else
        return (size_t)size;
    return 0;
}

/* The text ends at its first NUL. Blank lines at its start are kept: line numbers depend on them. */
static char *finish_text(char *text, size_t size, size_t *length)
{
    text[size] = 0;
    *length = strlen(text);
    return text;
}

char *fatbin_entry_ptx(const struct fatbin_entry *e, size_t *length, char *why, size_t why_size)
{
    size_t size = e->payload_size;
    if (e->head.kind != FATBIN_PTX) {
        snprintf(why, why_size, "fat binary entry holds machine code, not PTX");
        return NULL;
    }
    if (e->head.compressed_size && !(size = unpacked_size(e, why, why_size)))
        return NULL;
    char *text = malloc(size + 1);
    if (!text) {
        snprintf(why, why_size, "no memory for %zu bytes of PTX", size);
        return NULL;
    }
    char *done = text;
    if (!e->head.compressed_size)
        memcpy(text, e->payload, size);
    else if (e->head.flags & FATBIN_FLAG_LZ4)
        done = unpack_lz4(e, text, size, why, why_size);
    else
        done = unpack_zstd(e, text, size, why, why_size);
    if (!done) {
        free(text);
        return NULL;
    }
    return finish_text(text, size, length);
}

static bool is_text(unsigned char c)
{
    return c >= ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

/* Plain PTX text starts with a comment or a directive. */
static bool looks_like_ptx(const struct fatbin *f)
{
    size_t i = 0;
    while (i < f->size && isspace(f->data[i]))
        i++;
    return i + 1 < f->size && (f->data[i] == '.' || (f->data[i] == '/' && strchr("/*", f->data[i + 1])));
}

/* Plain text that a compiler embeds has neither a length nor an end mark. It ends at the last brace or semicolon before
 * the first byte that is not text, since the data after it in the segment may begin with printable bytes. A text that
 * has neither, such as a header alone, is whole. */
static char *plain_ptx(const struct fatbin *f, size_t *length, char *why, size_t why_size)
{
    size_t text_bytes = 0;
    while (text_bytes < f->size && is_text(f->data[text_bytes]))
        text_bytes++;
    size_t n = text_bytes;
    while (n > 0 && f->data[n - 1] != '}' && f->data[n - 1] != ';')
        n--;
    n = n ? n : text_bytes;
    char *text = malloc(n + 1);
    if (!text) {
        snprintf(why, why_size, "no memory for %zu bytes of PTX", n);
        return NULL;
    }
    memcpy(text, f->data, n);
    return finish_text(text, n, length);
}

char *fatbin_ptx(const struct fatbin *f, size_t *length, char *why, size_t why_size)
{
    struct fatbin_entry e, best;
    size_t offset = 0;
    bool found = false, machine_code = false;
    uint32_t code_arch = 0;
    int more;

    if (looks_like_ptx(f))
        return plain_ptx(f, length, why, why_size);
    while ((more = fatbin_next(f, &offset, &e, why, why_size)) > 0) {
        if (e.head.kind == FATBIN_PTX && (!found || e.head.arch > best.head.arch)) {
            best = e;
            found = true;
        } else if (e.head.kind == FATBIN_CUBIN) {
            machine_code = true;
            code_arch = e.head.arch;
        }
    }
    if (more < 0)
        return NULL;
    if (found)
        return fatbin_entry_ptx(&best, length, why, why_size);
    if (machine_code)
        snprintf(why, why_size,
                 "the program contains machine code for sm_%u only, no PTX: compile it with PTX "
                 "(-gencode arch=compute_%u,code=compute_%u)",
                 code_arch, code_arch, code_arch);
    else
        snprintf(why, why_size, "fat binary holds no PTX");
    return NULL;
}

struct extent_query {
    uintptr_t at;
    size_t extent;
};

static int segment_extent(struct dl_phdr_info *info, size_t size, void *ctx)
{
    struct extent_query *q = ctx;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        uintptr_t end = start + info->dlpi_phdr[i].p_memsz;
        if (info->dlpi_phdr[i].p_type == PT_LOAD && q->at >= start && q->at < end) {
            q->extent = end - q->at;
            return 1;
        }
    }
    return 0;
}

size_t fatbin_loaded_extent(const void *p)
{
    struct extent_query q = {(uintptr_t)p, 0};
    dl_iterate_phdr(segment_extent, &q);
    return q.extent;
}
