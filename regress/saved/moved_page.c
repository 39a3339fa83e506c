/*
 * Copies a saved state of steps.cu with one page moved out of its allocation: "memory", the first page of device memory
 * at the point, after its end; "managed", the page of managed memory that a launch has changed, into device memory.
 * Usage: moved_page memory|managed STATE COPY
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "frontend/lib/saved/saved_file.h"

enum { DATA_BYTES = 40000, MANAGED_BYTES = 400 };

static unsigned char *content;
static uint32_t bytes, cap;

static uint64_t number(uint32_t at)
{
    uint64_t n = 0;
    if (at + sizeof n <= bytes)
        memcpy(&n, content + at, sizeof n);
    return n;
}

/* The place of a range's bounds, before its first page. */
static uint32_t find_range(void)
{
    for (uint32_t at = 0; at < bytes; at++)
        if (number(at) && number(at + 8) - number(at) == DATA_BYTES && number(at + 16) == number(at))
            return at;
    return 0;
}

/* The place of two numbers that follow each other. */
static uint32_t find_pair(uint64_t first, uint64_t second, uint32_t at)
{
    while (at < bytes && (number(at) != first || number(at + 8) != second))
        at++;
    return at < bytes ? at : 0;
}

static bool move_page(const char *which)
{
    uint32_t range = find_range(), managed = find_pair(0, MANAGED_BYTES, 0), page = range + 16;
    uint64_t to = number(range + 8) + 4096;
    if (!strcmp(which, "managed")) {
        page = find_pair(number(managed + 24), MANAGED_BYTES, managed + 32);     /* the allocation: kind, size, kind */
        to = number(range);
    }
    if (range && managed && page)
        memcpy(content + page, &to, sizeof to);
    return range && managed && page;
}

static void read_content(struct saved_file *f)
{
    unsigned char byte;
    while (saved_bytes(f, &byte, 1)) {
        content = mem_grow(content, bytes, &cap, 1, "a saved state");
        content[bytes++] = byte;
    }
    saved_file_close(f);
}

int main(int argc, char **argv)
{
    char *message = NULL;
    struct saved_file *from = argc == 4 ? saved_file_open(argv[2], &message) : NULL;
    if (from)
        read_content(from);
    if (!from || !move_page(argv[1]))
        return 1;
    struct saved_file *to = saved_file_create(argv[3]);
    bool ok = to && saved_bytes(to, content, bytes) && saved_file_close(to);
    free(content);
    return !ok;
}
