/*
 * The fields of a table of configuration keys as members of its owner's struct:
 *
 *   struct dram_cfg {
 *   #define CONFIG_ROWS "memsys/dram/config.def"
 *   #include "base/config/config_fields.h"
 *   };
 *
 * An integer is a uint32_t, or what its range needs: uint64_t, or int64_t with a negative minimum. Texts belong to the
 * configuration. base/config/config.h must be included before.
 */
#define CONFIG_SIGNED_OR(type, lo) __builtin_choose_expr((lo) < 0, INT64_C(0), (type)0)
#define CONFIG_INTEGER(lo, hi) __typeof__(__builtin_choose_expr((hi) > UINT32_MAX, CONFIG_SIGNED_OR(uint64_t, lo), \
                                                                CONFIG_SIGNED_OR(uint32_t, lo)))
#define INT_KEY(id, field, name, def, lo, hi, ...) CONFIG_INTEGER(lo, hi) field;
#define REAL_KEY(id, field, ...) double field;
#define BOOL_KEY(id, field, ...) bool field;
#define ENUM_KEY(id, field, name, def, tag, ...) enum tag field;
#define CHOICE_KEY(id, field, ...) uint32_t field;
#define ENERGY(...)
#define TEXT_KEY(id, field, ...) const char *field;
#include "base/config/config_rows.h"
#undef CONFIG_INTEGER
#undef CONFIG_SIGNED_OR
