/*
 * The L1's side of a coherence protocol: runs the rows of its table (coherence.h) on the lines, data and MSHR entries
 * of the L1. A line that left and waits for a reply has an entry of another array, which needs nothing to be freed, so
 * that misses that need its place cannot wait for one another in a circle.
 */
#ifndef MEMSYS_L1_COHERENCE_H
#define MEMSYS_L1_COHERENCE_H

#include "memsys/coherence/coherence.h"
#include "memsys/lsu/remote.h"

struct l1_coherence {
    const struct coherence *protocol;    /* NULL = none */
    const struct lsu_cfg *cfg;
    struct l1 *l1;
    struct remote *remote;
    bool saves[COHERENCE_STATES];        /* by state: the line must send something before it may go */
    uint32_t unsaved;                    /* lines in such states, without an entry */
    uint32_t cursor;                     /* of the flush */
    struct mshr left;                    /* entry e of it is number l1.mshrs + e */
    uint32_t *list, listed;              /* entries whose oldest access waits for room, in order */
};

void l1_coherence_init(struct l1_coherence *c, const struct lsu_cfg *cfg, struct l1 *l1, struct remote *remote);
void l1_coherence_end(struct l1_coherence *c);

enum served l1_coherence_access(struct l1_coherence *c, struct mem_op *op, const struct line_access *a, uint64_t now);
/* The line at `index` gives its place up. */
enum served l1_coherence_evict(struct l1_coherence *c, uint32_t index, uint64_t now);
/* A reply, which stays the caller's; or a call, which goes back as an answer. */
void l1_coherence_message(struct l1_coherence *c, struct packet *p, uint64_t now);
void l1_coherence_run(struct l1_coherence *c, uint64_t now);     /* accesses that waited for room, if any */
/* Sends off one line that must be saved if there is room; true: more are left. */
bool l1_coherence_flush_line(struct l1_coherence *c, uint64_t now);
unsigned l1_coherence_state(const struct l1_coherence *c, uint64_t line);
/* The lines that are under way. */
void l1_coherence_dump(const struct l1_coherence *c, void (*line)(void *ctx, const char *text), void *ctx);

#endif
