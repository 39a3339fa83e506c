/* Words of transactional memory: sets of lanes, and text that ends where there is no more room. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "tm/tm.h"

static void lanes(void **state)
{
    static const struct { uint64_t lanes; const char *words; } rows[] = {
        { 1, "lane 0" }, { UINT64_C(1) << 63, "lane 63" }, { 3, "lanes 0-1" }, { 0x8f, "lanes 0-3,7" },
        { 0x15, "lanes 0,2,4" }, { UINT64_MAX, "lanes 0-63" }, { ~UINT64_C(1), "lanes 1-63" },
        { UINT64_C(0xc000000000000001), "lanes 0,62-63" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[40] = "";
        tm_append_lanes(text, sizeof text, rows[i].lanes);
        assert_string_equal(text, rows[i].words);
    }
}

static void room(void **state)
{
    char text[12] = "of 4 ";
    (void)state;
    text_append(text, sizeof text, "%s and more", "lanes");
    assert_string_equal(text, "of 4 lanes ");
    text_append(text, sizeof text, "nothing");
    assert_string_equal(text, "of 4 lanes ");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(lanes), cmocka_unit_test(room) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
