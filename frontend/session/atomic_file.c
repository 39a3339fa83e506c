/* Atomic replacement of a file (atomic_file.h). */
#include "frontend/session/atomic_file.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The mode of the old file, or the default of a new one. */
static mode_t mode_for(const struct stat *old, bool exists)
{
    mode_t mask = umask(0);
    umask(mask);
    return exists ? old->st_mode & 07777 : 0666 & ~mask;
}

static FILE *open_temporary(struct atomic_file *r, mode_t mode)
{
    int fd = -1;
    if (asprintf(&r->temporary, "%s.XXXXXX", r->path) < 0)
        r->temporary = NULL;
    else if ((fd = mkstemp(r->temporary)) < 0)
        free(r->temporary), r->temporary = NULL;
    if (fd < 0)
        return NULL;
    fchmod(fd, mode);
    return fdopen(fd, "w");
}

static bool folder_writable(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    bool ok = folder && access(folder, W_OK | X_OK) == 0;
    int reason = errno;
    free(folder);
    errno = reason;
    return ok;
}

bool atomic_file_writable(const char *path)
{
    struct stat st;
    if (stat(path, &st))
        return errno == ENOENT && folder_writable(path);
    if (!S_ISDIR(st.st_mode))
        return access(path, W_OK) == 0;
    errno = EISDIR;
    return false;
}

bool atomic_file_open(struct atomic_file *r, const char *path)
{
    struct stat old;
    bool exists = stat(path, &old) == 0;
    char *target = exists ? realpath(path, NULL) : NULL;       /* a symbolic link is kept */
    *r = (struct atomic_file){ .path = target ? target : strdup(path) };
    if (r->path && (!exists || S_ISREG(old.st_mode)))
        r->file = open_temporary(r, mode_for(&old, exists));
    if (r->path && !r->file)
        r->file = fopen(r->path, "w");
    if (r->file)
        return true;
    int reason = errno;
    free(r->path);
    errno = reason;
    return false;
}

bool atomic_file_close(struct atomic_file *r, bool written)
{
    int reason = errno;
    written &= !ferror(r->file);
    if (fclose(r->file)) {
        reason = written ? errno : reason;
        written = false;
    }
    if (r->temporary && written && rename(r->temporary, r->path)) {
        reason = errno;
        written = false;
    }
    if (r->temporary && !written)
        unlink(r->temporary);
    free(r->temporary);
    free(r->path);
    errno = reason;
    return written;
}
