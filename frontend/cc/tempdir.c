/*
 * A folder for the temporary files of one command, below $TMPDIR or /tmp.  It is clang's $TMPDIR, because versions
 * before 17 leave an empty folder there for each architecture of each compilation.  At exit only these and the files of
 * cc_temp are removed: files that clang leaves on purpose, such as crash reports, are kept.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "frontend/cc/cc.h"

static char folder[PATH_MAX];        /* "": not created */
static struct words files;           /* of cc_temp, to be removed */
static struct words shown;           /* of cc_temp in a dry run, which creates none */

static void remove_folder(void)
{
    DIR *d = *folder ? opendir(folder) : NULL;
    struct dirent *e;
    if (!d)
        return;
    for (uint32_t i = 0; i < files.n; i++)
        unlink(files.at[i]);
    while ((e = readdir(d)))
        if (*e->d_name != '.')
            unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR);     /* fails unless an empty folder */
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
        cc_fail("TMPDIR is too long: %zu characters", strlen(parent));
    cc_catch_signals();
    if (!mkdtemp(folder))
        cc_fail("cannot create a folder for temporary files in %s: %s", parent, strerror(errno));
    atexit(remove_folder);
    setenv("TMPDIR", folder, 1);
    return folder;
}

const char *cc_temp(const struct cc *cc, const char *name)
{
    struct words *paths = cc->dryrun ? &shown : &files;
    words_format(paths, "%s/%s", cc->dryrun ? "/tmp" : cc_tempdir(), name);
    return paths->at[paths->n - 1];
}

void cc_tempdir_clear(void)
{
    file_remove_folder(folder);
}
