/* A file that is written whole or not at all (replace.h). */
#include "frontend/session/atomic_file.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file's mode: the old one's, or what a new file gets. */
static mode_t mode_for(const struct stat *old, bool exists)
{
    mode_t mask = umask(0);
    umask(mask);
    return exists ? old->st_mode & 07777 : 0666 & ~mask;
}

static FILE *open_beside(struct replacement *r, mode_t mode)
{
    int fd = -1;
    if (asprintf(&r->beside, "%s.XXXXXX", r->path) < 0)
        r->beside = NULL;
    else if ((fd = mkstemp(r->beside)) < 0)
        free(r->beside), r->beside = NULL;
    if (fd < 0)
        return NULL;
    fchmod(fd, mode);
    return fdopen(fd, "w");
}

bool replace_begin(struct replacement *r, const char *path)
{
    struct stat old;
    bool exists = stat(path, &old) == 0;
    char *target = exists ? realpath(path, NULL) : NULL;       /* a symbolic link stays */
    *r = (struct replacement){ .path = target ? target : strdup(path) };
    if (r->path && (!exists || S_ISREG(old.st_mode)))
        r->file = open_beside(r, mode_for(&old, exists));
    if (r->path && !r->file)
        r->file = fopen(r->path, "w");
    if (r->file)
        return true;
    int reason = errno;
    free(r->path);
    errno = reason;
    return false;
}

bool replace_end(struct replacement *r, bool written)
{
    int reason = errno;
    written &= !ferror(r->file);
    if (fclose(r->file)) {
        reason = written ? errno : reason;
        written = false;
    }
    if (r->beside && written && rename(r->beside, r->path)) {
        reason = errno;
        written = false;
    }
    if (r->beside && !written)
        unlink(r->beside);
    free(r->beside);
    free(r->path);
    errno = reason;
    return written;
}
