/*
 * The ordering oracle (order.check = full) replays the accesses to global memory of all SMs in the order in which
 * their values were bound. Each byte that is read must have the value of the latest write (coherence). For a policy
 * that enforces sequential consistency, program order, reads-from, coherence order and from-read of the lanes' accesses
 * must have no cycle: that is the condition for an equivalent interleaving (Shasha and Snir, TOPLAS 10, 1988). Both are
 * exact: the replay is the coherence order, and no write is inferred from its value.
 *
 * Under rmo-ptx the axioms of the PTX memory model must hold (memsys/order/order_causal.h).
 *
 * A lane is a thread; a node is what one lane accesses with one instruction. Locations are words of 4 bytes; a narrower
 * access is one to its word. An access reads the write before it in the replay, so all relations but program order lead
 * forward in it. Hence the replay is cut where no program order leads backward across the cut: a cycle is in one part.
 *
 * The accesses of an engine beside an L2 slice (a commit unit's) are threads of their own, each of one access; so are
 * the writes of bulk copies, for which the order of their thread's accesses does not hold. Loads of bulk copies are not
 * recorded.
 *
 * SMs and slices record in parallel, each in its own history; the serial step between two windows replays what is
 * final.
 */
#ifndef MEMSYS_ORDER_ORACLE_H
#define MEMSYS_ORDER_ORACLE_H

#include "memsys/order/order_history.h"

struct order_oracle_cfg {
    const char *policy, *protocol, *configuration;
    uint64_t seed;
    bool sequential;                 /* relations must have no cycle */
    bool causal;                     /* the axioms of the PTX model must hold */
    uint32_t sms, slices;
    uint32_t batch;                  /* accesses of warps after which a step replays */
};

struct order_oracle_counts { uint64_t accesses, relations, backward, parts; };

struct order_oracle;
struct order_oracle *order_oracle_new(const struct order_oracle_cfg *c);
void order_oracle_free(struct order_oracle *o);
struct order_history *order_oracle_history(struct order_oracle *o, uint32_t sm);
struct order_history *order_oracle_slice(struct order_oracle *o, uint32_t slice);
/* Do the histories hold a batch? */
bool order_oracle_due(const struct order_oracle *o);
/* Replays the part that is complete when all accesses not recorded yet bind in cycle `final` or later. Returns NULL, or
 * a description of the violation, valid as long as the oracle. */
const char *order_oracle_step(struct order_oracle *o, uint64_t final);
/* At the end of a kernel: replays the rest. The memory's content is unknown afterwards. */
const char *order_oracle_finish(struct order_oracle *o);
/* An agent that no history records has written these bytes of the line, in no time: their values are not checked any
 * more in this kernel. */
void order_oracle_exclude(struct order_oracle *o, uint64_t line, const uint64_t mask[2]);
struct order_oracle_counts order_oracle_counts(const struct order_oracle *o);

#endif
