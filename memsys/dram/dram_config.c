/* A DRAM channel's configuration from the keys, and the rules between its values. */
#include <stdarg.h>
#include <stdio.h>

#include "base/config.h"
#include "memsys/dram/dram_timing.h"

void dram_configure(struct dram_cfg *c, const struct simtx_config *config)
{
    *c = (struct dram_cfg){ .group_high = config_choice(config, KEY_DRAM_GROUP_BITS) == 1,
                            .frfcfs = config_choice(config, KEY_DRAM_SCHEDULER) == 0,
                            .refresh = config_bool(config, KEY_DRAM_REFRESH),
                            .close_page = config_bool(config, KEY_DRAM_CLOSE_PAGE) };
    const struct { uint32_t *value; enum config_key key; } numbers[] = {
        { &c->banks, KEY_DRAM_BANKS }, { &c->groups, KEY_DRAM_GROUPS }, { &c->queue, KEY_DRAM_QUEUE },
        { &c->burst_bytes, KEY_DRAM_BURST_BYTES }, { &c->burst_cycles, KEY_DRAM_BURST_CYCLES },
        { &c->tCCD, KEY_DRAM_TCCD }, { &c->tCCDL, KEY_DRAM_TCCDL }, { &c->tRRD, KEY_DRAM_TRRD },
        { &c->tRRDL, KEY_DRAM_TRRDL }, { &c->tRCD, KEY_DRAM_TRCD }, { &c->tRCDW, KEY_DRAM_TRCDW },
        { &c->tRAS, KEY_DRAM_TRAS }, { &c->tRP, KEY_DRAM_TRP }, { &c->tRC, KEY_DRAM_TRC },
        { &c->tCL, KEY_DRAM_TCL }, { &c->tWL, KEY_DRAM_TWL }, { &c->tCDLR, KEY_DRAM_TCDLR },
        { &c->tWR, KEY_DRAM_TWR }, { &c->tRTP, KEY_DRAM_TRTP }, { &c->tRTPL, KEY_DRAM_TRTPL },
        { &c->tRTW, KEY_DRAM_TRTW }, { &c->tFAW, KEY_DRAM_TFAW }, { &c->tREFI, KEY_DRAM_TREFI },
        { &c->tRFC, KEY_DRAM_TRFC },
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        *numbers[i].value = (uint32_t)config_int(config, numbers[i].key);
}

__attribute__((format(printf, 3, 4)))
static bool fail(char *error, size_t size, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    vsnprintf(error, size, format, ap);
    va_end(ap);
    return false;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Upper bound of the cycles from when a refresh is due until one request has been served after it. */
static uint32_t refresh_interval(const struct dram_cfg *c)
{
    uint32_t write = larger(c->tRCD, c->tRCDW) + c->tWL + c->burst_cycles + c->tWR;
    uint32_t close = larger(larger(c->tRAS, c->tRC), write) + c->banks + c->tRP;
    return close + c->tRFC + larger(c->tRCD, c->tRCDW) + larger(dram_read_to_write(c), dram_write_to_read(c));
}

static bool check_sizes(const struct dram_cfg *c, char *error, size_t size)
{
    if (!c->banks || c->banks > DRAM_MAX_BANKS)
        return fail(error, size, "dram.banks = %u is not in 1 to %d", c->banks, DRAM_MAX_BANKS);
    if (!c->groups || c->banks % c->groups)
        return fail(error, size, "dram.groups = %u does not divide dram.banks = %u", c->groups, c->banks);
    if (!c->queue)
        return fail(error, size, "dram.queue = 0: no request could ever be served");
    if (!c->burst_bytes || !c->burst_cycles)
        return fail(error, size, "dram.burst_bytes and dram.burst_cycles must be at least 1");
    return true;
}

bool dram_check(const struct dram_cfg *c, char *error, size_t size)
{
    if (!check_sizes(c, error, size))
        return false;
    if (c->burst_cycles > c->tCCD)
        return fail(error, size, "dram.tCCD = %u is less than dram.burst_cycles = %u: bursts would overlap on the data "
                    "bus", c->tCCD, c->burst_cycles);
    if (c->tCCDL && c->tCCDL < c->tCCD)
        return fail(error, size, "dram.tCCDL = %u is less than dram.tCCD = %u", c->tCCDL, c->tCCD);
    if (c->tRRDL && c->tRRDL < c->tRRD)
        return fail(error, size, "dram.tRRDL = %u is less than dram.tRRD = %u", c->tRRDL, c->tRRD);
    if (c->tRC && c->tRC < c->tRAS + c->tRP)
        return fail(error, size, "dram.tRC = %u is less than tRAS + tRP = %u, the time to open a row and close it",
                    c->tRC, c->tRAS + c->tRP);
    if (c->tRTW && c->tRTW + c->tWL < c->tCL + c->burst_cycles)
        return fail(error, size, "dram.tRTW = %u is less than tCL + burst_cycles - tWL = %u: written data would "
                    "collide with read data on the bus", c->tRTW, c->tCL + c->burst_cycles - c->tWL);
    if (c->refresh && c->tREFI <= refresh_interval(c))
        return fail(error, size, "dram.tREFI = %u leaves no time for requests: it must be more than %u (tRFC and a row "
                    "cycle)", c->tREFI, refresh_interval(c));
    return true;
}

bool dram_check_map(const struct dram_cfg *c, const struct addrmap *m, char *error, size_t size)
{
    if (c->banks != 1ull << m->nbits[ADDR_BANK])
        return fail(error, size, "dram.map has %u letters B, which is %llu banks, but dram.banks = %u",
                    m->nbits[ADDR_BANK], 1ull << m->nbits[ADDR_BANK], c->banks);
    if (c->burst_bytes != 1ull << m->nbits[ADDR_BYTE])
        return fail(error, size, "dram.map has %u letters S, which is %llu bytes, but dram.burst_bytes = %u",
                    m->nbits[ADDR_BYTE], 1ull << m->nbits[ADDR_BYTE], c->burst_bytes);
    return true;
}
