/* Configuration of a GPU beyond simtx.h: composing by files (config.c) over the table of base/config.h. */
#ifndef FRONTEND_CONFIG_H
#define FRONTEND_CONFIG_H

#include <jansson.h>

#include "base/config.h"
#include "frontend/lib/simtx.h"

simtx_config *simtx_config_copy(const simtx_config *c);
/* The rules between keys, once everything is set; simtx_gpu_new must not be given a configuration that breaks
 * them. */
simtx_status simtx_config_check(const simtx_config *c, char **message);
/* The same, and the rules that only matter in timing mode, whatever sim.mode says. */
simtx_status simtx_config_check_timing(const simtx_config *c, char **message);
/*
 * Presets and files (joined by '+' or newlines, each laid over what is there; NULL: none), then assignments (';' or
 * newlines between; NULL: none), then the rules; message has every error. origin: of the assignments ("--set").
 */
simtx_status simtx_config_build(simtx_config *c, const char *names, const char *assignments, const char *origin,
                                char **message);
/* One assignment with the place it comes from, for messages ("--set", "SIMTX_SET"). */
simtx_status simtx_config_assign(simtx_config *c, const char *assignment, const char *origin, char **message);
/* Names of the presets that can be found, sorted, NULL at the end (malloc'ed, as is each name), and their
 * paths. */
char **simtx_config_presets(void);
/* What a preset says of itself, and whether it is a whole machine or an overlay; false when it cannot be read. */
bool simtx_config_about(const char *name, char about[200], bool *machine);
/* Path of a preset or file (malloc'ed); NULL when there is none. */
char *simtx_config_find(const char *name_or_path);
json_t *config_value_json(const simtx_config *c, enum config_key k);
bool config_is_path(const char *name);               /* names a file, not a preset: it has a / or ends in .cfg */
bool config_is_file(const char *path);
bool config_is_folder(const char *path);

#endif
