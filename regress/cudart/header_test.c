/* The library against the headers that programs are compiled with: every declared function is exported (and
 * nothing but the API), every error code of the enumeration has its name. Then against the published functions. */
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

#define UNSUPPORTED(name) #name,
static const char *const unsupported[] = {
#include "frontend/cudart/unsupported.def"
#include "frontend/libcuda/unsupported.def"
};
#undef UNSUPPORTED

static const char *status_of(const char *name)
{
    for (size_t i = 0; i < sizeof unsupported / sizeof *unsupported; i++)
        if (!strcmp(unsupported[i], name))
            return dlsym(RTLD_DEFAULT, name) ? "unsupported" : "unsupported, not exported";
    return dlsym(RTLD_DEFAULT, name) ? "works" : "absent";
}

/* The lists tell of each function of an API whether simtx has it. */
static int check_list(const char *path)
{
    FILE *f = fopen(path, "r");
    char line[256], name[128], listed[32];
    int functions = 0, wrong = 0;
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        if (*line == '#')
            continue;
        assert_int_equal(sscanf(line, "%127s %31s", name, listed), 2);
        functions++;
        if (strcmp(listed, status_of(name))) {
            print_error("%s: %s: %s, but: %s\n", path, name, listed, status_of(name));
            wrong++;
        }
    }
    fclose(f);
    assert_int_equal(wrong, 0);
    return functions;
}

static void published_functions(void **state)
{
    assert_true(check_list("regress/cudart/published.txt") > 350);
    assert_true(check_list("regress/cudart/published_driver.txt") > 430);
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
        cmocka_unit_test(published_functions),
        cmocka_unit_test(every_error_has_its_name),
    };
    return finish("headers", sizeof tests / sizeof *tests, cmocka_run_group_tests(tests, NULL, NULL));
}
