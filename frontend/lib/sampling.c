/* sim.detail: the launches that run in timing mode, "kernel:NAME,launch:A-B". A launch is selected if any part
 * matches. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/config/config.h"
#include "base/diag.h"
#include "frontend/lib/gpu.h"

struct choice { char *kernel; uint64_t first, last; };

struct sampling { struct choice *choice; uint32_t n; };

static bool parse_number(const char **p, uint64_t *out)
{
    char *end;
    if (!isdigit((unsigned char)**p))
        return false;
    errno = 0;
    *out = strtoull(*p, &end, 10);
    *p = end;
    return !errno;
}

/* "A", "A-", "A-B" */
static bool parse_range(const char *p, struct choice *c)
{
    if (!parse_number(&p, &c->first))
        return false;
    c->last = c->first;
    if (*p == '-') {
        p++;
        c->last = UINT64_MAX;
        if (*p && !parse_number(&p, &c->last))
            return false;
    }
    return !*p && c->first <= c->last;
}

static bool parse_choice(const char *word, struct choice *c)
{
    static const char kernel[] = "kernel:", launch[] = "launch:";
    *c = (struct choice){ 0 };
    if (!strncmp(word, kernel, sizeof kernel - 1) && word[sizeof kernel - 1]) {
        c->kernel = mem_string(word + sizeof kernel - 1);
        return c->kernel;
    }
    return !strncmp(word, launch, sizeof launch - 1) && parse_range(word + sizeof launch - 1, c);
}

/* *wrong: the first part that is invalid (malloc'ed), or NULL. */
static struct sampling *parse(const char *text, char **wrong)
{
    struct sampling *d = mem_zero(1, sizeof *d, "sim.detail");
    char *copy = mem_string(text), *next = copy, *word;
    d->choice = mem_zero(strlen(text) + 1, sizeof *d->choice, "sim.detail");
    *wrong = NULL;
    while ((word = strsep(&next, ",")) && !*wrong) {
        word += strspn(word, " ");
        if (*word && parse_choice(word, &d->choice[d->n]))
            d->n++;
        else if (*word)
            *wrong = mem_string(word);
    }
    free(copy);
    return d;
}

/* Of an invalid part: "launch:5-2"? */
static bool is_reversed(const char *word)
{
    uint64_t first, last;
    int end = 0;
    return sscanf(word, "launch:%" SCNu64 "-%" SCNu64 "%n", &first, &last, &end) == 2 && !word[end] && first > last;
}

void sampling_check(const struct simtx_config *config, struct diag *d)
{
    char *wrong;
    sampling_free(parse(config_text(config, KEY_SIM_DETAIL), &wrong));
    if (wrong && is_reversed(wrong))
        diag_error(d, 0, 0, "sim.detail: '%s': the range is reversed; write launch:FIRST-LAST", wrong);
    else if (wrong)
        diag_error(d, 0, 0, "sim.detail: '%s' is neither kernel:NAME nor launch:FIRST-LAST (numbers from 0)", wrong);
    free(wrong);
}

struct sampling *sampling_new(const char *text)
{
    char *wrong;
    return parse(text, &wrong);
}

bool sampling_selects(const struct sampling *d, const char *kernel, uint64_t launch)
{
    for (uint32_t i = 0; i < d->n; i++) {
        const struct choice *c = &d->choice[i];
        if (c->kernel ? config_kernel_matches(c->kernel, kernel) : launch >= c->first && launch <= c->last)
            return true;
    }
    return !d->n;
}

void sampling_free(struct sampling *d)
{
    for (uint32_t i = 0; d && i < d->n; i++)
        free(d->choice[i].kernel);
    if (d)
        free(d->choice);
    free(d);
}
