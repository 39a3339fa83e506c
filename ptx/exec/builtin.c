/*
 * Functions that PTX declares without a body and the simulator provides (CUDA programming guide: formatted output,
 * assertion, dynamic global memory allocation, graphs): vprintf, malloc, free, __assertfail, cudaGraphSetConditional.
 * Each is a row of the table at the end. They execute for one lane after another, in ascending order.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ptx/exec/exec.h"

static struct half *half_at(struct warp *w, int lane)
{
    return &w->half[lane / LANES];
}

/* The n-th argument of a call for one lane: a .param variable of the caller or a register. */
static uint64_t argument(struct warp *w, const struct call_site *s, int n, int lane)
{
    struct half *h = half_at(w, lane);
    const struct call_value *v = &s->arg[n];
    int i = lane % LANES;
    if (n >= s->narg)
        return 0;
    if (v->reg_size == 8)
        return ((const uint64_t *)lanes_at(&h->l, v->value))[i];
    if (v->reg_size)
        return v->reg_size == 4 ? ((const uint32_t *)lanes_at(&h->l, v->value))[i]
                                : ((const uint16_t *)lanes_at(&h->l, v->value))[i];
    const uint32_t *word = local_word(h->frame_local, v->from, 0);
    return v->bytes > 4 ? word[i] | (uint64_t)word[LANES + i] << 32 : word[i];
}

static void result(struct warp *w, const struct call_site *s, int lane, uint64_t value)
{
    if (!s->nret)
        return;
    struct half *h = half_at(w, lane);
    const struct call_value *v = &s->ret[0];
    int i = lane % LANES;
    if (v->reg_size == 8)
        ((uint64_t *)lanes_at(&h->l, v->value))[i] = value;
    else if (v->reg_size)
        ((uint32_t *)lanes_at(&h->l, v->value))[i] = (uint32_t)value;
    else {
        uint32_t *word = local_word(h->frame_local, v->to, 0);
        word[i] = (uint32_t)value;
        if (v->bytes > 4)
            word[LANES + i] = (uint32_t)(value >> 32);
    }
}

/* Bytes at a generic address; private memory is read word by word. False when the address is not legal. */
static bool read_bytes(struct warp *w, int lane, uint64_t address, void *out, unsigned bytes)
{
    char *to = out;
    while (bytes) {
        unsigned part = 4 - (unsigned)(address & 3);
        part = part < bytes ? part : bytes;
        const char *p = mem_resolve(half_at(w, lane), SP_GENERIC, address, lane % LANES, part, false);
        if (!p)
            return false;
        memcpy(to, p, part);
        to += part;
        address += part;
        bytes -= part;
    }
    return true;
}

enum { STRING_MAX = 1 << 16 };

/* A NUL-terminated string (malloc'ed), or NULL when part of it is not at a legal address. */
static char *read_string(struct warp *w, int lane, uint64_t address)
{
    size_t n = 0, cap = 64;
    char *s = malloc(cap);
    for (; s && n < STRING_MAX; n++) {
        if (n + 1 >= cap) {
            char *p = realloc(s, cap *= 2);
            if (!p)
                break;
            s = p;
        }
        if (!read_bytes(w, lane, address + n, s + n, 1)) {
            free(s);
            return NULL;
        }
        if (!s[n])
            return s;
    }
    if (s)
        s[n] = 0;
    return s;
}

/* ---- vprintf: returns the number of arguments printed, as in CUDA ---- */

struct format {
    struct warp *w;
    int lane;
    uint64_t args, offset;
    char *text;
    size_t len, cap;
    int taken;                       /* arguments used */
    bool bad;
};

static void put(struct format *f, const char *s, size_t n)
{
    if (f->len + n + 1 > f->cap) {
        f->cap = (f->len + n + 1) * 2;
        f->text = mem_resize(f->text, f->cap, 1, "the text of a printf");
    }
    memcpy(f->text + f->len, s, n);
    f->len += n;
}

