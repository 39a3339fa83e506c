/*
 * Damaged PTX: texts with bytes changed, cut out, repeated or foreign words put in, in a fixed
 * pseudo-random order. Whatever comes in, the parser must give a module and no error, or errors and no
 * module; what it accepts can be printed, and linking it is safe. Meant to run with sanitizers:  mutate
 * SEED COUNT FILE...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ptx/program/program.h"

enum { MAX_TEXT = 1 << 16, GROWTH = 1024, MAX_CHANGES = 12 };

static const char *const words[] = {
    "(", ")", "{", "}", "[", "]", ";", ",", ":", "@", "!", "|", "=", "<", "-1", "0f", "0x7fffffffffffffff",
    "_", "%r1",
    "%p1", "%rd1", ".u32", ".b8", ".v4", ".global", ".shared", ".const", ".param", ".reg", ".func", ".entry",
    ".align",
    ".extern", ".weak", ".common", ".alias", ".section", ".loc 1 1 1", "<1000000>", "[100000][100000]", "L:",
    "bra L;",
    "call", "mov", "ret;", "generic(", "={", "/*", "\"", "{%r1,%r2}", ".callprototype", ".branchtargets",
    "1<<70", "%%",
};

static uint64_t next_random(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s >> 16;
}

static size_t change(char *t, size_t n, uint64_t *seed)
{
    size_t at = next_random(seed) % (n + 1), len = 1 + next_random(seed) % 40;
    const char *word = words[next_random(seed) % (sizeof words / sizeof *words)];
    switch (next_random(seed) % 5) {
    case 0:
        if (at < n)
            t[at] = (char)next_random(seed);
        return n;
    case 1:
        if (at + len > n)
            return at;
        memmove(t + at, t + at + len, n - at - len);
        return n - len;
    case 2:
        if (at + len <= n)
            memmove(t + at, t + next_random(seed) % (n - len + 1), len);
        return n;
    default:
        len = strlen(word);
        memmove(t + at + len, t + at, n - at);
        memcpy(t + at, word, len);
        return n + len;
    }
}

static bool accepted_is_sound(struct ptx_module *m)
{
    struct diag d = { 0 };
    char line[256];
    for (const struct ptx_func *f = m->funcs; f; f = f->next)
        for (uint32_t i = 0; i < f->ninsts; i++)
            if (ptx_print_inst(f, &f->insts[i], line, sizeof line) < 4)
                return false;
    m = ptx_link(&m, 1, &d);
    bool sound = !m == (d.errors > 0);
    ptx_module_free(m);
    diag_free(&d);
    return sound;
}

static bool try_text(const char *text, size_t n)
{
    struct diag d = { 0 };
    char *exact = mem_alloc(n + !n, 1, "a text");        /* so that a sanitizer sees a read past the end */
    memcpy(exact, text, n);
    struct ptx_module *m = ptx_parse(exact, n, "mutated", &d);
    bool good = m ? d.errors == 0 && accepted_is_sound(m) : d.errors > 0 && d.text;
    diag_free(&d);
    free(exact);
    return good;
}

int main(int argc, char **argv)
{
    static char text[MAX_TEXT + GROWTH], work[MAX_TEXT + GROWTH];
    uint64_t seed = 0x9E3779B97F4A7C15u ^ strtoull(argc > 1 ? argv[1] : "1", NULL, 10) * 0xD1B54A32D192ED03u;
    long count = argc > 2 ? strtol(argv[2], NULL, 10) : 0, passed = 0, failed = 0;
    for (int i = 3; i < argc; i++) {
        FILE *f = fopen(argv[i], "rb");
        size_t n = f ? fread(text, 1, MAX_TEXT, f) : 0;
        if (f)
            fclose(f);
        for (long k = 0; k < count; k++) {
            size_t len = n;
            memcpy(work, text, n);
            for (uint64_t c = 1 + next_random(&seed) % MAX_CHANGES; c; c--)
                len = change(work, len, &seed);
            if (try_text(work, len)) {
                passed++;
                continue;
            }
            failed++;
            fwrite(work, 1, len, stderr);
        }
    }
    printf("mutate: %ld passed, %ld failed\n", passed, failed);
    return failed || !passed;
}
