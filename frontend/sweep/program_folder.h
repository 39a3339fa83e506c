/* The folder of benchmarks. */
#ifndef FRONTEND_PROGRAM_FOLDER_H
#define FRONTEND_PROGRAM_FOLDER_H

/* The full path (malloc'ed) of the folder, or else of "kernels" beside that of the command: build/bin and
 * build/kernels. Ends the process with a message when it is not there. */
char *program_folder(const char *command, const char *name);
/* The message when a program is not there, by errno. */
void program_missing(const char *command, const char *path) __attribute__((noreturn));

#endif
