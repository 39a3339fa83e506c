/* Command-line flags of sample programs (-name, --name, -name=value), and where their files are. */
#ifndef COMMON_HELPER_STRING_H_
#define COMMON_HELPER_STRING_H_

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sstream>
#include <string>

#ifndef STRCASECMP
#define STRCASECMP strcasecmp
#endif
#ifndef STRNCASECMP
#define STRNCASECMP strncasecmp
#endif
#ifndef STRCPY
#define STRCPY(to, size, from) strcpy(to, from)
#endif
#ifndef FOPEN
#define FOPEN(file, name, mode) (file = fopen(name, mode))
#endif
#ifndef FOPEN_FAIL
#define FOPEN_FAIL(file) ((file) == NULL)
#endif
#ifndef SSCANF
#define SSCANF sscanf
#endif
#ifndef SPRINTF
#define SPRINTF sprintf
#endif

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

template <class T_> inline bool getCmdLineArgumentValue(const int argc, const char **argv, const char *name, T_ *value)
{
    const char *v = simtx_find_flag(argc, argv, name);
    if (v && *v)
        std::istringstream(v + 1) >> *value;
    return v != NULL;
}

/* The index of the first character that is not the delimiter. */
inline int stringRemoveDelimiter(char delimiter, const char *string)
{
    int start = 0;
    while (string[start] == delimiter)
        start++;
    return start >= (int)strlen(string) - 1 ? 0 : start;
}

/* The text after the last dot; the result is its index, 0 without one. */
inline int getFileExtension(char *filename, char **extension)
{
    char *dot = strrchr(filename, '.');
    *extension = dot ? dot + 1 : NULL;
    return dot ? (int)(dot + 1 - filename) : 0;
}

/* The path of a data file in one of the folders where samples keep them, from the current one and from the program's;
 * allocated; NULL without such a file. */
inline char *sdkFindFilePath(const char *filename, const char *executable_path)
{
    static const char *const folders[] = {"", "data/", "common/data/", "../", "../data/", "../common/data/",
                                          "../../data/", "../../common/data/", "../../../data/",
                                          "../../../common/data/"};
    std::string program(executable_path ? executable_path : "");
    size_t slash = program.rfind('/');
    const std::string bases[] = {"./", slash == std::string::npos ? "./" : program.substr(0, slash + 1)};
    for (const std::string &base : bases)
        for (const char *folder : folders) {
            std::string path = base + folder + filename;
            FILE *f = fopen(path.c_str(), "rb");
            if (!f)
                continue;
            fclose(f);
            return strdup(path.c_str());
        }
    FILE *f = fopen(filename, "rb");
    if (f)
        fclose(f);
    return f ? strdup(filename) : NULL;
}

#endif
