/* Configuration of a GPU beyond simtx.h: composing by files (config.c) over the table of base/config.h. */
#ifndef FRONTEND_CONFIG_H
#define FRONTEND_CONFIG_H

#include "base/config.h"
#include "frontend/simtx.h"

simtx_config *simtx_config_copy(const simtx_config *c);
/* The rules between keys, once everything is set; simtx_gpu_new must not be given a configuration that breaks
 * them. */
simtx_status simtx_config_check(const simtx_config *c, char **message);
/* Presets and files joined by '+' or newlines, each laid over what is there. */
simtx_status simtx_config_load_all(simtx_config *c, const char *names, char **message);
/* One assignment with the place it comes from, for messages ("--set", "SIMTX_SET"). */
simtx_status simtx_config_assign(simtx_config *c, const char *assignment, const char *origin, char **message);
/* Names of the presets that can be found, sorted, NULL at the end (malloc'ed, as is each name), and their
 * paths. */
char **simtx_config_presets(void);
/* Path of a preset or file (malloc'ed); NULL when there is none. */
char *simtx_config_find(const char *name_or_path);

#endif
