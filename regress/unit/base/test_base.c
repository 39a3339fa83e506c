/* The base: allocations, with memory and without, in huge pages; pools, queues, small numbers, texts, lists of
 * words, files. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/fifo.h"
#include "base/file.h"
#include "base/huge.h"
#include "base/num.h"
#include "base/pool.h"
#include "base/text.h"
#include "base/words.h"

static void empty_arrays_have_an_address(void **state)
{
    void *p[] = { mem_alloc(0, 8, "nothing"), mem_zero(8, 0, "nothing"), mem_resize(NULL, 0, 8, "nothing"),
                  mem_aligned(64, 0, "nothing") };
    for (size_t i = 0; i < sizeof p / sizeof *p; i++) {
        assert_non_null(p[i]);
        free(p[i]);
    }
}

static void arrays_are_zeroed_and_aligned(void **state)
{
    uint64_t *zero = mem_zero(100, sizeof *zero, "numbers");
    for (int i = 0; i < 100; i++)
        assert_int_equal(zero[i], 0);
    free(zero);
    for (size_t align = 16; align <= 4096; align *= 2) {
        char *p = mem_aligned(align, 3 * align + 1, "bytes");
        assert_int_equal((uintptr_t)p % align, 0);
        memset(p, 1, 3 * align + 1);
        free(p);
    }
}

static void grown_arrays_keep_their_elements(void **state)
{
    uint32_t *a = NULL, cap = 0;
    for (uint32_t n = 0; n < 1000; n++) {
        a = mem_grow(a, n, &cap, sizeof *a, "numbers");
        assert_true(cap > n && (cap & (cap - 1)) == 0);
        a[n] = n;
    }
    for (uint32_t n = 0; n < 1000; n++)
        assert_int_equal(a[n], n);
    free(a);
}

static void grown_arrays_have_the_element_and_zeros(void **state)
{
    static const struct { uint32_t i, n; } step[] = { {0, 64}, {63, 64}, {64, 128}, {5, 128}, {1000, 1024} };
    uint32_t *a = NULL, n = 0;
    for (size_t s = 0; s < sizeof step / sizeof *step; s++) {
        a = mem_grow_zero(a, step[s].i, &n, sizeof *a, "numbers");
        assert_int_equal(n, step[s].n);
        assert_int_equal(a[step[s].i]++, 0);
    }
    for (uint32_t i = 0, marked = 0; i < n; i++) {
        marked += a[i];
        assert_int_equal(marked, 1 + (i >= 5) + (i >= 63) + (i >= 64) + (i >= 1000));
    }
    free(a);
}

static void grown_arrays_link_their_free_elements(void **state)
{
    struct element { uint64_t value; uint32_t next; } *a = NULL;
    uint32_t n = 0, free_one = UINT32_MAX, size = 0;
    for (uint32_t i = 0; i < 100; i++) {
        if (free_one == UINT32_MAX)
            a = mem_grow_linked(a, &n, &free_one, sizeof *a, offsetof(struct element, next), "elements");
        assert_int_equal(free_one, i);
        assert_int_equal(a[i].value, 0);
        a[i].value = i;
        free_one = a[i].next;
    }
    for (size = 0; free_one != UINT32_MAX; free_one = a[free_one].next)
        size++;
    assert_int_equal(size, n - 100);
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(a[i].value, i);
    free(a);
}

static void texts_are_copied(void **state)
{
    char *file = NULL;
    size_t size = 0;
    FILE *f = mem_file(&file, &size);
    fputs("four", f);
    fclose(f);
    assert_int_equal(size, 4);
    char *all = NULL;
    mem_append(&all, "%s", "ab");
    mem_append(&all, "%d", 7);
    char *text[] = { mem_string("ab"), mem_string_n("abc", 2), mem_string_n("ab", 9), mem_format("%s%d", "ab", 7), all,
                     file };
    static const char *const want[] = { "ab", "ab", "ab", "ab7", "ab7", "four" };
    for (int i = 0; i < 6; i++) {
        assert_string_equal(text[i], want[i]);
        free(text[i]);
    }
}

/* ---- no memory ---- */

static int pipe_out;

static void save_run(void)
{
    ssize_t n = write(pipe_out, "saved\n", 6);
    (void)n;
    mem_zero(SIZE_MAX, 1, "what saving needs");
}

static void too_many(void) { mem_zero(SIZE_MAX / 4, 8, "a table"); }
static void too_large(void) { mem_resize(NULL, SIZE_MAX / 2 + 1, 1, "a list"); }
static void too_aligned(void) { mem_aligned(64, SIZE_MAX - 1, "a page"); }
static void too_many_huge(void) { huge_zero(SIZE_MAX / 4, 8, "an SM"); }
static void from_elsewhere(void) { mem_failed(12, "a text"); }

