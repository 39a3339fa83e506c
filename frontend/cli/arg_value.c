/* Parses kernel arguments and fills buffers. Random numbers are splitmix64 (Steele, Lea, Flood 2014): a seed gives the
 * same data on every host. */
#include "frontend/cli/arg_value.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/random.h"
#include "frontend/cli/cmd.h"

#define BYTES_MAX ((size_t)1 << 36)

__attribute__((format(printf, 2, 3))) static bool wrong(char **why, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    *why = mem_vformat(fmt, ap);
    va_end(ap);
    return false;
}

static bool takes_values(enum ptx_type t)
{
    char c = ptx_type_class(t);
    int size = ptx_type_size(t);
    return (c == 'f' && (t == T_F32 || t == T_F64)) ||
           ((c == 'u' || c == 's' || c == 'b') && size <= 8 && t != T_U16X2 && t != T_S16X2);
}

/* ---- elements ---- */

static void put_integer(char *at, enum ptx_type t, uint64_t x)
{
    memcpy(at, &x, (size_t)ptx_type_size(t));        /* the device is little endian, too */
}

static void put_real(char *at, enum ptx_type t, double x)
{
    float f = (float)x;
    if (t == T_F32)
        memcpy(at, &f, sizeof f);
    else
        memcpy(at, &x, sizeof x);
}

static bool parse_integer(const char *text, enum ptx_type t, char *at, char **why)
{
    char *end;
    int bits = ptx_type_size(t) * 8;
    bool negative = text[0] == '-';
    errno = 0;
    uint64_t x = negative ? (uint64_t)strtoll(text, &end, 0) : strtoull(text, &end, 0);
    if (end == text || *end)
        return wrong(why, "'%s' is not an integer", text);
    char class = ptx_type_class(t);
    int64_t low = class == 'u' ? 0 : (int64_t)(0 - ((uint64_t)1 << (bits - 1)));
    uint64_t high = class == 's' ? ((uint64_t)1 << (bits - 1)) - 1
                    : bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    if (errno == ERANGE || (negative ? (int64_t)x < low : x > high))
        return wrong(why, "%s does not fit %s", text, ptx_type_name(t));
    put_integer(at, t, x);
    return true;
}

static bool parse_element(const char *text, enum ptx_type t, char *at, char **why)
{
    char *end;
    if (ptx_type_class(t) != 'f')
        return parse_integer(text, t, at, why);
    double x = t == T_F32 ? (double)strtof(text, &end) : strtod(text, &end);
    if (end == text || *end)
        return wrong(why, "'%s' is not a number", text);
    put_real(at, t, x);
    return true;
}

void arg_value_print(FILE *f, const struct arg_value *v, const char *data, size_t i)
{
    size_t size = (size_t)ptx_type_size(v->type);
    uint64_t u = 0;
    float x32;
    double x64;
    memcpy(&u, data + i * size, size);
    if (v->type == T_F32) {
        memcpy(&x32, &u, sizeof x32);
        fprintf(f, "%.9g", (double)x32);
    } else if (v->type == T_F64) {
        memcpy(&x64, &u, sizeof x64);
        fprintf(f, "%.17g", x64);
    } else if (ptx_type_class(v->type) == 's') {
        unsigned unused = 64 - 8 * (unsigned)size;
        fprintf(f, "%" PRId64, (int64_t)(u << unused) >> unused);
    } else if (ptx_type_class(v->type) == 'b') {
        fprintf(f, "0x%0*" PRIx64, (int)size * 2, u);
    } else {
        fprintf(f, "%" PRIu64, u);
    }
}

/* ---- arrays ---- */

static bool size_buffer(struct arg_value *v, size_t count, char **why)
{
    size_t size = (size_t)ptx_type_size(v->type);
    if (!count || count > BYTES_MAX / size)
        return wrong(why, "invalid size: an array of %zu elements of %zu bytes", count, size);
    v->buffer = true;
    v->count = count;
    v->bytes = count * size;
    return true;
}

static void fill_generated(const struct arg_value *v, char *to)
{
    size_t size = (size_t)ptx_type_size(v->type);
    bool real = ptx_type_class(v->type) == 'f', random = v->contents == ARG_VALUE_RANDOM;
    uint64_t seed = v->seed;
    for (size_t i = 0; i < v->count; i++) {
        uint64_t x = random ? random_next(&seed) : i;
        if (real)
            put_real(to + i * size, v->type, random ? (double)(x >> 40) * 0x1p-24 : (double)x);
        else
            put_integer(to + i * size, v->type, x);
    }
}

static size_t count_commas(const char *s)
{
    size_t n = 1;
    for (; *s; s++)
        n += *s == ',';
    return n;
}

/* Parses the elements of the list and writes them to `to`; NULL = they are only checked. */
static bool read_list(const struct arg_value *v, char *to, char **why)
{
    size_t size = (size_t)ptx_type_size(v->type);
    char *copy = mem_string(v->text), *next = copy, unused[8];
    bool ok = true;
    for (size_t i = 0; ok && next; i++)
        ok = parse_element(strsep(&next, ","), v->type, to ? to + i * size : unused, why);
    free(copy);
    return ok;
}

/* The list has one value for all elements, or one value for each. */
static bool check_list(const struct arg_value *v, char **why)
{
    size_t given = count_commas(v->text);
    if (given != 1 && given != v->count)
        return wrong(why, "%zu values for %zu elements", given, v->count);
    return read_list(v, NULL, why);
}

