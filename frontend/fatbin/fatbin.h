/*
 * Device images inside host programs: the fat binary container that compilers embed, and the PTX in it. Format of a
 * container (observed in files of several compilers): magic 0xBA55ED50, u16 version, u16 header size, u64 size of the
 * entries; then the entries, each a header and a payload. A payload may be compressed: LZ4 (raw block) or zstd (frame).
 */
#ifndef FRONTEND_FATBIN_H
#define FRONTEND_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FATBIN_MAGIC 0xba55ed50u
#define FATBIN_WRAPPER_MAGIC 0x466243b1u
#define FATBIN_WRAPPER_LINKED 2          /* version of a wrapper whose `linked` is an array of containers */

enum fatbin_kind { FATBIN_PTX = 1, FATBIN_CUBIN = 2 };

enum {
    FATBIN_FLAG_ZLIB_LIKE = 0x1000,      /* an old scheme, not supported */
    FATBIN_FLAG_LZ4 = 0x2000,
    FATBIN_FLAG_ZSTD = 0x8000
};

/* The argument of __cudaRegisterFatBinary. */
struct fatbin_wrapper {
    uint32_t magic, version;
    const void *data;                    /* a container, or plain PTX text */
    const void *linked;                  /* version 2: NULL-terminated array of containers */
};

struct fatbin_container_header {
    uint32_t magic;
    uint16_t version, header_size;
    uint64_t size;
};

struct fatbin_entry_header {
    uint16_t kind, version;
    uint32_t header_size;
    uint64_t size;                       /* of the payload, padding included */
    uint32_t compressed_size;            /* 0 = not compressed */
    uint32_t options_offset;
    uint16_t minor, major;
    uint32_t arch;
    uint32_t name_offset, name_length;
    uint64_t flags;
    uint64_t reserved;
    uint64_t uncompressed_size;
};

/* An image in memory. */
struct fatbin {
    const unsigned char *data;
    size_t size;                         /* readable bytes */
};

struct fatbin_entry {
    struct fatbin_entry_header head;
    const unsigned char *payload;
    size_t payload_size;
};

/* Iterates over the entries of a container; *offset starts at 0. Returns 1 with *entry filled, 0 at the end, -1 when
 * the container is damaged (the reason is in `why`, of why_size bytes). */
int fatbin_next(const struct fatbin *f, size_t *offset, struct fatbin_entry *entry, char *why,
                size_t why_size);

/* The PTX text of an entry, malloc'ed and NUL-terminated; NULL with `why` filled. */
char *fatbin_entry_ptx(const struct fatbin_entry *e, size_t *length, char *why, size_t why_size);

/*
 * The PTX text of an image: in a container, the PTX entry with the highest architecture; in plain PTX text, the text
 * itself up to its end. malloc'ed and NUL-terminated; NULL with `why` filled.
 */
char *fatbin_ptx(const struct fatbin *f, size_t *length, char *why, size_t why_size);

/* Bytes from p to the end of the loaded segment of this process that contains it; 0 when no segment does. */
size_t fatbin_loaded_extent(const void *p);

#endif
