/*
 * Writes the binary seeds into a folder: containers with plain, LZ4 and zstd entries of the PTX text given,
 * and random byte strings for the kernels and launches.      seeds FOLDER FILE.ptx
 */
#include <lz4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "frontend/fatbin/fatbin.h"
#include "regress/fuzz/random.h"

enum { TEXT_MAX = 1 << 14, ROOM = 1 << 16 };

static const char *folder;

static void write_file(const char *target, int number, const void *p, size_t n)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s/seed%d", folder, target, number);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(p, 1, n, f) != n || fclose(f)) {
        fprintf(stderr, "seeds: cannot write %s\n", path);
        exit(1);
    }
}

static size_t add_entry(char *to, uint64_t flags, const char *text, size_t n, unsigned arch)
{
    struct fatbin_entry_header h = { .kind = FATBIN_PTX,
                                     .version = 0x101,
                                     .header_size = sizeof h,
                                     .major = 7,
                                     .minor = 5,
                                     .arch = arch,
                                     .flags = flags };
    char *payload = to + sizeof h;
    if (flags & FATBIN_FLAG_LZ4)
        h.compressed_size = (uint32_t)LZ4_compress_default(text, payload, (int)n, ROOM / 4);
    else if (flags & FATBIN_FLAG_ZSTD)
        h.compressed_size = (uint32_t)ZSTD_compress(payload, ROOM / 4, text, n, 3);
    else
        memcpy(payload, text, n);
    h.uncompressed_size = h.compressed_size ? n : 0;
    h.size = ((h.compressed_size ? h.compressed_size : n) + 7) / 8 * 8;
    memcpy(to, &h, sizeof h);
    return sizeof h + h.size;
}

static void write_containers(const char *text, size_t n)
{
    static const uint64_t flags[] = { 0, FATBIN_FLAG_LZ4, FATBIN_FLAG_ZSTD };
    static char image[ROOM];
    for (int first = 0; first < 3; first++) {
        struct fatbin_container_header h = { FATBIN_MAGIC, 1, sizeof h, 0 };
        memset(image, 0, sizeof image);
        for (int i = 0; i <= first; i++)
            h.size += add_entry(image + sizeof h + h.size, flags[(first + i) % 3], text, n / 8 + n % 8,
                                70 + (unsigned)i);
        memcpy(image, &h, sizeof h);
        write_file("fatbin", first, image, sizeof h + h.size);
    }
}

static void write_random(const char *target, int count, size_t most, const char *end)
{
    char bytes[4096];
    struct random r = random_from(strlen(target));
    for (int i = 0; i < count; i++) {
        size_t n = 150 + random_below(&r, (uint32_t)most);
        for (size_t k = 0; k < n; k++)
            bytes[k] = (char)random_below(&r, 256);
        memcpy(bytes + n, end, strlen(end));
        write_file(target, i, bytes, n + strlen(end));
    }
}

int main(int argc, char **argv)
{
    static char text[TEXT_MAX];
    FILE *f = argc == 3 ? fopen(argv[2], "rb") : NULL;
    size_t n = f ? fread(text, 1, sizeof text, f) : 0;
    if (!n) {
        fprintf(stderr, "usage: seeds FOLDER FILE.ptx\n");
        return 1;
    }
    fclose(f);
    folder = argv[1];
    write_containers(text, n);
    write_random("run", 40, 500, "");
    write_random("launch", 12, 1, "gpu.simt=independent\ngpu.sms=4\ngpu.stack_limit=512\nhost.isa=base\n");
    return 0;
}
