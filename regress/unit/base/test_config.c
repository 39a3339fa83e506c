/* Configuration: values, ranges, types, files with parents and sources, rules between keys, kernels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "frontend/lib/config_load.h"

/* A file of this test's own; the caller frees the name after unlink. */
static char *write_file(const char *text)
{
    char *path = strdup("/tmp/simtx-config-XXXXXX.cfg");
    int fd = mkstemps(path, 4);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (long)strlen(text));
    close(fd);
    return path;
}

/* Loads text; returns the message (NULL when it loaded). */
static char *load_text(simtx_config *c, const char *text)
{
    char *path = write_file(text), *message = NULL;
    simtx_status s = simtx_config_load(c, path, &message);
    assert_int_equal(s == SIMTX_OK, message == NULL);
    unlink(path);
    free(path);
    return message;
}

static void expect_message(const char *text, const char *part)
{
    simtx_config *c = simtx_config_new();
    char *message = load_text(c, text);
    assert_non_null(message);
    if (!strstr(message, part))
        fail_msg("'%s' is not in: %s", part, message);
    free(message);
    simtx_config_free(c);
}

static void defaults_obey_the_rules(void **state)
{
    simtx_config *c = simtx_config_new();
    assert_int_equal(simtx_config_check(c, NULL), SIMTX_OK);
    assert_int_equal(config_int(c, KEY_GPU_WARP_SIZE), 32);
    assert_string_equal(simtx_config_get(c, "gpu.simt"), "stack");
    assert_string_equal(simtx_config_get(c, "gpu.compute_capability"), "7.0");
    assert_null(simtx_config_get(c, "gpu.nothing"));
    simtx_config_free(c);
}

/* The table itself: names differ, every row has a meaning, defaults are legal (config_new checks). */
static void table_is_sound(void **state)
{
    for (int i = 0; i < KEY_COUNT; i++) {
        assert_true(strchr(config_keys[i].name, '.') != NULL);
        assert_true(strlen(config_keys[i].help) > 5);
        assert_true(strlen(config_keys[i].source) > 0);
        assert_int_equal(config_find(config_keys[i].name), i);
    }
    simtx_config *c = simtx_config_new();
    assert_int_equal(simtx_config_set(c, "gpu.simt=stack", NULL), SIMTX_OK);
    assert_int_equal(config_choice(c, KEY_GPU_SIMT), SIMT_STACK);
    assert_int_equal(simtx_config_set(c, "gpu.simt = independent", NULL), SIMTX_OK);
    assert_int_equal(config_choice(c, KEY_GPU_SIMT), SIMT_INDEPENDENT);
    simtx_config_free(c);
}

static void text_becomes_values(void **state)
{
    simtx_config *c = simtx_config_new();
    assert_int_equal(simtx_config_set(c, "gpu.sms=0x10", NULL), SIMTX_OK);
    assert_int_equal(config_int(c, KEY_GPU_SMS), 16);
    assert_string_equal(simtx_config_get(c, "gpu.sms"), "16");
    assert_int_equal(simtx_config_set(c, "functional.threads_relaxed=on", NULL), SIMTX_OK);
    assert_true(config_bool(c, KEY_FUNCTIONAL_THREADS_RELAXED));
    assert_string_equal(simtx_config_get(c, "functional.threads_relaxed"), "true");
    assert_int_equal(simtx_config_set(c, "gpu.compute_capability=8.6", NULL), SIMTX_OK);
    assert_true(config_real(c, KEY_GPU_COMPUTE_CAPABILITY) == 8.6);
    assert_int_equal(simtx_config_set(c, "gpu.name=A = B", NULL), SIMTX_OK);
    assert_string_equal(config_text(c, KEY_GPU_NAME), "A = B");
    simtx_config_free(c);
}

static void wrong_assignments_change_nothing(void **state)
{
    static const char *const wrong[] = { "gpu.sms=", "gpu.sms=x", "gpu.sms=1.5", "gpu.sms=0",
                                        "gpu.sms=99999999999999999999",
                                         "gpu.sms=5 5", "gpu.sms", "=5", "gpu.simt=both", "gpu.compute_capability=nan",
                                         "functional.threads_relaxed=maybe", "gpu=3", "kernel.x=3",
                                         "kernel..registers=3",
                                         "kernel.x.registers=0" };
    simtx_config *c = simtx_config_new();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char *message = NULL;
        assert_int_equal(simtx_config_set(c, wrong[i], &message), SIMTX_INVALID_CONFIG);
        assert_non_null(message);
        free(message);
    }
    assert_int_equal(config_int(c, KEY_GPU_SMS), 80);
    assert_null(simtx_config_get(c, "kernel.x.registers"));
    simtx_config_free(c);
}

