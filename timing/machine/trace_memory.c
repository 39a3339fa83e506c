/*
 * The timeline of a memory partition. The process of L2 has a thread for each slice with the requests that its tags
 * have served, an L2 cycle each; a write that needs no fill has no outcome. The process of a DRAM channel has a thread
 * for each bank: a slice for each open row, in it the activate, reads and writes, after it the precharge. Times are in
 * thousandths of a core cycle, since the clocks of L2 and DRAM have other edges.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "timing/machine/trace_impl.h"

enum { MILLI = 1000, CLOSED = -1 };

/* The open row of a bank; from, last: when it was opened, and when its last command ends. */
struct open_row { int64_t row; uint64_t from, last; };

struct trace_memory {
    struct trace_source out;
    uint32_t channel, first_slice, slices;
    const struct clocks *clocks;
    struct dram_cfg dram;
    struct open_row *bank;
    bool *slice_named, *bank_named;      /* [banks]: the refreshes */
    bool channel_named;
};

static void end(struct trace_source *source)
{
    struct trace_memory *w = (struct trace_memory *)source;
    free(w->bank);
    free(w->slice_named);
    free(w->bank_named);
}

struct trace_memory *trace_memory_new(struct trace *t, uint32_t channel, uint32_t first_slice, uint32_t slices,
                                      const struct clocks *clocks, const struct dram_cfg *dram)
{
    static const char what[] = "the timeline of a memory partition";
    if (!trace_config(t)->memory || trace_config(t)->sm >= 0)
        return NULL;
    struct trace_memory *w = mem_zero(1, sizeof *w, what);
    trace_source_add(t, &w->out, end);
    w->channel = channel;
    w->first_slice = first_slice;
    w->slices = slices;
    w->clocks = clocks;
    w->dram = *dram;
    w->bank = mem_zero(dram->banks, sizeof *w->bank, what);
    w->slice_named = mem_zero(slices, sizeof *w->slice_named, what);
    w->bank_named = mem_zero(dram->banks + 1, sizeof *w->bank_named, what);
    for (uint32_t i = 0; i < dram->banks; i++)
        w->bank[i].row = CLOSED;
    return w;
}

/* ---- times ---- */

/* Cycle n of a clock in thousandths of a core cycle. */
static uint64_t milli(const struct trace_memory *w, enum clock_domain clock, uint64_t n)
{
    __extension__ unsigned __int128 t = (unsigned __int128)n * MILLI * w->clocks->khz[CLK_CORE];
    return (uint64_t)(t / w->clocks->khz[clock]);
}

static uint64_t memory_cycles(const struct trace_memory *w, uint64_t n)
{
    return milli(w, CLK_MEM, n);
}

/* As trace_cut, in thousandths. */
static bool cut(const struct trace_source *w, uint64_t *from, uint64_t *to)
{
    uint64_t first = w->cfg.from * MILLI, end_at = (w->cfg.to + 1) * MILLI;
    *from += w->origin * MILLI;
    *to += w->origin * MILLI;
    *from = *from > first ? *from : first;
    *to = *to < end_at ? *to : end_at;
    return *from < *to && w->cfg.from <= w->cfg.to;
}

/* Begins an event with a duration; the caller closes it. */
static void slice(struct trace_memory *w, uint32_t pid, uint32_t thread, const char *category, const char *name,
                  uint64_t from, uint64_t to)
{
    trace_add(&w->out.text, ",\n{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%u,\"tid\":%u,\"ts\":%" PRIu64
              ".%03u,\"dur\":%" PRIu64 ".%03u", category, name, pid, TRACE_FIRST_TID + thread, from / MILLI,
              (unsigned)(from % MILLI), (to - from) / MILLI, (unsigned)((to - from) % MILLI));
}

/* ---- L2 ---- */

static void name_slice(struct trace_memory *w, uint32_t number)
{
    char name[32];
    uint32_t id = w->first_slice + number;
    if (w->slice_named[number])
        return;
    trace_name_process(&w->out.text, TRACE_L2_PID, "L2");
    snprintf(name, sizeof name, "slice %u", id);
    trace_name_thread(&w->out.text, TRACE_L2_PID, TRACE_FIRST_TID + id, id, name);
    w->slice_named[number] = true;
}

