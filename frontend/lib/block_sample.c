/* Chooses the waves of a launch, and estimates its cycles from their ends (block_sample.h). */
#include "frontend/lib/block_sample.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

enum { MIDDLE_LEAST = 4, SAVED_LEAST = 2 };  /* waves in the sample; of two in the middle, one is left out */

struct block_sample {
    uint64_t wave;                       /* blocks */
    uint64_t middle, sampled;            /* waves between the first and the last; of these, in the sample */
    uint64_t *chosen, *others;           /* numbers of blocks */
    uint64_t nchosen, nothers;
    uint64_t *ends;                      /* by ended block of the sample */
};

/* ---- the choice ---- */

/* Blocks that communicate cannot run at different times. */
static bool is_independent(const struct queued_launch *o)
{
    const struct code *code = o->kernel->code;
    return !code->serial && !code->exclusive && !code->transactions && o->la.cluster_blocks <= 1;
}

/* Waves of the middle in the sample; 0: too few. */
static uint64_t sample_size(uint64_t middle, uint64_t one_in)
{
    uint64_t n = middle / one_in;
    n = n < MIDDLE_LEAST ? MIDDLE_LEAST : n;
    return n * SAVED_LEAST <= middle ? n : 0;
}

/* The i-th sampled wave of the middle: the centre of the i-th of equal parts. */
static uint64_t sampled_wave(const struct block_sample *s, uint64_t i)
{
    return 1 + (2 * i + 1) * s->middle / (2 * s->sampled);
}

static void add(uint64_t *list, uint64_t *n, uint64_t from, uint64_t to)
{
    for (uint64_t i = from; i < to; i++)
        list[(*n)++] = i;
}

static void choose(struct block_sample *s, uint64_t blocks)
{
    uint64_t next = 0;
    add(s->chosen, &s->nchosen, 0, s->wave);
    for (uint64_t w = 1; w <= s->middle; w++) {
        bool in = next < s->sampled && w == sampled_wave(s, next);
        next += in;
        add(in ? s->chosen : s->others, in ? &s->nchosen : &s->nothers, w * s->wave, (w + 1) * s->wave);
    }
    add(s->chosen, &s->nchosen, (s->middle + 1) * s->wave, blocks);
}

struct block_sample *block_sample_new(const simtx_gpu *g, const struct queued_launch *o)
{
    static const char what[] = "a sample of blocks";
    uint64_t blocks = o->la.nblocks, wave = (uint64_t)o->resident * g->info.sms, waves = wave ? blocks / wave : 0;
    if (g->sim.sample <= 1 || g->sim.shadow || !is_independent(o) || waves < 2)
        return NULL;
    uint64_t sampled = sample_size(waves - 2, (uint64_t)g->sim.sample);
    if (!sampled)
        return NULL;
    struct block_sample *s = mem_zero(1, sizeof *s, what);
    s->wave = wave;
    s->middle = waves - 2;
    s->sampled = sampled;
    s->chosen = mem_zero(blocks, sizeof *s->chosen, what);
    s->others = mem_zero(blocks, sizeof *s->others, what);
    choose(s, blocks);
    s->ends = mem_zero(s->nchosen, sizeof *s->ends, what);
    return s;
}

void block_sample_free(struct block_sample *s)
{
    if (!s)
        return;
    free(s->chosen);
    free(s->others);
    free(s->ends);
    free(s);
}

void block_sample_choose(struct block_sample *s, struct grid *grid)
{
    grid->launch.chosen = s->chosen;
    grid->launch.nblocks = s->nchosen;
    grid->ends = s->ends;
}

/* ---- the estimate ---- */

/* The quantile 0.975 of Student's distribution. */
static double student(uint64_t freedom)
{
    static const double table[] = { 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                    2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086 };
    enum { ROWS = sizeof table / sizeof *table };
    return freedom <= ROWS ? table[freedom - 1] : 1.96 + 2.5 / (double)freedom;
}

struct sample_estimate sample_estimate_of(const uint64_t *ends, uint64_t n, uint64_t all, uint64_t rest)
{
    double mean = (double)(ends[n] - ends[0]) / (double)n, squares = 0;
    for (uint64_t i = 0; i < n; i++) {
        double d = (double)(ends[i + 1] - ends[i]) - mean;
        squares += d * d;
    }
    double left_out = 1 - (double)n / (double)all, variance = squares / (double)(n - 1) / (double)n * left_out;
    return (struct sample_estimate){
        .cycles = (double)ends[0] + mean * (double)all + (double)rest,
        .error = student(n - 1) * sqrt(variance) * (double)all,
    };
}

struct sample_estimate block_sample_estimate(const struct block_sample *s, const struct grid *grid)
{
    uint64_t *ends = mem_zero(s->sampled + 1, sizeof *ends, "a sample of blocks");
    for (uint64_t i = 0; i <= s->sampled; i++)
        ends[i] = s->ends[(i + 1) * s->wave - 1];
    uint64_t cycles = grid->end - grid->start;
    struct sample_estimate e = sample_estimate_of(ends, s->sampled, s->middle, cycles - ends[s->sampled]);
    e.blocks = s->nchosen;
    e.of = s->nchosen + s->nothers;
    free(ends);
    return e;
}

bool block_sample_run_others(const struct block_sample *s, struct queued_launch *o)
{
    struct launch la = o->la;
    la.chosen = s->others;
    la.nblocks = s->nothers;
    la.progress = NULL;
    bool ok = grid_run(&la);
    o->la.fault = la.fault;
    o->la.interrupted = la.interrupted;
    return ok;
}
