/*
 * The oracle of program order: the accesses of each warp that have not performed, by instruction, and whether an access
 * that the L1 accepts may perform now under the memory model that its order policy enforces. It keeps its own account
 * from what is issued and what performs, and knows nothing of the policy's rules. A violation ends the simulator.
 *
 * The condition is sufficient: an access performs after it is accepted, so if all accesses that the model orders before
 * it have performed by then, they are performed in order (Lamport, IEEE Transactions on Computers C-28, 1979; for total
 * store order, Sewell et al., x86-TSO, Communications of the ACM 53, 2010).
 */
#ifndef MEMSYS_ORDER_CHECK_H
#define MEMSYS_ORDER_CHECK_H

#include "ptx/memory/access.h"

/* Of an order policy. TSO: a load waits for the loads before it, any other access for all. SC_REORDERED: sequential
 * consistency, but accesses may perform out of order where no thread can see it; PTX: the PTX memory model. Only the
 * ordering oracle checks these two (memsys/order/order_oracle.h). */
enum order_model {
    ORDER_MODEL_NONE, ORDER_MODEL_SC, ORDER_MODEL_TSO, ORDER_MODEL_SC_REORDERED, ORDER_MODEL_PTX
};

struct order_check_cfg { enum order_model model; const char *policy; uint16_t sm; uint64_t seed; };

struct order_check;
struct order_check *order_check_new(const struct order_check_cfg *c, uint32_t warps);
void order_check_free(struct order_check *c);
/* The instruction has so many accesses to global memory. */
void order_check_issued(struct order_check *c, const struct mem_op *op, uint32_t loads, uint32_t stores);
void order_check_performed(struct order_check *c, uint32_t warp, uint64_t instruction, bool store);
/* Have the accesses performed that the model orders before those of this instruction? */
bool order_check_in_order(const struct order_check *c, const struct mem_op *op);
/* The cycle in which the oldest instruction with outstanding accesses was issued; without one, `now`. */
uint64_t order_check_oldest(const struct order_check *c, uint64_t now);
/* Prints the access, and those before it that have not performed, and aborts. */
_Noreturn void order_check_report(const struct order_check *c, const struct mem_op *op, uint64_t line, uint64_t now);

#endif
