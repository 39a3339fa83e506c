/*
 * Version slots. Life: S4 -copy begins-> S1 -all slices have copied-> S2 -all joined warps have written, all slices
 * have published-> S3 -not the newest, no references-> S4. At most one slot is in S1 or S2.
 */
#ifndef TM_SITM_SLOTS_H
#define TM_SITM_SLOTS_H

#include "tm/sitm/rules/rules.h"

enum sitm_slot_state { SITM_SLOT_FREE, SITM_SLOT_COPYING, SITM_SLOT_OPEN, SITM_SLOT_PUBLISHED };   /* S4, S1, S2, S3 */

struct sitm_slot {
    uint32_t version, references;    /* references: warp attempts that read it */
    uint32_t floor;                  /* greatest PrevTS of all transactions in versions up to this one (R12) */
    uint8_t state;
};

struct sitm_slots {
    uint32_t n, newest, open;        /* slots; open: in S1 or S2, or SITM_NO_SLOT */
    struct sitm_slot slot[SITM_MOST_SLOTS];
};

/* Version 0 in slot 0. */
void sitm_slots_init(struct sitm_slots *t, uint32_t n);
/* Begins the next version in the lowest free slot: its number, or SITM_NO_SLOT. None may be open. */
uint32_t sitm_slots_copy(struct sitm_slots *t);
void sitm_slots_copied(struct sitm_slots *t);
void sitm_slots_publish(struct sitm_slots *t);
void sitm_slots_reference(struct sitm_slots *t, uint32_t slot);
void sitm_slots_unreference(struct sitm_slots *t, uint32_t slot);
/* R18: the newest version becomes number 0, the open one number 1, all other slots free; floors are 0. */
void sitm_slots_reset(struct sitm_slots *t);

#endif
