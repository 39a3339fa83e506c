/*
 * Configuration keys: one row each, and nowhere else. From these rows come loading, range checks, `simtx config`, the
 * manual's table, the "config" object of the statistics, the owner's struct and the copy into it; the owner's rules
 * between keys stand below them. To add a key is to add a row to its owner's table (configs/keys.def lists the tables)
 * and to use the field.
 *
 *   INT_KEY, REAL_KEY(id, field, name, default, min, max, unit, scope, meaning, source of the default)
 *   BOOL_KEY(id, field, name, default, scope, meaning, source)
 *   ENUM_KEY(id, field, name, default, tag, LIST, scope, meaning, source)       LIST(X): X(ENUMERATOR, "choice") ...
 *   CHOICE_KEY(id, field, name, default, choices, scope, meaning, source)       "a|b|c"; the field is the position
 *   TEXT_KEY(id, field, name, default, scope, meaning, source)
 *   KERNEL_KEY(id, name, min, max, unit, meaning)       kernel.NAME.name, unset by default
 *   ENERGY(id, name, default, kind, part, events, meaning, source)
 *                              the energy of an event, or a power: a REAL_KEY ENERGY_id without a field
 *                              (timing/energy/energy.h explains kind, part and events)
 *   CHOICES(array)             a const char array[] of choices made from a registry, for CHOICE_KEY
 *
 *   RULE(a, relation, b)       AT_MOST, LESS_THAN, AT_LEAST_OR_0, MULTIPLE_OF
 *   POWER_OF_TWO(id)
 *   CHECK(function)            reports what breaks the owner's other rules: void function(config, diag)
 *   WARN(function)             the same for settings that can be simulated but contradict each other
 *
 * scope: MODEL = the machine that is simulated; RUN = what else changes results; HOST = only how fast the simulator
 * runs on this machine (shown apart in the statistics, so that two runs can be compared).
 *
 * To read rows, define the macros for the kinds of rows wanted and CONFIG_ROWS as the name of the table, then include
 * this file. Other kinds expand to nothing; all macros are undefined afterwards.
 */
#ifndef INT_KEY
#define INT_KEY(...)
#endif
#ifndef REAL_KEY
#define REAL_KEY(...)
#endif
#ifndef BOOL_KEY
#define BOOL_KEY(...)
#endif
#ifndef ENUM_KEY
#define ENUM_KEY(...)
#endif
#ifndef CHOICE_KEY
#define CHOICE_KEY(...)
#endif
#ifndef TEXT_KEY
#define TEXT_KEY(...)
#endif
#ifndef KERNEL_KEY
#define KERNEL_KEY(...)
#endif
#ifndef ENERGY
#define ENERGY_UNIT_CHIP "pJ"
#define ENERGY_UNIT_MEMORY "pJ"
#define ENERGY_UNIT_POWER "W"
#define ENERGY(id, name, def, kind, part, events, meaning, source) \
    REAL_KEY(ENERGY_##id, energy, name, def, 0, 1000000, ENERGY_UNIT_##kind, MODEL, meaning, source)
#endif
#ifndef CHOICES
#define CHOICES(...)
#endif
#ifndef RULE
#define RULE(...)
#endif
#ifndef POWER_OF_TWO
#define POWER_OF_TWO(...)
#endif
#ifndef CHECK
#define CHECK(...)
#endif
#ifndef WARN
#define WARN(...)
#endif

#include CONFIG_ROWS

#undef CONFIG_ROWS
#undef INT_KEY
#undef REAL_KEY
#undef BOOL_KEY
#undef ENUM_KEY
#undef CHOICE_KEY
#undef TEXT_KEY
#undef KERNEL_KEY
#undef ENERGY
#undef ENERGY_UNIT_CHIP
#undef ENERGY_UNIT_MEMORY
#undef ENERGY_UNIT_POWER
#undef CHOICES
#undef RULE
#undef POWER_OF_TWO
#undef CHECK
#undef WARN
