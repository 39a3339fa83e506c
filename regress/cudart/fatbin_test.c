/* The fat binary reader: containers as compilers write them (plain, LZ4, zstd, several entries), then damaged
 * ones: a message, never a read beyond the end.  Every image lies right before an unmapped page. */
#include "frontend/fatbin/fatbin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <lz4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#define AREA ((size_t)1 << 16)

static const char ptx_text[] =
    ".version 7.5\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n    ret;\n}\n";

/* ---- making containers, from the layout's description and independent of the reader's structs ---- */

struct maker {
    unsigned char bytes[AREA];
    size_t size;
};

static void put(struct maker *m, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        m->bytes[m->size++] = (unsigned char)(value >> (8 * i));
}

static void set(struct maker *m, size_t at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        m->bytes[at + (size_t)i] = (unsigned char)(value >> (8 * i));
}

static void begin(struct maker *m)
{
    m->size = 0;
    put(m, 0xba55ed50u, 4);
    put(m, 1, 2);
    put(m, 16, 2);
    put(m, 0, 8);
}

static void add_entry(struct maker *m, int kind, unsigned arch, unsigned header, uint64_t flags,
                      const void *payload, size_t size, size_t compressed, size_t full)
{
    size_t padded = (size + 7) / 8 * 8, start = m->size;
    put(m, (uint64_t)kind, 2);
    put(m, 0x0101, 2);
    put(m, header, 4);
    put(m, padded, 8);
    put(m, compressed, 4);
    put(m, 0, 4);
    put(m, 5, 2);
    put(m, 7, 2);
    put(m, arch, 4);
    put(m, 0, 4);
    put(m, 0, 4);
    put(m, flags, 8);
    put(m, 0, 8);
    put(m, full, 8);
    while (m->size < start + header)
        put(m, 0, 1);
    memcpy(m->bytes + m->size, payload, size);
    memset(m->bytes + m->size + size, 0, padded - size);
    m->size += padded;
    set(m, 8, m->size - 16, 8);
}

static void add_plain(struct maker *m, unsigned arch, const char *text)
{
    add_entry(m, 1, arch, 64, 0x11, text, strlen(text) + 1, 0, 0);
}

static void add_lz4(struct maker *m, unsigned arch, const char *text)
{
    char packed[4096];
    int n = LZ4_compress_default(text, packed, (int)strlen(text) + 1, sizeof packed);
    assert_true(n > 0);
    add_entry(m, 1, arch, 72, 0x2011, packed, (size_t)n, (size_t)n, strlen(text) + 1);
}

static void add_zstd(struct maker *m, unsigned arch, const char *text)
{
    char packed[4096];
    size_t n = ZSTD_compress(packed, sizeof packed, text, strlen(text) + 1, 3);
    assert_false(ZSTD_isError(n));
    add_entry(m, 1, arch, 112, 0x8011, packed, n, n, strlen(text) + 1);
}

/* ---- reading, with the image against the end of readable memory ---- */

static unsigned char *area;

static int map_area(void **state)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    area = mmap(NULL, AREA + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return area == MAP_FAILED || mprotect(area + AREA, page, PROT_NONE);
}

static char *read_bytes(const void *bytes, size_t size, size_t *length, char *why)
{
    unsigned char *at = area + AREA - size;
    memmove(at, bytes, size);
    struct fatbin f = {at, size};
    why[0] = 0;
    return fatbin_ptx(&f, length, why, 256);
}

static void expect_text(const struct maker *m, const char *text)
{
    char why[256];
    size_t n = 0;
    char *got = read_bytes(m->bytes, m->size, &n, why);
    assert_string_equal(why, "");
    assert_non_null(got);
    assert_string_equal(got, text);
    assert_int_equal(n, strlen(text));
    free(got);
}

static void expect_refusal(const struct maker *m, const char *part)
{
    char why[256];
    size_t n = 0;
    char *got = read_bytes(m->bytes, m->size, &n, why);
    assert_null(got);
    if (!strstr(why, part))
        fail_msg("message is \"%s\", expected \"%s\" in it", why, part);
}

/* ---- good images ---- */

static void plain_container(void **state)
{
    struct maker m;
    begin(&m);
    add_plain(&m, 70, ptx_text);
    expect_text(&m, ptx_text);
}

static void lz4_container(void **state)
{
    struct maker m;
    begin(&m);
    add_lz4(&m, 70, ptx_text);
    expect_text(&m, ptx_text);
}

static void zstd_container(void **state)
{
    struct maker m;
    begin(&m);
    add_zstd(&m, 70, ptx_text);
    expect_text(&m, ptx_text);
}

static void highest_arch_wins(void **state)
{
    struct maker m;
    begin(&m);
    add_plain(&m, 50, "// fifty\n");
    add_entry(&m, 2, 90, 64, 0x11, "\177ELF", 4, 0, 0);
    add_zstd(&m, 80, "// eighty\n");
    add_lz4(&m, 70, "// seventy\n");
    expect_text(&m, "// eighty\n");
}

static void leading_newlines_stay(void **state)
{
    struct maker m;
    begin(&m);
    add_plain(&m, 75, "\n\n\n// text\n");
    expect_text(&m, "\n\n\n// text\n");
}

