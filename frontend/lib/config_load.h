/* Builds configurations from presets, files and assignments (config_load.c, config_presets.c), on
 * base/config/config.h. */
#ifndef FRONTEND_CONFIG_LOAD_H
#define FRONTEND_CONFIG_LOAD_H

#include <jansson.h>

#include "base/config/config.h"
#include "frontend/lib/simtx.h"

simtx_config *simtx_config_copy(const simtx_config *c);
/* Checks the rules between keys of a complete configuration; simtx_gpu_new requires that they hold. */
simtx_status simtx_config_check(const simtx_config *c, char **message);
/* The same, and the rules of timing mode, whatever sim.mode is. */
simtx_status simtx_config_check_timing(const simtx_config *c, char **message);
/*
 * Loads presets and files (separated by '+' or newlines; later ones override; NULL: none), then assignments (separated
 * by ';' or newlines; NULL: none), then checks the rules. message gets all errors. origin: of the assignments
 * ("--set").
 */
simtx_status simtx_config_build(simtx_config *c, const char *names, const char *assignments, const char *origin,
                                char **message);
/* One assignment; origin: where it comes from, for messages ("--set", "SIMTX_SET"). */
simtx_status simtx_config_assign(simtx_config *c, const char *assignment, const char *origin, char **message);
/* The names of all presets, sorted, NULL at the end (the list and each name are malloc'ed). */
char **simtx_config_presets(void);
/* The description of a preset, and whether it is a whole machine or an overlay; false when it cannot be read. */
bool simtx_config_about(const char *name, char about[200], bool *machine);
/* The path of a preset or file (malloc'ed); NULL = not found. */
char *simtx_config_find(const char *name_or_path);
json_t *config_value_json(const simtx_config *c, enum config_key k);
bool config_is_path(const char *name);               /* a file, not a preset: the name has a / or ends in .cfg */
bool config_is_file(const char *path);
bool config_is_folder(const char *path);

#endif
