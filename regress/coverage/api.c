/*
 * Which functions of the CUDA runtime API that public programs call has libcudart.so? api.txt lists them with
 * the number of programs. It must be exported, and is carried out unless frontend/cudart/unsupported.def
 * names it; then its line in the list says "unsupported:" and why.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define UNSUPPORTED(name) #name,
static const char *const unsupported[] = {
#include "frontend/cudart/unsupported.def"
};
#undef UNSUPPORTED

static int is_unsupported(const char *name)
{
    for (size_t i = 0; i < sizeof unsupported / sizeof *unsupported; i++)
        if (!strcmp(unsupported[i], name))
            return 1;
    return 0;
}

static const char *verdict(void *library, const char *name, const char *listed)
{
    if (!dlsym(library, name))
        return "not exported";
    if (is_unsupported(name) && !*listed)
        return "not supported";
    if (!is_unsupported(name) && *listed)
        return "supported, though listed as unsupported";
    return NULL;
}

int main(int argc, char **argv)
{
    void *library = argc == 3 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    FILE *list = argc == 3 ? fopen(argv[2], "r") : NULL;
    char line[256];
    int passed = 0, failed = 0, missing = 0, worst = 0, calls = 0, missing_calls = 0;
    if (!library || !list) {
        fprintf(stderr, "api: usage: api libcudart.so api.txt (%s)\n",
                argc == 3 && !library ? dlerror() : "no list");
        return 2;
    }
    while (fgets(line, sizeof line, list)) {
        char name[96], listed[96] = "";
        int programs = 0, alone = 0;
        if (line[0] == '#')
            continue;
        int fields = sscanf(line, "%95s %d %d unsupported: %95[^\n]", name, &programs, &alone, listed);
        const char *why = fields < 3 ? "not a line of the list" : verdict(library, name, listed);
        if (why)
            printf("FAILED: %s: %s\n", name, why);
        else if (*listed)
            printf("unsupported as listed: %-26s %d programs (%s)\n", name, programs, listed);
        if (*listed) {
            missing++;
            missing_calls += programs;
            worst = programs > worst ? programs : worst;
        }
        calls += fields < 3 ? 0 : programs;
        failed += why != NULL;
        passed += why == NULL;
    }
    fclose(list);
    printf("%d of %d functions carried out, %.2f %% weighted; %d programs call the most used of the others\n",
           passed + failed - missing, passed + failed, 100.0 * (calls - missing_calls) / (calls ? calls : 1),
           worst);
    printf("coverage-api: %d passed, %d failed\n", passed, failed);
    return failed || !passed;
}
