/*
 * One run of a program in simtx, seen from its process: configuration from the environment (env.h), the line
 * that says what is simulated, progress on a terminal, Ctrl-C, statistics at the end. libcudart and `simtx
 * launch` are its users; it belongs to the process and is no part of libsimtx.
 *
 *     simtx_gpu *g = session_new_gpu(0, &message);             NULL: message says why
 *     session_launch_begin(g);  s = simtx_launch(...);  session_launch_end(g, s);
 *     session_remove_gpu(g);    simtx_gpu_free(g);    session_end();
 *
 * session.c must be linked into libcudart.so itself: its constructor tells `simtx run` that the library was
 * loaded.
 */
#ifndef SIMTX_SESSION_H
#define SIMTX_SESSION_H

#include "frontend/lib/simtx.h"

/* false with a message (malloc'ed) when an environment variable holds something else than what env.h says. */
bool session_environment(char **message);
/* The configuration that the environment asks for, made once; *message (malloc'ed) says what is wrong with
 * it. */
const simtx_config *session_config(char **message);

/*
 * A GPU with that configuration, which takes part from now on: progress, interruption, statistics and other files when
 * the process ends (by exit, abort, a signal). The first one also prints "simtx: simulating on NAME (functional mode)",
 * or timing, and installs the signal handlers where the program has none of its own. Each GPU of a process writes files
 * of its own: %p in their names is the process number, and names of later GPUs have a number before the ending.
 * index, message: see simtx_gpu_new.
 */
simtx_gpu *session_new_gpu(int index, char **message);
/* Call before simtx_gpu_free; what the GPU counted is kept for the statistics. Its files are closed; false after a
 * message when one could not be written. */
bool session_remove_gpu(simtx_gpu *g);

/* Writes the statistics now, not at exit; false after a message when they could not be written. */
bool session_end(void);

/* Around everything that runs kernels. After SIMTX_INTERRUPTED session_launch_end writes the statistics and does not
 * return: the process dies by the signal that asked for it. */
void session_launch_begin(simtx_gpu *g);
void session_launch_end(simtx_gpu *g, simtx_status status);

#endif
