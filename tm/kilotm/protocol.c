/* KILO TM as published in 2011: the functions that protocols with logs and commit units share, without additions. */
#include <stdio.h>

#include "tm/kilo/log_unit.h"

static bool check(const struct simtx_config *c, uint32_t slices, char *error, size_t size)
{
    return kilo_check(c, slices, "kilotm", error, size);
}

static bool coherent(const struct simtx_config *c, char *why, size_t size)
{
    snprintf(why, size, "kilotm.watchdog_ideal, kilotm.ideal_validation and kilotm.ideal_commit access memory without "
             "messages");
    return !kilo_without_messages(c);
}

const struct tm_protocol tm_kilotm = {
    .name = "kilotm", KILO_FUNCTIONS, .global_step = kilo_global_step, .check = check,
    .coherent = coherent,
    .new_gpu_state = kilo_new_gpu_state, .free_gpu_state = kilo_free_gpu_state, .new_core = kilo_new_core,
    .free_core = kilo_free_core, .attempt = kilo_log_attempt, .load = kilo_log_load, .loaded = kilo_log_loaded,
    .commit = kilo_commit, .run = kilo_run, .idle = kilo_idle, .describe = kilo_describe,
    .consistent = kilo_consistent, .step = kilo_step
};
