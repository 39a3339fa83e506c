/* Texts of GPU-LocalTM for reports of hangs. */
#include <inttypes.h>
#include <stdio.h>

#include "base/text.h"
#include "tm/localtm/localtm.h"

static void describe_request(const struct localtm_core *k, const struct localtm_block *b, uint32_t slot, char *text,
                           size_t size)
{
    for (uint32_t i = 0; i < b->b->warps; i++)
        if (b->b->slot[i] != slot && tm_committing(k->c, b->b->slot[i])) {
            text_append(text, size, ": it will run alone in its block after the commit of warp slot %u",
                      b->b->slot[i]);
            return;
        }
    text_append(text, size, ": its request to run alone in its block is queued");
}

void localtm_describe(const void *core, uint32_t slot, char *text, size_t size)
{
    const struct localtm_core *k = core;
    const struct localtm_warp *x = &k->warp[slot];
    if (!x->block)
        return;
    if (x->block->runner == slot && x->stalled)
        text_append(text, size, ": the entries of the other warps of its block are cleared until cycle %" PRIu64,
                  x->runs_at);
    else if (x->block->runner == slot)
        text_append(text, size, ": it runs alone in its block");
    else if (x->block->runner != LOCALTM_NO_SLOT)
        text_append(text, size, ": warp slot %u runs alone in its block", x->block->runner);
    else if (x->requested)
        describe_request(k, x->block, slot, text, size);
    else if ((x->stalled || x->waits) && x->block->resuming != LOCALTM_NO_SLOT)
        text_append(text, size, ": it resumes when the attempt of warp slot %u has ended", x->block->resuming);
}

static uint32_t words_owned(const struct localtm_block *b)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i <= b->words / 64; i++)
        n += (uint32_t)__builtin_popcountll(b->owned[i]);
    return n;
}

static void describe_warps(const struct localtm_core *k, const struct localtm_block *b, char *text, size_t size)
{
    static const char *const modes[] = { "all lanes", "wavefront serialisation", "work-group serialisation" };
    for (uint32_t i = 0; i < b->b->warps; i++) {
        uint32_t slot = b->b->slot[i];
        const struct localtm_warp *x = &k->warp[slot];
        if (!tm_lanes_in(k->c, slot))
            continue;
        text_append(text, size, "; warp slot %u: %s%s%s", slot, modes[x->mode],
                  x->requested ? ", requests to run alone" : "",
                  x->stalled || x->waits ? ", stalled at tx_begin" : x->preempted ? ", rolled back" : "");
    }
}

void localtm_dump(const void *core, void (*line)(void *ctx, const char *text), void *ctx)
{
    const struct localtm_core *k = core;
    for (const struct localtm_block *b = k->blocks; b; b = b->next_block) {
        char text[1000];
        if (!b->b)
            continue;
        snprintf(text, sizeof text, "GPU-LocalTM, block %u of the SM: %u of %u words have an owner", b->b->number,
                 words_owned(b), b->words);
        if (b->runner != LOCALTM_NO_SLOT)
            text_append(text, sizeof text, "; warp slot %u runs alone", b->runner);
        describe_warps(k, b, text, sizeof text);
        line(ctx, text);
    }
}