void trace_access(struct trace_memory *w, uint32_t number, uint64_t now, unsigned kind, const struct packet *p)
{
    static const char *const kinds[] = { [MSG_READ] = "read", [MSG_WRITE] = "write", [MSG_ATOMIC] = "atomic" };
    static const char *const found[] = {
        [PACKET_FOUND_HIT] = "hit", [PACKET_FOUND_PENDING] = "merged", [PACKET_FOUND_MISS] = "miss"
    };
    uint64_t from = milli(w, CLK_L2, now), to = milli(w, CLK_L2, now + 1);
    char name[32];
    if (kind > MSG_ATOMIC || !cut(&w->out, &from, &to))
        return;
    name_slice(w, number);
    bool at_once = kind == MSG_WRITE && p->found == PACKET_FOUND_HIT;
    snprintf(name, sizeof name, "%s%s%s", kinds[kind], at_once ? "" : " ", at_once ? "" : found[p->found]);
    slice(w, TRACE_L2_PID, w->first_slice + number, "L2", name, from, to);
    trace_add(&w->out.text, ",\"args\":{\"address\":\"0x%" PRIx64 "\",\"sm\":%u}}", p->line, p->sm);
}

/* ---- DRAM ---- */

static uint32_t channel_pid(const struct trace_memory *w)
{
    return TRACE_FIRST_CHANNEL_PID + w->channel;
}

/* bank: the number of banks stands for the refreshes. */
static void name_bank(struct trace_memory *w, uint32_t bank)
{
    char name[32];
    if (!w->channel_named) {
        snprintf(name, sizeof name, "DRAM channel %u", w->channel);
        trace_name_process(&w->out.text, channel_pid(w), name);
        w->channel_named = true;
    }
    if (w->bank_named[bank])
        return;
    snprintf(name, sizeof name, bank < w->dram.banks ? "bank %u" : "refresh", bank);
    trace_name_thread(&w->out.text, channel_pid(w), TRACE_FIRST_TID + bank, bank, name);
    w->bank_named[bank] = true;
}

static void bank_slice(struct trace_memory *w, uint32_t bank, const char *name, uint64_t from, uint64_t to)
{
    if (!cut(&w->out, &from, &to))
        return;
    name_bank(w, bank);
    slice(w, channel_pid(w), bank, "DRAM", name, from, to);
    trace_add(&w->out.text, "}");
}

/* The row was open until `at`, or until its last command has ended, which is returned. */
static uint64_t show_row(struct trace_memory *w, uint32_t bank, uint64_t at)
{
    struct open_row *b = &w->bank[bank];
    char name[32];
    uint64_t to = b->last > at ? b->last : at;
    snprintf(name, sizeof name, "row %" PRId64, b->row);
    bank_slice(w, bank, name, b->from, to);
    return to;
}

static void command_in_row(struct trace_memory *w, uint32_t bank, const char *name, uint64_t from, uint64_t to)
{
    struct open_row *b = &w->bank[bank];
    from = b->last > from ? b->last : from;
    bank_slice(w, bank, name, from, to);
    b->last = to > b->last ? to : b->last;
}

static void precharge(struct trace_memory *w, uint64_t now, uint32_t bank)
{
    uint64_t end_at = memory_cycles(w, now + w->dram.tRP), from = memory_cycles(w, now);
    if (w->bank[bank].row != CLOSED)
        from = show_row(w, bank, from);
    w->bank[bank].row = CLOSED;
    bank_slice(w, bank, "precharge", from, end_at);
}

static void activate(struct trace_memory *w, uint64_t now, uint32_t bank, uint32_t row)
{
    uint64_t from = memory_cycles(w, now);
    w->bank[bank] = (struct open_row){ row, from, from };
    command_in_row(w, bank, "activate", from, memory_cycles(w, now + w->dram.tRCD));
}

void trace_command(struct trace_memory *w, uint64_t now, enum dram_command c, uint32_t bank, uint32_t row)
{
    uint64_t from = memory_cycles(w, now);
    switch (c) {
    case DRAM_ACT: activate(w, now, bank, row); break;
    case DRAM_PRE: precharge(w, now, bank); break;
    case DRAM_RD: command_in_row(w, bank, "read", from, memory_cycles(w, now + w->dram.burst_cycles)); break;
    case DRAM_WR: command_in_row(w, bank, "write", from, memory_cycles(w, now + w->dram.burst_cycles)); break;
    case DRAM_REF: bank_slice(w, w->dram.banks, "refresh", from, memory_cycles(w, now + w->dram.tRFC)); break;
    case DRAM_CLONE: bank_slice(w, bank, "clone", from, memory_cycles(w, now + w->dram.clone_cycles)); break;
    case DRAM_COMMANDS: break;
    }
}

void trace_memory_pause(struct trace_memory *w, uint64_t core)
{
    for (uint32_t i = 0; i < w->dram.banks; i++) {
        struct open_row *b = &w->bank[i];
        if (b->row != CLOSED && b->from < core * MILLI)
            b->from = b->last = show_row(w, i, core * MILLI);
    }
}
