/*
 * A protocol engine beside each L2 slice, which a transactional memory may own: a commit unit, a table of conflicts. It
 * runs in L2 cycles. It receives messages of kinds from MSG_ENGINE on, without the delay of the slice's pipeline, sends
 * messages to SMs, and reads and writes lines through the slice's pipeline, tags and DRAM like a request. It is also
 * called for requests of SMs, before their look-up and when they perform. Functions that are NULL do nothing.
 */
#ifndef MEMSYS_UNIT_H
#define MEMSYS_UNIT_H

#include "base/hist.h"
#include "memsys/l2/partition.h"

/* The slice of an engine. */
struct engine_home {
    struct partition *part;
    uint32_t slice, slices;          /* number of the slice over all channels, and how many there are */
    uint64_t *count;                 /* by enum stat */
    struct hists *hists;
    const struct clocks *clocks;
    const struct addrmap *map;
};

struct engine_kind {
    /* shared: partition_cfg.engine_shared, the same for all slices. */
    void *(*new_engine)(void *shared, const struct engine_home *home);
    void (*free_engine)(void *engine);
    /* A message, in the L2 cycle of its arrival or later. True: the engine owns the packet; false: it is offered again
     * in the next cycle, and all later requests on its network wait. */
    bool (*take)(void *engine, struct packet *k, uint64_t now);
    /* An access of engine_access has performed; a read's bytes are in the packet, which the engine owns again and frees
     * with packet_return. */
    void (*performed)(void *engine, struct packet *k, uint64_t now);
    /* Executes L2 cycle `now`, after the messages of that cycle. Returns the next cycle with an event, if no message
     * arrives and no access performs before; or NEVER. May be called in other cycles, too. */
    uint64_t (*run)(void *engine, uint64_t now);
    /* Before the look-up of a request of an SM. False: it waits, and is offered again in every cycle. */
    bool (*before)(void *engine, const struct packet *k, uint64_t now);
    /* Before a request of an SM, or an access of the engine, performs: memory still has the old bytes. */
    void (*accessed)(void *engine, const struct packet *k, uint64_t now);
    /* A read with k->noted performs, after `accessed`: the engine writes its note for the reader to k->mask, and the
     * size of the note to k->note_bytes. */
    void (*note)(void *engine, struct packet *k, uint64_t now);
    /* Counts the cycles before `until` that have not been counted. */
    void (*settle)(void *engine, uint64_t until);
    /* engine_copy_slot has completed: every versioned row of the slice has the source's bytes in the target slot. */
    void (*copied)(void *engine, uint64_t now);
    bool (*idle)(const void *engine);
    void (*dump)(const void *engine, void (*line)(void *ctx, const char *text), void *ctx);
};

/* ---- for engines ---- */

/* An access of the engine: a read of these sectors, or a write of the packet's data and mask, which the caller sets.
 * k->token is for the engine; k->stages is the same in all packets of an engine. engine_access queues it: one a cycle
 * enters the slice's pipeline, in order. When it has performed, k->found is the result of its look-up. */
struct packet *engine_packet(const struct engine_home *h, bool write, uint64_t line, uint8_t sectors);
void engine_access(const struct engine_home *h, struct packet *k, uint64_t now);
/* `run` is called at this L2 cycle at the latest: for `before` and `accessed`. */
void engine_runs(const struct engine_home *h, uint64_t at);
/* Versioned memory (memsys/versions/vmem.h). engine_versioned: is this device address versioned? engine_copy_slot:
 * copies the slice's versioned rows from one slot to another; one copy at a time. engine_publish_slot: the slot is the
 * newest from now on; plain loads whose look-up follows read it. */
uint8_t *engine_bytes(const struct engine_home *h, uint64_t mapped);        /* of a mapped line in host memory */
bool engine_versioned(const struct engine_home *h, uint64_t address);
void engine_copy_slot(const struct engine_home *h, uint32_t from, uint32_t to, uint64_t now);
void engine_copy_slot_at_once(const struct engine_home *h, uint32_t from, uint32_t to);     /* in no time */
void engine_publish_slot(const struct engine_home *h, uint32_t slot);
/* Messages to SMs: partition_packet, partition_send (partition.h), packet_return. */

#endif
