/* What GPU-LocalTM has to say in reports of hangs. */
#include <inttypes.h>
#include <stdio.h>

#include "base/text.h"
#include "tm/localtm/localtm.h"

static void say_committing(const struct local_core *k, const struct local_block *b, uint32_t slot, char *text,
                           size_t size)
{
    for (uint32_t i = 0; i < b->b->warps; i++)
        if (b->b->slot[i] != slot && tm_committing(k->c, b->b->slot[i])) {
            text_append(text, size, ": waits until warp slot %u has committed, to run alone in its block",
                      b->b->slot[i]);
            return;
        }
    text_append(text, size, ": waits for its turn to run alone in its block");
}

void local_say(const void *core, uint32_t slot, char *text, size_t size)
{
    const struct local_core *k = core;
    const struct local_warp *x = &k->warp[slot];
    if (!x->block)
        return;
    if (x->block->runner == slot && x->stalled)
        text_append(text, size, ": the entries of the other warps of its block are cleared until cycle %" PRIu64,
                  x->starts);
    else if (x->block->runner == slot)
        text_append(text, size, ": runs alone in its block");
    else if (x->block->runner != NO_SLOT)
        text_append(text, size, ": waits until warp slot %u has run alone in its block", x->block->runner);
    else if (x->wants)
        say_committing(k, x->block, slot, text, size);
}

static uint32_t words_owned(const struct local_block *b)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i <= b->words / 64; i++)
        n += (uint32_t)__builtin_popcountll(b->owned[i]);
    return n;
}

static void say_warps(const struct local_core *k, const struct local_block *b, char *text, size_t size)
{
    static const char *const modes[] = { "all lanes", "wavefront serialisation", "work-group serialisation" };
    for (uint32_t i = 0; i < b->b->warps; i++) {
        uint32_t slot = b->b->slot[i];
        const struct local_warp *x = &k->warp[slot];
        if (!tm_lanes_in(k->c, slot))
            continue;
        text_append(text, size, "; warp slot %u: %s%s%s", slot, modes[x->mode], x->wants ? ", wants to run alone" : "",
                  x->stalled ? ", stalled at tx_begin" : x->out ? ", put back" : "");
    }
}

void local_dump(const void *core, void (*line)(void *ctx, const char *text), void *ctx)
{
    const struct local_core *k = core;
    for (const struct local_block *b = k->blocks; b; b = b->chain) {
        char text[1000];
        if (!b->b)
            continue;
        snprintf(text, sizeof text, "GPU-LocalTM, block %u of the SM: %u of %u words have an owner", b->b->number,
                 words_owned(b), b->words);
        if (b->runner != NO_SLOT)
            text_append(text, sizeof text, "; warp slot %u runs alone", b->runner);
        say_warps(k, b, text, sizeof text);
        line(ctx, text);
    }
}
