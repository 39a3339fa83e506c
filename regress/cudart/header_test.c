/* The library against the headers that programs are compiled with: every declared function is exported (and
 * nothing but the API), every error code of the enumeration has its name. */
#include "regress/cudart/test.h"

#include <ctype.h>
#include <dlfcn.h>

#define INCLUDE "frontend/cuda/include/"

static char *read_header(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    assert_non_null(f);
    assert_true(fread(text, 1, (1 << 20) - 1, f) > 1000);
    fclose(f);
    return text;
}

/* The next identifier in *at that starts with `prefix`, copied to name; false at the end. */
static int next_name(const char **at, const char *prefix, char *name, size_t size)
{
    for (const char *p; (p = strstr(*at, prefix)); ) {
        size_t n = 0;
        int starts = !isalnum((unsigned char)p[-1]) && p[-1] != '_';
        while (isalnum((unsigned char)p[n]) || p[n] == '_')
            n++;
        *at = p + n;
        if (!starts || n >= size)
            continue;
        memcpy(name, p, n);
        name[n] = 0;
        return 1;
    }
    return 0;
}

/* The number of functions that a header declares with one of two prefixes; each must be exported. */
static int exported(const char *path, const char *first, const char *second)
{
    char *text = read_header(path), name[128];
    const char *const prefixes[] = {first, second};
    int functions = 0, missing = 0;
    for (int i = 0; i < 2 && prefixes[i]; i++) {
        const char *at = text + 1;
        while (next_name(&at, prefixes[i], name, sizeof name)) {
            if (*at != '(')
                continue;
            functions++;
            if (!dlsym(RTLD_DEFAULT, name)) {
                print_error("%s is declared and not exported\n", name);
                missing++;
            }
        }
    }
    assert_int_equal(missing, 0);
    free(text);
    return functions;
}

static void every_function_is_exported(void **state)
{
    assert_true(exported(INCLUDE "cuda_runtime_api.h", "cuda", "__cuda") > 150);
    assert_true(exported(INCLUDE "cuda.h", "cu", NULL) > 160);
}

static void nothing_else_is_exported(void **state)
{
    assert_non_null(dlsym(RTLD_DEFAULT, "__cudaPushCallConfiguration"));
    assert_null(dlsym(RTLD_DEFAULT, "simtx_gpu_new"));
    assert_null(dlsym(RTLD_DEFAULT, "rt_enter"));
    assert_null(dlsym(RTLD_DEFAULT, "fatbin_ptx"));
}

static void every_error_has_its_name(void **state)
{
    char *text = read_header(INCLUDE "driver_types.h"), name[128];
    const char *at = strstr(text, "enum cudaError {");
    int codes = 0;
    assert_non_null(at);
    *strchr(at, '}') = 0;
    while (next_name(&at, "cudaError", name, sizeof name)) {
        int code;
        if (sscanf(at, " = %d", &code) != 1)
            continue;
        codes++;
        assert_string_equal(cudaGetErrorName((cudaError_t)code), name);
        assert_string_not_equal(cudaGetErrorString((cudaError_t)code), "unrecognized error code");
    }
    assert_true(codes > 100);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_is_exported),
        cmocka_unit_test(nothing_else_is_exported),
        cmocka_unit_test(every_error_has_its_name),
    };
    return finish("headers", sizeof tests / sizeof *tests, cmocka_run_group_tests(tests, NULL, NULL));
}