static bool fill_listed(const struct arg_value *v, char *to, char **why)
{
    static const char zero[8];
    size_t size = (size_t)ptx_type_size(v->type), given = count_commas(v->text);
    if (!read_list(v, to, why))
        return false;
    for (size_t i = 1; given == 1 && memcmp(to, zero, size) && i < v->count; i++)
        memcpy(to + i * size, to, size);
    return true;
}

static bool size_file(struct arg_value *v, const char *path, size_t count, char **why)
{
    size_t size = (size_t)ptx_type_size(v->type);
    struct stat st;
    if (stat(path, &st) || access(path, R_OK))
        return wrong(why, "%s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return wrong(why, "%s: is not a regular file", path);
    size_t n = (size_t)st.st_size;
    if (n % size)
        return wrong(why, "%s: its %zu bytes are not a multiple of the size of %s", path, n, ptx_type_name(v->type));
    if (count && count != n / size)
        return wrong(why, "%s: has %zu elements, not %zu", path, n / size, count);
    v->contents = ARG_VALUE_OF_FILE;
    v->text = mem_string(path);
    return size_buffer(v, n / size, why);
}

static bool fill_from_file(const struct arg_value *v, char *to, char **why)
{
    FILE *f = fopen(v->text, "rb");
    bool ok = f && fread(to, 1, v->bytes, f) == v->bytes;
    if (!ok)
        wrong(why, "%s: %s", v->text, !f || ferror(f) ? strerror(errno) : "the file became shorter");
    if (f)
        fclose(f);
    return ok;
}

bool arg_value_fill(const struct arg_value *v, char *to, char **why)
{
    *why = NULL;
    switch (v->contents) {
    case ARG_VALUE_LISTED: return !v->text || fill_listed(v, to, why);
    case ARG_VALUE_OF_FILE: return fill_from_file(v, to, why);
    default: fill_generated(v, to); return true;
    }
}

/* text: the part after "TYPE[N]:" */
static bool parse_array(struct arg_value *v, size_t count, const char *text, char **why)
{
    char *end;
    bool random = !strncmp(text, "random(", 7), iota = !strcmp(text, "iota");
    if (text[0] == '@')
        return size_file(v, text + 1, count, why);
    if (!count && (random || iota))
        return wrong(why, "the number of elements is missing: %s[N]:%s", ptx_type_name(v->type), text);
    v->contents = random ? ARG_VALUE_RANDOM : iota ? ARG_VALUE_IOTA : ARG_VALUE_LISTED;
    if (!size_buffer(v, count ? count : count_commas(text), why))
        return false;
    if (random) {
        v->seed = strtoull(text + 7, &end, 0);
        return (end != text + 7 && !strcmp(end, ")")) || wrong(why, "'%s': expected random(SEED)", text);
    }
    if (iota)
        return true;
    v->text = mem_string(text);
    return check_list(v, why);
}

/* in:FILE */
static bool parse_in(struct arg_value *v, const char *path, char **why)
{
    v->type = T_U8;
    return size_file(v, path, 0, why);
}

/* out:FILE,BYTES */
static bool parse_out(struct arg_value *v, const char *text, char **why)
{
    const char *comma = strrchr(text, ',');
    char *end = NULL;
    size_t n = comma ? strtoull(comma + 1, &end, 0) : 0;
    if (!comma || comma == text || !n || *end)
        return wrong(why, "expected out:FILE,BYTES");
    v->type = T_U8;
    v->save = mem_string_n(text, (size_t)(comma - text));
    return size_buffer(v, n, why);
}

static bool unknown_type(const char *spec, size_t n, char **why)
{
    return wrong(why, "'%.*s' is not an argument type (u8 s8 b8 ... u64 s64 b64, f32, f64, in, out)", (int)n,
                 spec);
}

bool arg_value_parse(const char *spec, struct arg_value *v, char **why)
{
    size_t n = strcspn(spec, ":[");
    char *end;
    memset(v, 0, sizeof *v);
    *why = NULL;
    if (!strncmp(spec, "in:", 3))
        return parse_in(v, spec + 3, why);
    if (!strncmp(spec, "out:", 4))
        return parse_out(v, spec + 4, why);
    v->type = ptx_type_find(spec, (int)n);
    if (!spec[n])
        return wrong(why, "expected TYPE:VALUE, TYPE[N]:VALUES, in:FILE or out:FILE,BYTES");
    if (v->type == T_NONE || !takes_values(v->type))
        return unknown_type(spec, n, why);
    if (spec[n] == '[') {
        size_t count = spec[n + 1] == ']' ? 0 : strtoull(spec + n + 1, &end, 0);
        if (spec[n + 1] == ']')
            end = (char *)spec + n + 1;
        if (spec[n + 1] == '-' || strncmp(end, "]:", 2))
            return wrong(why, "expected %s[N]:VALUES", ptx_type_name(v->type));
        return parse_array(v, count, end + 2, why);
    }
    v->count = 1;
    v->bytes = (size_t)ptx_type_size(v->type);
    return parse_element(spec + n + 1, v->type, v->data, why);
}

void arg_value_free(struct arg_value *v)
{
    free(v->text);
    free(v->save);
    v->text = v->save = NULL;
}
