/* Device images found in a program built by clang: one container for each translation unit, each with its
 * PTX.  Run as `elf_test PROGRAM`; by default the two-unit program next to it. */
#include "regress/cudart/test.h"

#include "frontend/fatbin/fatbin_elf.h"

static char program[4096];

struct found {
    int images, entries, limit;
};

static bool look(void *ctx, const struct fatbin *image)
{
    struct found *f = ctx;
    char why[256] = "";
    size_t n;
    char *text = fatbin_ptx(image, &n, why, sizeof why);
    if (!text)
        fail_msg("%s", why);
    f->images++;
    for (const char *p = text; (p = strstr(p, ".entry")); p++)
        f->entries++;
    free(text);
    return f->images < f->limit;
}

static void program_with_device_code(void **state)
{
    struct found f = {0, 0, 100};
    char why[256] = "";
    assert_int_equal(fatbin_elf_visit(program, look, &f, why, sizeof why), 2);
    assert_string_equal(why, "");
    assert_int_equal(f.images, 2);
    assert_int_equal(f.entries, 3);
}

static void visitor_stops(void **state)
{
    struct found f = {0, 0, 1};
    char why[256];
    assert_int_equal(fatbin_elf_visit(program, look, &f, why, sizeof why), 1);
    assert_int_equal(f.images, 1);
}

static void other_files(void **state)
{
    struct found f = {0, 0, 1};
    char why[256] = "";
    assert_int_equal(fatbin_elf_visit("/proc/self/exe", look, &f, why, sizeof why), 0);
    assert_int_equal(fatbin_elf_visit("Makefile", look, &f, why, sizeof why), -1);
    assert_non_null(strstr(why, "Makefile is not an ELF file"));
    assert_int_equal(fatbin_elf_visit("no/such/file", look, &f, why, sizeof why), -1);
    assert_non_null(strstr(why, "cannot open no/such/file"));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(program_with_device_code),
        cmocka_unit_test(visitor_stops),
        cmocka_unit_test(other_files),
    };
    const char *slash = strrchr(argv[0], '/');
    if (argc > 1)
        snprintf(program, sizeof program, "%s", argv[1]);
    else
        snprintf(program, sizeof program, "%.*sunits", slash ? (int)(slash + 1 - argv[0]) : 0, argv[0]);
    return finish("elf", sizeof tests / sizeof *tests, cmocka_run_group_tests(tests, NULL, NULL));
}
