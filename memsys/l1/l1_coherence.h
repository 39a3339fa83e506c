/*
 * The coherence controller of an L1: executes the rows of the protocol's L1 table (coherence.h) on the lines, data and
 * MSHR entries of the L1. A line that is evicted with its bytes waits for its reply in the write-back buffer. An entry
 * of the buffer is freed by that reply alone, so misses that need the line's way never wait for each other in a cycle.
 */
#ifndef MEMSYS_L1_COHERENCE_H
#define MEMSYS_L1_COHERENCE_H

#include "memsys/coherence/coherence.h"
#include "memsys/lsu/remote.h"

struct l1_coherence {
    const struct coherence *protocol;    /* NULL = none */
    const struct l1_cfg *cfg;
    struct l1 *l1;
    struct remote *remote;
    bool writes_back[COHERENCE_STATES];  /* by state: an eviction sends a request and waits for its reply */
    uint32_t to_write_back;          /* lines in such states, without an MSHR entry */
    uint32_t cursor;                 /* of the flush */
    struct mshr buffer;              /* write-back buffer; its entry e has number l1.mshrs + e */
    uint32_t *retry, retries;        /* MSHR entries whose oldest access found no free resource, in order */
    bool freed;                      /* a way or an entry of the write-back buffer is free since the last retries */
    bool poll;                       /* an entry of `retry` waits for something else */
};

void l1_coherence_init(struct l1_coherence *c, const struct l1_cfg *cfg, struct l1 *l1, struct remote *remote);
void l1_coherence_end(struct l1_coherence *c);

enum lsu_result l1_coherence_access(struct l1_coherence *c, struct mem_op *op, const struct line_access *a,
                                    uint64_t now);
/* Requests the line, for writing if `write`, without an access. False: it is present with that permission or in flight,
 * no resource is free, or a store carries its bytes to the home. */
bool l1_coherence_prefetch(struct l1_coherence *c, struct mem_op *op, const struct line_access *a, bool write,
                           uint64_t now);
/* Evicts the line at `index` from its way. */
enum lsu_result l1_coherence_evict(struct l1_coherence *c, uint32_t index, uint64_t now);
/* A reply, which the caller still owns; or a probe, which returns to the home as an acknowledgement. */
void l1_coherence_message(struct l1_coherence *c, struct packet *p, uint64_t now);
/* A probe in no time: p becomes the acknowledgement, which is not sent. */
void l1_coherence_probe(struct l1_coherence *c, struct packet *p, uint64_t now);
/* The bytes of a copy here; NULL = none. */
const uint8_t *l1_coherence_copy(const struct l1_coherence *c, uint64_t line);
/* Are the accesses of `retry` offered in the next cycle? */
static inline bool l1_coherence_retries(const struct l1_coherence *c)
{
    return c->retries && (c->poll || c->freed);
}

void l1_coherence_retry(struct l1_coherence *c, uint64_t now);   /* the accesses of `retry` */
/* Evicts one line that must be written back, if a buffer entry is free; true: more are left. */
bool l1_coherence_flush_line(struct l1_coherence *c, uint64_t now);
unsigned l1_coherence_state(const struct l1_coherence *c, uint64_t line);
/* The lines with an MSHR entry or in the write-back buffer. */
void l1_coherence_dump(const struct l1_coherence *c, void (*line)(void *ctx, const char *text), void *ctx);

#endif
