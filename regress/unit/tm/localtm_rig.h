/* GPU-LocalTM by itself: the protocol's table with a common part that only notes what it is told. */
#ifndef REGRESS_UNIT_LOCALTM_RIG_H
#define REGRESS_UNIT_LOCALTM_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tm/localtm/localtm.h"

enum { RIG_LANES = 64, RIG_WARPS = 4, RIG_THREADS = RIG_LANES * RIG_WARPS, RIG_MAX_WORDS = 2048 };

struct tm_core {
    struct simtx_config *config;
    uint64_t count[STAT_END];
    uint64_t in[RIG_WARPS], aborted[RIG_WARPS];  /* lanes of the attempt; that were told to abort */
    bool committing[RIG_WARPS];
    uint64_t run_at;
    uint32_t resumed[16], nresumed, to_commit;
    struct tm_lane lane[RIG_WARPS][RIG_LANES];
};

struct rig {
    struct tm_core c;
    struct localtm_core *k;
    struct block block;
    struct tm_block b;
    uint32_t words;                  /* of the kernel, filled up to whole rows */
    _Alignas(8) uint8_t shared[RIG_MAX_WORDS * 9];
    struct mem_op op;
};

extern const struct tm_shared_protocol tm_localtm;

/* A block of four warps in slots 2, 0, 3, 1 and so many bytes of its own, all words holding their number + 1000.
 * settings: "key=value"s, ended by NULL. */
struct rig *rig_new(uint32_t bytes, const char *const *settings);
void rig_free(struct rig *r);
uint32_t rig_slot(uint32_t thread);
/* All threads are in the first attempt of a transaction; counts start at 0. */
void rig_begin(struct rig *r);
uint32_t *rig_word(struct rig *r, uint32_t word);
/* One lane's access; a store puts `value` into its words unless it conflicts. */
struct tm_access_result rig_access(struct rig *r, uint32_t thread, enum mem_op_kind kind, uint32_t word, unsigned words,
                               uint32_t value);
/* Of several lanes of a warp: word[i] is lane i's. Nothing is performed. */
struct tm_access_result rig_access_lanes(struct rig *r, uint32_t slot, enum mem_op_kind kind, uint64_t lanes,
                                     const uint32_t *word, unsigned words);
void rig_commit(struct rig *r, uint32_t thread);
void rig_abort(struct rig *r, uint32_t thread);

#endif
