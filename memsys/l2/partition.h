/*
 * A memory partition: the L2 slices of one DRAM channel, their atomic units, and the channel. A request passes the
 * slice's pipeline, looks up the tags, and performs in that cycle: a read copies bytes of device memory into the
 * packet, a write merges its bytes into device memory, an atomic reads and writes it. L2 and DRAM share device memory
 * as their only store, so an L2 line has tags and dirty bits but no data; a miss performs when its fill has arrived.
 * Accesses to one line perform in order of arrival. Replies of a virtual network are sent in the order in which their
 * requests performed, those of atomics when they leave the atomic unit.
 */
#ifndef MEMSYS_PARTITION_H
#define MEMSYS_PARTITION_H

#include "base/config/config.h"
#include "base/hist.h"
#include "memsys/dram/dram.h"
#include "memsys/xbar/port.h"
#include "memsys/tags.h"

struct coherence;
struct engine_kind;
struct vmem;

struct l2_cfg {
#define CONFIG_ROWS "memsys/l2/config.def"
#include "base/config/config_fields.h"
    uint32_t sets;                   /* 0 = no L2 */
};

/* Calls into the machine. */
struct partition_calls {
    void *ctx;
    /*
     * Performs an atomic packet on device memory, and stores the old values in it. Returns the largest number of lanes
     * with one word: the atomic unit serialises them, and processes different words of a line in parallel. With
     * versions it sets p->mask to the bytes that it accessed.
     */
    uint32_t (*atomic)(void *ctx, uint32_t slice, struct packet *p);
    /* Maps the packet's line to the address that tags and DRAM use; NULL = itself. */
    uint64_t (*map)(void *ctx, const struct packet *p);
    /* The bytes of a mapped line in host memory; NULL: an instruction line, which has tags only. A NULL function: at
     * the address itself. */
    uint8_t *(*bytes)(void *ctx, uint64_t mapped);
    /* A message of the order policy; false: it is offered again in the next cycle. */
    bool (*message)(void *ctx, uint32_t slice, struct packet *p, uint64_t now);
};

struct partition_cfg {
    const struct clocks *clocks;
    const struct addrmap *map;
    uint32_t channel, slices;        /* slices of this channel; over all channels slice i is channel * slices + i */
    uint32_t flit_bytes;
    uint32_t reply_latency;          /* crossbar cycles to the reply crossbar (xbar latency_in) */
    uint32_t credit_latency;         /* crossbar cycles for credits to the request crossbar */
    uint32_t largest_packet;         /* flits */
    bool walk;                       /* visit every cycle: slower, same results */
    struct l2_cfg l2;
    struct dram_cfg dram;
    struct partition_calls calls;
    const struct coherence *coherence;   /* protocol whose home the slices are; NULL = none. Needs an L2 */
    uint32_t control_vns;            /* bit per virtual network that carries acknowledgements and notifications only */
    const struct engine_kind *engine;    /* beside every slice; NULL = none */
    void *engine_shared;             /* `shared` of engine_kind.new_engine */
    struct vmem *versions;       /* rows with slots (memsys/versions); calls.map and .bytes are theirs; NULL = none */
    uint32_t all_slices;             /* of all channels */
    uint32_t sms;                    /* SMs that may share a line */
    uint64_t *coherence_seen;        /* number of executions of each row of its home table, for tests; or NULL */
};

void l2_configure(struct l2_cfg *c, const struct simtx_config *config);

struct partition;
struct order_history;
/*
 * requests: ports (one per slice) whose receiver it is, cycles of CLK_L2; replies: ports whose sender it is, cycles of
 * CLK_XBAR. count: counters by enum stat. hists: only HIST_DRAM_QUEUE is used; the SM derives the others from the
 * stamps of a reply.
 */
struct partition *partition_new(const struct partition_cfg *c, struct port **requests, struct port **replies,
                                uint64_t *count, struct hists *hists);
void partition_free(struct partition *p);
/*
 * Runs all L2 cycles < until_l2 and all memory cycles < until_mem (the same instant) in the order of real time. A call
 * without an event may be skipped. The counters of blocked and busy cycles are exact after each call. Returns the core
 * cycle of its next event if no message or credit arrives.
 */