static void bare_text(void **state)
{
    struct maker m = {.size = 0};
    size_t n;
    char why[256], *got;
    memcpy(m.bytes, ptx_text, sizeof ptx_text);
    m.size = strlen(ptx_text);                          /* no NUL, and the page ends here */
    got = read_bytes(m.bytes, m.size, &n, why);
    assert_non_null(got);
    assert_int_equal(n, strlen(ptx_text) - 1);          /* up to the last brace */
    assert_memory_equal(got, ptx_text, n);
    free(got);
    memcpy(m.bytes + m.size, "junk\x01}", 6);           /* what the linker put next to it */
    got = read_bytes(m.bytes, m.size + 6, &n, why);
    assert_non_null(got);
    assert_int_equal(n, strlen(ptx_text) - 1);
    free(got);
}

static void loaded_extent(void **state)
{
    int on_stack = 0;
    assert_true(fatbin_loaded_extent(ptx_text) >= sizeof ptx_text);
    assert_int_equal(fatbin_loaded_extent(&on_stack), 0);
}

/* ---- bad images ---- */

static void wrong_magic(void **state)
{
    struct maker m;
    begin(&m);
    add_plain(&m, 70, ptx_text);
    m.bytes[0] ^= 1;
    expect_refusal(&m, "wrong magic number");
}

static void wrong_version(void **state)
{
    struct maker m;
    begin(&m);
    add_plain(&m, 70, ptx_text);
    m.bytes[4] = 9;
    expect_refusal(&m, "unknown version");
}

static void machine_code_only(void **state)
{
    struct maker m;
    begin(&m);
    add_entry(&m, 2, 86, 64, 0x11, "\177ELF", 4, 0, 0);
    expect_refusal(&m, "machine code for sm_86 only");
}

static void empty_container(void **state)
{
    struct maker m;
    begin(&m);
    expect_refusal(&m, "holds no PTX");
}

static void cut_at_every_length(void **state)
{
    struct maker m;
    char why[256];
    size_t n;
    begin(&m);
    add_zstd(&m, 70, ptx_text);
    for (size_t size = 0; size < m.size; size++) {
        assert_null(read_bytes(m.bytes, size, &n, why));
        assert_true(why[0] != 0);
    }
}

static void bad_lengths(void **state)
{
    static const struct { size_t at; int bytes; uint64_t value; const char *message; } cases[] = {
        {6, 2, 8, "impossible header size"},
        {8, 8, UINT64_MAX, "truncated"},
        {8, 8, 20, "entry is truncated"},
        {16 + 4, 4, 10, "entry has an impossible header size"},
        {16 + 4, 4, 0xffffffff, "entry has an impossible header size"},
        {16 + 8, 8, UINT64_MAX, "longer than its container"},
        {16 + 16, 4, 0x7fffffff, "compressed data in the fat binary is truncated; "
                                 "the device code is damaged: build it again"},
        {16 + 56, 8, 0, "impossible uncompressed size"},
        {16 + 56, 8, UINT64_MAX, "impossible uncompressed size"},
        {16 + 56, 8, (uint64_t)1 << 29, "impossible uncompressed size"},
        {16 + 56, 8, 7, "does not decompress"},
        {16 + 40, 8, 0x1011, "old compression"},
        {16 + 40, 8, 0x11, "unknown compression"},
        {16 + 40, 8, 0x8011, "zstd data in the fat binary does not decompress"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct maker m;
        begin(&m);
        add_lz4(&m, 70, ptx_text);
        set(&m, cases[i].at, cases[i].value, cases[i].bytes);
        expect_refusal(&m, cases[i].message);
    }
}

/* ---- random damage: no crash, and what comes out is what the lengths promise ---- */

static uint64_t random_state = 88172645463325252u;

static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static void damage(struct maker *m)
{
    for (unsigned n = 1 + next_random() % 4; n; n--) {
        size_t at = next_random() % (next_random() % 2 ? 96 : m->size);
        switch (next_random() % 3) {
        case 0: m->bytes[at] ^= (unsigned char)(1u << next_random() % 8); break;
        case 1: m->bytes[at] = (unsigned char)next_random(); break;
        case 2: m->size -= next_random() % 8; break;
        }
    }
}

static void random_damage(void **state)
{
    struct maker whole, m;
    char why[256];
    unsigned refused = 0;
    begin(&whole);
    add_plain(&whole, 60, ptx_text);
    add_lz4(&whole, 70, ptx_text);
    add_zstd(&whole, 80, ptx_text);
    for (int i = 0; i < 20000; i++) {
        size_t n = 0;
        memcpy(&m, &whole, sizeof m);
        damage(&m);
        char *got = read_bytes(m.bytes, m.size, &n, why);
        refused += !got;
        if (got)
            assert_int_equal(strlen(got), n);
        else
            assert_true(why[0] != 0);
        free(got);
    }
    assert_true(refused > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_container),   cmocka_unit_test(lz4_container),
        cmocka_unit_test(zstd_container),    cmocka_unit_test(highest_arch_wins),
        cmocka_unit_test(leading_newlines_stay), cmocka_unit_test(bare_text),
        cmocka_unit_test(loaded_extent),     cmocka_unit_test(wrong_magic),
        cmocka_unit_test(wrong_version),     cmocka_unit_test(machine_code_only),
        cmocka_unit_test(empty_container),   cmocka_unit_test(cut_at_every_length),
        cmocka_unit_test(bad_lengths),       cmocka_unit_test(random_damage),
    };
    int n = sizeof tests / sizeof *tests, failed = cmocka_run_group_tests(tests, map_area, NULL);
    printf("cudart fatbin: %d passed, %d failed\n", n - failed, failed);
    return failed != 0;
}
