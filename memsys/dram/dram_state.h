/*
 * The state of a DRAM controller, between its two halves: dram.c keeps the requests and sends commands, dram_plan.c
 * decides which is next.
 */
#ifndef MEMSYS_DRAM_STATE_H
#define MEMSYS_DRAM_STATE_H

#include "memsys/dram/dram_timing.h"

enum { READ, WRITE };
enum { NONE = UINT32_MAX };

enum dram_found { FOUND_OPEN, FOUND_CLOSED, FOUND_OTHER };

struct dram_slot {
    struct dram_request r;
    uint64_t age;                    /* number of requests before it */
    uint64_t columns;                /* column commands sent before it came */
    uint64_t since;
    uint32_t bursts;                 /* still to move */
    enum dram_found found;
    uint32_t older, younger;         /* of all */
    uint32_t prev, next;             /* of its bank and direction; next also links free slots */
};

struct dram_list { uint32_t head, tail, hit; };

/* The next command, for the request in `slot` or, with NONE, for none. */
struct dram_plan { uint64_t at; uint32_t bank, slot; enum dram_command command; };

struct dram_flight { uint64_t at, token; bool write; };   /* a request whose commands are sent; done at `at` */

struct dram {
    struct dram_timing timing;
    struct dram_cfg cfg;
    uint64_t *count;
    uint32_t words;                  /* 64-bit words of a mask over the banks */

    struct dram_slot *slot;
    uint32_t free, oldest, youngest;
    uint32_t queued, waiting[2];
    struct dram_list (*list)[2];     /* by bank and direction */
    uint64_t any[2][DRAM_BANK_WORDS];      /* banks with requests */
    uint64_t hits[2][DRAM_BANK_WORDS];     /* banks with requests to their open row */
    uint64_t displaced[DRAM_BANK_WORDS];   /* banks whose last row was closed for another */

    int direction;
    uint32_t batch;                  /* column commands since it changed */
    uint32_t low, high;              /* writes waiting at which draining ends and begins */
    uint64_t ages, columns;          /* requests and column commands so far */
    bool last_write;                 /* the last column command was a write */

    struct dram_plan plan;
    bool stale;                      /* the plan is to be made anew */
    uint64_t from;                   /* no command before this cycle */
    uint64_t refresh_due;

    struct dram_flight *flight;      /* ring, in the order of `at` */
    uint32_t flights, flight_head, flight_cap;
    uint64_t data_end;               /* of the last burst */
    uint64_t accounted;              /* STAT_DRAM_PENDING covers the cycles before this one */

    dram_observer *sent;
    void *sent_ctx;
};

/* Plans the next command. */
void dram_plan(struct dram *d);
/* Request i has just come and cannot be the next to be served: the plan stays as it is. */
bool dram_plan_stands(const struct dram *d, uint32_t i);

static inline void dram_turn_to(struct dram *d, int direction)
{
    if (d->direction != direction)
        d->batch = 0;
    d->direction = direction;
}

#endif