/* What a child writes to stderr and the pipe, and its exit status. */
static int run_out(void (*allocate)(void), bool save, char *text, size_t size)
{
    int ends[2], status = 0;
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (!pid) {
        dup2(ends[1], 2);
        pipe_out = ends[1];
        mem_on_failure(save ? save_run : NULL);
        allocate();
        _exit(0);
    }
    close(ends[1]);
    size_t n = 0;
    for (ssize_t got; n < size - 1 && (got = read(ends[0], text + n, size - 1 - n)) > 0;)
        n += (size_t)got;
    text[n] = 0;
    close(ends[0]);
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void a_failed_allocation_says_how_much_and_for_what(void **state)
{
    static const struct { void (*allocate)(void); const char *says; } cases[] = {
        { too_many, "simtx: out of memory: 18446744073709551615 bytes for a table\n" },
        { too_large, "simtx: out of memory: 9223372036854775808 bytes for a list\n" },
        { too_aligned, "simtx: out of memory: 18446744073709551614 bytes for a page\n" },
        { too_many_huge, "simtx: out of memory: 18446744073709551615 bytes for an SM\n" },
        { from_elsewhere, "simtx: out of memory: 12 bytes for a text\n" },
    };
    char text[400];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(run_out(cases[i].allocate, false, text, sizeof text), 1);
        assert_string_equal(text, cases[i].says);
    }
}

static void the_run_is_saved_once_even_without_memory(void **state)
{
    char text[400];
    assert_int_equal(run_out(from_elsewhere, true, text, sizeof text), 1);
    assert_string_equal(text, "simtx: out of memory: 12 bytes for a text\nsaved\n"
                              "simtx: out of memory: 18446744073709551615 bytes for what saving needs\n");
}

/* ---- huge pages ---- */

static bool is_filled(const uint8_t *p, size_t n, uint8_t with)
{
    while (n && p[n - 1] == with)
        n--;
    return !n;
}

/* Memory of some sizes is allocated and freed in a changing order; each allocation keeps its bytes, and new ones are 0.
 * In the last steps all are freed, so that the second round starts anew. */
static void allocations_are_zeroed_and_do_not_overlap(void **state)
{
    enum { N = 400, STEPS = 4000 };
    static const size_t sizes[] = { 0, 1, 64, 2816, 49152, 300000, 700000 };
    struct { uint8_t *at; size_t bytes; } a[N] = { 0 };
    for (uint32_t step = 0; step < 2 * (STEPS + N); step++) {
        uint32_t i = (step + step / N * 37) % N, k = step % (STEPS + N);
        if (a[i].at) {
            assert_true(is_filled(a[i].at, a[i].bytes, (uint8_t)i));
            huge_free(a[i].at);
            a[i].at = NULL;
        } else if (k < STEPS) {
            a[i].bytes = sizes[step % 8 % 7] + i % 3;
            a[i].at = huge_zero(1, a[i].bytes, "bytes");
            assert_int_equal((uintptr_t)a[i].at % 64, 0);
            assert_true(is_filled(a[i].at, a[i].bytes, 0));
            memset(a[i].at, (int)i, a[i].bytes);
        }
    }
    for (uint32_t i = 0; i < N; i++)
        assert_null(a[i].at);
    huge_free(NULL);
}

static void freed_allocations_of_a_class_are_reused(void **state)
{
    static const struct { size_t freed, next; bool same; } rows[] = {
        { 3000, 3000, true }, { 3000, 2817, true }, { 3000, 3072, true }, { 3000, 3073, false }, { 3000, 2816, false },
        { 0, 64, true }, { 64, 65, false }, { 1024, 961, true }, { 1025, 1152, true }, { 512 << 10, 481 << 10, true },
    };
    uint8_t *other = huge_alloc(1, 100, "bytes");
    for (size_t i = 0; !HUGE_PLAIN && i < sizeof rows / sizeof *rows; i++) {
        uint8_t *first = huge_alloc(rows[i].freed, 1, "bytes");
        memset(first, 1, rows[i].freed);
        huge_free(first);
        uint8_t *next = huge_zero(1, rows[i].next, "bytes");
        assert_int_equal(next == first, rows[i].same);
        assert_true(is_filled(next, rows[i].next, 0));
        huge_free(next);
    }
    huge_free(other);
}

