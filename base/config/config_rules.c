/*
 * The rules between keys: RULE and POWER_OF_TWO rows, and the functions that CHECK rows name. All violations are
 * reported together, each with the keys, their values and the places that set them.
 */
#include "base/config/config.h"

#include <stdio.h>

/* ---- rules of two keys ---- */

enum relation { AT_MOST, LESS_THAN, AT_LEAST_OR_0, MULTIPLE_OF };

static const struct relation_rule { enum config_key a; enum relation relation; enum config_key b; } relations[] = {
#define RULE(a, relation, b) { KEY_##a, relation, KEY_##b },
#define CONFIG_ROWS "configs/keys.def"
#include "base/config/config_rows.h"
};

static bool holds(enum relation r, int64_t a, int64_t b)
{
    switch (r) {
    case AT_MOST: return a <= b;
    case LESS_THAN: return a < b;
    case AT_LEAST_OR_0: return a == 0 || a >= b;
    default: return a % b == 0;
    }
}

static void check_relation(const struct simtx_config *c, const struct relation_rule *r, struct diag *d)
{
    static const char *const broken[] = { "is more than", "is not less than", "is neither 0 nor at least",
                                          "is no multiple of" };
    if (!holds(r->relation, config_int(c, r->a), config_int(c, r->b)))
        diag_error(d, 0, 0, "%s %s %s", config_setting(c, r->a).text, broken[r->relation],
                   config_setting(c, r->b).text);
}

/* ---- rules of one key ---- */

static const enum config_key powers_of_two[] = {
#define POWER_OF_TWO(id) KEY_##id,
#define CONFIG_ROWS "configs/keys.def"
#include "base/config/config_rows.h"
};

/* "1, 2, 4 or 8"; of long ranges only the limits. */
static void list_powers(const struct config_key_info *info, char *out, size_t size)
{
    enum { SHOWN = 10 };
    int64_t min = (int64_t)info->min, max = (int64_t)info->max;
    size_t n = 0;
    if (max / min >> SHOWN) {
        snprintf(out, size, "a power of two from %lld to %lld", (long long)min, (long long)max);
        return;
    }
    for (int64_t p = min; p <= max; p *= 2)
        n += (size_t)snprintf(out + n, size - n, "%s%lld", !n ? "" : p * 2 > max ? " or " : ", ", (long long)p);
}

static void check_power_of_two(const struct simtx_config *c, enum config_key k, struct diag *d)
{
    int64_t v = config_int(c, k);
    char choices[160];
    if ((v & (v - 1)) == 0)
        return;
    list_powers(&config_keys[k], choices, sizeof choices);
    diag_error(d, 0, 0, "%s: must be %s", config_setting(c, k).text, choices);
}

/* ---- all ---- */

typedef void report(const struct simtx_config *c, struct diag *d);

static report *const checks[] = {
#define CHECK(function) function,
#define CONFIG_ROWS "configs/keys.def"
#include "base/config/config_rows.h"
};

static report *const warnings[] = {
#define WARN(function) function,
#define CONFIG_ROWS "configs/keys.def"
#include "base/config/config_rows.h"
};

bool config_check(const struct simtx_config *c, struct diag *d)
{
    int before = d->errors;
    for (size_t i = 0; i < sizeof powers_of_two / sizeof *powers_of_two; i++)
        check_power_of_two(c, powers_of_two[i], d);
    for (size_t i = 0; i < sizeof relations / sizeof *relations; i++)
        check_relation(c, &relations[i], d);
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        checks[i](c, d);
    return d->errors == before;
}

void config_warn_unused(const struct simtx_config *c, enum config_key k, enum config_key because, struct diag *d)
{
    if (config_is_own(c, k))
        diag_warn(d, 0, 0, "%s has no effect with %s", config_setting(c, k).text, config_setting(c, because).text);
}

void config_warn(const struct simtx_config *c, struct diag *d)
{
    for (size_t i = 0; i < sizeof warnings / sizeof *warnings; i++)
        warnings[i](c, d);
}
