/*
 * Results of an earlier call of `simtx paper`. A run's fingerprint names everything that its results depend on: the
 * command, and digests of the configuration, the program and the simulator. Results with the same fingerprint are kept.
 */
#include "frontend/paper/paper.h"

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

static uint64_t text_digest(uint64_t h, const char *text)
{
    return digest(h, text, strlen(text));
}

/* Of all keys that the model depends on. */
static uint64_t config_digest(const simtx_config *c)
{
    uint64_t h = FNV_START;
    const char *kernel, *text, *origin;
    enum kernel_key key;
    for (int i = 0; i < KEY_COUNT; i++)
        if (config_keys[i].scope != CONFIG_HOST)
            h = text_digest(text_digest(h, config_keys[i].name), config_text(c, (enum config_key)i));
    for (size_t i = 0; config_kernel_at(c, i, &kernel, &key, &text, &origin); i++)
        h = text_digest(text_digest(text_digest(h, kernel), config_kernel_keys[key].name), text);
    return h;
}

/* Of a file's bytes; 0 when it cannot be read. */
static uint64_t file_digest(const char *path)
{
    size_t size;
    char *bytes = cmd_read_file(path, &size);
    uint64_t h = bytes ? digest(FNV_START, bytes, size) : 0;
    free(bytes);
    return h;
}

/* Of the libcudart that programs load, which simulates: beside the command, as built or as installed. */
static uint64_t simulator_digest(void)
{
    static const char *const places[] = { "../cuda/lib64/libcudart.so", "../share/simtx/cuda/lib64/libcudart.so" };
    char own[PATH_MAX];
    uint64_t h = 0;
    ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
    own[n > 0 ? n : 0] = 0;
    char *slash = strrchr(own, '/');
    for (size_t i = 0; slash && h == 0 && i < sizeof places / sizeof *places; i++) {
        char *path = mem_format("%.*s/%s", (int)(slash - own), own, places[i]);
        h = file_digest(path);
        free(path);
    }
    return h;
}

void paper_digests(struct paper_grid *g)
{
    g->simulator = simulator_digest();
    g->program = mem_zero((size_t)g->paper->nbenches, sizeof *g->program, "the digests of programs");
    for (int i = 0; i < g->paper->nbenches; i++) {
        char *path = mem_format("%s/%s", g->programs, g->paper->benches[i].program);
        g->program[i] = file_digest(path);
        free(path);
    }
}

char *paper_fingerprint(const struct paper_grid *g, const struct paper_run *run)
{
    char *text = NULL;
    size_t size;
    FILE *f = mem_file(&text, &size);
    paper_command_print(run, f);
    if (g->resolved[run->config])
        fprintf(f, "configuration %016" PRIx64 "\n", config_digest(g->resolved[run->config]));
    fprintf(f, "program %016" PRIx64 "\nsimulator %016" PRIx64 "\n", g->program[run->bench], g->simulator);
    fclose(f);
    return text;
}

void paper_reuse(const struct paper_grid *g, struct paper_run *run)
{
    char *key = mem_format("%s/runs/%s.key", g->out, run->key), *json = mem_format("%s/runs/%s.json", g->out, run->key);
    size_t size, n = strlen(run->fingerprint);
    char *old = cmd_read_file(key, &size);
    if (old && !strncmp(old, run->fingerprint, n) && (run->stats = json_load_file(json, 0, NULL)) != NULL) {
        run->state = PAPER_RUN_DONE;
        run->seconds = strtod(old + n, NULL);
    }
    free(old);
    free(key);
    free(json);
}
