/*
 * Versioned memory: the rows that the declared regions touch (ptx/memory/region_table.h), the bytes of their slots,
 * and, for each L2 slice, which slot plain accesses use. The contract with a protocol:
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
 *   makes the other slot's line dirty at its cost (version.patches). Older versions get the bytes, too, without cost: a
 *   thread whose next snapshot is older than the newest version at a slice must see its own plain stores.
 *
 *   engine_publish_slot makes a slot the newest at this slice.
 *
 *   A kernel begins with all slices in slot 0, which is device memory, and the other slots are empty. At its end the
 *   protocol copies the newest version to slot 0 and publishes that.
 *
 * Without versions (version.slots = 0) nothing here is called.
 */
#ifndef MEMSYS_VMEM_H
#define MEMSYS_VMEM_H

#include "base/config/config.h"
#include "memsys/dram/dram.h"
#include "memsys/versions/layout.h"
#include "memsys/xbar/packet.h"

struct devmem;
struct region_table;

enum { VMEM_NONE = UINT32_MAX };

struct vmem_cfg {
#define CONFIG_ROWS "memsys/versions/config.def"
#include "base/config/config_fields.h"
};
void vmem_configure(struct vmem_cfg *c, const struct simtx_config *config);

/* A versioned row of a channel. Only the thread that runs the channel changes it. */
struct version_row {
    uint64_t address;                /* device address of its first byte */
    uint32_t bank, row;
    bool held;                       /* stores wait: it is being written back and copied */
    bool copied;                     /* since the slice's last engine_copy_slot began */
    uint32_t patches;                /* outstanding second accesses of plain stores */
    struct version_row *next;        /* of the copier's list */
    uint8_t *bytes;                  /* of the slots from 1 on */
    uint64_t content[LAYOUT_SLOTS_MAX], ids;     /* equal numbers: equal bytes; 0 = unknown; ids: given so far */
};

struct vmem;

/* NULL without versions. */
struct vmem *vmem_new(const struct vmem_cfg *c, const struct addrmap *map, const struct devmem *mem,
                              const struct dram_cfg *dram);
void vmem_free(struct vmem *v);
/* Before a run: reads the declared regions; all slices are in slot 0 and the other slots are empty. */
void vmem_begin(struct vmem *v, const struct region_table *regions);
const struct layout *vmem_layout(const struct vmem *v);
enum vmem_copy vmem_policy(const struct vmem *v);
uint32_t vmem_row_bytes(const struct vmem *v);       /* of a channel's row, over all its chips */
/* The versioned row of a device address; NULL = it is not versioned. */
struct version_row *vmem_row(const struct vmem *v, uint64_t address);
/* The versioned rows of a channel in ascending order of row and bank. */
struct version_row *const *vmem_rows(const struct vmem *v, uint32_t channel, uint32_t *n);

/* partition_calls.map and .bytes. */
uint64_t vmem_map(const struct vmem *v, const struct packet *p);
uint8_t *vmem_bytes(const struct vmem *v, uint64_t mapped);

/* ---- for L2 slices ---- */
uint32_t vmem_newest(const struct vmem *v, uint32_t slice);      /* slice: over all channels */
/* The slot that plain stores write, too; VMEM_NONE = there is none. */
uint32_t vmem_next(const struct vmem *v, uint32_t slice);
/* The slots of older versions, a bit each. */
uint32_t vmem_older(const struct vmem *v, uint32_t slice);
void vmem_copy_begins(struct vmem *v, uint32_t slice, uint32_t to);
void vmem_publish(struct vmem *v, uint32_t slice, uint32_t slot);
/* A row has been written in this slot. */
void vmem_wrote(struct version_row *r, uint32_t slot);
/* Has `to` other bytes than `from`, as far as is known? */
bool vmem_stale(const struct version_row *r, uint32_t from, uint32_t to);
/* Moves the bytes of a row. */
void vmem_move(struct vmem *v, struct version_row *r, uint32_t from, uint32_t to);

#endif
