/*
 * The key of a run names what its results depend on: version and digest of the simulator, digests of the program and of
 * the resolved configuration, and the program's arguments. Two runs with the same key have the same results, unless the
 * program reads files or environment variables that have changed.
 */
#include "frontend/sweep/batch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "frontend/cli/cmd.h"
#include "frontend/lib/config_load.h"

/* With the NUL: "ab", "c" and "a", "bc" differ. */
static uint64_t add_text(uint64_t h, const char *text)
{
    return hash_bytes(h, text, strlen(text) + 1);
}

uint64_t batch_text_digest(const char *text)
{
    return add_text(HASH_START, text);
}

/* Of all keys that results depend on. */
static uint64_t config_digest(const simtx_config *c)
{
    uint64_t h = HASH_START;
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
    char *bytes = file_read(path, &size);
    uint64_t h = bytes ? hash_bytes(HASH_START, bytes, size) : 0;
    free(bytes);
    return h;
}

uint64_t batch_simulator(void)
{
    char *folder = cmd_library_folder();
    if (!folder)
        return 0;
    char *library = mem_format("%s/libcudart.so", folder);
    uint64_t h = batch_file_digest(library);
    free(library);
    free(folder);
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
