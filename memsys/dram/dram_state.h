/*
 * The state of a DRAM controller, shared by dram.c, which keeps the requests and issues commands, and dram_plan.c,
 * which selects the next command.
 */
#ifndef MEMSYS_DRAM_STATE_H
#define MEMSYS_DRAM_STATE_H

#include "base/fifo.h"
#include "memsys/dram/dram_timing.h"

enum dram_direction { DRAM_READS, DRAM_WRITES };
enum { DRAM_NONE = UINT32_MAX };

enum dram_found { DRAM_ROW_HIT, DRAM_ROW_MISS, DRAM_ROW_CONFLICT };

/* An entry of the scheduler's queue. */
struct dram_entry {
    struct dram_request r;
    uint64_t age;                    /* number of requests before it */
    uint64_t columns;                /* number of column commands before its arrival */
    uint64_t since;
    uint32_t bursts;                 /* not transferred yet */
    enum dram_found found;
    uint32_t older, younger;         /* list of all requests */
    uint32_t prev, next;             /* list of its bank and direction; next: also of the free entries */
};

/* The requests of a bank and direction; hit: the oldest to the open row. */
struct dram_list { uint32_t head, tail, hit; };

/* The next command and its request's entry; DRAM_NONE: it serves no request. */
struct dram_plan { uint64_t at; uint32_t bank, entry; enum dram_command command; };

/* The copy that waits for a bank, at most one. */
struct dram_copy { uint64_t age, columns, token; uint32_t row; };

/* A request whose commands have been issued; its last data is transferred at `at`. */
struct dram_flight { uint64_t at, token; bool write; };

struct dram {
    struct dram_timing timing;
    struct dram_cfg cfg;
    uint64_t *count;
    uint32_t words;                  /* 64-bit words of a mask over the banks */

    struct dram_entry *entry;
    uint32_t free, oldest, youngest;
    uint32_t queued, waiting[2];
    struct dram_list (*list)[2];     /* by bank and direction */
    uint64_t any[2][DRAM_BANK_WORDS];      /* banks with requests */
    uint64_t hits[2][DRAM_BANK_WORDS];     /* banks with requests to their open row */
    uint64_t displaced[DRAM_BANK_WORDS];   /* banks whose last row was closed for a request to another */

    int direction;
    uint32_t batch;                  /* column commands since the direction changed */
    uint32_t low, high;              /* numbers of queued writes at which draining ends and begins */
    uint64_t ages, columns;          /* requests and column commands so far */
    bool last_write;                 /* the last column command was a write */

    struct dram_plan plan;
    bool stale;                      /* `plan` must be computed again */
    uint64_t from;                   /* no command before this cycle */
    uint64_t refresh_due;

    struct dram_copy *copy;          /* by bank; NULL = the device has no row copies */
    uint32_t copies;                 /* that wait */
    uint64_t copying[DRAM_BANK_WORDS];     /* banks with a waiting copy */
    uint64_t claimed[DRAM_BANK_WORDS];     /* of these, banks whose copy is older than the requests to be served */
    struct fifo cloned;              /* struct dram_flight of CLONE commands, in the order of `at` */

    struct fifo flight;              /* struct dram_flight, in the order of `at` */
    uint64_t data_end;               /* of the last burst */
    uint64_t accounted;              /* STAT_DRAM_PENDING covers the cycles before this one */

    dram_observer *sent;
    void *sent_ctx;
};

/* Plans the next command. */
void dram_plan(struct dram *d);
/* Request i has just arrived. Is the plan still valid, because i cannot be served next? */
bool dram_plan_valid(const struct dram *d, uint32_t i);

static inline void dram_set_direction(struct dram *d, int direction)
{
    if (d->direction != direction)
        d->batch = 0;
    d->direction = direction;
}

#endif
