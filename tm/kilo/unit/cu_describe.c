/* Texts for reports of hangs: what a commit unit waits for; and the check of an idle unit. */
#include <stdarg.h>
#include <stdio.h>

#include "tm/kilo/unit/cu_state.h"

enum { SHOWN = 8 };

static const char *const state_name[] = { "unused", "fill", "validation wait", "revalidation wait", "pass", "fail",
                                          "waits for the final outcome", "commit ready", "commit sent", "retired" };
static const char *const resend_name[] = { "", ", resent reads for hazards", ", resent writes for hazards",
                                           ", resent reads for revalidation", ", resent writes for commit" };

void cu_protocol_error(const struct commit_unit *u, uint64_t cid, const char *what)
{
    fprintf(stderr, "commit unit: commit ID %llu: %s (retire %llu, head %llu)\n", (unsigned long long)cid, what,
            (unsigned long long)u->retire, (unsigned long long)u->head);
    abort();
}

const char *cu_state_name(const struct commit_unit *u, uint64_t cid)
{
    if (cid < u->retire)
        return "retired";
    return cid >= u->head ? "no message has arrived" : state_name[cu_entry(u, cid)->state];
}

static void print_line(void (*line)(void *ctx, const char *text), void *ctx, const char *format, ...)
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
    const struct cu_entry *e = cu_entry(u, cid);
    print_line(line, ctx, "  %llu: %s%s, lane %u, reads %u (%u in flight), writes %u (%u), rcid %llu, ycid %llu%s%s",
        (unsigned long long)cid, state_name[e->state], resend_name[e->resend], e->lane, e->set[CU_READS].n, e->reading,
        e->set[CU_WRITES].n, e->writing, (unsigned long long)e->rcid, (unsigned long long)e->ycid,
        e->stale ? ", stale" : "", e->revalidate ? ", hazard" : "");
}

void cu_dump(const struct commit_unit *u, void (*line)(void *ctx, const char *text), void *ctx)
{
    print_line(line, ctx, "commit unit: retire %llu, commit %llu, pass %llu, hazard %llu, head %llu",
        (unsigned long long)u->retire, (unsigned long long)u->commit, (unsigned long long)u->pass,
        (unsigned long long)u->hazard, (unsigned long long)u->head);
    print_line(line, ctx, "  %u messages, %u replies, %u reads and %u writes to issue, %u buffers, %u watchdog lanes",
        u->input.n, u->replies.n, u->reads.n, u->writes.n, u->buffers, u->watchdog_lanes);
    for (uint64_t cid = u->retire; cid < u->head && cid < u->retire + SHOWN; cid++)
        dump_entry(u, cid, line, ctx);
}

/* Number of free chunks. */
static uint32_t free_chunks(const struct commit_unit *u)
{
    uint32_t n = 0;
    for (uint32_t c = u->free_chunk; c != CU_NO_CHUNK; c = u->chunk[c].next)
        n++;
    return n;
}

bool cu_consistent(const struct commit_unit *u, char *error, size_t size)
{
    const char *what = u->missed ? "the last writer history missed hazards"
                     : !cu_idle(u) ? "entries are left"
                     : u->buffers || u->n_all || u->n_accessed || u->n_used[CU_READS] || u->n_used[CU_WRITES] ||
                       u->n_needed[CU_READS] || u->n_needed[CU_WRITES] ? "buffers are left"
                     : free_chunks(u) != u->chunks ? "words of sets are left" : NULL;
    if (what)
        snprintf(error, size, "commit unit: %s", what);
    return !what;
}