static uint64_t next_arg(struct format *f, unsigned bytes)
{
    uint64_t v = 0;
    f->offset = (f->offset + bytes - 1) / bytes * bytes;
    if (!read_bytes(f->w, f->lane, f->args + f->offset, &v, bytes))
        f->bad = true;
    f->offset += bytes;
    f->taken++;
    return v;
}

static void put_string(struct format *f, const char *spec)
{
    char *s = read_string(f->w, f->lane, next_arg(f, 8));
    char buf[1024];
    if (!s) {
        f->bad = true;
        return;
    }
    int n = snprintf(buf, sizeof buf, spec, s);
    if (n >= (int)sizeof buf)
        put(f, s, strlen(s));
    else if (n > 0)
        put(f, buf, (size_t)n);
    free(s);
}

/* length: h, hh, ll or nothing; spec ends before it. */
static void put_number(struct format *f, char *spec, size_t n, const char *length, char conv)
{
    char buf[512];
    int len;
    if (strchr("fFeEgGaA", conv)) {
        uint64_t bits = next_arg(f, 8);
        double v;
        memcpy(&v, &bits, sizeof v);
        spec[n++] = conv;
        spec[n] = 0;
        len = snprintf(buf, sizeof buf, spec, v);
    } else if (conv == 'p') {
        memcpy(spec + n, "p", 2);
        len = snprintf(buf, sizeof buf, spec, (void *)(uintptr_t)next_arg(f, 8));
    } else if (conv == 'c') {
        spec[n++] = 'c';
        spec[n] = 0;
        len = snprintf(buf, sizeof buf, spec, (int)next_arg(f, 4));
    } else {
        bool wide = *length == 'l';
        uint64_t v = next_arg(f, wide ? 8 : 4);
        const char word[] = { conv, 0 };
        stpcpy(stpcpy(spec + n, length), word);
        len = wide ? snprintf(buf, sizeof buf, spec, (long long)v) : snprintf(buf, sizeof buf, spec, (int)v);
    }
    if (len > 0)
        put(f, buf, (size_t)len < sizeof buf ? (size_t)len : sizeof buf - 1);
}

/* One conversion from p, after the '%'; returns its end. */
static const char *put_conversion(struct format *f, const char *p)
{
    char spec[64] = "%";
    size_t n = 1;
    const char *length = "";
    for (; *p && strchr("-+ #0123456789.*", *p); p++) {
        if (n > 40)
            continue;
        if (*p == '*')
            n += (size_t)snprintf(spec + n, sizeof spec - n, "%d", (int)next_arg(f, 4) % 400);
        else
            spec[n++] = *p;
    }
    for (; *p && strchr("hlLqjzt", *p); p++)
        length = *p != 'h' ? "ll" : *length == 'h' ? "hh" : "h";
    if (*p == 's') {
        spec[n++] = 's';
        spec[n] = 0;
        put_string(f, spec);
    } else if (*p && strchr("diuxXocpfFeEgGaA", *p))
        put_number(f, spec, n, length, *p);
    else if (*p)
        put(f, p, 1);
    return *p ? p + 1 : p;
}

static void run_vprintf(struct warp *w, const struct dinst *d, uint64_t lanes)
{
    const struct call_site *s = d->extra;
    struct launch *la = w->block->launch;
    for (uint64_t m = lanes; m; m &= m - 1) {
        int lane = __builtin_ctzll(m);
        struct format f = { .w = w, .lane = lane, .args = argument(w, s, 1, lane) };
        char *text = read_string(w, lane, argument(w, s, 0, lane));
        for (const char *p = text; p && *p;) {
            const char *q = strchrnul(p, '%');
            put(&f, p, (size_t)(q - p));
            p = *q && q[1] != '%' ? put_conversion(&f, q + 1) : *q ? q + 2 : q;
            if (*q && q[1] == '%')
                put(&f, "%", 1);
        }
        if (text && f.len)
            la->print(la->owner, f.text, f.len);
        free(text);
        free(f.text);
        if (!text || f.bad) {
            fault_raise(w, d, FAULT_BOUNDS, lane, argument(w, s, 0, lane), "printf reads its format or an argument "
                        "outside every allocation");
            return;
        }
        result(w, s, lane, (uint64_t)f.taken);
    }
}

