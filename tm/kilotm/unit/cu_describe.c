/* What a commit unit is waiting for, for reports of hangs; and the check of a unit that has come to rest. */
#include <stdarg.h>
#include <stdio.h>

#include "tm/kilotm/unit/cu_state.h"

enum { SHOWN = 8 };

static const char *const state_name[] = { "unused", "fill", "validation wait", "revalidation wait", "pass", "fail",
                                          "waits for the final outcome", "commit ready", "commit sent", "retired" };
static const char *const resend_name[] = { "", ", reads again for hazards", ", writes again for hazards",
                                           ", reads again for revalidation", ", writes again for commit" };

void cu_broken(const struct commit_unit *u, uint64_t cid, const char *what)
{
    fprintf(stderr, "commit unit: commit ID %llu: %s (retire %llu, head %llu)\n", (unsigned long long)cid, what,
            (unsigned long long)u->retire, (unsigned long long)u->head);
    abort();
}

const char *cu_state(const struct commit_unit *u, uint64_t cid)
{
    if (cid < u->retire)
        return "retired";
    return cid >= u->head ? "no message of it has come" : state_name[cu_entry(u, cid)->state];
}

static void say(void (*line)(void *ctx, const char *text), void *ctx, const char *format, ...)
{
    char text[200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    line(ctx, text);
}

static void dump_entry(const struct commit_unit *u, uint64_t cid, void (*line)(void *ctx, const char *text), void *ctx)
{
    const struct entry *e = cu_entry(u, cid);
    say(line, ctx, "  %llu: %s%s, lane %u, reads %u (%u under way), writes %u (%u), rcid %llu, ycid %llu%s%s",
        (unsigned long long)cid, state_name[e->state], resend_name[e->resend], e->lane, e->set[READS].n, e->reading,
        e->set[WRITES].n, e->writing, (unsigned long long)e->rcid, (unsigned long long)e->ycid,
        e->stale ? ", stale" : "", e->revalidate ? ", hazard" : "");
}

void cu_dump(const struct commit_unit *u, void (*line)(void *ctx, const char *text), void *ctx)
{
    say(line, ctx, "commit unit: retire %llu, commit %llu, pass %llu, hazard %llu, head %llu",
        (unsigned long long)u->retire, (unsigned long long)u->commit, (unsigned long long)u->pass,
        (unsigned long long)u->hazard, (unsigned long long)u->head);
    say(line, ctx, "  %u messages, %u replies, %u reads and %u writes to issue, %u buffers used, %u watchdog checks",
        u->input.n, u->replies.n, u->reads.n, u->writes.n, u->buffers, u->checks_used);
    for (uint64_t cid = u->retire; cid < u->head && cid < u->retire + SHOWN; cid++)
        dump_entry(u, cid, line, ctx);
}

/* Entries of all chunks that no set holds. */
static uint32_t free_chunks(const struct commit_unit *u)
{
    uint32_t n = 0;
    for (uint32_t c = u->free_chunk; c != NO_CHUNK; c = u->chunk[c].next)
        n++;
    return n;
}

bool cu_sound(const struct commit_unit *u, char *error, size_t size)
{
    const char *what = u->missed ? "the last writer history missed hazards"
                     : !cu_idle(u) ? "entries are left"
                     : u->buffers || u->n_all || u->n_accessed || u->n_used[READS] || u->n_used[WRITES] ||
                       u->n_needed[READS] || u->n_needed[WRITES] ? "buffers are left"
                     : free_chunks(u) != u->chunks ? "words of sets are left" : NULL;
    if (what)
        snprintf(error, size, "commit unit: %s", what);
    return !what;
}
