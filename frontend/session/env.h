/*
 * Environment variables through which `simtx run` (or a person) speaks to the libraries inside a CUDA
 * program. Everything else is configuration: `--threads 4` becomes the assignment functional.threads=4 in
 * SIMTX_SET.
 */
#ifndef SIMTX_ENV_H
#define SIMTX_ENV_H

#define SIMTX_ENV_CONFIG "SIMTX_CONFIG"        /* presets or files; '+' or newline between, later ones win */
#define SIMTX_ENV_SET "SIMTX_SET"              /* key=value assignments; ';' or newline between them */
#define SIMTX_ENV_PTX "SIMTX_PTX"              /* file with the device code that replaces the program's own */
#define SIMTX_ENV_STATS "SIMTX_STATS"          /* file for the statistics; %p in it: the process number */
#define SIMTX_ENV_PROGRESS "SIMTX_PROGRESS"    /* 1 always, 0 never, unset: when stderr is a terminal */
#define SIMTX_ENV_QUIET "SIMTX_QUIET"          /* 1: no progress line and no line that says it simulates */
#define SIMTX_ENV_VERBOSE "SIMTX_VERBOSE"      /* 1: the statistics as a table on stderr at the end */
#define SIMTX_ENV_DEVICES "SIMTX_DEVICES"      /* number of GPUs that the program sees, 1 to 16 */
#define SIMTX_ENV_CONFIG_DIR "SIMTX_CONFIG_DIR"   /* folder of presets that is searched first */
/* Internal: the descriptor of a pipe, into which the library writes these bytes. */
#define SIMTX_ENV_HANDSHAKE "SIMTX_HANDSHAKE"
enum { HANDSHAKE_LOADED = 'L', HANDSHAKE_UNWRITTEN = 'U' };    /* UNWRITTEN: statistics or another file */

#endif
