/* The rule of all caches: their size is a whole number of sets. */
#include "memsys/cache_size.h"
#include "memsys/xbar/packet.h"

/* The size in KiB, of whole sets of so many bytes, that is nearest to this one; not 0. */
static int64_t nearest_size(int64_t kb, int64_t set)
{
    int64_t step = set;                  /* a set, divided by what it and 1024 have in common */
    for (int bit = 0; bit < 10 && step % 2 == 0; bit++)
        step /= 2;
    int64_t n = (kb + step / 2) / step;
    return (n ? n : 1) * step;
}

void cache_check_size(const struct simtx_config *c, enum config_key kb, enum config_key ways, enum config_key line,
                      struct diag *d)
{
    bool whole_line = line == KEY_NONE;
    int64_t set = config_int(c, ways) * (whole_line ? LINE_BYTES : config_int(c, line));
    if (config_int(c, kb) * 1024 % set)
        diag_error(d, 0, 0, "%s does not divide into sets of %s and %s bytes a line; %lld KiB would",
                   config_setting(c, kb).text, config_setting(c, ways).text,
                   whole_line ? "128" : config_setting(c, line).text, (long long)nearest_size(config_int(c, kb), set));
}
