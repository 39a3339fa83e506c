/* Files as whole texts, whole folders, and files that are found relative to the running program. Results are freed
 * with free(). */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stddef.h>

/* The bytes of a file, followed by a NUL that *size does not count; size may be NULL. NULL with errno, which may be
 * ENOMEM: libraries report an allocation that fails. */
char *file_read(const char *path, size_t *size);

/* Removes a folder with all that is in it. */
void file_remove_folder(const char *path);

/* The file of the running program, and its folder; "" and "." where /proc is not mounted. */
char *file_own_path(void);
char *file_own_folder(void);

/* The full path of the first of the folders (NULL ends them), relative to `from`, that contains the file; NULL:
 * none. */
char *file_find_folder(const char *from, const char *const *folders, const char *file);

#endif
