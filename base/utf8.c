/* The encoding UTF-8 (RFC 3629) and the characters of XML 1.0. */
#include "base/utf8.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"

/* By the first byte; 0: no character begins so. */
static size_t length_of(unsigned char first)
{
    return first < 0x80 ? 1 : first < 0xc0 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf8 ? 4 : 0;
}

static bool is_allowed(uint32_t c)
{
    if (c < 0x20)
        return c == '\t' || c == '\n' || c == '\r';
    return c <= 0x10ffff && (c < 0xd800 || c > 0xdfff) && c != 0xfffe && c != 0xffff;
}

/* Bytes of the character at text (1 to 4); 0: not well-formed, or a character that XML does not allow. */
static size_t character_bytes(const char *text)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };       /* by the length */
    const unsigned char *p = (const unsigned char *)text;
    size_t n = length_of(*p);
    uint32_t c = n > 1 ? *p & (0x7fu >> n) : *p;
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (p[i] & 0x3f);
    }
    return n && c >= least[n] && is_allowed(c) ? n : 0;
}

char *utf8_clean(const char *text)
{
    char *copy = mem_string(text);
    for (char *p = copy; *p;) {
        size_t n = character_bytes(p);
        if (!n)
            *p = '?';
        p += n ? n : 1;
    }
    return copy;
}

int utf8_prefix(const char *text, int most)
{
    int n = 0;
    while (text[n]) {
        size_t bytes = character_bytes(text + n);
        if (n + (int)(bytes ? bytes : 1) > most)
            break;
        n += (int)(bytes ? bytes : 1);
    }
    return n;
}
