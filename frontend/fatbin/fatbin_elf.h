/* Device images inside an ELF file (executable, object, shared library): sections .nv_fatbin and
 * __nv_relfatbin. */
#ifndef FRONTEND_FATBIN_ELF_H
#define FRONTEND_FATBIN_ELF_H

#include "frontend/fatbin/fatbin.h"

/* Calls visit for every container in the file, in file order, until visit returns false. Returns the number of visited
 * containers, or -1 (with `why` filled) when the file cannot be read or is not an ELF file. */
int fatbin_elf_visit(const char *path, bool (*visit)(void *ctx, const struct fatbin *image), void *ctx,
                     char *why, size_t why_size);

#endif
