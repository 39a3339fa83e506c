/*
 * The key of a run names what its results depend on: version and digest of the simulator, digests of the program and of
 * the resolved configuration, and the program's arguments. Two runs with the same key have the same results, unless the
 * program reads files or environment variables that have changed.
 */
#include "frontend/sweep/batch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "frontend/cli/cmd.h"
#include "frontend/lib/config_load.h"

/* Fowler, Noll and Vo's hash, 1a of 64 bits. */
#define FNV_START UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

static uint64_t digest(uint64_t h, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        h = (h ^ (unsigned char)bytes[i]) * FNV_PRIME;
    return h;
}

/* With the NUL: "ab", "c" and "a", "bc" differ. */
static uint64_t add_text(uint64_t h, const char *text)
{
    return digest(h, text, strlen(text) + 1);
}

uint64_t batch_text_digest(const char *text)
{
    return add_text(FNV_START, text);
}

/* Of all keys that results depend on. */
static uint64_t config_digest(const simtx_config *c)
{
    uint64_t h = FNV_START;
    const char *kernel, *text, *origin;
    enum kernel_key key;
    for (int i = 0; i < KEY_COUNT; i++)
        if (config_keys[i].scope != CONFIG_HOST)
            h = add_text(add_text(h, config_keys[i].name), config_text(c, (enum config_key)i));
    for (size_t i = 0; config_kernel_at(c, i, &kernel, &key, &text, &origin); i++)
        h = add_text(add_text(add_text(h, kernel), config_kernel_keys[key].name), text);
    return h;
}

uint64_t batch_file_digest(const char *path)
{
    size_t size;
    char *bytes = cmd_read_file(path, &size);
    uint64_t h = bytes ? digest(FNV_START, bytes, size) : 0;
    free(bytes);
    return h;
}

/* libcudart lies beside the command, as built or as installed. */
uint64_t batch_simulator(void)
{
    static const char *const places[] = { "../cuda/lib64/libcudart.so", "../share/simtx/cuda/lib64/libcudart.so" };
    char own[PATH_MAX];
    uint64_t h = 0;
    ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
    own[n > 0 ? n : 0] = 0;
    char *slash = strrchr(own, '/');
    for (size_t i = 0; slash && h == 0 && i < sizeof places / sizeof *places; i++) {
        char *path = mem_format("%.*s/%s", (int)(slash - own), own, places[i]);
        h = batch_file_digest(path);
        free(path);
    }
    return h;
}

char *batch_key(uint64_t simulator, uint64_t program, char *const *arguments, const simtx_config *config)
{
    char *key = mem_format("simtx %s %016" PRIx64 "\nprogram %016" PRIx64 "\n", SIMTX_VERSION, simulator, program);
    mem_append(&key, "arguments");
    for (; *arguments; arguments++)
        mem_append(&key, " %zu:%s", strlen(*arguments), *arguments);
    mem_append(&key, "\nconfiguration %016" PRIx64 "\n", config ? config_digest(config) : 0);
    return key;
}
