/*
 * The rules at an L2 slice: Writer Table, Reader List, and the map from versions to slots. A call is one atomic step,
 * taken when the slice accepts the message; only the removal of entries takes a call for each entry.
 */
#ifndef TM_SITM_SLICE_RULES_H
#define TM_SITM_SLICE_RULES_H

#include "base/fifo.h"
#include "memsys/versions/version_index.h"
#include "tm/sitm/rules/messages.h"
#include "tm/sitm/rules/reader_list.h"
#include "tm/sitm/rules/writer_table.h"

struct sitm_slice_counts {
    uint64_t reads, writes, edges;                     /* lanes registered; edges made */
    uint64_t refused_write, refused_full_writer, refused_full_reader;
    uint64_t removed;                                  /* entries */
};

struct sitm_slice {
    const struct sitm_rules *rules;
    struct sitm_writer_table writers;
    struct sitm_reader_list readers;
    struct fifo releases;                              /* struct sitm_message, in order of arrival */
    struct version_index index;                        /* published versions */
    uint32_t open;                                     /* slot of the version that is published next */
    uint32_t newest;                                   /* version that plain loads read (its slot: sitm_slice_slot) */
    struct sitm_edge *edge;                            /* of the last access */
    uint32_t edges, edges_cap;
    struct sitm_slice_counts counts;
};

/* rules must outlive the slice. */
void sitm_slice_init(struct sitm_slice *s, const struct sitm_rules *rules);
void sitm_slice_end(struct sitm_slice *s);

/* R3 and R5, R7, lanes in ascending order. Fills the reply (DATA, WRITE_ACK). edge: the EDGE for the manager;
 * edge->edges = 0: none is sent. */
void sitm_slice_read(struct sitm_slice *s, const struct sitm_access *a, struct sitm_reply *reply,
                     struct sitm_message *edge);
void sitm_slice_write(struct sitm_slice *s, const struct sitm_access *a, struct sitm_reply *reply,
                      struct sitm_message *edge);
/* R2: the version slot that holds a published version at this slice, or SITM_NO_SLOT. */
uint32_t sitm_slice_slot(const struct sitm_slice *s, uint32_t version);
/* R11: PASS has arrived; the lanes' entries are committed in `version`. The words are written after it. */
void sitm_slice_pass(struct sitm_slice *s, const struct sitm_message *pass);

/*
 * Messages of the manager. True: ack is to be sent (PUBLISH, RESET). COPY: the old version of the slot cannot be read
 * from now on; when the rows are copied, sitm_slice_copied. RELEASE: entries are removed by sitm_slice_remove.
 */
bool sitm_slice_control(struct sitm_slice *s, const struct sitm_message *m, struct sitm_message *ack);
/* The rows of a COPY are copied: ack is to be sent. */
void sitm_slice_copied(struct sitm_slice *s, const struct sitm_message *copy, struct sitm_message *ack);
/* There are entries to remove, or acknowledgements of removals to send. */
bool sitm_slice_removing(const struct sitm_slice *s);
/* Removes at most one table entry. True: RELEASED is to be sent. */
bool sitm_slice_remove(struct sitm_slice *s, struct sitm_message *released);
/* Both tables are empty. */
bool sitm_slice_empty(const struct sitm_slice *s);

#endif
