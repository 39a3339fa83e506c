/* The folder of simtx's libcudart, which lies beside the command, as built or as installed. */
#include <stdlib.h>

#include "base/file.h"
#include "frontend/cli/cmd.h"

char *cmd_library_folder(void)
{
    static const char *const places[] = { "../cuda/lib64", "../share/simtx/cuda/lib64", NULL };
    char *own = file_own_folder(), *folder = file_find_folder(own, places, "libcudart.so");
    free(own);
    return folder;
}
