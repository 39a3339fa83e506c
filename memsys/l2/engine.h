/*
 * A unit beside each L2 slice, which a transactional memory may own: a commit unit, a table of conflicts. Messages of
 * kinds from MSG_UNIT on are its own, and come to it from the crossbar without the slice's pipeline; it works in L2
 * cycles, reads and writes lines through the slice's pipeline, tags and DRAM like any request, and sends messages to
 * SMs. It also sees what other requests do. Functions that are NULL do nothing; without a unit nothing is asked.
 */
#ifndef MEMSYS_UNIT_H
#define MEMSYS_UNIT_H

#include "base/hist.h"
#include "memsys/l2/partition.h"

/* Where a unit lives. */
struct unit_home {
    struct partition *part;
    uint32_t slice, slices;          /* number of the slice over all channels, and how many there are */
    uint64_t *count;                 /* by enum stat */
    struct hists *hists;
    const struct clocks *clocks;
    const struct addrmap *map;
};

struct unit_kind {
    /* shared: what the owner gave to the partition; it is the same for all slices. */
    void *(*new_unit)(void *shared, const struct unit_home *home);
    void (*free_unit)(void *unit);
    /* A message, in the L2 cycle of its arrival or later: the packet is the unit's. False: not now; it is offered again
     * in the next cycle, and all requests behind it on its network wait. */
    bool (*take)(void *unit, struct packet *k, uint64_t now);
    /* An access of unit_access has been performed: the bytes of a read are in the packet, which is the unit's again;
     * packet_return ends it. */
    void (*performed)(void *unit, struct packet *k, uint64_t now);
    /* L2 cycle `now`, behind the messages of that cycle. Returns the next cycle in which it acts without a message or a
     * performed access; NEVER. Also called in cycles that it did not ask for. */
    uint64_t (*run)(void *unit, uint64_t now);
    /* A request of an SM is about to be looked up. False: it waits, and is offered again in every cycle. */
    bool (*before)(void *unit, const struct packet *k, uint64_t now);
    /* A request of an SM, or an access of the unit's own, is about to be performed: memory still has the old bytes. */
    void (*accessed)(void *unit, const struct packet *k, uint64_t now);
    /* What it counts by cycles is exact for those before `until`. */
    void (*settle)(void *unit, uint64_t until);
    bool (*idle)(const void *unit);
    void (*dump)(const void *unit, void (*line)(void *ctx, const char *text), void *ctx);
};

/* ---- for units ---- */

/* A request of the slice's own: a read of these sectors, or a write of the packet's data and mask (the caller sets
 * them, and line). k->token is the unit's. All of a unit's requests have the same k->stages. It enters the slice's
 * pipeline in this cycle or a later one, one a cycle, behind those before it. k->found tells afterwards how it
 * was served. */
struct packet *unit_packet(const struct unit_home *h, bool write, uint64_t line, uint8_t sectors);
void unit_access(const struct unit_home *h, struct packet *k, uint64_t now);
/* `run` is to be called at this L2 cycle, at the latest: for units that `before` or `accessed` give something to do. */
void unit_runs(const struct unit_home *h, uint64_t at);
/* Messages to SMs: partition_packet, partition_send (partition.h), packet_return. */

#endif
