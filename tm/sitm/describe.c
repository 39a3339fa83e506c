/* Texts of snapshot isolation for reports of hangs. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "tm/sitm/sitm.h"

static const char *const STATES[] = {
    [SITM_STATE_NONE] = "is in no attempt",
    [SITM_STATE_WAIT] = "waits for replies to the last attempt's accesses before it begins",
    [SITM_STATE_BEGIN] = "waits for its snapshot from the manager",
    [SITM_STATE_RUN] = "runs",
    [SITM_STATE_COMMIT] = "waits for replies to its accesses before it requests the commit",
    [SITM_STATE_REQUEST] = "waits for the manager's decision, or for the transfer of its write sets",
    [SITM_STATE_WRITE] = "waits for slices to perform its write sets",
    [SITM_STATE_PUBLISH] = "waits for the publication of its version",
};

static void describe_attempt(const struct sitm_warp *w, char *text, size_t size)
{
    text_append(text, size, ", snapshot %u in slot %u, group %u", w->a.snapshot, w->a.slot, w->a.group);
    if (w->a.outstanding) {
        text_append(text, size, ", outstanding accesses or edges of ");
        tm_append_lanes(text, size, w->a.outstanding);
    }
    if (w->a.exclusive)
        text_append(text, size, ", runs alone");
}

void sitm_describe(const void *core, uint32_t slot, char *text, size_t size)
{
    const struct sitm_core *x = sitm_core(core);
    const struct sitm_warp *w = &x->warp[slot];
    text_append(text, size, ": the warp %s", STATES[w->state]);
    if (w->state >= SITM_STATE_RUN)
        describe_attempt(w, text, size);
    if (w->state != SITM_STATE_BEGIN && w->state < SITM_STATE_REQUEST)
        return;
    text_append(text, size, "; manager: ");
    sitm_manager_describe(x->gpu->manager, text + strlen(text), (uint32_t)(size - strlen(text)));
}

void sitm_dump(const void *core, void (*line)(void *ctx, const char *text), void *ctx)
{
    const struct sitm_core *x = sitm_core(core);
    char text[160];
    snprintf(text, sizeof text, "snapshot isolation: %u messages wait for the crossbar, %u accesses are outstanding",
             x->kilo->out.n, x->replies);
    line(ctx, text);
}

static void dump_manager(const struct sitm_unit *u, void (*line)(void *ctx, const char *text), void *ctx)
{
    char text[900] = "manager of versions: ";
    size_t n = strlen(text);
    sitm_manager_describe(u->gpu->manager, text + n, (uint32_t)(sizeof text - n));
    line(ctx, text);
}

void sitm_unit_dump(const void *engine, void (*line)(void *ctx, const char *text), void *ctx)
{
    const struct sitm_unit *u = engine;
    char text[300];
    snprintf(text, sizeof text, "snapshot isolation: %u writer entries, %u reader entries, %u snapshot reads, %u words "
             "to write back, %u accesses in flight%s%s", u->rules.writers.n, u->rules.readers.n, u->reads_left,
             u->words.n, u->writing, u->copying ? ", rows are being copied" : "",
             sitm_slice_removing(&u->rules) ? ", entries are being removed" : "");
    line(ctx, text);
    if (u->manager)
        dump_manager(u, line, ctx);
}
