/*
 * A folder for the temporary files of one command, below $TMPDIR or /tmp. clang gets it as its $TMPDIR: versions before
 * 17 leave an empty folder there for each architecture of each compilation. What clang leaves on purpose, as the
 * files of a crash report, stays.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/cc/cc.h"

static char folder[PATH_MAX];        /* "": none was made */

static void remove_folder(void)
{
    DIR *d = *folder ? opendir(folder) : NULL;
    struct dirent *e;
    if (!d)
        return;
    while ((e = readdir(d)))
        if (*e->d_name != '.')
            unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR);     /* fails for what is no empty folder */
    closedir(d);
    rmdir(folder);
}

const char *cc_tempdir(void)
{
    const char *parent = getenv("TMPDIR");
    if (*folder)
        return folder;
    if (!parent || !*parent)
        parent = "/tmp";
    if ((size_t)snprintf(folder, sizeof folder, "%s/simtx-cc-XXXXXX", parent) >= sizeof folder)
        cc_fail("the name in TMPDIR is too long: %zu characters", strlen(parent));
    if (!mkdtemp(folder))
        cc_fail("cannot make a folder for temporary files in %s: %s", parent, strerror(errno));
    atexit(remove_folder);
    setenv("TMPDIR", folder, 1);
    return folder;
}