/* Pages of this process in memory, in bytes. */
static size_t resident(void)
{
    char *text = file_read("/proc/self/statm", NULL);
    size_t pages = text ? strtoul(strchr(text, ' '), NULL, 10) : 0;
    free(text);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* The first region is smaller than the first allocation. The child runs this program anew, so that it has no region. */
static void the_first_allocation_may_be_large(void **state)
{
    char *program = file_own_path();
    int status = 0;
    pid_t pid = fork();
    if (!pid) {
        execl(program, program, "first", (char *)NULL);
        _exit(1);
    }
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
    free(program);
}

static int allocate_first(void)
{
    uint8_t *first = huge_zero(300000, 1, "bytes"), *second = huge_zero(300000, 1, "bytes");
    bool zero = is_filled(first, 300000, 0) && is_filled(second, 300000, 0);
    memset(first, 1, 300000);
    memset(second, 2, 300000);
    bool kept = is_filled(first, 300000, 1) && is_filled(second, 300000, 2);
    huge_free(first);
    huge_free(second);
    return !(zero && kept);
}

#ifdef __SANITIZE_THREAD__
enum { MEMORY_OF_CHECKS = 1 };               /* each page written takes pages of the thread sanitizer's, too */
#else
enum { MEMORY_OF_CHECKS = HUGE_PLAIN };
#endif

static void many_sizes_in_turn_take_little_memory(void **state)
{
    uint8_t *other = huge_alloc(1, 100, "bytes");
    size_t before = resident();
    for (size_t i = 1; i <= 800; i++) {
        uint8_t *p = huge_alloc(i, 400, "bytes");
        memset(p, 1, i * 400);
        huge_free(p);
    }
    if (!MEMORY_OF_CHECKS)
        assert_in_range(resident(), 0, before + (6 << 20));
    huge_free(other);
}

static void large_allocations_take_only_the_pages_accessed(void **state)
{
    const size_t bytes = 256 << 20;
    for (int round = 0; !HUGE_PLAIN && round < 3; round++) {
        size_t before = resident();
        uint8_t *p = huge_zero(bytes / 4, 4, "bytes");
        assert_int_equal((uintptr_t)p % 64, 0);
        for (size_t at = 0; at < bytes; at += bytes / 8)
            assert_int_equal(p[at], 0);
        memset(p + bytes - 100, 1, 100);
        assert_in_range(resident(), 0, before + (32 << 20));
        huge_free(p);
    }
}

/* ---- pools ---- */

struct object { uint64_t word[3]; };

static void pools_give_the_last_one_first(void **state)
{
    struct pool p;
    struct object *o[3];
    pool_init(&p, sizeof *o[0], 2, "objects");
    for (int i = 0; i < 3; i++)
        o[i] = pool_take(&p);
    for (int i = 0; i < 3; i++)
        pool_give(&p, o[i]);
    for (int i = 3; i--;)
        assert_ptr_equal(pool_take(&p), o[i]);
    pool_end(&p);
    assert_null(p.chunks);
}

static void objects_of_a_pool_do_not_overlap(void **state)
{
    enum { N = 100 };
    struct pool p;
    struct object *o[N];
    pool_init(&p, sizeof *o[0], 16, "objects");
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < N; i++) {
            o[i] = pool_take(&p);
            memset(o[i], i, sizeof *o[i]);
        }
        for (int i = 0; i < N; i++) {
            assert_int_equal((uintptr_t)o[i] % _Alignof(struct object), 0);
            for (size_t b = 0; b < sizeof *o[i]; b++)
                assert_int_equal(((uint8_t *)o[i])[b], i);
            pool_give(&p, o[i]);
        }
    }
    pool_end(&p);
}

/* ---- queues, numbers, texts ---- */

static void queues_keep_their_order(void **state)
{
    struct fifo f;
    uint64_t in = 0, out = 0;
    fifo_init(&f, sizeof in, "numbers");
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < 5; i++)
            *(uint64_t *)fifo_push(&f) = in++;
        for (int i = 0; i < 3; i++) {
            assert_int_equal(*(uint64_t *)fifo_front(&f), out++);
            fifo_pop(&f);
        }
        for (uint32_t i = 0; i < f.n; i++)
            assert_int_equal(*(uint64_t *)fifo_at(&f, i), out + i);
    }
    assert_int_equal(f.n, in - out);
    fifo_end(&f);
}

