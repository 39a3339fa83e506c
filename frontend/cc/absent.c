/* The CUDA libraries that simtx does not have. Link lines often name them without need, so they are left out with a
 * note. */
#include "cc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"

struct absent { const char *start, *name; };

/* What the names of their headers and files start with. */
static const struct absent libraries[] = {
    {"cublas", "cuBLAS"},     {"nvblas", "NVBLAS"},     {"cufft", "cuFFT"},   {"cusparse", "cuSPARSE"},
    {"cusolver", "cuSOLVER"}, {"cutensor", "cuTENSOR"}, {"cudnn", "cuDNN"},   {"nccl", "NCCL"},
    {"npp", "NPP"},           {"nvjpeg", "nvJPEG"},     {"nvml", "NVML"},     {"nvidia-ml", "NVML"},
    {"cupti", "CUPTI"},       {"optix", "OptiX"},       {"nvshmem", "NVSHMEM"}, {"cufile", "cuFile"},
    {"cudss", "cuDSS"},       {"nvgraph", "nvGRAPH"},
};

const char *cc_absent_library(const char *name)
{
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (!strncmp(name, libraries[i].start, strlen(libraries[i].start)))
            return libraries[i].name;
    return NULL;
}

/* True if a folder of -L or $LIBRARY_PATH has the library. */
static bool has_library(const char *folder, size_t n, const char *name)
{
    static const char *const ends[] = {"so", "a"};
    bool found = false;
    for (size_t i = 0; i < 2; i++) {
        char *path = mem_format("%.*s/lib%s.%s", (int)n, folder, name, ends[i]);
        found |= !access(path, F_OK);
        free(path);
    }
    return found;
}

static bool user_has(const struct words *opts, const char *name)
{
    const char *dirs = getenv("LIBRARY_PATH");
    for (size_t i = 0; i < opts->n; i++) {
        const char *w = opts->at[i], *dir = strncmp(w, "-L", 2) ? NULL : w[2] ? w + 2 : opts->at[i + 1];
        if (dir && has_library(dir, strlen(dir), name))
            return true;
    }
    while (dirs && *dirs) {
        size_t n = strcspn(dirs, ":");
        if (has_library(dirs, n, name))
            return true;
        dirs += n + (dirs[n] == ':');
    }
    return false;
}

void cc_add_libraries(const struct cc *cc, struct words *cmd)
{
    for (size_t i = 0; i < cc->link_opts.n; i++) {
        const char *word = cc->link_opts.at[i], *library = strncmp(word, "-l", 2) ? NULL : cc_absent_library(word + 2);
        if (library && !user_has(&cc->link_opts, word + 2))
            cc_note("%s: left out, since simtx has no %s", word, library);
        else
            words_add(cmd, word);
    }
}
