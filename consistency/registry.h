/*
 * The memory-ordering policies and coherence protocols that a configuration can name. To add one, write its file and a
 * row here. The choices of order.policy and coherence.protocol are these names, in this order.
 *
 *   ROW(symbol, "name")     symbol: a struct order_policy (order.h) or a struct coherence (memsys/coherence/coherence.h)
 */
#ifndef CONSISTENCY_REGISTRY_H
#define CONSISTENCY_REGISTRY_H

#define ORDER_POLICIES(ROW) \
    ROW(order_rmo_ptx, "rmo-ptx") \
    ROW(order_rmo_no_drain, "rmo-no-drain")

#define COHERENCE_PROTOCOLS(ROW)

#endif