static void logarithms_and_powers_of_two(void **state)
{
    static const struct { uint64_t n; unsigned bits, log2_up; bool power; } rows[] = {
        { 0, 0, 0, false }, { 1, 1, 0, true }, { 2, 2, 1, true }, { 3, 2, 2, false }, { 4, 3, 2, true },
        { 5, 3, 3, false }, { UINT64_C(1) << 63, 64, 63, true }, { UINT64_MAX, 64, 64, false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(num_bits(rows[i].n), rows[i].bits);
        assert_int_equal(num_log2_up(rows[i].n), rows[i].log2_up);
        assert_int_equal(num_power_of_two(rows[i].n), rows[i].power);
    }
    assert_int_equal(num_least(3, 7), 3);
    assert_int_equal(num_most(3, 7), 7);
}

static void appended_texts_end_where_their_place_ends(void **state)
{
    char text[8] = "ab";
    text_append(text, sizeof text, "%d", 12);
    assert_string_equal(text, "ab12");
    text_append(text, sizeof text, "%s", "3456");
    assert_string_equal(text, "ab12345");
    text_append(text, sizeof text, "more");
    assert_string_equal(text, "ab12345");
}

static void lists_of_words_end_with_null(void **state)
{
    struct words a = { NULL, 0, 0 }, b = { NULL, 0, 0 };
    for (int i = 0; i < 100; i++) {
        words_format(&a, "%d", i);
        assert_null(a.at[a.n]);
    }
    words_add(&b, "first");
    words_append(&b, &a);
    assert_int_equal(b.n, 101);
    assert_string_equal(b.at[100], "99");
    assert_ptr_not_equal(b.at[100], a.at[99]);
    words_free(&a);
    words_free(&b);
    assert_null(b.at);
}

/* The shell must print the word that word_print_quoted wrote. */
static void quoted_words_are_what_a_shell_reads(void **state)
{
    static const char *const words[] = {
        "plain", "", "two words", "it's", "''", "$HOME", "a\\b", "*", "\"x\"", "-n;ls"
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char *command, got[64];
        size_t size;
        FILE *f = mem_file(&command, &size);
        fputs("printf %s ", f);
        word_print_quoted(words[i], f);
        fclose(f);
        FILE *shell = popen(command, "r");
        assert_non_null(shell);
        got[fread(got, 1, sizeof got - 1, shell)] = 0;
        pclose(shell);
        assert_string_equal(got, words[i]);
        free(command);
    }
}

static void files_are_read_whole(void **state)
{
    char path[] = "/tmp/test_base-XXXXXX", bytes[100000];
    int fd = mkstemp(path);
    memset(bytes, 0, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i += 1000)
        bytes[i] = (char)(i / 1000);
    assert_int_equal(write(fd, bytes, sizeof bytes), sizeof bytes);
    close(fd);
    size_t size;
    char *text = file_read(path, &size);
    assert_non_null(text);
    assert_int_equal(size, sizeof bytes);
    assert_memory_equal(text, bytes, size);
    assert_int_equal(text[size], 0);
    free(text);
    unlink(path);
    assert_null(file_read(path, &size));
    assert_int_equal(errno, ENOENT);
    assert_null(file_read("/tmp", &size));
    assert_int_equal(errno, EISDIR);
}

static void the_own_folder_contains_this_test(void **state)
{
    static const char *const places[] = { "no-such-folder", ".", NULL };
    char *own = file_own_folder(), *found = file_find_folder(own, places, "test_base");
    assert_non_null(found);
    assert_string_equal(found, own);
    assert_null(file_find_folder(own, places, "no-such-file"));
    free(found);
    free(own);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return allocate_first();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_arrays_have_an_address),
        cmocka_unit_test(arrays_are_zeroed_and_aligned),
        cmocka_unit_test(grown_arrays_keep_their_elements),
        cmocka_unit_test(grown_arrays_have_the_element_and_zeros),
        cmocka_unit_test(grown_arrays_link_their_free_elements),
        cmocka_unit_test(texts_are_copied),
        cmocka_unit_test(a_failed_allocation_says_how_much_and_for_what),
        cmocka_unit_test(the_run_is_saved_once_even_without_memory),
        cmocka_unit_test(allocations_are_zeroed_and_do_not_overlap),
        cmocka_unit_test(freed_allocations_of_a_class_are_reused),
        cmocka_unit_test(the_first_allocation_may_be_large),
        cmocka_unit_test(many_sizes_in_turn_take_little_memory),
        cmocka_unit_test(large_allocations_take_only_the_pages_accessed),
        cmocka_unit_test(pools_give_the_last_one_first),
        cmocka_unit_test(objects_of_a_pool_do_not_overlap),
        cmocka_unit_test(queues_keep_their_order),
        cmocka_unit_test(logarithms_and_powers_of_two),
        cmocka_unit_test(appended_texts_end_where_their_place_ends),
        cmocka_unit_test(lists_of_words_end_with_null),
        cmocka_unit_test(quoted_words_are_what_a_shell_reads),
        cmocka_unit_test(files_are_read_whole),
        cmocka_unit_test(the_own_folder_contains_this_test),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
