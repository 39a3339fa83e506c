/* Writes the time series. A row is written when the next row arrives, since the last one may receive more counts. */
#include "timing/machine/series.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct series {
    FILE *file;
    char *path, *kernel;
    uint64_t window, launch;
    unsigned warp_size;
    uint64_t from, next_from;            /* first cycles of the pending row and of the row after it */
    bool pending;
    uint64_t row[STAT_END];              /* the pending row */
    uint64_t before[STAT_END];           /* counters of the launch up to the end of the pending row */
};

static bool is_counter(int i)
{
    return stat_table[i].place & STAT_OF_TIMING && stat_table[i].place & STAT_ADDED &&
           (stat_table[i].kind == STAT_KIND_COUNT || stat_table[i].kind == STAT_KIND_MILLI);
}

static bool is_ratio(int i)
{
    return i == STAT_LANE_UTILISATION ||
           (stat_table[i].place & STAT_OF_TIMING && stat_table[i].kind == STAT_KIND_RATIO);
}

static void write_head(struct series *s)
{
    fputs("launch,kernel,cycle", s->file);
    for (int i = 0; i < STAT_END; i++)
        if (is_counter(i) || is_ratio(i))
            fprintf(s->file, ",%s", stat_table[i].name);
    fputc('\n', s->file);
}

void series_configure(struct series_cfg *c, const struct simtx_config *config)
{
#define CONFIG_ROWS "timing/machine/series.def"
#include "base/config/config_copy.h"
}

struct series *series_open(const struct series_cfg *c, unsigned warp_size, char *error, size_t size)
{
    FILE *f = fopen(c->file, "we");
    if (!f) {
        snprintf(error, size, "cannot write the time series '%s': %s", c->file, strerror(errno));
        return NULL;
    }
    struct series *s = mem_zero(1, sizeof *s, "a time series");
    s->path = mem_string(c->file);
    s->file = f;
    s->window = c->window;
    s->warp_size = warp_size;
    write_head(s);
    return s;
}

uint64_t series_window(const struct series *s)
{
    return s->window;
}

static void write_row(struct series *s)
{
    /* for the utilisation of lanes */
    s->row[STAT_WARP_INSTRUCTIONS] = s->row[STAT_TIMED_WARP_INSTRUCTIONS];
    s->row[STAT_THREAD_INSTRUCTIONS] = s->row[STAT_TIMED_THREAD_INSTRUCTIONS];
    fprintf(s->file, "%" PRIu64 ",%s,%" PRIu64, s->launch, s->kernel, s->from);
    for (int i = 0; i < STAT_END; i++)
        if (is_counter(i) && stat_table[i].kind == STAT_KIND_MILLI)
            fprintf(s->file, ",%.12g", stats_value(s->row, i, s->warp_size));
        else if (is_counter(i))
            fprintf(s->file, ",%" PRIu64, s->row[i]);
        else if (is_ratio(i))
            fprintf(s->file, ",%.6g", stats_value(s->row, i, s->warp_size));
    fputc('\n', s->file);
    s->pending = false;
}

void series_begin(struct series *s, uint64_t launch, const char *kernel)
{
    free(s->kernel);
    s->kernel = mem_string(kernel);
    s->launch = launch;
    s->from = s->next_from = 0;
    memset(s->row, 0, sizeof s->row);
    memset(s->before, 0, sizeof s->before);
}

/* Adds what was counted after `before` to the pending row. */
static void add_to_row(struct series *s, const uint64_t *count)
{
    for (int i = 0; i < STAT_END; i++)
        s->row[i] += count[i] - s->before[i];
    memcpy(s->before, count, sizeof s->before);
    s->pending = true;
}

static void next_row(struct series *s, const uint64_t *count)
{
    if (s->pending)
        write_row(s);
    s->from = s->next_from;
    memset(s->row, 0, sizeof s->row);
    add_to_row(s, count);
}

void series_row(struct series *s, uint64_t until, const uint64_t *count)
{
    next_row(s, count);
    s->next_from = until;
}

void series_end(struct series *s, const uint64_t *count)
{
    if (count[STAT_MACHINE_CYCLES] > s->before[STAT_MACHINE_CYCLES])
        next_row(s, count);
    else
        add_to_row(s, count);
    write_row(s);
    fflush(s->file);
}

bool series_close(struct series *s, char *error, size_t size)
{
    bool ok = !ferror(s->file);
    ok &= !fclose(s->file);
    if (!ok)
        snprintf(error, size, "the time series '%s' could not be written to its end", s->path);
    free(s->kernel);
    free(s->path);
    free(s);
    return ok;
}
