/*
 * Device images inside host programs: the fat binary container that compilers embed, and PTX inside it.
 * Container (observed in files of several compilers): magic 0xBA55ED50, u16 version, u16 header size, u64
 * size of what follows; then entries of header + payload, payload possibly LZ4 (raw block) or zstd (frame).
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
    FATBIN_FLAG_ZLIB_LIKE = 0x1000,      /* an old scheme, refused with a message */
    FATBIN_FLAG_LZ4 = 0x2000,
    FATBIN_FLAG_ZSTD = 0x8000
};

/* What __cudaRegisterFatBinary is handed. */
struct fatbin_wrapper {
    uint32_t magic, version;
    const void *data;                    /* a container, or PTX text as it is */
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

/* A reader of one image: where it is and how far reading may go. */
struct fatbin {
    const unsigned char *data;
    size_t size;                         /* bytes that may be read; never guessed */
};

struct fatbin_entry {
    struct fatbin_entry_header head;
    const unsigned char *payload;
    size_t payload_size;
};

/* Iterate over a container's entries. *offset starts at 0. Returns 1 with *entry filled, 0 at the end, -1
 * when the container is damaged (`why`, of why_size bytes, says how). */
int fatbin_next(const struct fatbin *f, size_t *offset, struct fatbin_entry *entry, char *why,
                size_t why_size);

/* The PTX text of an entry, malloc'ed and NUL-terminated; NULL with `why` filled. */
char *fatbin_entry_ptx(const struct fatbin_entry *e, size_t *length, char *why, size_t why_size);

/*
 * The PTX text that a simulator should take from an image: of a container the PTX entry of the highest
 * architecture; of bare PTX text the text itself, up to its end. malloc'ed and NUL-terminated; NULL with
 * `why` filled.
 */
char *fatbin_ptx(const struct fatbin *f, size_t *length, char *why, size_t why_size);

/* Bytes from p to the end of the loaded segment of this process that holds it; 0 when none does. */
size_t fatbin_loaded_extent(const void *p);

#endif
