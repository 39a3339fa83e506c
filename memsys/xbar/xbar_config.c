/* The configuration of the crossbars from the keys, and its rules. */
#include "memsys/xbar/xbar.h"

void xbars_configure(struct xbars_cfg *c, const struct simtx_config *config)
{
#define CONFIG_ROWS "memsys/xbar/config.def"
#include "base/config/config_copy.h"
}

/* The compare-and-swap of 16-byte words by a whole warp: two operands a lane after the header. */
uint32_t xbar_largest_packet(const struct simtx_config *config)
{
    uint32_t bytes = PACKET_HEADER + (uint32_t)config_int(config, KEY_GPU_WARP_SIZE) * 2 * 16;
    return xbar_flits(bytes, (uint32_t)config_int(config, KEY_XBAR_FLIT));
}

/* A packet starts only with credits for all its flits. */
static void check_buffer(const struct simtx_config *config, enum config_key k, struct diag *d)
{
    uint32_t flits = xbar_largest_packet(config);
    if (config_int(config, k) < flits)
        diag_error(d, 0, 0, "%s is less than the largest packet, an atomic of %u flits with %s and %s",
                   config_setting(config, k).text, flits, config_setting(config, KEY_XBAR_FLIT).text,
                   config_setting(config, KEY_GPU_WARP_SIZE).text);
}

void xbar_check(const struct simtx_config *config, struct diag *d)
{
    check_buffer(config, KEY_XBAR_INPUT_FLITS, d);
    check_buffer(config, KEY_XBAR_OUTPUT_FLITS, d);
}