uint64_t partition_run(struct partition *p, uint64_t until_l2, uint64_t until_mem);
/*
 * For the next partition_run: credits that return before L2 cycle `credits` are in the ports. From then on it stops
 * before a cycle in which a slice might lack some. Default: NEVER.
 */
void partition_set_horizon(struct partition *p, uint64_t credits);
/* In L2 cycle n: for the next packet of each slice, whatever it is? */
bool partition_has_credits(const struct partition *p, uint64_t n);
uint64_t partition_next(const struct partition *p);   /* core cycle of its next event, ports included */
/*
 * End of a kernel: writes dirty lines back, from L2 cycle `now` on (the first one that has not been run). Called after
 * each partition_run until it returns true: all lines are clean and the partition is idle; with `invalidate` it is then
 * emptied, too.
 */
bool partition_flush(struct partition *p, uint64_t now, bool invalidate);
/* A lower bound of the core cycles until the flush is complete: each line that is left needs at least one DRAM command,
 * and DRAM issues at most one in a memory cycle. */
uint64_t partition_flush_least(const struct partition *p);
/*
 * With a coherence protocol, for an agent that accesses lines in no time, between cycles. Is the line not busy at its
 * home? Then: the SM whose copy a read must use (-1: memory has the line); and before a write, all copies are
 * invalidated, by the rows for HOME_OTHER_WRITE. probe: sends the probe to this SM, whose acknowledgement it becomes.
 */
struct partition_probe { void *ctx; void (*probe)(void *ctx, uint32_t sm, struct packet *p); };
bool partition_stable(const struct partition *p, uint32_t slice, uint64_t line);
int partition_holder(const struct partition *p, uint32_t slice, uint64_t line);
void partition_take(struct partition *p, uint32_t slice, uint64_t line, const struct partition_probe *probe);
/* Records the accesses of the engine beside this slice of the partition. */
void partition_record_order(struct partition *p, uint32_t slice, struct order_history *h);
/* Observers: served is called for every request of an SM that a slice's tags have served in an L2 cycle, kind is that
 * of the request; sent for every DRAM command. NULL = none. */
typedef void partition_served(void *ctx, uint32_t slice, uint64_t now, unsigned kind, const struct packet *p);
void partition_observe(struct partition *p, partition_served *served, dram_observer *sent, void *ctx);
/* Later misses fetch aligned blocks of so many bytes: the program has changed l2.fetch_bytes. */
void partition_set_fetch(struct partition *p, uint32_t bytes);
/* No request in its queues, MSHRs or DRAM; the ports are not considered. */
bool partition_idle(const struct partition *p);
/* Invalidates all lines of an idle partition: the host has changed memory. */
void partition_invalidate(struct partition *p);
/*
 * Between kernels: the host has copied these sectors of a line, or a launch has written them, and they are allocated,
 * unless the victim is in the directory of a coherence protocol. Dirty sectors of the victim are written to DRAM
 * outside of simulated time.
 */
void partition_copied(struct partition *p, uint32_t slice, uint64_t line, uint8_t sectors);
void partition_forget(struct partition *p, uint32_t slice, uint64_t line);   /* the same, and DRAM has new bytes */
/*
 * Sends a packet that is no reply (a protocol's invalidation) to an SM, on network k->vn, in the L2 cycle after `now`;
 * false: the reply queue is full.
 */
bool partition_send(struct partition *p, uint32_t slice, struct packet *k, uint64_t now);
/* Such a packet, from the slice's pool, to this SM, with the size of a header. The receiver calls packet_return. */
struct packet *partition_packet(struct partition *p, uint32_t slice, unsigned kind, unsigned vn, uint64_t line,
                                uint16_t sm);
/*
 * The DRAM row of this address, before an extra command copies or overwrites it. dirty: the number of its lines that
 * are dirty in L2. clean: writes these back, from the L2 cycle after `now` on; called until it returns true: DRAM has
 * all of them. drop: invalidates the row's lines in L2, dirty or not; false: one of them is in use, and nothing is
 * changed.
 */
uint32_t partition_row_dirty(const struct partition *p, uint64_t address);
bool partition_row_clean(struct partition *p, uint64_t address, uint64_t now);
bool partition_row_drained(const struct partition *p, uint64_t address);     /* no write-back to it is on its path */
bool partition_row_drop(struct partition *p, uint64_t address);
void partition_dump(const struct partition *p, void (*line)(void *ctx, const char *text), void *ctx);

#endif
