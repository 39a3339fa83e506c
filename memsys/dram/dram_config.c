/* A DRAM channel's configuration from the keys: rules between keys, and warnings about the keys that programs read. */
#include <math.h>

#include "base/num.h"
#include "memsys/dram/dram_timing.h"

/* Nanoseconds as whole memory cycles. */
static uint32_t clone_cycles(const struct dram_cfg *c, const struct simtx_config *config)
{
    return (uint32_t)ceil(c->clone_ns * config_real(config, KEY_DRAM_MHZ) / 1000 - 1e-9);
}

void dram_configure(struct dram_cfg *c, const struct simtx_config *config)
{
    *c = (struct dram_cfg){ 0 };
#define CONFIG_ROWS "memsys/dram/config.def"
#include "base/config/config_copy.h"
    bool clones = config_int(config, KEY_VERSION_SLOTS) || c->bulk == DRAM_BULK_CLONE;
    c->clone_cycles = clones ? clone_cycles(c, config) : 0;
}

/* A row is opened and closed before the next of its bank. */
static void check_row_cycle(const struct dram_cfg *c, const struct simtx_config *config, struct diag *d)
{
    if (c->tRC && c->tRC < c->tRAS + c->tRP)
        diag_error(d, 0, 0, "%s is less than the sum of %s and %s", config_setting(config, KEY_DRAM_TRC).text,
                   config_setting(config, KEY_DRAM_TRAS).text, config_setting(config, KEY_DRAM_TRP).text);
}

/* Written data must not collide with read data on the bus. */
static void check_turnaround(const struct dram_cfg *c, const struct simtx_config *config, struct diag *d)
{
    if (c->tRTW && c->tRTW + c->tWL < c->tCL + c->burst_cycles)
        diag_error(d, 0, 0, "%s is neither 0 nor at least %s + %s - %s", config_setting(config, KEY_DRAM_TRTW).text,
                   config_setting(config, KEY_DRAM_TCL).text, config_setting(config, KEY_DRAM_BURST_CYCLES).text,
                   config_setting(config, KEY_DRAM_TWL).text);
}

/* Upper bound of the cycles from when a refresh is due until one request has been served after it. */
static uint32_t refresh_interval(const struct dram_cfg *c)
{
    uint32_t write = num_most(c->tRCD, c->tRCDW) + c->tWL + c->burst_cycles + c->tWR;
    uint32_t close = num_most(num_most(c->tRAS, c->tRC), write) + c->banks + c->tRP;
    return close + c->tRFC + num_most(c->tRCD, c->tRCDW) + num_most(dram_read_to_write(c), dram_write_to_read(c));
}

/* A refresh that fits between two leaves time for requests, too. */
static void check_refresh(const struct dram_cfg *c, struct diag *d)
{
    uint32_t interval = refresh_interval(c);
    if (c->refresh && c->tRFC < c->tREFI && c->tREFI <= interval)
        diag_error(d, 0, 0, "dram.tREFI = %u leaves no time for requests: it must be more than %u (tRFC and a row "
                   "cycle)", c->tREFI, interval);
}

/* The address map names as many banks, and bytes of a burst, as the channel has. */
static void check_fields(const struct dram_cfg *c, const struct addrmap *m, const struct simtx_config *config,
                         struct diag *d)
{
    const struct { enum addr_field field; char letter; const char *what; enum config_key key; } rows[] = {
        { ADDR_BANK, 'B', "banks", KEY_DRAM_BANKS }, { ADDR_BYTE, 'S', "bytes", KEY_DRAM_BURST_BYTES }
    };
    for (int i = 0; i < 2; i++) {
        unsigned bits = m->nbits[rows[i].field];
        if (config_int(config, rows[i].key) == INT64_C(1) << bits)
            continue;
        diag_error(d, 0, 0, "dram.map has %u letters %c, which is %llu %s, but %s = %u (dram.map: %s, dram.banks: %s, "
                   "dram.burst_bytes: %s)", bits, rows[i].letter, 1ull << bits, rows[i].what,
                   config_keys[rows[i].key].name, (unsigned)config_int(config, rows[i].key),
                   config_place(config, KEY_DRAM_MAP), config_place(config, KEY_DRAM_BANKS),
                   config_place(config, KEY_DRAM_BURST_BYTES));
        return;
    }
}

/* The address map is a text: addrmap_parse reports its errors. */
static void check_map(const struct dram_cfg *c, const struct simtx_config *config, struct diag *d)
{
    struct addrmap m;
    char text[400];
    if (addrmap_parse(&m, c->map, c->channels, (uint32_t)config_int(config, KEY_L2_SLICES), c->hash, 0, text,
                      sizeof text))
        check_fields(c, &m, config, d);
    else
        diag_error(d, 0, 0, "dram.map (%s), dram.channels = %u (%s): %s", config_place(config, KEY_DRAM_MAP),
                   c->channels, config_place(config, KEY_DRAM_CHANNELS), text);
}

void dram_check(const struct simtx_config *config, struct diag *d)
{
    struct dram_cfg c;
    dram_configure(&c, config);
    check_row_cycle(&c, config, d);
    check_turnaround(&c, config, d);
    check_refresh(&c, d);
    check_map(&c, config, d);
}

/* Programs compute the bandwidth as two transfers a memory clock over the width of the bus. */
void dram_warn(const struct simtx_config *config, struct diag *d)
{
    struct dram_cfg c;
    dram_configure(&c, config);
    double bytes = (double)config_int(config, KEY_GPU_MEMORY_BUS_BITS) / 8;
    double told = 2e6 * (double)config_int(config, KEY_GPU_MEMORY_MHZ) * bytes;
    double burst = (double)c.burst_bytes / c.burst_cycles;
    double is = 1e6 * config_real(config, KEY_DRAM_MHZ) * burst * c.channels;
    if (fabs(told - is) > 0.03 * is)
        diag_warn(d, 0, 0, "programs are told %.0f GB/s, %s and %s; simulated are %.0f GB/s: dram.channels x dram.mhz "
                  "x dram.burst_bytes / dram.burst_cycles", told / 1e9,
                  config_setting(config, KEY_GPU_MEMORY_MHZ).text, config_setting(config, KEY_GPU_MEMORY_BUS_BITS).text,
                  is / 1e9);
}