/* ---- assert ---- */

static void run_assertfail(struct warp *w, const struct dinst *d, uint64_t lanes)
{
    const struct call_site *s = d->extra;
    int lane = __builtin_ctzll(lanes);
    char *what = read_string(w, lane, argument(w, s, 0, lane)), *file = read_string(w, lane, argument(w, s, 1, lane));
    char *func = read_string(w, lane, argument(w, s, 3, lane));
    uint32_t thread[3];
    const uint32_t *block = w->block->id;
    warp_thread(w, lane, thread);
    fault_raise(w, d, FAULT_ASSERT, lane, 0, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.",
                file ? file : "?", (unsigned)argument(w, s, 2, lane), func ? func : "?", block[0], block[1], block[2],
                thread[0], thread[1], thread[2], what ? what : "?");
    free(what);
    free(file);
    free(func);
}

/* ---- malloc and free: the bounds caches may have ranges that are freed, so they are emptied ---- */

static void run_malloc(struct warp *w, const struct dinst *d, uint64_t lanes)
{
    struct launch *la = w->block->launch;
    const struct call_site *s = d->extra;
    for (uint64_t m = lanes; m; m &= m - 1) {
        int lane = __builtin_ctzll(m);
        result(w, s, lane, (uint64_t)(uintptr_t)la->heap_alloc(la->owner, argument(w, s, 0, lane)));
    }
    w->half[0].worker->changes++;
    memset(w->half[0].worker->bounds, 0, sizeof w->half[0].worker->bounds);
}

static void run_free(struct warp *w, const struct dinst *d, uint64_t lanes)
{
    struct launch *la = w->block->launch;
    const struct call_site *s = d->extra;
    memset(w->half[0].worker->bounds, 0, sizeof w->half[0].worker->bounds);
    w->half[0].worker->changes++;
    for (uint64_t m = lanes; m; m &= m - 1) {
        int lane = __builtin_ctzll(m);
        uint64_t p = argument(w, s, 0, lane);
        if (p && !la->heap_free(la->owner, (void *)(uintptr_t)p)) {
            fault_raise(w, d, FAULT_HEAP, lane, p, "free of 0x%llx, which device malloc did not return or which was "
                        "freed before", (unsigned long long)p);
            return;
        }
    }
}

/* ---- the condition of a graph: its handle is the address of a word ---- */

static void run_set_conditional(struct warp *w, const struct dinst *d, uint64_t lanes)
{
    const struct call_site *s = d->extra;
    for (uint64_t m = lanes; m; m &= m - 1) {
        int lane = __builtin_ctzll(m);
        uint64_t handle = argument(w, s, 0, lane);
        uint32_t value = (uint32_t)argument(w, s, 1, lane);
        char *p = handle & 3 ? NULL : mem_resolve(half_at(w, lane), SP_GENERIC, handle, lane % LANES, 4, true);
        if (!p) {
            fault_raise(w, d, FAULT_BOUNDS, lane, handle, "cudaGraphSetConditional of 0x%llx, which is no handle",
                        (unsigned long long)handle);
            return;
        }
        memcpy(p, &value, sizeof value);
    }
}

static const struct builtin builtins[] = {
    { "vprintf", run_vprintf },
    { "__assertfail", run_assertfail },
    { "malloc", run_malloc },
    { "free", run_free },
    { "cudaGraphSetConditional", run_set_conditional },
};

const struct builtin *builtin_find(const char *name)
{
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (!strcmp(builtins[i].name, name))
            return &builtins[i];
    return NULL;
}
