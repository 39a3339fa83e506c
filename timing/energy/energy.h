/*
 * The energy of a launch: a sum over events, n x e, and over powers, P x time. It is computed when a launch has ended,
 * from its counters and the configuration; nothing is added while the machine runs.
 *
 * An event is a row of the configuration keys (base/config/config_rows.h) in the table of its component, protocol or
 * policy; one row adds the key and the term:
 *
 *   ENERGY(id, name, default, kind, part, events, meaning, source)
 *
 * kind: CHIP = pJ at 28 nm, multiplied by energy.scale; MEMORY = pJ; POWER = W.
 * part: the term belongs to the figure STAT_ENERGY_part (timing/energy/stats.def), a part of energy.total.
 * events: how often it occurs, or for how many picoseconds the power is drawn: an expression of
 *   N(ID)                  a counter
 *   SIZE(ID)               a configuration key that is an integer
 *   CORE_PS(n), DRAM_PS(n) the picoseconds of n cycles of the core clock, and of the memory clock
 */
#ifndef TIMING_ENERGY_H
#define TIMING_ENERGY_H

#include "base/config/config.h"
#include "base/stats.h"

/* Sets the energy of each part, and the time, from the other counters of a launch or of a part of it. stats_sum_parts
 * adds the parts. */
void energy_count(const struct simtx_config *config, uint64_t *count);

#endif
