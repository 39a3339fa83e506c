/*
 * Arbitrary bytes as a device image: every entry of the container and its text, the text that a simulator
 * would take, and the same bytes as an ELF file. The mutator now and then makes the container's header fit,
 * so that the entries behind it are reached.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <stdio.h>
#include <unistd.h>

#include "frontend/fatbin/fatbin.h"
#include "frontend/fatbin/fatbin_elf.h"
#include "regress/fuzz/harness.h"
#include "regress/fuzz/random.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

static void check_text(char *text, size_t length, const char *why)
{
    REQUIRE(text ? strlen(text) == length : *why, "text of %zu bytes, message '%s'", length, why);
    free(text);
}

static void read_image(const struct fatbin *f)
{
    enum { ENTRIES = 64 };
    char why[200] = "";
    size_t offset = 0, length = 0;
    struct fatbin_entry e;
    for (int i = 0; i < ENTRIES && fatbin_next(f, &offset, &e, why, sizeof why) > 0; i++) {
        REQUIRE(e.payload >= f->data && e.payload_size <= f->size - (size_t)(e.payload - f->data),
                "payload outside");
        why[0] = 0;
        char *text = fatbin_entry_ptx(&e, &length, why, sizeof why);
        check_text(text, length, why);
    }
    why[0] = 0;
    char *text = fatbin_ptx(f, &length, why, sizeof why);
    check_text(text, length, why);
}

static bool visit(void *ctx, const struct fatbin *image)
{
    int *left = ctx;
    read_image(image);
    return --*left > 0;
}

static void read_elf(const uint8_t *data, size_t size)
{
    char path[64], why[200] = "";
    int fd = memfd_create("image", 0), left = 16;
    REQUIRE(fd >= 0 && write(fd, data, size) == (ssize_t)size, "no file");
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int n = fatbin_elf_visit(path, visit, &left, why, sizeof why);
    REQUIRE(n >= 0 || *why, "an unreadable file without a message");
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *exact = malloc(size + !size);
    REQUIRE(exact, "no memory");
    if (size)
        memcpy(exact, data, size);
    struct fatbin f = { exact, size };
    read_image(&f);
    if (size > 4 && !memcmp(data, "\177ELF", 4))
        read_elf(data, size);
    free(exact);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    struct random r = random_from(seed);
    size = LLVMFuzzerMutate(data, size, max);
    struct fatbin_container_header h = { FATBIN_MAGIC, 1, sizeof h, 0 };
    if (size < sizeof h || !memcmp(data, "\177ELF", 4) || random_once(&r, 3))
        return size;
    h.size = size - sizeof h;
    memcpy(data, &h, sizeof h);
    return size;
}
