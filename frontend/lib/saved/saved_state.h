/* What a saved state contains besides events: its header, pages of host memory, and the contents of device memory. */
#ifndef FRONTEND_SAVED_STATE_H
#define FRONTEND_SAVED_STATE_H

#include "frontend/lib/saved/saved_file.h"
#include "frontend/lib/simtx.h"
#include "ptx/memory/devmem.h"

/* The version, the names of the statistics, and the keys on which functional mode depends. */
bool saved_header_write(struct saved_file *f, const simtx_config *c);
/* False with a message (malloc'ed) when the file is of another version, or a key has another value. */
bool saved_header_read(struct saved_file *f, const simtx_config *c, const char *path, char **message);

/* Managed and pinned memory, which the host reads and writes without a copy: a digest of its contents. */
uint64_t saved_host_digest(const struct devmem *m);
/* Its contents before a launch. */
struct saved_pages;
struct saved_pages *saved_pages_new(const struct devmem *m);
/* Writes the pages that the launch has changed; frees p. */
bool saved_pages_write(struct saved_file *f, struct saved_pages *p);
/* Reads them into memory. *other: a message when they lie outside managed and pinned memory; static text. */
bool saved_pages_read(struct saved_file *f, const struct devmem *m, const char **other);
void saved_pages_free(struct saved_pages *p);                    /* NULL: nothing */

/* Writes or reads the contents of all allocations. False: the file ends, or cannot be written. *other: a message when
 * the allocations are not those of the file; static text. */
bool saved_memory(struct saved_file *f, struct devmem *m, const char **other);

#endif
