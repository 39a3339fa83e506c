/* The divisions between L1 and shared memory, from the keys. */
#include <ctype.h>
#include <stdlib.h>

#include "memsys/l1/carveout.h"

/* Reads a number at *text and moves *text past it and the white space around it. False: there is no number. */
static bool read_kb(const char **text, uint32_t *kb)
{
    while (isspace((unsigned char)**text))
        ++*text;
    if (!isdigit((unsigned char)**text))
        return false;
    char *end;
    unsigned long n = strtoul(*text, &end, 10);
    *kb = n < UINT32_MAX >> 10 ? (uint32_t)n : UINT32_MAX >> 10;
    for (*text = end; isspace((unsigned char)**text);)
        ++*text;
    return true;
}

static uint32_t ways_beside(const struct simtx_config *config, uint32_t shared_bytes)
{
    int64_t bytes = config_int(config, KEY_L1_KB) * 1024;
    return bytes > shared_bytes ? (uint32_t)((bytes - shared_bytes) * config_int(config, KEY_L1_WAYS) / bytes) : 0;
}

void carveouts_configure(struct carveouts *c, const struct simtx_config *config)
{
    const char *text = config_text(config, KEY_GPU_SHARED_CARVEOUTS);
    uint32_t most = (uint32_t)config_int(config, KEY_GPU_SHARED_PER_SM), kb;
    *c = (struct carveouts){ 0 };
    if (!config_int(config, KEY_L1_KB))
        return;
    while (c->n < CARVEOUTS_MAX - 1 && read_kb(&text, &kb) && kb * 1024 < most)
        c->choice[c->n++] = (struct carveout){ kb * 1024, ways_beside(config, kb * 1024) };
    if (c->n)
        c->choice[c->n++] = (struct carveout){ most, ways_beside(config, most) };
}

/* Reports what is wrong with the list itself; *n: its sizes. */
static bool check_list(const struct simtx_config *config, uint32_t most, uint32_t *n, struct diag *d)
{
    struct config_setting s = config_setting(config, KEY_GPU_SHARED_CARVEOUTS);
    const char *text = config_text(config, KEY_GPU_SHARED_CARVEOUTS);
    uint32_t before = 0, kb;
    for (uint32_t i = 0; read_kb(&text, &kb); i++) {
        if (i && kb <= before) {
            diag_error(d, 0, 0, "%s: %u after %u; the sizes must ascend", s.text, kb, before);
            return false;
        }
        if (kb * 1024 >= most) {
            diag_error(d, 0, 0, "%s: %u KiB is not less than %s", s.text, kb,
                       config_setting(config, KEY_GPU_SHARED_PER_SM).text);
            return false;
        }
        before = kb;
        ++*n;
    }
    if (*text)
        diag_error(d, 0, 0, "%s: \"%s\" is not a size in KiB; sizes are whole numbers with blanks between them", s.text,
                   text);
    else if (*n >= CARVEOUTS_MAX)
        diag_error(d, 0, 0, "%s: %u sizes; at most %d are possible", s.text, *n, CARVEOUTS_MAX - 1);
    return !*text && *n < CARVEOUTS_MAX;
}

void carveouts_check(const struct simtx_config *config, struct diag *d)
{
    struct config_setting list = config_setting(config, KEY_GPU_SHARED_CARVEOUTS);
    int64_t bytes = config_int(config, KEY_L1_KB) * 1024, ways = config_int(config, KEY_L1_WAYS);
    uint32_t most = (uint32_t)config_int(config, KEY_GPU_SHARED_PER_SM), n = 0;
    struct carveouts c;
    if (!bytes || !check_list(config, most, &n, d) || !n)
        return;
    carveouts_configure(&c, config);
    if (bytes <= most) {
        diag_error(d, 0, 0, "%s: %s, of which %s are shared memory, leaves no L1; an empty gpu.shared_carveouts gives "
                   "L1 and shared memory fixed sizes", list.text, config_setting(config, KEY_L1_KB).text,
                   config_setting(config, KEY_GPU_SHARED_PER_SM).text);
        return;
    }
    for (uint32_t i = 0; i < c.n; i++)
        if ((bytes - c.choice[i].shared_bytes) * ways % bytes) {
            diag_error(d, 0, 0, "%s: beside %u bytes of shared memory L1 does not have a whole number of ways, with %s "
                       "and %s", list.text, c.choice[i].shared_bytes, config_setting(config, KEY_L1_KB).text,
                       config_setting(config, KEY_L1_WAYS).text);
            return;
        }
}

const struct carveout *carveouts_choose(const struct carveouts *c, uint64_t bytes)
{
    uint32_t i = 0;
    while (i + 1 < c->n && c->choice[i].shared_bytes < bytes)
        i++;
    return &c->choice[i];
}
