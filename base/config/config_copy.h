/*
 * The copy of a table's values into its owner's struct, inside a function with struct OWNER *c and struct simtx_config
 * *config:
 *
 *   #define CONFIG_ROWS "memsys/dram/config.def"
 *   #include "base/config/config_copy.h"
 */
#define INT_KEY(id, field, ...) c->field = (__typeof__(c->field))config_int(config, KEY_##id);
#define REAL_KEY(id, field, ...) c->field = config_real(config, KEY_##id);
#define BOOL_KEY(id, field, ...) c->field = config_bool(config, KEY_##id);
#define ENUM_KEY(id, field, name, def, tag, ...) c->field = (enum tag)config_choice(config, KEY_##id);
#define CHOICE_KEY(id, field, ...) c->field = (uint32_t)config_choice(config, KEY_##id);
#define ENERGY(...)
#define TEXT_KEY(id, field, ...) c->field = config_text(config, KEY_##id);
#include "base/config/config_rows.h"
