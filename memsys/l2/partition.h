/*
 * A memory partition: the L2 slices of one DRAM channel, their atomic units, and the channel. A request waits out the
 * slice's pipeline latency, looks up the tags, and is performed there and then: reads copy bytes of device memory into
 * the packet, writes merge theirs into it, atomics read and write it. L2 and DRAM share device memory as their one
 * store, so L2 lines are tags and dirty bits; a miss performs when its fill has come. Accesses to one line perform in
 * the order of their coming. Replies of a virtual network leave in the order in which they are performed, those of
 * atomics when the atomic unit is through with them.
 */
#ifndef MEMSYS_PARTITION_H
#define MEMSYS_PARTITION_H

#include "base/config.h"
#include "base/hist.h"
#include "memsys/dram/dram.h"
#include "memsys/xbar/port.h"
#include "memsys/tags.h"

struct coherence;
struct unit_kind;

struct l2_cfg {
#define CONFIG_ROWS "memsys/l2/config.def"
#include "base/config_fields.h"
    uint32_t sets;                   /* 0 = no L2 */
};

/* What the partition asks of those above it. */
struct partition_calls {
    void *ctx;
    /*
     * Performs an atomic packet on device memory, filling in old values. Returns the largest number of lanes that meet
     * at one word: they go through the atomic unit one after another, different words of the line side by side.
     */
    uint32_t (*atomic)(void *ctx, uint32_t slice, struct packet *p);
    /* The address that the line has at this packet's timestamp; NULL = itself. */
    uint64_t (*map)(void *ctx, const struct packet *p);
    /* Is this line readable host memory? False for instruction lines, which have tags but no bytes. */
    bool (*has_bytes)(void *ctx, uint64_t line);
    /* A message that neither the baseline nor the coherence protocol knows; returns false to have it offered again. */
    bool (*message)(void *ctx, uint32_t slice, struct packet *p, uint64_t now);
};

struct partition_cfg {
    const struct clocks *clocks;
    const struct addrmap *map;
    uint32_t channel, slices;        /* slices of this channel; global numbers channel * slices + i */
    uint32_t flit_bytes;
    uint32_t reply_latency;          /* crossbar cycles to the reply crossbar (xbar latency_in) */
    uint32_t credit_latency;         /* crossbar cycles for credits to the request crossbar */
    bool walk;                       /* visit every cycle, for comparison: same results, slower */
    struct l2_cfg l2;
    struct dram_cfg dram;
    struct partition_calls calls;
    const struct coherence *coherence;   /* protocol whose home the slices are; NULL = none. Needs tags */
    const struct unit_kind *unit;    /* beside every slice; NULL = none */
    void *unit_shared;               /* what its units share */
    uint32_t all_slices;             /* of all channels */
    uint32_t sms;                    /* that may share a line */
    uint64_t *coherence_seen;        /* how often each row of its home table was used, for tests; NULL = nobody asks */
};

void l2_configure(struct l2_cfg *c, const struct simtx_config *config);

struct partition;
/*
 * requests: ports (one per slice) whose receiver it is, cycles of CLK_L2; replies: ports whose sender it is, cycles of
 * CLK_XBAR. count: counters by enum stat. Of hists only HIST_DRAM_QUEUE is filled in; the others follow from a packet's
 * stamps when it is back.
 */
struct partition *partition_new(const struct partition_cfg *c, struct port **requests, struct port **replies,
                                uint64_t *count, struct hists *hists);
void partition_free(struct partition *p);
/*
 * Runs all L2 cycles < until_l2 and all memory cycles < until_mem (the same instant), in the order of real time. Where
 * nothing is due it may be left out; the counters of blocked and busy cycles are exact after it.
 */
void partition_run(struct partition *p, uint64_t until_l2, uint64_t until_mem);
uint64_t partition_next(const struct partition *p);   /* core cycle of its next event, ports included */
/*
 * End of a kernel: dirty lines are written back in time, from L2 cycle `now` on (the first one not run yet). Asked
 * again after each run: true when all is written and the partition is idle, then with `invalidate` also empty.
 */
bool partition_flush(struct partition *p, uint64_t now, bool invalidate);
/* Nothing is in its queues, missing, or in DRAM; ports are not looked at. */
bool partition_idle(const struct partition *p);
/* Drops all lines of an idle partition: the host changed memory. */
void partition_invalidate(struct partition *p);
/*
 * Sends a packet that answers no request towards an SM (a protocol's invalidation), on network k->vn, in the L2 cycle
 * after `now`; false: no room now.
 */
bool partition_send(struct partition *p, uint32_t slice, struct packet *k, uint64_t now);
/* A packet for that, of the slice's own, to this SM; `bytes` is the header's. packet_return ends its way. */
struct packet *partition_packet(struct partition *p, uint32_t slice, unsigned kind, unsigned vn, uint64_t line,
                                uint16_t sm);
/*
 * The DRAM row that this address of the partition's channel lies in, before it is copied or written over by a command
 * of its own. dirty: its lines whose bytes the L2 has and DRAM has not. clean: sends these off, from the L2 cycle after
 * `now` on; to be asked again, true when DRAM has all of them. drop: the L2 forgets the row's lines, dirty or not;
 * false: one of them is in use, nothing is changed.
 */
uint32_t partition_row_dirty(const struct partition *p, uint64_t address);
bool partition_row_clean(struct partition *p, uint64_t address, uint64_t now);
bool partition_row_drop(struct partition *p, uint64_t address);
void partition_dump(const struct partition *p, void (*line)(void *ctx, const char *text), void *ctx);

#endif
