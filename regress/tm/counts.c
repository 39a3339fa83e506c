/* Do the totals of a statistics file fulfil these conditions? Prints those that do not hold. A condition is two sums of
 * products of names and numbers, with ==, <= or > between them.
 * Usage: counts FILE CONDITION..., such as "tm.aborts == tm.abort.hazard+tm.abort.validation" "tm.commits > 0" */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *what, const char *name)
{
    printf("%s: %s\n", name, what);
    exit(2);
}

/* name: modified. */
static long long value_of(const json_t *total, char *name)
{
    char *end, *rest = NULL;
    long long number = strtoll(name, &end, 10);
    if (!*end)
        return number;
    const json_t *v = total;
    for (char *part = strtok_r(name, ".", &rest); part; part = strtok_r(NULL, ".", &rest))
        if (!(v = json_object_get(v, part)))
            fail("no such count", part);
    return json_integer_value(v);
}

/* text: modified. */
static long long product_of(const json_t *total, char *text)
{
    char *rest = NULL;
    long long product = 1;
    for (char *name = strtok_r(text, "*", &rest); name; name = strtok_r(NULL, "*", &rest))
        product *= value_of(total, name);
    return product;
}

static long long sum_of(const json_t *total, char *text)
{
    char *rest = NULL;
    long long sum = 0;
    for (char *name = strtok_r(text, "+ ", &rest); name; name = strtok_r(NULL, "+ ", &rest))
        sum += product_of(total, name);
    return sum;
}

static bool holds(const json_t *total, const char *condition)
{
    static const char *const signs[] = { "==", "<=", ">" };
    for (int i = 0; i < 3; i++) {
        char *text = strdup(condition), *sign = strstr(text, signs[i]);
        if (!sign) {
            free(text);
            continue;
        }
        *sign = 0;
        long long a = sum_of(total, text), b = sum_of(total, sign + strlen(signs[i]));
        bool ok = i == 0 ? a == b : i == 1 ? a <= b : a > b;
        if (!ok)
            printf("%s: %lld and %lld\n", condition, a, b);
        free(text);
        return ok;
    }
    fail("no condition", condition);
    return false;
}

int main(int argc, char **argv)
{
    json_error_t e;
    json_t *file = argc > 1 ? json_load_file(argv[1], 0, &e) : NULL;
    const json_t *total = json_object_get(file, "total");
    bool ok = true;
    if (!total)
        fail("no statistics file", argc > 1 ? argv[1] : "counts");
    for (int i = 2; i < argc; i++)
        ok &= holds(total, argv[i]);
    json_decref(file);
    return !ok;
}
