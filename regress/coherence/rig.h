/*
 * Several load/store units, crossbars and memory partitions under a coherence protocol, with instructions made by
 * hand: loads, stores and additions of words of one line each, at random; beside each slice an engine may read and
 * write lines in L2. Every value is checked when it is bound, and in every cycle: one writer or many readers, every
 * copy is listed at its home, whose L2 has the line, and the L2's bytes are current where the home's state says so.
 */
#ifndef REGRESS_COHERENCE_RIG_H
#define REGRESS_COHERENCE_RIG_H

#include "memsys/coherence/coherence.h"
#include "memsys/lsu/lsu.h"
#include "memsys/l2/partition.h"
#include "memsys/xbar/xbar.h"

enum { NODES_MAX = 6, SLOTS = 4, SLICES_MAX = 4, LINES = 10, LINE_WORDS = LINE_BYTES / 4, WORDS = LINES * LINE_WORDS,
       LOG_MAX = 1 << 18, ROWS_MAX = COHERENCE_STATES * (COHERENCE_MESSAGES + 8) };

/* What is tight in a run. */
struct tightness {
    const char *name;
    uint32_t nodes, lines;           /* lines: used by accesses */
    uint32_t l1_sets, l1_ways, l1_mshrs, l1_merges, miss_queue, l1_ports;
    uint32_t channels, slices, l2_sets, l2_ways, l2_mshrs, l2_merges, l2_miss_queue, reply_queue;
    uint32_t flits, flit_bytes;      /* of every buffer */
    uint64_t khz[CLK_COUNT];
};

struct access {                      /* of a slot; one at a time */
    struct mem_op op;
    bool busy;
    uint64_t logged;                 /* writes there were when it was issued */
    uint64_t issued;
};

struct node {
    struct rig *rig;
    struct lsu *u;
    uint64_t count[STAT_END];
    struct hists hists;
    struct access access[SLOTS];
    struct warp warp;
    struct block block;
    _Alignas(64) char regs[MAX_HALVES][SLOTS][LANES * 8];
    uint64_t seen[ROWS_MAX], late_before;
    uint64_t told, expected;         /* performances of accesses */
};

/* A protocol, and what its states mean. Sets of states: bit per state. */
struct rig_protocol {
    const struct coherence *p;
    bool through;                    /* memory has every performed write; words have one writer or are added to */
    unsigned late_state, late_message;       /* L1 row that serves loads with data that may be old, but not older than
                                              * they */
    uint64_t readers, owners;        /* L1 states with a copy that loads hit or will hit; with the only copy */
    uint64_t current;                /* home states in which the L2's bytes are the last performed writes */
    bool others;                     /* it has rows for accesses that are not its own */
};

struct rig_engine;

struct rig {
    const struct coherence *protocol;
    struct rig_protocol states;
    const struct tightness *tight;
    bool through;                    /* as in rig_protocol */
    unsigned late_row;
    bool walk, busy;                 /* busy: engines begin accesses */
    struct clocks clocks;
    struct addrmap map;
    struct lsu_cfg lsu;
    struct port port[2 * (NODES_MAX + SLICES_MAX)];
    struct port *sm_out, *slice_in, *slice_out, *sm_in;
    struct xbar *xbar[2];
    struct partition *partition[SLICES_MAX];
    uint64_t count[STAT_END];
    struct hists hists;
    struct node node[NODES_MAX];
    struct rig_engine *engine[SLICES_MAX];
    uint32_t engines;
    uint64_t home_seen[ROWS_MAX];
    uint64_t now, random, seed;
    uint64_t trace;                  /* hash of what was told and when */
    uint32_t shadow[WORDS];          /* the last performed write; `through`: the sum of additions */
    uint32_t logged_memory[WORDS];   /* `through`: memory at the end of the last cycle */
    struct { uint32_t word, value; } log[LOG_MAX];
    uint64_t logged, loads, late;    /* late: loads that were bound to a value that had been written over */
    uint32_t next_value;
    struct dinst dinst;
    struct ptx_inst inst;
};

extern uint32_t rig_memory[WORDS];

enum { RIG_SIZES = 8 };
extern const struct tightness rig_sizes[RIG_SIZES];

void rig_start(struct rig *r, const struct rig_protocol *p, const struct tightness *t, uint64_t seed, bool walk);
void rig_load(struct rig *r, struct node *n, unsigned slot, unsigned line);      /* its first word; slot is free */
void rig_traffic(struct rig *r, unsigned accesses);      /* of each node; until all are over */
/* Everything comes to rest, L1s write back; l2: so do the slices, and forget all lines. */
void rig_rest(struct rig *r, bool l2);
void rig_end(struct rig *r);
uint32_t rig_random(struct rig *r, uint32_t n);

#endif
