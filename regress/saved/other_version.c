/* Writes a saved state whose header names another version. Usage: other_version FILE */
#include <stdio.h>

#include "frontend/lib/saved/saved_file.h"

int main(int argc, char **argv)
{
    struct saved_file *f = argc == 2 ? saved_file_create(argv[1]) : NULL;
    char *version = "simtx 0.0.1, statistics 0";
    return !f || !saved_text(f, &version) || !saved_file_close(f);
}
