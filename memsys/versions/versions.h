/*
 * Versioned memory: the rows that the declared regions touch (ptx/memory/region_table.h), the bytes of their slots, and,
 * for each L2 slice, which slot plain accesses use. The contract with a protocol:
 *
 *   The packet of an access names the slot: packet.slot = 1 + slot, or 0 = the newest version that is published at the
 *   slice. partition_calls.map maps it before the look-up. Lines of different slots are different lines everywhere.
 *
 *   engine_copy_slot (memsys/l2/engine.h) copies all versioned rows of a slice from one slot to another, in several
 *   banks at once, and calls engine_kind.copied when all have been copied. Until then no access may name the target.
 *   Per row: the target's lines in L2 are dropped, stores to the row are held, the source's dirty lines are written
 *   back and drained, ROWCLONE is issued, and when it completes the bytes move and the stores go on.
 *
 *   Plain stores and atomics write the newest version and, from the copy of their row until engine_publish_slot, the
 *   slot that is being copied or open (sitm.md 1.1 #23). They perform once; a second access, which carries no bytes,
 *   makes the other slot's line dirty at its cost (version.patches).
 *
 *   engine_publish_slot makes a slot the newest at this slice.
 *
 *   A kernel begins with all slices in slot 0, which is device memory, and the other slots are empty. At its end the
 *   protocol copies the newest version to slot 0 and publishes that.
 *
 * Without versions (version.slots = 0) nothing here is called.
 */
#ifndef MEMSYS_VERSIONS_H
#define MEMSYS_VERSIONS_H

#include "base/config/config.h"
#include "memsys/versions/layout.h"
#include "memsys/xbar/packet.h"

struct region_table;

enum { VERSIONS_NONE = UINT32_MAX };

struct versions_cfg {
#define CONFIG_ROWS "memsys/versions/config.def"
#include "base/config/config_fields.h"
};
void versions_configure(struct versions_cfg *c, const struct simtx_config *config);

/* A versioned row of a channel. Only the thread that runs the channel changes it. */
struct version_row {
    uint64_t address;                /* device address of its first byte */
    uint32_t bank, row;
    bool held;                       /* stores wait: it is being written back and copied */
    bool copied;                     /* since the slice's last engine_copy_slot */
    uint8_t *bytes;                  /* of the slots from 1 on */
    uint64_t content[LAYOUT_SLOTS_MAX];      /* equal numbers: equal bytes; 0 = unknown */
};

struct versions;

/* NULL without versions. */
struct versions *versions_new(const struct versions_cfg *c, const struct addrmap *map, uint32_t subarray_rows,
                              uint32_t slices);
void versions_free(struct versions *v);
/* Before a run: reads the declared regions; all slices are in slot 0 and the other slots are empty. */
void versions_begin(struct versions *v, const struct region_table *regions);
const struct layout *versions_layout(const struct versions *v);
/* The versioned row of a device address; NULL = it is not versioned. */
struct version_row *versions_row(const struct versions *v, uint64_t address);
/* The versioned rows of a channel in ascending order of bank and row. */
struct version_row *const *versions_rows(const struct versions *v, uint32_t channel, uint32_t *n);

/* partition_calls.map and .bytes. */
uint64_t versions_map(const struct versions *v, const struct packet *p);
uint8_t *versions_bytes(const struct versions *v, uint64_t mapped);

/* ---- for L2 slices ---- */
uint32_t versions_newest(const struct versions *v, uint32_t slice);
/* The slot that plain stores write, too; VERSIONS_NONE = there is none. */
uint32_t versions_next(const struct versions *v, uint32_t slice);
void versions_copy_begins(struct versions *v, uint32_t slice, uint32_t to);
void versions_publish(struct versions *v, uint32_t slice, uint32_t slot);
/* A row has been written in this slot. */
void versions_wrote(struct versions *v, struct version_row *r, uint32_t slot);
/* Has `to` other bytes than `from`, as far as is known? */
bool versions_stale(const struct version_row *r, uint32_t from, uint32_t to);
/* Moves the bytes of a row. */
void versions_move(struct versions *v, struct version_row *r, uint32_t from, uint32_t to);

#endif
