/*
 * Environment variables that control simtx inside a CUDA program. `simtx run` sets them from its options; users may set
 * them directly. Every other option is a configuration key: `--threads 4` becomes the assignment functional.threads=4
 * in SIMTX_SET.
 */
#ifndef SIMTX_ENV_H
#define SIMTX_ENV_H

#define SIMTX_ENV_CONFIG "SIMTX_CONFIG"        /* presets or files, separated by '+' or newlines; later ones override */
#define SIMTX_ENV_SET "SIMTX_SET"              /* key=value assignments, separated by ';' or newlines */
#define SIMTX_ENV_PTX "SIMTX_PTX"              /* file with the device code that replaces the program's own */
#define SIMTX_ENV_STATS "SIMTX_STATS"          /* statistics file; %p in the name = process number */
#define SIMTX_ENV_PROGRESS "SIMTX_PROGRESS"    /* 1 always, 0 never, unset: when stderr is a terminal */
#define SIMTX_ENV_QUIET "SIMTX_QUIET"          /* 1: no progress line and no start message */
#define SIMTX_ENV_VERBOSE "SIMTX_VERBOSE"      /* 1: the statistics as a table on stderr at the end */
#define SIMTX_ENV_DEVICES "SIMTX_DEVICES"      /* number of GPUs in the system, 1 to 16 */
#define SIMTX_ENV_SAVE_AT "SIMTX_SAVE_AT"      /* kernel:NAME[,launch:N]: save the state before this launch */
#define SIMTX_ENV_SAVE "SIMTX_SAVE"            /* the file of the saved state */
#define SIMTX_ENV_RESTORE "SIMTX_RESTORE"      /* a saved state: skip the launches before its point */
#define SIMTX_ENV_CONFIG_DIR "SIMTX_CONFIG_DIR"   /* folder of presets that is searched first */
/* Internal: file descriptor of a pipe. The library writes these bytes to it. UNWRITTEN: an output file failed. */
#define SIMTX_ENV_HANDSHAKE "SIMTX_HANDSHAKE"
enum { SIMTX_HANDSHAKE_LOADED = 'L', SIMTX_HANDSHAKE_UNWRITTEN = 'U' };

#endif
