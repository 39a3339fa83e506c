/*
 * The session: what one process does around its simulated GPUs. It reads the configuration from the environment
 * (env.h), prints the start message and the progress line, handles signals, and writes the statistics when the process
 * ends. libcudart and `simtx launch` use it; it is not part of libsimtx.
 *
 *     simtx_gpu *g = session_new_gpu(0, &message);             NULL: the reason is in message
 *     session_launch_begin(g);  s = simtx_launch(...);  session_launch_end(g, s);
 *     session_remove_gpu(g);    simtx_gpu_free(g);    session_end();
 *
 * session.c must be linked into libcudart.so itself: its constructor reports to `simtx run` that the library was
 * loaded.
 */
#ifndef SIMTX_SESSION_H
#define SIMTX_SESSION_H

#include "frontend/lib/simtx.h"

/* False with a message (malloc'ed) when an environment variable of env.h has an invalid value. */
bool session_environment(char **message);
/* The configuration that the environment describes, built once. NULL with *message (malloc'ed) when it is invalid. */
const simtx_config *session_config(char **message);

/*
 * Creates a GPU with that configuration and adds it to the session: its progress is shown, signals interrupt it, and
 * its statistics and other files are written when the process ends (by exit, abort or a signal). The first call also
 * prints "simtx: simulating on NAME (functional mode)" or "(timing mode)", and installs handlers for the signals for
 * which the program has none. Each GPU of a process has its own files: %p in a name is the process number, and names of
 * later GPUs have a number before the ending. index, message: as in simtx_gpu_new.
 */
simtx_gpu *session_new_gpu(int index, char **message);
/* Call before simtx_gpu_free. Keeps the GPU's statistics and closes its files; false after printing a message when a
 * file could not be written. */
bool session_remove_gpu(simtx_gpu *g);

/* Writes the statistics now instead of at exit; false after printing a message when that failed. */
bool session_end(void);

/* Call these around everything that runs kernels. After SIMTX_INTERRUPTED, session_launch_end writes the statistics and
 * does not return: it ends the process by the signal that interrupted the launch. */
void session_launch_begin(simtx_gpu *g);
void session_launch_end(simtx_gpu *g, simtx_status status);

#endif
