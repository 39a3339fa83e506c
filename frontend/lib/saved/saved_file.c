/* Files of saved states (saved_file.h). */
#include "frontend/lib/saved/saved_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/alloc.h"

static const char FORMAT[] = "simtx state 2\n";
enum { BUFFER = 1 << 17, LEVEL = 3, FORMAT_BYTES = sizeof FORMAT - 1, TEXT_MAX = 1 << 16 };

struct saved_file {
    FILE *file;
    char *path, *temporary;              /* temporary: of a regular file that is written */
    ZSTD_CCtx *out;
    ZSTD_DCtx *in;
    char *buffer;                        /* compressed bytes */
    ZSTD_inBuffer pending;               /* those of a file that is read that are not decompressed yet */
    size_t state;                        /* what the last decompression returned; 0 = the stream has ended */
    uint64_t size, content;
};

static struct saved_file *file_new(const char *path)
{
    struct saved_file *f = mem_zero(1, sizeof *f, "a saved state");
    f->path = mem_string(path);
    f->buffer = mem_alloc(BUFFER, 1, "a saved state");
    return f;
}

static void file_free(struct saved_file *f)
{
    ZSTD_freeCCtx(f->out);
    ZSTD_freeDCtx(f->in);
    free(f->buffer);
    free(f->path);
    free(f->temporary);
    free(f);
}

/* Without a buffer, which a child of fork would write, or whose size it would seek back, when it ends. */
static FILE *open_unbuffered(const char *path, const char *mode)
{
    FILE *f = fopen(path, mode);
    if (f)
        setvbuf(f, NULL, _IONBF, 0);
    return f;
}

/* A pipe or a device, which must not be replaced. */
static bool is_special(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

static bool folder_writable(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? mem_string_n(path, (size_t)(slash - path) + 1) : mem_string(".");
    int reason = access(folder, W_OK | X_OK) ? errno : 0;
    free(folder);
    errno = reason;
    return !reason;
}

bool saved_file_writable(const char *path)
{
    struct stat st;
    if (!is_special(path))
        return folder_writable(path);
    if (stat(path, &st) || !S_ISDIR(st.st_mode))
        return !access(path, W_OK);
    errno = EISDIR;
    return false;
}

struct saved_file *saved_file_create(const char *path)
{
    struct saved_file *f = file_new(path);
    f->temporary = is_special(path) ? NULL : mem_format("%s.%d", path, (int)getpid());
    f->out = ZSTD_createCCtx();
    f->file = f->out ? open_unbuffered(f->temporary ? f->temporary : path, "wb") : NULL;
    if (f->file && fwrite(FORMAT, FORMAT_BYTES, 1, f->file) == 1) {
        ZSTD_CCtx_setParameter(f->out, ZSTD_c_compressionLevel, LEVEL);
        ZSTD_CCtx_setParameter(f->out, ZSTD_c_checksumFlag, 1);
        f->size = FORMAT_BYTES;
        return f;
    }
    int reason = errno;
    saved_file_drop(f);
    errno = reason;
    return NULL;
}

bool saved_file_writes(const struct saved_file *f)
{
    return f->out;
}

/* ---- writing ---- */

static bool compress(struct saved_file *f, const void *p, size_t bytes, ZSTD_EndDirective end)
{
    ZSTD_inBuffer in = { p, bytes, 0 };
    size_t left;
    do {
        ZSTD_outBuffer out = { f->buffer, BUFFER, 0 };
        left = ZSTD_compressStream2(f->out, &out, &in, end);
        if (ZSTD_isError(left) || fwrite(f->buffer, 1, out.pos, f->file) != out.pos)
            return false;
        f->size += out.pos;
    } while (end == ZSTD_e_end ? left > 0 : in.pos < in.size);
    return true;
}

/* ---- reading ---- */

/* Reads more compressed bytes when there are none; false at the end of the file. */
static bool refill(struct saved_file *f)
{
    if (f->pending.pos < f->pending.size)
        return true;
    f->pending = (ZSTD_inBuffer){ f->buffer, fread(f->buffer, 1, BUFFER, f->file), 0 };
    f->size += f->pending.size;
    return f->pending.size > 0;
}

static bool decompress(struct saved_file *f, void *p, size_t bytes)
{
    ZSTD_outBuffer out = { p, bytes, 0 };
    while (out.pos < bytes && f->state != 0) {
        size_t before = out.pos;
        bool more = refill(f);
        f->state = ZSTD_decompressStream(f->in, &out, &f->pending);
        if (ZSTD_isError(f->state) || (!more && out.pos == before))
            return false;
    }
    return out.pos == bytes;
}

static bool begin_reading(struct saved_file *f)
{
    char format[FORMAT_BYTES];
    rewind(f->file);
    ZSTD_DCtx_reset(f->in, ZSTD_reset_session_only);
    f->pending = (ZSTD_inBuffer){ f->buffer, 0, 0 };
    f->content = f->size = 0;
    f->state = 1;
    return fread(format, FORMAT_BYTES, 1, f->file) == 1 && !memcmp(format, FORMAT, FORMAT_BYTES);
}

/* Decompresses everything, which compares the checksum at the end. */
static bool is_whole(struct saved_file *f)
{
    static const size_t step = 1 << 20;
    char *scratch = mem_alloc(step, 1, "a saved state");
    while (f->state != 0 && decompress(f, scratch, step))
        ;
    free(scratch);
    return f->state == 0 && f->pending.pos == f->pending.size && fgetc(f->file) == EOF;
}

struct saved_file *saved_file_open(const char *path, char **message)
{
    struct saved_file *f = file_new(path);
    f->in = ZSTD_createDCtx();
    f->file = f->in ? open_unbuffered(path, "rb") : NULL;
    if (!f->file)
        *message = mem_format("%s: %s\n", path, strerror(errno));
    else if (!begin_reading(f))
        *message = mem_format("%s: not a saved state of this version of simtx\n", path);
    else if (!is_whole(f))
        *message = mem_format("%s: the saved state is damaged or not complete\n", path);
    else if (begin_reading(f))
        return f;
    saved_file_drop(f);
    return NULL;
}

/* ---- both ---- */

bool saved_bytes(struct saved_file *f, void *p, size_t bytes)
{
    f->content += bytes;
    return f->out ? compress(f, p, bytes, ZSTD_e_continue) : decompress(f, p, bytes);
}

bool saved_number(struct saved_file *f, uint64_t *n)
{
    return saved_bytes(f, n, sizeof *n);
}

bool saved_text(struct saved_file *f, char **text)
{
    uint64_t n = f->out ? strlen(*text) : 0;
    if (!saved_number(f, &n) || n > TEXT_MAX)
        return false;
    if (!f->out)
        *text = mem_zero(n + 1, 1, "a saved state");
    return saved_bytes(f, *text, n);
}

bool saved_file_close(struct saved_file *f)
{
    bool ok = !f->out || compress(f, NULL, 0, ZSTD_e_end);
    ok &= !fclose(f->file);
    f->file = NULL;
    ok = ok && (!f->temporary || !rename(f->temporary, f->path));
    if (f->temporary && !ok)
        unlink(f->temporary);
    int reason = errno;
    file_free(f);
    errno = reason;
    return ok;
}

void saved_file_drop(struct saved_file *f)
{
    if (f->file)
        fclose(f->file);
    if (f->temporary)
        unlink(f->temporary);
    file_free(f);
}

uint64_t saved_file_size(const struct saved_file *f)
{
    return f->size;
}

uint64_t saved_file_content(const struct saved_file *f)
{
    return f->content;
}
