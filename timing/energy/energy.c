/* Every row is a term: its value, times its events. Terms are added in the order of the rows. */
#include "timing/energy/energy.h"

enum kind { CHIP, MEMORY, POWER };

enum row {
#define ENERGY(id, ...) ROW_##id,
#define CONFIG_ROWS "configs/keys.def"
#include "base/config/config_rows.h"
    ROWS
};

static const struct { enum config_key value; enum kind kind; enum stat part; } rows[ROWS] = {
#define ENERGY(id, name, def, kind, part, ...) { KEY_ENERGY_##id, kind, STAT_ENERGY_##part },
#define CONFIG_ROWS "configs/keys.def"
#include "base/config/config_rows.h"
};

struct launch_counts { const struct simtx_config *config; const uint64_t *count; double core_ps, dram_ps; };

#define N(id) r->count[STAT_##id]
#define SIZE(id) (uint64_t)config_int(r->config, KEY_##id)
#define CORE_PS(n) (r->core_ps * (double)(n))
#define DRAM_PS(n) (r->dram_ps * (double)(n))

static double events(enum row row, const struct launch_counts *r)
{
    switch (row) {
#define ENERGY(id, name, def, kind, part, events, ...) case ROW_##id: return (double)(events);
#define CONFIG_ROWS "configs/keys.def"
#include "base/config/config_rows.h"
    case ROWS: break;
    }
    return 0;
}

/* In pJ. A watt is a pJ each ps. */
static double energy(enum row row, const struct launch_counts *r)
{
    double scale = rows[row].kind == CHIP ? config_real(r->config, KEY_ENERGY_SCALE) : 1;
    return config_real(r->config, rows[row].value) * scale * events(row, r);
}

static uint64_t rounded(double x)
{
    return x < 9e18 ? (uint64_t)(x + 0.5) : UINT64_C(9000000000000000000);
}

void energy_count(const struct simtx_config *config, uint64_t *count)
{
    const struct launch_counts r = { config, count, 1e6 / (double)config_int(config, KEY_GPU_CORE_MHZ),
                                     1e6 / config_real(config, KEY_DRAM_MHZ) };
    double part[STAT_END] = { 0 };
    for (enum row i = 0; i < ROWS; i++)
        part[rows[i].part] += energy(i, &r);
    for (enum row i = 0; i < ROWS; i++)
        count[rows[i].part] = rounded(part[rows[i].part]);
    count[STAT_ENERGY_TIME] = rounded(r.core_ps * (double)count[STAT_MACHINE_CYCLES]);
}