static void unknown_keys_name_the_nearest(void **state)
{
    simtx_config *c = simtx_config_new();
    char *message = NULL;
    assert_int_equal(simtx_config_set(c, "gpu.warpsize=32", &message), SIMTX_INVALID_CONFIG);
    assert_non_null(strstr(message, "did you mean gpu.warp_size?"));
    free(message);
    assert_int_equal(simtx_config_set(c, "kernel.f.registrs=32", &message), SIMTX_INVALID_CONFIG);
    assert_non_null(strstr(message, "did you mean registers?"));
    free(message);
    simtx_config_free(c);
}

static void files_set_values_with_their_place(void **state)
{
    simtx_config *c = simtx_config_new();
    assert_null(load_text(c,
                          "# a comment\ngpu: {\n  sms = 7;\n  memory_mb = (512, \"a data sheet\");\n};\n"));
    assert_int_equal(config_int(c, KEY_GPU_SMS), 7);
    assert_int_equal(config_int(c, KEY_GPU_MEMORY_MB), 512);
    assert_string_equal(config_source(c, KEY_GPU_MEMORY_MB), "a data sheet");
    assert_non_null(strstr(config_origin(c, KEY_GPU_SMS), ".cfg:3"));
    assert_null(config_origin(c, KEY_GPU_L2_KB));
    simtx_config_free(c);
}

static void file_errors_have_file_and_line(void **state)
{
    expect_message("gpu: {\n  sms = 7;\n  smms = 8;\n};\n",
                   ".cfg:3:1: error: unknown key gpu.smms, did you mean gpu.sms?");
    expect_message("gpu: {\n  sms = \"7\";\n};\n", ".cfg:2:1: error: gpu.sms: expected an integer");
    expect_message("gpu: {\n  sms = 7.5;\n};\n", "expected an integer");
    expect_message("gpu: { name = 5; };\n", "expected a string in quotes");
    expect_message("functional: { threads_relaxed = 1; };\n", "expected true or false");
    expect_message("gpu: { sms = 2000; };\n", "out of range, 1 to 1024");
    expect_message("gpu: {\n sms = (7, 8);\n};\n", "expected a value or (value, \"source\")");
    expect_message("gpu: { sms = 7\n", ".cfg:");
    expect_message("gpu = 3;\n", "unknown key gpu");
    expect_message("gpu: { sms = [1, 2]; };\n", "gpu.sms: expected an integer");
    expect_message("parent = 3;\n", "parent: expected the name of a preset");
    expect_message("parent = \"no-such-preset\";\n", "no preset is called no-such-preset");
    expect_message("kernel = (3);\n", "kernel: expected");
    expect_message("gpu: { a = 1; };\ngpu: { b = 1; };\n", "duplicate");
}

/* All of a file's mistakes are shown at once. */
static void file_errors_come_together(void **state)
{
    simtx_config *c = simtx_config_new();
    char *message = load_text(c, "gpu: {\n  smms = 7;\n  l2kb = 8;\n};\n");
    assert_non_null(strstr(message, "gpu.smms"));
    assert_non_null(strstr(message, "gpu.l2kb"));
    free(message);
    simtx_config_free(c);
}

static void children_override_parents(void **state)
{
    simtx_config *c = simtx_config_new();
    assert_null(load_text(c, "parent = \"gtx480\";\ngpu: { sms = 3; };\n"));
    assert_int_equal(config_int(c, KEY_GPU_SMS), 3);
    assert_int_equal(config_int(c, KEY_GPU_MAX_THREADS_PER_SM), 1536);
    simtx_config_free(c);
}

static void a_file_that_is_its_own_parent_ends(void **state)
{
    char *path = write_file(""), *message = NULL;
    FILE *f = fopen(path, "w");
    fprintf(f, "parent = \"%s\";\n", path);
    fclose(f);
    simtx_config *c = simtx_config_new();
    assert_int_equal(simtx_config_load(c, path, &message), SIMTX_INVALID_CONFIG);
    assert_non_null(strstr(message, "does a preset name itself?"));
    free(message);
    unlink(path);
    free(path);
    simtx_config_free(c);
}

static void presets_load_and_obey_the_rules(void **state)
{
    char **names = simtx_config_presets();
    int n = 0;
    for (; names[n]; n++) {
        simtx_config *c = simtx_config_new();
        char *message = NULL;
        if (simtx_config_load(c, names[n], &message) || simtx_config_check(c, &message))
            fail_msg("%s: %s", names[n], message);
        simtx_config_free(c);
        free(names[n]);
    }
    free(names);
    assert_true(n >= 3);
}

