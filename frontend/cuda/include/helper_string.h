/* Command-line flags of sample programs: -name, --name, -name=value. */
#ifndef COMMON_HELPER_STRING_H_
#define COMMON_HELPER_STRING_H_

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif

/* The text after "name" in the flag (it begins with '=' or is empty), or NULL. */
static inline const char *simtx_find_flag(int argc, const char **argv, const char *name)
{
    size_t n = strlen(name);
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i];
        if (*a != '-')
            continue;
        while (*a == '-')
            a++;
        if (!strncasecmp(a, name, n) && (a[n] == '=' || a[n] == 0))
            return a + n;
    }
    return NULL;
}

static inline bool checkCmdLineFlag(const int argc, const char **argv, const char *name)
{
    return simtx_find_flag(argc, argv, name) != NULL;
}

static inline int getCmdLineArgumentInt(const int argc, const char **argv, const char *name)
{
    const char *v = simtx_find_flag(argc, argv, name);
    return v && *v ? atoi(v + 1) : 0;
}

static inline float getCmdLineArgumentFloat(const int argc, const char **argv, const char *name)
{
    const char *v = simtx_find_flag(argc, argv, name);
    return v && *v ? (float)atof(v + 1) : 0.0f;
}

static inline bool getCmdLineArgumentString(const int argc, const char **argv, const char *name, char **value)
{
    const char *v = simtx_find_flag(argc, argv, name);
    *value = v && *v ? (char *)(v + 1) : NULL;
    return *value != NULL;
}

#endif
