/*
 * The file of a saved state: a line that names the format, then a stream compressed with zstd, with a checksum. The
 * same calls write and read it: in a file that is read, saved_bytes sets the bytes.
 */
#ifndef FRONTEND_SAVED_FILE_H
#define FRONTEND_SAVED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct saved_file;

/* NULL with errno. Writing: to a temporary file beside it; directly to what is not a regular file. */
struct saved_file *saved_file_create(const char *path);
/* May the process write there as saved_file_create does? false with errno. Creates nothing. */
bool saved_file_writable(const char *path);
/* NULL with a message (malloc'ed): no such file, not a saved state, or damaged. The whole file is checked. */
struct saved_file *saved_file_open(const char *path, char **message);
bool saved_file_writes(const struct saved_file *f);
/* False: the file ends, or cannot be written. */
bool saved_bytes(struct saved_file *f, void *p, size_t bytes);
bool saved_number(struct saved_file *f, uint64_t *n);
/* A text that is to be freed after reading. */
bool saved_text(struct saved_file *f, char **text);
/* Closes the file; a written one gets its name. false with errno. */
bool saved_file_close(struct saved_file *f);
/* Closes it; a written one is removed. */
void saved_file_drop(struct saved_file *f);
uint64_t saved_file_size(const struct saved_file *f);            /* bytes on disk so far, and before compression */
uint64_t saved_file_content(const struct saved_file *f);

#endif