static void names_are_laid_over_each_other(void **state)
{
    simtx_config *c = simtx_config_new();
    char *path = write_file("gpu: { sms = 9; };\n"), *names = NULL;
    assert_true(asprintf(&names, "gtx480+30sm\n%s", path) > 0);
    assert_int_equal(simtx_config_build(c, names, NULL, "", NULL), SIMTX_OK);
    assert_int_equal(config_int(c, KEY_GPU_SMS), 9);
    assert_int_equal(config_int(c, KEY_GPU_MEMORY_MB), 1536);
    assert_int_equal(simtx_config_build(c, "quadro-fx5800+gtx480", NULL, "", NULL), SIMTX_INVALID_CONFIG);
    assert_int_equal(simtx_config_build(c, "gtx480+gtx48", NULL, "", NULL), SIMTX_INVALID_CONFIG);
    unlink(path);
    free(path);
    free(names);
    simtx_config_free(c);
}

static void rules_between_keys_are_checked(void **state)
{
    static const struct { const char *set, *part; } broken[] = {
        { "gpu.warp_size=48", "must be 32 or 64" },
        { "gpu.max_threads_per_sm=1000", "no multiple of gpu.warp_size" },
        { "gpu.max_threads_per_sm=512", "is more than gpu.max_threads_per_sm" },
        { "gpu.shared_per_block=98305", "is more than gpu.shared_per_block_optin" },
        { "gpu.shared_per_sm=50000", "is more than gpu.shared_per_sm" },
        { "gpu.heap_mb=16384", "is not less than gpu.memory_mb" },
    };
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        simtx_config *c = simtx_config_new();
        char *message = NULL;
        assert_int_equal(simtx_config_set(c, broken[i].set, NULL), SIMTX_OK);
        assert_int_equal(simtx_config_check(c, &message), SIMTX_INVALID_CONFIG);
        if (!strstr(message, broken[i].part))
            fail_msg("%s: %s", broken[i].set, message);
        free(message);
        simtx_config_free(c);
    }
}

static void kernels_are_found_by_plain_and_mangled_name(void **state)
{
    simtx_config *c = simtx_config_new();
    int64_t v = 0;
    assert_null(load_text(c, "kernel = ({ name = \"gemm\"; registers = 24; }, "
                             "{ name = \"_Z3fooPi\"; ctas_per_sm = 2; });\n"));
    assert_true(config_kernel_int(c, "gemm", KEY_KERNEL_REGISTERS, &v));
    assert_int_equal(v, 24);
    assert_true(config_kernel_int(c, "_Z4gemmPKfS0_Pf", KEY_KERNEL_REGISTERS, &v));
    assert_true(config_kernel_int(c, "_ZN3lib4gemmEi", KEY_KERNEL_REGISTERS, &v));
    assert_false(config_kernel_int(c, "_Z5gemm2PKf", KEY_KERNEL_REGISTERS, &v));
    assert_false(config_kernel_int(c, "_ZN4gemm3addEi", KEY_KERNEL_REGISTERS, &v));
    assert_false(config_kernel_int(c, "gemm", KEY_KERNEL_CTAS_PER_SM, &v));
    assert_true(config_kernel_int(c, "_Z3fooPi", KEY_KERNEL_CTAS_PER_SM, &v));
    assert_int_equal(simtx_config_set(c, "kernel.gemm.registers=32", NULL), SIMTX_OK);
    assert_string_equal(simtx_config_get(c, "kernel._Z4gemmPKfS0_Pf.registers"), "32");
    simtx_config_free(c);
}

static void a_copy_is_independent(void **state)
{
    simtx_config *a = simtx_config_new();
    simtx_config_set(a, "gpu.name=one", NULL);
    simtx_config_set(a, "kernel.k.registers=10", NULL);
    simtx_config *b = simtx_config_copy(a);
    simtx_config_set(a, "gpu.name=two", NULL);
    simtx_config_set(a, "kernel.k.registers=20", NULL);
    assert_string_equal(simtx_config_get(b, "gpu.name"), "one");
    assert_string_equal(simtx_config_get(b, "kernel.k.registers"), "10");
    simtx_config_free(a);
    assert_string_equal(config_text(b, KEY_GPU_NAME), "one");
    simtx_config_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_obey_the_rules),
        cmocka_unit_test(table_is_sound),
        cmocka_unit_test(text_becomes_values),
        cmocka_unit_test(wrong_assignments_change_nothing),
        cmocka_unit_test(unknown_keys_name_the_nearest),
        cmocka_unit_test(files_set_values_with_their_place),
        cmocka_unit_test(file_errors_have_file_and_line),
        cmocka_unit_test(file_errors_come_together),
        cmocka_unit_test(children_override_parents),
        cmocka_unit_test(a_file_that_is_its_own_parent_ends),
        cmocka_unit_test(presets_load_and_obey_the_rules),
        cmocka_unit_test(names_are_laid_over_each_other),
        cmocka_unit_test(rules_between_keys_are_checked),
        cmocka_unit_test(kernels_are_found_by_plain_and_mangled_name),
        cmocka_unit_test(a_copy_is_independent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
