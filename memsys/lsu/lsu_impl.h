/* Shared by the files of the load/store unit: lsu.c, lsu_serve.c, lsu_receive.c, and lsu_stage.c. */
#ifndef MEMSYS_LSU_IMPL_H
#define MEMSYS_LSU_IMPL_H

#include "memsys/l1/l1_coherence.h"
#include "memsys/l1/l1_pipeline.h"
#include "memsys/lsu/lsu.h"
#include "memsys/lsu/rocache.h"
#include "memsys/lsu/staging.h"

/* A queued instruction, with its global accesses. */
struct queued {
    struct mem_op *op;
    uint32_t n;
    uint32_t servers;                /* bits of those that have lanes, in server_order */
    struct line_access access[WARP_LANES];
};

/* Ops on private memory that use free ports of L1; `next` of the `n` accesses of the oldest one have been served. */
struct background {
    struct mem_op *first, *last;     /* linked by `next` */
    uint32_t queued, n, next, track;
    bool started, blocked, retry;
    struct line_access access[COALESCE_MAX];
};

/* An access that a full structure rejects: its blocked cycles are counted from one on, under these counters. It is
 * offered again after a reply, and (retry) after another access has taken resources, since the reason may change, and,
 * if it waits for space in a queue (sending), after a request has left. */
struct rejection { bool on, sending, retry; uint64_t from; enum stat by[2]; };

struct lsu {
    /* the fields that lsu_next reads come first */
    struct port *in;
    uint64_t clock;                  /* last cycle of lsu_run, lsu_issue or lsu_fetch */
    uint32_t first, n;               /* of the queue: index of the oldest, number */
    bool started;                    /* of the oldest instruction: processing has begun */
    struct rejection rejected, not_looked_up;    /* of the oldest instruction; of the oldest access in the pipeline */
    bool flushing;
    bool changed;                    /* since the last offers, something that rejected accesses may wait for */
    bool served;                     /* in this visit, an access took resources after the look-ups */
    uint8_t probe_vns;               /* bit per network with probes or other messages that are handled on arrival */
    uint32_t reply_vn;               /* round robin: first network to consider */
    uint32_t narrived;               /* packets in `arrived`: only with several networks */
    uint64_t step;                   /* cycle in which its processing continues */
    uint64_t addresses_free;         /* cycle at which the address unit accepts another instruction */
    uint32_t address_cycles;         /* of an instruction */
    uint32_t pass_delay;             /* cycles by which further passes delay the result */
    uint64_t banks_free;             /* cycle until which the banks of shared memory are busy after their passes */
    uint64_t filters_free;           /* cycle until which the texture units are busy with the oldest instruction */
    struct lsu_banks banks;
    struct sender send;
    struct queued *queue;            /* ring of cfg.queue */
    uint32_t server;                 /* of the oldest instruction: index in server_order */
    uint32_t accesses, next, track;
    const struct line_access *access;
    uint64_t *count;
    struct hists *hists;
    struct lsu_cfg cfg;
    struct retire retire;
    struct l1 l1;
    struct l1_pipeline pipeline;
    struct rocache konst, texture, inst;
    struct l15 l15;
    struct remote remote;
    struct l1_coherence coherence;
    struct staging staging;
    uint64_t instructions;           /* issued so far */
    uint32_t ports;                  /* of the L1, free in this cycle */
    struct private_map private;
    struct packet_queue arrived[VNS_MAX];
    struct background background;
    struct line_access others[COALESCE_FETCH_MAX];       /* accesses that are not global */
};

/* ---- lsu_serve.c: the accesses of instructions ---- */
extern const enum mem_server lsu_server_order[SERVERS];
/* The instruction accesses n lines of global or private memory. */
void lsu_count_accesses(struct lsu *u, const struct mem_op *op, const struct line_access *access, uint32_t n);
/* Offers a global access to the L1, and checks its order. track: remote_track of stores and reds. */
enum lsu_result lsu_serve_global(struct lsu *u, struct mem_op *op, const struct line_access *a, uint32_t track,
                                 uint64_t now);
/* The cycle `now` of the oldest instruction, of the accesses at the end of L1's pipeline, and of the ops in the
 * background, of which there is at least one. */
void lsu_serve_oldest(struct lsu *u, uint64_t now);
void lsu_look_up(struct lsu *u, uint64_t now);
void lsu_serve_background(struct lsu *u, uint64_t now);

/* ---- lsu_receive.c ---- */
/* Handles what has arrived: all probes, and one of the other packets. */
void lsu_receive(struct lsu *u, uint64_t now);

/* ---- lsu_stage.c: the stage of an order policy ---- */
/* Offers an access to the stage, and to the L1 if the stage lets it pass. */
enum lsu_result lsu_stage_offer(struct lsu *u, struct mem_op *op, const struct line_access *a, uint64_t now);
/* Offers to the L1 the accesses that the stage chooses. */
void lsu_stage_run(struct lsu *u, uint64_t now);
/* A message of the order policy: a reply to its own, or a packet of a partition. */
void lsu_stage_message(struct lsu *u, struct packet *p, uint64_t now);
/* The stage's next event; after a rejection by the L1 it chooses in every cycle. */
uint64_t lsu_stage_next(const struct lsu *u);

#endif
